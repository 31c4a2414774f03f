// SPDX-License-Identifier: Apache-2.0
import EvidenceErrors
import EvidenceKit
import EvidenceStreams
import Glibc
import Synchronization
import Testing

/// Several threads that read a field at many places, and one that reads it from front to back: the same bytes, the same
/// refusals in the same words.
@Suite struct ChunkRunTests {
    private let key: RSAPrivateKey
    private let payload: [UInt8]
    /// Where the characters of the video begin.
    private let start: Int

    /// 91 full chunks and a bit more: some ten blocks after what is read before a run begins. Every byte's place shows.
    private static let video: [UInt8] = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 16) }
    /// Every third border of chunks, in characters, as FORMATS §7.1 has it, is one of a group of four.
    private static let borders: [Int] = (0..<30).map { 43_808 + 65_600 * $0 }

    private static let sealed = Result {
        let key = try RSAPrivateKey.generate(bitCount: 2048)
        let sealed = MemoryDestination()
        try PayloadSealer(orderNo: OrderNumber("A1"), to: key.publicKey).seal(MemorySource(video), into: sealed)
        return (key, sealed.bytes)
    }

    init() throws {
        let (key, payload) = try Self.sealed.get()
        let name = Array(#""userVideoString":""#.utf8)
        start = try #require(payload.indices.first { payload[$0...].starts(with: name) }) + name.count
        (self.key, self.payload) = (key, payload)
    }

    @Test(arguments: [1, 2, 3, 16]) func aRunTakesAllWholeBlocks(threads: Int) throws {
        let source = WatchedPlaces(payload)
        #expect(open(source, threads) == Self.opened)
        // What is read twice is what no block is: the end.
        let end = try #require(source.places.max())
        #expect(source.places.count >= 12)
        #expect(payload.count - end < 2 * 131_200)
    }

    @Test func bothWaysAgreeOnWhatIsWrong() throws {
        var documents: [[UInt8]] = []
        // Some in front of the run, the rest at the borders of what it reads; `\` before a `"` and before a letter.
        for border in [0, 3, 4, 5, 6, 8, 20, 27].map({ start + Self.borders[$0] }) {
            for place in [border - 1, border, border + 1, border + 1_000] {
                for character in ["\\", "\"", "\u{0}", "*", "=", "\n"].map({ Array($0.utf8)[0] }) + [0xC3, 0xFF] {
                    var document = payload
                    document[place] = character
                    documents.append(document)
                }
                // Base64, and another byte: a tag.
                var damaged = payload
                damaged[place] = damaged[place] == UInt8(ascii: "B") ? UInt8(ascii: "C") : UInt8(ascii: "B")
                documents.append(damaged)
                // And a fault of another kind before it, after it, and far after it.
                for other in [place - 70_000, place + 70_000, payload.count - 1] where other > start {
                    var twice = damaged
                    twice[other] = 0
                    documents.append(twice)
                }
                documents.append(Array(payload[..<place]))
                documents.append(Array(payload[..<place] + Array("\"}".utf8)))
            }
        }
        var outcomes: Set<String> = []
        for document in documents {
            let expected = open(FrontToBack(document), 1)
            #expect(expected.bytes.isEmpty && expected.error != nil)
            outcomes.insert(expected.error ?? "")
            for threads in [1, 3] { #expect(open(MemorySource(document), threads) == expected) }
        }
        #expect(outcomes.count > 50)
    }

    @Test func bothWaysAcceptEscapedText() throws {
        let slashes = payload.indices.filter { $0 >= start && payload[$0] == UInt8(ascii: "/") }
        for border in Self.borders.dropFirst(3) {
            guard let slash = slashes.first(where: { $0 >= start + border }) else { break }
            for escape in [#"\/"#, #"\u002F"#] {
                let document = payload[..<slash] + Array(escape.utf8) + payload[(slash + 1)...]
                for source in [FrontToBack(document), MemorySource(document)] as [any ByteSource] {
                    #expect(open(source, 3) == Self.opened)
                }
            }
        }
    }

    /// A block that is bad when a thread reads it is read again, and judged by that; one that was good is not.
    @Test func whatIsReleasedIsWhatWasChecked() throws {
        for border in [5, 8, 9, 20] {
            let place = start + Self.borders[border] + 5
            var damaged = payload
            damaged[place] ^= 1
            #expect(open(TwoFaces(atPlaces: damaged, inFront: payload), 3) == Self.opened)
            #expect(open(TwoFaces(atPlaces: payload, inFront: damaged), 3) == Self.opened)
            #expect(open(TwoFaces(atPlaces: Array(damaged[..<place]), inFront: payload), 3) == Self.opened)
            var both = damaged
            both[place] = UInt8(ascii: "!")
            #expect(open(TwoFaces(atPlaces: damaged, inFront: both), 3) == open(FrontToBack(both), 1))
        }
    }

    @Test(arguments: [1, 2, 7]) func slowAndShortReadsKeepTheOrder(threads: Int) throws {
        #expect(open(TwoFaces(atPlaces: payload, inFront: payload, isSlow: true), threads) == Self.opened)
    }

    @Test(arguments: [1, 2, 7]) func aFailureOfTheDestinationEndsTheRun(threads: Int) throws {
        for limit in stride(from: 100_000, to: 1_400_000, by: 130_000) {
            let destination = FullDestination(limit)
            var opener = PayloadOpener(key)
            opener.threads = threads
            let error = #expect(throws: EvidenceError.self) {
                try opener.open(from: MemorySource(payload), into: destination)
            }
            #expect(error?.code == .cannotWrite && destination.isAbandoned && destination.count <= limit)
        }
    }

    private struct Outcome: Equatable {
        var bytes: [UInt8] = []
        var error: String?
    }

    private static let opened = Outcome(bytes: video)

    private func open(_ source: any ByteSource, _ threads: Int) -> Outcome {
        let destination = MemoryDestination()
        do throws(EvidenceError) {
            var opener = PayloadOpener(key)
            opener.threads = threads
            try opener.open(from: source, into: destination)
            return Outcome(bytes: destination.bytes, error: nil)
        } catch { return Outcome(bytes: destination.bytes, error: "\(error)") }
    }
}

/// A file that can be read at one place at a time.
private final class FrontToBack: ByteSource {
    let isSeekable = true
    var size: UInt64? { source.size }
    private let source: MemorySource

    init(_ bytes: some Collection<UInt8>) { source = MemorySource(bytes) }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int { source.read(count, to: &buffer) }

    func seek(to offset: UInt64) { source.seek(to: offset) }
}

/// A file that changes: what is read from front to back is not what is read at places.
private final class TwoFaces: PositionedSource, @unchecked Sendable {
    let isSeekable = true
    var size: UInt64? { inFront.size }
    private let atPlaces: MemorySource
    private let inFront: MemorySource
    private let isSlow: Bool

    init(atPlaces: [UInt8], inFront: [UInt8], isSlow: Bool = false) {
        self.atPlaces = MemorySource(atPlaces)
        self.inFront = MemorySource(inFront)
        self.isSlow = isSlow
    }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int { inFront.read(count, to: &buffer) }

    func seek(to offset: UInt64) { inFront.seek(to: offset) }

    func read(_ count: Int, at offset: UInt64, to buffer: inout [UInt8]) -> Int {
        guard isSlow else { return atPlaces.read(count, at: offset, to: &buffer) }
        // The later a block, the sooner it is there, now and then.
        usleep(UInt32(offset / 13 % 7) * 300)
        return atPlaces.read(min(count, 40_000), at: offset, to: &buffer)
    }
}

/// Notes what is read at places.
private final class WatchedPlaces: PositionedSource, @unchecked Sendable {
    let isSeekable = true
    var size: UInt64? { source.size }
    var places: [Int] { noted.withLock { $0 } }
    private let noted = Mutex<[Int]>([])
    private let source: MemorySource

    init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int { source.read(count, to: &buffer) }

    func seek(to offset: UInt64) { source.seek(to: offset) }

    func read(_ count: Int, at offset: UInt64, to buffer: inout [UInt8]) -> Int {
        noted.withLock { $0.append(Int(offset)) }
        return source.read(count, at: offset, to: &buffer)
    }
}

/// Has room for so many bytes.
private final class FullDestination: ByteDestination {
    let isWithheldUntilFinished = true
    private(set) var count = 0
    private(set) var isAbandoned = false
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        guard count + bytes.count <= limit else { throw EvidenceError(.cannotWrite, stream: "full") }
        count += bytes.count
    }

    func finish() {}

    func abandon() { isAbandoned = true }
}
