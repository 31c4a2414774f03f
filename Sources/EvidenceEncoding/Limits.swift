/// Every upper bound on what strangers may send us, in one place.
///
/// Parsers and checks all read these, so a bound is changed here and nowhere else. `docs/FORMATS.md` §1.1 repeats the
/// ones that another implementation needs.
public enum Limits {
    /// Levels of objects and arrays inside one another in JSON.
    public static let jsonDepth = 64
    /// Names in one JSON object.
    public static let jsonMembers = 4_096
    /// Bytes in one JSON name, after unescaping.
    public static let jsonNameBytes = 1_024
    /// Bytes of names that are remembered at a time (to find duplicates), over all open objects.
    public static let jsonHeldNameBytes = 1 << 20
    /// Characters of one JSON number whose text is wanted.
    public static let jsonNumberCharacters = 64
    /// Values of every kind in a result, which is held as a tree without its long strings.
    public static let documentValues = 16_384
    /// Bytes of names, paths and short strings held of one result.
    public static let documentTextBytes = 1 << 20
    /// Bytes of a string of a result that is held; longer ones stay in the document.
    public static let heldStringBytes = 4_096
    /// Bytes of a photo that is taken out of a result or put into one.
    public static let photoBytes: UInt64 = 16 << 20
    /// Bytes of an original photo that the vendor accepts for comparison: 500 KB (GH:合作方后台上送身份信息).
    public static let vendorSourcePhotoBytes: UInt64 = 500 << 10
    /// Base64 characters of that photo's field, `sourcePhotoStr` (same page).
    public static let vendorSourcePhotoCharacters: UInt64 = 1_048_576
    /// Characters of an order number (655/13835; iOS error 12006).
    public static let orderNumberCharacters = 1...32
    /// Characters of a short field (`orderNo`, a wrapped key): RSA-8192 needs 1,368.
    public static let shortFieldCharacters = 4_096
    /// Characters of a field that a diagnosis keeps without knowing its name: as long as a wrapped key, and a little.
    public static let diagnosedFieldCharacters = 1_400
    /// Bytes of a key or certificate file.
    public static let keyFileBytes = 1 << 18
    /// Entries in a folder of private keys of which each is tried: a millisecond or two for each.
    public static let keyFolderEntries = 256
    /// PEM blocks in one such file: a bundle of certificates has 150. Each takes OpenSSL a millisecond or two.
    public static let keyFileBlocks = 256
    /// Rounds of PBKDF2 and its elders for which an encrypted private key may ask: a few seconds. Recommendations of
    /// today stay under 1.5 million.
    public static let keyDerivationIterations: UInt64 = 5_000_000
    /// Blocks of 128 bytes that scrypt may mix for an encrypted private key (N times r times p): a few seconds.
    /// OpenSSL itself bounds the memory, at 32 MiB.
    public static let scryptWork: UInt64 = 1 << 23
    /// Bytes of a passphrase: what OpenSSL takes.
    public static let passphraseBytes = 1_024
    /// Bytes of a ticket: 64 in every published example.
    public static let ticketBytes = 256
    /// UTF-8 bytes of a free-text value that is signed: a person's name, an ID number.
    public static let freeTextBytes = 1_024
    /// Bytes of a callback URL.
    public static let callbackBytes = 8_192
    /// Steps of the search for a second reading of what was signed (`docs/SIGN-RECIPES.md`).
    public static let splitSearchSteps = 20_000
    /// Bytes of a file that holds one value to be signed.
    public static let signValueFileBytes = 4_096
    /// Bytes of a statement, the plaintext of `identifyStr` (`docs/FORMATS.md` §4).
    public static let statementBytes = 1 << 16
    /// UTF-8 bytes of one text in a statement.
    public static let statementTextBytes = 1_024
    /// Bytes AES-GCM may seal under one nonce (NIST SP 800-38D §5.2.1.1).
    public static let gcmPlaintextBytes: UInt64 = (1 << 36) - 32
    /// Bytes of sealed text that are held in memory before they go to a spool file.
    public static let spoolMemoryBytes = 6 << 20
    /// The same for all spools of a process together, unless it says otherwise.
    public static let spoolMemoryBytesInAll = 64 << 20
    /// The same for `identifyStr`, whose statement is short.
    public static let shortSpoolMemoryBytes = 128 << 10
}
