public import FaceVerification

/// What a statement must say to be consistent with everything else the caller knows.
///
/// The order, the app and the user are the caller's own, from its records; never those of the result that is checked.
public struct IdentifyExpectation: Sendable {
    /// How far ahead of the clock a phone's clock may be.
    public static let clockTolerance = Duration.seconds(300)

    /// The order that is waited for.
    public var orderNo: OrderNumber
    /// Which video came with it.
    public var video: ContentDigest
    /// Which photo came with it; `nil` for none.
    public var photo: ContentDigest?
    /// What the clock says.
    public var now: UTCTime
    /// How old a statement may be; `nil` for any age.
    public var maximumAge: Duration?
    /// The integrator's appId; `nil` to take any.
    public var appId: String?
    /// The user; `nil` to take any.
    public var userId: String?
    /// The result it came in, whose scores and risks it must repeat; `nil` where there is none.
    public var result: WBFaceVerifyResult?
    /// Where used nonces are remembered; `nil` not to ask. It is asked last, and only if all else holds.
    public var nonces: (any NonceStore)?

    /// What is compared always; the rest is set as far as it is known.
    public init(orderNo: OrderNumber, video: ContentDigest, photo: ContentDigest?, now: UTCTime) {
        self.orderNo = orderNo
        self.video = video
        self.photo = photo
        self.now = now
    }
}

/// The same with gaps: what a check found out so far.
struct PartialExpectation {
    let orderNo: OrderNumber
    let now: UTCTime
    var maximumAge: Duration?
    var appId: String?
    var userId: String?
    /// `nil` where the video is not known.
    var video: ContentDigest?
    /// `nil` where there is one that cannot be read.
    var photo: ContentDigest??
    var result: WBFaceVerifyResult?
    var nonces: (any NonceStore)?

    init(orderNo: OrderNumber, now: UTCTime) {
        self.orderNo = orderNo
        self.now = now
    }

    init(_ whole: IdentifyExpectation) {
        orderNo = whole.orderNo
        now = whole.now
        maximumAge = whole.maximumAge
        appId = whole.appId
        userId = whole.userId
        video = whole.video
        photo = .some(whole.photo)
        result = whole.result
        nonces = whole.nonces
    }

    /// What comes out of each binding, for this statement; of the nonce where there is a store to ask.
    func findings(_ statement: IdentifyStatement) -> [BindingFinding] {
        var findings = [
            order(statement), same(.app, "appId", statement.appId, appId),
            same(.user, "userId", statement.userId, userId), photo(statement), video(statement), scores(statement),
            moment(statement),
        ]
        if let nonces {
            findings.append(nonce(statement, nonces, if: !findings.contains { $0.outcome == .fails }))
        }
        return findings
    }

    private func order(_ statement: IdentifyStatement) -> BindingFinding {
        statement.orderNo == orderNo
            ? BindingFinding(.order, .holds, "it is of the expected order")
            : BindingFinding(.order, .fails, "it is of another order")
    }

    private func same(
        _ binding: IdentifyBinding, _ name: String, _ stated: String, _ expected: String?
    ) -> BindingFinding {
        guard let expected else { return BindingFinding(binding, .unchecked, "no \(name) was given to compare with") }
        return isSame(stated, expected)
            ? BindingFinding(binding, .holds, "it is of the expected \(name)")
            : BindingFinding(binding, .fails, "it is of another \(name)")
    }

    private func photo(_ statement: IdentifyStatement) -> BindingFinding {
        guard let photo else { return BindingFinding(.photo, .fails, "the photo cannot be read") }
        switch (statement.photo, photo) {
        case (nil, nil): return BindingFinding(.photo, .holds, "there is none, and it says so")
        case (_?, nil): return BindingFinding(.photo, .fails, "it names a photo, and the result has none")
        case (nil, _?): return BindingFinding(.photo, .fails, "the result has a photo, and it names none")
        case (let stated?, let found?): return content(.photo, stated, found)
        }
    }

    private func video(_ statement: IdentifyStatement) -> BindingFinding {
        guard let video else { return BindingFinding(.video, .unchecked, "the video was not opened") }
        return content(.video, statement.video, video)
    }

    private func content(
        _ binding: IdentifyBinding, _ stated: ContentDigest, _ found: ContentDigest
    ) -> BindingFinding {
        guard stated.byteCount == found.byteCount else {
            return BindingFinding(
                binding, .fails,
                "it names a \(binding) of \(stated.byteCount) bytes, and this one has \(found.byteCount)")
        }
        return stated == found
            ? BindingFinding(binding, .holds, "size and SHA-256 are those of this \(binding)")
            : BindingFinding(binding, .fails, "it names a \(binding) of the same size with another SHA-256")
    }

    private func scores(_ statement: IdentifyStatement) -> BindingFinding {
        guard let result else { return BindingFinding(.scores, .unchecked, "there is no result to compare with") }
        guard case .passed(let passed) = result.outcome else {
            return BindingFinding(.scores, .unchecked, "a result that did not pass has no scores")
        }
        let stated =
            [("liveRate", statement.liveRate), ("similarity", statement.similarity)]
            + (statement.riskInfo ?? WBFaceRiskInfo()).members
        let found =
            [passed.liveRate.text, passed.similarity.text]
            + (result.riskInfo ?? WBFaceRiskInfo()).members.map(\.1)
        for ((name, left), right) in zip(stated, found) {
            // An empty text is an absent one, to the vendor as well.
            guard isSame(left ?? "", right ?? "") else {
                return BindingFinding(.scores, .fails, "its \(name) is not that of the result")
            }
        }
        return BindingFinding(.scores, .holds, "scores and risks are those of the result")
    }

    private func moment(_ statement: IdentifyStatement) -> BindingFinding {
        let age = now.millisecondsSince1970 - statement.capturedAt.millisecondsSince1970
        if .milliseconds(-age) > IdentifyExpectation.clockTolerance {
            return BindingFinding(.moment, .fails, "\(statement.capturedAt) is ahead of the clock, which says \(now)")
        }
        if let maximumAge, .milliseconds(age) > maximumAge {
            return BindingFinding(.moment, .fails, "\(statement.capturedAt) is too long ago for \(now)")
        }
        return BindingFinding(
            .moment, .holds,
            maximumAge == nil ? "\(statement.capturedAt); any age was allowed" : "\(statement.capturedAt)")
    }

    private func nonce(
        _ statement: IdentifyStatement, _ nonces: any NonceStore, if allElseHolds: Bool
    ) -> BindingFinding {
        // A statement that is refused must not use a nonce up.
        guard allElseHolds else { return BindingFinding(.nonce, .unchecked, "not asked, since something else fails") }
        return nonces.claim(statement.nonce, capturedAt: statement.capturedAt)
            ? BindingFinding(.nonce, .holds, "it was not used before")
            : BindingFinding(.nonce, .fails, "it was used before")
    }
}

/// Compared as bytes: to Swift's `String`, texts in different normal forms are equal.
private func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
