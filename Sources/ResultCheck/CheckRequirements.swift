// SPDX-License-Identifier: Apache-2.0
public import EvidenceErrors

/// What must hold for a check to succeed.
///
/// The lists here are fixed: a new item never turns an old success into a failure.
public struct CheckRequirements: Hashable, Sendable {
    /// One of them.
    public struct Requirement: Hashable, Sendable {
        /// What must hold.
        public let item: CheckItem.Name
        /// The minimum strength; `nil` for any.
        package let strength: CheckStrength?
        /// Whether it is required only if the result has it.
        package let isIfPresent: Bool

        /// A requirement.
        public init(_ item: CheckItem.Name, _ strength: CheckStrength? = nil, ifPresent: Bool = false) {
            self.item = item
            self.strength = strength
            isIfPresent = ifPresent
        }
    }

    /// All requirements, at most one for each item.
    public private(set) var list: [Requirement]

    /// Result, order, sign and an intact video; photo and statement if the result has them.
    public static let standard = CheckRequirements([
        Requirement(.result), Requirement(.order), Requirement(.sign), Requirement(.video, .intact),
        Requirement(.photo, ifPresent: true), Requirement(.statement, ifPresent: true),
    ])
    /// What a result sealed by the vendor's SDK can satisfy: result, order, sign and a well-formed video.
    public static let vendor = CheckRequirements([
        Requirement(.result), Requirement(.order), Requirement(.sign), Requirement(.video, .wellFormed),
    ])

    /// Requirements; of two for one item the stricter counts.
    public init(_ list: [Requirement]) {
        self.list = []
        for requirement in list { require(requirement) }
    }

    /// Reads a list with commas: items (`photo`), items with a minimum strength (`photo:bound`), and the lists
    /// `default` and `vendor`, of which the stricter counts. A named strength overrides that of a list.
    ///
    /// - Throws: ``EvidenceError`` (`.value`), also where an item never has that strength.
    public init(parsing text: String) throws(EvidenceError) {
        list = []
        var named: [Requirement] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            switch word {
            case "default": for requirement in Self.standard.list { require(requirement) }
            case "vendor": for requirement in Self.vendor.list { require(requirement) }
            default:
                let requirement = try Requirement(parsing: word)
                guard !named.contains(where: { $0.item == requirement.item }) else {
                    throw EvidenceError(.value, "\(requirement.item) is required twice")
                }
                named.append(requirement)
            }
        }
        list.removeAll { requirement in named.contains { $0.item == requirement.item } }
        list += named
    }

    /// Requires the result, if it is not required.
    mutating func requireResult() {
        if !list.contains(where: { $0.item == .result }) { list.insert(Requirement(.result), at: 0) }
    }

    private mutating func require(_ requirement: Requirement) {
        guard let place = list.firstIndex(where: { $0.item == requirement.item }) else {
            list.append(requirement)
            return
        }
        let other = list[place]
        let strength = [requirement.strength, other.strength].compactMap(\.self).max()
        list[place] = Requirement(
            requirement.item, strength, ifPresent: requirement.isIfPresent && other.isIfPresent)
    }
}

extension CheckRequirements.Requirement {
    fileprivate init(parsing word: Substring) throws(EvidenceError) {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let item = CheckItem.Name(rawValue: parts[0]) else {
            throw EvidenceError(
                .value, "unknown item " + (mayBeRepeated(parts[0], as: .name) ? "'\(parts[0])'" : notRepeated),
                hint: "default, vendor, or items: \(CheckItem.Name.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        var strength: CheckStrength?
        if parts.count == 2 {
            strength = CheckStrength.allCases.first { $0.description == parts[1] }
            guard strength != nil else {
                throw EvidenceError(
                    .value, "unknown strength " + (mayBeRepeated(parts[1], as: .name) ? "'\(parts[1])'" : notRepeated),
                    hint: "use one of: \(CheckStrength.allCases.map(\.description).joined(separator: ", "))")
            }
            if let strength, !item.strengths.contains(strength) {
                let possible = item.strengths.map(\.description).joined(separator: " or ")
                throw EvidenceError(.value, "\(item) cannot be \(strength), only \(possible)")
            }
        }
        self.init(item, strength)
    }

    /// Whether the finding meets the requirement.
    func isMet(by items: [CheckItem]) -> Bool {
        guard let found = items.first(where: { $0.name == item }) else { return false }
        if isIfPresent, !found.isPresent, found.state != .fails { return true }
        guard found.state == .holds else { return false }
        guard let strength else { return true }
        return found.strength.map { $0 >= strength } ?? false
    }
}
