// SPDX-License-Identifier: Apache-2.0
package import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams
package import Recognition
package import VendorDocuments
internal import VendorTypes

/// What diagnosis needs from a payload without a key: where its sealed fields are, and its short strings.
package struct PayloadSurvey {
    /// A sealed field and the field that carries its key.
    package struct Pair {
        /// The name of the content's field.
        package let content: String
        /// The name of the wrapped key's field.
        package let wrappedKey: String
        /// The characters of the wrapped key; `nil` where it is absent or empty.
        package let wrappedKeyText: [UInt8]?
        /// Where the content's characters are; `nil` where it is absent.
        package let contentRange: Range<UInt64>?
        /// Where the wrapped key's characters are; `nil` where it is absent.
        package let wrappedKeyRange: Range<UInt64>?
        fileprivate let field: SealedField

        fileprivate init(_ field: SealedField, _ index: PayloadIndex) throws(EvidenceError) {
            self.field = field
            content = field.content.name
            wrappedKey = field.wrappedKey.name
            wrappedKeyText = try index.wrappedKey(of: field)
            contentRange = try index.value(field.content)?.range
            wrappedKeyRange = try index.value(field.wrappedKey)?.range
        }

        /// The positions of both.
        fileprivate var ranges: [Range<UInt64>] { [contentRange, wrappedKeyRange].compactMap { $0 } }
    }

    /// The video's pair if there is a video, else that of `identifyStr`.
    package let pair: Pair
    /// Whether there is no video, so that ``pair`` is that of `identifyStr`.
    package let isOfStatement: Bool
    /// The characters of the wrapped key that is not of ``pair``.
    package let otherWrappedKeyText: [UInt8]?
    /// Whether the wrapped key of ``pair`` is too long; then only its beginning is kept.
    package let isKeyOverlong: Bool
    /// The order number, whose form was checked.
    package let orderNo: String?
    /// Short strings beside the content.
    package let extras: [String: [UInt8]]
    /// Those of the result around the payload object, where no profile looks.
    package let outerExtras: [String: [UInt8]]
    /// The characters of `sign`, where a result has one.
    package let sign: [UInt8]?
    /// Whether there are such fields nested deeper, where they are not read.
    package let hasDeeperContent: Bool
    /// What was read although it is not the vendor's common spelling.
    package let repairs: [DocumentRepair]
    /// Where the photo's characters are; `nil` where it is absent.
    private let photoRange: Range<UInt64>?
    /// The payload, which can be read again.
    package let source: any ByteSource

    /// Reads all of a payload. One that comes through a pipe is spooled.
    ///
    /// - Throws: ``EvidenceError``.
    package init(_ payload: any ByteSource) throws(EvidenceError) {
        source = try payload.seekable()
        var reading = PayloadReading(extraFields: .allShort)
        let index = try reading.finish(source)
        let video = try Pair(.video, index)
        pair = video.contentRange != nil ? video : try Pair(.identifyString, index)
        otherWrappedKeyText = try index.wrappedKey(of: pair.field == .video ? .identifyString : .video)
        isKeyOverlong = index.overlongFields.contains(pair.field.wrappedKey)
        isOfStatement = video.contentRange == nil && pair.contentRange != nil
        repairs = index.repairs
        hasDeeperContent = index.hasDeeper(.userVideoString)
        orderNo = try index.orderNumber()?.value
        let object = try index.payloadObject()
        extras = index.extras[object] ?? [:]
        outerExtras = object == .top ? [:] : index.extras[.top] ?? [:]
        sign = index.extras[.top]?["sign"]
        photoRange = try index.photo()?.range
    }

    /// The vendor's name of the field that a name is, or that it is like.
    package static func field(like name: [UInt8]) -> String? {
        PayloadField(name: name)?.name ?? PayloadField.lookAlike(name)
    }

    /// Passes the characters of the content to `body`, unescaped. All pieces but the last have 16 KiB or more: each
    /// escaped character would be a piece otherwise, and a piece costs as much as thousands of characters.
    package func readContent(_ body: (Span<UInt8>) throws(EvidenceError) -> Void) throws(EvidenceError) {
        guard let range = pair.contentRange else { return }
        var held: [UInt8] = []
        try source.forEachRun(ofStringAt: range) { run throws(EvidenceError) in
            held.append(run)
            guard held.count >= 1 << 14 else { return }
            try body(held.span)
            held.removeAll(keepingCapacity: true)
        }
        if !held.isEmpty { try body(held.span) }
    }

    /// What the photo is instead of base64, or its bytes instead of a JPEG or PNG, where that shows.
    package func photoForm() throws(EvidenceError) -> FieldForm? {
        guard let photoRange else { return nil }
        var beginning = TextBeginning()
        try source.forEachRun(ofStringAt: photoRange) { run throws(EvidenceError) in beginning.append(run) }
        return beginning.form(insteadOf: .base64)
    }

    /// Passes the characters of a string at a known position to `body`, unescaped.
    package static func readString(
        _ source: any ByteSource, at range: Range<UInt64>, _ body: (Span<UInt8>) throws(EvidenceError) -> Void
    ) throws(EvidenceError) {
        try source.forEachRun(ofStringAt: range, body)
    }

    /// Whether all of the pair opens under a profile, in the library's ordinary way.
    ///
    /// - Parameter destination: must withhold what it gets. It is not finished if the answer is no.
    /// - Throws: ``EvidenceError`` if the system failed; then there is no answer.
    ///
    /// Chunks have reached the destination up to the first damaged one.
    package func opens(
        with key: any DecryptionKey, sealedAs profile: Profile, iv: [UInt8]?,
        into destination: any ByteDestination
    ) throws(EvidenceError) -> Bool {
        try opens(into: destination) { () throws(EvidenceError) in FieldOpening([key], try Envelope(profile, iv: iv)) }
    }

    /// Whether the content is one of `evidence-v2` that commits to the key that was wrapped.
    ///
    /// - Throws: ``EvidenceError`` if the system failed; then there is no answer.
    package func commits(to key: any DecryptionKey) throws(EvidenceError) -> Bool {
        var opening = FieldOpening([key])
        opening.isCommitmentEnough = true
        return try opens(into: DiscardingDestination()) { opening }
    }

    private func opens(
        into destination: any ByteDestination, _ opening: () throws(EvidenceError) -> FieldOpening
    ) throws(EvidenceError) -> Bool {
        do throws(EvidenceError) {
            let opening = try opening()
            let manner = FieldExtraction.Manner(canReread: true, releasesChunks: true)
            _ = try PayloadReceiver(.sealed(pair.field, opening), into: destination, manner).take(source)
            return true
        } catch {
            guard error.code.isSystem else { return false }
            throw error
        }
    }

    /// What a tag covers under a rule; nothing if it needs an order number and there is none.
    package func aad(_ rule: Profile.AADRule) -> [UInt8] {
        (try? Envelope.aad(rule, pair.field, OrderNumber(orderNo ?? ""))) ?? []
    }

    /// Copies the payload with its two strings and the photo changed; every other byte is kept.
    ///
    /// - Parameters:
    ///   - change: called for each of them; takes its characters in pieces, then `nil`, and appends the replacement
    ///     for them. It must not make characters that JSON escapes.
    package func copy(
        into destination: any ByteDestination, changing change: () -> (Span<UInt8>?, inout [UInt8]) -> Void
    ) throws(EvidenceError) {
        let ranges = (pair.ranges + [photoRange].compactMap(\.self)).sorted { $0.lowerBound < $1.lowerBound }
        var position: UInt64 = 0
        for range in ranges + [(source.size ?? 0)..<(source.size ?? 0)] {
            try copy(position..<range.lowerBound, into: destination)
            position = range.upperBound
            guard !range.isEmpty else { continue }
            let changing = change()
            var text: [UInt8] = []
            try source.forEachRun(ofStringAt: range) { piece throws(EvidenceError) in
                changing(piece, &text)
                // An escape, such as a line's end, makes a piece of its own: not each is worth a write.
                if text.count >= chunkByteCount { try destination.take(&text) }
            }
            changing(nil, &text)
            try destination.take(&text)
        }
        try destination.finish()
    }

    private func copy(_ range: Range<UInt64>, into destination: any ByteDestination) throws(EvidenceError) {
        try source.seek(to: range.lowerBound)
        var left = range.upperBound - range.lowerBound
        guard left > 0 else { return }
        try source.forEachChunk { chunk throws(EvidenceError) in
            let count = Int(min(UInt64(chunk.count), left))
            try destination.write(chunk.extracting(..<count))
            left -= UInt64(count)
            return left > 0
        }
    }
}
