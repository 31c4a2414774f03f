// SPDX-License-Identifier: Apache-2.0
public import VendorTypes

/// Something that a statement binds (`docs/FORMATS.md` §5.1).
package struct IdentifyBinding: Hashable, Sendable, CustomStringConvertible {
    /// Its name in reports.
    package let name: String

    /// The statement's order is the expected one.
    package static let order = IdentifyBinding(name: "order")
    /// Its appId is the expected one.
    package static let app = IdentifyBinding(name: "app")
    /// Its userId is the expected one.
    package static let user = IdentifyBinding(name: "user")
    /// It names the photo by digest and size, or there is neither photo nor digest.
    package static let photo = IdentifyBinding(name: "photo")
    /// It names the video by digest and size.
    package static let video = IdentifyBinding(name: "video")
    /// Its scores and risks match the result.
    package static let scores = IdentifyBinding(name: "scores")
    /// Its time is neither in the future nor older than the maximum age.
    package static let moment = IdentifyBinding(name: "moment")
    /// Its nonce was not used before.
    package static let nonce = IdentifyBinding(name: "nonce")

    /// All of them, in the order of reports.
    package static let all = [order, app, user, photo, video, scores, moment, nonce]

    /// Its name.
    package var description: String { name }
}

/// Records which nonces were used: a table in the caller's database, with a unique index.
public protocol NonceStore: Sendable {
    /// Records that a nonce is used.
    ///
    /// - Parameters:
    ///   - nonce: the nonce of the statement.
    ///   - capturedAt: the statement's time. A nonce may be deleted once statements of that age are
    ///     refused.
    /// - Returns: true the first time, false every time after. Of two concurrent calls only one may get true.
    /// - Throws: anything, if the store cannot tell; then the check has no answer.
    func claim(_ nonce: SignNonce, capturedAt: UTCTime) async throws -> Bool
}
