// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
public import EvidenceStreams

/// What a check may keep of a result.
public enum CheckPart: String, CaseIterable, Sendable {
    /// The opened video.
    case video
    /// The photo, a JPEG or a PNG.
    case photo
    /// The opened statement.
    case statement
    /// The document as it was read.
    case result
    /// The report in JSON.
    case report

    /// Its file name in a folder.
    public var fileName: String {
        switch self {
        case .video: "video.mp4"
        case .photo: "photo.jpg"
        case .statement: "statement.json"
        case .result: "result.json"
        case .report: "report.json"
        }
    }
}

/// What a check keeps of the bytes that it checks: only if all requirements hold, and of the parts
/// only those that hold.
public enum KeptParts {
    /// Nothing.
    case nothing
    /// These parts. Each destination must withhold what it gets. They are finished one after the other: if one fails,
    /// those before it are finished.
    case destinations([CheckPart: any ByteDestination])
    /// A new folder with all parts, mode 0700, that appears complete or not at all; and copies of
    /// some, whose destinations must also withhold what they get.
    case folder(String, copies: [CheckPart: any ByteDestination] = [:])
}

/// Holds the parts of one check until it is over.
final class PartKeeper {
    private let destinations: [CheckPart: [any ByteDestination]]
    private let folder: WholeFolder?
    private var isOver = false

    init(_ policy: KeptParts) throws(EvidenceError) {
        let (path, given): (String?, [CheckPart: any ByteDestination]) =
            switch policy {
            case .nothing: (nil, [:])
            case .destinations(let destinations): (nil, destinations)
            case .folder(let path, let copies): (path, copies)
            }
        guard given.values.allSatisfy(\.isWithheldUntilFinished) else {
            for destination in given.values { destination.abandon() }
            throw EvidenceError(
                .cannotWrite,
                "a part of a result needs a destination that shows nothing before it is finished")
        }
        var destinations = given.mapValues { [$0] }
        if let path {
            let folder = try WholeFolder(path: path)
            for part in CheckPart.allCases { destinations[part, default: []].append(try folder.add(part.fileName)) }
            self.folder = folder
        } else {
            folder = nil
        }
        self.destinations = destinations
    }

    deinit { abandon() }

    /// The destinations of a part.
    subscript(_ part: CheckPart) -> [any ByteDestination] { destinations[part] ?? [] }

    func write(_ bytes: Span<UInt8>, of part: CheckPart) throws(EvidenceError) {
        for destination in self[part] { try destination.write(bytes) }
    }

    /// Makes sure, before the verdict shows, that a folder has room for what only a result that holds still adds:
    /// else a full disk would tell the verdict to whoever may see only that there was an answer.
    func requireRoom() throws(EvidenceError) {
        // The statement, and as much for the report and the names.
        if !isOver { try folder?.requireRoom(byteCount: 2 * Limits.statementBytes) }
    }

    /// Makes these parts final, and abandons the others.
    ///
    /// - Parameter last: an action that cannot be undone; if it fails, the folder is removed again.
    func publish(
        _ parts: Set<CheckPart>, _ last: (() throws(EvidenceError) -> Void)?
    ) throws(EvidenceError) {
        guard !isOver else { return }
        do throws(EvidenceError) {
            for part in CheckPart.allCases {
                for destination in self[part] {
                    if parts.contains(part) { try destination.finish() } else { destination.abandon() }
                }
            }
            if let folder { try folder.finish(last) } else { try last?() }
            isOver = true
        } catch {
            abandon()
            throw error
        }
    }

    func abandon() {
        guard !isOver else { return }
        isOver = true
        for destination in destinations.values.joined() { destination.abandon() }
        folder?.abandon()
    }
}
