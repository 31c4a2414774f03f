// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import CSystem
import EvidenceEncoding
internal import EvidenceErrors

/// Bytes that must not be seen: a key, a passphrase.
///
/// They are in one place that is never copied, and are wiped when it is destroyed. There is no description, no coding
/// and no equality that could leak them by accident; ``withExposedBytes(_:)`` is the only accessor.
@safe
public struct SecretBytes: ~Copyable, Sendable {
    /// How many bytes there are.
    public let count: Int
    private nonisolated(unsafe) let memory: UnsafeMutablePointer<UInt8>
    private let capacity: Int

    /// Bytes that `body` writes, at most `capacity` of them.
    ///
    /// - Throws: what `body` throws.
    public init<Failure: Error>(
        capacity: Int, _ body: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        // Copying and decoding leave some of the bytes in vector registers.
        defer { system_clear_vector_registers() }
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(capacity, 1))
        var output = unsafe OutputSpan(
            buffer: UnsafeMutableBufferPointer(start: memory, count: capacity), initializedCount: 0)
        do { try body(&output) } catch {
            _ = consume output
            unsafe OPENSSL_cleanse(memory, capacity)
            unsafe memory.deallocate()
            throw error
        }
        let buffer = unsafe UnsafeMutableBufferPointer(start: memory, count: capacity)
        count = unsafe output.finalize(for: buffer)
        unsafe self.memory = memory
        self.capacity = capacity
    }

    /// A copy of bytes that were read from somewhere. The caller's own copy stays as it is; see ``init(wiping:)``.
    public init(copying bytes: Span<UInt8>) {
        self.init(capacity: bytes.count) { out in
            for i in bytes.indices { out.append(bytes[i]) }
        }
    }

    /// Takes over the bytes: the array is wiped and empty afterwards. Other copies of it stay.
    public init(wiping bytes: inout [UInt8]) {
        self.init(copying: bytes.span)
        unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
        bytes = []
    }

    /// Decodes base64; `nil` if it is invalid. The reason is not given, since it would reveal a byte.
    init?(base64 text: Span<UInt8>) {
        guard
            let bytes = try? SecretBytes(
                capacity: Base64.decodedCapacity(of: text.count),
                { out throws(EvidenceError) in try Base64.decode(text, to: &out) })
        else { return nil }
        self = bytes
    }

    /// Decodes hexadecimal digits; `nil` if they are invalid. The reason is not given, since it would reveal a byte.
    init?(hex digits: Span<UInt8>) {
        guard
            let bytes = try? SecretBytes(
                capacity: digits.count / 2, { out throws(EvidenceError) in try Hex.decode(digits, to: &out) })
        else { return nil }
        self = bytes
    }

    /// Random bytes from OpenSSL's generator for secrets.
    init(randomCount count: Int) throws(EvidenceError) {
        try self.init(capacity: count) { out throws(EvidenceError) in
            let isFilled = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                initialized = count
                return unsafe RAND_priv_bytes(buffer.baseAddress, Int32(count)) == 1
            }
            guard isFilled else { throw openSSLError("no random bytes") }
        }
    }

    deinit {
        unsafe OPENSSL_cleanse(memory, capacity)
        unsafe memory.deallocate()
        system_clear_vector_registers()
    }

    /// Lends the bytes to `body`, which must not keep them.
    ///
    /// - Throws: what `body` throws.
    public borrowing func withExposedBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeStart: memory, count: count))
    }

    /// Whether both hold the same bytes, in time that depends on their lengths alone.
    public static func isSame(_ left: borrowing SecretBytes, _ right: borrowing SecretBytes) -> Bool {
        unsafe left.count == right.count && CRYPTO_memcmp(left.memory, right.memory, left.count) == 0
    }
}

/// Secret bytes that a copyable value can hold.
package final class SecretBox: Sendable {
    package let bytes: SecretBytes

    package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}
