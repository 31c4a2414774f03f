// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors

/// The paths of the service, compared byte by byte. `docs/SERVICE.md` describes each.
enum Route: String, CaseIterable, Sendable {
    case open = "/v1/open"
    case photo = "/v1/photo"
    case check = "/v1/check"
    case inspect = "/v1/inspect"
    case sign = "/v1/sign"
    case verify = "/v1/verify"
    case codes = "/v1/codes"
    case seal = "/v1/test/seal"
    case health = "/healthz"
    case metrics = "/metrics"

    enum Method: String, CaseIterable, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case options = "OPTIONS"
    }

    var method: Method {
        switch self {
        case .open, .photo, .check, .inspect, .sign, .verify, .seal: .post
        case .codes, .health, .metrics: .get
        }
    }

    /// The value of `Allow`.
    var allowed: String { method == .get ? "GET, HEAD, OPTIONS" : "POST, OPTIONS" }

    /// Whether monitors ask it, whose requests have whatever form they have.
    var isForMonitors: Bool { self == .health || self == .metrics }

    /// The content types that are accepted.
    var types: [String] {
        switch self {
        case .seal: ["video/mp4", "application/octet-stream"]
        default: ["application/json"]
        }
    }

    /// The bytes of disk space that each byte of a body may need: for the held body, and for what is made of it.
    var spoolFactor: UInt64 {
        switch self {
        case .open, .check: 2
        case .photo: 1
        case .seal: 3
        case .inspect, .sign, .verify, .codes, .health, .metrics: 0
        }
    }

    /// Whether its body is small.
    var isSmall: Bool { self == .sign || self == .verify }
}

/// The query of a request. Each parameter is taken once; one that is left over is an error.
struct Query {
    private var rest: [String: String]
    /// What the path asked for.
    private var known: Set<String> = []

    init(_ pairs: [(name: String, value: String)]) {
        rest = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    mutating func take(_ name: String) -> String? {
        known.insert(name)
        return rest.removeValue(forKey: name)
    }

    /// Reads a value.
    ///
    /// - Parameter form: what it must be, for one that `read` does not take.
    /// - Throws: ``Problem``: 400.
    mutating func take<Value>(
        _ name: String, form: String? = nil, _ read: (String) throws -> Value?
    ) throws(Problem) -> Value? {
        guard let text = take(name) else { return nil }
        do {
            if let value = try read(text) { return value }
        } catch {
            throw Problem(400, "bad-query", "\(name): \(error)", hint: (error as? EvidenceError)?.hint)
        }
        throw Problem(400, "bad-query", "the value of \(name) is invalid", hint: form)
    }

    /// - Throws: ``Problem``: 400.
    func end() throws(Problem) {
        guard let name = rest.keys.min() else { return }
        let names = known.sorted().joined(separator: ", ")
        throw Problem(
            400, "bad-query", "this path does not support the parameter \(name.prefix(64))",
            hint: names.isEmpty ? "it takes none" : "it takes \(names)")
    }
}
