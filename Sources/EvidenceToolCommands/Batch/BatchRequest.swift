// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit

/// One line of a batch as it was read: `docs/BATCH.md`.
struct BatchRequest {
    /// What a request may have besides its id.
    enum Member: String, CaseIterable, Sendable {
        case input = "in"
        case inline, out, order, user, sign, values
    }

    /// The id as it is written, `null` where there is none.
    private(set) var id: String?
    private var texts: [Member: [UInt8]] = [:]
    private(set) var values: [SignAssignment] = []

    subscript(_ member: Member) -> String? {
        texts[member].map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of a text, to be decoded.
    func bytes(_ member: Member) -> [UInt8]? { texts[member] }

    func required(_ member: Member) throws(BatchFault) -> String {
        guard let text = self[member] else { throw BatchFault(member, "it is missing") }
        return text
    }

    func orderNumber() throws(BatchFault) -> OrderNumber? {
        guard let text = self[.order] else { return nil }
        do throws(EvidenceError) { return try OrderNumber(text) } catch { throw BatchFault(.order, "\(error)") }
    }

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - members: those that the operation knows. Any other is refused: it was meant to say something.
    ///   - fault: what is wrong with a line that is one JSON object, once its id is known.
    /// - Throws: ``BatchFault`` for a line that is no such object; nothing of it is echoed.
    init(_ line: [UInt8], knowing members: [Member], fault: inout BatchFault?) throws(BatchFault) {
        var reader = Reader(members)
        do throws(EvidenceError) { try reader.read(line) } catch {
            throw BatchFault(.request, "not-a-request", "\(error)")
        }
        (id, texts, values) = (reader.id, reader.texts, reader.values)
        fault = reader.fault
    }

    private struct Reader: ~Copyable {
        private let known: [Member]
        private(set) var id: String?
        private(set) var texts: [Member: [UInt8]] = [:]
        private(set) var values: [SignAssignment] = []
        /// The first thing that is wrong, with the document read on to its end.
        private(set) var fault: BatchFault?

        private var scanner = JSONScanner()
        /// What the value is of that comes next.
        private var place = Place.outside
        /// Where the last name at the outermost level ends.
        private var nameEnd = 0
        private var valueName = ""
        private var text: [UInt8] = []

        private enum Place: Equatable {
            case outside, id, unknown
            case member(Member)
        }

        init(_ known: [Member]) { self.known = known }

        mutating func read(_ line: [UInt8]) throws(EvidenceError) {
            var position = 0
            while true {
                let token = try scanner.next(in: line.span, at: &position)
                if token == .needsInput { break }
                switch token {
                case .name, .beginObject, .endObject: break
                default:
                    if place == .outside { throw EvidenceError(.json, "a request is one JSON object") }
                }
                try take(token, line)
            }
            try scanner.finish()
        }

        private mutating func take(_ token: JSONToken, _ line: [UInt8]) throws(EvidenceError) {
            switch token {
            case .name(let name): begin(name)
            case .beginString: text.removeAll(keepingCapacity: true)
            case .text(let range): text += line[range]
            case .byte, .scalar: token.withText(in: line.span) { run in for i in run.indices { text.append(run[i]) } }
            case .stringEnd: endOfText(line)
            case .number, .bool, .null: endOfWord(line)
            case .beginObject, .beginArray: beginContainer(token)
            case .endObject, .endArray, .needsInput: break
            }
        }

        private mutating func begin(_ name: [UInt8]) {
            guard scanner.depth == 1 else {
                valueName = String(decoding: name, as: UTF8.self)
                return
            }
            nameEnd = Int(scanner.offset)
            let name = String(decoding: name, as: UTF8.self)
            if name == "id" {
                place = .id
            } else if let member = Member(rawValue: name), known.contains(member) {
                place = .member(member)
            } else {
                place = .unknown
                report(BatchFault(.request, "bad-member", "it has a member that this operation does not know"))
            }
        }

        private mutating func beginContainer(_ token: JSONToken) {
            switch (place, scanner.depth) {
            case (.outside, _), (.unknown, _): break
            case (.member(.values), 2) where token == .beginObject: break
            case (.member(let member), _): report(BatchFault(member, "it is of a wrong type"))
            case (.id, _): report(BatchFault(.request, "bad-member", "id is an object or an array"))
            }
        }

        private mutating func endOfText(_ line: [UInt8]) {
            switch (place, scanner.depth) {
            case (.id, 1): keepID(line)
            case (.member(.values), 2):
                values.append(SignAssignment(name: valueName, value: String(decoding: text, as: UTF8.self)))
            case (.member(let member), 1) where member != .values: texts[member] = text
            case (.member(let member), _): report(BatchFault(member, "it is of a wrong type"))
            default: break
            }
        }

        private mutating func endOfWord(_ line: [UInt8]) {
            switch (place, scanner.depth) {
            case (.id, 1): keepID(line)
            case (.member(let member), _): report(BatchFault(member, "it is of a wrong type"))
            default: break
            }
        }

        /// As it is written: a number in another program's hands would be another number.
        private mutating func keepID(_ line: [UInt8]) {
            let blanks: [UInt8] = [0x20, 0x09, 0x0D, UInt8(ascii: ":")]
            let written = line[nameEnd..<Int(scanner.offset)].drop { blanks.contains($0) }
            guard written.count <= Limits.batchIdBytes else {
                report(BatchFault(.request, "bad-member", "id has more than \(Limits.batchIdBytes) bytes"))
                return
            }
            id = String(decoding: written, as: UTF8.self)
        }

        private mutating func report(_ fault: BatchFault) {
            if self.fault == nil { self.fault = fault }
        }
    }
}
