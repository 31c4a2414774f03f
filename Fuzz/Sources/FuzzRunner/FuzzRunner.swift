// SPDX-License-Identifier: Apache-2.0
// `FuzzRunner TARGET [libFuzzer's options and folders]`: one program for all targets, since each would have to be
// linked with the whole library. libFuzzer has the `main`; without a target the program lists them.
import FuzzTargets
import Glibc

private nonisolated(unsafe) var target = FuzzTarget.all[0]

/// Takes the target's name out of the arguments before libFuzzer reads them.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    guard count.pointee > 1, let word = arguments.pointee[1] else {
        for target in FuzzTarget.all { print(target.name) }
        exit(0)
    }
    // libFuzzer runs the program again for parts of its work, without the target's name: it is left for those.
    let variable = "FUZZ_TARGET"
    let isName = word.pointee != CChar(UInt8(ascii: "-"))
    if isName { setenv(variable, word, 1) }
    guard let name = getenv(variable), let found = FuzzTarget.named(String(cString: name)) else { exit(2) }
    target = found
    guard isName else { return 0 }
    arguments.pointee[1] = arguments.pointee[0]
    arguments.pointee += 1
    count.pointee -= 1
    return 0
}

/// One input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do { try target.check(Array(UnsafeBufferPointer(start: bytes, count: count))) } catch {
        fatalError("\(target.name): \(error)")
    }
    return 0
}
