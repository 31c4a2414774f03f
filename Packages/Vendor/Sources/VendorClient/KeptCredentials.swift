// SPDX-License-Identifier: Apache-2.0
internal import EvidenceKit
internal import VendorServer

/// A stored token or ticket.
final class KeptSecret: Sendable {
    let value: SecretBytes
    let issued: Stamp
    let lifetime: Duration
    /// When the vendor issued its replacement: a minute later it expires.
    let replaced: Stamp?

    init(_ value: consuming SecretBytes, issued: Stamp, lifetime: Duration, replaced: Stamp? = nil) {
        self.value = value
        self.issued = issued
        self.lifetime = lifetime
        self.replaced = replaced
    }

    /// Its age; `nil` if it has expired, or no clock can tell.
    func age(at now: ClockReading) -> Duration? {
        guard let age = issued.age(at: now), age < lifetime else { return nil }
        guard let replaced else { return age }
        guard let since = replaced.age(at: now), since < InMemoryTicketStore.overlap else { return nil }
        return age
    }

    /// Whether a renewal is due: after 20 minutes, or earlier if its validity is short.
    func isDue(at now: ClockReading) -> Bool {
        guard replaced == nil, let age = age(at: now) else { return true }
        return age >= min(InMemoryTicketStore.renewalAge, lifetime * 2 / 3)
    }

    func replaced(at moment: Stamp) -> KeptSecret {
        let copy = value.withExposedBytes { SecretBytes(copying: $0) }
        return KeptSecret(copy, issued: issued, lifetime: lifetime, replaced: replaced ?? moment)
    }

    /// The ticket, if it is valid.
    ///
    /// - Throws: `.ticket`.
    func ticket(at now: ClockReading) throws(EvidenceError) -> Ticket? {
        guard let age = age(at: now) else { return nil }
        var end = lifetime
        if let since = replaced?.age(at: now) { end = min(end, age + InMemoryTicketStore.overlap - since) }
        return try Ticket(
            .sign, value.withExposedBytes { SecretBytes(copying: $0) }, issued: now.instant - age, lifetime: end)
    }

    /// - Throws: `.value`.
    func token(at now: ClockReading) throws(EvidenceError) -> AccessToken? {
        guard replaced == nil, let age = age(at: now) else { return nil }
        return try AccessToken(
            value.withExposedBytes { SecretBytes(copying: $0) }, issued: now.instant - age, lifetime: lifetime)
    }
}

/// The shared record: the token, the SIGN ticket, and the previous one.
///
/// In ASCII, a line each: `evidence-keeper 1`, `app APPID`, `renewal STAMP` (or `-`), `token STAMP SECONDS REPLACED
/// VALUE`, likewise `sign` and `previous`, and `end`. STAMP is `BOOT/MILLISECONDS/MILLISECONDS`: the boot (`-` if
/// unknown), the time since it and since 1970, of the call that brought the value. REPLACED is the STAMP of its
/// replacement, or `-`. A record of another appId or version is an error; a damaged one counts as none.
struct KeptCredentials: Sendable {
    /// When a renewal last began, whatever its outcome.
    var renewalBegan: Stamp?
    var token: KeptSecret?
    var sign: KeptSecret?
    var previous: KeptSecret?

    var stamps: Set<Stamp> {
        let secrets = [token, sign, previous]
        return Set((secrets.map { $0?.issued } + secrets.map { $0?.replaced } + [renewalBegan]).compactMap(\.self))
    }

    /// The credentials for calls, if all of them are valid.
    func usable(at now: ClockReading) throws(EvidenceError) -> (token: AccessToken?, sign: Ticket)? {
        guard let ticket = try sign?.ticket(at: now) else { return nil }
        return (try token?.token(at: now), ticket)
    }

    func isDue(at now: ClockReading) -> Bool {
        (token?.isDue(at: now) ?? true) || (sign?.isDue(at: now) ?? true)
    }

    private static let name = "evidence-keeper "
    static let firstLine = name + "1"
    /// Three values of at most 256 characters, with their times.
    static let byteLimit = 4_096

    /// One line for each value, in this order.
    private static let names = ["token", "sign", "previous"]

    /// The record as bytes.
    func encoded(for appId: AppId) -> SecretBytes {
        let secrets = [token, sign, previous]
        let head = "\(Self.firstLine)\napp \(appId)\nrenewal \(renewalBegan?.text ?? "-")\n"
        let lines = zip(Self.names, secrets).map { name, secret in
            secret.map {
                "\(name) \($0.issued.text) \($0.lifetime.components.seconds) \($0.replaced?.text ?? "-") "
            }
        }
        return SecretBytes(capacity: Self.byteLimit) { out in
            for byte in head.utf8 { out.append(byte) }
            for (line, secret) in zip(lines, secrets) {
                guard let line, let secret else { continue }
                for byte in line.utf8 { out.append(byte) }
                secret.value.withExposedBytes { bytes in
                    for i in bytes.indices { out.append(bytes[i]) }
                }
                out.append(0x0A)
            }
            for byte in "end\n".utf8 { out.append(byte) }
        }
    }

    /// Nothing yet.
    init() {}

    /// Reads an integrator's record.
    ///
    /// A damaged record is not an error: the next renewal replaces it. A file that was never a record is left
    /// unchanged.
    ///
    /// - Throws: `.ticketStore` for anything but a record, a record of a later version, or one of another appId.
    init(reading bytes: Span<UInt8>, for appId: AppId) throws(EvidenceError) {
        guard !bytes.isEmpty else { return }
        // Cut off within its first line, or a file whose blocks never reached the disk.
        let isCutOff =
            bytes.count <= Self.firstLine.utf8.count && Self.firstLine.hasPrefix(Self.text(bytes, bytes.indices))
        if isCutOff || bytes.indices.allSatisfy({ bytes[$0] == 0 }) { return }
        var lines = Lines(bytes)
        let first = lines.next().map { Self.text(bytes, $0) } ?? ""
        guard first.hasPrefix(Self.name) else {
            throw EvidenceError(
                .ticketStore, "the store holds something other than tokens and tickets",
                hint: "it was left unchanged; give the keeper a store of its own")
        }
        guard first == Self.firstLine else {
            // A later version has a number; anything else is damage.
            guard let version = Int(first.dropFirst(Self.name.count)), version > 1 else { return }
            throw EvidenceError(.ticketStore, "the store was written by a later version of this program")
        }
        guard let app = lines.next(), let renewal = lines.next(), bytes.count <= Self.byteLimit else { return }
        let appLine = Self.text(bytes, app)
        guard appLine == "app \(appId)" else {
            guard appLine.hasPrefix("app "), (try? AppId(String(appLine.dropFirst(4)))) != nil else { return }
            throw EvidenceError(
                .ticketStore, "the store holds the tokens of another appId", hint: "give each appId a store of its own")
        }
        var read = KeptCredentials()
        let renewalWords = Self.text(bytes, renewal).split(separator: " ", omittingEmptySubsequences: false)
        guard renewalWords.count == 2, renewalWords[0] == "renewal" else { return }
        if renewalWords[1] != "-" {
            guard let stamp = Stamp(String(renewalWords[1])) else { return }
            read.renewalBegan = stamp
        }
        var names = Self.names[...]
        while let line = lines.next() {
            if line.count == 3, Self.text(bytes, line) == "end" {
                // Data after the end was not written by this program.
                guard lines.isAtEnd else { return }
                self = read
                return
            }
            guard let (name, secret) = Self.secret(bytes, line), let place = names.firstIndex(of: name) else { return }
            names = names[(place + 1)...]
            switch name {
            case "token": read.token = secret
            case "sign": read.sign = secret
            default: read.previous = secret
            }
        }
    }

    /// `NAME ISSUED LIFETIME REPLACED VALUE`. The value never becomes a string.
    private static func secret(_ bytes: Span<UInt8>, _ line: Range<Int>) -> (String, KeptSecret)? {
        let blanks = line.filter { bytes[$0] == 0x20 }
        guard blanks.count == 4 else { return nil }
        let words = zip([line.lowerBound] + blanks.map { $0 + 1 }, blanks).map { text(bytes, $0..<$1) }
        let value = (blanks[3] + 1)..<line.upperBound
        guard let issued = Stamp(words[1]), let seconds = Int64(words[2]), (1...(86_400 * 30)).contains(seconds),
            "\(seconds)" == words[2], (1...256).contains(value.count),
            value.allSatisfy({ (0x21...0x7E).contains(bytes[$0]) })
        else { return nil }
        var replaced: Stamp?
        if words[3] != "-" {
            guard let stamp = Stamp(words[3]) else { return nil }
            replaced = stamp
        }
        let secret = SecretBytes(copying: bytes.extracting(value))
        return (words[0], KeptSecret(secret, issued: issued, lifetime: .seconds(seconds), replaced: replaced))
    }

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }
}

/// The lines of a text, each with its line feed; text after the last line feed is not a line.
private struct Lines {
    private let ends: [Int]
    private let count: Int
    private var index = 0
    private var start = 0

    init(_ bytes: Span<UInt8>) {
        ends = bytes.indices.filter { bytes[$0] == 0x0A }
        count = bytes.count
    }

    var isAtEnd: Bool { start == count }

    mutating func next() -> Range<Int>? {
        guard index < ends.count else { return nil }
        defer {
            start = ends[index] + 1
            index += 1
        }
        return start..<ends[index]
    }
}
