// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors

/// A text in both languages of the page.
package struct PageText: Sendable {
    package let english: String
    package let chinese: String

    package init(_ english: String, _ chinese: String) {
        self.english = english
        self.chinese = chinese
    }

    /// Both texts, each marked with its language; the page shows one of them.
    var html: String {
        "<span lang=\"en\">\(escaped(english))</span><span lang=\"zh-CN\">\(escaped(chinese))</span>"
    }
}

/// Escapes a text for any place in the page, including attributes. Invisible characters and those that
/// change the text's direction are shown by number.
func escaped(_ text: String) -> String {
    var html = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": html += "&amp;"
        case "<": html += "&lt;"
        case ">": html += "&gt;"
        case "\"": html += "&quot;"
        case "'": html += "&#39;"
        case _ where isHidden(scalar):
            html += "[U+\(String(scalar.value, radix: 16, uppercase: true))]"
        default: html.unicodeScalars.append(scalar)
        }
    }
    return html
}

/// Untrusted text, isolated so that it cannot change the direction of the text around it.
func foreign(_ text: String) -> String { "<bdi>\(escaped(text))</bdi>" }
