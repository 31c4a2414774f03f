// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import VendorServer

/// An option.
enum Option: String, CaseIterable {
    case appId = "--app-id"
    case secretFile = "--secret-file"
    case store = "--store"
    case host = "--host"
    case kind = "--kind"
    case userId = "--user-id"
    case orderNo = "--order-no"
    case product = "--product"
    case identity = "--identity"
    case sourcePhoto = "--source-photo"
    case bundle = "--bundle"
    case launch = "--launch"
    case returnURL = "--return-url"
    case output = "-o"
    case answer = "--answer"
    case photo = "--photo"
    case video = "--video"
    case wait = "--wait"
    case folder = "--folder"
    case once = "--once"

    static let common: [Option] = [.appId, .secretFile, .store, .host]

    /// Whether it has no value.
    var isFlag: Bool { self == .once }

    var help: (value: String, text: String) {
        switch self {
        case .appId: ("ID", "the integrator's appId (required)")
        case .secretFile: ("FILE", "the appId's secret (required)")
        case .store: ("FILE", "the store of token and SIGN ticket, mode 0600; shared by all processes (required)")
        case .host: ("HOST", "the host for calls, \(VendorHost.standard) by default; 127.0.0.1:8440 is the sandbox")
        case .kind: ("KIND", "SIGN or NONCE (required)")
        case .userId: ("ID", "the user's id (required; ticket needs it only for NONCE)")
        case .orderNo: ("N", "the order number (faceid makes a new one by default)")
        case .product: ("NAME", Command.products.map(\.name).joined(separator: ", ") + "; enhanced by default")
        case .identity: ("FILE", "two lines: name, and number of the identity document")
        case .sourcePhoto: ("FILE", "a photo of your own to compare with, JPEG or PNG")
        case .bundle: ("FILE", "the output for the app's launch bundle; uses a NONCE ticket")
        case .launch: ("FILE", "the output for the URL that the user's browser opens; uses a NONCE ticket")
        case .returnURL: ("URL", "where the browser comes back to (required with --launch)")
        case .output: ("FILE", "the output for the ticket (required)")
        case .answer: ("FILE", "the output for the vendor's answer as it came, for evidence-archive append --answer")
        case .photo: ("FILE", "the output for the photo")
        case .video: ("FILE", "the output for the video")
        case .folder: ("DIR", "the folder for the tickets, made with mode 0700 (required)")
        case .once: ("", "one pass: renew if that is due, write, and end; fails if the renewal did")
        case .wait: ("SECONDS", "how long to repeat the query while there is no result: 0 to 600")
        }
    }
}

/// A parsed command line.
struct Arguments {
    private var values: [Option: String] = [:]
    private(set) var wantsHelp = false

    init(_ words: [String], of verb: Verb) throws(Failure) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--help" || word == "-h" {
                wantsHelp = true
                continue
            }
            // Values, and words that may be values, are not shown: people type secrets in the wrong place.
            guard let option = Option(rawValue: word), verb.options.contains(option) else {
                let isName = word.hasPrefix("-") && word.utf8.count <= 20 && !word.contains("=")
                throw Failure(
                    .usage, isName ? "\(verb.name) has no option \(word)" : "an argument is not an option",
                    hint: word.hasPrefix("--") && word.contains("=")
                        ? "separate an option from its value with a blank" : "see: evidence-vendor \(verb.name) --help")
            }
            guard let value = option.isFlag ? word : rest.popFirst(), !value.isEmpty else {
                throw Failure(.usage, "\(word) needs a value")
            }
            guard values.updateValue(value, forKey: option) == nil else {
                throw Failure(.usage, "\(word) was given twice")
            }
        }
    }

    subscript(_ option: Option) -> String? { values[option] }

    func require(_ option: Option) throws(Failure) -> String {
        guard let value = values[option] else { throw Failure(.usage, "\(option.rawValue) is missing") }
        return value
    }

    /// Parses a value; an invalid one is wrong use.
    func parse<Value>(_ option: Option, _ parse: (String) throws(EvidenceError) -> Value) throws(Failure) -> Value {
        let text = try require(option)
        do throws(EvidenceError) { return try parse(text) } catch {
            throw Failure(.usage, "\(option.rawValue): \(error)", hint: error.hint)
        }
    }

    /// Parses a file; an invalid one is wrong use.
    func value<Value>(_ option: Option, _ make: () throws -> Value) throws -> Value {
        do { return try make() } catch let error as EvidenceError where !error.code.isSystem {
            throw Failure(.usage, "\(option.rawValue): \(error)", hint: error.hint)
        }
    }

    /// A small file, without the line feed at its end.
    func secret(_ option: Option) throws -> SecretBytes {
        let path = try require(option)
        return try SecretBytes(tokenIn: FileSource(path: path), name: path, called: "secret")
    }
}
