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
        /// There is no tag. The padding is right and the content begins as a file of a known kind does.
        case structure
        /// There is no tag, and the padding alone is right: one wrong guess in 256 gets as far.
        case padding
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
    }

    /// Why no profile opens the payload: the most likely cause.
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
            /// The wrapped key is several RSA blocks.
            public static let blocks = Code(description: "blocks")
            /// The wrapped key is SM2, not RSA.
            public static let sm2 = Code(description: "sm2")
            /// No padding has the right structure: it was wrapped for another key.
            public static let wrongKey = Code(description: "wrong-key")
            /// The wrapped key unwraps, and is nothing that could be a key.
            public static let keyForm = Code(description: "key-form")
            /// All is right but the IV.
            public static let iv = Code(description: "iv")
            /// Key and cipher are right, and the content was altered, cut, or bound to something unknown.
            public static let altered = Code(description: "altered")
            /// The key is right, and no cipher known here opens the content.
            public static let cipher = Code(description: "cipher")
        }

        /// What kind of cause.
        public let code: Code
        /// The cause, in one sentence without a full stop.
        public let sentence: String
        /// What to ask the other side, or to do.
        public let advice: String
        /// The repair that makes the next step possible, where one does.
        public let repair: PayloadRepair?

        init(_ code: Code, _ sentence: String, _ advice: String, repair: PayloadRepair? = nil) {
            self.code = code
            self.sentence = sentence
            self.advice = advice
            self.repair = repair
        }
    }

    /// How it ended.
    public enum Verdict: Equatable, Sendable {
        /// A profile opens it.
        case opens(Match)
        /// None does.
        case closed(Cause)
    }

    /// What was found, in the order in which it was.
    public let findings: [Finding]
    /// How it ended.
    public let verdict: Verdict
}
