// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidencePage

extension FuzzTarget {
    /// The page of a report: whatever its texts are, they add no element and no attribute to it.
    static let page = FuzzTarget(name: "page") { bytes in
        guard let page = try? EvidencePage(report: bytes.span) else { return }
        let destination = MemoryDestination()
        try page.write(to: destination)
        try destination.finish()
        let html = String(decoding: destination.bytes, as: UTF8.self)
        try hold(html.utf8.count == destination.bytes.count, "a page is UTF-8")
        var elements: [Substring: Int] = [:]
        for element in html.split(separator: "<").dropFirst() {
            elements[element.prefix { $0.isLetter || $0 == "/" || $0 == "!" }, default: 0] += 1
        }
        try hold(
            elements["script"] == 1 && elements["style"] == 1 && elements["meta"] == 4, "a page has its own script")
        try hold(Set(elements.keys).isSubset(of: known), "a page has its own elements: \(elements.keys)")
        let hidden = html.unicodeScalars.contains { $0.properties.generalCategory == .format }
        try hold(!hidden, "nothing turns the text around")
    }

    private static let known: Set<Substring> = Set(
        [
            "html", "head", "title", "style", "body", "label", "main", "h", "p", "span", "div", "table", "thead",
            "tbody", "tr", "th", "td", "ul", "li", "dl", "dt", "dd", "code", "pre", "bdi", "strong", "template",
            "noscript", "script",
        ].flatMap { [Substring($0), "/" + Substring($0)] } + ["!doctype", "meta", "input", "br"])
}
