// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceErrors
import Foundation
import TestVectorSupport
import Testing

/// The error of something that must fail, if it fails with a ``EvidenceError``.
func failure(_ body: () throws -> Void) -> EvidenceError? {
    do { try body() } catch { return error as? EvidenceError }
    return nil
}

func secret(_ bytes: [UInt8]) -> SecretBytes { SecretBytes(copying: bytes.span) }
func secret(_ text: String) -> SecretBytes { secret(Array(text.utf8)) }

func aesKey(_ bytes: [UInt8]) throws -> AESKey { try AESKey(importing: secret(bytes)) }

func exposed(_ secret: borrowing SecretBytes) -> [UInt8] {
    secret.withExposedBytes { bytes in bytes.indices.map { bytes[$0] } }
}

func exposed(_ key: borrowing AESKey) -> [UInt8] {
    key.withExposedBytes { bytes in bytes.indices.map { bytes[$0] } }
}

extension RSAPublicKey {
    func wrap(_ key: borrowing AESKey, _ padding: OAEP) throws -> [UInt8] {
        try wrap(key, as: KeyWrapping(.oaep(padding)))
    }
}

extension DecryptionKey {
    func unwrap(_ wrapped: Span<UInt8>, _ padding: OAEP) throws -> SecretBytes { try decrypt(wrapped, padding) }

    /// A content key, or `.cannotOpen`: what the library never says.
    func unwrap(_ wrapped: Span<UInt8>, _ padding: OAEP, size: AESKey.Size) throws -> AESKey {
        let message = try decrypt(wrapped, padding)
        guard message.count == size.byteCount else { throw EvidenceError.cannotOpen }
        return try AESKey(importing: message)
    }

    func unwrapOrSubstitute(_ wrapped: Span<UInt8>, _ padding: OAEP, size: AESKey.Size) throws -> AESKey {
        try unwrapOrSubstitute(wrapped, as: KeyWrapping(.oaep(padding), allowsWeakKeys: true), size: size)
    }
}

let weakWrapping = KeyWrapping(.weakPKCS1v15, allowsWeakKeys: true)

/// The bytes of a file of `TestVectors/keys`.
func keyFile(_ name: String) throws -> [UInt8] { try Vectors.bytes("keys/\(name)") }

func keyText(_ name: String) throws -> String { String(decoding: try keyFile(name), as: UTF8.self) }

/// A test key, parsed once for all tests.
func privateKey(_ name: String) throws -> RSAPrivateKey {
    try #require(privateKeys[name], "\(name) is not among the keys that are kept")
}

private let privateKeys: [String: RSAPrivateKey] = {
    var keys: [String: RSAPrivateKey] = [:]
    for name in ["rsa1024.pem", "rsa2048.pem", "rsa2048-e3.pem", "rsa3072.pem", "rsa4096.pem", "other3072.pem"] {
        keys[name] = try? RSAPrivateKey(encoded: secret(keyFile(name)))
    }
    return keys
}()

/// The passphrase of every encrypted test key.
let passphrase = "correct horse"

/// DER (X.690), as much as hand-made keys need.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { tagged(0x30, parts.flatMap(\.self)) }

    /// A number that is not negative, from its bytes, highest first.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        var bytes = Array(magnitude.drop { $0 == 0 })
        if (bytes.first ?? 0x80) >= 0x80 { bytes.insert(0, at: 0) }
        return tagged(0x02, bytes)
    }

    static func octets(_ bytes: [UInt8]) -> [UInt8] { tagged(0x04, bytes) }

    /// SubjectPublicKeyInfo of an RSA key.
    static func publicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        sequence(rsaEncryption, tagged(0x03, [0] + sequence(integer(modulus), integer(exponent))))
    }

    static let rsaEncryption = sequence([0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1], [0x05, 0])

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + length + content
    }
}

/// What the `openssl` command answers, or `nil` where it fails.
func openssl(_ arguments: [String], input: [UInt8]) throws -> String? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    let (input, output) = (Pipe(), (Pipe(), input))
    process.standardInput = input
    process.standardOutput = output.0
    process.standardError = FileHandle.nullDevice
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(output.1))
    try input.fileHandleForWriting.close()
    let text = try output.0.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: text, as: UTF8.self) : nil
}

/// Whether there is such a command: the library alone does not bring it.
let hasOpenSSLCommand = (try? openssl(["version"], input: [])) ?? nil != nil
