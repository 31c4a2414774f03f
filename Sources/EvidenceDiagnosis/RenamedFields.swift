// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidencePayload
internal import EvidenceStreams
internal import VendorTypes

/// The fields of a payload whose names a program converted: `user_video_string`. No profile names such fields.
struct RenamedFields {
    let fault: Fault

    /// - Parameter source: one that can be read twice.
    /// - Returns: `nil` if there are none, or if it is not clear which field each of them is.
    init?(_ source: any ByteSource) throws(EvidenceError) {
        var (renamed, vendors): ([(name: String, vendor: String)], Set<String>) = ([], [])
        for name in try Self.names(in: source) {
            guard let vendor = PayloadSurvey.field(like: name) else { continue }
            let text = String(decoding: name, as: UTF8.self)
            if renamed.contains(where: { $0.name == text }) { continue }
            // Two names of one field are a fault of another kind.
            guard vendors.insert(vendor).inserted else { return nil }
            if text == vendor { continue }
            guard FieldName.isInLowerCase(name, vendor) || FieldName.convention(of: name, vendor) != nil else {
                return nil
            }
            renamed.append((text, vendor))
        }
        guard !renamed.isEmpty else { return nil }
        let pairs = renamed.map { "\($0.name) for \($0.vendor)" }.joined(separator: ", ")
        let edits = renamed.map { " -e 's/\"\($0.name)\"[[:space:]]*:/\"\($0.vendor)\":/g'" }.joined()
        fault = Fault(
            .payload, "fields have other names than the vendor's: \(pairs)",
            "have the program that converts names leave these as they are: readers differ in whether they take others, "
                + "so none is read, and no profile can name them; to go on, write a copy: sed\(edits) FILE > COPY")
    }

    /// All names of a document, as far as it is JSON.
    private static func names(in source: any ByteSource) throws(EvidenceError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        var scanner = JSONScanner()
        try source.seek(to: 0)
        try source.forEachChunk { chunk throws(EvidenceError) in
            var position = 0
            while true {
                guard let token = try? scanner.next(in: chunk, at: &position) else { return false }
                if token == .needsInput { return true }
                if case .name(let name) = token, names.count < Limits.jsonMembers { names.append(name) }
            }
        }
        return names
    }
}
