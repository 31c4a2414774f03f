// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// Signing and verifying: small, and so without a job.
enum Signs {
    static func input(_ recipe: String, _ values: String) throws -> SignInput {
        try SignInput(SignRecipe(named: recipe), json: Array(values.utf8))
    }

    static func ticket(_ bytes: Span<UInt8>, for input: SignInput) throws -> Ticket {
        try Ticket(input.recipe.ticketKind, SecretBytes(copying: bytes))
    }

    static func verify(_ sign: String, _ input: SignInput, _ ticket: Ticket) throws {
        switch try input.verify(sign, with: [ticket]) {
        case .valid: return
        case .invalid(let rejection):
            throw EvidenceError(.sign, rejection.reasons.map(\.description).joined(separator: "; "))
        }
    }
}
