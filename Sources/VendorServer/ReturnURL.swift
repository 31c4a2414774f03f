// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import VendorTypes

/// The URL to which an H5 verification returns: the `url` of a launch, not percent-encoded. The launch encodes it.
public struct ReturnURL: Hashable, Sendable, CustomStringConvertible {
    /// A warning about a valid return URL.
    public struct Warning: Hashable, Sendable, CustomStringConvertible {
        /// One sentence without a full stop.
        public let description: String

        /// Anyone in between can read and change the callback.
        package static let plainHTTP = Warning(description: "it is not HTTPS: what comes back can be read and changed")
        /// The vendor puts its parameters before a fragment (a third party's code).
        package static let fragment = Warning(
            description:
                "it has a fragment (#): the parameters are put before it, where a client-side route does not look")
        /// What the vendor does with an existing query is not published.
        package static let query = Warning(
            description: "it has its own query: the vendor does not document what becomes of it")
    }

    /// The URL.
    package let value: String
    /// Findings that are no reason to refuse it.
    public let warnings: [Warning]

    /// An absolute URL of HTTPS or HTTP (RFC 3986), not encoded as a whole.
    ///
    /// - Throws: ``EvidenceError`` (`.value`) for anything else, and for one of more than `Limits.returnURLBytes`.
    public init(_ text: String) throws(EvidenceError) {
        let bytes = Array(text.utf8)
        let lower = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else {
            throw EvidenceError(
                .value, "a return URL begins with https://",
                hint: lower.hasPrefix("http") && lower.contains("%3a")
                    ? "pass it unencoded: the launch encodes it" : nil
            )
        }
        guard bytes.count <= Limits.returnURLBytes else {
            throw EvidenceError(.value, "a return URL may have at most \(Limits.returnURLBytes) bytes")
        }
        guard bytes.allSatisfy(Self.characters.contains), bytes.count(where: { $0 == UInt8(ascii: "#") }) <= 1 else {
            throw EvidenceError(
                .value, "it contains a blank or another character that is not allowed in a URL (RFC 3986)")
        }
        let authority = bytes.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
        guard (try? VendorHost(String(decoding: authority, as: UTF8.self))) != nil else {
            throw EvidenceError(.value, "a return URL must have a host, may have a port, and must not have a user")
        }
        value = text
        warnings =
            (scheme == "http://" ? [.plainHTTP] : []) + (bytes.contains(UInt8(ascii: "#")) ? [.fragment] : [])
            + (bytes.prefix { $0 != UInt8(ascii: "#") }.contains(UInt8(ascii: "?")) ? [.query] : [])
    }

    /// The URL.
    public var description: String { value }

    /// Reserved, unreserved, and percent signs (RFC 3986 §2).
    private static let characters = ByteSet.lettersAndDigits.union("-._~:/?#[]@!$&'()*+,;=%")
}
