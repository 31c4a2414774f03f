// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
import EvidenceStreams
internal import SimpleMode

extension Option {
    static let profile = Option(
        "--profile", "NAME", known: Profile.presets.map(\.name),
        "how the payload is sealed: a built-in profile, or a profile's file (by default evidence-v2; when opening, "
            + "also evidence-v1)")
    static let iv = Option(
        "--iv", "IV",
        "the IV, for profiles that take it from the caller: plain text, hex:DIGITS, base64:TEXT, or as "
            + "diagnose prints it")

    static let oaepLabel = Option("--oaep-label", "TEXT", "OAEP's label, if any")

    /// The option that overrides each member of a profile.
    static let overrides: [(member: ProfileDocument.Member, option: Option)] = [
        override(.rsaPadding, "--rsa-padding", "padding of the wrapped key"),
        override(.oaepHash, "--oaep-hash", "hash of OAEP's label"),
        override(.mgf1Hash, "--mgf1-hash", "hash inside OAEP's MGF1"),
        (.oaepLabel, oaepLabel),
        override(.wrappedKey, "--wrapped-key", "form of the wrapped bytes"),
        override(
            .weakKeyBytes, "--weak-key-bytes", "length of the content key, if it is too short and is padded with zeros",
            "N"),
        override(.cipher, "--cipher", "cipher of the content"),
        override(.padding, "--padding", "how CBC and ECB pad the last block"),
        override(
            .nonceBytes, "--nonce-bytes", "bytes of GCM's nonce, \(Limits.text(Limits.gcmNonceBytes)); 12 by default",
            "N"),
        override(.iv, "--iv-from", "source of the IV"),
        override(.ivField, "--iv-field", "the field with the IV"),
        override(.ivFit, "--iv-fit", "how an IV of the wrong length is treated"),
        override(.tag, "--tag", "position of the tag"),
        override(.tagField, "--tag-field", "the field with the tag"),
        override(.aad, "--aad", "what the tag covers besides the content"),
        override(.encoding, "--encoding", "encoding of bytes as text"),
        override(.keyEncoding, "--key-encoding", "encoding of the wrapped key, if different"),
        override(.ivEncoding, "--iv-encoding", "encoding of the IV's field, if different"),
        override(.tagEncoding, "--tag-encoding", "encoding of the tag's field, if different"),
        override(.inner, "--inner", "how the content was encoded before it was sealed"),
        override(.weakKeys, "--weak-keys", "whether RSA keys under \(Limits.strongRSAKeyBits) bits are accepted"),
    ]

    static let profileOptions = [profile, iv] + overrides.map(\.option)

    private static func override(
        _ member: ProfileDocument.Member, _ name: String, _ summary: String, _ value: String = "NAME"
    ) -> (member: ProfileDocument.Member, option: Option) {
        let choices = ProfileDocument.choices(of: member)
        return (member, Option(name, choices.isEmpty ? value : "WORD", choices: choices, summary))
    }
}

extension Files {
    /// The profile from `--profile` and the overrides, `nil` without them, and the IV.
    mutating func profile(_ arguments: Arguments) throws -> (profile: Profile?, iv: [UInt8]?) {
        var profile = try arguments[.profile].map { try self.profile(named: $0) }
        let given = Option.overrides.compactMap { override in arguments[override.option].map { (override.member, $0) } }
        if !given.isEmpty {
            // A profile in chunks has nothing to override.
            var document = ProfileDocument(profile ?? .evidenceV1)
            if document[.layout] != nil, let name = profile?.name {
                throw CommandError(
                    .usage, "\(name) has no field that an option could override", hint: "name another profile")
            }
            for (member, value) in given {
                document[member] = value
                // Members that belong to the replaced value are removed with it.
                switch (member, value) {
                case (.rsaPadding, _) where value != "oaep": document.remove(.oaepHash, .mgf1Hash, .oaepLabel)
                case (.cipher, _):
                    document.remove(.padding)
                    if !value.hasSuffix("gcm") {
                        document.remove(.nonceBytes, .tagField, .tagEncoding)
                        document[.tag] = "none"
                        document[.aad] = "none"
                    }
                    if value.hasSuffix("ecb") {
                        document.remove(.ivField, .ivEncoding, .ivFit)
                        document[.iv] = "none"
                    }
                case (.iv, _): document.remove(.ivField, .ivEncoding, .ivFit)
                case (.tag, _): document.remove(.tagField, .tagEncoding)
                default: break
                }
            }
            let options = Option.overrides.filter { arguments[$0.option] != nil }.map(\.option.name)
            document[.about] = "\(document[.name] ?? "") with \(options.joined(separator: ", "))"
            document[.name] = Profile.changedName
            for member in [ProfileDocument.Member.source, .unconfirmed] { document[member] = nil }
            do { profile = try document.profile() } catch {
                // Translates the library's member names into options.
                let words = Set("\(error)".split(separator: " ").map(String.init))
                let named = Option.overrides.filter { words.contains($0.member.rawValue) }
                    .map { "\($0.member.rawValue) is set with \($0.option.name)" }
                throw CommandError(
                    .usage, "\(error)",
                    hint: named.isEmpty
                        ? error.hint
                        : named.joined(separator: ", ")
                            + (arguments[.profile] == nil
                                ? "; without --profile, options like this change evidence-v1"
                                : ""))
            }
        }
        let iv = try arguments[.iv].map(Self.iv)
        if iv != nil, profile == nil { profile = .evidenceV2 }
        return (profile, iv)
    }

    /// A built-in profile, or one from a file.
    mutating func profile(named name: String) throws -> Profile {
        if let preset = Profile.preset(named: name) { return preset }
        guard name.contains("/") || name.contains(".") || (try? FileIdentity(ofFileAt: name)) != nil else {
            throw CommandError(
                .usage, "\(quoted(name)) (--profile) is neither a built-in profile nor a file",
                hint: "built-in profiles: \(Profile.presets.map(\.name).joined(separator: ", "))")
        }
        return try profile(inFile: name)
    }

    /// The profile in a file.
    mutating func profile(inFile name: String) throws -> Profile {
        let json = try input(name, as: "the profile").readAll(limit: Limits.keyFileBytes, name: name)
        do { return try Profile(json: json) } catch {
            throw CommandError(.usage, "\(quoted(name)): \(error)", hint: error.hint)
        }
    }

    /// The prefix of an IV that was reconstructed from the content (`diagnose`), which marks it wherever it is used.
    static let reconstructed = "reconstructed:"
    /// The prefix of an IV in hex digits.
    static let hex = "hex:"

    /// The bytes of `--iv`. Their number is checked once the cipher is known.
    static func iv(_ text: String) throws -> [UInt8] {
        do throws(EvidenceError) {
            if text.hasPrefix(reconstructed) {
                return try Hex.decode(Array(text.utf8.dropFirst(reconstructed.utf8.count)).span)
            }
            if text.hasPrefix(hex) { return try Hex.decode(Array(text.utf8.dropFirst(4)).span) }
            if text.hasPrefix("base64:") { return try Base64.decode(Array(text.utf8.dropFirst(7)).span) }
            return Array(text.utf8)
        } catch { throw CommandError(.usage, "--iv: \(error)") }
    }
}

extension Arguments {
    /// Whether the IV was reconstructed from the content, so that opened content begins with a guess.
    var hasReconstructedIV: Bool { self[.iv]?.hasPrefix(Files.reconstructed) ?? false }

    /// Refuses an IV that was reconstructed from content.
    ///
    /// - Parameter reason: where it is refused, and why.
    func refuseReconstructedIV(_ reason: String) throws {
        if hasReconstructedIV { throw CommandError(.usage, "a reconstructed IV is not allowed \(reason)") }
    }

    /// Refuses every profile but `evidence-v2`, for an option that only applies to that one.
    func refuseOtherProfiles(_ option: Option) throws {
        let others = Option.profileOptions.filter { self[$0] != nil && self[$0] != Profile.evidenceV2.name }
        guard others.isEmpty else {
            throw CommandError(
                .usage, "\(option.name) needs a video sealed as evidence-v2, but \(others[0].name) says otherwise",
                hint: "leave out \(others[0].name) if the video is sealed as evidence-v2; if it is not, leave out "
                    + "\(option.name)")
        }
    }

    /// Refuses the options of a profile where nothing is sealed.
    func refuseProfile(_ reason: String) throws {
        if let option = Option.profileOptions.first(where: { self[$0] != nil }) {
            throw CommandError(.usage, "\(option.name) \(reason)")
        }
    }
}

extension ProfileDocument {
    fileprivate mutating func remove(_ members: Member...) {
        for member in members { self[member] = nil }
    }
}

extension Profile {
    /// The name of a profile that options changed.
    static let changedName = "custom"

    /// Its name, and, for one that options changed, what it was made from.
    var label: String { inWords + (name == Self.changedName ? about.map { " (\($0))" } ?? "" : "") }

    /// The weaknesses of sealing like this, whatever the key.
    var weaknesses: [String] {
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
    func warn(of keys: [RSAPublicKey]) {
        if let unconfirmed { Terminal.warn("\(name) is not confirmed: \(printable(unconfirmed))") }
        if wrapping.allowsWeakKeys, let key = keys.first(where: { !$0.hasSealingStrength }) {
            Terminal.warn("\(key) is too weak to protect anything today; \(label) accepts it nevertheless")
        }
    }
}
