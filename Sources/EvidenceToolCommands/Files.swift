// SPDX-License-Identifier: Apache-2.0
internal import DeviceSignature
internal import EvidenceCrypto
import EvidenceEncoding
internal import EvidenceErrors
import EvidenceKit
internal import EvidenceStreams
internal import PlatformC
internal import VendorSigning

/// Whether a word names a key on a token (RFC 7512), not a file.
func isTokenURI(_ word: String) -> Bool { word.hasPrefix("pkcs11:") }

/// The path in a `file:` URI; `nil` for anything else. As in OpenSSL, it is not percent-decoded.
func pathOfFileURI(_ word: String) -> String? {
    guard word.hasPrefix("file:") else { return nil }
    let path = word.dropFirst(5)
    return String(path.hasPrefix("//") ? path.dropFirst(2) : path)
}

/// A ticket's file, optionally preceded by its kind: `SIGN:FILE`, `NONCE:FILE`.
func ticketFile(_ word: String) -> (kind: Ticket.Kind?, path: String) {
    for kind in Ticket.Kind.allCases where word.hasPrefix(kind.rawValue + ":") {
        return (kind, String(word.dropFirst(kind.rawValue.count + 1)))
    }
    return (nil, word)
}

/// The files of one run: inputs and outputs, which must differ.
struct Files {
    private var inputs: Set<FileIdentity> = []
    /// The same by name, since the name may refer to another file by now.
    private var inputNames: [(path: String, name: FileName?)] = []
    private var hasReadStandardInput = false

    /// Opens an input: a file, or standard input for `-` and for nothing.
    mutating func input(_ path: String?, as what: String) throws -> FileSource {
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
    func isInUse(_ name: FileName, _ identity: FileIdentity?) throws(EvidenceError) -> Bool {
        if inputNames.contains(where: { $0.name == name }) { return true }
        guard let identity else { return false }
        if inputs.contains(identity) { return true }
        for (path, _) in inputNames where try FileIdentity(ofFileAt: path) == identity { return true }
        return (1...2).contains { number in
            (try? DescriptorDestination(descriptor: number, name: ""))?.identity == identity
        }
    }

    /// Finds a private key, by its file or its URI, and its passphrase or PIN if there is one.
    mutating func privateKey(_ path: String, passphraseFile: String?) throws -> LockedKey<any DecryptionKey> {
        try privateKey(path, passphrase: passphrase(ifNamed: passphraseFile))
    }

    private mutating func privateKey(
        _ path: String, passphrase: borrowing SecretBytes?, mayAsk: Bool = true
    ) throws -> LockedKey<any DecryptionKey> {
        try key(
            path, passphrase, mayAsk: mayAsk,
            onToken: { pin throws(EvidenceError) in try KeyStore.key(at: path, pin: pin) },
            inFile: { encoded, passphrase throws(EvidenceError) in
                try RSAPrivateKey(encoded: encoded, passphrase: passphrase)
            })
    }

    /// Finds a private key that signs documents.
    mutating func signingKey(_ path: String, passphraseFile: String?) throws -> LockedKey<SigningKey> {
        let given = try passphrase(ifNamed: passphraseFile)
        return try key(
            path, given, onToken: { pin throws(EvidenceError) in try KeyStore.signingKey(at: path, pin: pin) },
            inFile: { encoded, passphrase throws(EvidenceError) in
                try SigningKey(encoded: encoded, passphrase: passphrase)
            })
    }

    private mutating func key<Key>(
        _ path: String, _ passphrase: borrowing SecretBytes?, mayAsk: Bool = true,
        onToken: @escaping (borrowing SecretBytes?) throws(EvidenceError) -> Key,
        inFile: @escaping (borrowing SecretBytes, borrowing SecretBytes?) throws(EvidenceError) -> Key
    ) throws -> LockedKey<Key> {
        // Whatever the scheme and its spelling: such a word must not appear in a message about files.
        guard !path.lowercased().contains("pin-value") else {
            throw CommandError(
                .usage, "the key's URI contains a PIN, which would be visible and logged",
                hint: "give the PIN with --passphrase-file, and change it")
        }
        if isTokenURI(path) {
            // The URI is not shown, since it may contain a PIN or a part of one.
            return try LockedKey(.pin, mayAsk: mayAsk, passphrase) { pin in
                do throws(EvidenceError) { return try onToken(pin) } catch { throw CommandError(keyAt: nil, error) }
            }
        }
        let path = pathOfFileURI(path) ?? path
        let encoded = try SecretBytes(contentsOf: input(path, as: "the key"), limit: Limits.keyFileBytes, name: path)
        return try LockedKey(.passphrase(of: path), mayAsk: mayAsk, passphrase) { passphrase in
            do throws(EvidenceError) { return try inFile(encoded, passphrase) } catch {
                throw CommandError(keyAt: path, error)
            }
        }
    }

    /// The keys that `--key` names, and those of the folder that `--keys` names; none where neither is given.
    mutating func privateKeys(_ arguments: Arguments) throws -> LockedKey<PrivateKeys> {
        // Read only once, since it may come from standard input.
        let isNeeded = arguments[.keys] != nil || arguments[.keyFolder] != nil
        let passphrase = try passphrase(ifNamed: isNeeded ? arguments[.passphraseFile] : nil)
        var named: [(String, LockedKey<any DecryptionKey>)] = []
        for path in arguments.all(.keys) { named.append((quoted(path), try privateKey(path, passphrase: passphrase))) }
        var ofFolder = PrivateKeys()
        if let folder = arguments[.keyFolder] {
            ofFolder = try privateKeys(inFolder: folder, passphrase, besides: !named.isEmpty)
        }
        return LockedKey { [named, ofFolder] in
            var keys = ofFolder
            keys.usable.insert(contentsOf: try named.map { ($0, try $1.unlocked()) }, at: 0)
            return keys
        }
    }

    /// Nobody is asked for the passphrases of a whole folder.
    private mutating func privateKeys(
        inFolder folder: String, _ passphrase: borrowing SecretBytes?, besides hasOthers: Bool
    ) throws -> PrivateKeys {
        var keys = PrivateKeys()
        let names: [String]
        do { names = try fileNames(inFolder: folder, limit: Limits.keyFolderEntries) } catch {
            guard error.code == .tooLarge else { throw error }
            throw CommandError(
                .usage, "\(quoted(folder)) has more than \(Limits.keyFolderEntries) entries: name the keys with --key")
        }
        for name in names {
            let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
            do {
                let key = try privateKey(path, passphrase: passphrase, mayAsk: false).unlocked()
                keys.usable.append((quoted(path), key))
            } catch { try keys.passOver(path, error) }
        }
        guard hasOthers || !keys.usable.isEmpty else {
            try keys.refuseToJudge("\(quoted(folder)) has no usable private key")
            throw CommandError(.usage, "\(quoted(folder)) has no private key")
        }
        return keys
    }

    private mutating func passphrase(ifNamed path: String?) throws -> SecretBytes? {
        guard let path else { return nil }
        return try passphrase(path)
    }

    /// Reads a passphrase: the first line of a file. Standard input that is a terminal does not show it.
    mutating func passphrase(_ path: String, isNew: Bool = false) throws -> SecretBytes {
        if path == "-", Terminal.isInputTerminal, !hasReadStandardInput, Process.beginQuestions() {
            defer { Process.endQuestions() }
            hasReadStandardInput = true
            guard let answer = try Process.ask("evidence-tool: passphrase: "), answer.count > 0 else {
                throw CommandError(.usage, "there is no passphrase")
            }
            guard isNew else { return answer }
            guard
                let again = try Process.ask(
                    "evidence-tool: repeat the passphrase: "), SecretBytes.isSame(answer, again)
            else {
                throw CommandError(.usage, "the two passphrases are not the same")
            }
            return answer
        }
        let passphrase = try firstLine(
            path, "passphrase", isIt: "check whether this file is the key, not its passphrase")
        guard passphrase.count > 0 else {
            throw CommandError(.usage, "the first line of \(quoted(path)) is empty: it holds no passphrase")
        }
        // It would become an invisible part of the passphrase.
        let beginning = passphrase.withExposedBytes { bytes in (0..<min(3, bytes.count)).map { bytes[$0] } }
        guard ![[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]].contains(where: beginning.starts) else {
            throw CommandError(
                .usage, "\(quoted(path)) begins with a byte-order mark, which is not part of a passphrase",
                hint: "save it as UTF-8 without a byte-order mark")
        }
        return passphrase
    }

    /// Reads a ticket: the first line of a file. Its age is unknown, so it is assumed to be valid. Its kind is
    /// the one given before the name, else the recipe's.
    mutating func ticket(_ word: String, for recipe: SignRecipe) throws -> Ticket {
        let (given, path) = ticketFile(word)
        let kind = given ?? recipe.ticketKind
        let value = try firstLine(path, "ticket", isIt: "put the ticket on its first line, with little after it")
        do { return try Ticket(kind, value) } catch {
            throw CommandError(.usage, "\(quoted(path)): \(error)", hint: error.hint)
        }
    }

    private mutating func firstLine(_ path: String, _ what: String, isIt hint: String) throws -> SecretBytes {
        let source = try input(path, as: "the \(what)")
        do throws(EvidenceError) { return try SecretBytes(firstLineOf: source, name: path) } catch {
            guard error.code == .tooLarge else { throw error }
            let name = path == "-" ? "standard input" : quoted(path)
            throw CommandError(.usage, "\(name) is too long for a \(what) file", hint: hint)
        }
    }

    /// Reads the values of a recipe: `name=value`, `name=@file`, or `name=-` for standard input. What comes from a
    /// file is used without the line break at its end.
    mutating func signInput(_ recipe: SignRecipe, _ words: ArraySlice<String>) throws -> SignInput {
        let assignments = try zip(1..., words).map { number, word in
            let assignment: SignAssignment
            do { assignment = try SignAssignment(parsing: word) } catch {
                let shown =
                    mayBeRepeated(word, as: .word) ? quoted(word) : "value \(number) after RECIPE \(notRepeated)"
                throw CommandError(.usage, "\(shown) is not of the form name=value")
            }
            // A near match can be shown; otherwise the library's message applies.
            if SignParameter(named: assignment.name) == nil,
                let similar = closest(
                    to: assignment.name, among: recipe.parameters.flatMap { [$0.vendorName] + $0.aliases })
            {
                throw CommandError(
                    .usage, "\(recipe.name) has no parameter \(quoted(assignment.name))",
                    hint: "did you mean \(similar)?")
            }
            guard assignment.value == "-" || assignment.value.hasPrefix("@") else { return assignment }
            let path = assignment.value == "-" ? "-" : String(assignment.value.dropFirst())
            let name = SignParameter(named: assignment.name)?.vendorName ?? "a parameter"
            let value = try text(path, as: "the value of \(name)", limit: Limits.signValueFileBytes)
            return SignAssignment(name: assignment.name, value: value)
        }
        return try SignInput(recipe, assignments)
    }

    /// Reads a text without the line break at its end.
    mutating func text(_ path: String, as what: String, limit: Int) throws -> String {
        var bytes = try input(path, as: what).readAll(limit: limit, name: path)
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.usage, "\(what) is not UTF-8")
        }
        return text
    }

    /// Reads a public key.
    mutating func publicKey(_ path: String) throws -> RSAPublicKey {
        guard !isTokenURI(path) else {
            throw CommandError(
                .usage, "a public key is read from a file, not from a token",
                hint: "make that file with: evidence-tool public-key -o FILE URI")
        }
        let encoded = try input(path, as: "the key").readAll(limit: Limits.keyFileBytes, name: path)
        do {
            let key = try RSAPublicKey(encoded: encoded)
            key.certificate?.warn(at: path)
            return key
        } catch {
            throw CommandError(keyAt: path, error)
        }
    }

    /// Reads the private key of a device for tests.
    mutating func devicePrivateKey(_ path: String, passphraseFile: String?) throws -> LockedKey<P256PrivateKey> {
        let encoded = try SecretBytes(contentsOf: input(path, as: "the key"), limit: Limits.keyFileBytes, name: path)
        let given = try passphrase(ifNamed: passphraseFile)
        return try LockedKey(.passphrase(of: path), given) { passphrase in
            do throws(EvidenceError) { return try P256PrivateKey(encoded: encoded, passphrase: passphrase) } catch {
                throw CommandError(keyAt: path, error)
            }
        }
    }

    /// Finds the registered keys of devices: files, and folders that have them by thumbprint.
    mutating func deviceKeys(_ paths: [String]) throws -> RegisteredDeviceKeys {
        var keys: [P256PublicKey] = []
        var folders: [RegisteredDeviceKeys] = []
        for path in paths {
            do {
                let encoded = try input(path, as: "the key").readAll(limit: Limits.keyFileBytes, name: path)
                keys.append(try P256PublicKey(encoded: encoded))
            } catch let error as EvidenceError where error.errno == EISDIR {
                try requireDeviceKeys(inFolder: path)
                folders.append(RegisteredDeviceKeys(folder: path))
            } catch let error as EvidenceError where error.streamName == nil {
                throw CommandError(keyAt: path, error)
            }
        }
        let known = RegisteredDeviceKeys(keys)
        return RegisteredDeviceKeys { [folders] thumbprint throws(EvidenceError) in
            for place in [known] + folders {
                if let key = try place.key(thumbprint) { return key }
            }
            return nil
        }
    }

    /// An empty or wrong folder is the caller's mistake, not the signer's.
    private func requireDeviceKeys(inFolder path: String) throws {
        do {
            let names = try fileNames(inFolder: path, limit: Limits.keyFolderEntries)
            if names.contains(where: { $0.hasSuffix(".pem") && $0.utf8.count == P256PublicKey.thumbprintLength + 4 }) {
                return
            }
        } catch {
            // With many entries, a key is looked up when needed.
            guard error.code == .tooLarge else { throw error }
            return
        }
        throw CommandError(
            .usage, "\(quoted(path)) has no registered device key",
            hint: "name each file THUMBPRINT.pem; evidence-tool public-key prints a key's thumbprint")
    }

    /// Reads a challenge from the command line.
    func challenge(_ text: String) throws -> DeviceChallenge {
        guard let challenge = DeviceChallenge(text) else {
            throw CommandError(.usage, "--challenge must be \(DeviceChallenge.shape)")
        }
        return challenge
    }

    /// Reads an order number from the command line.
    func orderNumber(_ text: String) throws -> OrderNumber {
        do throws(EvidenceError) { return try OrderNumber(text) } catch {
            throw CommandError(.usage, "--order-no: \(error)")
        }
    }

    /// The content of the output, which decides where it may go and who may read it.
    enum Content {
        /// Opened bytes: not to a terminal unless requested by name, and only for the owner.
        case opened
        /// Text about a person, or with a photo: only for the owner.
        case personalText
        /// Text that is not secret.
        case publicText
    }

    /// Refuses to show opened bytes on a terminal, if possible before asking for a secret or a payload.
    func refuseTerminal() throws {
        guard Terminal.isOutputTerminal else { return }
        throw CommandError(
            .usage, "the output is binary, and standard output is a terminal",
            hint: "name a file with -o FILE, or force it with -o -")
    }

    /// Whether what `-o` names is standard output: by `-`, as a device, by a link or by the file's own name.
    func isStandardOutput(_ path: String) throws -> Bool {
        guard path != "-" else { return true }
        guard let identity = try FileIdentity(ofFileAt: path) else { return false }
        return try identity == FileSource(descriptor: 1, name: "standard output").identity
    }

    /// Opens the output: the file after `-o`, or standard output. A file of a set appears with the others.
    func output(
        _ path: String?, _ content: Content, replacing: Bool, in set: WholeFileSet? = nil
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
    func file(
        _ path: String, _ access: WholeFile.Access, replacing: Bool, in set: WholeFileSet
    ) throws -> WholeFile {
        let file = try set.add(path: path, replacing: replacing, access: access)
        guard set.isOnlyOne(file) else {
            throw CommandError(
                .usage, "both outputs are the same file: \(quoted(path))", hint: "give each its own file")
        }
        return file
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
