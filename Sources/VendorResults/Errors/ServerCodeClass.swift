// SPDX-License-Identifier: Apache-2.0
/// What a code of the vendor's server, other than 0, means for the caller: whether it says anything about the person,
/// and what to do next. New classes may be added.
///
/// The pages give meanings but no classes: these are our interpretation. A code that is in none of the lists is
/// ``unknown``, and never a verdict.
public struct ServerCodeClass: Hashable, Sendable, CustomStringConvertible {
    /// The name: lower-case words with hyphens between them.
    public let name: String
    /// What to do, in one sentence without a full stop.
    public let advice: String

    private init(_ name: String, _ advice: String) {
        self.name = name
        self.advice = advice
    }

    /// The name.
    public var description: String { name }

    /// Whether the same call may succeed a little later.
    public var isPassing: Bool { self == .slowDown || self == .askAgain }

    /// Whether the scan was judged, and the person not accepted. Everything else says nothing about the person.
    public var isVerdict: Bool { self == .notThisPerson || self == .scanFailed }

    /// The scan was judged: it is not the expected person.
    public static let notThisPerson = ServerCodeClass("not-this-person", "the verdict is negative")
    /// The scan was judged: it does not show one living, complete, clear face.
    public static let scanFailed = ServerCodeClass(
        "scan-failed", "the scan was not accepted; the person may try again, as a new attempt")
    /// The authority has nothing to compare with.
    public static let nothingToCompare = ServerCodeClass(
        "nothing-to-compare", "the authority cannot help; establish the person's identity in another way")
    /// Sign, ticket or token.
    public static let credentials = ServerCodeClass(
        "credentials",
        "check how the request is signed; renew token and ticket once, and never for each request that is refused")
    /// The integrator's contract or configuration.
    public static let setUp = ServerCodeClass("set-up", "repeating does not help: ask the vendor")
    /// Too many calls.
    public static let slowDown = ServerCodeClass("slow-down", "wait, then try again more slowly")
    /// The user's daily limit of attempts.
    public static let usedUp = ServerCodeClass(
        "attempts-used-up", "this user has no attempts left today: try again on another day")
    /// The data sent cannot be used.
    public static let badInput = ServerCodeClass("bad-input", "repeating does not help: change what is sent")
    /// A failure on the vendor's side.
    public static let askAgain = ServerCodeClass("ask-again", "ask again a little later")
    /// There is no result, or none yet.
    public static let noResult = ServerCodeClass(
        "no-result", "the attempt is not finished, was abandoned, or is too old: ask again for a while, then give up")
    /// The attempt is over without a verdict.
    public static let newAttempt = ServerCodeClass("new-attempt", "this attempt is over: start a new one")
    /// Not in the list.
    public static let unknown = ServerCodeClass(
        "unknown", "the code is not in any list; it says nothing about the person")

    /// The class of a code.
    public static func of(_ code: String) -> ServerCodeClass { classes[code] ?? .unknown }

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
