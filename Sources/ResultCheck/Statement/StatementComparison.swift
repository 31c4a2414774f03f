// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
package import EvidencePayload
package import IdentifyString
package import VendorResults
internal import VendorTypes

/// What a statement is compared with: the photo, video and result that came with it, as far as they could be read.
package struct StatementContext {
    package enum Photo {
        case none, unreadable, sealed
        case content(ContentDigest)
    }

    package enum Video {
        /// `reconstructed`: the first block of the video is a guess.
        case unopened, reconstructed
        case content(ContentDigest)
    }

    let photo: Photo
    let video: Video
    /// `nil` where there is none.
    let result: WBFaceVerifyResult?

    package init(photo: Photo, video: Video, result: WBFaceVerifyResult?) {
        self.photo = photo
        self.video = video
        self.result = result
    }
}

/// Compares one statement with the expectations and with what came with it.
package struct StatementComparison {
    let statement: IdentifyStatement
    let expectation: IdentifyExpectation
    let context: StatementContext

    package init(statement: IdentifyStatement, expectation: IdentifyExpectation, context: StatementContext) {
        self.statement = statement
        self.expectation = expectation
        self.context = context
    }

    /// The outcome for each binding except the nonce.
    package func findings() -> [CheckItem] {
        [
            order, same(.statementApp, "appId", statement.appId, expectation.appId),
            same(.statementUser, "userId", statement.userId, expectation.userId), photo, video, scores, moment,
        ]
    }

    private var order: CheckItem {
        statement.orderNo == expectation.orderNo
            ? CheckItem(.statementOrder, .holds, "it names the expected order")
            : CheckItem(.statementOrder, .fails, "it names a different order")
    }

    private func same(
        _ binding: CheckItem.Name, _ name: String, _ stated: String, _ expected: String?
    ) -> CheckItem {
        guard let expected else { return CheckItem(binding, .unchecked, "no \(name) was given to compare with") }
        return isSame(stated, expected)
            ? CheckItem(binding, .holds, "it names the expected \(name)")
            : CheckItem(binding, .fails, "it names a different \(name)")
    }

    private var photo: CheckItem {
        switch (statement.photo, context.photo) {
        case (_, .unreadable): CheckItem(.statementPhoto, .fails, "the photo cannot be read")
        case (_, .sealed): CheckItem(.statementPhoto, .unchecked, "the photo is sealed, and was not opened")
        case (nil, .none): CheckItem(.statementPhoto, .holds, "there is no photo, and the statement says so")
        case (_?, .none): CheckItem(.statementPhoto, .fails, "it names a photo, but the result has none")
        case (nil, .content): CheckItem(.statementPhoto, .fails, "the result has a photo, but the statement names none")
        case (let stated?, .content(let found)): content(.statementPhoto, "photo", stated, found)
        }
    }

    private var video: CheckItem {
        switch context.video {
        case .unopened: CheckItem(.statementVideo, .unchecked, "the video was not opened")
        case .reconstructed:
            CheckItem(.statementVideo, .unchecked, "the video's first 16 bytes are a guess: it was not compared")
        case .content(let found): content(.statementVideo, "video", statement.video, found)
        }
    }

    private func content(
        _ binding: CheckItem.Name, _ part: String, _ stated: ContentDigest, _ found: ContentDigest
    ) -> CheckItem {
        guard stated.byteCount == found.byteCount else {
            return CheckItem(
                binding, .fails,
                "it names a \(part) of \(stated.byteCount) bytes, but this one has \(found.byteCount)")
        }
        return stated == found
            ? CheckItem(binding, .holds, "size and SHA-256 match this \(part)")
            : CheckItem(binding, .fails, "it names a \(part) of the same size, but its SHA-256 differs")
    }

    private var scores: CheckItem {
        guard let result = context.result else {
            return CheckItem(.statementScores, .unchecked, "there is no result to compare with")
        }
        guard case .passed(let passed) = result.outcome else {
            return CheckItem(.statementScores, .unchecked, "a result that did not pass has no scores")
        }
        let stated =
            [(FieldName.liveRate, statement.liveRate), (.similarity, statement.similarity)]
            + (statement.riskInfo ?? WBFaceRiskInfo()).members
        let found =
            [passed.liveRate.text, passed.similarity.text]
            + (result.riskInfo ?? WBFaceRiskInfo()).members.map(\.1)
        for ((name, left), right) in zip(stated, found) {
            // Empty text counts as absent, as it does for the vendor.
            guard isSame(left ?? "", right ?? "") else {
                return CheckItem(.statementScores, .fails, "its \(name) differs from the result's")
            }
        }
        return CheckItem(.statementScores, .holds, "scores and risks match the result")
    }

    private var moment: CheckItem {
        let now = expectation.now
        let age = now.millisecondsSince1970 - statement.capturedAt.millisecondsSince1970
        if .milliseconds(-age) > IdentifyExpectation.clockTolerance {
            return CheckItem(.statementMoment, .fails, "\(statement.capturedAt) is in the future as of \(now)")
        }
        if let maximumAge = expectation.maximumAge, .milliseconds(age) > maximumAge {
            return CheckItem(.statementMoment, .fails, "\(statement.capturedAt) is too old as of \(now)")
        }
        return CheckItem(
            .statementMoment, .holds,
            expectation.maximumAge == nil ? "\(statement.capturedAt); any age was allowed" : "\(statement.capturedAt)")
    }
}

extension IdentifyStatement {
    /// The outcome for the nonce.
    func claimNonce(in store: any NonceStore) async throws(EvidenceError) -> CheckItem {
        let isFirst: Bool
        do { isFirst = try await store.claim(nonce, capturedAt: capturedAt) } catch let error as EvidenceError {
            throw error
        } catch {
            throw EvidenceError(.nonceStore, "the store of nonces failed", underlying: error)
        }
        return isFirst
            ? CheckItem(.statementNonce, .holds, "it was not used before")
            : CheckItem(.statementNonce, .fails, "it was used before")
    }
}

/// Compared as bytes: to Swift's `String`, texts in different normal forms are equal.
private func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
