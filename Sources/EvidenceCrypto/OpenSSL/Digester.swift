// SPDX-License-Identifier: Apache-2.0
import COpenSSL
public import EvidenceErrors

/// A digest in pieces.
///
/// An example: <doc:KeysAndBytes>.
@safe
public struct Digester: ~Copyable {
    private let context: OpaquePointer
    private let algorithm: DigestAlgorithm
    private var failure: EvidenceError?

    /// A digest of no bytes yet.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public init(_ algorithm: DigestAlgorithm) throws(EvidenceError) {
        let evp = try unsafe algorithm.evp()
        guard let context = unsafe EVP_MD_CTX_new() else { throw openSSLError("no memory for a digest") }
        guard unsafe EVP_DigestInit_ex2(context, evp, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw openSSLError("cannot start \(algorithm.rawValue)")
        }
        unsafe self.context = context
        self.algorithm = algorithm
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Takes the next piece. If that fails, ``finalize()`` throws.
    public mutating func append(_ bytes: Span<UInt8>) {
        let isDone = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        if isDone != 1 && failure == nil { failure = openSSLError("cannot compute \(algorithm.rawValue)") }
    }

    /// The digest of all pieces.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`), also for what failed in ``append(_:)``.
    public consuming func finalize() throws(EvidenceError) -> [UInt8] {
        if let failure { throw failure }
        var isDone: Int32 = 0
        let digest = [UInt8](capacity: algorithm.byteCount) { out in
            unsafe out.withUnsafeMutableBufferPointer { out, count in
                isDone = unsafe EVP_DigestFinal_ex(context, out.baseAddress, nil)
                count = isDone == 1 ? algorithm.byteCount : 0
            }
        }
        guard isDone == 1 else { throw openSSLError("cannot compute \(algorithm.rawValue)") }
        return digest
    }
}
