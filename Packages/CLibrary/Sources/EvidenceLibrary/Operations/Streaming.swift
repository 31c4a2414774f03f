// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidencePayload

/// Opens a sealed video, and releases each chunk once it is verified.
final class Streaming: Work {
    private let order: OrderNumber?
    private let repairs: Set<DocumentRepair.Code>
    private let video = ReleasedContent()
    private var keys: [any DecryptionKey] = []
    private var receiver: PayloadReceiver?

    init(_ json: String?) throws {
        let options = try Options(json, knowing: ["order", "repair", "strict"])
        order = try options.order
        repairs = try options.repairs
    }

    var released: [String: any ByteSource] { ["video": video] }

    func add(_ key: LoadedKey, for use: String) throws {
        guard use == "video" else { throw Misuse(.argument, "the use of a key must be video") }
        keys.append(try key.opening)
    }

    func append(_ bytes: Span<UInt8>) throws { try begun().append(bytes) }

    func finish() throws -> Outcome { Outcome(report: try begun().finish().json, parts: released) }

    private func begun() throws -> PayloadReceiver {
        if let receiver { return receiver }
        guard !keys.isEmpty else { throw Misuse(.state, "a sealed video needs a key with the use video") }
        var opener = PayloadOpener(keys)
        opener.repairs = repairs
        let made = try opener.streamReceiver(of: order, into: video)
        receiver = made
        return made
    }
}

/// Verified content that waits until it is read: held like all content, however much comes before the next reading.
private final class ReleasedContent: ByteDestination, ByteSource {
    let isWithheldUntilFinished = false
    let isSeekable = false
    /// After ``finish()``.
    private(set) var size: UInt64?
    private var byteCount: UInt64 = 0
    private var filling: HeldContent?
    private var reading: HeldContent?

    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        let held = if let filling { filling } else { try HeldContent() }
        filling = held
        try held.write(bytes)
        byteCount += UInt64(bytes.count)
    }

    func finish() { size = byteCount }

    func abandon() { (filling, reading) = (nil, nil) }

    func read(_ count: Int, to buffer: inout [UInt8]) throws(EvidenceError) -> Int {
        if let got = try reading?.read(count, to: &buffer), got > 0 { return got }
        reading = nil
        guard let held = filling.take() else { return 0 }
        try held.finish()
        reading = held
        return try held.read(count, to: &buffer)
    }

    func seek(to offset: UInt64) throws(EvidenceError) {
        throw EvidenceError(.cannotRead, "released content is read once, from front to back")
    }
}
