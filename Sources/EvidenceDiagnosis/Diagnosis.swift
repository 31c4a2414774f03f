// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
public import EvidencePayload

/// The diagnosis of a payload: what each field is, and which profile opens it or why none does.
///
/// It distinguishes what opening must not distinguish: which padding, which key, where the content is damaged. Anyone
/// who may ask such questions about chosen payloads can open what others sealed. So diagnosis is for a person who holds
/// the private key, at a terminal; never expose it to a network. Nothing in it contains a byte of a key or of content.
public struct Diagnosis: Equatable, Sendable {
    /// A finding about one field or one step.
    public struct Finding: Equatable, Sendable {
        /// The field, the key or the step.
        public let subject: String
        /// The finding, in one sentence without a full stop.
        public let sentence: String
    }

    /// How certain a profile is.
    public enum Proof: String, Sendable {
        /// The tag is right: the content is what was sealed, and all of the profile is right.
        case tag
        /// There is no tag. The content is a complete file of a known kind, and its padding, if any, is right.
        /// In CBC, its first 16 bytes also match those of known writers.
        case structure
    }

    /// A profile that opens the payload.
    public struct Match: Equatable, Sendable {
        /// The profile, ready to save: a built-in one, or one called `found`, which says what built-in one seals
        /// alike, if any. It is confirmed if a tag proves it, and accepts weak keys only if the fitting key is one.
        public let profile: Profile
        /// The name of the fitting key.
        public let key: String
        /// Which reading of the IV fits, if the profile takes it from the caller.
        package let iv: String?
        /// That reading.
        public let ivBytes: [UInt8]?
        /// Whether another payload may well have another: it is a nonce, or was worked out from the content.
        package let isIVOfPayload: Bool
        /// How certain it is.
        public let proof: Proof
        /// Whether the content is text, or base64 or hex of something unknown, which does not show whether it is
        /// complete.
        package let isText: Bool
        /// The repair without which the profile does not open the payload, if any.
        public internal(set) var repair: PayloadRepair?
    }

    /// A way of opening the payload with too little support for a profile.
    public struct Guess: Equatable, Sendable {
        /// The name of the fitting key.
        public let key: String
        /// The profile, if everything is known except the IV, or whether that is the right one.
        public let profile: Profile?
        /// The possible IVs: the known one, and those reconstructed from the content, likeliest first.
        public let ivs: [IVCandidate]
        /// What supports it, in one sentence without a full stop.
        public let sentence: String
        /// What would confirm or refute it.
        public let advice: String
        /// The repair that the payload needs first, if any.
        public internal(set) var repair: PayloadRepair?
        /// Whether it may well be chance, so that it says nothing about the key.
        let isByChance: Bool

        init(
            key: String, profile: Profile? = nil, ivs: [IVCandidate] = [], sentence: String, advice: String,
            isByChance: Bool = false
        ) {
            self.key = key
            self.profile = profile
            self.ivs = ivs
            self.sentence = sentence
            self.advice = advice
            self.isByChance = isByChance
        }
    }

    /// An IV under which CBC content may have been sealed: a known one, from the caller or a field, or one
    /// reconstructed from the content: the IV of the first ciphertext block, if the
    /// file begins as assumed.
    ///
    /// Content that is opened with a reconstructed one has a reconstructed head: its first 16 bytes are a guess, and
    /// its digest is not that of the original, even if the rest is. It is not secret: an IV that looks as if it was
    /// made from the key is omitted, wherever it comes from.
    public struct IVCandidate: Equatable, Sendable {
        /// Its 16 bytes.
        public let bytes: [UInt8]
        /// How the file begins with it, or where the IV comes from, in words.
        public let head: String
        /// Whether it was reconstructed from the content.
        package let isReconstructed: Bool

        /// The bytes as text, if all of them are printable ASCII, like those of a configured IV.
        public var text: String? {
            bytes.allSatisfy { (0x20...0x7E).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
        }

        var isLettersAndDigits: Bool {
            text?.allSatisfy { $0.isLetter || $0.isNumber } ?? false
        }

        init(bytes: [UInt8], head: String, isReconstructed: Bool) {
            self.bytes = bytes
            self.head = head
            self.isReconstructed = isReconstructed
        }
    }

    /// A possible cause of the findings.
    public struct Possibility: Equatable, Sendable {
        /// What it is, in one sentence without a full stop.
        public let sentence: String
        /// What would confirm or refute it.
        public let settledBy: String

        init(_ sentence: String, _ settledBy: String) {
            self.sentence = sentence
            self.settledBy = settledBy
        }
    }

    /// Why no profile opens the payload. It says what is known; assumptions are in ``possibilities``.
    public struct Cause: Equatable, Sendable {
        /// What kind of cause.
        @nonexhaustive public enum Code: String, CaseIterable, Sendable, CustomStringConvertible {
            /// The payload is not well-formed; most often it was cut off.
            case payload
            /// The content was never sealed.
            case notSealed = "not-sealed"
            /// Something rewrote a field's text.
            case text
            /// A field was encoded twice.
            case encodedTwice = "encoded-twice"
            /// A field was cut off.
            case cutOff = "cut-off"
            /// The wrapped key is of another size of RSA key.
            case keySize = "key-size"
            /// The key that unwraps is in another field.
            case swapped
            /// The wrapped key is several RSA blocks.
            case blocks
            /// The wrapped key is SM2, not RSA.
            case sm2
            /// None of the keys gives a known padding.
            case wrapping
            /// The wrapped key unwraps, but not to a possible key.
            case keyForm = "key-form"
            /// Everything except the beginning opens.
            case iv
            /// The content begins correctly, but its tag does not verify.
            case tag
            /// The content begins correctly, but does not end in a known padding.
            case padding
            /// It is known how the content was sealed, but no profile can express it.
            case layout
            /// A field has a format that is recognised but not opened here.
            case format
            /// The key is right, but no known cipher opens the content.
            case cipher

            /// Its name, for machines.
            public var description: String { rawValue }
        }

        /// What kind of cause.
        public let code: Code
        /// What is known, in one sentence without a full stop.
        public let sentence: String
        /// What to ask the sender, or to do.
        public let advice: String
        /// Possible causes, likeliest first; empty if the sentence says it all.
        public let possibilities: [Possibility]
        /// The repair that makes the next step possible, if any.
        public let repair: PayloadRepair?

        init(
            _ code: Code, _ sentence: String, _ advice: String, _ possibilities: [Possibility] = [],
            repair: PayloadRepair? = nil
        ) {
            self.code = code
            self.sentence = sentence
            self.advice = advice
            self.possibilities = possibilities
            self.repair = repair
        }
    }

    /// The outcome.
    public enum Verdict: Equatable, Sendable {
        /// A profile opens it, and there is evidence that it is the right one.
        case opens(Match)
        /// Something may open it, but too uncertainly for a profile.
        case unproven(Guess)
        /// No profile opens it.
        case closed(Cause)
    }

    /// The findings, in order.
    public let findings: [Finding]
    /// The outcome.
    public let verdict: Verdict
}
