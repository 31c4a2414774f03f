// SPDX-License-Identifier: Apache-2.0

/// Text for C: UTF-8 that ends with NUL, in memory that lives as long as this object.
@safe final class CText: @unchecked Sendable {
    private let buffer: UnsafeMutableBufferPointer<CChar>

    init(_ text: String) {
        let bytes = text.utf8CString
        unsafe buffer = .allocate(capacity: bytes.count)
        _ = unsafe buffer.initialize(from: bytes)
    }

    deinit { unsafe buffer.deallocate() }

    var pointer: UnsafePointer<CChar>? { unsafe UnsafePointer(buffer.baseAddress) }
}
