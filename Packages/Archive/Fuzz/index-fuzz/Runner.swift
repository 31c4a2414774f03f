// SPDX-License-Identifier: Apache-2.0
// libFuzzer has the `main`: scripts/steps/fuzz-Archive builds this.
import IndexFuzz

private let target: IndexFuzz = {
    guard let key = CommandLine.arguments.first(where: { $0.hasPrefix("--key=") })?.dropFirst(6),
        let target = try? IndexFuzz(keyFile: String(key))
    else { fatalError("--key=FILE is needed") }
    return target
}()

/// One input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do { try target.check(Array(UnsafeBufferPointer(start: bytes, count: count))) } catch { fatalError("\(error)") }
    return 0
}
