// SPDX-License-Identifier: Apache-2.0
internal import DeviceSignature
internal import EvidenceCrypto
public import EvidenceErrors

/// What came out of looking at one thing.
public enum CheckState: String, Sendable {
    /// It was looked at, and is as it should be.
    case holds
    /// It was looked at, and is not.
    case fails
    /// It was not looked at, or nothing that could be looked at tells: what is needed for it was not given, is not
    /// there, or failed itself.
    case unchecked
}

/// How much it says that something holds. Each says what those before it say, and more.
public struct CheckStrength: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// What programs call it.
    public let name: String
    private let rank: Int

    /// Its own structure is right: a photo is a whole JPEG. Anybody can make such a one.
    public static let wellFormed = CheckStrength(name: "well-formed", rank: 1)
    /// Its tag is right: byte for byte what was sealed, by whomever.
    public static let intact = CheckStrength(name: "intact", rank: 2)
    /// A statement, a sign or a device's signature that was itself verified names it.
    public static let bound = CheckStrength(name: "bound", rank: 3)
    /// The device whose key is registered signed it. Nothing is said about who held the device, or what was before its
    /// camera.
    public static let signed = CheckStrength(name: "signed", rank: 4)

    /// All of them, the weakest first.
    public static let all = [wellFormed, intact, bound, signed]

    /// Its name.
    public var description: String { name }

    /// By how much they say.
    public static func < (left: CheckStrength, right: CheckStrength) -> Bool { left.rank < right.rank }
}

/// One thing that a check looked at, or would have.
public struct CheckItem: Hashable, Sendable {
    /// What it is: the name under which reports and requirements have it.
    public struct Name: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
        /// `video`; a binding of the statement as `statement.video`.
        public let rawValue: String

        /// A name, whether or not there is such an item.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The same.
        public init(stringLiteral value: String) { rawValue = value }

        /// The name.
        public var description: String { rawValue }

        /// The document is a result that every reader reads alike, and claims a pass.
        public static let result: Name = "result"
        /// It is of the expected order.
        public static let order: Name = "order"
        /// The server's sign of appId, order and code 0.
        public static let sign: Name = "sign"
        /// The photo.
        public static let photo: Name = "photo"
        /// The video.
        public static let video: Name = "video"
        /// What is in `identifyStr`, if it is a statement of ours.
        public static let statement: Name = "statement"
        /// The signature of the device that handed the result over.
        public static let device: Name = "device"
        /// One thing that the statement ties to another.
        public static func statement(_ binding: IdentifyBinding) -> Name { Name(rawValue: "statement.\(binding)") }

        /// Every item there can be, in the order of reports.
        public static let all: [Name] =
            [result, order, sign, photo, video, statement] + IdentifyBinding.all.map { statement($0) } + [device]

        /// Whether it is something that the statement ties to another.
        var isBinding: Bool { IdentifyBinding.all.contains { .statement($0) == self } }

        /// How much it can say, the least first (`docs/REPORT.md`).
        var strengths: [CheckStrength] {
            switch self {
            case .result: [.wellFormed]
            case .order, .photo: [.wellFormed, .bound]
            case .video: [.wellFormed, .intact, .bound]
            case .sign: [.bound]
            case .device: [.signed]
            default: [.intact, .bound]
            }
        }
    }

    /// What was looked at.
    public let name: Name
    /// What came out.
    public internal(set) var state: CheckState
    /// How much that says; `nil` unless it holds.
    public internal(set) var strength: CheckStrength?
    /// Why, in one sentence without a full stop. It carries no content.
    public internal(set) var sentence: String
    /// The code of what made it fail, or kept it from being checked; `nil` where it was no error.
    public internal(set) var code: EvidenceError.Code?
    /// What to try, where there is something.
    public internal(set) var hint: String?
    /// Whether the result has it at all.
    public internal(set) var isPresent = true

    /// It holds.
    static func holds(_ name: Name, _ strength: CheckStrength, _ sentence: String) -> CheckItem {
        CheckItem(name: name, state: .holds, strength: strength, sentence: sentence)
    }

    /// It fails.
    static func fails(
        _ name: Name, _ sentence: String, code: EvidenceError.Code? = nil, isPresent: Bool = true
    ) -> CheckItem {
        CheckItem(name: name, state: .fails, sentence: sentence, code: code, isPresent: isPresent)
    }

    /// It fails, with what an error says.
    static func fails(_ name: Name, _ error: EvidenceError, isPresent: Bool = true) -> CheckItem {
        CheckItem(
            name: name, state: .fails, sentence: "\(error)", code: error.code, hint: error.hint, isPresent: isPresent)
    }

    /// It was not checked.
    static func unchecked(
        _ name: Name, _ sentence: String, code: EvidenceError.Code? = nil, isPresent: Bool = true
    ) -> CheckItem {
        CheckItem(name: name, state: .unchecked, sentence: sentence, code: code, isPresent: isPresent)
    }

    /// What a binding of the statement came to.
    init(_ finding: BindingFinding) {
        name = .statement(finding.binding)
        state = finding.state
        strength = finding.state == .holds ? .bound : nil
        sentence = finding.sentence
    }

    /// What the device's signature came to.
    init(_ verification: DeviceSignatureVerification) {
        switch verification {
        case .signed(let result):
            let rewrapped = result.rewrapped.map { "; \($0) was re-wrapped since" }.joined()
            let uncovered = result.uncovered.prefix(Self.namedMembers).joined(separator: ", ")
            let rest = result.uncovered.count - Self.namedMembers
            let others = rest > 0 ? " and \(rest) more" : ""
            self = .holds(
                .device, .signed,
                "signed by the registered device key \(result.key.thumbprint) at \(result.manifest.recordedAt), "
                    + "by its clock" + rewrapped
                    + (uncovered.isEmpty ? "" : "; not covered: \(uncovered)\(others)"))
        case .refused(let refusal):
            self = .fails(.device, refusal.detail, isPresent: refusal.reason != .missing)
        }
    }

    /// How many members a sentence names.
    private static let namedMembers = 8

    private init(
        name: Name, state: CheckState, strength: CheckStrength? = nil, sentence: String,
        code: EvidenceError.Code? = nil, hint: String? = nil, isPresent: Bool = true
    ) {
        self.name = name
        self.state = state
        self.strength = strength
        self.sentence = sentence
        self.code = code
        self.hint = hint
        self.isPresent = isPresent
    }
}
