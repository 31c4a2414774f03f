// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation
import TestVectorSupport
import Testing

/// The snippets of `SealingPayloads.md`.
@Suite struct SealingTests {
    @Test func aVideo() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.aVideoExample) }
    }

    private static func aVideoExample(_ desk: Desk) async throws {
        // snippet
        let recipient = try RSAPublicKey(contentsOf: "pub.pem")
        let order = try OrderNumber("ord1")
        let sealer = try PayloadSealer(orderNo: order, to: recipient)
        try sealer.seal(FileSource(path: "video.mp4"), into: WholeFile(path: "sealed.json"))
        // end of snippet

        let key = try RSAPrivateKey(contentsOf: "key.pem")
        _ = try PayloadOpener(key).open(
            of: order, from: FileSource(path: "sealed.json"), into: WholeFile(path: "opened.mp4"))
        try #require(try desk.same("opened.mp4", "video.mp4"))
    }

    @Test func aWholeResult() async {
        await #expect(processExitsWith: .success) { await Desk.example(Self.aWholeResultExample) }
    }

    private static func aWholeResultExample(_ desk: Desk) async throws {
        let (order, now) = (desk.order, try currentTime())
        let ticket = try Ticket(.sign, SecretBytes(firstLineOf: FileSource(path: "ticket.txt"), name: "ticket.txt"))

        // snippet
        var assembler = try PayloadAssembler(
            orderNo: order, appId: "IDAXXXXX", userId: "u1", capturedAt: now,
            to: RSAPublicKey(contentsOf: "pub.pem"), comparing: RSAPublicKey(contentsOf: "compare-pub.pem"))
        assembler.sign = try SignRecipe.frontEndResult(appId: "IDAXXXXX", orderNo: order.value, code: "0")
            .sign(with: ticket)
        let stated = try assembler.assemble(
            video: FileSource(path: "video.mp4"), photo: FileSource(path: "photo.jpg"),
            into: WholeFile(path: "result.json"))
        print(stated.video.hex, stated.nonce)
        // end of snippet

        // snippet
        let inspection = try DocumentInspection(of: FileSource(path: "result.json"), expecting: order)
        print(inspection.title)
        for step in inspection.next { print("next:", step.sentence) }
        // end of snippet

        try #require(inspection.order == .passed)
        let (appId, challenge) = ("IDAXXXXX", try DeviceChallenge.generate())

        // snippet
        let key = try P256PrivateKey.generate()  // on a phone: DeviceSigner(publicKey) { the hardware signs }
        let upload = DeviceSigningDestination(
            try WholeFile(path: "signed.json"), signer: DeviceSigner(key), orderNo: order, appId: appId,
            challenge: challenge, recordedAt: now)
        try upload.sign(FileSource(path: "result.json"))
        // end of snippet

        let resign = { (destination: any ByteDestination) throws in
            // snippet
            let named = try DeviceSigningDestination(
                destination, signer: DeviceSigner(key), orderNo: order, appId: appId, challenge: challenge,
                recordedAt: now, covering: [.error, .willModeResult, CoveredField(member: "myField")], userId: "u1")
            // end of snippet
            try named.sign(FileSource(path: "result.json"))
        }
        try resign(WholeFile(path: "named.json"))

        let hardware = { @Sendable (input: [UInt8]) throws in try key.signature(for: input.span).rawRepresentation }
        let publicKey = key.publicKey
        // snippet
        let signer = DeviceSigner(publicKey) { input in  // your call to CryptoKit's SecureEnclave, which hashes input
            try P256Signature(rawRepresentation: hardware(input))
        }
        // end of snippet
        try #require(signer.publicKey == publicKey)
    }
}
