// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import EvidenceKit
import VendorServer

extension Option {
    static let appId = Option("--app-id", "ID", isRequired: true, "the integrator's appId")
    static let secretFile = Option("--secret-file", "FILE", isRequired: true, "the appId's secret")
    static let store = Option(
        "--store", "FILE", isRequired: true,
        "the store of token and SIGN ticket, mode 0600; shared by all processes")
    static let host = Option(
        "--host", "HOST", "the host for calls, \(VendorHost.standard) by default; 127.0.0.1:8440 is the sandbox")
    /// What every verb needs.
    static let common = [appId, secretFile, store, host]

    static let kind = Option("--kind", "KIND", choices: ["SIGN", "NONCE"], isRequired: true, "the kind of ticket")
    static let userId = Option("--user-id", "ID", isRequired: true, "the user's id")
    static let nonceUserId = Option("--user-id", "ID", "the user's id, which a NONCE ticket is for")
    static let orderNo = Option("--order-no", "N", isRequired: true, "the order number")
    static let newOrderNo = Option("--order-no", "N", "the order number; a new one by default")
    static let product = Option(
        "--product", "NAME", choices: FaceProduct.withoutIntent.map(\.rawValue),
        "\(FaceProduct.enhanced.rawValue) by default")
    static let identity = Option("--identity", "FILE", "two lines: name, and number of the identity document")
    static let sourcePhoto = Option("--source-photo", "FILE", "a photo of your own to compare with, JPEG or PNG")
    static let bundle = Option("--bundle", "FILE", "the output for the app's launch bundle; uses a NONCE ticket")
    static let launch = Option(
        "--launch", "FILE", "the output for the URL that the user's browser opens; uses a NONCE ticket")
    static let returnURL = Option("--return-url", "URL", "where the browser comes back to; needed by --launch")
    static let ticketOutput = Option("-o", "FILE", isRequired: true, "the output for the ticket")
    static let answer = Option(
        "--answer", "FILE", "the output for the vendor's answer as it came, for evidence-archive append --answer")
    static let photo = Option("--photo", "FILE", "the output for the photo")
    static let video = Option("--video", "FILE", "the output for the video")
    static let wait = Option(
        "--wait", "SECONDS", numbers: 0...600, "how long to repeat the query while there is no result")
    static let folder = Option("--folder", "DIR", isRequired: true, "the folder for the tickets, made with mode 0700")
    static let once = Option(
        flag: "--once", "one pass: renew if that is due, write, and end; fails if the renewal did")
}

extension FaceProduct {
    /// The products that `faceid` can upload for: an intent check needs a text.
    static let withoutIntent = allCases.filter { $0 != .intentCheck }
}

extension Arguments {
    /// The value of an option, if it was given; an invalid one is wrong use.
    func parse<Value>(_ option: Option, _ parse: (String) throws -> Value) throws -> Value? {
        guard let text = self[option] else { return nil }
        do { return try parse(text) } catch let error as EvidenceError where !error.code.isSystem {
            throw CommandError(.usage, "\(option.name): \(error)", hint: error.hint)
        }
    }

    /// The value of an option that must be given.
    func parseRequired<Value>(_ option: Option, _ parse: (String) throws -> Value) throws -> Value {
        guard let value = try self.parse(option, parse) else { throw missing(option) }
        return value
    }

    /// An output, opened before anything is asked for it.
    func output(_ option: Option) throws -> WholeFile? { try self[option].map { try WholeFile(path: $0) } }
}
