// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
internal import VendorTypes

/// A host for calls or browsers: a DNS name, with or without a port, and nothing else.
///
/// An answer's `optimalDomain` is checked here before it becomes part of a URL: `a.example/x?`, `user@host` and
/// the like are not hosts.
public struct VendorHost: Hashable, Sendable, CustomStringConvertible {
    /// The name in lower case, with `:port` if one was given.
    package let authority: String

    /// A host. Numeric addresses are refused, except this machine's own, 127.0.0.1.
    ///
    /// - Throws: ``EvidenceError`` (`.value`) if the text is not the name of a host.
    public init(_ text: String) throws(EvidenceError) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let isPortRight = parts.count < 2 || Self.isPort(Array(parts[1]))
        guard let name = parts.first.map(Array.init), isPortRight, Self.isName(name) else {
            throw EvidenceError(.value, "a host must be a name such as \(Self.standard), with or without a port")
        }
        authority = text.lowercased()
    }

    private init(known authority: String) { self.authority = authority }

    /// The host for calls on the vendor's current pages (1007/57603).
    public static let standard = VendorHost(known: "kyc1.qcloud.com")
    /// The host for browsers if an answer names no `optimalDomain`, according to an older page (GH:启动 H5 人脸核身). Public
    /// code also uses others: make it a setting.
    public static let launchFallback = VendorHost(known: "miniprogram-kyc.tencentcloudapi.com")

    /// Whether it is this machine, as for a sandbox. Only there, HTTP without TLS is used.
    package var isLoopback: Bool {
        ["localhost", "127.0.0.1"].contains(authority.prefix { $0 != ":" })
    }

    /// `https`, or `http` for this machine itself.
    package var scheme: String { isLoopback ? "http" : "https" }

    /// Name and port.
    public var description: String { authority }

    private static func isName(_ name: [UInt8]) -> Bool {
        guard Limits.hostCharacters.contains(name.count) else { return false }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        guard
            labels.allSatisfy({ label in
                Limits.hostLabelCharacters.contains(label.count) && label.first != hyphen && label.last != hyphen
                    && label.allSatisfy { ByteSet.lettersAndDigits.contains($0) || $0 == hyphen }
            })
        else { return false }
        if ["localhost", "127.0.0.1"].contains(String(decoding: name, as: UTF8.self).lowercased()) { return true }
        // A name whose last label is all digits is an address, which can be spelled in too many ways.
        return labels.count > 1 && labels.last?.contains { !ByteSet.digits.contains($0) } == true
    }

    private static func isPort(_ digits: [UInt8]) -> Bool {
        guard digits.first != UInt8(ascii: "0"), digits.allSatisfy(ByteSet.digits.contains),
            let port = UInt16(String(decoding: digits, as: UTF8.self))
        else { return false }
        return port > 0
    }
}
