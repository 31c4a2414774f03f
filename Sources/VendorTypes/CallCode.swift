// SPDX-License-Identifier: Apache-2.0
/// The code of a call to somebody's backend, which says how the call went, and nothing about a person.
package struct CallCode {
    private let number: Double?
    private let code: String

    /// - Parameter code: as it is written.
    package init(_ code: String) { (number, self.code) = (code.number, code) }

    /// Whether it says that the call worked: zeros, 200 to 299, 20000, or a word for success. For some backends 1 does,
    /// for others 1 is a failure.
    package var isOfSuccess: Bool {
        guard let number else { return VerdictWords.isYes(code) }
        // With zeros in front, it is another code.
        return number == 0 || number.isCodeOfSuccess && code.isPlainNumber
    }

    /// Whether it is one with which backends say that a call worked or did not, and the vendor's server never.
    package var isKnown: Bool {
        isOfSuccess || number.map { 100...599 ~= $0 || $0 == 1 || $0 == 10_000 } ?? false
    }
}

extension Double {
    /// Whether it is 200 to 299, or 20000.
    package var isCodeOfSuccess: Bool { 200...299 ~= self && rounded() == self || self == 20_000 }
}
