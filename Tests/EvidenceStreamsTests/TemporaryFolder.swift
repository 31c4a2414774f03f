import Foundation
import Glibc
import Testing

/// A folder of a test's own, gone with everything in it when the test ends.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "evidence-tests-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Everything in it, hidden or not.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: self(name)))
    }

    func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: self(name))), as: UTF8.self)
    }

    /// The permission bits of what is under a name.
    func mode(of name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: self(name))
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }
}

/// A descriptor of an open file, closed with its owner.
final class OpenFile {
    let number: Int32

    init(_ path: String, _ flags: Int32) throws {
        number = unsafe open(path, flags)
        try #require(number >= 0)
    }

    deinit { _ = close(number) }

    var position: Int { lseek(number, 0, SEEK_CUR) }
}

/// No process here has as many files open.
let closedDescriptor: Int32 = 900_000
