// SPDX-License-Identifier: Apache-2.0
import CEvidence
import EvidenceKit

/// Bytes that a function of the calling program reads.
@safe
final class CallerReader: ByteSource {
    let isSeekable = true
    let size: UInt64?
    private let byteCount: UInt64
    private let readAt: evidence_read_at
    private let context: UnsafeMutableRawPointer?
    private var position: UInt64 = 0

    init(_ readAt: evidence_read_at, _ context: UnsafeMutableRawPointer?, byteCount: UInt64) {
        unsafe self.readAt = readAt
        unsafe self.context = context
        self.byteCount = byteCount
        size = byteCount
    }

    func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        let room = Int(min(UInt64(count), byteCount - min(position, byteCount)))
        if room == 0 { return 0 }
        let before = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: room))
        var got = 0
        let answer = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            unsafe readAt(context, position, bytes.baseAddress?.advanced(by: before), room, &got)
        }
        let isRead = answer == EVIDENCE_OK && (1...room).contains(got)
        buffer.removeLast(room - (isRead ? got : 0))
        guard answer == EVIDENCE_OK else {
            throw EvidenceError(.cannotRead, "the program's own reader failed, with the answer \(answer)")
        }
        guard got != 0 else {
            throw EvidenceError(
                .changed, offset: position, "the program's own reader has no more bytes, of \(byteCount)")
        }
        guard isRead else {
            throw EvidenceError(.cannotRead, "the program's own reader read more than it was asked for")
        }
        position += UInt64(got)
        return got
    }

    func seek(to offset: UInt64) { position = offset }
}
