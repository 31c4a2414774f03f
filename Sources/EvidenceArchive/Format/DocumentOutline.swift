// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors

/// What stays of a document when its face must go: the document byte for byte, with size and SHA-256 in place of each
/// long string: `docs/ARCHIVE.md` §1.2.
package struct DocumentOutline: ~Copyable {
    private var scanner = JSONScanner()
    /// `nil` once it is known that the document has no outline.
    private var outline: [UInt8]? = []
    /// How many values each open array has; `nil` for an object.
    private var open: [Int?] = []
    private var next = Value.other
    private var string: OpenString?
    /// Of that string, once it is sure to be replaced.
    private var digester: Digester?

    /// What the member of the last name is.
    private enum Value {
        case other
        /// Replaced at any length.
        case media
        /// Never replaced.
        case deviceSignature
    }

    /// A string value whose end did not come yet.
    private struct OpenString {
        let value: Value
        /// As it is written; empty once it is sure to be replaced.
        var raw: [UInt8] = []
        var text: [UInt8] = []
        var byteCount: UInt64 = 0

        var isReplaced: Bool {
            switch value {
            case .other: byteCount > UInt64(Limits.outlineStringBytes)
            case .media: true
            case .deviceSignature: false
            }
        }
    }

    /// Names of members whose strings are replaced at any length.
    private static let media = ["userImageString", "userVideoString", "identifyStr"].map { Array($0.utf8) }
    private static let deviceSignature = Array("deviceSignature".utf8)

    package init() {}

    /// The next bytes of the document.
    ///
    /// - Throws: ``EvidenceError`` where the system fails.
    package mutating func append(_ chunk: Span<UInt8>) throws(EvidenceError) {
        var (position, start) = (0, 0)
        while outline != nil {
            let token: JSONToken
            do throws(EvidenceError) { token = try scanner.next(in: chunk, at: &position) } catch {
                if error.code.isSystem { throw error }
                outline = nil
                return
            }
            try take(token, chunk, start..<position)
            start = position
            if token == .needsInput { return }
        }
    }

    /// The outline, after the last byte; `nil` where the document has none.
    ///
    /// - Throws: ``EvidenceError`` where the system fails.
    package mutating func finish() throws(EvidenceError) -> [UInt8]? {
        do throws(EvidenceError) {
            // What only the end of the document completes is a number, so the document is no object.
            if try scanner.finish() != .needsInput { outline = nil }
        } catch {
            if error.code.isSystem { throw error }
            outline = nil
        }
        return outline
    }

    /// - Parameter range: what was read for the token.
    private mutating func take(
        _ token: JSONToken, _ chunk: Span<UInt8>, _ range: Range<Int>
    ) throws(EvidenceError) {
        if string != nil { return try takeInString(token, chunk, range) }
        switch token {
        case .name(let name):
            next = Self.media.contains(name) ? .media : name == Self.deviceSignature ? .deviceSignature : .other
        case .beginString:
            countValue(token)
            // The quotation mark is a part of what may be replaced.
            add(chunk, range.lowerBound..<range.upperBound - 1)
            string = OpenString(value: next, raw: [UInt8(ascii: "\"")])
            next = .other
            return
        case .beginObject, .beginArray:
            countValue(token)
            open.append(token == .beginArray ? 0 : nil)
            next = .other
        case .endObject, .endArray: _ = open.popLast()
        case .number, .bool, .null:
            countValue(token)
            next = .other
        case .text, .byte, .scalar, .stringEnd, .needsInput: break
        }
        add(chunk, range)
    }

    private mutating func countValue(_ token: JSONToken) {
        guard let last = open.indices.last else {
            // The document is an object.
            if token != .beginObject { outline = nil }
            return
        }
        guard let count = open[last] else { return }
        open[last] = count + 1
        if count + 1 > Limits.outlineArrayValues { outline = nil }
    }

    private mutating func takeInString(
        _ token: JSONToken, _ chunk: Span<UInt8>, _ range: Range<Int>
    ) throws(EvidenceError) {
        guard var string = self.string.take() else { return }
        let isDigesting = digester != nil
        if !isDigesting {
            for index in range { string.raw.append(chunk[index]) }
        }
        token.withText(in: chunk) { run in
            string.byteCount += UInt64(run.count)
            if isDigesting {
                digester?.append(run)
            } else if string.value != .deviceSignature {
                for index in run.indices { string.text.append(run[index]) }
            }
        }
        if string.isReplaced, !isDigesting {
            var started = try Digester(.sha256)
            started.append(string.text.span)
            digester = consume started
            (string.raw, string.text) = ([], [])
        }
        if string.raw.count > Limits.outlineBytes { outline = nil }
        guard token == .stringEnd else {
            self.string = string
            return
        }
        if let digester = digester.take() {
            let digest = try digester.finalize()
            let text = "{\"byteCount\":\(string.byteCount),\"sha256\":\"\(Hex.encode(digest.span))\"}"
            outline?.append(contentsOf: text.utf8)
        } else {
            outline?.append(contentsOf: string.raw)
        }
        if let count = outline?.count, count > Limits.outlineBytes { outline = nil }
    }

    private mutating func add(_ chunk: Span<UInt8>, _ range: Range<Int>) {
        guard let count = outline?.count, count + range.count <= Limits.outlineBytes else {
            outline = nil
            return
        }
        for index in range { outline?.append(chunk[index]) }
    }
}
