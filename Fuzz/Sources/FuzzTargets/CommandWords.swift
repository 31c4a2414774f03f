// SPDX-License-Identifier: Apache-2.0
import EvidenceToolCommands
import VendorSigning

extension FuzzTarget {
    /// Command lines, their words parted by line feeds: read or refused, and never with something unprintable, or the
    /// beginning of a key, in the message.
    static let arguments = FuzzTarget(name: "arguments") { bytes in
        let words = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let reading = Tool.reading(of: words)
        if let message = reading.refusal {
            let isPrintable = message.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            }
            try hold(!message.isEmpty && isPrintable, "a refusal can be printed")
            try hold(!message.contains("-----BEGIN"), "a refusal shows no key")
        } else {
            let verb = reading.verb.map { $0.split(separator: " ").map(String.init) } ?? []
            try hold(!verb.isEmpty && words.starts(with: verb), "what is read is what was said")
            try hold(reading.operands.allSatisfy(words.contains), "an operand is one of the words")
        }
        for word in words { _ = try? SignAssignment(parsing: word) }
    }
}
