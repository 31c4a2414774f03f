// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestVectorSupport
import Testing
import VendorResults

/// `docs/VENDOR-SERVER.md` says what the code does.
@Suite struct VendorDocumentationTests {
    private let page: String
    private let rows: [[String]]

    init() throws {
        page = String(decoding: try Vectors.bytes("../docs/VENDOR-SERVER.md"), as: UTF8.self)
        rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            line.dropFirst().split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// What holds each mistake of the page's list, in its order.
    private static let held = [
        "aHundredWhoAskRenewOnce",
        "renewalComesAfterTwentyMinutesAndTheOldTicketStaysForOne",
        "keepersThatShareAStoreRenewOneAtATime",
        "onlyTheRightTicketLaunchesAndOnce",
        "queriesSignWhatTheySend",
        "noncesAndOrdersAreGenerated",
        "noncesAndOrdersAreGenerated",
        "noncesAndOrdersAreGenerated",
        "aPhoneIsSentToItsPage",
        "thatIsNoReturnURL",
        "aFailureWithoutASignIsUnsignedAndNotForged",
        "anotherUsersPassIsNotMine",
        "answerIsRead",
        "answerIsRead",
        "noAnswerPassesForAnother",
        "numbersComeAsTextAndTextAsNumbers",
        "everyClassHasItsAdvice",
        "filesThatAreLateAreAskedForThreeTimes",
        "aBundleHasWhatWasSignedAndNoSecret",
        "secretsShowNothing",
        "thatIsNoUserId",
        "everyPrintedExampleIsReproduced",
        "ticketsAreAskedForWithTheToken",
        "anUploadSignsWhatItSends",
        "refusalsOfASignRenewOnceAMinute",
        "aFailedScanHasNoScoresAndMayHaveFiles",
        "anOldFaceIdAndAnotherProductsAreNotLaunched",
        "tlsIsVerified",
    ]

    /// Each mistake that something is done about has a test, and that test is there.
    @Test func everyMistakeHasItsTest() throws {
        let list = try #require(page.components(separatedBy: "\n## Mistakes of integrators\n").last)
        let numbers = list.split(separator: "\n").compactMap { Int($0.prefix { $0.isNumber }) }
        #expect(numbers == Array(1...Self.held.count))
        let folder = Vectors.folder.deletingLastPathComponent().appending(path: "Tests")
        var tests = ""
        for module in ["VendorServerTests", "VendorSigningTests", "../Packages/Vendor/Tests/VendorClientTests"] {
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: module).path) {
                tests += try String(contentsOf: folder.appending(path: "\(module)/\(file)"), encoding: .utf8)
            }
        }
        for name in Self.held { #expect(tests.contains("func \(name)("), "\(name)") }
    }

    @Test func everyClassIsListedWithItsCodes() {
        var listed: [String: Set<String>] = [:]
        for row in rows where row.count == 2 && row[1].allSatisfy({ $0.isNumber || ", to".contains($0) }) {
            let codes = row[1].components(separatedBy: ", ").flatMap { part -> [String] in
                let ends = part.components(separatedBy: " to ").compactMap { Int($0) }
                guard let first = ends.first, let last = ends.last else { return [] }
                return (first...last).map(String.init)
            }
            listed[row[0].trimmingCharacters(in: ["`"])] = Set(codes)
        }
        #expect(listed.count == 11)
        let all = FaceErrorMeaning.table.filter { $0.family == .server || $0.family == .gateway }.map(\.code)
        for code in Set(all + listed.values.flatMap { $0 }) {
            let name = ServerCodeClass.of(code).rawValue
            #expect(name == "unknown" || listed[name]?.contains(code) == true, "\(code) is \(name)")
        }
        for (name, codes) in listed {
            for code in codes { #expect(ServerCodeClass.of(code).rawValue == name, "\(code)") }
        }
    }
}
