// SPDX-License-Identifier: Apache-2.0
package import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors
internal import Recognition
internal import VendorTypes

/// A profile together with what is needed besides keys to use it.
package struct Envelope {
    package let profile: Profile
    /// The IV that ``Profile/IVSource/caller`` needs.
    private let callerIV: [UInt8]?

    static let evidenceV2 = Envelope(.evidenceV2)

    /// For profiles that need no IV from the caller.
    init(_ profile: Profile) {
        self.profile = profile
        callerIV = nil
    }

    /// - Throws: ``EvidenceError`` (`.profile`) when an IV is missing, is not wanted, or has another length.
    package init(_ profile: Profile, iv: [UInt8]?) throws(EvidenceError) {
        self.profile = profile
        callerIV = iv.map { Self.fit($0, profile) }
        guard (iv != nil) == (profile.iv == .caller) else {
            throw EvidenceError(
                iv == nil ? .iv : .profile,
                iv == nil
                    ? "\(profile.inWords) takes its IV from the caller, but none was given"
                    : "\(profile.inWords) does not take its IV from the caller",
                hint: iv == nil
                    ? "it is in the configuration of the app that sealed the content"
                    : "leave the IV out, or name a profile that takes one")
        }
        if let callerIV { try check(callerIV, "the IV", .profile) }
    }

    /// The IV, if it is known before the content; `nil` if the content begins with it, or it comes from the key.
    func knownIV(_ index: PayloadIndex?) throws(EvidenceError) -> [UInt8]? {
        switch profile.iv {
        case .prefix, .wrapped, .weakKey: return nil
        case .caller: return callerIV
        case .weakZero: return [UInt8](repeating: 0, count: profile.cipher.ivByteCount)
        case .none: return []
        case .field(let name):
            guard let text = try index.map({ index throws(EvidenceError) in try text(of: name, in: index) }) else {
                return nil
            }
            guard case .encoded(let encoding) = profile.encodings.iv else {
                let iv = Self.fit(text, profile)
                try check(iv, name, .length)
                return iv
            }
            do throws(EvidenceError) {
                let iv = Self.fit(try bytes(text, encoding, name), profile)
                try check(iv, name, .length)
                return iv
            } catch { throw error.naming(text, in: name, insteadOf: encoding) }
        }
    }

    /// The tag, if a separate field carries it.
    func detachedTag(_ index: PayloadIndex) throws(EvidenceError) -> [UInt8]? {
        guard case .field(let name) = profile.tag else { return nil }
        let tag = try bytes(text(of: name, in: index), profile.encodings.tag, name)
        guard tag.count == profile.cipher.tagByteCount else {
            throw EvidenceError(.length, "\(name) has \(tag.count) bytes, but a tag has \(profile.cipher.tagByteCount)")
        }
        return tag
    }

    /// What ties the content to its field and order: the AAD, or the context of the keys of chunks; empty
    /// if nothing does.
    func context(_ field: SealedField, _ order: OrderNumber?) throws(EvidenceError) -> [UInt8] {
        switch profile.layout {
        case .whole: try Self.aad(profile.aad, field, order)
        case .chunked: try Self.context("evidence-v2", field, order)
        }
    }

    /// What a tag covers besides the content.
    static func aad(
        _ rule: Profile.AADRule, _ field: SealedField, _ order: OrderNumber?
    ) throws(EvidenceError) -> [UInt8] {
        switch rule {
        case .none: []
        case .evidenceV1: try context("evidence-v1", field, order)
        case .orderNumber: Array(try required(order).value.utf8)
        }
    }

    private static func context(
        _ version: String, _ field: SealedField, _ order: OrderNumber?
    ) throws(EvidenceError) -> [UInt8] {
        Array("\(version)\n\(field.label)\n\(try required(order).value)\n".utf8)
    }

    package static let orderHint = "pass the whole payload, with its order number"

    /// The order number, where one is needed: sealed content is tied to it, and an expected one is compared with it.
    static func required(_ order: OrderNumber?) throws(EvidenceError) -> OrderNumber {
        if let order { return order }
        throw EvidenceError(
            .missing, "the payload has no orderNo",
            hint: orderHint)
    }

    /// Refuses a key whose substitutes can be recognised: without a tag, an answer tells a substitute that changes from
    /// one that lasts, and under PKCS#1 v1.5, or without padding, that opens keys one query at a time.
    package func requireLastingSubstitutes(of keys: [any DecryptionKey]) throws(EvidenceError) {
        guard let name = profile.wrapping.padding.weakName, !profile.isAuthenticated,
            keys.contains(where: { !$0.substituteSecret.isLasting })
        else { return }
        throw EvidenceError(
            .unsuitableKey,
            "\(profile.inWords) has \(name) and no tag: it must not be opened with a key that cannot be exported, "
                + "such as one on a token",
            hint: """
                use a private key from a file: with this one, an attacker could find out by repeated attempts whether \
                a wrapped key unwraps (diagnose accepts it, since only you see what it says)
                """)
    }

    private func text(of name: String, in index: PayloadIndex) throws(EvidenceError) -> [UInt8] {
        guard let text = try index.extra(name), !text.isEmpty else {
            throw EvidenceError(.missing, "the payload has no field '\(name)', which the profile requires")
        }
        return text
    }

    private func bytes(
        _ text: [UInt8], _ encoding: TextEncoding, _ name: String
    ) throws(EvidenceError) -> [UInt8] {
        do throws(EvidenceError) { return try TextDecoder.decode(text.span, encoding) } catch {
            throw error.inField(name, encoding)
        }
    }

    /// An IV cut or padded to the needed length, if the profile says so.
    private static func fit(_ iv: [UInt8], _ profile: Profile) -> [UInt8] {
        guard profile.ivFit == .fitted else { return iv }
        let wanted = profile.cipher.ivByteCount
        return iv.prefix(wanted) + [UInt8](repeating: 0, count: max(0, wanted - iv.count))
    }

    private func check(_ iv: [UInt8], _ what: String, _ code: EvidenceError.Code) throws(EvidenceError) {
        let wanted = profile.cipher.ivByteCount
        guard iv.count == wanted else {
            throw EvidenceError(
                code, "\(what) has \(iv.count) bytes, but \(profile.cipher.mode.rawValue) needs \(wanted)",
                hint: Self.confusion(iv.count, wanted))
        }
    }

    /// Guesses what an IV of a wrong length is.
    private static func confusion(_ count: Int, _ wanted: Int) -> String? {
        if count == Base64.encodedCount(of: wanted) {
            return EvidenceError.base64IVHint
        }
        if count == 2 * wanted { return EvidenceError.hexIVHint }
        if count > 0, let other = ContentCipher.all.first(where: { $0.ivByteCount == count }) {
            return "an IV of \(count) bytes is for \(other.mode.rawValue): perhaps the profile names the wrong cipher"
        }
        return nil
    }
}
