// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
internal import MediaStructure

/// A destination that determines the format of the bytes written to it.
final class InspectedDestination: ByteDestination {
    /// The format, once everything was written.
    private(set) var finding: MediaContent?
    private let destination: any ByteDestination
    private var inspector = MediaInspector()

    init(_ destination: any ByteDestination) { self.destination = destination }

    var isWithheldUntilFinished: Bool { destination.isWithheldUntilFinished }

    func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        inspector.append(bytes)
        try destination.write(bytes)
    }

    func finish() throws(EvidenceError) {
        try destination.finish()
        finding = inspector.finish()
    }

    func abandon() { destination.abandon() }
}
