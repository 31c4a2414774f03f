// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import Foundation

/// The backend's part of face verifications: it issues an order with a challenge, and checks the result for
/// it while it arrives.
struct Backend {
    let appId: String
    /// Opens the videos.
    let videoKey: RSAPrivateKey
    /// Opens the statements; many backends leave this to a separate service.
    let comparingKey: RSAPrivateKey
    /// The SIGN tickets: the current one and, for a minute, the previous one.
    let tickets: [Ticket]
    /// The keys of the users' devices, as they were registered when the user was authenticated in another way.
    let deviceKeys: RegisteredDeviceKeys
    let records: Records

    /// What the app needs to start. It is recorded before it is issued, since the result is compared with it.
    func launch(_ user: UserId) throws -> Launch {
        let launch = Launch(
            orderNo: try OrderNumber.generate().value, appId: appId, userId: user.value,
            challenge: try DeviceChallenge.generate().value)
        try records.write(launch)
        return launch
    }

    /// Checks a result while it arrives. Its parts are kept in `records` only if all requirements hold.
    ///
    /// - Parameter body: the request's body. Waiting for more of it blocks no thread.
    func receive<Body: AsyncSequence>(
        _ body: Body, of order: OrderNumber
    ) async throws -> CheckAnswer where Body.Element == [UInt8] {
        let launch = try records.launch(of: order)
        guard let now = UTCTime(secondsSince1970: Date().timeIntervalSince1970),
            let challenge = DeviceChallenge(launch.challenge)
        else { throw EvidenceError(.value, "the clock or the record of the order cannot be used") }
        var checker = ResultChecker(expecting: order, at: now)
        checker.videoKey = videoKey
        checker.comparingKey = comparingKey
        checker.appId = launch.appId
        checker.userId = launch.userId
        checker.tickets = tickets
        checker.maximumAge = .seconds(600)
        checker.device = DeviceExpectation(keys: deviceKeys, challenge: challenge)
        checker.requirements = try CheckRequirements(parsing: "default,photo:bound,video:bound,device")
        return try await checker.check(
            body, keeping: .folder(records.folder(for: order)), claimingNonceIn: records,
            claimingChallengeIn: records)
    }
}

/// The app's data, none of which is secret.
struct Launch: Codable {
    let orderNo: String
    let appId: String
    let userId: String
    let challenge: String
}

/// The backend's records: here files in a folder, in your backend tables.
struct Records: NonceStore, ChallengeStore {
    let root: URL

    func write(_ launch: Launch) throws {
        try JSONEncoder().encode(launch).write(to: root.appending(path: launch.orderNo + ".launch"))
    }

    func launch(of order: OrderNumber) throws -> Launch {
        try JSONDecoder().decode(Launch.self, from: Data(contentsOf: root.appending(path: order.value + ".launch")))
    }

    /// The folder for the parts of an order's result, which does not exist yet.
    func folder(for order: OrderNumber) -> String { root.appending(path: order.value).path }

    func claim(_ nonce: SignNonce, capturedAt: UTCTime) throws -> Bool { try claim("nonce-\(nonce.value)") }

    func claim(_ challenge: DeviceChallenge, for orderNo: OrderNumber) throws -> Bool {
        try claim("challenge-\(challenge.value)")
    }

    /// A file that can be created only once, like a row under a unique index.
    private func claim(_ name: String) throws -> Bool {
        do {
            try Data().write(to: root.appending(path: name), options: .withoutOverwriting)
            return true
        } catch CocoaError.fileWriteFileExists { return false }
    }
}
