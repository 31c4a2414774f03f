// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Keys, certificates, signatures and time stamps that the `openssl` command makes, in a folder of their own. With
/// `faketime`, at other times than now.
public final class TestAuthorities: Sendable {
    /// Where the files are: `NAME.pem` and `NAME.key`.
    public let folder: TemporaryFolder

    /// Without any.
    public init() throws {
        folder = try TemporaryFolder()
        try folder.write("1000\n", to: "serial")
    }

    /// Whether the command `openssl` is there.
    public static let hasOpenSSL = (try? run(["openssl", "version"])) != nil
    /// Whether the command `faketime` is there as well.
    public static let hasFakeTime = hasOpenSSL && (try? run(["faketime", "2001-01-01", "true"])) != nil

    /// A kind of key: what `openssl req -newkey` takes.
    public static let p256 = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    /// The same for RSA.
    public static func rsa(_ bitCount: Int) -> [String] { ["rsa:\(bitCount)"] }
    /// The same for another curve.
    public static func curve(_ name: String) -> [String] { ["ec", "-pkeyopt", "ec_paramgen_curve:\(name)"] }

    /// Makes a root.
    public func root(
        _ name: String, _ key: [String] = p256, digest: String = "sha256", days: Int = 3_650, at time: String? = nil
    ) throws {
        try openssl(
            ["req", "-x509", "-newkey"] + key + [
                "-nodes", "-\(digest)", "-keyout", "\(name).key", "-out", "\(name).pem", "-days", "\(days)", "-subj",
                "/CN=\(name)",
            ], at: time)
    }

    /// Makes a certificate that another one issues.
    ///
    /// - Parameter usage: its extended key usage; empty for an authority between root and leaf.
    public func issue(
        _ name: String, by issuer: String, for usage: String, _ key: [String] = p256, digest: String = "sha256",
        issuing options: [String] = [], days: Int = 3_000, at time: String? = nil
    ) throws {
        try openssl(
            ["req", "-newkey"] + key + [
                "-nodes", "-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)",
            ], at: time)
        let extensions =
            usage.isEmpty
            ? "basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign\n"
            : "keyUsage=critical,digitalSignature\nextendedKeyUsage=\(usage)\n"
        try folder.write(extensions, to: "\(name).ext")
        try openssl(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "\(issuer).pem", "-CAkey", "\(issuer).key", "-\(digest)",
                "-days", "\(days)", "-out", "\(name).pem", "-extfile", "\(name).ext",
            ] + options, at: time)
    }

    /// A certificate for signing documents.
    public static let signing = "emailProtection"
    /// A certificate for time stamps.
    public static let stamping = "critical,timeStamping"

    /// A detached signature over a document, as `openssl cms -cades` makes it.
    public func signature(
        over document: [UInt8], by name: String, digest: String = "sha256", with others: [String] = [],
        _ options: [String] = [], isCAdES: Bool = true
    ) throws -> [UInt8] {
        try Data(document).write(to: folder.url.appending(path: "document"))
        for other in others { try append("\(other).pem", to: "others.pem") }
        defer { try? FileManager.default.removeItem(atPath: folder("others.pem")) }
        try openssl(
            ["cms", "-sign", "-binary"] + (isCAdES ? ["-cades"] : []) + [
                "-md", digest, "-in", "document", "-signer", "\(name).pem", "-inkey", "\(name).key", "-outform", "DER",
                "-out", "signature",
            ] + (others.isEmpty ? [] : ["-certfile", "others.pem"]) + options)
        return try bytes("signature")
    }

    /// The answer of an authority to a query, or to one about a document.
    ///
    /// - Parameter certificateID: the digest by which the token names the certificate.
    public func reply(
        to query: [UInt8]? = nil, about document: [UInt8] = [], by name: String, imprint: String = "sha256",
        digest: String = "sha256", certificateID: String = "sha256", at time: String? = nil
    ) throws -> [UInt8] {
        try folder.write(
            """
            [tsa]
            default_tsa=t
            [t]
            serial=serial
            signer_digest=\(digest)
            default_policy=1.2.3.4.1
            digests=sha256,sha384,sha512,sha1,md5,sha3-256
            ess_cert_id_chain=no
            ess_cert_id_alg=\(certificateID)

            """, to: "tsa.cnf")
        if let query {
            try Data(query).write(to: folder.url.appending(path: "query"))
        } else {
            try Data(document).write(to: folder.url.appending(path: "document"))
            try openssl(["ts", "-query", "-data", "document", "-\(imprint)", "-cert", "-out", "query"])
        }
        try openssl(
            [
                "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query", "-signer", "\(name).pem", "-inkey",
                "\(name).key", "-out", "reply",
            ], at: time)
        return try bytes("reply")
    }

    /// A file of the folder.
    public func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.url.appending(path: name)))
    }

    private func append(_ name: String, to other: String) throws {
        let old = (try? bytes(other)) ?? []
        try Data(old + bytes(name)).write(to: folder.url.appending(path: other))
    }

    /// Runs the `openssl` command in the folder.
    ///
    /// - Parameter time: what `faketime` takes; `nil` for now.
    @discardableResult
    public func openssl(_ words: [String], at time: String? = nil) throws -> [UInt8] {
        try Self.run((time.map { ["faketime", $0] } ?? []) + ["openssl"] + words, in: folder.url)
    }

    /// Runs a command, which must succeed.
    @discardableResult
    public static func run(_ words: [String], in folder: URL? = nil) throws -> [UInt8] {
        let (status, output) = try outcome(of: words, in: folder)
        guard status == 0 else {
            throw Failure(words: words, status: status, output: String(decoding: output, as: UTF8.self))
        }
        return output
    }

    /// Runs a command: its exit status, and what it printed on either stream.
    public static func outcome(of words: [String], in folder: URL? = nil) throws -> (status: Int32, output: [UInt8]) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(["TZ": "UTC", "LC_ALL": "C"]) { $1 }
        if let folder { process.currentDirectoryURL = folder }
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, Array(bytes))
    }

    /// A command that failed.
    public struct Failure: Error {
        let words: [String]
        let status: Int32
        let output: String
    }
}
