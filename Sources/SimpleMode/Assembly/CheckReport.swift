// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors
internal import VendorTypes

/// What a check of a whole result found.
public struct CheckReport: Sendable {
    /// One thing that was looked at, or would have been.
    public struct Item: Hashable, Sendable {
        /// What, under the name that reports have for it: `result`, `order`, `sign`, `photo`, `video`, `identifyStr`;
        /// a binding of the statement as `identifyStr.photo`.
        public let name: String
        /// Whether it holds.
        public let outcome: CheckOutcome
        /// Why, in one sentence without a full stop. It carries no content.
        public let detail: String

        init(_ name: String, _ outcome: CheckOutcome, _ detail: String) {
            self.name = name
            self.outcome = outcome
            self.detail = detail
        }

        init(_ finding: BindingFinding) {
            self.init("identifyStr.\(finding.binding)", finding.outcome, finding.detail)
        }
    }

    /// What all of it comes to.
    public enum Verdict: String, Sendable {
        /// Everything that matters was checked and holds: the parts are intact and belong together.
        case consistent
        /// What was checked holds; something that matters was not checked.
        case partial
        /// Something does not hold.
        case refused
    }

    /// Everything, in the order in which it is reported.
    public let items: [Item]
    /// What all of it comes to: never better than the worst of what matters.
    public let verdict: Verdict
    /// What matters and was not checked.
    public let unchecked: [Item]
    /// The statement, if the verdict is ``Verdict/consistent``.
    public var statement: IdentifyStatement? { verdict == .consistent ? opened : nil }
    private let opened: IdentifyStatement?

    /// Whether it is proved who made the result. Nothing in one does: whoever has the public keys can make a consistent
    /// result for any order, and the sign covers appId, orderNo and code alone.
    public let isOriginProven = false

    init(_ items: [Item], _ statement: IdentifyStatement?) {
        self.items = items
        // Not everyone knows the user; and a photo that is there does not stay unchecked.
        let optional: Set = ["identifyStr.user", "photo"]
        unchecked = items.filter { $0.outcome == .unchecked && !optional.contains($0.name) }
        let fails = items.contains { $0.outcome == .fails }
        verdict = fails ? .refused : unchecked.isEmpty ? .consistent : .partial
        opened = statement
    }

    /// The same report with the nonce asked for, which is the last step of a check: what is refused must not use one
    /// up, so a store is asked only where nothing fails, and only where a statement was opened.
    ///
    /// - Throws: ``EvidenceError``: what the store throws, with its error in ``EvidenceError/underlying``.
    public func claimingNonce(
        in store: any NonceStore
    ) async throws(EvidenceError) -> CheckReport {
        guard let opened, verdict != .refused else { return self }
        return CheckReport(items + [Item(try await opened.claimNonce(in: store))], opened)
    }

    /// What is wrong where sealed fields stand beside a result's own.
    package static let misplacedFields = "its simple-mode fields are not inside a \(FieldName.simpleModeResult)"

    /// An item by its name.
    public subscript(_ name: String) -> Item? { items.first { $0.name == name } }
}
