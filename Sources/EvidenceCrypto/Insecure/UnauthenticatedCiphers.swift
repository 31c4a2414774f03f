public import EvidenceErrors

extension Insecure {
    /// AES in CBC mode with PKCS#7 padding (NIST SP 800-38A §6.2, RFC 5652 §6.3).
    public enum AESCBC {
        /// Bytes of an IV.
        public static let ivByteCount = 16

        /// An encryptor under a 16-byte IV.
        ///
        /// - Throws: ``EvidenceError``: `.length` of the IV, or `.openSSL`.
        public static func encryptor(key: borrowing AESKey, iv: Span<UInt8>) throws(EvidenceError)
            -> UnauthenticatedCipher
        {
            try cipher(.seal, key, iv)
        }

        /// A decryptor under a 16-byte IV.
        ///
        /// - Throws: ``EvidenceError``: `.length` of the IV, or `.openSSL`.
        public static func decryptor(key: borrowing AESKey, iv: Span<UInt8>) throws(EvidenceError)
            -> UnauthenticatedCipher
        {
            try cipher(.open, key, iv)
        }

        private static func cipher(
            _ direction: CipherContext.Direction, _ key: borrowing AESKey, _ iv: Span<UInt8>
        ) throws(EvidenceError) -> UnauthenticatedCipher {
            guard iv.count == ivByteCount else {
                throw EvidenceError(.length, "an AES-CBC IV has \(ivByteCount) bytes, not \(iv.count)")
            }
            return UnauthenticatedCipher(context: try CipherContext(.cbc, direction, key: key, iv: iv))
        }
    }

    /// AES in ECB mode with PKCS#7 padding (NIST SP 800-38A §6.1): equal blocks stay equal.
    public enum AESECB {
        /// An encryptor.
        ///
        /// - Throws: ``EvidenceError`` (`.openSSL`).
        public static func encryptor(key: borrowing AESKey) throws(EvidenceError) -> UnauthenticatedCipher {
            UnauthenticatedCipher(context: try CipherContext(.ecb, .seal, key: key, iv: Span()))
        }

        /// A decryptor.
        ///
        /// - Throws: ``EvidenceError`` (`.openSSL`).
        public static func decryptor(key: borrowing AESKey) throws(EvidenceError) -> UnauthenticatedCipher {
            UnauthenticatedCipher(context: try CipherContext(.ecb, .open, key: key, iv: Span()))
        }
    }

    /// A cipher without a tag at work, in pieces of any size, with PKCS#7 padding.
    public struct UnauthenticatedCipher: ~Copyable {
        var context: CipherContext

        /// Appends what the next piece becomes, as far as whole blocks are known.
        public mutating func append(_ input: Span<UInt8>, to output: inout [UInt8]) throws(EvidenceError) {
            try context.update(input, to: &output)
        }

        /// Appends the last block: padded when encrypting, with its padding taken off when decrypting.
        ///
        /// - Throws: ``EvidenceError`` (`.cannotOpen`) when the padding is wrong or a block is cut. Tell nobody remote:
        ///   an answer to this question opens CBC ciphertexts byte by byte (Vaudenay 2002).
        public consuming func finalize(to output: inout [UInt8]) throws(EvidenceError) {
            try context.finish(to: &output)
        }
    }
}
