// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// The outcome of a verification.
public enum SignVerification: Sendable, Equatable {
    /// The sign matches the values under one of the tickets.
    case valid(SignAcceptance)
    /// The sign does not match, or was not checked because something else is already wrong.
    case invalid(SignRejection)

    /// Whether the sign is valid.
    public var isValid: Bool {
        if case .valid = self { true } else { false }
    }
}

/// A valid sign, and warnings about it.
public struct SignAcceptance: Sendable, Equatable {
    /// Which of the given tickets it fits, counted from 0.
    package let ticketIndex: Int
    /// Findings that are no reason to reject it.
    public let warnings: [SignWarning]
}

/// A warning about a valid sign.
public struct SignWarning: Sendable, Hashable, CustomStringConvertible {
    /// What kind of warning it is, with its name: `other-reading`.
    package enum Code: String, Sendable {
        /// Other well-formed values share this sign: values are joined without separators.
        case otherReading = "other-reading"
        /// The signed text can be cut in so many ways that not all were tried.
        case otherReadingNotRuledOut = "other-reading-not-ruled-out"
        /// The sign was not in the upper-case digits the vendor writes.
        case lowerCaseHex = "lower-case-hex"
        /// The recipe is inferred, not published.
        case inferredRecipe = "inferred-recipe"
    }

    /// The kind of warning.
    package let code: Code
    /// The fields that would have other values, where `code` is ``Code/otherReading``.
    package let parameters: [SignParameter]

    init(_ code: Code, _ parameters: [SignParameter] = []) {
        self.code = code
        self.parameters = parameters
    }

    /// One sentence without a full stop.
    public var description: String {
        switch code {
        case .otherReading:
            "other well-formed values of \(parameters.map(\.vendorName).joined(separator: " and ")) have the same "
                + "sign, because values are joined without separators: make sure that these are the ones you expect"
        case .otherReadingNotRuledOut: "it was not determined whether other well-formed values have the same sign"
        case .lowerCaseHex: "the sign is not in upper-case digits, as the vendor writes it"
        case .inferredRecipe: "this recipe is inferred, not published"
        }
    }
}

/// Why a sign was rejected.
public struct SignRejection: Sendable, Equatable {
    /// The reasons. Only ``SignRejectionReason/Code/mismatch`` comes from the digest; it is alone when it is there.
    public let reasons: [SignRejectionReason]
}

/// One reason to reject a sign.
public struct SignRejectionReason: Sendable, Hashable, CustomStringConvertible {
    /// What kind of reason it is. Its raw value is what programs call it: `no-usable-ticket`.
    @nonexhaustive public enum Code: String, Sendable {
        /// A value is missing or breaks the rule of its field.
        case value
        /// The sign is not 40 hexadecimal digits.
        case sign
        /// The order is not the one the caller is waiting for.
        case order
        /// The order belongs to another user than the one who is logged in.
        case user
        /// A pass is claimed without a sign.
        case unsigned
        /// No unexpired ticket of the recipe's kind was given.
        case noUsableTicket = "no-usable-ticket"
        /// The sign does not match.
        case mismatch
    }

    /// The kind of reason.
    public let code: Code
    /// Field and rule, where `code` is ``Code/value``.
    package let violation: SignViolation?

    init(_ code: Code, _ violation: SignViolation? = nil) {
        self.code = code
        self.violation = violation
    }

    /// One sentence without a full stop.
    public var description: String {
        switch code {
        case .sign: "the sign is not 40 hexadecimal digits"
        case .order: "orderNo is not the expected one"
        case .user: "the order belongs to a different user than the one who is logged in"
        case .unsigned: "a pass is claimed without a sign"
        case .noUsableTicket: "each given ticket has expired, or is not of the kind that this recipe needs"
        case .value: violation?.description ?? "a value breaks the rule of its field"
        case .mismatch: "the sign does not match these values under any ticket given for verification"
        }
    }
}

extension SignInput {
    /// Verifies a sign in hexadecimal digits of either case.
    ///
    /// Forms come first: without them a sign says little, because values are joined without separators. For the same
    /// reason the values must be the caller's own: the order number it is waiting for, not the one that came with the
    /// sign.
    ///
    /// - Parameters:
    ///   - sign: the sign.
    ///   - tickets: the tickets it may have been made with: the current one and, for a minute, the one before. Those of
    ///     another kind and expired ones are ignored. A NONCE ticket is not used up.
    ///   - now: for which moment.
    /// - Throws: ``EvidenceError`` (`.openSSL`) if no digest could be computed; this says nothing about the input.
    public func verify(
        _ sign: String, with tickets: [Ticket], at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) -> SignVerification {
        var reasons = violations.map { SignRejectionReason(.value, $0) }
        let parsed = try? Sign(hex: sign)
        if parsed == nil { reasons.append(SignRejectionReason(.sign)) }
        if !tickets.contains(where: { isUsable($0, at: now) }) { reasons.append(SignRejectionReason(.noUsableTicket)) }
        guard reasons.isEmpty, let parsed else { return .invalid(SignRejection(reasons: reasons)) }

        let bytes = values.compactMap(\.bytes)
        for (index, ticket) in tickets.enumerated() where isUsable(ticket, at: now) {
            let joined = SortedJoin(of: bytes, ticket: ticket)
            guard try joined.sign() == parsed else { continue }
            var warnings: [SignWarning] = []
            if let reading = otherReading(of: joined, ticket: ticket) { warnings.append(reading) }
            if sign.utf8.contains(where: { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }) {
                warnings.append(SignWarning(.lowerCaseHex))
            }
            if recipe.publication == .inferred { warnings.append(SignWarning(.inferredRecipe)) }
            return .valid(SignAcceptance(ticketIndex: index, warnings: warnings))
        }
        return .invalid(SignRejection(reasons: [SignRejectionReason(.mismatch)]))
    }

    /// The same for a sign that was already parsed.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package func verify(
        _ sign: Sign, with tickets: [Ticket], at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) -> SignVerification {
        try verify(sign.description, with: tickets, at: now)
    }

    /// Whether a sign was made with a ticket that has expired since, and would be valid under it otherwise.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package func verify(_ sign: String, withExpired ticket: Ticket) throws(EvidenceError) -> Bool {
        guard ticket.isExpired(at: .now), let end = ticket.expires else { return false }
        if case .valid = try verify(sign, with: [ticket], at: end - .nanoseconds(1)) { return true }
        return false
    }

    func isUsable(_ ticket: Ticket, at now: ContinuousClock.Instant) -> Bool {
        ticket.kind == recipe.ticketKind && !ticket.isExpired(at: now)
    }
}
