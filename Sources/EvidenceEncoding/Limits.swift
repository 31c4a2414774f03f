// SPDX-License-Identifier: Apache-2.0
/// Every bound on untrusted input, in one place.
///
/// Parsers, checks, messages and help all read these, so a bound is changed here and nowhere else. `docs/FORMATS.md`
/// §1.1 repeats the ones that another implementation needs. Not here: the sizes of buffers (a matter of speed, kept
/// with each buffer), and sizes that an algorithm or a file format defines.
public enum Limits {
    /// Levels of objects and arrays inside one another in JSON.
    package static let jsonDepth = 64
    /// Names in one JSON object.
    package static let jsonMembers = 4_096
    /// Bytes in one JSON name, after unescaping.
    package static let jsonNameBytes = 1_024
    /// Bytes of names held at a time to find duplicates, over all open objects.
    package static let jsonHeldNameBytes = 1 << 20
    /// Characters of one JSON number whose text is kept.
    package static let jsonNumberCharacters = 64
    /// Digits of a JSON number that is compared with text: readers that compute in floating point keep 15.
    package static let exactNumberDigits = 15
    /// Values of every kind in a result, which is held as a tree without its long strings.
    package static let documentValues = 16_384
    /// Bytes of names, paths and short strings held of one result.
    package static let documentTextBytes = 1 << 20
    /// Bytes of a string of a result that is held; longer ones stay in the document.
    package static let heldStringBytes = 4_096
    /// Bytes of a string of a result in which JSON is looked for, how deep one such text is looked for in another, and
    /// from how many brackets of a text.
    package static let jsonTextBytes = 64 << 10
    /// See ``jsonTextBytes``.
    package static let jsonTextLevels = 4
    /// See ``jsonTextBytes``.
    package static let jsonTextPieces = 64
    /// What a text counts at least in which something may be encoded, since short ones cost, too.
    package static let jsonTextLeastBytes = 256
    /// Bytes of all texts of a result that are looked through, a decoded one counted again (`docs/FORMATS.md` §5.2).
    package static let jsonTextTotalBytes = 2 << 20
    /// Words of a result's names and texts, each of which is looked up in several lists.
    package static let documentWords = 65_536
    /// Bytes of a photo that is extracted from a result or put into one.
    package static let photoBytes: UInt64 = 16 << 20
    /// Bytes of an original photo that the vendor accepts for comparison: 500 KB (GH:合作方后台上送身份信息).
    package static let vendorSourcePhotoBytes: UInt64 = 500 << 10
    /// Base64 characters of that photo's field, `sourcePhotoStr` (same page).
    package static let vendorSourcePhotoCharacters: UInt64 = 1_048_576
    /// Characters of an order number (655/13835; iOS error 12006).
    package static let orderNumberCharacters = 1...32
    /// Characters of an appId: 57603 and others give 8 bytes.
    package static let appIdCharacters = 1...8
    /// Characters of a userId (114144, 114177, 57614).
    package static let userIdCharacters = 1...32
    /// Characters of a faceId (GH:启动 H5 人脸核身).
    package static let faceIdCharacters = 1...32
    /// Characters of an API version (655/13835). Every page says 1.0.0.
    package static let versionCharacters = 1...20
    /// Characters of a nonce, no more and no fewer (every sign page; iOS error 12007).
    package static let nonceCharacters = 32
    /// Digits of a result code of the vendor's.
    package static let codeDigits = 1...10
    /// Characters of a score that is read as a number.
    package static let scoreCharacters = 32
    /// The highest score.
    package static let highestScore = 100.0
    /// Characters of a sign that is to be explained: a SHA-512 in hexadecimal digits, and some blanks.
    package static let explainedSignCharacters = 256
    /// Characters of a short field (`orderNo`, a wrapped key): RSA-8192 needs 1,368.
    package static let shortFieldCharacters = 4_096
    /// Characters of a field that a diagnosis keeps without knowing its name: as long as a wrapped key, and a little.
    package static let diagnosedFieldCharacters = 1_400
    /// Bytes before the comma of the data URI that a profile's content is.
    package static let dataURIBytes = 128
    /// Certificates in one file.
    package static let certificates = 64
    /// Bytes of the beginning by which something is recognised.
    package static let recognisedBytes = 8 << 10
    /// Bytes of the beginning of a field's text that are kept to name it by.
    package static let namedTextBytes = 2 << 10
    /// Characters of a field's text that are held to decode all of it (``TextRepair/printedBytes``).
    package static let decodedTextBytes = 16 << 20
    /// Bytes of a signature, of a time-stamp query and of a reply that are read.
    public static let signatureFileBytes = 64 << 10
    /// Bytes of an archive's own description.
    package static let archiveDescriptionBytes = 2_048
    /// Signing keys that an archive accepts at a time.
    package static let archiveSigners = 1...4
    /// Bytes of what a bag says about itself.
    package static let bagInfoBytes = 4_096
    /// Bytes of a bag's manifest.
    package static let manifestBytes = 64 << 20
    /// Bytes of the statement of an archived record.
    package static let archiveStatementBytes = 16_384
    /// Bytes of a part of an archived record: what its reader reads at most, whatever a stranger's statement says.
    package static let archivedPartBytes: UInt64 = 4 << 30
    /// Parts of an archived record.
    package static let archiveParts = 64
    /// Attachments of an archived record, and pictures of a face.
    package static let archiveAttachments = 16
    /// Bytes of the file of a record's keys.
    package static let recordKeyFileBytes = 8_192
    /// Bytes of a file among an archive's keys that is looked through for copies of one.
    package static let keyCopyBytes = 1 << 20
    /// Bytes of a wrapped key of a record.
    package static let wrappedRecordKeyBytes = 256...rsaKeyBits.upperBound / 8
    /// Bytes of what an archived record says of persons and reasons (`about.json`).
    package static let archiveAboutBytes = 65_536
    /// Bytes of a string that stays in the outline of a document, and of the outline.
    package static let outlineStringBytes = 1_024
    /// See ``outlineStringBytes``.
    package static let outlineBytes = 65_536
    /// Values of an array in a document that has an outline.
    package static let outlineArrayValues = 64
    /// Records that one record says were opened.
    public static let openedRecords = 128
    /// Additions of one record.
    package static let additions = 256
    /// Files beside a bag's signature and its token.
    package static let furtherSignatures = 16
    /// Bytes of a file beside a bag's signature and its token.
    public static let furtherSignatureBytes = 1 << 20
    /// Bytes of the report of an archived record that is read.
    package static let archivedReportBytes: UInt64 = 4 << 20
    /// Records of one bag.
    public static let bagRecords = 16_384
    /// Records that may wait for a bag: less than a bag takes, so that what crashes leave can be completed.
    package static let waitingRecords = bagRecords - 64
    /// Records that may wait before exports and openings are refused: what is kept has the other places.
    package static let waitingRecordsForAccess = bagRecords / 2
    /// Erasures and reductions that may be begun at a time: each may need a place in a bag.
    package static let begunErasures = 64
    /// Bits of an archive key: what it seals stays closed for decades.
    package static let archiveKeyBits = 3072
    /// Characters of the name of an archive.
    package static let archiveOriginCharacters = 1...255
    /// Bits of an RSA key that is accepted at all.
    package static let rsaKeyBits = 1024...8192
    /// Bits of an RSA key that is strong enough to seal for.
    package static let strongRSAKeyBits = 2048
    /// Bits of a new RSA key, unless others are asked for.
    public static let newRSAKeyBits = 3072
    /// Characters of a profile's name, or of a field that a profile adds.
    package static let profileNameCharacters = 1...64
    /// Seconds by which the clock of the phone that made a statement may be ahead of the checker's.
    package static let phoneClockAheadSeconds = 300
    /// Seconds that SuperID may look for a face, and points of its camera's view (iOS document 1.2.5, §1.2).
    package static let faceDetectionSeconds = 30
    /// See ``faceDetectionSeconds``.
    package static let cameraViewWidth = 480
    /// See ``faceDetectionSeconds``.
    package static let cameraViewHeight = 640
    /// Bytes beyond which a word cannot be a file's name or path.
    package static let fileNameBytes = 255
    /// See ``fileNameBytes``.
    package static let pathBytes = 1_024
    /// Seconds, minutes, hours or days that an age may have.
    package static let ageUnits: Int64 = 1_000_000
    /// Bytes of a key or certificate file.
    public static let keyFileBytes = 1 << 18
    /// Entries in a folder of private keys that are all tried: a millisecond or two for each.
    package static let keyFolderEntries = 256
    /// PEM blocks in one such file: a bundle of certificates has 150. Each takes OpenSSL a millisecond or two.
    package static let keyFileBlocks = 256
    /// Rounds of PBKDF2 and its predecessors that an encrypted private key may ask for: a few seconds. Recommendations
    /// of today stay under 1.5 million.
    package static let keyDerivationIterations: UInt64 = 5_000_000
    /// Blocks of 128 bytes that scrypt may mix for an encrypted private key (N times r times p): a few seconds.
    /// OpenSSL itself bounds the memory, at 32 MiB.
    package static let scryptWork: UInt64 = 1 << 23
    /// Bytes of a passphrase: what OpenSSL takes.
    package static let passphraseBytes = 1_024
    /// Characters of an app's secret (1007/57603).
    package static let appSecretCharacters = 1...64
    /// Characters of an access token: 64 on some pages, 90 on others (1007/57613, 583/10136).
    package static let accessTokenCharacters = 1...256
    /// Seconds of validity that a token or ticket may claim: the vendor's are valid for two hours at most.
    package static let credentialSeconds: ClosedRange<Int64> = 1...86_400
    /// Bytes of an answer that carries a token or a ticket: a few hundred in every example.
    package static let credentialAnswerBytes = 1 << 16
    /// Characters of a host's name (RFC 1035 §2.3.4), and of one label in it.
    package static let hostCharacters = 1...253
    /// See ``hostCharacters``.
    package static let hostLabelCharacters = 1...63
    /// Bytes of the URL that an H5 verification returns to. Our choice; no page says.
    package static let returnURLBytes = 2_048
    /// Bytes of a licence for the app SDK. Our choice; no page says.
    package static let licenceBytes = 1...1_024
    /// Characters of a question and of an expected answer of an intent check (a third party's code).
    package static let intentQuestionCharacters = 1...120
    /// See ``intentQuestionCharacters``.
    package static let intentAnswerCharacters = 1...10
    /// Characters of name and ID number in a plain photo comparison (655/17455).
    package static let comparedIdentityCharacters = 1...20
    /// Bytes of a photo for a plain comparison; its base64 is then within the vendor's bound, too (655/17455).
    package static let comparedPhotoBytes: UInt64 = 2 << 20
    /// Bytes of a ticket: 64 in every published example.
    package static let ticketBytes = 256
    /// UTF-8 bytes of a free-text value that is signed: a person's name, an ID number.
    package static let freeTextBytes = 1_024
    /// Bytes of a callback URL.
    package static let callbackBytes = 8_192
    /// Bytes of an unfinished command line that is completed.
    package static let completedLineBytes = 1 << 18
    /// Steps of the search for a second reading of what was signed (`docs/SIGN-RECIPES.md`).
    package static let splitSearchSteps = 20_000
    /// Bytes of a file that holds one value to be signed.
    package static let signValueFileBytes = 4_096
    /// Bytes of a statement, the plaintext of `identifyStr` (`docs/FORMATS.md` §4).
    package static let statementBytes = 1 << 16
    /// UTF-8 bytes of one text in a statement.
    package static let statementTextBytes = 1_024
    /// Bytes of a device's signature (`docs/FORMATS.md` §7).
    package static let deviceSignatureBytes = 32_768
    /// UTF-8 bytes of a stranger's name that are shown.
    package static let shownNameBytes = 64
    /// Other members that a device's signature covers, the characters of the name of one, and the bytes of its value in
    /// canonical form.
    package static let deviceMembers = 64, deviceMemberCharacters = 1...64, deviceMemberBytes = 65_536

    /// Characters of the challenge that a device's signature repeats.
    package static let challengeCharacters = 22...128
    /// Bytes AES-GCM may seal under one nonce (NIST SP 800-38D §5.2.1.1).
    package static let gcmPlaintextBytes: UInt64 = (1 << 36) - 32
    /// Bytes of a nonce in AES-GCM. OpenSSL takes 1 to 128; under 8, random nonces would repeat
    /// (NIST SP 800-38D §8.2), and nobody publishes such.
    package static let gcmNonceBytes = 8...128
    /// UTF-8 bytes of a label of OAEP.
    package static let oaepLabelBytes = 1...64
    /// Threads that work on one payload at a time, at most.
    package static let threads = 64
    /// Threads that work on one payload by default: memory does not get faster with more.
    package static let automaticThreads = 16
    /// Bytes of a file that says where a document's video is.
    package static let videoIndexBytes = 64 << 10
    /// Bytes of sealed text that are held in memory before they go to a spool file.
    package static let spoolMemoryBytes = 6 << 20
    /// The same for all spools of a process together, by default.
    package static let spoolMemoryBytesInAll = 64 << 20
    /// The same for `identifyStr`, whose statement is short.
    package static let shortSpoolMemoryBytes = 128 << 10

    /// Bytes of a photo or video that a page shows: browsers refuse longer data in a page.
    package static let embeddedPartBytes: UInt64 = 64 << 20

    /// Bytes of one line of a batch, by default.
    public static let batchLineBytes = 1 << 20
    /// Bytes of one line of a batch that may be asked for.
    package static let longestBatchLineBytes = 1 << 30
    /// Bytes of a request's `id`, as it is written.
    package static let batchIdBytes = 4_096
    /// Threads that may work on a batch.
    package static let batchJobs = 256

    // MARK: - In words

    /// A whole number of KiB or MiB in words: `6 MiB`.
    package static func text(bytes count: Int) -> String {
        count % (1 << 20) == 0 ? "\(count >> 20) MiB" : "\(count >> 10) KiB"
    }

    /// A range in words: `1 to 32`, or `exactly 32`.
    package static func text(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "exactly \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
}
