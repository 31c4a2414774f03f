// SPDX-License-Identifier: Apache-2.0
package import EvidenceKit

/// A source that cannot be read twice and returns pieces of odd sizes.
package final class PipeSource: ByteSource {
    package let isSeekable = false
    package let size: UInt64? = nil
    private var rest: ArraySlice<UInt8>
    private var step = 0

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    package func read(_ count: Int, to buffer: inout [UInt8]) -> Int {
        step = (step * 7 + 1) % 61
        let piece = rest.prefix(min(count, rest.count > 100_000 ? 65_537 : step + 1))
        rest = rest.dropFirst(piece.count)
        buffer.append(contentsOf: piece)
        return piece.count
    }

    package func seek(to offset: UInt64) throws(EvidenceError) {
        fatalError("a pipe cannot be read twice")
    }
}

/// A destination like standard output: what is written is out.
package final class StreamDestination: ByteDestination {
    package let isWithheldUntilFinished = false
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package func write(_ bytes: Span<UInt8>) {
        for i in bytes.indices { self.bytes.append(bytes[i]) }
    }

    package func finish() {}

    package func abandon() {}
}
