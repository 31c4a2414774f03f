// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

/// Reports what is in a document, without keys.
final class Inspecting: Work {
    private let receiver: DocumentInspection.Receiver

    init(_ json: String?) throws {
        let options = try Options(json, knowing: ["strict"])
        receiver = DocumentInspection.Receiver(try options.bool("strict") ? .strict : .tolerant)
    }

    func append(_ bytes: Span<UInt8>) throws { try receiver.append(bytes) }

    func finish() throws -> Outcome { Outcome(report: try receiver.finish().json) }
}
