// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import VendorDocuments
internal import VendorTypes

/// What reading a document to its end showed about its video, in a file beside it, so that the next process need not
/// read it again: `docs/FORMATS.md` §8.4.
///
/// It is believed only of a document that is unchanged, for the same policy of reading, and where nobody else can have
/// written it. Even a false one opens nothing that the key and the order do not open.
struct VideoIndex {
    static let schema = "evidence-video-index-1"
    let payload: PayloadIndex
    private let state: FileState
    private let policy: String

    /// - Parameters:
    ///   - payload: what was found, whose video has no escaped character.
    ///   - state: that of the document, before it was read and after.
    ///   - repairs: what was read as the vendor's spelling.
    init(_ payload: PayloadIndex, of state: FileState, accepting repairs: Set<DocumentRepair.Code>) {
        (self.payload, self.state, policy) = (payload, state, Self.policy(repairs))
    }

    /// The payload's part that opening a range needs, from the file at a path; `nil` where there is none that can be
    /// believed.
    ///
    /// - Throws: ``EvidenceError``: `.value` for another file than an index, or `.cannotRead`.
    static func payload(
        at path: String, of state: FileState, accepting repairs: Set<DocumentRepair.Code>
    ) throws(EvidenceError) -> PayloadIndex? {
        guard try FileIdentity(ofFileAt: path) != nil else { return nil }
        let file = try FileSource(regularFileAt: path)
        let bytes: [UInt8]
        let members: JSONMembers
        do throws(EvidenceError) {
            bytes = try file.readAll(limit: Limits.videoIndexBytes, name: path)
            members = try JSONMembers(bytes)
            guard try members.text("schema") == schema else { throw EvidenceError(.type, stream: path) }
        } catch {
            if error.code == .cannotRead { throw error }
            throw EvidenceError(
                .value, "\(printable(path)) is not an index of a video: it is not replaced",
                hint: "name a file that is not there yet")
        }
        guard try file.isOnlyOurs() else { return nil }
        do throws(EvidenceError) {
            guard try members.text("document") == state.text, try members.text("accepting") == policy(repairs) else {
                return nil
            }
            return try PayloadIndex(members)
        } catch { return nil }
    }

    private static func policy(_ repairs: Set<DocumentRepair.Code>) -> String {
        repairs.map(\.rawValue).sorted().joined(separator: ",")
    }

    /// Writes it, in the place of an earlier one.
    func write(to path: String) throws(EvidenceError) {
        let members: [(String, JSONValue)] = [
            ("schema", .text(Self.schema)), ("document", .text(state.text)), ("accepting", .text(policy)),
        ]
        let json = Array(JSONValue.object(members + (try payload.videoMembers())).json.utf8)
        let file = try WholeFile(path: path, replacing: true)
        try file.write(json.span)
        try file.finish()
    }
}

extension PayloadIndex {
    /// What opening a range needs, as members of an index.
    fileprivate func videoMembers() throws(EvidenceError) -> [(String, JSONValue)] {
        let range = try sealedContent(of: .video).range
        let key = try wrappedKey(of: .video).map { String(decoding: $0, as: UTF8.self) }
        return [
            ("orderNo", JSONValue(try orderNumber()?.value)), ("start", .number(range.lowerBound)),
            ("end", .number(range.upperBound)), ("wrappedKey", JSONValue(key)), ("keyId", JSONValue(try keyHint())),
            (
                "repairs",
                .list(repairs.map { .text("\($0.code.rawValue) \($0.offset) \($0.vendorName ?? "-") \($0.path)") })
            ),
        ]
    }

    /// - Throws: ``EvidenceError`` where that is not what an index has.
    fileprivate init(_ members: JSONMembers) throws(EvidenceError) {
        self.init()
        guard let order = try members.text("orderNo"), let key = try members.text("wrappedKey"),
            let start = try members.integer("start"), let end = try members.integer("end"), start >= 0, end - start >= 4
        else { throw EvidenceError(.missing, "the index is incomplete") }
        add(.orderNo, Value(range: 0..<0, text: Array(order.utf8)), in: .top)
        add(.videoEncryptAESKey, Value(range: 0..<0, text: Array(key.utf8)), in: .top)
        add(.userVideoString, Value(range: UInt64(start)..<UInt64(end), text: []), in: .top)
        if let hint = try members.text("keyId") { add(keyHint: hint, at: 0..<0, in: .top) }
        for text in try members.list("repairs") ?? [] {
            let words = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
            guard words.count == 4, let code = DocumentRepair.Code(rawValue: words[0]), let offset = UInt64(words[1])
            else { throw EvidenceError(.value, "the index has an unknown repair") }
            repairs.append(
                DocumentRepair(code: code, path: words[3], offset: offset, vendorName: words[2] == "-" ? nil : words[2])
            )
        }
        try check()
    }
}
