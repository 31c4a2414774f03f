// SPDX-License-Identifier: Apache-2.0
extension EvidenceError {
    /// The kind of failure: a name and a number that never change and mean one thing.
    ///
    /// The first digit says what it concerns: 1 sealed content, 2 text, 3 documents, 4 keys, 5 profiles, 6 signs, 7 the
    /// vendor's server, 8 device signatures and archives, 9 the system. `docs/ERRORS.md` lists them all. The raw value
    /// is number and name.
    @nonexhaustive public enum Code: String, CaseIterable, Sendable, CustomStringConvertible {
        // MARK: 1xx, sealed content

        /// Wrong key, bad padding or bad tag; it does not say which.
        case cannotOpen = "101 cannot-open"
        /// A key, a sealed field, a nonce or a tag has an impossible length.
        case length = "102 wrong-length"

        // MARK: 2xx, text

        /// Not one well-formed JSON document (RFC 8259), or a name twice in one object.
        case json = "201 invalid-json"
        /// Exceeds a bound of `Limits`.
        case limit = "202 over-limit"
        /// Not strict, canonical base64 (RFC 4648 §4), or not the encoding that a profile names.
        case base64 = "203 invalid-base64"
        /// Not an even number of hexadecimal digits.
        case hex = "204 invalid-hex"

        // MARK: 3xx, documents

        /// JSON, but none of the documents known here.
        case unknownDocument = "301 unknown-document"
        /// A field that the request needs is absent.
        case missing = "302 missing-field"
        /// A field has the wrong type, or a value that it cannot have.
        case type = "303 wrong-type"
        /// Two readers could see two different documents: two fields contradict each other, or one appears twice or
        /// under two names.
        case ambiguous = "304 ambiguous-document"
        /// The document needs a repair, but strict reading was asked for.
        case repair = "305 needs-repair"
        /// The field was to be opened, but is not sealed.
        case notSealed = "306 not-sealed"
        /// The field was expected to be plain, but is sealed.
        case sealed = "307 sealed"
        /// The payload or result is for a different order than expected.
        case otherOrder = "308 other-order"
        /// A photo is not a complete JPEG or PNG.
        case image = "309 not-an-image"
        /// `identifyStr` opens, but its content is not a statement.
        case statement = "310 not-a-statement"
        /// The document changed between two readings.
        case changed = "311 changed-while-read"
        /// A pass is claimed, and nobody can tell whether another member of the document contradicts it.
        case undecided = "313 undecided-verdict"
        /// An object of options, or a request, has an unknown member.
        case unknownMember = "312 unknown-member"

        /// The way the document is written does not let a part of the field be read alone.
        case noRanges = "320 no-ranges"

        // MARK: 4xx, keys

        /// A file that should hold a key holds none.
        case notAKey = "401 not-a-key"
        /// A public key where a private one is needed, the reverse, or another object that is not a key.
        case wrongKindOfKey = "402 wrong-kind-of-key"
        /// A key of an algorithm other than RSA.
        case notRSA = "403 not-rsa"
        /// The private key is encrypted and no passphrase was given.
        case passphraseNeeded = "404 passphrase-needed"
        /// The passphrase does not open the private key.
        case wrongPassphrase = "405 wrong-passphrase"
        /// An RSA key that is too small, too large or otherwise unfit.
        case weakKey = "406 weak-key"
        /// A key that cannot or must not be used for this: one on a token for content under PKCS#1 v1.5 without a tag,
        /// for instance.
        case unsuitableKey = "407 unsuitable-key"
        /// The store of a URI hands out no key: no such key, no token, a wrong PIN.
        case keyUnavailable = "408 key-unavailable"
        /// What should hold a key is damaged, cut off, empty, not valid DER, or in an unsupported form.
        case unreadableKey = "409 unreadable-key"

        // MARK: 5xx, profiles

        /// Not a profile, or one that cannot be used as requested.
        case profile = "501 bad-profile"
        /// The profile takes its IV from the caller, but none was given.
        case iv = "502 iv-needed"

        // MARK: 6xx, signs

        /// The recipe is unknown.
        case unknownRecipe = "601 unknown-recipe"
        /// The recipe has no parameter of that name.
        case unknownParameter = "602 unknown-parameter"
        /// A parameter was given twice, perhaps under two of its names.
        case duplicateParameter = "603 duplicate-parameter"
        /// Not `name=value`.
        case assignment = "604 not-an-assignment"
        /// A value is missing or breaks the rule of its field.
        case value = "605 bad-value"
        /// The text is not 40 hexadecimal digits.
        case signForm = "606 not-a-sign"
        /// A claimed success has no sign, or an invalid one.
        case sign = "607 sign-does-not-hold"
        /// The text is not a ticket.
        case ticket = "608 not-a-ticket"
        /// The recipe needs the other kind of ticket.
        case ticketKind = "609 wrong-ticket-kind"
        /// The ticket has expired.
        case ticketExpired = "610 ticket-expired"
        /// A NONCE ticket was used, or handed out, a second time.
        case ticketUsed = "611 ticket-used"
        /// Not a callback of a published form.
        case callback = "612 not-a-callback"

        // MARK: 7xx, the vendor's server

        /// An answer to a different call than the one that was made, or for another integrator.
        case otherAnswer = "701 answer-to-another-call"
        /// The vendor's server refused a call.
        case refused = "702 refused-by-the-vendor"
        /// A video in an answer is not a complete MP4.
        case video = "703 not-a-video"
        /// Not a launch bundle.
        case launch = "704 not-a-launch-bundle"

        // MARK: 8xx, device signatures

        /// Not a device's signature, not something that a device signs, or not made by the device's key.
        case deviceSignature = "801 not-a-device-signature"

        /// A detached signature does not verify: other bytes, another key, or a certificate that leads to none of the
        /// trusted ones.
        case cmsSignature = "811 signature-does-not-hold"
        /// A time-stamp reply or token does not verify, or does not answer the query.
        case timeStamp = "812 time-stamp-does-not-hold"
        /// Not a certificate, or one that cannot be used for this signature.
        case certificate = "813 unsuitable-certificate"
        /// A folder is not an archive, or the archive's own files are invalid.
        case notAnArchive = "821 not-an-archive"
        /// A bag or a record has changed, or is not as the format requires.
        case bag = "822 damaged-bag"
        /// The archive has no such record or bag, or nothing that the request could apply to.
        case noRecord = "823 no-such-record"
        /// The record was erased, whether or not its key was put back, or its key is missing.
        case erased = "824 record-erased"
        /// Not an index of this archive: damaged, another archive's, or with a newest bag that is not the archive's.
        case notAnIndex = "825 not-an-index"
        /// The archive has records, or a damaged record, that the index does not list: update the index.
        case staleIndex = "826 stale-index"
        /// A bag, a record or an archive was written by a newer version: it is not judged, and not changed.
        case newerFormat = "827 newer-format"

        // MARK: 9xx, the system

        /// A source could not be opened or read.
        case cannotRead = "901 cannot-read"
        /// A destination could not be created, written, synced or given its name.
        case cannotWrite = "902 cannot-write"
        /// A file with the destination's name exists, and replacing it was not asked for.
        case exists = "903 exists"
        /// A destination that was finished or abandoned was used again.
        case spent = "904 destination-spent"
        /// A file that is read whole (a key, a passphrase), a part of a record, or the number of waiting records is too
        /// large.
        case tooLarge = "905 too-large"
        /// OpenSSL failed where it should not: no memory, no randomness, a disabled algorithm.
        case openSSL = "906 openssl-failed"
        /// The caller's own code that fetches tickets failed; see ``EvidenceError/underlying``.
        case fetch = "907 ticket-fetch-failed"
        /// The caller cancelled the work.
        case cancelled = "908 cancelled"
        /// The destination's name is a symbolic link that another user created.
        case foreignLink = "909 foreign-link"
        /// The token or the service that holds a key failed to use it.
        case keyFailed = "910 key-failed"
        /// The caller's own store of nonces or challenges failed; see ``EvidenceError/underlying``.
        case nonceStore = "911 nonce-store-failed"
        /// The vendor's server was not reached, did not answer in time, or answered with an HTTP error alone.
        case noAnswer = "912 no-answer"
        /// The store of tokens and tickets failed, or another process holds it.
        case ticketStore = "913 ticket-store-failed"
        /// Another process writes to the archive.
        case archiveInUse = "914 archive-in-use"

        /// The number: three digits.
        public var number: Int { Int(rawValue.prefix(3)) ?? 0 }

        /// The name: lower-case words with hyphens between them, for programs to compare.
        public var name: String { String(rawValue.dropFirst(4)) }

        /// The name.
        public var description: String { name }

        /// Whether the system failed rather than the input: memory, randomness, a disk, a pipe, OpenSSL itself, or the
        /// caller's own code. Such a failure says nothing about a payload, a key or a sign.
        public var isSystem: Bool { number >= 900 }
    }
}
