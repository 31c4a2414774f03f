// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
package import VendorResults
package import VendorTypes

/// What the vendor's server said of an order, beside the result that a client sent (`docs/FORMATS.md` §5.1).
package struct AnswerComparison {
    let answer: FaceRecordAnswer
    /// The expected order, and the expected appId, if any.
    let orderNo: OrderNumber
    let appId: String?

    package init(answer: FaceRecordAnswer, orderNo: OrderNumber, appId: String?) {
        (self.answer, self.orderNo, self.appId) = (answer, orderNo, appId)
    }

    /// What it comes to.
    ///
    /// - Parameter result: the result; `nil` if it could not be read.
    package func item(beside result: WBFaceVerifyResult?) -> CheckItem {
        if let named = answer.orderNo, named != orderNo {
            return .fails(.answer, "the vendor's answer is about a different order than \(orderNo)", code: .otherOrder)
        }
        if let appId, let named = answer.appId, !named.isEmpty, !named.utf8.elementsEqual(appId.utf8) {
            return .fails(.answer, "the vendor's answer is for a different appId")
        }
        guard let result else { return .unchecked(.answer, "the result could not be read") }
        if let named = answer.orderNo, let claimed = result.orderNo, named != claimed {
            return .fails(.answer, "the vendor's answer and the result name different orders", code: .otherOrder)
        }
        if answer.isPass(of: orderNo) { return pass(beside: result) }
        let codeClass = ServerCodeClass.of(answer.code)
        guard let denial = answer.denial else {
            var item = CheckItem.unchecked(.answer, "no verdict about the person was found in the vendor's answer")
            if answer.code != "0" { item.hint = codeClass.advice }
            if answer.code == "0", let other = answer.repairs.first(where: \.speaksAgainstPass) {
                item.sentence = "the vendor's answer is a pass but for \(other)"
                item.hint = "give the vendor's answer exactly as it came"
            }
            if answer.hasCodeOfCall {
                item.hint =
                    "its code is that of a call, as in an envelope of your backend: give only the vendor's answer, "
                    + "usually its member data or result"
            }
            return item
        }
        let place = codeClass.isVerdict ? "code \(answer.code)" : "by its \(denial)"
        return result.isSuccess
            ? .fails(.answer, "the vendor's answer (\(place)) is no pass, but the result claims one")
            : .holds(.answer, .stated, "the vendor's answer is no pass either")
    }

    private func pass(beside result: WBFaceVerifyResult) -> CheckItem {
        guard case .passed(let passed) = result.outcome else {
            return .fails(.answer, "the vendor's answer is a pass, but the result claims none")
        }
        let scores: [(FieldName, FaceScore, FaceScore)] = [
            (.liveRate, answer.liveRate, passed.liveRate), (.similarity, answer.similarity, passed.similarity),
        ]
        for (name, stated, claimed) in scores {
            guard let stated = stated.value, let claimed = claimed.value, stated != claimed else { continue }
            return .fails(.answer, "the vendor's answer has another \(name) than the result")
        }
        return .holds(.answer, .stated, "the vendor's answer is a pass as well")
    }
}

extension FaceRecordAnswer {
    /// Whether its code is that of a call. 0 is the vendor's, too.
    var hasCodeOfCall: Bool { code != "0" && CallCode(code).isKnown }
}
