// SPDX-License-Identifier: Apache-2.0
public import CommandSyntax
public import EvidenceKit
package import EvidenceStreams

/// The files of one run: inputs and outputs, which must differ.
public struct Files: Sendable {
    private var inputs: Set<FileIdentity> = []
    /// The same by name, since the name may refer to another file by now.
    private var inputNames: [(path: String, name: FileName?)] = []
    var hasReadStandardInput = false

    /// None so far.
    public init() {}

    /// Opens an input: a file, or standard input for `-` and for nothing.
    ///
    /// - Parameter what: what it is, in messages.
    /// - Throws: `EvidenceError` (`.cannotRead`), or `CommandError` (`.usage`) where standard input was read already.
    public mutating func input(_ path: String?, as what: String) throws -> FileSource {
        let source: FileSource
        if let path, path != "-" {
            source = try FileSource(path: path)
            inputNames.append((path, FileName(ofFileAt: path)))
        } else {
            guard !hasReadStandardInput else {
                throw CommandError(
                    .usage, "only one thing can come from standard input", hint: "give \(what) as a file")
            }
            hasReadStandardInput = true
            if Terminal.isInputTerminal { Terminal.say("reading \(what) from the terminal; end it with control-D") }
            source = try FileSource(descriptor: 0, name: "standard input")
        }
        inputs.insert(source.identity)
        return source
    }

    /// Whether a name, and the file that has it now, are those of an input of this run, or of its standard output or
    /// error.
    package func isInUse(_ name: FileName, _ identity: FileIdentity?) throws(EvidenceError) -> Bool {
        if inputNames.contains(where: { $0.name == name }) { return true }
        guard let identity else { return false }
        if inputs.contains(identity) { return true }
        for (path, _) in inputNames where try FileIdentity(ofFileAt: path) == identity { return true }
        return (1...2).contains { number in
            (try? DescriptorDestination(descriptor: number, name: ""))?.identity == identity
        }
    }

    /// The content of the output, which decides where it may go and who may read it.
    public enum Sensitivity: Sendable {
        /// Opened bytes: not to a terminal unless requested by name, and only for the owner.
        case opened
        /// Text about a person, or with a photo: only for the owner.
        case personalText
        /// Text that is not secret.
        case publicText
    }

    /// Refuses to show opened bytes on a terminal, if possible before asking for a secret or a payload.
    package func refuseTerminal() throws {
        guard Terminal.isOutputTerminal else { return }
        throw CommandError(
            .usage, "the output is binary, and standard output is a terminal",
            hint: "name a file with -o FILE, or force it with -o -")
    }

    /// Whether what `-o` names is standard output: by `-`, as a device, by a link or by the file's own name.
    package func isStandardOutput(_ path: String) throws -> Bool {
        guard path != "-" else { return true }
        guard let identity = try FileIdentity(ofFileAt: path) else { return false }
        return try identity == FileSource(descriptor: 1, name: "standard output").identity
    }

    /// Opens the output: the file after `-o`, or standard output.
    ///
    /// - Throws: `EvidenceError` (`.exists`, `.cannotWrite`), or `CommandError` (`.usage`) for one that is an input.
    public func output(_ path: String?, _ content: Sensitivity, replacing: Bool) throws -> any ByteDestination {
        try output(path, content, replacing: replacing, in: nil)
    }

    /// The same. A file of a set appears with the others.
    package func output(
        _ path: String?, _ content: Sensitivity, replacing: Bool, in set: WholeFileSet?
    ) throws -> any ByteDestination {
        guard let path, path != "-" else {
            if path == nil, content == .opened { try refuseTerminal() }
            return try notAnInput(DescriptorDestination(descriptor: 1, name: "standard output"), "standard output")
        }
        if try DescriptorDestination.isDevice(at: path) {
            return try notAnInput(DescriptorDestination(deviceAt: path), "the output \(quoted(path))")
        }
        if let identity = try FileIdentity(ofFileAt: path), inputs.contains(identity) {
            throw alsoAnInput("the output \(quoted(path))")
        }
        let access: WholeFile.Access = content == .publicText ? .umask : .owner
        guard let set else { return try WholeFile(path: path, replacing: replacing, access: access) }
        return try file(path, access, replacing: replacing, in: set)
    }

    /// Starts a file that appears together with others. All of them must differ.
    package func file(
        _ path: String, _ access: WholeFile.Access, replacing: Bool, in set: WholeFileSet
    ) throws -> WholeFile {
        let file = try set.add(path: path, replacing: replacing, access: access)
        guard set.isOnlyOne(file) else { throw Self.sameOutput(path) }
        return file
    }

    /// Refuses an output that is also a file which is written without it, under whatever name.
    ///
    /// - Throws: `EvidenceError` (`.cannotWrite`), or `CommandError` (`.usage`).
    public func requireOther(than output: any ByteDestination, at path: String) throws {
        if let file = output as? WholeFile, try file.isForFile(at: path) { throw Self.sameOutput(path) }
    }

    private static func sameOutput(_ path: String) -> CommandError {
        CommandError(.usage, "both outputs are the same file: \(quoted(path))", hint: "give each its own file")
    }

    /// Refuses a file of an option that is also an input, under whatever name.
    ///
    /// - Throws: `EvidenceError` (`.cannotRead`), or `CommandError` (`.usage`).
    public func requireNoInput(at path: String, for option: Option) throws {
        guard let identity = try FileIdentity(ofFileAt: path), inputs.contains(identity) else { return }
        throw alsoAnInput("the file of \(option.name)")
    }

    /// A shell can open a file for reading and writing at once.
    private func notAnInput(
        _ destination: DescriptorDestination, _ name: String
    ) throws -> DescriptorDestination {
        if let identity = destination.identity, inputs.contains(identity) { throw alsoAnInput(name) }
        return destination
    }

    private func alsoAnInput(_ name: String) -> CommandError {
        CommandError(.usage, "\(name) is also an input; it was left unchanged")
    }
}

/// Runs what makes a new file or folder, where the command has no `--force`.
///
/// - Throws: what `make` throws; `CommandError` (`.usage`) for a name that is taken.
public func replacingNothing<Made>(_ make: () throws -> Made) throws -> Made {
    do { return try make() } catch let error as EvidenceError where error.code == .exists {
        throw CommandError(.usage, "\(error)", hint: "it was left unchanged; give another name")
    }
}
