// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
internal import Recognition

/// Finds a key in whatever a vendor, a colleague or a form field supplied, and says what it is when it is the
/// wrong thing.
///
/// OpenSSL parses; this only unpacks (base64 around DER or PEM) and writes the message.
enum KeyFile {
    /// The algorithm of a key.
    enum Algorithm {
        case rsa
        /// P-256, with an uncompressed point.
        case p256
        /// The same where RSA is accepted as well and was not found, for the message.
        case p256OrRSA

        /// OpenSSL's name for it.
        fileprivate var name: String { self == .rsa ? "RSA" : "EC" }
    }

    static func privateKey(
        in bytes: Span<UInt8>, _ algorithm: Algorithm = .rsa, passphrase: Span<UInt8>?
    ) throws(EvidenceError) -> FoundKey {
        try firstKey(in: bytes, Wanted(half: .private, algorithm: algorithm)) { block throws(EvidenceError) in
            try block.decode(passphrase: passphrase)
        }
    }

    static func publicKey(
        in bytes: Span<UInt8>, _ algorithm: Algorithm = .rsa
    ) throws(EvidenceError) -> FoundKey {
        try firstKey(in: bytes, Wanted(half: .public, algorithm: algorithm)) { block throws(EvidenceError) in
            do throws(EvidenceError) { return try block.decode(passphrase: nil) } catch {
                // A private key is not decrypted just to be refused.
                guard error.code == .passphraseNeeded else { throw error }
                return .other("an encrypted private key", hint: publicHalfHint)
            }
        }
    }

    /// The form of EC keys that is not supported.
    static let sec1 = "SEC 1"
    private static let publicHalfHint = "extract its public half: openssl pkey -in FILE -pubout"

    /// Which half of a key pair is looked for, and of which algorithm.
    private struct Wanted {
        enum Half { case `private`, `public` }
        let half: Half
        let algorithm: Algorithm

        var name: String {
            let half = half == .private ? "private" : "public"
            return switch algorithm {
            case .rsa: "a \(half) key"
            case .p256: "a P-256 \(half) key"
            case .p256OrRSA: "an RSA or P-256 \(half) key"
            }
        }
    }

    // MARK: - Choosing

    /// The first block that holds a sound key of that half and algorithm; otherwise, throws the error of the most
    /// telling block.
    private static func firstKey(
        in bytes: Span<UInt8>, _ wanted: Wanted, _ decode: (KeyBlock) throws(EvidenceError) -> KeyBlock.Decoded
    ) throws(EvidenceError) -> FoundKey {
        let parts = try parts(of: bytes, wanted)
        // Before a key is blamed.
        try requireAlgorithm(wanted.algorithm.name)
        var refusal: EvidenceError?
        for (index, read) in parts.blocks.enumerated() {
            do throws(EvidenceError) {
                return try key(decode(read.get()), wanted, parts.container)
            } catch let fault {
                let error = parts.blocks.count == 1 ? try explained(fault, bytes, parts.container) : fault
                // A fault in one block does not hide another. A passphrase that is missing or wrong ends the
                // search, and so does a system that fails: the key that was meant may be this one.
                guard [.unreadableKey, .wrongKindOfKey, .notRSA, .weakKey].contains(error.code) else { throw error }
                // That a block is damaged says more than that it is something else.
                guard refusal.map({ $0.code == .wrongKindOfKey && error.code != .wrongKindOfKey }) ?? true else {
                    continue
                }
                refusal =
                    parts.blocks.count == 1
                    ? error
                    : EvidenceError(
                        error.code, "block \(index + 1) of \(parts.blocks.count): \(error)", hint: error.hint)
            }
        }
        throw refusal ?? EvidenceError(.notAKey, "expected \(wanted.name), found nothing")
    }

    /// The refusal of a file's only block, with what was done to the file: a key is called damaged only where nothing
    /// simpler fits, and tools that convert it do not pass over that either.
    private static func explained(
        _ error: EvidenceError, _ bytes: Span<UInt8>, _ container: String
    ) throws(EvidenceError) -> EvidenceError {
        guard [.unreadableKey, .wrongKindOfKey].contains(error.code) else { return error }
        if error.code == .unreadableKey, container == "DER", let form = DERText.form(of: bytes) {
            return EvidenceError(.unreadableKey, "found \(form.name)", hint: form.step)
        }
        if error.code == .unreadableKey, let fault = try otherLength(bytes, container) { return fault }
        let rewritten = rewriting(of: bytes)
        if error.code == .unreadableKey, let rewritten, error.hint?.contains("COPY") != true {
            return EvidenceError(.unreadableKey, "found \(rewritten.name)", hint: rewritten.step)
        }
        // The block was named alike, but its step may need another before it in the file.
        if let rewritten, error.description == "found \(rewritten.name)" { return error.hinting(rewritten.step) }
        guard let hint = error.hint, hint != rewritten?.step, hint.contains("FILE") || hint.contains("COPY") else {
            return error
        }
        var first: [String] = []
        if let step = rewritten?.step { first.append(step) }
        if container.hasPrefix("base64") { first.append(KnownForm.fromBase64) }
        return first.isEmpty ? error : error.hinting(Recognised.chain(first + [hint]))
    }

    /// What was done to the text of a key, if anything that keeps it from being read: a form in which a whole key is
    /// accepted hides nothing.
    private static func rewriting(of bytes: Span<UInt8>) -> KnownForm? {
        func form(_ bytes: Span<UInt8>) -> KnownForm? {
            Recognised(concealing: bytes).layers.first {
                KnownForm.brokenKeys.contains($0) || $0.id == "base64-lost-plus"
            }
        }
        guard let found = form(bytes) else { return nil }
        let isAccepted = KnownForm.acceptedAroundKeys.contains(found.id)
        // Line breaks that are written out are other characters, too.
        guard isAccepted || found.id == "pem-foreign", let lines = PEMText.rewritten(bytes) else { return found }
        let hasWrittenBreaks = bytes.contains("\\n")
        return lines.withExposedBytes { lines in
            guard let inside = form(lines), !KnownForm.acceptedAroundKeys.contains(inside.id) else {
                return isAccepted ? nil : found
            }
            return hasWrittenBreaks && inside.goesByLines ? inside.behind(KnownForm.writeLineBreaks) : inside
        }
    }

    /// A DER, also in base64, that ends before or behind its end, by the length in its header.
    private static func otherLength(
        _ bytes: Span<UInt8>, _ container: String
    ) throws(EvidenceError) -> EvidenceError? {
        if container == "base64 of DER" {
            let text = withoutWhiteSpace(bytes)
            guard let der = text.withExposedBytes({ SecretBytes(base64: $0) }) else { return nil }
            return der.withExposedBytes { der in
                guard let length = lengthOfDER(der), length != der.count else { return nil }
                return EvidenceError(
                    .unreadableKey,
                    "the base64 of the key \(length > der.count ? "is cut off" : "is too long"): "
                        + "it stands for \(der.count) bytes, and its DER has \(length)",
                    hint: "copy it again, all of it: characters were lost, put in or changed")
            }
        }
        guard container == "DER", let length = lengthOfDER(bytes), length != bytes.count else { return nil }
        let (count, rest) = (bytes.count, bytes.count - length)
        guard rest > 0 else {
            return EvidenceError(
                .unreadableKey, "the DER is cut off: it has \(count) of \(length) bytes", hint: "export the key again")
        }
        // An editor, or echo, puts a line break behind it; a byte that was put in moves all behind it.
        let isWhole = try isKey(bytes.extracting(..<length))
        return EvidenceError(
            .unreadableKey, "\(rest == 1 ? "1 byte follows" : "\(rest) bytes follow") the end of the DER",
            hint: isWhole
                ? "keep its first \(length) bytes: head -c \(length) FILE > COPY"
                : "export the key again: bytes were put into it, or its beginning is damaged")
    }

    private static func withoutWhiteSpace(_ text: Span<UInt8>) -> SecretBytes {
        SecretBytes(capacity: text.count) { out in
            for i in text.indices where ![0x20, 0x09, 0x0A, 0x0D].contains(text[i]) { out.append(text[i]) }
        }
    }

    /// Whether DER holds a key that is sound, or encrypted.
    private static func isKey(_ der: Span<UInt8>) throws(EvidenceError) -> Bool {
        do throws(EvidenceError) {
            switch try KeyBlock(der: SecretBytes(copying: der)).decode(passphrase: nil) {
            case .privateKey(let key, _):
                if key.isRSA { try key.checkPrivateNumbers() }
                return true
            case .publicKey: return true
            default: return false
            }
        } catch {
            guard error.code != .openSSL else { throw error }
            return error.code == .passphraseNeeded
        }
    }

    private static func key(
        _ content: KeyBlock.Decoded, _ wanted: Wanted, _ container: String
    ) throws(EvidenceError) -> FoundKey {
        switch content {
        case .privateKey(let handle, let kind) where wanted.half == .private:
            let found = try key(handle, kind, container, wanted)
            if handle.isRSA { try handle.checkPrivateNumbers() }
            return found
        // A certificate is not a registered key: accepting one would require checking it.
        case .publicKey(let handle, let kind, _?) where wanted.half == .public && wanted.algorithm == .p256:
            throw wrongKind(
                "a certificate\(handle.isRSA ? " for an RSA key" : "") (\(kind), \(container))", wanted,
                hint: handle.isRSA
                    ? "a device's key is on P-256" : "extract its key: openssl x509 -in FILE -noout -pubkey")
        case .publicKey(let handle, let kind, let certificate) where wanted.half == .public:
            var found: FoundKey
            do throws(EvidenceError) { found = try key(handle, kind, container, wanted) } catch {
                guard error.code == .weakKey, kind == "PKCS#1", container.hasSuffix("DER") else { throw error }
                throw EvidenceError(
                    .weakKey, error.description,
                    hint: "check whether these are Diffie-Hellman parameters, which look like an RSA key in DER")
            }
            found.certificate = certificate
            return found
        case .foreignKey(let name, let kind, let isPrivate) where isPrivate == (wanted.half == .private):
            throw otherAlgorithm(name, kind, container, wanted)
        case .foreignKey(_, let kind, true):
            throw wrongKind("a private key (\(kind), \(container))", wanted)
        case .privateKey(let handle, let kind):
            let hint = handle.isRSA == (wanted.algorithm == .rsa) ? publicHalfHint : nil
            throw wrongKind("a private key (\(kind), \(container))", wanted, hint: hint)
        case .publicKey(_, let kind, _), .foreignKey(_, let kind, false):
            throw wrongKind("a public key (\(kind), \(container))", wanted)
        // What has a public key at best is of no use where the private one is needed.
        case .other(let what, let hint):
            throw wrongKind(what, wanted, hint: wanted.half == .private ? nil : hint)
        case .unread(let what, let hint):
            throw EvidenceError(.unreadableKey, "expected \(wanted.name), found \(what)", hint: hint)
        }
    }

    private static func key(
        _ handle: PKey, _ kind: String, _ container: String, _ wanted: Wanted
    ) throws(EvidenceError) -> FoundKey {
        switch wanted.algorithm {
        case .rsa:
            guard handle.isRSA else { throw otherAlgorithm(named(handle.algorithmName), kind, container, wanted) }
            try handle.checkRSAParameters()
        case .p256, .p256OrRSA:
            guard try handle.isPlainP256() else {
                throw otherAlgorithm(named(handle.algorithmName), kind, container, wanted)
            }
        }
        return FoundKey(handle: handle, format: "\(kind), \(container)")
    }

    private static func otherAlgorithm(
        _ name: String, _ kind: String, _ container: String, _ wanted: Wanted
    ) -> EvidenceError {
        switch wanted.algorithm {
        case .rsa:
            EvidenceError(
                .notRSA, "expected an RSA key, found \(name) (\(kind), \(container))",
                hint: name == named("SM2")
                    ? "SM2 is not supported: ask the sender for RSA, and give that key"
                    : wanted.half == .private
                        ? "give the RSA key whose public half the sender has"
                        : "give the RSA public key, or the certificate, of whoever is to open it")
        case .p256 where kind == sec1, .p256OrRSA where kind == sec1:
            // Its curve is not checked, and it may be encrypted, so the copy is encrypted as well.
            EvidenceError(
                .wrongKindOfKey, "expected \(wanted.name) in PKCS#8, found \(name) in SEC 1 (\(container))",
                hint: "if it is a P-256 key, write a copy as encrypted PKCS#8: openssl pkcs8 -topk8 -in FILE -out COPY")
        case .p256, .p256OrRSA:
            EvidenceError(
                .wrongKindOfKey, "expected \(wanted.name), found \(name) (\(kind), \(container))",
                hint: name == named("EC")
                    ? "use P-256 (prime256v1), with a named curve and an uncompressed point"
                    : name == named("SM2")
                        ? "SM2 is another curve than P-256: make a key on P-256"
                        : wanted.algorithm == .p256 ? "give a key on P-256" : "give an RSA key, or one on P-256")
        }
    }

    private static func wrongKind(_ what: String, _ wanted: Wanted, hint: String? = nil) -> EvidenceError {
        let half = wanted.half == .private ? "private" : "public"
        let form = "give a \(half) key in PEM, which begins with -----BEGIN \(half.uppercased()) KEY-----"
        return EvidenceError(.wrongKindOfKey, "expected \(wanted.name), found \(what)", hint: hint ?? form)
    }

    // MARK: - Unpacking

    /// The blocks of a file, those that could not be read among them, and how they were packed.
    private struct Parts {
        let blocks: [Result<KeyBlock, EvidenceError>]
        let container: String
    }

    private static func parts(of bytes: Span<UInt8>, _ wanted: Wanted) throws(EvidenceError) -> Parts {
        guard bytes.count <= Limits.keyFileBytes else {
            throw EvidenceError(.unreadableKey, "the key file is too long: \(bytes.count) bytes")
        }
        guard bytes.count > 0 else { throw EvidenceError(.unreadableKey, "the key file is empty") }
        if let parts = try unpack(bytes, container: "") { return parts }
        // Neither PEM nor DER: perhaps base64 of one of them, with or without line breaks.
        let text = withoutWhiteSpace(bytes)
        if let inner = text.withExposedBytes({ SecretBytes(base64: $0) }) {
            let parts = try inner.withExposedBytes { bytes throws(EvidenceError) in
                try bytes.isEmpty ? nil : unpack(bytes, container: "base64 of ")
            }
            if let parts { return parts }
            try inner.withExposedBytes { inner throws(EvidenceError) in
                try refusePoint(inner, wanted)
                let found = Recognised(concealing: inner)
                guard found.isAny(.key, .publicKey), let name = found.name else { return }
                throw EvidenceError(
                    .unreadableKey, "expected \(wanted.name), found base64 of \(name)",
                    hint: Recognised.chain([KnownForm.fromBase64] + [found.step].compactMap(\.self)))
            }
        }
        try refusePoint(bytes, wanted)
        guard !bytes.isZeros else {
            throw EvidenceError(
                .notAKey, "expected \(wanted.name), found nothing but zero bytes",
                hint: "copy the file again, or export the key again: its content was never written")
        }
        let found = Recognised(concealing: bytes)
        // Base64 of something unknown is not even that: any text may look so.
        let isNamed = !found.isAny(.general) && !found.layers.allSatisfy { $0.id == "base64" }
        let isTwice = text.withExposedBytes { SecretBytes(base64: $0) }?.withExposedBytes { $0.isLongBase64 } ?? false
        let name = found.fingerprint ?? (isNamed ? found.name : isTwice ? "base64 of base64" : nil)
        if name == nil, let start = Self.keyInText(bytes) {
            throw EvidenceError(
                .unreadableKey,
                "expected \(wanted.name), found a text with base64 of a key in it (a program's source?)",
                hint: #"take it out: perl -0777 -pe 's/^.*[^\w+\/=\r\n](?=[\w+\/=]{4,}\r?$)//gm; "#
                    + "s/^.*?(?=\(start))//s; "
                    + #"s/["\047][^"\047]*["\047]//g; s/["\047),].*//s; s/\\[rn]//g' FILE > COPY"#)
        }
        throw EvidenceError(
            found.isAny(.key) ? .unreadableKey : .notAKey,
            "expected \(wanted.name), found \(name ?? "neither a key nor a certificate")",
            hint: (isNamed && found.fingerprint == nil && !(wanted.half == .private && found.isAny(.publicKey))
                ? found.step : isTwice ? "\(KnownForm.fromBase64); and give the copy" : nil)
                ?? "give a key in PEM, in DER, or in base64 of either")
    }

    /// With what the base64 of a key begins that stands somewhere in a text, after something else.
    private static func keyInText(_ text: Span<UInt8>) -> String? {
        for start in ["MII", "LS0tLS1C"] {
            let place = text.indices.dropFirst().first { place in
                text.extracting(place...).hasPrefix(start) && !text.extracting(place - 1..<place).isBase64Alone
                    && text.count - place >= 48 && text.extracting(place..<place + 48).isBase64Alone
            }
            if place != nil { return start }
        }
        return nil
    }

    /// A bare point, where a P-256 public key is wanted: what it lacks is the same for every such key.
    private static func refusePoint(_ bytes: Span<UInt8>, _ wanted: Wanted) throws(EvidenceError) {
        guard wanted.half == .public, wanted.algorithm != .rsa, bytes.count == 65, bytes[0] == 4 else { return }
        throw EvidenceError(
            .unreadableKey,
            "expected \(wanted.name), found a bare point of P-256 (X9.63), as SecKeyCopyExternalRepresentation gives "
                + "it",
            hint: "put its header in front: (echo MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgA= | base64 -d; cat FILE) > COPY, "
                + "where FILE has the 65 bytes")
    }

    private static func unpack(_ bytes: Span<UInt8>, container: String) throws(EvidenceError) -> Parts? {
        // "0" as text is the same byte.
        if bytes[0] == 0x30, !bytes.isText {
            return Parts(blocks: [.success(KeyBlock(der: SecretBytes(copying: bytes)))], container: container + "DER")
        }
        let places = PEMText.blocks(in: bytes)
        guard !places.isEmpty else { return nil }
        guard places.count <= Limits.keyFileBlocks else {
            throw EvidenceError(.unreadableKey, "more than \(Limits.keyFileBlocks) PEM blocks in one file")
        }
        var blocks: [Result<KeyBlock, EvidenceError>] = []
        for place in places {
            do throws(EvidenceError) { blocks.append(.success(try block(bytes.extracting(place)))) } catch {
                guard error.code == .unreadableKey else { throw error }
                blocks.append(.failure(error))
            }
        }
        return Parts(blocks: blocks, container: container + "PEM")
    }

    private static func block(_ text: Span<UInt8>) throws(EvidenceError) -> KeyBlock {
        guard text.contains("-----END ") else {
            if let found = Recognised(concealing: text).form, found.id == "pem-dashes" { throw found.asKeyFault }
            throw EvidenceError(
                .unreadableKey, "the PEM is cut off: it has no -----END line",
                hint: "export the key again, and copy all of it")
        }
        if let lines = PEMText.unfolded(text) {
            return try lines.withExposedBytes { lines throws(EvidenceError) in try block(ofLines: lines) }
        }
        return try block(ofLines: text.extracting(PEMText.trimmed(text) ?? text.indices))
    }

    private static func block(ofLines text: Span<UInt8>) throws(EvidenceError) -> KeyBlock {
        if let read = try KeyBlock(pem: text) { return read }
        if let found = Recognised(concealing: text).form,
            KnownForm.brokenKeys.contains(found) || found.id.hasPrefix("pgp-")
        {
            throw found.asKeyFault
        }
        if let (first, last) = labels(of: text), first != last {
            throw EvidenceError(
                .unreadableKey, "the PEM begins as \(first) and ends as \(last)",
                hint: "write the same label into both lines: the one that the key's own file has")
        }
        throw EvidenceError(
            .unreadableKey, "the PEM is damaged between its -----BEGIN and -----END lines",
            hint: "export the key again: characters of its lines are missing, or others were put in")
    }
}

extension KnownForm {
    /// A refusal of a key that has this form.
    fileprivate var asKeyFault: EvidenceError { EvidenceError(.unreadableKey, "found \(name)", hint: step) }
}

/// The labels of a PEM block, if both are written as labels are.
private func labels(of text: Span<UInt8>) -> (String, String)? {
    func label(after mark: String) -> String? {
        guard let place = text.indices.first(where: { text.extracting($0...).hasPrefix(mark) }) else { return nil }
        var label = ""
        for i in place + mark.utf8.count..<text.count where label.utf8.count < 40 {
            if text.extracting(i...).hasPrefix("-----") { return label }
            let isCapital = (0x41...0x5A).contains(text[i])
            guard isCapital || (0x30...0x39).contains(text[i]) || text[i] == 0x20 else { return nil }
            label.unicodeScalars.append(Unicode.Scalar(text[i]))
        }
        return nil
    }
    guard let first = label(after: "-----BEGIN "), let last = label(after: "-----END ") else { return nil }
    return (first, last)
}

/// Reads a second time before a key is called damaged, or a passphrase wrong.
///
/// If a single allocation fails while OpenSSL 3.0 decodes a key, it may leave a part out and report nothing. Failures
/// that persist are reported.
func readingTwice(_ read: () throws(EvidenceError) -> FoundKey) throws(EvidenceError) -> FoundKey {
    do throws(EvidenceError) { return try read() } catch {
        guard error.code == .unreadableKey || error.code == .wrongPassphrase else { throw error }
        return try read()
    }
}

/// A key, and the form in which it was found.
struct FoundKey {
    let handle: PKey
    let format: String
    var certificate: CertificateFacts?
}

extension Span<UInt8> {
    /// Whether every byte is a printable ASCII character, a blank or an end of a line.
    fileprivate var isText: Bool {
        for index in indices where !(0x20...0x7E).contains(self[index]) && ![9, 10, 13].contains(self[index]) {
            return false
        }
        return true
    }

    fileprivate var isZeros: Bool {
        for index in indices where self[index] != 0 { return false }
        return true
    }

    /// Whether it is base64 that is long enough for a key, as text.
    fileprivate var isLongBase64: Bool { count >= 64 && isBase64Alone }

    /// Whether all of it is base64, standard or URL-safe, or ends of its lines.
    fileprivate var isBase64Alone: Bool {
        for index in indices {
            let byte = self[index]
            let isLetter = (0x41...0x5A).contains(byte & 0xDF) || (0x30...0x39).contains(byte)
            guard isLetter || [0x2B, 0x2F, 0x3D, 0x2D, 0x5F, 0x0A, 0x0D].contains(byte) else { return false }
        }
        return true
    }

    package func hasPrefix(_ text: String) -> Bool {
        guard count >= text.utf8.count else { return false }
        var i = 0
        for byte in text.utf8 {
            if self[i] != byte { return false }
            i += 1
        }
        return true
    }

    func contains(_ text: String) -> Bool {
        guard count >= text.utf8.count else { return false }
        return (0...count - text.utf8.count).contains { extracting($0...).hasPrefix(text) }
    }
}
