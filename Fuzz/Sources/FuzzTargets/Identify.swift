// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
import IdentifyString

extension FuzzTarget {
    /// Statements in `identifyStr`: what is read is, byte for byte, what would be written; and so for their canonical
    /// JSON and their moments.
    static let identify = FuzzTarget(name: "identify") { bytes in
        if let statement = try? IdentifyStatement(json: bytes.span) {
            try hold(statement.json == bytes, "a statement has one spelling")
            try hold(UTCTime("\(statement.capturedAt)") == statement.capturedAt, "a moment comes back")
        }
        if let value = try? CanonicalJSON(reading: bytes.span) {
            try hold(value.bytes == bytes, "canonical JSON has one spelling")
        }
        if let moment = UTCTime(String(decoding: bytes, as: UTF8.self)) {
            try hold("\(moment)".utf8.elementsEqual(bytes), "a moment has one spelling")
            try hold(
                UTCTime(millisecondsSince1970: moment.millisecondsSince1970) == moment, "a moment is its milliseconds")
        }
    }
}
