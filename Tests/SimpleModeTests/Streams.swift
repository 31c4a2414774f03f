// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// A source that cannot be read twice and returns pieces of odd sizes.
final class PipeSource: ByteSource {
    let isSeekable = false
    let size: UInt64? = nil
    private var rest: ArraySlice<UInt8>
    private var step = 0

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
        step = (step * 7 + 1) % 61
        let piece = rest.prefix(min(count, rest.count > 100_000 ? 65_537 : step + 1))
        rest = rest.dropFirst(piece.count)
        buffer.append(contentsOf: piece)
        return piece.count
    }

    func seek(to offset: UInt64) throws(EvidenceError) {
        fatalError("a pipe cannot be read twice")
    }
}

/// A destination like standard output: what is written is out.
final class StreamDestination: ByteDestination {
    let isWithheldUntilFinished = false
    private(set) var bytes: [UInt8] = []

    func write(_ bytes: Span<UInt8>) {
        for i in bytes.indices { self.bytes.append(bytes[i]) }
    }

    func finish() {}

    func abandon() {}
}
