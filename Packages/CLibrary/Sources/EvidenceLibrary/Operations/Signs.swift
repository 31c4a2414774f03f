// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorSigning

/// Signing and verifying: one call each, without a job.
enum Signs {
    static func input(_ recipe: String, _ values: String) throws -> SignInput {
        let recipe = try SignRecipe(named: recipe)
        do throws(EvidenceError) { return try SignInput(recipe, json: Array(values.utf8)) } catch {
            guard error.code == .json else { throw error }
            throw EvidenceError(
                .json, "the values to be signed: \(error)",
                hint: "write them with a JSON library: one object of strings")
        }
    }

    static func ticket(_ bytes: Span<UInt8>, for input: SignInput) throws -> Ticket {
        try Ticket(input.recipe.ticketKind, SecretBytes(copying: bytes))
    }

    static func verify(_ sign: String, _ input: SignInput, _ tickets: [Ticket]) throws -> SignVerification {
        try input.verify(sign, with: tickets)
    }

    /// - Throws: ``EvidenceError``: `.sign` if the sign does not hold; `.value` or `.signForm` if a value or the sign
    ///   is malformed, and nothing was computed.
    static func require(_ found: SignVerification) throws(EvidenceError) {
        guard case .invalid(let rejection) = found else { return }
        let reasons = rejection.reasons
        let code: EvidenceError.Code =
            if reasons.contains(where: { $0.code == .value }) {
                .value
            } else if reasons.contains(where: { $0.code == .sign }) {
                .signForm
            } else {
                .sign
            }
        throw EvidenceError(code, reasons.map(\.description).joined(separator: "; "))
    }
}
