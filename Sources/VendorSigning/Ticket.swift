// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import Synchronization

/// A ticket of the vendor's token service: the only secret that goes into a sign.
///
/// Its value is wiped when the ticket is destroyed. No description shows it, and its only accessor is
/// ``withExposedValue(_:)``. Times are monotonic: the vendor's `expire_time` is for display only (1007/57613); what
/// counts is `expire_in`, the seconds from the answer on.
///
/// An example: <doc:SigningCalls>.
public final class Ticket: Sendable, Concealed {
    /// The two kinds of ticket (1007/57613, 1007/57614).
    public enum Kind: String, CaseIterable, Sendable {
        /// For calls between servers and for results; valid for an hour, reusable.
        case sign = "SIGN"
        /// For one launch by one user; valid for two minutes, used once.
        case nonce = "NONCE"

        /// How long such a ticket is valid (`expire_in`: 3600 s and 120 s).
        public var lifetime: Duration { self == .sign ? .seconds(3600) : .seconds(120) }
    }

    /// What the ticket is for.
    public let kind: Kind
    /// When it was issued, if known.
    public let issued: ContinuousClock.Instant?
    /// When it expires, if known.
    public let expires: ContinuousClock.Instant?
    private let value: SecretBytes
    private let isClaimed = Mutex(false)

    /// A ticket whose age is known.
    ///
    /// - Parameters:
    ///   - kind: the kind of ticket.
    ///   - value: the value.
    ///   - issued: when the answer that brought it arrived.
    ///   - lifetime: the `expire_in` of that answer; `nil` for what the vendor's page says of the kind.
    /// - Throws: ``EvidenceError`` (`.ticket`) unless the value is 1 to 256 printable ASCII characters without a blank.
    public convenience init(
        _ kind: Kind, _ value: consuming SecretBytes, issued: ContinuousClock.Instant, lifetime: Duration? = nil
    ) throws(EvidenceError) {
        try self.init(kind, value, issued: issued, expires: issued.advanced(by: lifetime ?? kind.lifetime))
    }

    /// A ticket of unknown age, from a file for instance. It is assumed to be valid.
    ///
    /// - Throws: ``EvidenceError`` (`.ticket`) unless the value is 1 to 256 printable ASCII characters without a blank.
    public convenience init(_ kind: Kind, _ value: consuming SecretBytes) throws(EvidenceError) {
        try self.init(kind, value, issued: nil, expires: nil)
    }

    package init(
        _ kind: Kind, _ value: consuming SecretBytes, issued: ContinuousClock.Instant?,
        expires: ContinuousClock.Instant?
    ) throws(EvidenceError) {
        try value.withExposedBytes { bytes throws(EvidenceError) in
            guard (1...Limits.ticketBytes).contains(bytes.count) else {
                throw EvidenceError(.ticket, "a ticket has 1 to \(Limits.ticketBytes) characters, not \(bytes.count)")
            }
            // Otherwise a line feed at the end of a file, or a quotation mark, would become part of every sign.
            let end = bytes.indices.reversed().first { bytes[$0] != UInt8(ascii: "=") } ?? 0
            for i in bytes.indices where i <= end {
                guard let kind = Self.kind(ofForeign: bytes.extracting(i...)) else { continue }
                throw EvidenceError(
                    .ticket, "character \(i + 1) of the ticket is \(kind), which no ticket has",
                    hint: "use the `value` of the answer alone: no quotation marks, name, comma, blank or line break")
            }
        }
        self.kind = kind
        self.value = value
        self.issued = issued
        self.expires = expires
    }

    /// What kind of character it is, never which one; `nil` for one that a ticket may have. The published ones have
    /// letters and digits; a base64 text is accepted as well.
    private static func kind(ofForeign rest: Span<UInt8>) -> String? {
        switch rest[0] {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: nil
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "~"):
            nil
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): "a quotation mark"
        case UInt8(ascii: "="): "an equals sign"
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"): "a comma, a semicolon or a colon"
        case 0x20, 0x09: "a blank"
        case 0x0A, 0x0D: "a line break"
        case UInt8(ascii: "\\"): "a backslash"
        case UInt8(ascii: "%"): "a percent sign"
        case 0x21...0x7E: "a punctuation mark"
        case 0x80...: kind(beyondASCII: rest)
        default: "a control character"
        }
    }

    private static func kind(beyondASCII rest: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for i in 0..<min(rest.count, 4) { bytes.append(rest[i]) }
        guard let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first else { return "not ASCII" }
        switch scalar.value {
        case 0xFFFD: return "not UTF-8"
        case 0xAD, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2064, 0xFEFF: return "an invisible character"
        case 0xA0, 0x2000...0x200A, 0x202F, 0x3000: return "a blank beyond ASCII"
        case 0x2010...0x2015, 0x2212: return "a dash beyond ASCII"
        case 0x2018...0x201F, 0xAB, 0xBB, 0x300C...0x300F: return "a quotation mark beyond ASCII"
        case 0xFF01...0xFF5E: return "a full-width character"
        default: return scalar.properties.isAlphabetic ? "a letter beyond ASCII" : "not ASCII"
        }
    }

    /// Whether the ticket has expired at a given time.
    public func isExpired(at now: ContinuousClock.Instant = .now) -> Bool {
        expires.map { now >= $0 } ?? false
    }

    /// Whether this NONCE ticket has signed already.
    package var isUsed: Bool { isClaimed.withLock { $0 } }

    /// Marks a NONCE ticket as used. A SIGN ticket may be used any number of times.
    ///
    /// ``SignInput/sign(with:at:)`` calls this; call it if you use a ticket in another way.
    ///
    /// - Throws: ``EvidenceError``: `.ticketUsed` for the second use of a NONCE ticket.
    package func claim() throws(EvidenceError) {
        guard kind == .nonce else { return }
        let isFirst = isClaimed.withLock { isClaimed in
            defer { isClaimed = true }
            return !isClaimed
        }
        guard isFirst else {
            throw EvidenceError(
                .ticketUsed, "this NONCE ticket has been used", hint: "a NONCE ticket signs one launch; fetch a new one"
            )
        }
    }

    /// Lends the ticket's value to `body`, which must not keep it.
    ///
    /// - Throws: what `body` throws.
    public func withExposedValue<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try value.withExposedBytes(body)
    }

    /// Whether two tickets have the same value, in time that depends on their lengths alone.
    public static func hasSameValue(_ left: Ticket, _ right: Ticket) -> Bool {
        SecretBytes.isSame(left.value, right.value)
    }

    /// The kind, never the value.
    public var description: String { "\(kind.rawValue) ticket" }
}
