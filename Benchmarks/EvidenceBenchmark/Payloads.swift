import EvidenceKit

/// Opens one payload and throws the video away. The key is parsed before.
func open(key: String, payload: String) throws {
    let key = try RSAPrivateKey(contentsOf: key)
    var byteCount: UInt64 = 0
    let time = try seconds {
        let payload = try SimpleModePayload(contentsOf: payload)
        byteCount = try payload.openVideo(with: key, into: DiscardingDestination()).byteCount
    }
    print("seconds\t\(time)\nbytes\t\(byteCount)")
}

/// Opens a small payload many times, each time anew: unwraps its key, decrypts, hands over the bytes.
func openSmall(key: String, payload: String, count: Int, threads: Int) async throws {
    let key = try RSAPrivateKey(contentsOf: key)
    let bytes = try FileSource(path: payload).readAll(limit: 1 << 20, name: payload)
    let share = count / threads
    let start = ContinuousClock.now
    try await withThrowingTaskGroup { group in
        for _ in 0..<threads {
            group.addTask {
                for _ in 0..<share {
                    _ = try SimpleModePayload(MemorySource(bytes)).openVideo(with: key, into: MemoryDestination())
                }
            }
        }
        try await group.waitForAll()
    }
    let time = start.duration(to: .now) / .seconds(1)
    print("rate\t\(Double(share * threads) / time)")
}

/// Seals a video that is digested while it is read, as assembling a result does, and throws the payload away.
func sealWithDigest(recipient: String, video: String) throws {
    let recipient = try RSAPublicKey(contentsOf: recipient)
    guard let order = OrderNumber("ord1") else { fatalError("no order number") }
    let sealer = try SimpleModeSealer(orderNo: order, to: recipient)
    var byteCount: UInt64 = 0
    let time = try seconds {
        byteCount = try sealer.seal(DigestingSource(FileSource(path: video)), into: DiscardingDestination())
    }
    print("seconds\t\(time)\nbytes\t\(byteCount)")
}

/// Digests what is read: each piece by itself, which costs what a digest of the whole does.
private final class DigestingSource: ByteSource {
    private let source: FileSource
    private(set) var digests: [UInt8] = []
    var isSeekable: Bool { source.isSeekable }
    var size: UInt64? { source.size }

    init(_ source: FileSource) { self.source = source }

    func read(_ count: Int, to buffer: inout [UInt8]) throws(StreamError) -> Int {
        let start = buffer.count
        let got = try source.read(count, to: &buffer)
        digests = DigestAlgorithm.sha256.digest(of: buffer.span.extracting(start...))
        return got
    }

    func seek(to offset: UInt64) throws(StreamError) { try source.seek(to: offset) }
}
