// SPDX-License-Identifier: Apache-2.0
// What only a program that links the library can measure. Each verb prints lines of a name, a tab and a number;
// ../bench.py calls it, in turn with the contestants, and does the statistics.
import EvidenceKit

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("open", 3...4):
    try open(key: arguments[1], payload: arguments[2], threads: arguments.dropFirst(3).first.flatMap { Int($0) })
case ("part", 3): try openPart(key: arguments[1], payload: arguments[2])
case ("small", 5):
    try await openSmall(
        key: arguments[1], payload: arguments[2], count: Int(arguments[3]) ?? 0, threads: Int(arguments[4]) ?? 0)
case ("assemble", 3...4):
    try assemble(recipient: arguments[1], video: arguments[2], into: arguments.dropFirst(3).first)
case ("check", 3): try check(key: arguments[1], result: arguments[2])
case ("uploads", 5):
    try await receiveUploads(
        key: arguments[1], payload: arguments[2], count: Int(arguments[3]) ?? 0, onPool: arguments[4] == "pool")
case ("base64", 1): try measureBase64()
default:
    fatalError(
        """
        open KEY PAYLOAD [THREADS] | part KEY PAYLOAD | small KEY PAYLOAD COUNT THREADS | assemble PUBLIC VIDEO [RESULT] | check KEY RESULT | base64
        uploads KEY PAYLOAD COUNT own|pool
        """)
}

/// Seconds that something takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(body) / .seconds(1)
}
