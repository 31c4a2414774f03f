// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// A descriptor of an open file, closed with its owner.
final class OpenFile {
    let number: Int32

    init(_ path: String, _ flags: Int32) throws {
        number = unsafe open(path, flags)
        try #require(number >= 0)
    }

    deinit { _ = close(number) }

    var position: Int { lseek(number, 0, SEEK_CUR) }
}

/// No process here has as many files open.
let closedDescriptor: Int32 = 900_000
