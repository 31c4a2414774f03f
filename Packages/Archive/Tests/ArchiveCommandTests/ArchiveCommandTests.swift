// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestVectorSupport
import Testing

/// Runs the command as a person would: every file in `Scripts/` is a recorded session.
@Suite struct ArchiveCommandTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts")

    @Test(arguments: try RecordedSession.names(in: folder)) func sessionComesOutAsRecorded(_ name: String) throws {
        let session = try RecordedSession(file: Self.folder.appending(path: name))
        for difference in try session.differences(with: ["evidence-archive", "evidence-tool"]) {
            Issue.record("\(difference)")
        }
    }
}
