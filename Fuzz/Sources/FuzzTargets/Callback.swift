// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorSigning

extension FuzzTarget {
    /// Callbacks of a browser: a URL says what its query says, the claims come back when they are encoded again, and
    /// only a right sign verifies.
    static let callback = FuzzTarget(name: "callback") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let parsed = outcome { try UnverifiedCallback(query: text) }
        let url = outcome { try UnverifiedCallback(url: text) }
        if !text.utf8.contains(UInt8(ascii: "#")) {
            let whole = outcome { try UnverifiedCallback(url: "https://example.com/back?" + text + "#top") }
            try hold(whole.complaint == parsed.complaint, "a URL says what its query says")
            if let query = parsed.value, let whole = whole.value {
                try hold(isSame(query, whole), "and means the same")
            }
        }
        for callback in [parsed.value, url.value].compactMap({ $0 }) {
            try checkAgain(callback)
            try checkVerification(callback)
        }
        _ = try? SignAssignment(parsing: text)
    }

    private static func isSame(_ left: UnverifiedCallback, _ right: UnverifiedCallback) -> Bool {
        left.sign == right.sign && left.claimedOrderNo == right.claimedOrderNo && left.claimedCode == right.claimedCode
            && left.pages == right.pages
    }

    private static func checkAgain(_ callback: UnverifiedCallback) throws {
        func encoded(_ value: Untrusted<String>) -> String {
            value.unverifiedValue.utf8.map { "%" + (String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)) }.joined()
        }
        let sign = callback.sign.map { "newSign=\(encoded($0))&" } ?? ""
        let query =
            "unknown=%00&\(sign)orderNo=\(encoded(callback.claimedOrderNo))&code=\(encoded(callback.claimedCode))"
        // Three characters for one may be too many.
        guard query.utf8.count <= 8_192 else { return }
        let again = try UnverifiedCallback(query: query)
        try hold(
            again.sign == callback.sign && again.claimedOrderNo == callback.claimedOrderNo
                && again.claimedCode == callback.claimedCode, "the claims come back")
    }

    private static func checkVerification(_ callback: UnverifiedCallback) throws {
        let value = [UInt8](repeating: 0x61, count: 64)
        let ticket = try Ticket(.sign, SecretBytes(copying: value.span))
        guard let order = try? OrderNumber("ord1"), let appId = try? AppId("IDAXXXXX"), let user = try? UserId("u1"),
            let other = try? UserId("u2")
        else { return }
        let attempt = FaceAttempt(appId: appId, userId: user, orderNo: order)
        if case .invalid = try callback.verify(of: attempt, for: other, with: [ticket]) {
        } else {
            throw Broken("another user's callback is invalid, signed or not")
        }
        switch try callback.verify(of: attempt, for: user, with: [ticket]) {
        case .invalid: break
        case .unsigned(let code):
            try hold(callback.sign == nil && code.unverifiedValue != "0", "what is unsigned is no pass")
        case .valid(let verified):
            let input = SignRecipe.frontEndResult(appId: "IDAXXXXX", orderNo: "ord1", code: verified.code)
            let right = try input.sign(with: ticket).description
            try hold(
                callback.sign?.unverifiedValue.uppercased() == right
                    && callback.claimedOrderNo.unverifiedValue == "ord1", "only a right sign of that order verifies")
            try hold(!verified.isPassed || verified.code == "0", "only the signed code is a pass")
        }
    }
}
