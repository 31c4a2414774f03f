// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import EvidenceKit
import EvidencePayload

/// A payload that is well sealed under some profile and then damaged, as the bytes of an input say: what random bytes
/// would never come to, since a check of base64, of a length or of a tag would stop them.
struct SealedPayload {
    let profile: Profile
    let iv: [UInt8]?
    let plaintext: [UInt8]
    let order: OrderNumber
    /// The document, damaged.
    private(set) var json: [UInt8]
    /// Whether it still is what was sealed: its fields may come in another order.
    private(set) var isIntact = true

    private var fields: [(name: String, text: [UInt8])] = []

    /// - Returns: `nil` if the bytes are too few, or do not make a profile.
    init?(_ input: [UInt8]) throws {
        var input = input[...]
        guard input.count >= 10, let profile = Self.profile(&input) else { return nil }
        order = try OrderNumber("ord1")
        let damages = (0..<Int(input.removeFirst() & 7)).map { _ in Damage(&input) }
        self.profile = profile
        plaintext = Self.plaintext(Array(input), for: profile)
        iv = profile.iv == .caller ? Array("0123456789abcdef".utf8.prefix(profile.cipher.ivByteCount)) : nil
        json = []
        let sealed = MemoryDestination()
        let sealer = try PayloadSealer(orderNo: order, to: Keys.own.publicKey, sealedAs: profile, iv: iv)
        try sealer.seal(MemorySource(plaintext), into: sealed)
        fields = Self.fields(sealed.bytes)
        for damage in damages { apply(damage) }
        json = Array("{".utf8)
        for (name, text) in fields {
            json += Array((json.count > 1 ? "," : "").utf8) + Array("\"\(name)\":\"".utf8) + text + Array("\"".utf8)
        }
        json += Array("}\n".utf8)
        for damage in damages { applyToDocument(damage) }
    }

    /// A profile from six bytes: a built-in one, or one put together.
    private static func profile(_ input: inout ArraySlice<UInt8>) -> Profile? {
        let first = input.removeFirst()
        let choices = (0..<5).map { _ in Int(input.removeFirst()) }
        if Int(first) < 2 * Profile.presets.count { return Profile.presets[Int(first) / 2] }
        func choice(_ member: ProfileDocument.Member, _ number: Int) -> String {
            let words = ProfileDocument.choices(of: member)
            return words[number % words.count]
        }
        guard let base = Profile.preset(named: "evidence-v1") else { return nil }
        var document = ProfileDocument(base)
        document[.name] = "fuzz"
        document[.rsaPadding] = choice(.rsaPadding, choices[0])
        let isOAEP = document[.rsaPadding] == "oaep"
        document[.oaepHash] = isOAEP ? choice(.oaepHash, choices[0] / 3) : nil
        document[.mgf1Hash] = isOAEP ? choice(.mgf1Hash, choices[0] / 12) : nil
        document[.oaepLabel] = isOAEP && choices[0] / 48 % 2 == 1 ? label : nil
        document[.wrappedKey] = choice(.wrappedKey, choices[1])
        document[.encoding] = choice(.encoding, choices[1] / 4)
        document[.keyEncoding] = choice(.keyEncoding, choices[1] / 20)
        document[.cipher] = choice(.cipher, choices[2])
        let isGCM = document[.cipher]?.hasSuffix("gcm") == true
        document[.nonceBytes] = isGCM && choices[2] / 12 % 2 == 1 ? "16" : nil
        let hasBlocks = !isGCM && document[.cipher]?.hasSuffix("ctr") == false
        document[.padding] = hasBlocks ? choice(.padding, choices[2] / 24) : nil
        document[.iv] = choice(.iv, choices[3])
        document[.ivField] = document[.iv] == "field" ? "iv" : nil
        document[.ivEncoding] = document[.iv] == "field" ? choice(.ivEncoding, choices[3] / 8) : nil
        // A short key followed by an IV is not a form that anybody searches for.
        document[.weakKeyBytes] = document[.iv] != "wrapped" && choices[3] / 48 % 4 == 1 ? "10" : nil
        document[.tag] = choice(.tag, choices[4])
        document[.tagField] = document[.tag] == "field" ? "tag" : nil
        document[.aad] = choice(.aad, choices[4] / 4)
        document[.inner] = choice(.inner, choices[4] / 12)
        // The length of a data URI's prefix is not a multiple of four.
        if document[.padding] == "none", document[.inner] == "data-uri" { document[.inner] = nil }
        document[.tagEncoding] = document[.tag] == "field" ? choice(.tagEncoding, choices[4] / 36) : nil
        return try? document.profile()
    }

    /// The label of OAEP, where there is one.
    static let label = "label"

    /// What comes back under a profile as it was: whole blocks where nothing is filled up, no zero byte at the end
    /// where those are taken away.
    private static func plaintext(_ input: [UInt8], for profile: Profile) -> [UInt8] {
        guard profile.cipher.blockByteCount > 1, profile.cipher.padding != .pkcs7, profile.inner == .none else {
            // Base64 comes in fours, and is whole blocks where twelve bytes are.
            guard profile.cipher.blockByteCount > 1, profile.cipher.padding == .none else { return input }
            return Array(input.prefix(input.count / 12 * 12))
                + [UInt8](repeating: 1, count: input.count < 12 ? 12 : 0)
        }
        if profile.cipher.padding == .zero { return input + [1] }
        return Array(input.prefix(input.count / 16 * 16)) + [UInt8](repeating: 1, count: input.count < 16 ? 16 : 0)
    }

    // MARK: - Damage

    private struct Damage {
        let kind: UInt8
        let place: Int
        let value: UInt8

        init(_ input: inout ArraySlice<UInt8>) {
            kind = (input.popFirst() ?? 0) % 12
            place = Int(input.popFirst() ?? 0) << 8 | Int(input.popFirst() ?? 0)
            value = input.popFirst() ?? 0
        }
    }

    private mutating func apply(_ damage: Damage) {
        guard !fields.isEmpty else { return }
        switch damage.kind {
        case 0: alterBytes(of: "userVideoString") { $0[damage.place % $0.count] ^= max(damage.value, 1) }
        case 1: alterBytes(of: "videoEncryptAESKey") { $0[damage.place % $0.count] ^= max(damage.value, 1) }
        case 2: alterBytes(of: "userVideoString") { $0.removeLast(1 + damage.place % $0.count) }
        case 3:
            alterBytes(of: "userVideoString") { $0 += [UInt8](repeating: damage.value, count: 1 + damage.place % 64) }
        case 4: alterBytes(of: ["iv", "tag"][damage.place & 1]) { $0[0] ^= max(damage.value, 1) }
        case 5:
            fields.remove(at: damage.place % fields.count)
            isIntact = false
        case 6:
            // As the vendor has it, the key after the video: another order, and no damage.
            fields.append(fields.remove(at: damage.place % fields.count))
        case 7:
            let field = fields[damage.place % fields.count]
            fields.append((field.name, Array(field.text.prefix(Int(damage.value)))))
            isIntact = false
        case 8:
            if fields.contains(where: { $0.name == "userImageString" }) { isIntact = false }
            fields.append(("userImageString", Array("aGk=".utf8)))
        default: break
        }
    }

    private mutating func applyToDocument(_ damage: Damage) {
        guard !json.isEmpty, damage.kind > 8 else { return }
        isIntact = false
        let place = damage.place % json.count
        switch damage.kind {
        case 9: json[place] ^= max(damage.value, 1)
        case 10: json.remove(at: place)
        default: json.insert(damage.value, at: place)
        }
    }

    /// Changes what the text of a field stands for.
    private mutating func alterBytes(of name: String, _ body: (inout [UInt8]) -> Void) {
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return }
        let text = Array(String(decoding: fields[index].text, as: UTF8.self).replacing("\\n", with: "").utf8)
        let encodings = profile.encodings
        let encoding =
            switch name {
            case "videoEncryptAESKey": encodings.key
            case "tag": encodings.tag
            case "iv": if case .encoded(let encoding) = encodings.iv { encoding } else { encodings.content }
            default: encodings.content
            }
        guard var bytes = try? TextDecoder.decode(text.span, encoding), !bytes.isEmpty else { return }
        body(&bytes)
        fields[index].text = TextEncoder.encode(bytes.span, encoding)
        isIntact = false
    }

    /// The fields of a document of our own: names and texts have no quotation marks inside.
    private static func fields(_ json: [UInt8]) -> [(name: String, text: [UInt8])] {
        let parts = json.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count - 3, by: 4).map { i in
            (String(decoding: parts[i], as: UTF8.self), Array(parts[i + 2]))
        }
    }
}
