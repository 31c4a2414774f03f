// SPDX-License-Identifier: Apache-2.0
import COpenSSL
internal import EvidenceErrors
import Synchronization

/// The owner of one `EVP_CIPHER_CTX`.
@safe
struct CipherContext: ~Copyable {
    enum Direction: Int32 {
        case open = 0
        case seal = 1
    }

    private let context: OpaquePointer

    init(
        _ description: ContentCipher, _ direction: Direction, key: borrowing AESKey, iv: Span<UInt8>
    ) throws(EvidenceError) {
        let cipher = try unsafe description.fetched()
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw openSSLError("no memory for a cipher") }
        var isReady = true
        if description.isAuthenticated {
            // The nonce's length comes before the nonce.
            isReady =
                unsafe EVP_CipherInit_ex2(context, cipher, nil, nil, direction.rawValue, nil) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(description.ivByteCount), nil) == 1
        }
        isReady =
            isReady
            && key.withExposedBytes { key in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe iv.withUnsafeBufferPointer { iv in
                        unsafe EVP_CipherInit_ex2(
                            context, description.isAuthenticated ? nil : cipher, key.baseAddress, iv.baseAddress,
                            direction.rawValue, nil) == 1
                    }
                }
            }
        if isReady, description.blockByteCount > 1, description.padding != .pkcs7 {
            isReady = unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1
        }
        guard isReady else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw openSSLError("cannot start \(description)")
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Starts the next text under the same key. Only the IV is set, since setting the key takes longer.
    mutating func restart(iv: Span<UInt8>) throws(EvidenceError) {
        let isReady = unsafe iv.withUnsafeBufferPointer { iv in
            unsafe EVP_CipherInit_ex2(context, nil, nil, iv.baseAddress, -1, nil)
        }
        guard isReady == 1 else { throw openSSLError("cannot restart a cipher") }
    }

    /// Adds to what the tag covers, before the first byte of text.
    mutating func authenticate(_ aad: Span<UInt8>) throws(EvidenceError) {
        guard let aadCount = Int32(exactly: aad.count) else { throw EvidenceError(.length, "the AAD is too long") }
        var count: Int32 = 0
        let isDone = unsafe aad.withUnsafeBufferPointer { aad in
            unsafe EVP_CipherUpdate(context, nil, &count, aad.baseAddress, aadCount)
        }
        guard isDone == 1 else { throw openSSLError("cannot authenticate the AAD") }
    }

    /// Appends the output for the input. OpenSSL counts in `Int32`, hence the steps.
    mutating func update(_ input: Span<UInt8>, to output: inout [UInt8]) throws(EvidenceError) {
        let step = 1 << 30
        var start = 0
        while start < input.count {
            let piece = input.extracting(start..<min(start + step, input.count))
            start += step
            var isDone: Int32 = 0
            output.append(addingCapacity: piece.count + 16) { out in
                unsafe out.withUnsafeMutableBufferPointer { out, written in
                    unsafe piece.withUnsafeBufferPointer { piece in
                        var count: Int32 = 0
                        isDone = unsafe EVP_CipherUpdate(
                            context, out.baseAddress, &count, piece.baseAddress, Int32(piece.count))
                        written = isDone == 1 ? Int(count) : 0
                    }
                }
            }
            guard isDone == 1 else { throw openSSLError("the cipher failed") }
        }
    }

    /// Replaces bytes with their output: for GCM and CTR, whose output has the length of the input.
    mutating func update(inPlace bytes: inout [UInt8]) throws(EvidenceError) {
        try update(inPlace: &bytes, bytes.indices)
    }

    /// The same of a part of them.
    mutating func update(inPlace bytes: inout [UInt8], _ range: Range<Int>) throws(EvidenceError) {
        let step = 1 << 30
        let isDone = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            var start = range.lowerBound
            while start < range.upperBound {
                let piece = unsafe UnsafeMutableBufferPointer(
                    rebasing: bytes[start..<min(start + step, range.upperBound)])
                let (first, wanted) = (piece.baseAddress, Int32(piece.count))
                var count: Int32 = 0
                guard unsafe EVP_CipherUpdate(context, first, &count, first, wanted) == 1, count == wanted else {
                    return false
                }
                start += step
            }
            return true
        }
        guard isDone else { throw openSSLError("the cipher failed") }
    }

    /// Appends the last block of a padded mode, or says that the padding is wrong. Without padding there is nothing to
    /// append.
    mutating func finish(to output: inout [UInt8]) throws(EvidenceError) {
        clearErrors()
        var isDone: Int32 = 0
        output.append(addingCapacity: 16) { out in
            unsafe out.withUnsafeMutableBufferPointer { out, written in
                var count: Int32 = 0
                isDone = unsafe EVP_CipherFinal_ex(context, out.baseAddress, &count)
                written = isDone == 1 ? Int(count) : 0
            }
        }
        guard isDone == 1 else {
            throw judgement(.cannotOpen, "the cipher failed") {
                $0.is(ERR_LIB_PROV, PROV_R_BAD_DECRYPT) || $0.is(ERR_LIB_PROV, PROV_R_WRONG_FINAL_BLOCK_LENGTH)
            }
        }
    }

    /// The tag of what was sealed.
    mutating func sealingTag(_ byteCount: Int) throws(EvidenceError) -> [UInt8] {
        var rest: Int32 = 0
        guard unsafe EVP_CipherFinal_ex(context, nil, &rest) == 1 else { throw openSSLError("the cipher failed") }
        var tag = [UInt8](repeating: 0, count: byteCount)
        let isDone = unsafe tag.withUnsafeMutableBytes {
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(byteCount), $0.baseAddress)
        }
        guard isDone == 1 else { throw openSSLError("the cipher returned no tag") }
        return tag
    }

    /// Compares the tag of what was opened.
    mutating func checkTag(_ tag: Span<UInt8>) throws(EvidenceError) {
        var rest: Int32 = 0
        let isSet = unsafe tag.withUnsafeBytes {
            unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32($0.count), UnsafeMutableRawPointer(mutating: $0.baseAddress))
        }
        guard isSet == 1 else { throw openSSLError("the cipher did not accept the tag") }
        clearErrors()
        guard unsafe EVP_CipherFinal_ex(context, nil, &rest) == 1 else {
            // OpenSSL reports nothing about a wrong tag.
            throw judgement(.cannotOpen, "the cipher failed") { _ in false }
        }
    }
}

extension ContentCipher {
    /// OpenSSL's implementation, fetched at its first use, since a fetch for each context takes a lock and more; never
    /// freed. A fetch that failed for lack of memory is tried again.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`) where no provider has it, or there is no memory for it.
    fileprivate func fetched() throws(EvidenceError) -> OpaquePointer {
        if let known = implementations.withLock({ $0[name] }) { return unsafe known.pointer }
        guard let pointer = unsafe EVP_CIPHER_fetch(nil, name, nil) else {
            throw openSSLError("this OpenSSL does not provide \(name)")
        }
        let implementation = unsafe Implementation(pointer: pointer)
        implementations.withLock { $0[name] = implementation }
        return unsafe pointer
    }
}

/// An `EVP_CIPHER`, which OpenSSL lets many threads use at a time.
@safe
private struct Implementation: @unchecked Sendable {
    let pointer: OpaquePointer
}

private let implementations = Mutex<[String: Implementation]>([:])
