// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import TestVectorSupport

extension SeededGenerator {
    /// Numbers that depend on the input alone, so that an input that fails does so again.
    init(of bytes: [UInt8]) {
        self.init(seed: bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
    }
}

/// A source that cannot be read twice and returns pieces of odd sizes.
final class PipeSource: ByteSource {
    let isSeekable = false
    let size: UInt64? = nil
    private var rest: ArraySlice<UInt8>
    private var generator: SeededGenerator

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
        generator = SeededGenerator(of: bytes)
    }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
        let piece = rest.prefix(min(count, Int.random(in: 1...37, using: &generator)))
        rest = rest.dropFirst(piece.count)
        buffer.append(contentsOf: piece)
        return piece.count
    }

    func seek(to offset: UInt64) throws(EvidenceError) { fatalError("a pipe cannot be read twice") }
}

/// A destination like standard output: what is written is out.
final class StreamDestination: ByteDestination {
    let isWithheldUntilFinished = false
    private(set) var bytes: [UInt8] = []

    func write(_ bytes: Span<UInt8>) { for i in bytes.indices { self.bytes.append(bytes[i]) } }
    func finish() {}
    func abandon() {}
}

/// Reads from a file and through a pipe, into what withholds and what does not: the same comes out, and where something
/// is wrong nothing does.
///
/// Which fault is named may differ: a pipe meets them in another order.
func everyWay<Report>(
    _ document: [UInt8], _ body: (any ByteSource, any ByteDestination) throws -> Report
) throws -> Result<(report: Report, bytes: [UInt8]), Broken> {
    let memory = MemoryDestination()
    let first = outcome { try body(MemorySource(document), memory) }
    try hold(first.value != nil || memory.bytes.isEmpty, "a failure leaves nothing behind")
    for source in [PipeSource(document), MemorySource(document)] as [any ByteSource] {
        let stream = StreamDestination()
        let other = outcome { try body(source, stream) }
        try hold(
            (other.value == nil) == (first.value == nil),
            "a pipe and a file agree: '\(first.complaint)' and '\(other.complaint)'")
        try hold(stream.bytes == memory.bytes, "a pipe and a file give the same, and nothing before all was checked")
    }
    return first.map { ($0, memory.bytes) }
}
