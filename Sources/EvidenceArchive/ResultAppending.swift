// SPDX-License-Identifier: Apache-2.0
internal import DeviceSignature
public import EvidenceErrors
public import EvidenceStreams
public import SimpleMode
public import VendorTypes

/// What became of a result that was to be archived.
public struct ArchivedResult: Sendable {
    /// Its record, which is on the disk; `nil` where the result was refused and is not kept.
    public let record: RecordID?
    /// What the check found.
    public let answer: CheckAnswer
}

/// A result that was checked and sealed, and is no record yet.
package struct PreparedResult {
    package let record: RecordBuilder?
    package let answer: CheckAnswer

    package var archived: ArchivedResult { ArchivedResult(record: record?.id, answer: answer) }
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
    ///   - keepingRefused: whether a result that is refused, or not wholly checked, is kept as well: the document and
    ///     the report, nothing that was opened.
    ///   - now: the current time.
    /// - Throws: ``EvidenceError``: what `ResultChecker.check` throws, or where the archive cannot be written.
    public func append(
        _ source: any ByteSource, checkedBy checker: ResultChecker, keepingRefused: Bool = false, at now: UTCTime
    ) throws(EvidenceError) -> ArchivedResult {
        let prepared = try prepare(source, checkedBy: checker, keepingRefused: keepingRefused, at: now)
        if let record = prepared.record { try commit(record) }
        return prepared.archived
    }

    /// The same as far as nothing is on the disk for good.
    package func prepare(
        _ source: any ByteSource, checkedBy checker: ResultChecker, keepingRefused: Bool, at now: UTCTime
    ) throws(EvidenceError) -> PreparedResult {
        let record = try newRecord()
        var parts: [CheckPart: PartSealer] = [:]
        for part in CheckPart.allCases where part != .report { parts[part] = try record.part(part.fileName) }
        let receiver = try checker.receiver(of: source, keeping: .destinations(parts))
        let answer = try receiver.conclude(reading: source)
        try receiver.release(answer)
        let report = answer.reportForKeyHolder
        if report.verdict != .holds {
            guard keepingRefused else { return PreparedResult(record: nil, answer: answer) }
            try parts[.result]?.finish()
        }
        try record.add(CheckPart.report.fileName, Array(report.json.utf8))
        if report.verdict == .holds, case .signed(let signed) = report.device {
            try record.add(Layout.deviceManifest, signed.manifest.json)
        }
        try record.finish(at: now, for: recordKey)
        return PreparedResult(record: record, answer: answer)
    }
}
