// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit

/// The options of a job: one flat JSON object. What is wrong with it is a mistake of the program that wrote it.
struct Options {
    private let members: JSONMembers

    /// - Throws: ``Misuse`` for what is no such object, and for members that are not known.
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

    /// The order, where one is named.
    var order: OrderNumber? {
        get throws(Misuse) {
            guard let order = try text("order") else { return nil }
            return try Self.misuse { () throws(EvidenceError) in try OrderNumber(order) }
        }
    }

    var requiredOrder: OrderNumber {
        get throws(Misuse) {
            guard let order = try order else { throw Misuse(.options, "order is missing: the one you are waiting for") }
            return order
        }
    }

    /// How the video is sealed, where that is said: a built-in profile, or the text of a profile's file; and the IV.
    ///
    /// - Throws: ``EvidenceError`` for what is no profile, for an IV that is none of its, and for a profile that is an
    ///   oracle unless the caller says that nobody but the key's holder sees the answers.
    func profile() throws -> (profile: Profile?, iv: [UInt8]?) {
        let profile = try text("profile").map { text in
            if let preset = Profile.preset(named: text) { return preset }
            guard text.contains("{") else {
                throw EvidenceError(
                    .profile, "neither a built-in profile nor the text of a profile's file",
                    hint: "built in are: \(Profile.presets.map(\.name).joined(separator: ", "))")
            }
            return try Profile(json: Array(text.utf8))
        }
        let iv = try text("iv").map { text in try Self.misuse { () throws(EvidenceError) in try Self.iv(text) } }
        // What does not fit together is refused here, not with the first byte.
        if profile != nil || iv != nil {
            _ = try PayloadReceiver.video(
                with: [], sealedAs: profile ?? .evidenceV2, iv: iv, into: DiscardingDestination())
        }
        if let profile, profile.isOracle, try !bool("keyHolderAlone") {
            throw EvidenceError(
                .profile, "under this profile the answers open what others sealed, to whoever sees them",
                hint: "where none of them reaches a stranger, nor how long it took, say so: \"keyHolderAlone\": true")
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
            // What the hint for broken JSON says is true of a document on its way, and not of what a program wrote.
            throw Misuse(.options, "\(error)", hint: error.code == .json ? nil : error.hint)
        }
    }
}
