// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
import EvidenceStreams
internal import VendorResults

/// A report for machines: what `--json` prints.
enum ReportValue {
    case text(String)
    case number(UInt64)
    case bool(Bool)
    case null
    case list([ReportValue])
    case object([(String, ReportValue)])
    /// JSON that is written already.
    case json(String)

    /// One line of JSON.
    var json: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }

    /// The recursion is over what we made ourselves, three levels of it.
    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .text(let text): appendJSONString(text, to: &bytes)
        case .number(let number): bytes += Array("\(number)".utf8)
        case .bool(let value): bytes += Array("\(value)".utf8)
        case .json(let text): bytes += Array(text.utf8)
        case .null: bytes += Array("null".utf8)
        case .list(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                appendJSONString(member.0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.1.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

/// Words that reports have in common.
enum Report {
    static func name(of platform: FacePlatform) -> String {
        switch platform {
        case .android: "Android"
        case .iOS: "iOS"
        case .harmonyOS: "HarmonyOS"
        }
    }

    static func name(of stage: FaceErrorStage) -> String {
        switch stage {
        case .input: "parameters"
        case .login: "login"
        case .getInfo: "getting the liveness type"
        case .onDevice: "on the phone"
        case .compare: "comparing"
        }
    }

    /// A stranger's text as a terminal may show it: one line, nothing that steers, not too long.
    static func shown(_ text: String) -> String {
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(200)))
        return printable(beginning) + (text.unicodeScalars.count > 200 ? "…" : "")
    }
}
