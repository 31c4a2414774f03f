// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors

/// What a record says of persons and reasons, sealed: `about.json`, in the canonical form of RFC 8785.
public struct RecordAbout: Hashable, Sendable {
    /// Whose evidence it is.
    public var user: String?
    /// Who acted.
    public var by: String?
    /// Why.
    public var reason: String?
    /// What files were called, by the part's name: `attached-01`.
    package var names: [String: String] = [:]
    /// Words to find it by.
    public var labels: [String] = []
    /// Which parts were opened or exported.
    public var parts: Set<String> = []

    /// Nothing yet.
    public init() {}

    /// Whether there is nothing to say.
    public var isEmpty: Bool { self == RecordAbout() }

    /// The file's bytes.
    ///
    /// - Throws: ``EvidenceError`` (`.tooLarge`).
    package var json: [UInt8] {
        get throws(EvidenceError) {
            // In the order of the names' UTF-16 code units; those of parts are ASCII.
            var members: [(String, JSONValue)] = []
            if let by { members.append(("by", .text(by))) }
            if !labels.isEmpty { members.append(("labels", .list(labels.map { .text($0) }))) }
            if !names.isEmpty {
                let sorted = names.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
                members.append(("names", .object(sorted.map { ($0.key, .text($0.value)) })))
            }
            if !parts.isEmpty { members.append(("parts", .list(parts.sorted().map { .text($0) }))) }
            if let reason { members.append(("reason", .text(reason))) }
            if let user { members.append(("user", .text(user))) }
            let bytes = Array(JSONValue.object(members).json.utf8.dropLast())
            guard bytes.count <= Limits.archiveAboutBytes else {
                throw EvidenceError(
                    .tooLarge,
                    "\(RecordPart.about) would have \(bytes.count) bytes; it may have "
                        + Limits.text(bytes: Limits.archiveAboutBytes))
            }
            return bytes
        }
    }
}
