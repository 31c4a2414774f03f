// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestVectorSupport
import Testing

/// Runs the command as a person would: every file in `Scripts/` is a recorded session.
@Suite struct CommandLineTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts")

    private static func names() throws -> [String] {
        let isWithoutTokens = ProcessInfo.processInfo.environment["EVIDENCE_WITHOUT_TOKENS"] != nil
        return try RecordedSession.names(in: folder).filter { $0 != "tokens.txt" || !isWithoutTokens }
    }

    @Test(arguments: try names()) func sessionComesOutAsRecorded(_ name: String) throws {
        let session = try RecordedSession(file: Self.folder.appending(path: name))
        for difference in try session.differences(with: ["evidence-tool"]) { Issue.record("\(difference)") }
    }
}

/// The suite gives the same answers where it was started under nohup or in a background job.
@Suite struct HarnessTests {
    @Test func signalsThatWeIgnoreAreNotIgnoredByCommands() async {
        await #expect(processExitsWith: .success) {
            for number in [SIGINT, SIGHUP] { signal(number, SIG_IGN) }
            let folder = try TemporaryFolder()
            #expect(try Shell.run("kill -INT $$; echo ignored", in: folder.url, with: []).status == 130)
            #expect(try Shell.run("kill -HUP $$; echo ignored", in: folder.url, with: []).status == 129)
        }
    }
}
