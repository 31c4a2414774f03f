/// A key, a cipher or OpenSSL itself said no.
///
/// Two errors are equal when their `code` is. No error carries a byte of a key or of content. Everything that depends
/// on a secret (wrong key, bad padding, bad tag) is the one code ``Code/cannotOpen``.
public struct CryptoError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. New kinds may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind {
            case cannotOpen, wrappedKeyLength, notAKey, wrongKindOfKey, notRSA, passphraseNeeded, wrongPassphrase,
                weakKey,
                length, engine
        }
        private let kind: Kind

        /// The bytes do not open with this key; why is not said.
        public static let cannotOpen = Code(kind: .cannotOpen)
        /// A wrapped key is not as long as the RSA modulus. Lengths are public, so this may be told apart.
        public static let wrappedKeyLength = Code(kind: .wrappedKeyLength)
        /// A file that should hold a key holds none that can be read.
        public static let notAKey = Code(kind: .notAKey)
        /// Public where private is needed, or the reverse, or something else that is found beside keys.
        public static let wrongKindOfKey = Code(kind: .wrongKindOfKey)
        /// A key of another algorithm than RSA.
        public static let notRSA = Code(kind: .notRSA)
        /// The private key is encrypted and no passphrase was given.
        public static let passphraseNeeded = Code(kind: .passphraseNeeded)
        /// The passphrase does not open the private key.
        public static let wrongPassphrase = Code(kind: .wrongPassphrase)
        /// An RSA key that is too small, too large or otherwise not fit for the job.
        public static let weakKey = Code(kind: .weakKey)
        /// A key, nonce, tag or text of a length that the algorithm does not have.
        public static let length = Code(kind: .length)
        /// OpenSSL failed where it should not: no memory, no entropy, an algorithm that is switched off.
        public static let engine = Code(kind: .engine)
    }

    /// The kind of failure.
    public let code: Code
    /// What to try, where there is something.
    public let hint: String?
    private let reason: String

    init(_ code: Code, _ reason: String, hint: String? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// One sentence without a full stop.
    public var description: String { reason }

    /// Equal by code: a test can ask "throws this kind".
    public static func == (left: CryptoError, right: CryptoError) -> Bool { left.code == right.code }

    static let cannotOpen = CryptoError(.cannotOpen, "cannot open: the key does not fit, or the bytes were changed")
}
