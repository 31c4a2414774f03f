// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import EvidenceCrypto
import EvidenceKit
import EvidenceStreams
import Foundation
import Glibc
import TestVectorSupport
import Testing

/// After a secret is given up, the memory of the process does not hold it any more.
///
/// Each test runs in a process of its own and reads all that is writable there through `/proc/self/mem`. What is looked
/// for is kept masked, or the search would find itself. Each test finds the secret while it is in use: a search that
/// never finds anything would prove nothing.
@Suite(.enabled(if: isSearchable, "the shadow memory of a sanitizer takes too long to search"))
struct SecretsInMemoryTests {
    @Test(arguments: [1, 2])
    func noContentKeyIsLeftOfSealingOpeningAndRewrapping(threads: Int) async {
        await #expect(processExitsWith: .success) { [threads] in
            let order = try OrderNumber("ord1")
            let key = try RSAPrivateKey.generate(bitCount: 2048)
            let payload = MemoryDestination()
            let video = [UInt8](repeating: 7, count: 3_000_000)
            try PayloadSealer(orderNo: order, to: key.publicKey).seal(MemorySource(video), into: payload)
            let (contentKey, derivedKey) = try needles(unwrapping: payload.bytes, with: key)

            var opener = PayloadOpener(key)
            opener.threads = threads
            let source = MemorySource(payload.bytes)
            try opener.open(from: source, into: DiscardingDestination())
            try opener.rewrap(of: order, from: source, to: key.publicKey, into: DiscardingDestination())
            #expect(try contentKey.places() == [])
            #expect(try derivedKey.places() == [])
        }
    }

    @Test(arguments: KeyWrapping.Form.allCases.map(\.rawValue))
    func noContentKeyIsLeftOfWrappingInAnyForm(name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let form = try #require(KeyWrapping.Form(rawValue: name))
            let key = try RSAPrivateKey.generate(bitCount: 2048)
            let wrapping = KeyWrapping(.oaep(OAEP(.sha256)), form)
            let (raw, text) = try needles(wrapping: wrapping, with: key)
            #expect(try raw.places() == [])
            #expect(try text.places() == [])
        }
    }

    @Test func noPassphraseIsLeft() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let phrase = try useLockedKey(in: folder)
            #expect(try phrase.places() == [])
        }
    }

    /// Of a large block, what is freed stays longest.
    @Test func noArrayThatWasTakenOverIsLeft() async {
        await #expect(processExitsWith: .success) {
            let bytes = try takeArrayOver()
            #expect(try bytes.places() == [])
        }
    }

    @Test func noTicketIsLeft() async {
        await #expect(processExitsWith: .success) {
            let ticket = try useTicket()
            #expect(try ticket.places() == [])
        }
    }

    /// It may be another secret: a key in the place of its passphrase.
    @Test func nothingIsLeftOfASecretFileThatIsTooLong() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let text = try refuseLongFile(in: folder)
            #expect(try text.places() == [])
        }
    }

    /// Each block at the moment it is freed, before anybody can write over it: those that our code frees and those of
    /// OpenSSL's numbers. What else OpenSSL frees is not ours.
    @Test(arguments: ["rsa3072.pem", "rsa3072.pkcs8.der", "rsa3072.scrypt.pem"])
    func noBlockThatWeFreeHoldsAPrivateKey(file: String) async throws {
        let secrets = try PrivateNumbers()
        await #expect(processExitsWith: .success) { [file, secrets = secrets as PrivateNumbers] in
            try FreedBlocks.watch(for: secrets)
            try use(keyAt: Vectors.path("keys/\(file)"), secrets)
            #expect(FreedBlocks.count > 100)
            #expect(FreedBlocks.finds == [])
        }
    }

    /// What OpenSSL frees and reuses is searched by `scripts/steps/faults/secrets.py`, in the command.
    @Test func aProgramMayHaveOpenSSLsMemoryWiped() async throws {
        let secrets = try PrivateNumbers()
        await #expect(processExitsWith: .success) { [secrets = secrets as PrivateNumbers] in
            #expect(OpenSSLMemory.wipeWhenFreed())
            try use(keyAt: Vectors.path("keys/rsa3072.pem"), secrets)
            for (name, needle) in secrets.needles {
                #expect(try needle.places() == [], "\(name)")
            }
            #expect(OpenSSLMemory.wipeWhenFreed())
        }
    }

    /// It would free what another allocator gave.
    @Test func itIsTooLateOnceOpenSSLHasAllocated() async {
        await #expect(processExitsWith: .success) {
            _ = try AESKey.generate()
            #expect(!OpenSSLMemory.wipeWhenFreed())
        }
    }

    @Test(arguments: [
        "rsa3072.pem", "rsa3072.pkcs1.pem", "rsa3072.pkcs8.der", "rsa3072.scrypt.pem", "rsa3072.legacy.pem",
    ])
    func noPrivateKeyIsLeft(file: String) async throws {
        let secrets = try PrivateNumbers()
        await #expect(processExitsWith: .success) { [file, secrets = secrets as PrivateNumbers] in
            let path = Vectors.path("keys/\(file)")
            try use(keyAt: path, secrets)
            for (name, needle) in secrets.needles {
                #expect(try needle.places() == [], "\(name)")
            }
        }
    }
}

private let isSearchable: Bool = {
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    return maps.split(separator: "\n").allSatisfy { line in
        let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
        return bounds.count == 2 && bounds[1] - bounds[0] < 1 << 36
    }
}()

// Each of these has returned, and its values are gone, when the search begins.

private func needles(unwrapping payload: [UInt8], with key: RSAPrivateKey) throws -> (Needle, Needle) {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: String])
    let wrapped = Array(try #require(Data(base64Encoded: object["videoEncryptAESKey"] ?? "")))
    let secret = try key.decrypt(wrapped.span, OAEP(.sha256))
    let needle = secret.withExposedBytes { Needle($0) }
    #expect(try !needle.places().isEmpty)
    // What the chunks are sealed with: docs/FORMATS.md §8.1.
    let head = Array(try #require(Data(base64Encoded: String((object["userVideoString"] ?? "").prefix(32)))))
    let info =
        Array("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0".utf8) + head
        + Array("evidence-v2\nuserVideoString\nord1\n".utf8)
    let derived = try secret.withExposedBytes { secret in
        try expandedSHA512(secret.extracting(12...), info: info.span, count: 32)
    }
    let derivedNeedle = derived.withExposedBytes { Needle($0) }
    #expect(try !derivedNeedle.places().isEmpty)
    // Still in use here.
    #expect(secret.count == 44 && derived.count == 32)
    return (needle, derivedNeedle)
}

private func needles(wrapping: KeyWrapping, with key: RSAPrivateKey) throws -> (Needle, Needle) {
    let contentKey = try wrapping.generateKey(.bits256)
    let wrapped = try key.publicKey.wrap(contentKey, as: wrapping)
    let raw = contentKey.withExposedBytes { Needle($0) }
    #expect(try !raw.places().isEmpty)
    let message = try key.decrypt(wrapped.span, OAEP(.sha256))
    let text = message.withExposedBytes { Needle($0) }
    #expect(try !text.places().isEmpty)
    let again = try key.unwrapOrSubstitute(wrapped.span, as: wrapping, size: .bits256)
    let isSame = AESKey.isSame(contentKey, again)
    #expect(isSame)
    #expect(message.count >= 32)
    return (raw, text)
}

private func takeArrayOver() throws -> Needle {
    var bytes = (0..<32_768).map { _ in UInt8.random(in: .min ... .max) }
    let needle = Needle(bytes.span.extracting(16_384..<16_416))
    let secret = SecretBytes(wiping: &bytes)
    #expect(bytes.isEmpty)
    #expect(try !needle.places().isEmpty)
    #expect(secret.count == 32_768)
    return needle
}

private func randomText(_ count: Int) -> SecretBytes {
    SecretBytes(capacity: count) { out in
        for _ in 0..<count { out.append(UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"))) }
    }
}

private func useLockedKey(in folder: TemporaryFolder) throws -> Needle {
    let phrase = randomText(32)
    let needle = phrase.withExposedBytes { Needle($0) }
    let pem = try RSAPrivateKey.generate(bitCount: 2048).pem(passphrase: phrase)
    let file = try WholeFile(path: folder("passphrase"))
    try phrase.withExposedBytes { phrase throws(EvidenceError) in try file.write(phrase) }
    try file.finish()
    let again = try SecretBytes(firstLineOf: FileSource(path: folder("passphrase")), name: "passphrase")
    let isSame = SecretBytes.isSame(phrase, again)
    #expect(isSame)
    _ = try RSAPrivateKey(encoded: pem, passphrase: consume again)
    #expect(try !needle.places().isEmpty)
    #expect(phrase.count == 32)
    return needle
}

private func refuseLongFile(in folder: TemporaryFolder) throws -> Needle {
    let text = randomText(1_025)
    let needle = text.withExposedBytes { Needle($0.extracting(900..<964)) }
    let file = try WholeFile(path: folder("passphrase"))
    try text.withExposedBytes { text throws(EvidenceError) in try file.write(text) }
    try file.finish()
    let source = try FileSource(path: folder("passphrase"))
    do throws(EvidenceError) {
        _ = try SecretBytes(firstLineOf: source, name: "passphrase")
        Issue.record("a passphrase of 1,025 bytes is taken")
    } catch { #expect(error.code == .tooLarge) }
    #expect(try !needle.places().isEmpty)
    #expect(text.count == 1_025)
    return needle
}

private func useTicket() throws -> Needle {
    let value = randomText(64)
    let needle = value.withExposedBytes { Needle($0) }
    let ticket = try Ticket(.sign, value)
    let recipe = SignRecipe.frontEndResult(appId: "IDAXXXXX", orderNo: "ord1", code: "0")
    let sign = try recipe.sign(with: ticket)
    guard case .valid = try recipe.verify(sign, with: [ticket]) else {
        Issue.record("the sign does not verify")
        return needle
    }
    #expect(try !needle.places().isEmpty)
    #expect(ticket.kind == .sign)
    return needle
}

private func use(keyAt path: String, _ secrets: PrivateNumbers) throws {
    let passphrase = SecretBytes(copying: Array("correct horse".utf8).span)
    let key = try RSAPrivateKey(contentsOf: path, passphrase: consume passphrase)
    let wrapped = try key.publicKey.wrap(AESKey.generate(), as: KeyWrapping())
    _ = try key.decrypt(wrapped.span, OAEP(.sha256))
    #expect(try secrets.needles.contains { try !$0.1.places().isEmpty })
    #expect(key.publicKey.bitCount == 3072)
}

/// Parts of the private numbers of `rsa3072`, as a key file has them and, the other way round, as OpenSSL computes with
/// them; and a line of its PEM.
struct PrivateNumbers: Codable, Sendable {
    private let numbers: [Needle]
    private let names: [String]

    var needles: [(String, Needle)] { Array(zip(names, numbers)) }

    init() throws {
        let der = try Vectors.bytes("keys/rsa3072.pkcs1.der")
        var found: [[UInt8]] = []
        // SEQUENCE, then INTEGERs: version, n, e, d, p, q, dp, dq, qInv.
        var place = 4
        while place < der.count {
            var count = Int(der[place + 1])
            place += 2
            if count > 0x80 {
                let digits = count & 0x7F
                count = der[place..<place + digits].reduce(0) { $0 << 8 | Int($1) }
                place += digits
            }
            found.append(Array(der[place..<place + count]))
            place += count
        }
        try #require(found.count == 9)
        var all: [(String, [UInt8])] = []
        for (name, number) in zip(["d", "p", "q", "dp", "dq", "qInv"], found[3...]) {
            let part = Array(number[40..<72])
            all += [("\(name) in DER", part), ("\(name) in limbs", part.reversed())]
        }
        let lines = String(decoding: try Vectors.bytes("keys/rsa3072.pem"), as: UTF8.self).split(separator: "\n")
        all.append(("a line of PEM", Array(lines[20].utf8)))
        all.append(("the last whole line of PEM", Array(lines[lines.count - 3].utf8)))
        names = all.map(\.0)
        numbers = all.map { Needle($0.1.span) }
    }
}

/// The blocks that OpenSSL's `CRYPTO_free` gives back, of which each says who called it.
private enum FreedBlocks {
    nonisolated(unsafe) private static var needles: [(String, Needle)] = []
    nonisolated(unsafe) private static var blocks = 0
    nonisolated(unsafe) private static var found: [String] = []

    static var count: Int { unsafe blocks }
    static var finds: [String] { unsafe found }

    /// Before OpenSSL has allocated anything, and where nothing else runs.
    static func watch(for secrets: PrivateNumbers) throws {
        unsafe needles = secrets.needles
        let isSet = unsafe CRYPTO_set_mem_functions(
            { count, _, _ in unsafe malloc(count) }, { block, count, _, _ in unsafe realloc(block, count) },
            { block, file, line in
                if let block = unsafe block, let file = unsafe file {
                    unsafe FreedBlocks.look(into: block, freedIn: String(cString: file), line)
                }
                unsafe free(block)
            })
        try #require(isSet == 1)
    }

    private static func look(into block: UnsafeMutableRawPointer, freedIn file: String, _ line: Int32) {
        guard file.hasSuffix(".swift") || file.hasSuffix("bn_lib.c") else { return }
        unsafe blocks += 1
        let bytes = unsafe UnsafeRawBufferPointer(start: block, count: malloc_usable_size(block))
        for (name, needle) in unsafe needles where unsafe !needle.matches(in: bytes).isEmpty {
            unsafe found.append("\(name), freed in \(file):\(line)")
        }
    }
}

/// What is looked for.
struct Needle: Codable, Sendable {
    private static let mask: UInt8 = 0xA7
    private let masked: [UInt8]

    /// The second half: on the first bytes of what is freed, the allocator writes notes of its own.
    init(_ secret: Span<UInt8>) {
        masked = (secret.count / 2..<secret.count).map { secret[$0] ^ Self.mask }
    }

    /// Where it is in memory: the mapping's line of `/proc/self/maps`, once for each place.
    func places() throws -> [String] {
        let size = 1 << 20
        let buffer = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let window = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: size)
        defer { unsafe munmap(buffer, size) }
        let memory = unsafe open("/proc/self/mem", O_RDONLY)
        try #require(memory >= 0)
        defer { close(memory) }
        let own = UInt(bitPattern: window.baseAddress)
        var places: [String] = []
        for line in try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard words[1].hasPrefix("rw"), bounds.count == 2 else { continue }
            var start = bounds[0]
            while start < bounds[1] {
                let count = unsafe pread(memory, window.baseAddress, min(size, Int(bounds[1] - start)), off_t(start))
                guard count > 0 else { break }
                for place in unsafe matches(in: UnsafeRawBufferPointer(rebasing: window[..<count]))
                where !(own..<own + UInt(size)).contains(start + UInt(place)) {
                    places.append("\(line)")
                }
                if count < size { break }
                // What lies across two windows is seen in the second.
                start += UInt(count - masked.count + 1)
            }
        }
        return places
    }

    fileprivate func matches(in bytes: UnsafeRawBufferPointer) -> [Int] {
        var found: [Int] = []
        var start = 0
        guard let base = bytes.baseAddress else { return [] }
        while start + masked.count <= bytes.count {
            guard
                let hit = unsafe memchr(
                    base + start, Int32(masked[0] ^ Self.mask), bytes.count - masked.count + 1 - start)
            else { break }
            let place = unsafe UnsafeRawPointer(hit) - base
            if masked.indices.allSatisfy({ unsafe bytes[place + $0] == masked[$0] ^ Self.mask }) {
                found.append(place)
            }
            start = place + 1
        }
        return found
    }
}
