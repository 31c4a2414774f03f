// SPDX-License-Identifier: Apache-2.0
public import CommandSyntax
package import EvidenceCrypto
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceKit
package import EvidencePayload
internal import EvidenceStreams

extension Option {
    package static let profile = Option(
        "--profile", "PROFILE", known: Profile.presets.map(\.name),
        "how the payload is sealed, and the only way that is tried: a built-in profile, or a profile's file; "
            + "by default evidence-v2")
    package static let iv = Option(
        "--iv", "IV",
        "the IV, for profiles that take it from the caller: plain text, hex:DIGITS, base64:TEXT, or as "
            + "diagnose prints it")
    static let changes = Option(
        "--set", "MEMBER=VALUE", members: changeableMembers.map { ($0.rawValue, ProfileDocument.choices(of: $0)) },
        isRepeatable: true, "change a member of the profile, for tests")

    /// The members of a profile that say how something is sealed.
    static let changeableMembers = ProfileDocument.Member.allCases.filter {
        ![.schema, .name, .about, .source, .unconfirmed, .layout].contains($0)
    }

    /// The options that say how a payload is sealed.
    package static let profileOptions = [profile, iv, changes]
}

extension Files {
    /// The profile from `--profile` and `--set`, and the IV.
    package mutating func profile(_ arguments: Arguments) throws -> (profile: Profile, iv: [UInt8]?) {
        var profile = try arguments[.profile].map { try self.profile(named: $0) } ?? .evidenceV2
        let changes = try arguments.all(.changes).map(Self.change)
        if !changes.isEmpty { profile = try Self.changed(profile, changes) }
        return (profile, try arguments[.iv].map(Self.iv))
    }

    /// A member and its value: `cipher=aes-256-cbc`.
    private static func change(_ text: String) throws -> (member: ProfileDocument.Member, value: String) {
        let words = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let names = Option.changeableMembers.map(\.rawValue)
        guard let member = Option.changeableMembers.first(where: { $0.rawValue == words[0] }) else {
            throw CommandError(
                unknown: "member of a profile", words[0], among: names,
                hint: "use one of: \(names.joined(separator: ", "))")
        }
        guard words.count == 2, !words[1].isEmpty else {
            throw CommandError(.usage, "--set needs a value for \(member.rawValue): \(member.rawValue)=VALUE")
        }
        return (member, words[1])
    }

    private static func changed(
        _ profile: Profile, _ changes: [(member: ProfileDocument.Member, value: String)]
    ) throws -> Profile {
        // A profile in chunks has nothing to change.
        var document = ProfileDocument(profile)
        if document[.layout] != nil {
            throw CommandError(
                .usage, "\(profile.name) has no member that could be changed",
                hint: "name the profile that --set changes with --profile")
        }
        for (index, change) in changes.enumerated() {
            guard !changes[..<index].contains(where: { $0.member == change.member }) else {
                throw CommandError(.usage, "--set names \(change.member.rawValue) twice")
            }
        }
        // In the order of the document, whatever the order on the command line.
        for member in ProfileDocument.Member.allCases {
            guard let value = changes.first(where: { $0.member == member })?.value else { continue }
            document[member] = value
            document.removeWhatBelongs(toReplaced: member, by: value)
        }
        let names = changes.map(\.member.rawValue).joined(separator: ", ")
        document[.about] = "\(document[.name] ?? "") with another \(names)"
        document[.name] = Profile.changedName
        for member in [ProfileDocument.Member.source, .unconfirmed] { document[member] = nil }
        do { return try document.profile() } catch { throw CommandError(.usage, "\(error)", hint: error.hint) }
    }

    /// A built-in profile, or one from a file.
    package mutating func profile(named name: String) throws -> Profile {
        if let preset = Profile.preset(named: name) { return preset }
        guard name.contains("/") || name.contains(".") || (try? FileIdentity(ofFileAt: name)) != nil else {
            throw CommandError(
                .usage, "\(quoted(name)) (--profile) is neither a built-in profile nor a file",
                hint: "built-in profiles: \(Profile.presets.map(\.name).joined(separator: ", "))")
        }
        return try profile(inFile: name)
    }

    /// The profile in a file.
    package mutating func profile(inFile name: String) throws -> Profile {
        let bytes = try input(name, as: "the profile").readAll(limit: Limits.keyFileBytes, name: name)
        let json = SavedText.utf8(bytes.span)
        do { return try Profile(json: json) } catch {
            throw CommandError(.usage, "\(quoted(name)): \(error)", hint: error.hint)
        }
    }

    /// The prefix of an IV that was reconstructed from the content (`diagnose`), which marks it wherever it is used.
    package static let reconstructed = "reconstructed:"
    /// The prefix of an IV in hex digits.
    package static let hex = "hex:"

    /// The bytes of `--iv`. Their number is checked once the cipher is known.
    package static func iv(_ text: String) throws -> [UInt8] {
        do throws(EvidenceError) {
            if text.hasPrefix(reconstructed) {
                return try Hex.decode(Array(text.utf8.dropFirst(reconstructed.utf8.count)).span)
            }
            if text.lowercased().hasPrefix(hex) { return try Hex.decode(plainDigits(text.dropFirst(4)).span) }
            if text.lowercased().hasPrefix("base64:") { return try Base64.decode(padded(text.dropFirst(7)).span) }
            let bytes = Array(text.utf8)
            // No cipher has an IV of another length: what is around it is not part of it.
            return ivLengths.contains(bytes.count) ? bytes : undressed(text) ?? bytes
        } catch { throw CommandError(.usage, "--iv: \(error)") }
    }

    private static let ivLengths = [8, 12, 16]

    /// Hexadecimal digits without `0x` and what stands between pairs of them.
    private static func plainDigits(_ text: Substring) -> [UInt8] {
        let digits = text.filter { !":- ".contains($0) }
        return Array((digits.lowercased().hasPrefix("0x") ? digits.dropFirst(2) : digits[...]).utf8)
    }

    /// Base64 in its standard alphabet, with padding.
    private static func padded(_ text: Substring) -> [UInt8] {
        var text = text.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? 0x2F : $0 }
        while text.count % 4 > 1 { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// An IV out of quotation marks, behind a name, or in a printed list; `nil` where there is none.
    private static func undressed(_ text: String) -> [UInt8]? {
        var inner = text.trimming { $0.isWhitespace || "\u{FEFF}\"'`,;".contains($0) }
        if let name = ["iv=", "iv:", "IV=", "IV:"].first(where: { inner.hasPrefix($0) }) {
            inner = inner.dropFirst(name.count).trimming { $0.isWhitespace || "\"'`".contains($0) }
        }
        if ivLengths.contains(inner.utf8.count) { return Array(inner.utf8) }
        let numbers = inner.trimming { "[]{}() ".contains($0) }.split(separator: ",").map {
            Int($0.trimming { $0 == " " })
        }
        guard ivLengths.contains(numbers.count), numbers.allSatisfy({ $0.map { -128...255 ~= $0 } ?? false }) else {
            return nil
        }
        return numbers.map { UInt8(truncatingIfNeeded: $0 ?? 0) }
    }
}

extension Arguments {
    /// Whether the IV was reconstructed from the content, so that opened content begins with a guess.
    package var hasReconstructedIV: Bool { self[.iv]?.hasPrefix(Files.reconstructed) ?? false }

    /// Refuses an IV that was reconstructed from content.
    ///
    /// - Parameter reason: where it is refused, and why.
    /// - Throws: `CommandError` (`.usage`).
    public func refuseReconstructedIV(_ reason: String) throws {
        if hasReconstructedIV { throw CommandError(.usage, "a reconstructed IV is not allowed \(reason)") }
    }

    /// Refuses every profile but `evidence-v2`, for an option that only applies to that one.
    package func refuseOtherProfiles(_ option: Option) throws {
        let others = Option.profileOptions.filter { self[$0] != nil && self[$0] != Profile.evidenceV2.name }
        guard others.isEmpty else {
            throw CommandError(
                .usage, "\(option.name) needs a video sealed as evidence-v2, but \(others[0].name) says otherwise",
                hint: "leave out \(others[0].name) if the video is sealed as evidence-v2; if it is not, leave out "
                    + "\(option.name)")
        }
    }

    /// Refuses the options of a profile where nothing is sealed.
    package func refuseProfile(_ reason: String) throws {
        if let option = Option.profileOptions.first(where: { self[$0] != nil }) {
            throw CommandError(.usage, "\(option.name) \(reason)")
        }
    }
}

extension ProfileDocument {
    /// Members that belong to a replaced value are removed with it.
    fileprivate mutating func removeWhatBelongs(toReplaced member: Member, by value: String) {
        switch member {
        case .rsaPadding: if value != "oaep" { remove(.oaepHash, .mgf1Hash, .oaepLabel) }
        case .cipher:
            remove(.padding)
            if !value.hasSuffix("gcm") {
                remove(.nonceBytes, .tagField, .tagEncoding)
                self[.tag] = "none"
                self[.aad] = "none"
            }
            if value.hasSuffix("ecb") {
                remove(.ivField, .ivEncoding, .ivFit)
                self[.iv] = "none"
            }
        case .iv: remove(.ivField, .ivEncoding, .ivFit)
        case .tag: remove(.tagField, .tagEncoding)
        default: break
        }
    }

    private mutating func remove(_ members: Member...) {
        for member in members { self[member] = nil }
    }
}

extension Profile {
    /// The name of a profile that options changed.
    package static let changedName = "custom"

    /// Its name, and, for one that options changed, what it was made from.
    package var label: String { inWords + (name == Self.changedName ? about.map { " (\($0))" } ?? "" : "") }

    /// The weaknesses of sealing like this, whatever the key.
    package var weaknesses: [String] {
        var found: [String] = []
        if wrapping.padding == .weakNone {
            found.append(
                "RSA without padding: equal keys look equal, and anyone who multiplies a wrapped key changes the key")
        }
        if let count = wrapping.weakKeyByteCount {
            found.append("only the first \(count) bytes of the content key are secret: the others are zero")
        }
        if iv == .weakKey {
            found.append(
                "the IV is a part of the key: anyone who sees what a changed payload opens to can learn that part")
        }
        if iv == .weakZero {
            found.append("the IV is always the same: contents sealed under one key reveal each other")
        }
        return found
    }

    /// Warns about what is weak or unknown in using this profile with those keys.
    package func warn(of keys: [RSAPublicKey]) {
        if let unconfirmed { Terminal.warn("\(inWords) is not confirmed: \(printable(unconfirmed))") }
        if wrapping.allowsWeakKeys, let key = keys.first(where: { !$0.hasSealingStrength }) {
            Terminal.warn("\(key) is too weak to protect anything today; \(label) accepts it nevertheless")
        }
    }
}
