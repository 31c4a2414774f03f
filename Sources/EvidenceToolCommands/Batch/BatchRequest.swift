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
        let object: JSONMembers
        do throws(EvidenceError) { object = try JSONMembers(line) } catch {
            throw BatchFault(.request, "not-a-request", "\(error)")
        }
        for member in object.all {
            do throws(BatchFault) { try take(member, line, members) } catch {
                if fault == nil { fault = error }
            }
        }
    }

    private mutating func take(
        _ member: (name: String, content: JSONMembers.Content, range: Range<Int>), _ line: [UInt8], _ known: [Member]
    ) throws(BatchFault) {
        if member.name == "id" { return try keepID(member.content, line[member.range]) }
        guard let place = Member(rawValue: member.name), known.contains(place) else {
            throw BatchFault(.request, "bad-member", "it has a member that this operation does not know")
        }
        switch (place, member.content) {
        case (.values, .texts(let texts)): values = texts.map { SignAssignment(name: $0.name, value: $0.value) }
        case (.values, _): throw BatchFault(place, "it is of a wrong type")
        case (_, .text(let text)): texts[place] = text
        default: throw BatchFault(place, "it is of a wrong type")
        }
    }

    /// As it is written: a number in another program's hands would be another number.
    private mutating func keepID(_ content: JSONMembers.Content, _ written: ArraySlice<UInt8>) throws(BatchFault) {
        switch content {
        case .text, .number, .bool, .null: break
        case .texts, .list, .other: throw BatchFault(.request, "bad-member", "id is an object or an array")
        }
        guard written.count <= Limits.batchIdBytes else {
            throw BatchFault(.request, "bad-member", "id has more than \(Limits.batchIdBytes) bytes")
        }
        id = String(decoding: written, as: UTF8.self)
    }
}
