import COpenSSL
internal import EvidenceErrors

/// The owner of one `EVP_CIPHER_CTX`.
@safe
struct CipherContext: ~Copyable {
    enum Mode: String {
        case gcm = "GCM"
        case cbc = "CBC"
        case ecb = "ECB"
    }

    enum Direction: Int32 {
        case open = 0
        case seal = 1
    }

    private let context: OpaquePointer

    init(_ mode: Mode, _ direction: Direction, key: borrowing AESKey, iv: Span<UInt8>) throws(EvidenceError) {
        let cipher = try unsafe mode.cipher(key.size)
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw openSSLError("no memory for a cipher") }
        let isReady = key.withExposedBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe iv.withUnsafeBufferPointer { iv in
                    unsafe EVP_CipherInit_ex2(context, cipher, key.baseAddress, iv.baseAddress, direction.rawValue, nil)
                }
            }
        }
        guard isReady == 1 else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw openSSLError("cannot start AES-\(mode.rawValue)")
        }
        unsafe self.context = context
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Adds to what the tag covers, before the first byte of text.
    mutating func authenticate(_ aad: Span<UInt8>) throws(EvidenceError) {
        guard let aadCount = Int32(exactly: aad.count) else { throw EvidenceError(.length, "the AAD is too long") }
        var count: Int32 = 0
        let isDone = unsafe aad.withUnsafeBufferPointer { aad in
            unsafe EVP_CipherUpdate(context, nil, &count, aad.baseAddress, aadCount)
        }
        guard isDone == 1 else { throw openSSLError("cannot authenticate the AAD") }
    }

    /// Appends what the input becomes. OpenSSL counts in `Int32`, hence the steps.
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

    /// Replaces bytes by what they become: for GCM, which gives as many as it takes, at once.
    mutating func update(inPlace bytes: inout [UInt8]) throws(EvidenceError) {
        let step = 1 << 30
        let isDone = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            var start = 0
            while start < bytes.count {
                let piece = unsafe UnsafeMutableBufferPointer(rebasing: bytes[start..<min(start + step, bytes.count)])
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

    /// Appends the last block of a padded mode, or says that the padding is wrong.
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
        guard isDone == 1 else { throw openSSLError("the cipher gave no tag") }
        return tag
    }

    /// Compares the tag of what was opened.
    mutating func checkTag(_ tag: Span<UInt8>) throws(EvidenceError) {
        var rest: Int32 = 0
        let isSet = unsafe tag.withUnsafeBytes {
            unsafe EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32($0.count), UnsafeMutableRawPointer(mutating: $0.baseAddress))
        }
        guard isSet == 1 else { throw openSSLError("the cipher took no tag") }
        clearErrors()
        guard unsafe EVP_CipherFinal_ex(context, nil, &rest) == 1 else {
            // Of a wrong tag nothing is noted.
            throw judgement(.cannotOpen, "the cipher failed") { _ in false }
        }
    }
}

extension CipherContext.Mode {
    /// OpenSSL's implementation. Fetched at its first use, since a fetch for each context takes a lock; never freed.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`) where no provider has it, or there is no memory for it.
    fileprivate func cipher(_ size: AESKey.Size) throws(EvidenceError) -> OpaquePointer {
        let fetched =
            switch (self, size) {
            case (.gcm, .bits128): unsafe Fetched.gcm128
            case (.gcm, .bits192): unsafe Fetched.gcm192
            case (.gcm, .bits256): unsafe Fetched.gcm256
            case (.cbc, .bits128): unsafe Fetched.cbc128
            case (.cbc, .bits192): unsafe Fetched.cbc192
            case (.cbc, .bits256): unsafe Fetched.cbc256
            case (.ecb, .bits128): unsafe Fetched.ecb128
            case (.ecb, .bits192): unsafe Fetched.ecb192
            case (.ecb, .bits256): unsafe Fetched.ecb256
            }
        if let fetched = unsafe fetched { return unsafe fetched }
        // What failed once, for want of memory, is tried again.
        let name = "AES-\(size.rawValue)-\(rawValue)"
        guard let fetched = unsafe EVP_CIPHER_fetch(nil, name, nil) else {
            throw openSSLError("this OpenSSL does not give \(name)")
        }
        return unsafe fetched
    }
}

private enum Fetched {
    nonisolated(unsafe) static let gcm128 = unsafe EVP_CIPHER_fetch(nil, "AES-128-GCM", nil)
    nonisolated(unsafe) static let gcm192 = unsafe EVP_CIPHER_fetch(nil, "AES-192-GCM", nil)
    nonisolated(unsafe) static let gcm256 = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    nonisolated(unsafe) static let cbc128 = unsafe EVP_CIPHER_fetch(nil, "AES-128-CBC", nil)
    nonisolated(unsafe) static let cbc192 = unsafe EVP_CIPHER_fetch(nil, "AES-192-CBC", nil)
    nonisolated(unsafe) static let cbc256 = unsafe EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
    nonisolated(unsafe) static let ecb128 = unsafe EVP_CIPHER_fetch(nil, "AES-128-ECB", nil)
    nonisolated(unsafe) static let ecb192 = unsafe EVP_CIPHER_fetch(nil, "AES-192-ECB", nil)
    nonisolated(unsafe) static let ecb256 = unsafe EVP_CIPHER_fetch(nil, "AES-256-ECB", nil)
}
