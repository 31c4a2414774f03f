// SPDX-License-Identifier: Apache-2.0
package import CommandSyntax
package import EvidenceKit

/// Which spellings are read: one policy for every verb that reads a payload or a result.
package enum ReadingOption {
    /// `--repair NAME`, repeatable
    package static let repair = Option(
        "--repair", "NAME", choices: DocumentRepair.Code.harmless.map(\.rawValue), isRepeatable: true,
        "also read names or values as a wrapper spells them; each is reported")
    /// `--strict-names`
    package static let strict = Option(
        flag: "--strict-names",
        "read only the vendor's common names, and refuse those that it documents for one platform")

    /// Both.
    package static let all = [repair, strict]
}

extension Arguments {
    /// The spellings that are read besides the vendor's common ones.
    ///
    /// - Throws: `CommandError` (`.usage`) for both options at once.
    package func repairs() throws -> Set<DocumentRepair.Code> {
        let named = all(ReadingOption.repair).compactMap(DocumentRepair.Code.init(rawValue:))
        guard has(ReadingOption.strict) else { return DocumentRepair.Code.documented.union(named) }
        guard named.isEmpty else {
            throw CommandError(
                .usage, "\(ReadingOption.repair.name) and \(ReadingOption.strict.name) exclude each other")
        }
        return []
    }
}

extension Terminal {
    /// Says what was read although it is not the vendor's common spelling.
    package static func say(_ repairs: [DocumentRepair]) {
        for repair in repairs { say("\(repair)") }
    }
}
