// SPDX-License-Identifier: Apache-2.0
internal import DeviceSignature
public import EvidenceErrors
public import EvidenceStreams
public import ResultCheck
public import VendorTypes

/// What became of a result that was to be archived.
public struct ArchivedResult: Sendable {
    /// Its record, which is on the disk; `nil` where the result was refused and is not kept.
    public let record: RecordID?
    /// What the check found.
    public let answer: CheckAnswer
}

/// A result that was checked and sealed, and is no record yet.
public struct PreparedResult {
    let builder: RecordBuilder?
    /// What the check found.
    public let answer: CheckAnswer
    /// The record that it will be; `nil` where the result was refused and is not kept.
    public var record: RecordID? { builder?.id }
}

extension ArchiveWriter {
    /// Checks a result and archives, out of the same pass, what was checked: the document as it was received, the
    /// report, and of photo, video, statement and the device's manifest those that hold.
    ///
    /// Threads that do this at the same time share the syncs.
    ///
    /// - Parameters:
    ///   - source: the result, as it was received.
    ///   - checker: what to check it with, and for which order.
    ///   - keepingRefused: whether a result that is refused, or not wholly checked, is kept as well: the document, its
    ///     outline and the report, nothing that was opened.
    ///   - enclosed: what else goes into the record: the vendor's answer, which is compared with the result, other
    ///     files, and of whom it is.
    ///   - until: the first day on which the record may go; `nil` for none.
    ///   - faceUntil: the first day on which its face may go; `nil` for none.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: `.unsuitableKey` where a key of the checker is the archive's, what
    ///   `ResultChecker.check` throws, `.otherOrder` for an answer about another order, or where the archive cannot be
    ///   written.
    public func append(
        _ source: any ByteSource, checkedBy checker: ResultChecker, keepingRefused: Bool = false,
        enclosing enclosed: RecordEnclosures = RecordEnclosures(), until: ArchiveDay? = nil,
        faceUntil: ArchiveDay? = nil, at now: UTCTime
    ) throws(EvidenceError) -> ArchivedResult {
        let prepared = try prepare(
            source, checkedBy: checker, keepingRefused: keepingRefused, enclosing: enclosed, until: until,
            faceUntil: faceUntil, at: now)
        if let builder = prepared.builder { try commit(builder) }
        return ArchivedResult(record: prepared.record, answer: prepared.answer)
    }

    /// The same as far as nothing is on the disk for good: ``commit(_:)`` makes records of several, which share the
    /// syncs. What is not committed is swept away.
    ///
    /// - Throws: ``EvidenceError`` as ``append(_:checkedBy:keepingRefused:enclosing:until:faceUntil:at:)``.
    public func prepare(
        _ source: any ByteSource, checkedBy checker: ResultChecker, keepingRefused: Bool = false,
        enclosing enclosed: RecordEnclosures = RecordEnclosures(), until: ArchiveDay? = nil,
        faceUntil: ArchiveDay? = nil, at now: UTCTime
    ) throws(EvidenceError) -> PreparedResult {
        try requireOtherKeys(checker)
        let record = try newRecord()
        var (checker, enclosed) = (checker, enclosed)
        if let answer = enclosed.answer {
            checker.answer = try record.add(answer: answer, about: checker.orderNo)
            enclosed.answer = nil
        }
        var parts: [CheckPart: any ByteDestination] = [:]
        for part in CheckPart.allCases where part != .report && part != .result {
            parts[part] = try record.part(part.fileName)
        }
        let document = OutlinedDocument(try record.part(RecordPart.result))
        parts[.result] = document
        let receiver = try checker.receiver(of: source, keeping: .destinations(parts))
        let answer = try receiver.conclude(reading: source)
        try receiver.release(answer)
        let report = answer.reportForKeyHolder
        if report.verdict != .holds {
            guard keepingRefused else { return PreparedResult(builder: nil, answer: answer) }
            try document.finish()
        }
        try record.add(RecordPart.report, Array(report.json.utf8))
        if let outline = try document.outline() { try record.add(RecordPart.outline, outline) }
        try record.add(enclosed, toEvidenceOf: report.orderNo)
        if report.verdict == .holds {
            let keys: [(CheckItem.Name, CheckPart, String)] = [
                (.video, .video, RecordPart.videoKey), (.statement, .statement, RecordPart.statementKey),
            ]
            for (item, part, name) in keys where report[item]?.state == .holds {
                try receiver.withUnwrappedKey(of: part) { bytes throws(EvidenceError) in
                    let sealer = try record.part(name)
                    try sealer.write(bytes)
                    try sealer.finish()
                }
            }
        }
        if report.verdict == .holds, case .signed(let signed) = report.device {
            try record.add(RecordPart.deviceManifest, signed.manifest.json)
            try record.add(RecordPart.deviceKey, signed.key.der())
        }
        try record.finish(until: until, faceUntil: faceUntil, at: now, for: recordKey)
        return PreparedResult(builder: record, answer: answer)
    }

    /// Refuses a key for payloads that is the archive's: what opens one would open the other.
    private func requireOtherKeys(_ checker: ResultChecker) throws(EvidenceError) {
        let archiveKey = recordKey
        for key in (checker.videoKeys + checker.comparingKeys).map(\.publicKey)
        where key.fingerprint == archive.description.keyID || key.sharesModulus(with: archiveKey) {
            throw EvidenceError(
                .unsuitableKey, "a key that opens payloads is the archive's",
                hint: "use another key for each purpose")
        }
    }
}

/// The document of a result on its way into its part, and into its outline.
private final class OutlinedDocument: ByteDestination {
    let isWithheldUntilFinished = true
    private let sealer: PartSealer
    private var outliner = DocumentOutline()

    init(_ sealer: PartSealer) { self.sealer = sealer }

    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        try sealer.write(bytes)
        try outliner.append(bytes)
    }

    func finish() throws(EvidenceError) { try sealer.finish() }

    /// Nothing, as ``PartSealer/abandon()``: a refused result may be kept after all.
    func abandon() {}

    /// `nil` where the document has none.
    func outline() throws(EvidenceError) -> [UInt8]? { try outliner.finish() }
}
