// SPDX-License-Identifier: Apache-2.0
// What only a program that links the library can measure. Each verb prints lines of a name, a tab and a number;
// ../bench.py calls it, in turn with the contestants, and does the statistics.
import EvidenceKit

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("open", 4...5):
    try open(
        arguments[1], key: arguments[2], payload: arguments[3],
        threads: arguments.dropFirst(4).first.flatMap { Int($0) })
case ("part", 3...4):
    try openPart(key: arguments[1], payload: arguments[2], indexedAt: arguments.dropFirst(3).first)
case ("small", 6):
    let opener = try opener(arguments[1], arguments[2])
    let payload = try whole(arguments[3])
    try await repeated(count: arguments[4], threads: arguments[5]) {
        _ = try opener.open(from: MemorySource(payload), into: MemoryDestination())
    }
case ("small-refused", 6):
    let opener = try opener(arguments[1], arguments[2])
    var payload = try whole(arguments[3])
    // In the tag.
    guard let end = payload.lastIndex(where: { $0 == UInt8(ascii: "\"") }) else { fatalError("no payload") }
    payload[end - 8] = payload[end - 8] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    try await repeated(count: arguments[4], threads: arguments[5]) { [payload] in
        do throws(EvidenceError) {
            _ = try opener.open(from: MemorySource(payload), into: MemoryDestination())
            fatalError("it opens")
        } catch { guard error.code == .cannotOpen else { throw error } }
    }
case ("assemble", 3...4):
    try assemble(recipient: arguments[1], video: arguments[2], into: arguments.dropFirst(3).first)
case ("check", 3...4):
    try check(key: arguments[1], result: arguments[2], digestingLongFields: arguments.dropFirst(3).first == "all")
case ("small-check", 5):
    let checker = try Setting().checker(key: arguments[1])
    let result = try whole(arguments[2])
    try await repeated(count: arguments[3], threads: arguments[4]) {
        guard try checker.check(MemorySource(result)).reportForKeyHolder[.video]?.state == .holds else {
            fatalError("the video does not hold")
        }
    }
case ("uploads", 5):
    try await receiveUploads(
        key: arguments[1], payload: arguments[2], count: Int(arguments[3]) ?? 0, onPool: arguments[4] == "pool")
case ("base64", 1): try measureBase64()
default:
    fatalError(
        """
        open PROFILE KEY PAYLOAD [THREADS] | part KEY PAYLOAD [INDEX] | base64
        small PROFILE KEY PAYLOAD COUNT THREADS | small-refused PROFILE KEY PAYLOAD COUNT THREADS
        assemble PUBLIC VIDEO [RESULT] | check KEY RESULT [all] | small-check KEY RESULT COUNT THREADS
        uploads KEY PAYLOAD COUNT own|pool
        """)
}

/// Seconds that something takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(body) / .seconds(1)
}

/// All bytes of a file that fits in memory.
func whole(_ path: String) throws -> [UInt8] { try FileSource(path: path).readAll(limit: 16 << 20, name: path) }

/// Does something many times on several threads, and prints how often in a second.
func repeated(count: String, threads: String, _ body: @escaping @Sendable () throws -> Void) async throws {
    guard let threads = Int(threads), let count = Int(count) else { fatalError("numbers") }
    let share = count / threads
    let start = ContinuousClock.now
    try await withThrowingTaskGroup { group in
        for _ in 0..<threads {
            group.addTask { for _ in 0..<share { try body() } }
        }
        try await group.waitForAll()
    }
    let time = start.duration(to: .now) / .seconds(1)
    print("rate\t\(Double(share * threads) / time)")
}
