// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import EvidenceErrors
import SignDiagnosis
import VendorSigning

extension Ticket {
    convenience init(
        _ kind: Kind, _ value: String, issued: ContinuousClock.Instant = .now
    ) throws(EvidenceError) {
        try self.init(kind, SecretBytes(copying: Array(value.utf8).span), issued: issued)
    }
}

extension SignInput {
    init(recipe name: String, values: [String: String]) throws(EvidenceError) {
        try self.init(SignRecipe(named: name), values.map { SignAssignment(name: $0.key, value: $0.value) })
    }
}

/// A launch whose values and ticket are known, so that a test can sign it with one mistake.
struct Launch {
    static let ticket = "XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS"
    static let values = [
        "appId": "IDAXXXXX", "userId": "userID19959248596551", "version": "1.0.0",
        "nonce": "kHoSxvLZGxSoFsjxlbzEoUzh5PAnTU7T",
    ]

    let input: SignInput
    let ticket: Ticket

    init() throws {
        input = try SignInput(recipe: "sdk-launch", values: Self.values)
        ticket = try Ticket(.nonce, Self.ticket)
    }

    /// The digits of a digest, computed without the code that signs.
    static func digits(of text: [UInt8], _ algorithm: DigestAlgorithm = .sha1) throws -> String {
        let digest = try algorithm.digest(of: text.span)
        return Hex.encode(digest.span)
    }

    /// The values and the ticket in the order of their bytes, each after a change.
    static func pieces(_ change: (_ name: String, _ value: String) -> String = { $1 }) -> [String] {
        values.merging(["ticket": ticket]) { $1 }.map { change($0, $1) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// What is signed.
    static func text(_ change: (_ name: String, _ value: String) -> String = { $1 }) -> String {
        pieces(change).joined()
    }

    /// The explanations of a text that was signed in place of the right one.
    func explain(signing text: String) throws -> [SignExplanation] {
        try explain(Self.digits(of: Array(text.utf8)))
    }

    /// The explanations of a given sign.
    func explain(_ sign: String) throws -> [SignExplanation] { try input.explain(sign, with: [ticket]) }
}
