import COpenSSL
public import EvidenceErrors

/// A digest in pieces.
///
/// ```swift
/// var digester = try Digester(.sha256)
/// digester.append(bytes.span)
/// let digest = digester.finalize()
/// ```
@safe
public struct Digester: ~Copyable {
    private let context: OpaquePointer
    private let algorithm: DigestAlgorithm

    /// A digest of nothing as yet.
    ///
    /// - Throws: ``EvidenceError`` (`.openSSL`).
    public init(_ algorithm: DigestAlgorithm) throws(EvidenceError) {
        guard let context = unsafe EVP_MD_CTX_new() else { throw openSSLError("no memory for a digest") }
        guard unsafe EVP_DigestInit_ex2(context, algorithm.evp, nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            throw openSSLError("\(algorithm.rawValue) is not to be had")
        }
        unsafe self.context = context
        self.algorithm = algorithm
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Takes the next piece.
    public mutating func append(_ bytes: Span<UInt8>) {
        let isDone = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        // Once it has begun, a digest fails for no input; nothing sound could go on without it.
        precondition(isDone == 1, "OpenSSL cannot compute \(algorithm.rawValue)")
    }

    /// The digest of all pieces, ``DigestAlgorithm/byteCount`` bytes.
    public consuming func finalize() -> [UInt8] {
        [UInt8](capacity: algorithm.byteCount) { out in
            unsafe out.withUnsafeMutableBufferPointer { out, count in
                let isDone = unsafe EVP_DigestFinal_ex(context, out.baseAddress, nil)
                precondition(isDone == 1, "OpenSSL cannot compute \(algorithm.rawValue)")
                count = algorithm.byteCount
            }
        }
    }
}
