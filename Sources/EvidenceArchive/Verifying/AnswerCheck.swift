// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import EvidenceStreams
internal import ResultCheck
internal import VendorDocuments
internal import VendorResults
internal import VendorTypes

/// What an archived result claims, and the order that it was checked for: what the vendor's answer about it must not
/// contradict, by the rules of the report's item `answer` (`docs/FORMATS.md` §5.1).
struct ArchivedClaim: Sendable {
    /// By the report.
    let orderNo: OrderNumber
    let result: WBFaceVerifyResult

    /// - Parameter report: what the record's report says; nothing is claimed where it does not hold.
    init?(_ result: WBFaceVerifyResult, _ report: ArchivedRecord.ReportSummary) {
        guard report.verdict == .holds else { return nil }
        (orderNo, self.result) = (report.order, result)
    }

    /// What an answer says against it; `nil` for nothing.
    func contradiction(of answer: FaceRecordAnswer) -> String? {
        let item = AnswerComparison(answer: answer, orderNo: orderNo, appId: nil).item(beside: result)
        return item.state == .fails ? item.sentence : nil
    }
}

/// A document on its way: read, and its outline made.
final class ArchivedDocument: ByteDestination {
    let isWithheldUntilFinished = true
    private var maker: DocumentOutline? = DocumentOutline()
    private var reader: DocumentReader? = DocumentReader()
    private(set) var outline: [UInt8]?
    /// What it is, where it can be read as that.
    private(set) var result: WBFaceVerifyResult?
    private(set) var answer: FaceRecordAnswer?

    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try maker?.append(bytes)
        do throws(EvidenceError) { try reader?.append(bytes) } catch {
            if error.code.isSystem { throw error }
            // A refused result may be anything, and is kept as it came.
            reader = nil
        }
    }

    func finish() throws(EvidenceError) {
        if var maker = maker.take() { outline = try maker.finish() }
        guard var reader = reader.take(), let document = try? reader.finish() else { return }
        result = (try? UnverifiedFaceVerifyResult(document, .tolerant))?.withoutCheckingSign
        answer = try? document.interpret(.tolerant) { root, reading throws(EvidenceError) in
            try FaceRecordAnswer(root, &reading)
        }
    }

    func abandon() {
        maker = nil
        reader = nil
    }
}
