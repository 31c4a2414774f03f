// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import VendorTypes

/// One parsed line of a batch: `docs/BATCH.md`.
struct BatchRequest {
    /// The possible members of a request.
    enum Member: String, CaseIterable, Sendable {
        case id
        case input = "in"
        case inline, out, order, user, sign, values
    }

    /// The id as written; `null` if there is none.
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
    ///   - members: the operation's members besides the id. Unknown ones are refused.
    ///   - fault: what is wrong with a line whose id is known.
    /// - Throws: ``BatchFault`` for a line that is not a JSON object; nothing of it is echoed.
    init(_ line: [UInt8], knowing members: [Member], fault: inout BatchFault?) throws(BatchFault) {
        let object: JSONMembers
        do throws(EvidenceError) {
            var excess: EvidenceError?
            object = try JSONMembers(line, upTo: &excess)
            // Up to the limit it is JSON, and an id before it is valid.
            fault = excess.map { BatchFault(.request, "not-a-request", "\($0)") }
        } catch { throw BatchFault(.request, "not-a-request", "\(error)") }
        guard !Self.isDocument(object.all.map(\.name)) else {
            throw BatchFault(
                .request, "not-a-request", "the line is a document, not a request for one",
                hint: "put it into a request, in base64: jq -Rc '{id: input_line_number, inline: @base64}' DOCUMENTS > "
                    + "REQUESTS; with the members that this operation needs besides")
        }
        var seen: Set<Member> = []
        for member in object.all {
            do throws(BatchFault) { try take(member, line, members, &seen) } catch {
                if fault == nil { fault = error }
            }
        }
    }

    /// Whether the names are those of a payload, a result or an answer, and none is a request's alone.
    private static func isDocument(_ names: [String]) -> Bool {
        let ofRequest = [Member.id, .input, .inline, .out, .values].map(\.rawValue)
        return !names.contains(where: ofRequest.contains) && names.contains(where: documentNames.contains)
    }

    private static let documentNames = Set(
        (FieldName.ofResult + FieldName.ofAnswer + FieldName.ofPayloadAlone).flatMap(\.all)
            + FieldName.envelopes.map(\.carrier)
    ).subtracting(Member.allCases.map(\.rawValue))

    private mutating func take(
        _ member: (name: String, content: JSONMembers.Content, range: Range<Int>), _ line: [UInt8], _ known: [Member],
        _ seen: inout Set<Member>
    ) throws(BatchFault) {
        guard let place = Member(rawValue: member.name), place == .id || known.contains(place) else {
            throw BatchFault(
                .request, "bad-member",
                (mayBeRepeated(member.name, as: .name)
                    ? "unknown member '\(member.name)'" : "unknown member \(notRepeated)")
                    + "; this operation knows: " + ([.id] + known).map(\.rawValue).joined(separator: ", "))
        }
        guard seen.insert(place).inserted else {
            // With two ids, it is unknown which is meant.
            if place == .id { id = nil }
            throw BatchFault(place, "it appears twice")
        }
        if place == .id { return try keepID(member.content, line[member.range]) }
        switch (place, member.content) {
        case (.values, .texts(let texts)): values = texts.map { SignAssignment(name: $0.name, value: $0.value) }
        case (.values, _): throw BatchFault(place, "it has the wrong type")
        case (_, .text(let text)): texts[place] = text
        default:
            throw BatchFault(
                place, "it has the wrong type", hint: "write it as a text, in quotation marks (SQL: CAST(x AS TEXT))")
        }
    }

    /// As written: another program could change the number.
    private mutating func keepID(_ content: JSONMembers.Content, _ written: ArraySlice<UInt8>) throws(BatchFault) {
        let quotationMarks: Int
        switch content {
        case .text: quotationMarks = 2
        case .number, .bool, .null: quotationMarks = 0
        case .texts, .list, .other: throw BatchFault(.id, "it is an object or an array")
        }
        guard written.count - quotationMarks <= Limits.batchIdBytes else {
            throw BatchFault(.id, "it has more than \(Limits.batchIdBytes) bytes")
        }
        id = String(decoding: written, as: UTF8.self)
    }
}
