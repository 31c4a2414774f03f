// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// Opens one payload and discards the video, with as many threads as help or as given. The key is parsed before.
func open(key: String, payload: String, threads: Int?) throws {
    let key = try RSAPrivateKey(contentsOf: key)
    var byteCount: UInt64 = 0
    let time = try seconds {
        var opener = PayloadOpener(key)
        opener.threads = threads
        byteCount = try opener.open(from: FileSource(path: payload), into: DiscardingDestination()).byteCount
    }
    print("seconds\t\(time)\nbytes\t\(byteCount)")
}

/// Opens 1 MiB in the middle of a payload, with its key parsed: as the first part, which includes reading the whole
/// document, and as a further one.
func openPart(key: String, payload: String) throws {
    let key = try RSAPrivateKey(contentsOf: key)
    var bytes: [UInt8] = []
    var partTime = 0.0
    let time = try seconds {
        let video = try PayloadOpener(key).parts(from: FileSource(path: payload))
        let middle = video.byteCount / 2
        partTime = try seconds { try video.read(middle..<middle + 1 << 20, to: &bytes) }
    }
    print("seconds\t\(time)\npart\t\(partTime)\nbytes\t\(bytes.count)")
}

/// Opens a small payload many times, each time from the start: unwraps its key, decrypts, passes on the bytes.
func openSmall(key: String, payload: String, count: Int, threads: Int) async throws {
    let key = try RSAPrivateKey(contentsOf: key)
    let bytes = try FileSource(path: payload).readAll(limit: 1 << 20, name: payload)
    let share = count / threads
    let start = ContinuousClock.now
    try await withThrowingTaskGroup { group in
        for _ in 0..<threads {
            group.addTask {
                for _ in 0..<share {
                    _ = try PayloadOpener(key).open(from: MemorySource(bytes), into: MemoryDestination())
                }
            }
        }
        try await group.waitForAll()
    }
    let time = start.duration(to: .now) / .seconds(1)
    print("rate\t\(Double(share * threads) / time)")
}
