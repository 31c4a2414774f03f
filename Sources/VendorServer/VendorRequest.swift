// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
internal import VendorSigning

/// A request to the vendor's server, ready to be sent by any HTTP client.
///
/// Its URL may contain the app's secret or an access token, and its body names a person. So neither is part of its
/// description, and the URL is only lent: do not log it, and make sure that your HTTP library does not.
public final class VendorRequest: Sendable, Concealed {
    /// The method. The server answers other methods with 405.
    public enum Method: String, Sendable {
        /// Values in the URL, no body.
        case get = "GET"
        /// A JSON body.
        case post = "POST"
    }

    /// How it is sent.
    public let method: Method
    /// The host.
    package let host: VendorHost
    /// The path, which names the call.
    public let path: String
    /// The body, JSON in UTF-8; empty for ``Method/get``. It names a person: do not log it.
    public let body: [UInt8]
    private let url: SecretBytes

    /// The media type of ``body``; `nil` where there is none.
    public var contentType: String? { method == .post ? "application/json; charset=UTF-8" : nil }

    /// Lends the URL, in ASCII, to `body`, which must not keep it: it may contain a secret.
    ///
    /// - Throws: what `body` throws.
    public func withExposedURL<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try url.withExposedBytes(body)
    }

    /// Method, host and path; no values.
    public var description: String { "\(method.rawValue) \(host)\(path)" }
    /// - Parameters:
    ///   - query: names and values; a value of `nil` stands for the secret.
    ///   - secret: empty if there is none.
    init(
        _ method: Method, _ host: VendorHost, _ path: String, query: [(name: String, value: String?)],
        secret: Span<UInt8>, body: [UInt8] = []
    ) {
        self.method = method
        self.host = host
        self.path = path
        self.body = body
        let beginning = "\(host.scheme)://\(host)\(path)"
        // Three characters for one, at most.
        let capacity = query.reduce(beginning.utf8.count + 3 * secret.count) { sum, item in
            sum + item.name.utf8.count + 2 + 3 * (item.value?.utf8.count ?? 0)
        }
        url = SecretBytes(capacity: capacity) { out in
            for byte in beginning.utf8 { out.append(byte) }
            for (index, (name, value)) in query.enumerated() {
                out.append(UInt8(ascii: index == 0 ? "?" : "&"))
                for byte in name.utf8 { out.append(byte) }
                out.append(UInt8(ascii: "="))
                if let value {
                    for byte in value.utf8 { appendPercentEncoded(byte, to: &out) }
                } else {
                    for i in secret.indices { appendPercentEncoded(secret[i], to: &out) }
                }
            }
        }
    }

    /// A POST: the order number is also in the URL, where the vendor uses it to trace calls.
    convenience init(post path: String, to host: VendorHost, of orderNo: String, body: [UInt8]) {
        let none: [UInt8] = []
        self.init(.post, host, path, query: [("orderNo", orderNo)], secret: none.span, body: body)
    }
}

/// A body that names a person, hidden from printing.
struct PersonalBody: Sendable, Concealed {
    let bytes: [UInt8]

    var description: String { "\(bytes.count) bytes" }
}

/// An answer that may be a refusal.
public protocol VendorReply: Sendable {
    /// The refusal; `nil` if the vendor accepted the call.
    var refusal: VendorRefusal? { get }
}

/// A call to the vendor's server: what is sent, and how its answer is read.
///
/// A call can only be made of well-formed values, and is signed when it is made, over exactly the values it
/// sends.
public protocol VendorCall: Sendable {
    /// The content of its answer.
    associatedtype Answer: VendorReply

    /// Whether it may be sent again when it is unknown whether it was carried out: it only queries, and changes nothing
    /// that a second time would change again. Sign such a call again each time.
    var isSafeToRepeat: Bool { get }

    /// The request.
    func request(to host: VendorHost) -> VendorRequest

    /// Reads the answer. An answer to any other call is refused, whatever its code.
    ///
    /// - Parameters:
    ///   - body: the body of an answer with an HTTP status of 2xx, which the vendor also uses for refusals.
    ///   - sent: when the request was sent. What the answer contains is at least that old.
    /// - Throws: ``EvidenceError``: `.otherAnswer`; `.json`, `.type`, `.missing` and the like if it is not an answer.
    func read(_ body: any ByteSource, sent: ContinuousClock.Instant) throws(EvidenceError) -> Answer
}

extension VendorCall {
    /// No, unless a call says so: a second time may be billed, use up an order number, or end a token.
    public var isSafeToRepeat: Bool { false }
}
