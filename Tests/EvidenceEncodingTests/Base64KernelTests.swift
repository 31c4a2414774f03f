// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import Glibc
import TestVectorSupport
import Testing

/// Every set of instructions that this machine has against code that is too simple to be wrong, in buffers that end
/// where memory ends: one byte too far, read or written, ends the process.
@Suite struct Base64KernelTests {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    @Test func theBestIsOneOfThoseThatAreThere() {
        #expect(Base64Kernel.available.contains(.portable))
        #expect(Base64Kernel.available.contains(.best))
    }

    @Test(arguments: Base64Kernel.available) func groupsAreDecodedAtEveryLength(_ kernel: Base64Kernel) throws {
        let source = try GuardedBytes(400)
        let target = try GuardedBytes(300)
        var random = SeededGenerator(seed: 11)
        for count in 0...400 {
            let text = (0..<count).map { _ in Self.alphabet[Int.random(in: 0..<64, using: &random)] }
            let (bytes, taken) = decode(text, kernel, source, target)
            #expect(taken == count / 4 * 4, "\(count) characters")
            #expect(bytes == simpleDecode(text), "\(count) characters")
        }
    }

    @Test(arguments: Base64Kernel.available) func decodingStopsBeforeTheFirstBadGroup(_ kernel: Base64Kernel) throws {
        let source = try GuardedBytes(204)
        let target = try GuardedBytes(153)
        var random = SeededGenerator(seed: 12)
        let text = (0..<204).map { _ in Self.alphabet[Int.random(in: 0..<64, using: &random)] }
        let whole = simpleDecode(text)
        let wrong = (UInt8.min ... .max).filter { !Self.alphabet.contains($0) }
        for place in text.indices {
            var broken = text
            for byte in wrong {
                broken[place] = byte
                let (bytes, taken) = decode(broken, kernel, source, target)
                // Not by #expect each time: they are 39,000 for each kernel.
                guard taken == place / 4 * 4, bytes.elementsEqual(whole.prefix(place / 4 * 3)) else {
                    Issue.record("byte \(byte) at \(place): \(taken) taken")
                    return
                }
            }
        }
    }

    @Test(arguments: Base64Kernel.available) func groupsAreEncodedAtEveryLength(_ kernel: Base64Kernel) throws {
        let source = try GuardedBytes(300)
        let target = try GuardedBytes(400)
        var random = SeededGenerator(seed: 13)
        for count in 0...300 {
            let bytes = random.bytes(count)
            var taken = 0
            let text = source.withCopy(of: bytes) { bytes in
                target.collect(count / 3 * 4) { out in taken = kernel.encodeGroups(bytes, to: &out) }
            }
            #expect(taken == count / 3 * 3)
            #expect(text.count == count / 3 * 4)
            #expect(simpleDecode(text) == Array(bytes[..<taken]), "\(count) bytes")
        }
    }

    @Test(arguments: Base64Kernel.available) func everySpecialByteEndsThePlainPrefix(_ kernel: Base64Kernel) throws {
        let source = try GuardedBytes(300)
        for place in 0..<300 {
            for byte in UInt8.min ... .max {
                var text = [UInt8](repeating: 0x41, count: 300)
                text[place] = byte
                let isPlain = (0x20..<0x80).contains(byte) && byte != 0x22 && byte != 0x5C
                let count = source.withCopy(of: text) { kernel.plainPrefix(of: $0) }
                guard count == (isPlain ? 300 : place) else {
                    Issue.record("byte \(byte) at \(place): \(count)")
                    return
                }
            }
        }
    }

    @Test(arguments: Base64Kernel.available) func escapedSolidiAreTakenTogether(_ kernel: Base64Kernel) throws {
        let source = try GuardedBytes(300)
        let target = try GuardedBytes(300)
        var random = SeededGenerator(seed: 14)
        for round in 0..<6_000 {
            let text = escapedText(Int.random(in: 0...300, using: &random), &random)
            // With less room than text, no more is taken than fits.
            let room = round % 3 == 0 ? Int.random(in: 0...text.count, using: &random) : text.count
            var taken = 0
            let copied = source.withCopy(of: text) { text in
                target.collect(room) { out in taken = kernel.copyUnescapingSolidus(text, to: &out) }
            }
            let wanted = simpleCopy(Array(text[..<min(room, text.count)]))
            guard taken == wanted.taken, copied == wanted.copied else {
                Issue.record("\(String(decoding: text, as: UTF8.self)): \(taken), not \(wanted.taken)")
                return
            }
        }
    }

    /// What a scanner takes in one go is what it would have returned piece by piece.
    @Test func aScannerTakesEscapedTextAsItWouldHandItOut() throws {
        var random = SeededGenerator(seed: 15)
        for _ in 0..<400 {
            let body = escapedText(Int.random(in: 0...200, using: &random), &random).filter { $0 != 0x22 }
            let document = Array("[\"".utf8) + body + Array("\"]".utf8)
            let pieces = random.pieces(of: document, upTo: 90)
            #expect(scan(pieces, inOneGo: true) == scan(pieces, inOneGo: false))
        }
    }

    // MARK: - Too simple to be wrong

    private func simpleDecode(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: text.count / 4 * 4, by: 4) {
            let group = text[start..<start + 4].reduce(0) { $0 * 64 + (Self.alphabet.firstIndex(of: $1) ?? 0) }
            bytes += [UInt8(group >> 16), UInt8(group >> 8 & 255), UInt8(group & 255)]
        }
        return bytes
    }

    private func simpleCopy(_ text: [UInt8]) -> (taken: Int, copied: [UInt8]) {
        var copied: [UInt8] = []
        var place = 0
        while place < text.count {
            if text[place] == 0x5C {
                guard place + 1 < text.count, text[place + 1] == 0x2F else { break }
                copied.append(0x2F)
                place += 2
            } else {
                guard (0x20..<0x80).contains(text[place]), text[place] != 0x22 else { break }
                copied.append(text[place])
                place += 1
            }
        }
        return (place, copied)
    }

    /// Base64 characters with escapes strewn in, now and then one of another kind.
    private func escapedText(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let density = Int.random(in: 2...80, using: &random)
        var text: [UInt8] = []
        while text.count < count {
            if Int.random(in: 0..<density, using: &random) > 0 {
                text.append(Self.alphabet[Int.random(in: 0..<64, using: &random)])
            } else if Int.random(in: 0..<40, using: &random) > 0 {
                text += Array(#"\/"#.utf8)
            } else {
                let others = [#"\\/"#, #"\u002f"#, #"\u002F\/"#, "\"", "\u{1}", "é", #"\n"#]
                text += Array(others[Int.random(in: 0..<others.count, using: &random)].utf8)
            }
        }
        return Array(text.prefix(count))
    }

    private func scan(_ pieces: [[UInt8]], inOneGo: Bool) -> [String] {
        var scanner = JSONScanner()
        var text: [UInt8] = []
        var found: [String] = []
        var run: [UInt8] = []
        do {
            for piece in pieces {
                var position = 0
                while true {
                    if inOneGo, scanner.takeEscapedText(in: piece.span, at: &position, to: &run) {
                        text += run
                        continue
                    }
                    let token = try scanner.next(in: piece.span, at: &position)
                    token.withText(in: piece.span) { run in for i in run.indices { text.append(run[i]) } }
                    switch token {
                    case .needsInput, .text, .byte, .scalar: break
                    default: found.append("\(token) at \(scanner.offset)")
                    }
                    if token == .needsInput { break }
                }
            }
            let last = try scanner.finish()
            if last != .needsInput { found.append("\(last) at the end") }
        } catch { found.append("\(error)") }
        return found + [String(decoding: text, as: UTF8.self)]
    }

    private func decode(
        _ text: [UInt8], _ kernel: Base64Kernel, _ source: GuardedBytes, _ target: GuardedBytes
    ) -> (bytes: [UInt8], taken: Int) {
        var taken = 0
        let bytes = source.withCopy(of: text) { text in
            target.collect(text.count / 4 * 3) { out in taken = kernel.decodeGroups(text, to: &out) }
        }
        return (bytes, taken)
    }
}

/// Memory that ends at a page which nobody may touch.
@safe private final class GuardedBytes {
    private let start: UnsafeMutableRawPointer
    private let pageCount: Int
    private let end: UnsafeMutablePointer<UInt8>

    init(_ capacity: Int) throws {
        let page = Int(getpagesize())
        pageCount = (capacity + page - 1) / page + 1
        let memory = unsafe mmap(
            nil, pageCount * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        unsafe start = try #require(memory == MAP_FAILED ? nil : memory)
        let guardPage = unsafe start + (pageCount - 1) * page
        try #require(unsafe mprotect(guardPage, page, PROT_NONE) == 0)
        unsafe end = guardPage.assumingMemoryBound(to: UInt8.self)
    }

    deinit { _ = unsafe munmap(start, pageCount * Int(getpagesize())) }

    func withCopy<Result>(of bytes: [UInt8], _ body: (Span<UInt8>) -> Result) -> Result {
        let start = unsafe end - bytes.count
        unsafe start.update(from: bytes, count: bytes.count)
        return body(unsafe Span(_unsafeStart: start, count: bytes.count))
    }

    /// What `body` appends to room for `count` bytes, right before the guarded page.
    func collect(_ count: Int, _ body: (inout OutputSpan<UInt8>) -> Void) -> [UInt8] {
        let buffer = unsafe UnsafeMutableBufferPointer(start: end - count, count: count)
        var out = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        body(&out)
        let written = unsafe out.finalize(for: buffer)
        return unsafe Array(buffer[..<written])
    }
}
