// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import EvidenceErrors
public import VendorTypes

/// The vendor's pages that describe what an H5 verification appends to the callback URL, each slightly differently.
package struct CallbackPage: Hashable, Sendable {
    /// The name here.
    package let name: String
    /// The page's name for the sign: `newSignature` or `newSign`.
    package let signName: String
    /// The other required parameters.
    package let required: [String]
    /// The optional parameters.
    package let optional: [String]
    /// The source.
    package let source: String

    private init(_ name: String, _ signName: String, _ required: [String], optional: [String] = [], _ source: String) {
        self.name = name
        self.signName = signName
        self.required = required
        self.optional = optional
        self.source = source
    }

    /// Every page.
    package static let all: [CallbackPage] = [h5, h5Older, pc, pcWithLiveRate, intentCheck]

    // liveRate is absent where liveness failed, as the PC page says; so it is required nowhere.

    /// The current H5 page.
    package static let h5 = CallbackPage(
        "h5", "newSignature", ["code", "orderNo", "h5faceId"], optional: ["liveRate"], "655/18936")
    /// The older copy of it, without a liveRate.
    package static let h5Older = CallbackPage(
        "h5-older", "newSignature", ["code", "orderNo", "h5faceId"], "GH:H5 人脸核身结果跳转")
    /// The PC page.
    package static let pc = CallbackPage("pc", "newSign", ["code", "orderNo", "h5faceId"], "1007/35895")
    /// The older copy of the PC page, with a liveRate.
    package static let pcWithLiveRate = CallbackPage(
        "pc-with-live-rate", "newSign", ["code", "orderNo", "h5faceId"], optional: ["liveRate"],
        "GH:PC variant of H5 人脸核身结果跳转")
    /// The page of an intent check (意愿核身).
    package static let intentCheck = CallbackPage(
        "will", "newSignature", ["code", "faceCode", "willCode", "orderNo", "h5faceId"], optional: ["liveRate"],
        "1007/77308")
}

/// What a browser brought back: mere claims, until ``verify(of:for:with:at:)`` has checked them.
public struct UnverifiedCallback: Sendable {
    /// The sign as it came; `nil` if there was none, as can happen with a failure of the page itself.
    package let sign: Untrusted<String>?
    /// The order the callback says it is about. Never look an order up by it and verify against that: give the order
    /// *you* are waiting for in this browser session.
    public let claimedOrderNo: Untrusted<String>
    /// The result code the callback claims.
    package let claimedCode: Untrusted<String>
    /// The pages whose form it has; none if it lacks fields that all of them require.
    package let pages: [CallbackPage]
    private let unsigned: UnsignedCallbackFields

    /// Reads the query of a callback URL: what is between the first `?` and a `#`.
    ///
    /// - Throws: ``EvidenceError`` (`.callback`).
    public init(url: String) throws(EvidenceError) {
        try self.init(urlBytes: Array(url.utf8))
    }

    /// The same from bytes, which need not be UTF-8, so that a fault names the byte that was received.
    package init(urlBytes url: [UInt8]) throws(EvidenceError) {
        let beforeFragment = url.prefix { $0 != UInt8(ascii: "#") }
        guard let mark = beforeFragment.firstIndex(of: UInt8(ascii: "?")) else {
            throw EvidenceError(
                .callback, "the URL has no query",
                hint: url.contains(UInt8(ascii: "?"))
                    ? "take the query out of the fragment (after #)" : nil)
        }
        try self.init(queryBytes: Array(beforeFragment[beforeFragment.index(after: mark)...]))
    }

    /// Reads `name=value&…` with percent-encoding (RFC 3986), strictly: characters that may not stand in a query, a
    /// percent sign without two digits, a known name twice, both names of the sign at once, a name that another reader
    /// would take for a known one (also behind a `;`, where some readers begin a new pair), and invalid UTF-8 or
    /// control characters in the values of known names are refused. A plus sign is a plus sign. Unknown names are the
    /// integrator's own and ignored.
    ///
    /// - Throws: ``EvidenceError`` (`.callback`).
    package init(query: String) throws(EvidenceError) {
        try self.init(queryBytes: Array(query.utf8))
    }

    private init(queryBytes query: [UInt8]) throws(EvidenceError) {
        let fields = try CallbackFields(query)
        let (signature, sign) = (fields["newSignature"], fields["newSign"])
        if signature != nil && sign != nil {
            throw EvidenceError(.callback, "both newSignature and newSign are present")
        }
        guard let order = fields["orderNo"] else { throw EvidenceError(.callback, "the query has no orderNo") }
        guard let code = fields["code"] else { throw EvidenceError(.callback, "the query has no code") }
        self.sign = (signature ?? sign).map(Untrusted.init)
        claimedOrderNo = Untrusted(order)
        claimedCode = Untrusted(code)
        unsigned = UnsignedCallbackFields(
            liveRate: fields["liveRate"].map(Untrusted.init), h5faceId: fields["h5faceId"].map(Untrusted.init),
            faceCode: fields["faceCode"].map(Untrusted.init), willCode: fields["willCode"].map(Untrusted.init))
        let isSigned = signature != nil || sign != nil
        let names = fields.names.subtracting(["newSignature", "newSign"])
        pages = CallbackPage.all.filter { page in
            (!isSigned || page.signName == (signature == nil ? "newSign" : "newSignature"))
                && names.isSuperset(of: page.required) && names.isSubset(of: page.required + page.optional)
        }
    }

    /// Verifies the callback: it must be for the attempt, and the attempt must belong to the user who is logged in;
    /// code and order must be well-formed, and the sign must match them (``SignRecipe/frontEndResult``).
    ///
    /// A valid callback stays valid until the SIGN ticket expires: it has no nonce and no time. Accept
    /// each order once, and ask the vendor's server before anything depends on it.
    ///
    /// - Parameters:
    ///   - attempt: the attempt that was started in this session, from the integrator's own records; never one that was
    ///     looked up by ``claimedOrderNo``.
    ///   - user: who is logged in where the callback arrived.
    ///   - tickets: the SIGN tickets, the current one and, for a minute, the one before.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError`` (`.openSSL`) if no digest could be computed; this says nothing about the input.
    public func verify(
        of attempt: FaceAttempt, for user: UserId, with tickets: [Ticket], at now: ContinuousClock.Instant = .now
    ) throws(EvidenceError) -> CallbackVerification {
        let code = claimedCode.unverifiedValue
        // The digest is taken over the expected order, so the claim is compared only to name the reason.
        let input = SignRecipe.frontEndResult(appId: attempt.appId.value, orderNo: attempt.orderNo.value, code: code)
        var reasons: [SignRejectionReason] = []
        if attempt.userId != user { reasons.append(SignRejectionReason(.user)) }
        if !claimedOrderNo.unverifiedValue.utf8.elementsEqual(attempt.orderNo.value.utf8) {
            reasons.append(SignRejectionReason(.order))
        }
        if sign == nil && code == "0" { reasons.append(SignRejectionReason(.unsigned)) }
        guard reasons.isEmpty, let sign else {
            reasons = input.violations.map { SignRejectionReason(.value, $0) } + reasons
            guard reasons.isEmpty else { return .invalid(SignRejection(reasons: reasons)) }
            return .unsigned(claimedCode)
        }
        switch try input.verify(sign.unverifiedValue, with: tickets, at: now) {
        case .invalid(let rejection): return .invalid(rejection)
        case .valid(let acceptance):
            return .valid(
                VerifiedCallback(attempt: attempt, code: code, acceptance: acceptance, unsigned: unsigned))
        }
    }

    /// ``verify(of:for:with:at:)`` with the tickets of a store.
    ///
    /// - Throws: ``EvidenceError``: `.fetch` or `.openSSL`.
    public func verify(
        of attempt: FaceAttempt, for user: UserId, with store: some TicketStore
    ) async throws(EvidenceError) -> CallbackVerification {
        try verify(of: attempt, for: user, with: await store.ticketsForVerifying(), at: store.now)
    }

    /// The claims as values to be signed, with which the module SignDiagnosis explains why a callback is not valid.
    package func claims(appId: String) -> SignInput {
        SignRecipe.frontEndResult(
            appId: appId, orderNo: claimedOrderNo.unverifiedValue, code: claimedCode.unverifiedValue)
    }
}

/// The outcome of verifying a callback.
public enum CallbackVerification: Sendable {
    /// The vendor signed this order and code.
    case valid(VerifiedCallback)
    /// The sign does not match, or the callback is for another attempt or another user.
    case invalid(SignRejection)
    /// A failure without a sign, for the right attempt and user: the page's own failures (3001 to 3005) may look like
    /// this. Anyone could have written it. It proves nothing, and is no reason to accuse anybody; ask the vendor's
    /// server.
    case unsigned(Untrusted<String>)
}

/// A callback whose order and code were signed by the vendor.
public struct VerifiedCallback: Sendable {
    /// The attempt, which is the expected one.
    package let attempt: FaceAttempt
    /// The result code: `0` for a pass.
    public let code: String
    /// Which ticket it fits, and warnings.
    package let acceptance: SignAcceptance
    /// The unsigned fields.
    package let unsigned: UnsignedCallbackFields

    /// Whether the person passed: the code is that of a pass, and no other field contradicts it.
    public var isPassed: Bool { claimsPass && !isContradicted }

    /// Whether the code is that of a pass, and the code of the face or the intent, which are not signed, is there and
    /// differs: one of them is wrong, or was changed in transit.
    package var isContradicted: Bool {
        claimsPass
            && [unsigned.faceCode, unsigned.willCode].contains { unsigned in
                unsigned.map { !["", "0"].contains($0.unverifiedValue) } ?? false
            }
    }

    private var claimsPass: Bool { code.utf8.elementsEqual("0".utf8) }
}

/// The fields of a callback that no sign covers: ask the vendor's server before anything depends on them.
package struct UnsignedCallbackFields: Hashable, Sendable {
    /// The liveness score.
    package let liveRate: Untrusted<String>?
    /// The vendor's number of the verification.
    package let h5faceId: Untrusted<String>?
    /// The face part's result code (意愿核身).
    package let faceCode: Untrusted<String>?
    /// The intent part's result code (意愿核身).
    package let willCode: Untrusted<String>?
}

/// The known fields of a query.
private struct CallbackFields {
    private static let known = [
        "code", "orderNo", "h5faceId", "newSignature", "newSign", "liveRate", "faceCode", "willCode",
    ]
    private static let looseNames = LooseNames(known.map { ($0, $0) })
    private var values: [String: String] = [:]

    var names: Set<String> { Set(values.keys) }

    subscript(_ name: String) -> String? { values[name] }

    init(_ query: [UInt8]) throws(EvidenceError) {
        guard query.count <= Limits.callbackBytes else {
            throw EvidenceError(.callback, "a callback may have at most \(Limits.callbackBytes) bytes")
        }
        if let wrong = query.firstIndex(where: { !queryCharacters.contains($0) }) {
            throw EvidenceError(
                .callback,
                "found \(name(of: query[wrong])) at byte \(wrong) of the query, where it is not allowed "
                    + "(RFC 3986, section 3.4)"
            )
        }
        for (number, pair) in zip(1..., query.split(separator: UInt8(ascii: "&"))) {
            try Self.refuseOtherPairs(in: pair, number)
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.compactMap { percentDecode(Array($0).span) }
            guard decoded.count == parts.count else {
                throw EvidenceError(
                    .callback, "parameter \(number): a percent sign is not followed by two hexadecimal digits")
            }
            // Compared as bytes: Swift's own equality goes by canonical equivalence.
            guard let name = Self.known.first(where: { $0.utf8.elementsEqual(decoded[0]) }) else {
                try Self.refuseLookAlike(decoded[0], number)
                continue
            }
            guard decoded.count == 2 else { throw EvidenceError(.callback, "the parameter \(name) has no value") }
            guard let value = String(validating: decoded[1], as: UTF8.self) else {
                throw EvidenceError(.callback, "the value of \(name) is not UTF-8")
            }
            guard !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw EvidenceError(.callback, "a control character is in the value of \(name)")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw EvidenceError(.callback, "the parameter \(name) appears twice")
            }
        }
    }

    /// Some readers begin a new pair at a semicolon, too.
    private static func refuseOtherPairs(in pair: ArraySlice<UInt8>, _ parameter: Int) throws(EvidenceError) {
        let pieces = pair.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard pieces.count > 1 else { return }
        for (index, piece) in pieces.enumerated() where index > 0 || !piece.contains(UInt8(ascii: "=")) {
            let name = percentDecode(Array(piece.prefix { $0 != UInt8(ascii: "=") }).span) ?? []
            try refuseLookAlike(name, parameter, inside: true)
        }
    }

    private static func refuseLookAlike(
        _ name: [UInt8], _ parameter: Int, inside isInside: Bool = false
    ) throws(EvidenceError) {
        let text = String(decoding: name, as: UTF8.self)
        // PHP and others put an element of a list in the place of the parameter: `code[0]`.
        guard let known = looseNames[text] ?? looseNames[String(text.prefix { $0 != "[" })] else { return }
        throw EvidenceError(
            .callback,
            "parameter \(parameter): another reader could "
                + (isInside ? "split it at ';' and find \(known)" : "take its name for \(known)"),
            hint: "do not trust this callback; if your own page adds the parameter, rename it")
    }
}

/// The characters of a query: `pchar`, `/` and `?` (RFC 3986 §3.4).
private let queryCharacters = ByteSet.lettersAndDigits.union("-._~!$&'()*+,;=:@/?%")
