// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceKit
import Foundation
import Glibc
import TestVectorSupport
import Testing

/// A key on a PKCS#11 token (SoftHSM) opens, through OpenSSL's engine or a provider, and never leaves it.
///
/// Each test runs in a process of its own: which token there is, its environment says. `scripts/test` installs what
/// is needed; where it is missing, these fail, unless `EVIDENCE_WITHOUT_TOKENS` says that there shall be none.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["EVIDENCE_WITHOUT_TOKENS"] == nil)) struct TokenTests {
    @Test func aKeyThatCannotBeExportedOpensAPayload() async {
        await #expect(processExitsWith: .success) {
            let token = try Token(holding: "rsa2048.pem")
            let key = try token.key()
            #expect(!(key is RSAPrivateKey) && !key.substituteSecret.isLasting)
            let recipient = try RSAPublicKey(contentsOf: Vectors.path("keys/rsa2048.public.pem"))
            #expect(key.publicKey == recipient)

            let order = try OrderNumber("ord1")
            let video = [UInt8](repeating: 7, count: 100_000)
            let payload = MemoryDestination()
            try PayloadSealer(orderNo: order, to: recipient).seal(MemorySource(video), into: payload)
            let opened = MemoryDestination()
            _ = try PayloadOpener(key).open(of: order, from: MemorySource(payload.bytes), into: opened)
            #expect(opened.bytes == video)

            // From the token to another key.
            let newKey = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa3072.pem"))
            let rewrapped = MemoryDestination()
            try PayloadOpener(key).rewrap(
                of: order, from: MemorySource(payload.bytes), to: newKey.publicKey, into: rewrapped)
            let again = MemoryDestination()
            _ = try PayloadOpener(newKey).open(of: order, from: MemorySource(rewrapped.bytes), into: again)
            #expect(again.bytes == video)

            // A wrapped key that does not unwrap is refused like a tag that is wrong.
            for place in [40, payload.bytes.count - 20] {
                var changed = payload.bytes
                changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let nothing = MemoryDestination()
                #expect(throws: EvidenceError.cannotOpen) {
                    try PayloadOpener(key).open(of: order, from: MemorySource(changed), into: nothing)
                }
                #expect(nothing.bytes.isEmpty)
            }
            // A part, for which the token is asked once.
            let reader = try PayloadOpener(key).parts(of: order, from: MemorySource(payload.bytes))
            var part: [UInt8] = []
            try reader.read(20_000..<60_000, to: &part)
            #expect(part == Array(video[20_000..<60_000]))
        }
    }

    @Test func everyPaddingThatTheKeyMayUndoIsUndone() async {
        await #expect(processExitsWith: .success) {
            let token = try Token(holding: "rsa2048.pem")
            let key = try token.key()
            let inMemory = try RSAPrivateKey(contentsOf: Vectors.path("keys/rsa2048.pem"))
            var paddings = [KeyWrapping.Padding.weakPKCS1v15]
            for hash in DigestAlgorithm.allCases {
                paddings += DigestAlgorithm.allCases.map { .oaep(OAEP(hash, mgf1: $0)) }
            }
            for padding in paddings {
                let content = try AESKey.generate()
                let wrapped = try key.publicKey.wrap(content, as: KeyWrapping(padding))
                for _ in 0..<2 {
                    let opened = try key.unwrapOrSubstitute(wrapped.span, as: KeyWrapping(padding), size: .bits256)
                    let isSame = AESKey.isSame(content, opened)
                    #expect(isSame, "\(padding)")
                }
            }
            // Bytes, however they look, and a number beyond the modulus: substitutes, and always the same.
            for byte in [UInt8(0), 1, 0x7F, 0xFF] {
                let wrapped = [UInt8](repeating: byte, count: 256)
                let one = try key.unwrapOrSubstitute(wrapped.span, as: KeyWrapping(), size: .bits256)
                let two = try key.unwrapOrSubstitute(wrapped.span, as: KeyWrapping(), size: .bits256)
                let isSame = AESKey.isSame(one, two)
                #expect(isSame)
                if byte < 0x80 {
                    let raw = try key.decryptRaw(wrapped.span)
                    let expected = try inMemory.decryptRaw(wrapped.span)
                    let isRight = SecretBytes.isSame(raw, expected)
                    #expect(isRight)
                }
            }
            withExtendedLifetime(token) {}
        }
    }

    /// Its substitutes differ after a restart; without a tag, that shows.
    @Test func pkcs1WithoutATagIsRefused() async {
        await #expect(processExitsWith: .success) {
            let token = try Token(holding: "rsa2048.pem")
            let profile = try #require(Profile.preset(named: "wbface-simple"))
            let iv = Array("0123456789abcdef".utf8)
            let payload = MemoryDestination()
            try PayloadSealer(
                orderNo: OrderNumber("ord1"), to: token.key().publicKey, sealedAs: profile, iv: iv
            ).seal(MemorySource([1, 2, 3]), into: payload)
            let opened = MemoryDestination()
            let error = #expect(throws: EvidenceError.self) {
                _ = try PayloadOpener([token.key()], sealedAs: profile, iv: iv, accepting: .none).open(
                    from: MemorySource(payload.bytes), into: opened)
            }
            #expect(error?.code == .unsuitableKey)
            #expect(opened.bytes.isEmpty)
        }
    }

    @Test func aFaultOfTheTokenIsReported() async {
        await #expect(processExitsWith: .success) {
            let token = try Token(holding: "rsa2048.pem")
            func code(_ body: () throws -> Void) -> EvidenceError.Code? {
                do { try body() } catch { return (error as? EvidenceError)?.code }
                return nil
            }
            #expect(code { _ = try KeyStore.key(at: Token.uri) } == .passphraseNeeded)
            #expect(code { _ = try token.key(pin: "9999") } == .keyUnavailable)
            #expect(code { _ = try token.key(at: "pkcs11:token=evidence;object=other") } == .keyUnavailable)
            #expect(code { _ = try token.key(at: "pkcs11:token=other;object=payload") } == .keyUnavailable)
            // The right one, after all that.
            _ = try token.key()
        }
    }

    /// It is not the payload's fault.
    @Test func aTokenThatIsGoneIsAFailureOfTheSystem() async {
        await #expect(processExitsWith: .success) {
            var token: Token? = try Token(holding: "rsa2048.pem")
            let key = try #require(try token?.key())
            let payload = MemoryDestination()
            try PayloadSealer(orderNo: OrderNumber("ord1"), to: key.publicKey)
                .seal(MemorySource([1, 2, 3]), into: payload)
            token = nil
            let error = #expect(throws: EvidenceError.self) {
                try PayloadOpener(key).open(from: MemorySource(payload.bytes), into: MemoryDestination())
            }
            #expect(error?.code == .keyFailed && error?.code.isSystem == true)
        }
    }

    @Test func manyThreadsUseOneKey() async {
        await #expect(processExitsWith: .success) {
            let token = try Token(holding: "rsa2048.pem")
            let key = try token.key()
            let wrapped = try key.publicKey.wrap(AESKey.generate(), as: KeyWrapping())
            let first = try key.unwrapOrSubstitute(wrapped.span, as: KeyWrapping(), size: .bits256)
            let bytes = first.withExposedBytes { bytes in bytes.indices.map { bytes[$0] } }
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        (0..<50).allSatisfy { _ in
                            guard let key = try? key.unwrapOrSubstitute(wrapped.span, as: KeyWrapping(), size: .bits256)
                            else { return false }
                            return key.withExposedBytes { key in key.indices.allSatisfy { key[$0] == bytes[$0] } }
                        }
                    }
                }
                for await isRight in group { #expect(isRight) }
            }
            withExtendedLifetime(token) {}
        }
    }
}

/// A token of SoftHSM in a folder of its own, with one key.
private struct Token {
    static let uri = "pkcs11:token=evidence;object=payload"
    private let folder: TemporaryFolder

    init(holding name: String) throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("tokens"), withIntermediateDirectories: false)
        let configuration = "directories.tokendir = \(folder("tokens"))\nlog.level = ERROR\n"
        try Data(configuration.utf8).write(to: URL(filePath: folder("softhsm2.conf")))
        unsafe setenv("SOFTHSM2_CONF", folder("softhsm2.conf"), 1)
        unsafe setenv("PKCS11_MODULE_PATH", "/usr/lib/softhsm/libsofthsm2.so", 1)
        // For a provider instead of the engine: before OpenSSL reads its configuration.
        if let file = ProcessInfo.processInfo.environment["EVIDENCE_TOKENS_CONF"] {
            unsafe setenv("OPENSSL_CONF", file, 1)
        }
        try run("--init-token", "--free", "--label", "evidence", "--pin", "1234", "--so-pin", "5678")
        try run(
            "--import", Vectors.path("keys/\(name)"), "--token", "evidence", "--label", "payload", "--id", "01",
            "--pin", "1234")
    }

    private func run(_ words: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/softhsm2-util")
        process.arguments = words
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    func key(at uri: String = Token.uri, pin: String = "1234") throws -> any DecryptionKey {
        let pin = Array(pin.utf8)
        return try KeyStore.key(at: uri, pin: SecretBytes(copying: pin.span))
    }
}
