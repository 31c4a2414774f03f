// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// Counts written bytes.
final class CountedDestination: ByteDestination {
    var isWithheldUntilFinished: Bool { output.isWithheldUntilFinished }
    private(set) var byteCount: UInt64 = 0
    private let output: any ByteDestination

    init(_ output: any ByteDestination) { self.output = output }

    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try output.write(bytes)
        byteCount += UInt64(bytes.count)
    }

    func finish() throws(EvidenceError) { try output.finish() }

    func abandon() { output.abandon() }
}
