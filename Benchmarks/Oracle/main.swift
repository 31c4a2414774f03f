// SPDX-License-Identifier: Apache-2.0
// How well failures can be told apart by the time they take. `scripts/steps/oracle` says how to run it; the table that it
// prints is kept in docs/SECURITY-TESTS.md. No test: a number here is a finding, to be looked at by a person.
import EvidenceCrypto
import EvidenceKit
import Foundation

guard (4...5).contains(CommandLine.arguments.count), let factor = Double(CommandLine.arguments[3]) else {
    fatalError("Oracle KEY INPUTS FACTOR [NAME]")
}
let key = try RSAPrivateKey(contentsOf: CommandLine.arguments[1])
let inputs = try JSONDecoder().decode(
    [String: [String]].self, from: Data(contentsOf: URL(filePath: CommandLine.arguments[2])))
let pools = inputs.mapValues { $0.map(bytes(ofHex:)) }

func bytes(ofHex text: String) -> [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count, by: 2).map { i in
        UInt8(String(decoding: digits[i...i + 1], as: UTF8.self), radix: 16)!
    }
}

/// The optimizer must not see that nobody looks.
var sink = 0

var comparisons: [Comparison] = []

@MainActor func compare(
    _ name: String, _ count: Int, _ first: [[UInt8]], _ second: [[UInt8]],
    _ work: @escaping @MainActor (_ input: [UInt8], _ number: Int) -> Void
) {
    let count = Int(Double(count) * factor)
    comparisons.append(Comparison(name: name, sampleCount: count, first: first, second: second, work: work))
}

// MARK: - Controls: one that must show nothing, one that must show something.

let long = [UInt8](repeating: 7, count: 4_096)
let early: [[UInt8]] = (0..<64).map { _ in [8] + long.dropFirst() }
let late: [[UInt8]] = (0..<64).map { _ in long.dropLast() + [8] }
compare("control: 4,096 bytes, one kind with itself", 200_000, early, early) { input, _ in
    sink &+= isSameInConstantTime(input.span, long.span) ? 1 : 0
}
compare("control: 4,096 bytes, `==`: first byte wrong / last byte wrong", 200_000, early, late) { input, _ in
    sink &+= input == long ? 1 : 0
}
compare("4,096 bytes, `isSameInConstantTime`: first byte wrong / last byte wrong", 200_000, early, late) { input, _ in
    sink &+= isSameInConstantTime(input.span, long.span) ? 1 : 0
}

// MARK: - PKCS#1 v1.5

let weak = KeyWrapping(.weakPKCS1v15, allowsWeakKeys: true)
for invalid in ["block type 1", "first byte 1", "zero in the padding", "no separator", "31 bytes"] {
    compare("PKCS#1 v1.5: valid / \(invalid)", 20_000, pools["PKCS#1 valid"]!, pools["PKCS#1 " + invalid]!) {
        input, _ in
        do { sink &+= try key.unwrapOrSubstitute(input.span, as: weak, size: .bits256).size.byteCount } catch {
            fatalError("PKCS#1 v1.5 unwrapping said no")
        }
    }
}

// MARK: - OAEP, as opening uses it

for (first, second) in [
    ("label hash, first byte", "first byte 1"), ("label hash, first byte", "label hash, last byte"),
    ("label hash, first byte", "no 01"), ("label hash, first byte", "for another key"), ("valid", "first byte 1"),
    ("valid", "no 01"), ("valid", "key of 16 bytes"),
] {
    compare("OAEP: \(first) / \(second)", 20_000, pools["OAEP " + first]!, pools["OAEP " + second]!) { input, _ in
        do { sink &+= try key.unwrapOrSubstitute(input.span, as: KeyWrapping(), size: .bits256).size.byteCount } catch {
            fatalError("OAEP unwrapping said no")
        }
    }
}

// MARK: - AES-CBC padding

let contentBytes = [UInt8](repeating: 0x2B, count: 32)
let iv = [UInt8](repeating: 9, count: 16)

/// 64 ciphertexts whose last block decrypts to a block of that form.
func cbc(_ lastBlock: [UInt8]) throws -> [[UInt8]] {
    try (0..<64).map { number in
        let text = (0..<48).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number &* 13) }
        let key = try AESKey(importing: SecretBytes(copying: contentBytes.span))
        var cipher = try ContentCipher.Sealer(.unauthenticatedAESCBC(), key: key, iv: iv.span)
        var sealed: [UInt8] = []
        try cipher.append((text + lastBlock).span, to: &sealed)
        return Array(sealed.prefix(64))  // without the padding that the encryptor adds
    }
}
let full = [UInt8](repeating: 16, count: 16)
let cbcPools = try [
    "last byte 0": cbc(full.dropLast() + [0]),
    "last byte 17": cbc(full.dropLast() + [17]),
    "first of 16 wrong": cbc([15] + full.dropFirst()),
    "15th of 16 wrong": cbc(full.dropLast(2) + [15, 16]),
    "second of 2 wrong": cbc([UInt8](repeating: 7, count: 14) + [1, 2]),
]
for (first, second) in [
    ("last byte 0", "last byte 17"), ("first of 16 wrong", "15th of 16 wrong"), ("first of 16 wrong", "last byte 17"),
    ("first of 16 wrong", "second of 2 wrong"),
] {
    compare("AES-CBC padding: \(first) / \(second)", 200_000, cbcPools[first]!, cbcPools[second]!) { input, _ in
        var plaintext: [UInt8] = []
        do {
            let content = try AESKey(importing: SecretBytes(copying: contentBytes.span))
            var cipher = try ContentCipher.Opener(.unauthenticatedAESCBC(), key: content, iv: iv.span)
            try cipher.append(input.span, to: &plaintext)
            try cipher.finalize(tag: Span(), to: &plaintext)
            fatalError("a padding was accepted that is wrong")
        } catch { sink &+= plaintext.count }
    }
}

// MARK: - Tags

let nonce = [UInt8](repeating: 3, count: 12)
let sealedTexts: [(text: [UInt8], tag: [UInt8])] = try (0..<64).map { number in
    var sealer = try ContentCipher.Sealer(
        .aesGCM(), key: AESKey(importing: SecretBytes(copying: contentBytes.span)), iv: nonce.span, aad: iv.span)
    var text: [UInt8] = []
    try sealer.append([UInt8](repeating: UInt8(number), count: 64).span, to: &text)
    let tag = try sealer.finalize(to: &text)
    return (text, tag)
}
/// The tags with one bit changed in the byte at `place`.
func tags(_ place: Int) -> [[UInt8]] {
    sealedTexts.map { sealed in
        var tag = sealed.tag
        tag[place] ^= 1
        return tag
    }
}
compare("AES-GCM tag: first byte wrong / last byte wrong", 200_000, tags(0), tags(15)) { input, number in
    var plaintext: [UInt8] = []
    do {
        let content = try AESKey(importing: SecretBytes(copying: contentBytes.span))
        var opener = try ContentCipher.Opener(.aesGCM(), key: content, iv: nonce.span, aad: iv.span)
        let text = sealedTexts[number].text
        try opener.append(text.span, to: &plaintext)
        try opener.finalize(tag: input.span, to: &plaintext)
        fatalError("a tag was accepted that is wrong")
    } catch { sink &+= plaintext.count }
}

// MARK: - Signs

let ticketText = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe"
let ticket = try Ticket(.sign, SecretBytes(copying: Array(ticketText.utf8).span))
let signInputs = (10..<74).map { SignRecipe.frontEndResult(appId: "appId001", orderNo: "order\($0)", code: "0") }
/// The right signs with another digit at `place`.
@MainActor func signs(_ place: Int) throws -> [[UInt8]] {
    try signInputs.map { input in
        var digits = Array(try input.sign(with: ticket).description)
        digits[place] = digits[place] == "A" ? "B" : "A"
        return Array(String(digits).utf8)
    }
}
compare("sign: first digit wrong / last digit wrong", 200_000, try signs(0), try signs(39)) { input, number in
    let outcome = try? signInputs[number].verify(String(decoding: input, as: UTF8.self), with: [ticket])
    sink &+= outcome?.isValid == true ? 1 : 0
}

// MARK: - Whole payloads

let video = (0..<4_096).map { UInt8(truncatingIfNeeded: $0) }
let memory = MemoryDestination()
_ = try PayloadSealer(orderNo: OrderNumber("order1"), to: key.publicKey, sealedAs: Profile.preset(named: "evidence-v1")!).seal(MemorySource(video), into: memory)
let whole = String(decoding: memory.bytes, as: UTF8.self)
let parts = try JSONDecoder().decode([String: String].self, from: Data(memory.bytes))
let wrappedText = parts["videoEncryptAESKey"]!
let sealedText = parts["userVideoString"]!

/// The payload with other wrapped keys, as a sender of malformed ones makes it.
func payloads(_ pool: String) -> [[UInt8]] {
    pools["OAEP " + pool]!.map { wrapped in
        Array(whole.replacing(wrappedText, with: Data(wrapped).base64EncodedString()).utf8)
    }
}
/// The payload with a byte of what is sealed changed: everything else in it is right.
func payloads(changedAt place: Int) -> [[UInt8]] {
    var sealed = Array(Data(base64Encoded: sealedText)!)
    sealed[place < 0 ? sealed.count + place : place] ^= 1
    let text = whole.replacing(sealedText, with: Data(sealed).base64EncodedString())
    return (0..<64).map { _ in Array(text.utf8) }
}
let payloadPools = [
    "tag, last byte": payloads(changedAt: -1), "tag, first byte": payloads(changedAt: -16),
    "first byte of the video": payloads(changedAt: 12), "another content key": payloads("valid"),
    "wrapped for another key": payloads("for another key"), "OAEP first byte": payloads("first byte 1"),
    "OAEP label hash": payloads("label hash, first byte"), "OAEP no 01": payloads("no 01"),
    "content key of 16 bytes": payloads("key of 16 bytes"),
]
for (first, second) in [
    ("tag, first byte", "tag, last byte"), ("tag, last byte", "first byte of the video"),
    ("tag, last byte", "another content key"), ("OAEP label hash", "OAEP first byte"),
    ("OAEP label hash", "wrapped for another key"), ("another content key", "OAEP label hash"),
    ("another content key", "OAEP first byte"), ("another content key", "OAEP no 01"),
    ("another content key", "wrapped for another key"), ("another content key", "content key of 16 bytes"),
] {
    compare("`PayloadOpener.open`, 4 KiB: \(first) / \(second)", 20_000, payloadPools[first]!, payloadPools[second]!) {
        input, _ in
        do {
            _ = try PayloadOpener(key).open(from: MemorySource(input), into: MemoryDestination())
            fatalError("a payload opened that must not")
        } catch { sink &+= (error as? EvidenceError)?.code == .cannotOpen ? 1 : 0 }
    }
}

print(
    "| compared | samples | median | difference | largest \\|t\\| | cropped at |\n| --- | --: | --: | --: | --: | --: |"
)
let wanted = CommandLine.arguments.dropFirst(4).first
for comparison in comparisons where wanted.map({ comparison.name.contains($0) }) ?? true {
    let verdict = comparison.run()
    let (microseconds, nanoseconds) = (verdict.median / 1_000, verdict.difference)
    print(
        "| \(comparison.name) | \(verdict.sampleCount) | \(String(format: "%.1f µs", microseconds))",
        "| \(String(format: "%+.0f ns", nanoseconds)) | \(String(format: "%.1f", abs(verdict.largestT)))",
        "| \(Int(verdict.percentile)) % |")
}
