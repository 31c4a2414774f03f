import COpenSSL

extension KeyPacking.Padding {
    /// What is inside an RSA block if it has the structure of this padding, all of it; `nil` where it has not.
    ///
    /// It answers the question that an attacker asks, so it is for diagnosis alone.
    func message(in block: borrowing SecretBytes) -> SecretBytes? {
        defer { clearErrors() }
        var found: Int32 = -1
        let message = SecretBytes(capacity: block.count) { out in
            unsafe out.withUnsafeMutableBufferPointer { out, count in
                unsafe out.initialize(repeating: 0)
                block.withExposedBytes { block in
                    unsafe block.withUnsafeBufferPointer { block in
                        let size = Int32(block.count)
                        switch self {
                        case .pkcs1v15:
                            found = unsafe RSA_padding_check_PKCS1_type_2(
                                out.baseAddress, size, block.baseAddress, size, size)
                        case .oaep(let oaep):
                            found = unsafe RSA_padding_check_PKCS1_OAEP_mgf1(
                                out.baseAddress, size, block.baseAddress, size, size, nil, 0, oaep.hash.evp,
                                oaep.mgf1.evp)
                        }
                    }
                }
                count = Int(max(found, 0))
            }
        }
        guard found >= 0 else { return nil }
        return message
    }
}
