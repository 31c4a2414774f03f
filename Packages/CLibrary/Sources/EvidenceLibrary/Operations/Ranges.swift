// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
import EvidencePayload

/// Opens parts of a sealed video.
final class Ranges: Work {
    private let order: OrderNumber?
    private let repairs: Set<DocumentRepair.Code>
    private var keys: [any DecryptionKey] = []
    private var payload = GivenPayload()

    init(_ json: String?) throws {
        let options = try Options(json, knowing: ["order", "repair", "strict"])
        order = try options.order
        repairs = try options.repairs
    }

    func add(_ key: LoadedKey, for use: String) throws {
        guard use == "video" else { throw Misuse(.argument, "the use of a key must be video") }
        keys.append(try key.opening)
    }

    func use(_ source: any ByteSource) { payload.use(source) }

    func append(_ bytes: Span<UInt8>) throws { try payload.append(bytes) }

    func finish() throws -> Outcome {
        guard !keys.isEmpty else { throw Misuse(.state, "a sealed video needs a key with the use video") }
        var opener = PayloadOpener(keys)
        opener.repairs = repairs
        let reader = try opener.parts(of: order, from: payload.complete())
        let report = JSONValue.object([
            ("schema", .text("evidence-ranges-1")), ("order", .text(reader.orderNo.value)),
            ("byteCount", .number(reader.byteCount)),
        ])
        return Outcome(report: report.json, parts: ["video": RangedVideo(reader)])
    }
}

/// A sealed video as a source that opens only what is read.
private final class RangedVideo: ByteSource {
    let isSeekable = true
    var size: UInt64? { reader.byteCount }
    private let reader: SealedVideoReader
    private var position: UInt64 = 0

    init(_ reader: SealedVideoReader) { self.reader = reader }

    func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        guard position < reader.byteCount else { return 0 }
        let end = min(position + UInt64(count), reader.byteCount)
        try reader.read(position..<end, to: &buffer)
        defer { position = end }
        return Int(end - position)
    }

    func seek(to offset: UInt64) { position = offset }
}
