// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import VendorResults
internal import VendorTypes

/// What a statement is compared with: the photo, video and result that came with it, as far as they could be read.
struct StatementContext {
    enum Photo {
        case none, unreadable
        case content(ContentDigest)
    }

    enum Video {
        /// `reconstructed`: the first block of the video is a guess.
        case unopened, reconstructed
        case content(ContentDigest)
    }

    let photo: Photo
    let video: Video
    /// `nil` where there is none.
    let result: WBFaceVerifyResult?
}

/// Compares one statement with the expectations and with what came with it.
struct StatementComparison {
    let statement: IdentifyStatement
    let expectation: IdentifyExpectation
    let context: StatementContext

    /// The outcome for each binding except the nonce.
    func findings() -> [BindingFinding] {
        [
            order, same(.app, "appId", statement.appId, expectation.appId),
            same(.user, "userId", statement.userId, expectation.userId), photo, video, scores, moment,
        ]
    }

    private var order: BindingFinding {
        statement.orderNo == expectation.orderNo
            ? BindingFinding(.order, .holds, "it names the expected order")
            : BindingFinding(.order, .fails, "it names a different order")
    }

    private func same(
        _ binding: IdentifyBinding, _ name: String, _ stated: String, _ expected: String?
    ) -> BindingFinding {
        guard let expected else { return BindingFinding(binding, .unchecked, "no \(name) was given to compare with") }
        return isSame(stated, expected)
            ? BindingFinding(binding, .holds, "it names the expected \(name)")
            : BindingFinding(binding, .fails, "it names a different \(name)")
    }

    private var photo: BindingFinding {
        switch (statement.photo, context.photo) {
        case (_, .unreadable): BindingFinding(.photo, .fails, "the photo cannot be read")
        case (nil, .none): BindingFinding(.photo, .holds, "there is no photo, and the statement says so")
        case (_?, .none): BindingFinding(.photo, .fails, "it names a photo, but the result has none")
        case (nil, .content): BindingFinding(.photo, .fails, "the result has a photo, but the statement names none")
        case (let stated?, .content(let found)): content(.photo, stated, found)
        }
    }

    private var video: BindingFinding {
        switch context.video {
        case .unopened: BindingFinding(.video, .unchecked, "the video was not opened")
        case .reconstructed:
            BindingFinding(.video, .unchecked, "the video's first 16 bytes are a guess: it was not compared")
        case .content(let found): content(.video, statement.video, found)
        }
    }

    private func content(
        _ binding: IdentifyBinding, _ stated: ContentDigest, _ found: ContentDigest
    ) -> BindingFinding {
        guard stated.byteCount == found.byteCount else {
            return BindingFinding(
                binding, .fails,
                "it names a \(binding) of \(stated.byteCount) bytes, but this one has \(found.byteCount)")
        }
        return stated == found
            ? BindingFinding(binding, .holds, "size and SHA-256 match this \(binding)")
            : BindingFinding(binding, .fails, "it names a \(binding) of the same size, but its SHA-256 differs")
    }

    private var scores: BindingFinding {
        guard let result = context.result else {
            return BindingFinding(.scores, .unchecked, "there is no result to compare with")
        }
        guard case .passed(let passed) = result.outcome else {
            return BindingFinding(.scores, .unchecked, "a result that did not pass has no scores")
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
                return BindingFinding(.scores, .fails, "its \(name) differs from the result's")
            }
        }
        return BindingFinding(.scores, .holds, "scores and risks match the result")
    }

    private var moment: BindingFinding {
        let now = expectation.now
        let age = now.millisecondsSince1970 - statement.capturedAt.millisecondsSince1970
        if .milliseconds(-age) > IdentifyExpectation.clockTolerance {
            return BindingFinding(.moment, .fails, "\(statement.capturedAt) is in the future: the clock says \(now)")
        }
        if let maximumAge = expectation.maximumAge, .milliseconds(age) > maximumAge {
            return BindingFinding(.moment, .fails, "\(statement.capturedAt) is too old as of \(now)")
        }
        return BindingFinding(
            .moment, .holds,
            expectation.maximumAge == nil ? "\(statement.capturedAt); any age was allowed" : "\(statement.capturedAt)")
    }
}

extension IdentifyStatement {
    /// The outcome for the nonce.
    func claimNonce(in store: any NonceStore) async throws(EvidenceError) -> BindingFinding {
        let isFirst: Bool
        do { isFirst = try await store.claim(nonce, capturedAt: capturedAt) } catch let error as EvidenceError {
            throw error
        } catch {
            throw EvidenceError(.nonceStore, "the store of nonces failed", underlying: error)
        }
        return isFirst
            ? BindingFinding(.nonce, .holds, "it was not used before")
            : BindingFinding(.nonce, .fails, "it was used before")
    }
}

/// Compared as bytes: to Swift's `String`, texts in different normal forms are equal.
private func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
