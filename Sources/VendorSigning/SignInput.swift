// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
internal import VendorTypes

/// A recipe with its values: what is signed and verified.
///
/// The values are kept as given; ``violations`` lists what is wrong with them, and neither ``sign(with:at:)`` nor
/// ``verify(_:with:at:)-(String,_,_)`` computes a digest before that list is empty.
public struct SignInput: Sendable {
    /// The recipe.
    public let recipe: SignRecipe
    /// The values, in the order of the recipe's parameters; `nil` where none was given and there is no default.
    package let values: [SignedValue]

    /// A recipe with the values that were given as `name=value`.
    ///
    /// Names are the recipe's own or one of their aliases, in letters of either case. A parameter with a default may be
    /// left out; another one that is left out is a violation.
    ///
    /// - Throws: ``EvidenceError``: `.unknownParameter` or `.duplicateParameter`.
    public init(_ recipe: SignRecipe, _ assignments: [SignAssignment]) throws(EvidenceError) {
        var given: [SignParameter: SignAssignment] = [:]
        for assignment in assignments {
            let known = SignParameter(named: assignment.name)
            guard let parameter = known, recipe.parameters.contains(parameter) else {
                throw EvidenceError(
                    .unknownParameter,
                    known.map { "\(recipe.name) does not sign \($0.vendorName)" }
                        ?? "\(recipe.name) has no "
                        + (mayBeRepeated(assignment.name, as: .name)
                            ? "parameter '\(assignment.name)'" : "such parameter \(notRepeated)"),
                    hint: "it signs \(recipe.parameters.map(\.vendorName).joined(separator: ", "))")
            }
            guard given.updateValue(assignment, forKey: parameter) == nil else {
                throw EvidenceError(.duplicateParameter, "\(parameter.vendorName) was given twice")
            }
        }
        self.recipe = recipe
        values = recipe.parameters.map { parameter in
            let assignment = given[parameter]
            return SignedValue(parameter, named: assignment?.name, assignment?.value ?? parameter.defaultValue)
        }
    }

    /// For the recipes with typed values. There are so few that looking through them is faster than hashing.
    init(_ recipe: SignRecipe, _ values: KeyValuePairs<SignParameter, String>) {
        self.recipe = recipe
        self.values = recipe.parameters.map { parameter in
            SignedValue(parameter, named: nil, values.first { $0.key == parameter }?.value)
        }
    }

    /// A recipe with values of its parameters; those with a default may be left out.
    package init(_ recipe: SignRecipe, signing values: [SignParameter: String]) {
        self.recipe = recipe
        self.values = recipe.parameters.map { parameter in
            SignedValue(parameter, named: nil, values[parameter] ?? parameter.defaultValue)
        }
    }

    /// The value of a parameter, where there is one.
    public subscript(_ parameter: SignParameter) -> String? {
        values.first { $0.parameter == parameter }?.bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Every value that is missing or breaks the rule of its field.
    public var violations: [SignViolation] {
        values.compactMap { value in
            guard let bytes = value.bytes else { return SignViolation(parameter: value.parameter, isMissing: true) }
            return value.parameter.form.accepts(bytes.span)
                ? nil : SignViolation(parameter: value.parameter, isMissing: false)
        }
    }

    /// Fails if a value is missing or breaks the rule of its field: wrong use, where the values are the caller's own.
    ///
    /// - Throws: ``EvidenceError``: `.value` with every violation.
    public func requireSignable() throws(EvidenceError) {
        let violations = violations
        guard violations.isEmpty else {
            throw EvidenceError(.value, violations.map(\.description).joined(separator: "; "))
        }
    }

    /// Signs. A NONCE ticket is used up.
    ///
    /// - Throws: ``EvidenceError``: `.value` with every violation, `.ticketKind`, `.ticketExpired`, or `.ticketUsed`.
    public func sign(with ticket: Ticket, at now: ContinuousClock.Instant = .now) throws(EvidenceError) -> Sign {
        try requireSignable()
        guard ticket.kind == recipe.ticketKind else {
            throw EvidenceError(
                .ticketKind,
                "\(recipe.name) takes a \(recipe.ticketKind.rawValue) ticket, not a \(ticket.kind.rawValue) one"
            )
        }
        guard !ticket.isExpired(at: now) else {
            throw EvidenceError(
                .ticketExpired, "the \(ticket.kind.rawValue) ticket has expired", hint: "fetch a new one")
        }
        try ticket.claim()
        return try SortedJoin(of: values.compactMap(\.bytes), ticket: ticket).sign()
    }
}

/// A name and a value, as they are given to the command.
public struct SignAssignment: Hashable, Sendable {
    /// The name, as given.
    package let name: String
    /// The value.
    package let value: String

    /// A name and a value.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Reads `name=value`; the value is everything after the first equals sign.
    ///
    /// - Throws: ``EvidenceError`` (`.assignment`).
    package init(parsing text: String) throws(EvidenceError) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex else {
            throw EvidenceError(.assignment, "expected name=value")
        }
        name = String(text[..<equals])
        value = String(text[text.utf8.index(after: equals)...])
    }
}

/// One value of an input.
package struct SignedValue: Sendable {
    package let parameter: SignParameter
    /// The name it was given under, where it was given by name: who sorts by name sorts by this one.
    package let name: String?
    /// UTF-8, because the digest and the order are over bytes; Swift compares text by canonical equivalence.
    package let bytes: [UInt8]?

    init(_ parameter: SignParameter, named name: String?, _ value: String?) {
        self.parameter = parameter
        self.name = name
        bytes = value.map { Array($0.utf8) }
    }
}
