// SPDX-License-Identifier: Apache-2.0
// client VIDEO PHOTO < launch.json > result.json
//
// Simulates the phone, and the vendor's server behind it, for tests of a backend: seals the video, states what belongs
// together, and signs the result as the device. In the folder that it runs in: pub.pem, compare-pub.pem, device.pem,
// and ticket.txt, which on a phone nobody has: the vendor's server signs.

import EvidenceKit
import Foundation

/// What the backend issued.
struct Launch: Codable {
    let orderNo: String
    let appId: String
    let userId: String
    let challenge: String
}

func run(video: String, photo: String) throws {
    let launch = try JSONDecoder().decode(Launch.self, from: FileHandle.standardInput.readToEnd() ?? Data())
    guard let now = UTCTime(secondsSince1970: Date().timeIntervalSince1970),
        let challenge = DeviceChallenge(launch.challenge)
    else { throw EvidenceError(.value, "the clock or the challenge cannot be used") }
    let order = try OrderNumber(launch.orderNo)

    var assembler = try PayloadAssembler(
        orderNo: order, appId: launch.appId, userId: launch.userId, capturedAt: now,
        to: RSAPublicKey(contentsOf: "pub.pem"), comparing: RSAPublicKey(contentsOf: "compare-pub.pem"))
    let ticket = try Ticket(.sign, SecretBytes(firstLineOf: FileSource(path: "ticket.txt"), name: "ticket.txt"))
    assembler.sign = try SignRecipe.frontEndResult(appId: launch.appId, orderNo: order.value, code: "0")
        .sign(with: ticket)

    // On a phone this key is in the Secure Enclave or in Android's Keystore: DeviceSigner(publicKey) { … }.
    let pem = try SecretBytes(
        contentsOf: FileSource(path: "device.pem"), limit: 4_096, name: "device.pem")
    let signer = DeviceSigner(try P256PrivateKey(encoded: pem))
    let upload = DeviceSigningDestination(
        try DescriptorDestination(descriptor: 1, name: "standard output"), signer: signer, orderNo: order,
        appId: launch.appId, challenge: challenge, recordedAt: now)
    try assembler.assemble(video: FileSource(path: video), photo: FileSource(path: photo), into: upload)
}

do {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
        FileHandle.standardError.write(Data("client VIDEO PHOTO < launch.json > result.json\n".utf8))
        exit(2)
    }
    try run(video: arguments[1], photo: arguments[2])
} catch {
    FileHandle.standardError.write(Data("client: \(error)\n".utf8))
    exit(1)
}
