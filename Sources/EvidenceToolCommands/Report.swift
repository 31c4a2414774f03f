// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
import EvidenceKit
import EvidenceStreams
internal import VendorResults

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
