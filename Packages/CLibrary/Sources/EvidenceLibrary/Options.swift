// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit

/// The options of a job: one flat JSON object. An error in it is a mistake in the calling program.
struct Options {
    private let members: JSONMembers

    /// - Throws: ``Misuse`` if it is not a flat JSON object, or has an unknown member.
    init(_ json: String?, knowing names: [String]) throws(Misuse) {
        members = try Self.misuse { () throws(EvidenceError) in
            try JSONMembers(Array((json ?? "{}").utf8), knowing: names)
        }
    }

    func text(_ name: String) throws(Misuse) -> String? {
        try Self.misuse { () throws(EvidenceError) in try members.text(name) }
    }

    func bool(_ name: String) throws(Misuse) -> Bool {
        try Self.misuse { () throws(EvidenceError) in try members.bool(name) } ?? false
    }

    func seconds(_ name: String) throws(Misuse) -> Duration? {
        try Self.misuse { () throws(EvidenceError) in try members.integer(name) }.map { .seconds($0) }
    }

    func list(_ name: String) throws(Misuse) -> [String] {
        try Self.misuse { () throws(EvidenceError) in try members.list(name) } ?? []
    }

    /// The spellings and texts that are read besides the vendor's common ones: the members `repair` and `strict`.
    var repairs: Set<DocumentRepair.Code> {
        get throws(Misuse) {
            // As everywhere, a text may name several.
            let named = try list("repair").flatMap {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            var codes = DocumentRepair.Code.documented
            for name in named {
                guard let code = DocumentRepair.Code(rawValue: name), code.isHarmless else {
                    throw Misuse(.options, "repair contains a name that is unknown, or that is never allowed")
                }
                codes.insert(code)
            }
            guard try bool("strict") else { return codes }
            guard named.isEmpty else { throw Misuse(.options, "repair and strict exclude each other") }
            return []
        }
    }

    /// The order; `nil` if none is named.
    var order: OrderNumber? {
        get throws(Misuse) {
            guard let order = try text("order") else { return nil }
            return try Self.misuse { () throws(EvidenceError) in try OrderNumber(order) }
        }
    }

    var requiredOrder: OrderNumber {
        get throws(Misuse) {
            guard let order = try order else {
                throw Misuse(.options, "order is missing: name the order that you expect")
            }
            return order
        }
    }

    /// How the video is sealed: a built-in profile or the text of a profile's file, and the IV; `nil` if not given.
    ///
    /// - Throws: ``EvidenceError`` if it is not a profile, if the IV does not fit it, and if the profile is an oracle,
    ///   unless the caller sets that nobody but the key's holder sees the outcomes.
    func profile() throws -> (profile: Profile?, iv: [UInt8]?) {
        let profile = try text("profile").map { text in
            if let preset = Profile.preset(named: text) { return preset }
            guard text.contains("{") else {
                throw EvidenceError(
                    .profile, "profile is neither the name of a built-in profile nor the text of a profile's file",
                    hint: "the built-in profiles are \(Profile.presets.map(\.name).joined(separator: ", "))")
            }
            return try Profile(json: Array(text.utf8))
        }
        let iv = try text("iv").map { text in try Self.misuse { () throws(EvidenceError) in try Self.iv(text) } }
        // What does not fit together is refused here, not with the first byte.
        if profile != nil || iv != nil {
            _ = try PayloadOpener([], sealedAs: profile ?? .evidenceV2, iv: iv, accepting: .none)
        }
        if let profile, profile.isOracle, try !bool("keyHolderAlone") {
            throw EvidenceError(
                .profile, "under this profile, anybody who sees the outcomes can have sealed content decrypted",
                hint: "if no stranger sees an outcome, or how long it took, set \"keyHolderAlone\": true")
        }
        return (profile, iv)
    }

    private static func iv(_ text: String) throws(EvidenceError) -> [UInt8] {
        if text.hasPrefix("hex:") { return try Hex.decode(Array(text.utf8.dropFirst(4)).span) }
        if text.hasPrefix("base64:") { return try Base64.decode(Array(text.utf8.dropFirst(7)).span) }
        return Array(text.utf8)
    }

    static func misuse<Value>(_ read: () throws(EvidenceError) -> Value) throws(Misuse) -> Value {
        do throws(EvidenceError) { return try read() } catch {
            // The hint for broken JSON is about documents that were damaged in transit, not about options.
            throw Misuse(.options, "\(error)", hint: error.code == .json ? nil : error.hint)
        }
    }
}
