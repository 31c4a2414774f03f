// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import ResultCheck

/// Which of a record's two keys seals a part: the key of faces can be destroyed alone.
package enum PartKey: String, CaseIterable, Sendable {
    /// What shows no face.
    case facts
    /// What shows a face, or leads to something that does.
    case face

    /// The key of a part of that name.
    package init(sealing part: String) { self = RecordPart.faces.contains(part) ? .face : .facts }
}

/// What parts are called, and which records may have them: `docs/ARCHIVE.md` §1.2.
enum RecordPart {
    static let report = CheckPart.report.fileName
    static let result = CheckPart.result.fileName
    static let video = CheckPart.video.fileName
    static let photo = CheckPart.photo.fileName
    static let statement = CheckPart.statement.fileName
    /// What the device signed.
    static let deviceManifest = "device.json"
    /// The device's public key.
    static let deviceKey = "device-key.der"
    /// The key of the video, and that of the statement, as they were unwrapped.
    static let videoKey = "video.key"
    static let statementKey = "statement.key"
    /// What the vendor's server answered.
    static let answer = "answer.json"
    static let outline = "outline.json"
    static let answerOutline = "answer-outline.json"
    static let about = "about.json"
    static let note = "note.txt"

    private static func numbered(_ head: String) -> [String] {
        (1...Limits.archiveAttachments).map { "\(head)-\($0 < 10 ? "0" : "")\($0)" }
    }

    /// Pictures that show a face, and other attachments.
    static let facePictures = numbered("face")
    static let attachments = numbered("attached")

    /// What `face` seals.
    static let faces = Set([result, answer, video, photo, videoKey, statementKey] + facePictures)

    /// Of these, evidence has one or more.
    static let documents = [outline, result, answer]
    /// What evidence can have; it always has `report.json`, which nothing else has.
    static let ofEvidence = Set(
        documents + [report, answerOutline, statement, deviceManifest, deviceKey, about, video, photo, videoKey]
            + [statementKey] + attachments + facePictures)
    static let ofAdditions = ofEvidence.subtracting([report]).union([note])
    /// What every other record can have.
    static let ofActs = Set([about, note] + attachments)
}
