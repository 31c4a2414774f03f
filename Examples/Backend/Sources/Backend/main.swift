// SPDX-License-Identifier: Apache-2.0
// backend launch USER          writes what the app needs to standard output
// backend receive ORDER        checks the result on standard input; answers its sender on standard output
//
// In the folder that it runs in: key.pem, compare-key.pem, ticket.txt, devices/THUMBPRINT.pem, and records/.

import EvidenceKit
import Foundation

func backend() throws -> Backend {
    Backend(
        appId: "IDAXXXXX", videoKey: try RSAPrivateKey(contentsOf: "key.pem"),
        comparingKey: try RSAPrivateKey(contentsOf: "compare-key.pem"),
        tickets: [
            try Ticket(.sign, SecretBytes(firstLineOf: FileSource(path: "ticket.txt"), name: "ticket.txt"))
        ],
        deviceKeys: RegisteredDeviceKeys(folder: "devices"), records: Records(root: URL(filePath: "records")))
}

/// Standard input, as a server framework would pass a body.
func body() -> AsyncStream<[UInt8]> {
    AsyncStream {
        let piece = FileHandle.standardInput.readData(ofLength: 65_536)
        return piece.isEmpty ? nil : Array(piece)
    }
}

do {
    let arguments = CommandLine.arguments
    switch (arguments.dropFirst().first, arguments.count) {
    case ("launch", 3):
        let launch = try backend().launch(UserId(arguments[2]))
        print(String(decoding: try JSONEncoder().encode(launch), as: UTF8.self))
    case ("receive", 3):
        let answer = try await backend().receive(body(), of: OrderNumber(arguments[2]))
        // The sender gets a receipt, which says nothing about the findings; the report stays here.
        print(answer.receipt.json, terminator: "")
        let report = answer.reportForKeyHolder
        for item in report.items where item.state != .holds {
            FileHandle.standardError.write(Data("\(item.name.rawValue): \(item.sentence)\n".utf8))
        }
        exit(report.verdict == .holds ? 0 : 1)
    default:
        FileHandle.standardError.write(Data("backend launch USER | backend receive ORDER\n".utf8))
        exit(2)
    }
} catch let error as EvidenceError {
    let hint = error.hint.map { "; \($0)" } ?? ""
    FileHandle.standardError.write(Data("backend: \(error)\(hint)\n".utf8))
    exit(error.code.isSystem ? 3 : 1)
}
