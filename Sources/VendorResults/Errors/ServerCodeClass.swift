// SPDX-License-Identifier: Apache-2.0
/// What a code of the vendor's server, other than 0, means for the caller: whether it says anything about the person,
/// and what to do next.
///
/// The pages give meanings but no classes: these are our interpretation. A code that is in none of the lists is
/// ``unknown``, and never a verdict.
@nonexhaustive public enum ServerCodeClass: String, Sendable, CustomStringConvertible {
    /// The scan was judged: it is not the expected person.
    case notThisPerson = "not-this-person"
    /// The scan was judged: it does not show one living, complete, clear face.
    case scanFailed = "scan-failed"
    /// The authority has nothing to compare with.
    case nothingToCompare = "nothing-to-compare"
    /// Sign, ticket or token.
    case credentials
    /// The integrator's contract or configuration.
    case setUp = "set-up"
    /// Too many calls.
    case slowDown = "slow-down"
    /// The user's daily limit of attempts.
    case usedUp = "attempts-used-up"
    /// The data sent cannot be used.
    case badInput = "bad-input"
    /// A failure on the vendor's side.
    case askAgain = "ask-again"
    /// There is no result, or none yet.
    case noResult = "no-result"
    /// The attempt is over without a verdict.
    case newAttempt = "new-attempt"
    /// Not in the list.
    case unknown

    /// The name: lower-case words with hyphens between them.
    public var description: String { rawValue }

    /// What to do, in one sentence without a full stop.
    public var advice: String {
        switch self {
        case .notThisPerson: "the verdict is negative"
        case .scanFailed: "the scan was not accepted; the person may try again, as a new attempt"
        case .nothingToCompare: "the authority cannot help; establish the person's identity in another way"
        case .credentials:
            "check how the request is signed; renew token and ticket once, and never for each request that is refused"
        case .setUp: "repeating does not help: ask the vendor"
        case .slowDown: "wait, then try again more slowly"
        case .usedUp: "this user has no attempts left today: try again on another day"
        case .badInput: "repeating does not help: change what is sent"
        case .askAgain: "ask again a little later"
        case .noResult:
            "the attempt is not finished, was abandoned, or is too old: ask again for a while, then give up"
        case .newAttempt: "this attempt is over: start a new one"
        case .unknown: "the code is not in any list; it says nothing about the person"
        }
    }

    /// Whether the same call may succeed a little later.
    public var isPassing: Bool { self == .slowDown || self == .askAgain }

    /// Whether the scan was judged, and the person not accepted. Everything else says nothing about the person.
    package var isVerdict: Bool { self == .notThisPerson || self == .scanFailed }

    /// The class of a code.
    package static func of(_ code: String) -> ServerCodeClass { classes[code] ?? .unknown }

    private static let classes = Dictionary(
        lists.flatMap { entry in entry.codes.map { ($0, entry.class) } }, uniquingKeysWith: { first, _ in first })

    private static let lists: [(class: ServerCodeClass, codes: [String])] = [
        (.notThisPerson, ["66660004", "66660010"]),
        (
            .scanFailed,
            ["66660023", "66660025", "66660035", "66660036", "66660037", "66660038", "66660041", "66660042"]
        ),
        (.nothingToCompare, ["66660005", "66660024"]),
        (.credentials, ["400101", "400102", "400103", "400104", "400105", "15"]),
        (.setUp, ["66660001", "66660002", "66660030", "400502", "400503"]),
        (.slowDown, ["400501", "400504", "400506", "66664003"]),
        (.usedUp, ["66660017"]),
        (.badInput, ["66660015", "66660039", "66660040", "400601"]),
        (.askAgain, ["66660021", "66664006", "66664007", "999997", "999998", "999999"]),
        (.noResult, ["66660011", "66664004", "66664005"]),
        (
            .newAttempt,
            [
                "66660016", "66660018", "66660022", "400604", "3001", "3002", "3003", "3004", "3005", "300101",
                "66664002",
            ]
        ),
    ]
}
