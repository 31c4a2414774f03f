// SPDX-License-Identifier: Apache-2.0

/// The header fields that mean something here. Each is checked when it is used: what a request carries besides, for a
/// proxy for example, is left alone.
struct HeadFields: Sendable {
    /// By their names in lower case: whether each may occur once only.
    private static let used: [String: Bool] = [
        "host": true, "content-length": true, "transfer-encoding": false, "content-type": true, "authorization": true,
        "evidence-iv": true, "accept": false, "expect": false, "content-encoding": false, "origin": false,
        "sec-fetch-site": false,
    ]

    private var lines: [String: [String]] = [:]

    /// - Throws: ``Problem`` for a field, used or not, that some readers take for more than one, or for none.
    init(_ fields: [(name: [UInt8], value: [UInt8])]) throws(Problem) {
        for (name, value) in fields {
            try Self.checkForm(name, value)
            let key = String(decoding: name, as: UTF8.self).lowercased()
            guard Self.used[key] != nil else { continue }
            lines[key, default: []].append(Self.trimmed(value))
        }
        // Of an empty line and another one, some readers take the first, and others the one that says something.
        for (key, values) in lines where values.count > 1 && values.contains("") {
            throw Problem.malformed("the header \(key) occurs twice, once without a value")
        }
    }

    /// Whether there is such a field.
    func has(_ name: String) -> Bool { lines[name.lowercased()] != nil }

    /// The value of a field that may occur once.
    ///
    /// - Throws: ``Problem`` for a second one, and for what is not ASCII.
    func one(_ name: String) throws(Problem) -> String? {
        guard lines[name.lowercased()]?.count ?? 1 == 1 else {
            throw Problem.malformed("the header \(name) occurs twice")
        }
        return try text(name)
    }

    /// The elements of a list (RFC 9110 §5.6.1), of all of its lines, that are not empty, in lower case.
    ///
    /// - Throws: ``Problem`` for what is not ASCII.
    func elements(_ name: String) throws(Problem) -> [String] {
        (try text(name) ?? "").lowercased().split(separator: ",").map(Self.trimmed).filter { !$0.isEmpty }
    }

    private func text(_ name: String) throws(Problem) -> String? {
        guard let text = lines[name.lowercased()]?.joined(separator: ",") else { return nil }
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw Problem.malformed("the header \(name) is not ASCII")
        }
        return text
    }

    /// Trailers are not read. Those that could contradict the head are refused, by their names.
    static func check(trailers: [[UInt8]]) throws(Problem) {
        for name in trailers {
            let name = String(decoding: name, as: UTF8.self), key = name.lowercased()
            guard used[key] != true, key != "transfer-encoding" else {
                throw Problem.malformed("the header \(name) comes after the body")
            }
        }
    }

    static func trimmed(_ text: Substring) -> String { trimmed(Array(text.utf8)) }

    private static func trimmed(_ value: [UInt8]) -> String {
        var value = value[...]
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        return String(decoding: value.drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }

    private static func checkForm(_ name: [UInt8], _ value: [UInt8]) throws(Problem) {
        // RFC 9110 §5.6.2. An empty name, or a blank before the colon, hides a field from other readers.
        guard !name.isEmpty, name.allSatisfy(isNameByte) else {
            throw Problem.malformed("the name of a header contains a character that is not allowed")
        }
        // A line break in a value is a folded line; some readers cut a value at NUL and other control characters.
        guard value.allSatisfy(isValueByte) else {
            throw Problem.malformed(
                "the header \(String(decoding: name.prefix(64), as: UTF8.self)) has a control character")
        }
    }

    static func isValueByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
