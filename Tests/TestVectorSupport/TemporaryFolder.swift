// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A folder of a test's own, gone with everything in it when the test ends.
public final class TemporaryFolder: Sendable {
    /// Where it is.
    public let url: URL
    /// The same as text.
    public var path: String { url.path }

    /// A new, empty folder.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "evidence-tests-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a name in it, whatever the name is.
    public func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Everything in it, hidden or not.
    public var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// Writes a file.
    public func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
    }

    /// Reads a file.
    public func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
    }

    /// The permission bits of what is under a name.
    public func mode(of name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: self(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
