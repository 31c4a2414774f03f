// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidenceToolCommands
import Foundation
import TestVectorSupport
import Testing

/// `docs/ERRORS.md` against the code: names and numbers are promises.
@Suite struct ErrorTableTests {
    private struct Row: Hashable {
        let number: Int
        let name: String
        let exitStatus: Int32
    }

    @Test func thePageListsEveryCodeAndItsExitStatus() throws {
        let page = Vectors.folder.deletingLastPathComponent().appending(path: "docs/ERRORS.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line -> Row? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, let number = Int(cells[0]), let status = Int32(cells[4]) else { return nil }
            return Row(number: number, name: cells[1].trimmingCharacters(in: ["`"]), exitStatus: status)
        }
        let codes = EvidenceError.Code.allCases.map { code in
            Row(number: code.number, name: code.name, exitStatus: Tool.exitStatus(of: code))
        }
        #expect(rows == codes)
        #expect(Set(codes.map(\.number)).count == codes.count)
        #expect(Set(codes.map(\.name)).count == codes.count)
    }

    /// A destination of somebody else's says itself what went wrong.
    @Test func anErrorOfTheCallersOwnKeepsItsSentenceAndItsCause() {
        struct UploadFailed: Error {}
        let error = EvidenceError(.cannotWrite, "the upload failed", underlying: UploadFailed())
        #expect(error.description == "the upload failed")
        #expect(error.underlying is UploadFailed)
        #expect(error.code.isSystem)
    }
}
