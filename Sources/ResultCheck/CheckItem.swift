// SPDX-License-Identifier: Apache-2.0
internal import DeviceSignature
internal import EvidenceCrypto
public import EvidenceErrors

/// The outcome of one check.
public enum CheckState: String, Sendable {
    /// It was checked and is as it should be.
    case holds
    /// It was checked and is not as it should be.
    case fails
    /// It was not checked, or the check was inconclusive: what it needs was not given, is
    /// missing, or failed itself.
    case unchecked
}

/// How much it means that something holds. Each strength includes the weaker ones.
@nonexhaustive public enum CheckStrength: Comparable, CaseIterable, Sendable, CustomStringConvertible {
    /// A document says so, and nothing in it authenticates it: it is worth no more than the way on which it came.
    case stated
    /// Its structure is valid: a photo is a complete JPEG. Anyone can make one like it.
    case wellFormed
    /// Its tag is right: byte for byte what was sealed, whoever sealed it.
    case intact
    /// A statement, a sign or a device's signature that was itself verified names it.
    case bound
    /// The device with the registered key signed it. This says nothing about who held the device, or what was in front
    /// of its camera.
    case signed

    /// Its machine-readable name.
    public var description: String {
        switch self {
        case .stated: "stated"
        case .wellFormed: "well-formed"
        case .intact: "intact"
        case .bound: "bound"
        case .signed: "signed"
        }
    }
}

/// One thing that a check covers.
public struct CheckItem: Hashable, Sendable {
    /// Its name in reports and requirements.
    @nonexhaustive public enum Name: String, CaseIterable, Sendable, CustomStringConvertible {
        /// The document is a result that no known reader takes for anything else, and claims a pass.
        case result
        /// It names the expected order.
        case order
        /// The server's sign of appId, order and code 0.
        case sign
        /// The photo.
        case photo
        /// The video.
        case video
        /// The statement in `identifyStr`, if it is one of ours.
        case statement
        /// The statement's order is the expected one.
        case statementOrder = "statement.order"
        /// Its appId is the expected one.
        case statementApp = "statement.app"
        /// Its userId is the expected one.
        case statementUser = "statement.user"
        /// It names the photo by digest and size, or there is neither photo nor digest.
        case statementPhoto = "statement.photo"
        /// It names the video by digest and size.
        case statementVideo = "statement.video"
        /// Its scores and risks match the result.
        case statementScores = "statement.scores"
        /// Its time is neither in the future nor older than the maximum age.
        case statementMoment = "statement.moment"
        /// Its nonce was not used before.
        case statementNonce = "statement.nonce"
        /// The signature of the device that sent the result.
        case device
        /// What the vendor's server said of the order, if the caller gave it.
        case answer

        /// The name: `video`; a binding of the statement as `statement.video`.
        public var description: String { rawValue }

        /// Whether it is a binding of the statement.
        var isBinding: Bool {
            switch self {
            case .statementOrder, .statementApp, .statementUser, .statementPhoto, .statementVideo, .statementScores,
                .statementMoment, .statementNonce:
                true
            case .result, .order, .sign, .photo, .video, .statement, .device, .answer: false
            }
        }

        /// Its possible strengths, the weakest first (`docs/REPORT.md`).
        var strengths: [CheckStrength] {
            switch self {
            case .result: [.wellFormed]
            case .order, .photo: [.wellFormed, .bound]
            case .video: [.wellFormed, .intact, .bound]
            case .sign: [.bound]
            case .device: [.signed]
            case .answer: [.stated]
            default: [.intact, .bound]
            }
        }
    }

    /// What was checked.
    public let name: Name
    /// The outcome.
    public internal(set) var state: CheckState
    /// The strength; `nil` unless it holds.
    public internal(set) var strength: CheckStrength?
    /// Why, in one sentence without a full stop. It carries no content.
    public internal(set) var sentence: String
    /// The code of the error that made it fail or prevented the check; `nil` if there was none.
    public internal(set) var code: EvidenceError.Code?
    /// What to try, if anything.
    public internal(set) var hint: String?
    /// Whether the result has it at all.
    package internal(set) var isPresent = true

    /// It holds.
    static func holds(_ name: Name, _ strength: CheckStrength, _ sentence: String) -> CheckItem {
        CheckItem(name: name, state: .holds, strength: strength, sentence: sentence)
    }

    /// It fails.
    static func fails(
        _ name: Name, _ sentence: String, code: EvidenceError.Code? = nil, hint: String? = nil, isPresent: Bool = true
    ) -> CheckItem {
        CheckItem(name: name, state: .fails, sentence: sentence, code: code, hint: hint, isPresent: isPresent)
    }

    /// It fails with an error.
    static func fails(_ name: Name, _ error: EvidenceError, isPresent: Bool = true) -> CheckItem {
        CheckItem(
            name: name, state: .fails, sentence: "\(error)", code: error.code, hint: error.hint, isPresent: isPresent)
    }

    /// It was not checked.
    static func unchecked(
        _ name: Name, _ sentence: String, code: EvidenceError.Code? = nil, hint: String? = nil, isPresent: Bool = true
    ) -> CheckItem {
        CheckItem(name: name, state: .unchecked, sentence: sentence, code: code, hint: hint, isPresent: isPresent)
    }

    /// The outcome of a binding of the statement.
    init(_ binding: Name, _ state: CheckState, _ sentence: String) {
        self.init(name: binding, state: state, strength: state == .holds ? .bound : nil, sentence: sentence)
    }

    /// The outcome of the device's signature.
    init(_ verification: DeviceSignatureVerification) {
        switch verification {
        case .signed(let result):
            let rewrapped = result.rewrapped.map { "; \($0) was rewrapped since" }.joined()
            let uncovered = result.uncovered.prefix(Self.namedMembers).joined(separator: ", ")
            let rest = result.uncovered.count - Self.namedMembers
            let others = rest > 0 ? " and \(rest) more" : ""
            let user =
                result.isForExpectedUser
                ? "; it names the expected user"
                : result.manifest.userId == nil ? "" : "; it names a user, and none was expected"
            self = .holds(
                .device, .signed,
                "signed by the registered device key \(result.key.thumbprint) at \(result.manifest.recordedAt), "
                    + "by its clock" + user + rewrapped
                    + (uncovered.isEmpty ? "" : "; not covered: \(uncovered)\(others)"))
        case .refused(let refusal):
            self = .fails(.device, refusal.detail, isPresent: refusal.reason != .missing)
            hint =
                switch refusal.reason {
                case .unknownKey: "give that key as well, if it is of this user's device"
                case .order, .app, .user, .challenge, .moment:
                    "compare the order, appId, user, challenge and time that you expect with your own records"
                default: "the device did not sign this result as it is: ask the vendor's server (queryfacerecord)"
                }
        }
    }

    /// How many members a sentence may name.
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
