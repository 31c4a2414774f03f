// SPDX-License-Identifier: Apache-2.0
import COpenSSL
package import EvidenceErrors

extension KeyWrapping.Padding {
    /// The content of an RSA block that fully has the structure of this padding; `nil` otherwise.
    ///
    /// It answers the question that an attacker asks. For OAEP the answer becomes a substitute; for PKCS#1 v1.5 it is
    /// for diagnosis alone. Without padding there is no structure.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    package func message(in block: borrowing SecretBytes) throws(EvidenceError) -> SecretBytes? {
        if self == .weakNone { return nil }
        var label: [UInt8] = []
        var hashes: (OpaquePointer, OpaquePointer)?
        if case .oaep(let oaep) = self {
            label = oaep.label
            unsafe hashes = try unsafe (oaep.hash.evp(), oaep.mgf1.evp())
        }
        clearErrors()
        defer { clearErrors() }
        var found: Int32 = -1
        let message = SecretBytes(capacity: block.count) { out in
            unsafe out.withUnsafeMutableBufferPointer { out, count in
                unsafe out.initialize(repeating: 0)
                block.withExposedBytes { block in
                    unsafe block.withUnsafeBufferPointer { block in
                        let size = Int32(block.count)
                        if let (hash, mgf1) = unsafe hashes {
                            found = unsafe label.withUnsafeBufferPointer { label in
                                unsafe RSA_padding_check_PKCS1_OAEP_mgf1(
                                    out.baseAddress, size, block.baseAddress, size, size, label.baseAddress,
                                    Int32(label.count), hash, mgf1)
                            }
                        } else {
                            found = unsafe RSA_padding_check_PKCS1_type_2(
                                out.baseAddress, size, block.baseAddress, size, size)
                        }
                    }
                }
                count = Int(max(found, 0))
            }
        }
        if found >= 0 { return message }
        try throwIfSystemFailed("cannot check the padding", notesRefusals: true) { $0.isOfPadding }
        return nil
    }
}

/// The message in a block with the padding of PKCS#1 v1.5, or `substitute` when there is none of that length: what
/// OpenSSL 3.2 answers, on every version.
///
/// Unpadding is OpenSSL's own constant-time function, and which bytes are returned is decided byte by byte under a
/// mask, without a branch.
func unpadWeakPKCS1v15(_ block: borrowing SecretBytes, or substitute: borrowing SecretBytes) -> SecretBytes {
    let wanted = substitute.count
    var found: Int32 = 0
    let message = SecretBytes(capacity: wanted) { out in
        unsafe out.withUnsafeMutableBufferPointer { out, count in
            unsafe out.initialize(repeating: 0)
            count = wanted
            block.withExposedBytes { block in
                unsafe block.withUnsafeBufferPointer { block in
                    found = unsafe RSA_padding_check_PKCS1_type_2(
                        out.baseAddress, Int32(wanted), block.baseAddress, Int32(block.count), Int32(block.count))
                }
            }
        }
    }
    // OpenSSL 3.0 records bad padding, and removes the record in constant time; nothing of it may stay. It is not read
    // either, though it could be that there was no memory: how long that takes depends on the padding.
    clearErrors()
    // All ones when exactly `wanted` bytes were found, else all zeros.
    let difference = UInt32(bitPattern: found ^ Int32(wanted))
    let mask = UInt8(truncatingIfNeeded: ((difference | (0 &- difference)) >> 31) &- 1)
    return message.withExposedBytes { message in
        substitute.withExposedBytes { substitute in choose(message, substitute, mask) }
    }
}

/// The last bytes of a block to which RSA was applied without padding, or `substitute` if the bytes before them are
/// not all zeros.
///
/// Without this check, an attacker who multiplies a wrapped key by powers of 2^e shifts the content key out bit by bit,
/// and reads it from which of the attacker's own contents open.
func unpadNothing(_ block: borrowing SecretBytes, or substitute: borrowing SecretBytes) -> SecretBytes {
    let wanted = substitute.count
    return block.withExposedBytes { block in
        substitute.withExposedBytes { substitute in
            let start = block.count - wanted
            guard start >= 0 else { return SecretBytes(copying: substitute) }
            var others: UInt8 = 0
            for i in 0..<start { others |= block[i] }
            // All ones when there is nothing else, else all zeros.
            let mask = UInt8(truncatingIfNeeded: (UInt32(others) &- 1) >> 8)
            return choose(block.extracting(start...), substitute, mask)
        }
    }
}

/// Byte by byte the one or the other, without a branch.
private func choose(_ message: Span<UInt8>, _ substitute: Span<UInt8>, _ mask: UInt8) -> SecretBytes {
    SecretBytes(capacity: substitute.count) { out in
        for i in substitute.indices { out.append((message[i] & mask) | (substitute[i] & ~mask)) }
    }
}
