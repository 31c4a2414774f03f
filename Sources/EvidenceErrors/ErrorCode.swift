// SPDX-License-Identifier: Apache-2.0
extension EvidenceError {
    /// The kind of failure: a name and a number that never change and mean one thing.
    ///
    /// The first digit says what it concerns: 1 sealed content, 2 text, 3 documents, 4 keys, 5 profiles, 6 signs, 7 the
    /// vendor's server, 8 device signatures and archives, 9 the system. `docs/ERRORS.md` lists them all. New codes may
    /// be added: a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The number: three digits.
        public let number: Int
        /// The name: lower-case words with hyphens between them, for programs to compare.
        public let name: String

        private init(_ number: Int, _ name: String) {
            self.number = number
            self.name = name
        }

        /// The name.
        public var description: String { name }

        /// Whether the system failed rather than the input: memory, randomness, a disk, a pipe, OpenSSL itself, or the
        /// caller's own code. Such a failure says nothing about a payload, a key or a sign.
        public var isSystem: Bool { number >= 900 }

        /// Equal by number.
        public static func == (left: Code, right: Code) -> Bool { left.number == right.number }

        /// Hashes the number.
        public func hash(into hasher: inout Hasher) { hasher.combine(number) }

        // MARK: 1xx, sealed content

        /// Wrong key, bad padding or bad tag; it does not say which.
        public static let cannotOpen = Code(101, "cannot-open")
        /// A key, a sealed field, a nonce or a tag has an impossible length.
        public static let length = Code(102, "wrong-length")

        // MARK: 2xx, text

        /// Not one well-formed JSON document (RFC 8259), or a name twice in one object.
        public static let json = Code(201, "invalid-json")
        /// Exceeds a bound of `Limits`.
        public static let limit = Code(202, "over-limit")
        /// Not strict, canonical base64 (RFC 4648 §4), or not the encoding that a profile names.
        public static let base64 = Code(203, "invalid-base64")
        /// Not an even number of hexadecimal digits.
        public static let hex = Code(204, "invalid-hex")

        // MARK: 3xx, documents

        /// JSON, but none of the documents known here.
        public static let unknownDocument = Code(301, "unknown-document")
        /// A field that the request needs is absent.
        public static let missing = Code(302, "missing-field")
        /// A field has the wrong type, or a value that it cannot have.
        public static let type = Code(303, "wrong-type")
        /// Two readers could see two different documents: two fields contradict each other, or one appears twice or
        /// under two names.
        public static let ambiguous = Code(304, "ambiguous-document")
        /// The document needs a repair, but strict reading was asked for.
        public static let repair = Code(305, "needs-repair")
        /// The field was to be opened, but is not sealed.
        public static let notSealed = Code(306, "not-sealed")
        /// The field was expected to be plain, but is sealed.
        public static let sealed = Code(307, "sealed")
        /// The payload or result is for a different order than expected.
        public static let otherOrder = Code(308, "other-order")
        /// A photo is not a complete JPEG or PNG.
        public static let image = Code(309, "not-an-image")
        /// `identifyStr` opens, but its content is not a statement.
        public static let statement = Code(310, "not-a-statement")
        /// The document changed between two readings.
        public static let changed = Code(311, "changed-while-read")
        /// A pass is claimed, and nobody can tell whether another member of the document contradicts it.
        public static let undecided = Code(313, "undecided-verdict")
        /// An object of options, or a request, has an unknown member.
        public static let unknownMember = Code(312, "unknown-member")

        /// The way the document is written does not let a part of the field be read alone.
        public static let noRanges = Code(320, "no-ranges")

        // MARK: 4xx, keys

        /// A file that should hold a key holds none.
        public static let notAKey = Code(401, "not-a-key")
        /// A public key where a private one is needed, the reverse, or another object that is not a key.
        public static let wrongKindOfKey = Code(402, "wrong-kind-of-key")
        /// A key of an algorithm other than RSA.
        public static let notRSA = Code(403, "not-rsa")
        /// The private key is encrypted and no passphrase was given.
        public static let passphraseNeeded = Code(404, "passphrase-needed")
        /// The passphrase does not open the private key.
        public static let wrongPassphrase = Code(405, "wrong-passphrase")
        /// An RSA key that is too small, too large or otherwise unfit.
        public static let weakKey = Code(406, "weak-key")
        /// A key that cannot or must not be used for this: one on a token for content under PKCS#1 v1.5 without a tag,
        /// for instance.
        public static let unsuitableKey = Code(407, "unsuitable-key")
        /// The store of a URI hands out no key: no such key, no token, a wrong PIN.
        public static let keyUnavailable = Code(408, "key-unavailable")
        /// What should hold a key is damaged, cut off, empty, not valid DER, or in an unsupported form.
        public static let unreadableKey = Code(409, "unreadable-key")

        // MARK: 5xx, profiles

        /// Not a profile, or one that cannot be used as requested.
        public static let profile = Code(501, "bad-profile")
        /// The profile takes its IV from the caller, but none was given.
        public static let iv = Code(502, "iv-needed")

        // MARK: 6xx, signs

        /// The recipe is unknown.
        public static let unknownRecipe = Code(601, "unknown-recipe")
        /// The recipe has no parameter of that name.
        public static let unknownParameter = Code(602, "unknown-parameter")
        /// A parameter was given twice, perhaps under two of its names.
        public static let duplicateParameter = Code(603, "duplicate-parameter")
        /// Not `name=value`.
        public static let assignment = Code(604, "not-an-assignment")
        /// A value is missing or breaks the rule of its field.
        public static let value = Code(605, "bad-value")
        /// The text is not 40 hexadecimal digits.
        public static let signForm = Code(606, "not-a-sign")
        /// A claimed success has no sign, or an invalid one.
        public static let sign = Code(607, "sign-does-not-hold")
        /// The text is not a ticket.
        public static let ticket = Code(608, "not-a-ticket")
        /// The recipe needs the other kind of ticket.
        public static let ticketKind = Code(609, "wrong-ticket-kind")
        /// The ticket has expired.
        public static let ticketExpired = Code(610, "ticket-expired")
        /// A NONCE ticket was used, or handed out, a second time.
        public static let ticketUsed = Code(611, "ticket-used")
        /// Not a callback of a published form.
        public static let callback = Code(612, "not-a-callback")

        // MARK: 7xx, the vendor's server

        /// An answer to a different call than the one that was made, or for another integrator.
        public static let otherAnswer = Code(701, "answer-to-another-call")
        /// The vendor's server refused a call.
        public static let refused = Code(702, "refused-by-the-vendor")
        /// A video in an answer is not a complete MP4.
        public static let video = Code(703, "not-a-video")
        /// Not a launch bundle.
        public static let launch = Code(704, "not-a-launch-bundle")

        // MARK: 8xx, device signatures

        /// Not a device's signature, not something that a device signs, or not made by the device's key.
        public static let deviceSignature = Code(801, "not-a-device-signature")

        /// A detached signature does not verify: other bytes, another key, or a certificate that leads to none of the
        /// trusted ones.
        public static let cmsSignature = Code(811, "signature-does-not-hold")
        /// A time-stamp reply or token does not verify, or does not answer the query.
        public static let timeStamp = Code(812, "time-stamp-does-not-hold")
        /// Not a certificate, or one that cannot be used for this signature.
        public static let certificate = Code(813, "unsuitable-certificate")
        /// A folder is not an archive, or the archive's own files are invalid.
        public static let notAnArchive = Code(821, "not-an-archive")
        /// A bag or a record has changed, or is not as the format requires.
        public static let bag = Code(822, "damaged-bag")
        /// The archive has no such record or bag, or nothing that the request could apply to.
        public static let noRecord = Code(823, "no-such-record")
        /// The record was erased, whether or not its key was put back, or its key is missing.
        public static let erased = Code(824, "record-erased")
        /// Not an index of this archive: damaged, another archive's, or with a newest bag that is not the archive's.
        public static let notAnIndex = Code(825, "not-an-index")
        /// The archive has records, or a damaged record, that the index does not list: update the index.
        public static let staleIndex = Code(826, "stale-index")
        /// A bag, a record or an archive was written by a newer version: it is not judged, and not changed.
        public static let newerFormat = Code(827, "newer-format")

        // MARK: 9xx, the system

        /// A source could not be opened or read.
        public static let cannotRead = Code(901, "cannot-read")
        /// A destination could not be created, written, synced or given its name.
        public static let cannotWrite = Code(902, "cannot-write")
        /// A file with the destination's name exists, and replacing it was not asked for.
        public static let exists = Code(903, "exists")
        /// A destination that was finished or abandoned was used again.
        public static let spent = Code(904, "destination-spent")
        /// A file that is read whole (a key, a passphrase), a part of a record, or the number of waiting records is too
        /// large.
        public static let tooLarge = Code(905, "too-large")
        /// OpenSSL failed where it should not: no memory, no randomness, a disabled algorithm.
        public static let openSSL = Code(906, "openssl-failed")
        /// The caller's own code that fetches tickets failed; see ``EvidenceError/underlying``.
        public static let fetch = Code(907, "ticket-fetch-failed")
        /// The caller cancelled the work.
        public static let cancelled = Code(908, "cancelled")
        /// The destination's name is a symbolic link that another user created.
        public static let foreignLink = Code(909, "foreign-link")
        /// The token or the service that holds a key failed to use it.
        public static let keyFailed = Code(910, "key-failed")
        /// The caller's own store of nonces or challenges failed; see ``EvidenceError/underlying``.
        public static let nonceStore = Code(911, "nonce-store-failed")
        /// The vendor's server was not reached, did not answer in time, or answered with an HTTP error alone.
        public static let noAnswer = Code(912, "no-answer")
        /// The store of tokens and tickets failed, or another process holds it.
        public static let ticketStore = Code(913, "ticket-store-failed")
        /// Another process writes to the archive.
        public static let archiveInUse = Code(914, "archive-in-use")

        /// Every code, by number.
        public static let all: [Code] = [
            cannotOpen, length, json, limit, base64, hex, unknownDocument, missing, type, ambiguous, repair, notSealed,
            sealed, otherOrder, image, statement, changed, undecided, unknownMember, noRanges, notAKey, wrongKindOfKey,
            notRSA,
            passphraseNeeded, wrongPassphrase, weakKey, unsuitableKey, keyUnavailable, unreadableKey, profile, iv,
            unknownRecipe, unknownParameter, duplicateParameter, assignment, value, signForm, sign, ticket, ticketKind,
            ticketExpired, ticketUsed, callback, otherAnswer, refused, video, launch, deviceSignature, cmsSignature,
            timeStamp, certificate, notAnArchive, bag, noRecord, erased, notAnIndex, staleIndex, newerFormat,
            cannotRead, cannotWrite, exists, spent, tooLarge, openSSL, fetch, cancelled, foreignLink, keyFailed,
            nonceStore, noAnswer, ticketStore, archiveInUse,
        ]
    }
}
