// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
public import SimpleMode

/// What was found out about a payload: what each field is, and which profile opens it or why none does.
///
/// It tells apart what opening must not tell apart: which padding, which key, where the content went wrong. Whoever may
/// ask such questions about payloads of their choice can open what others sealed. So diagnosis is for a person who
/// holds the private key, at a terminal; never put it behind a network. Nothing in it holds a byte of a key or of
/// content.
public struct Diagnosis: Equatable, Sendable {
    /// Something that is so, about one field or one step.
    public struct Finding: Equatable, Sendable {
        /// The field, the key or the step.
        public let subject: String
        /// What is so, in one sentence without a full stop.
        public let sentence: String
    }

    /// How sure it is that a profile is the right one.
    public enum Proof: String, Sendable {
        /// The tag is right: the content is what was sealed, and the profile is right in all it says.
        case tag
        /// There is no tag. The content is a file of a known kind, followed to its end, and the padding is right, where
        /// there is any to tell. In CBC, its first 16 bytes are what known writers make of such a file, too.
        case structure
    }

    /// A profile that opens the payload.
    public struct Match: Equatable, Sendable {
        /// The profile, ready to save, under the name of the built-in one that seals alike, where there is one. It is
        /// confirmed where a tag proves it, and takes weak keys only where the key that fits is one.
        public let profile: Profile
        /// The key that fits, under the name it was given.
        public let key: String
        /// Which reading of the IV it was, where the profile takes it from the caller.
        public let iv: String?
        /// How sure it is.
        public let proof: Proof
        /// Whether the content is text, of which nothing shows whether it is whole.
        public let isText: Bool
    }

    /// A way of opening the payload for which too little speaks to make a profile of it.
    public struct Guess: Equatable, Sendable {
        /// The key that fits, under the name it was given.
        public let key: String
        /// The profile, where it is known but for the IV, or for whether that is the right one.
        public let profile: Profile?
        /// What the IV can be: the one that is known, and those that were worked out from the content, likeliest first.
        public let ivs: [IVCandidate]
        /// What speaks for it, in one sentence without a full stop.
        public let sentence: String
        /// What would settle it.
        public let advice: String

        init(key: String, profile: Profile? = nil, ivs: [IVCandidate] = [], sentence: String, advice: String) {
            self.key = key
            self.profile = profile
            self.ivs = ivs
            self.sentence = sentence
            self.advice = advice
        }
    }

    /// An IV that CBC content may have been sealed under: one that is known, from whoever gave it or a field, or one
    /// that was worked out from the content: what the first block of the ciphertext must have been sealed under, if the
    /// file begins as it is thought to.
    ///
    /// What is opened with one that was worked out has a reconstructed head: its first 16 bytes are a guess, and its
    /// digest is not that of the original, even if the rest is. It is no secret: what looks as if it were made of the
    /// key is left out, wherever it comes from.
    public struct IVCandidate: Equatable, Sendable {
        /// Its 16 bytes.
        public let bytes: [UInt8]
        /// How the file begins then, or where the IV comes from, in words.
        public let head: String
        /// Whether it was worked out from the content.
        public let isReconstructed: Bool

        /// The bytes as text, where all of them are printable ASCII, as those of a configured IV are.
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

    /// Something that may be behind what was found.
    public struct Possibility: Equatable, Sendable {
        /// What it is, in one sentence without a full stop.
        public let sentence: String
        /// What would settle whether it is so.
        public let settledBy: String

        init(_ sentence: String, _ settledBy: String) {
            self.sentence = sentence
            self.settledBy = settledBy
        }
    }

    /// Why no profile opens the payload. It says what is known; what can only be supposed is in ``possibilities``.
    public struct Cause: Equatable, Sendable {
        /// What kind of cause. New kinds may be added.
        public struct Code: Hashable, Sendable, CustomStringConvertible {
            /// Its name, for machines.
            public let description: String

            /// The payload is no well-formed payload; cut off, most often.
            public static let payload = Code(description: "payload")
            /// The content was never sealed.
            public static let notSealed = Code(description: "not-sealed")
            /// A field's text went through something that changed it.
            public static let text = Code(description: "text")
            /// A field was encoded twice.
            public static let encodedTwice = Code(description: "encoded-twice")
            /// A field was cut off.
            public static let cutOff = Code(description: "cut-off")
            /// The wrapped key is of another size of RSA key.
            public static let keySize = Code(description: "key-size")
            /// What unwraps stands in another field.
            public static let swapped = Code(description: "swapped")
            /// The wrapped key is several RSA blocks.
            public static let blocks = Code(description: "blocks")
            /// The wrapped key is SM2, not RSA.
            public static let sm2 = Code(description: "sm2")
            /// No padding known here comes out under any of the keys.
            public static let wrapping = Code(description: "wrapping")
            /// The wrapped key unwraps, and is nothing that could be a key.
            public static let keyForm = Code(description: "key-form")
            /// All but the first block opens.
            public static let iv = Code(description: "iv")
            /// The content begins as it should, and its tag does not verify.
            public static let tag = Code(description: "tag")
            /// The content begins as it should, and ends as no padding leaves it.
            public static let padding = Code(description: "padding")
            /// It is known how the content was sealed, and no profile can say so.
            public static let layout = Code(description: "layout")
            /// A field is of a format that is recognised and not opened here.
            public static let format = Code(description: "format")
            /// The key is right, and no cipher known here opens the content.
            public static let cipher = Code(description: "cipher")
        }

        /// What kind of cause.
        public let code: Code
        /// What is known, in one sentence without a full stop.
        public let sentence: String
        /// What to ask the other side, or to do.
        public let advice: String
        /// What may be behind it, likeliest first; empty where the sentence says it all.
        public let possibilities: [Possibility]
        /// The repair that makes the next step possible, where one does.
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

    /// How it ended.
    public enum Verdict: Equatable, Sendable {
        /// A profile opens it, and something speaks for its being the right one.
        case opens(Match)
        /// Something may open it. No profile is made of that.
        case unproven(Guess)
        /// None does.
        case closed(Cause)
    }

    /// What was found, in the order in which it was.
    public let findings: [Finding]
    /// How it ended.
    public let verdict: Verdict
}
