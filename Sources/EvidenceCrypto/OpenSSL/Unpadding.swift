import COpenSSL
internal import EvidenceErrors

extension KeyPacking.Padding {
    /// What is inside an RSA block if it has the structure of this padding, all of it; `nil` where it has not.
    ///
    /// It answers the question that an attacker asks, so it is for diagnosis alone.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    func message(in block: borrowing SecretBytes) throws(EvidenceError) -> SecretBytes? {
        let hashes: (OpaquePointer, OpaquePointer)? =
            if case .oaep(let oaep) = self { try unsafe (oaep.hash.evp(), oaep.mgf1.evp()) } else { nil }
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
                            found = unsafe RSA_padding_check_PKCS1_OAEP_mgf1(
                                out.baseAddress, size, block.baseAddress, size, size, nil, 0, hash, mgf1)
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
        try throwIfSystemFailed("cannot look at the padding")
        return nil
    }
}
