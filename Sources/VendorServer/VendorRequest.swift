// SPDX-License-Identifier: Apache-2.0
internal import EvidenceCrypto
public import EvidenceErrors
public import EvidenceStreams
internal import VendorSigning

/// A request to the vendor's server, ready to be sent, by whatever speaks HTTP.
///
/// Its URL may carry the app's secret or an access token, and its body names a person. So neither is part of its
/// description, and the URL is lent: do not log it, and see to it that your HTTP library does not.
public final class VendorRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// How it is sent. The server answers another method with 405.
    public enum Method: String, Sendable {
        /// Values in the URL, no body.
        case get = "GET"
        /// A JSON body.
        case post = "POST"
    }

    /// How it is sent.
    public let method: Method
    /// Where to.
    public let host: VendorHost
    /// The path, which is the name of the call.
    public let path: String
    /// The body, JSON in UTF-8; empty for ``Method/get``. It names a person: do not log it.
    public let body: [UInt8]
    private let url: SecretBytes

    /// The media type of ``body``; `nil` where there is none.
    public var contentType: String? { method == .post ? "application/json; charset=UTF-8" : nil }

    /// Lends the URL, ASCII, to `body`, which must not keep it: it may carry a secret.
    ///
    /// - Throws: what `body` throws.
    public func withExposedURL<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try url.withExposedBytes(body)
    }

    /// Method, host and path; no values.
    public var description: String { "\(method.rawValue) \(host)\(path)" }
    /// Empty: `dump` would show stored properties.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

    /// - Parameters:
    ///   - query: names and values; the value `nil` stands for the secret.
    ///   - secret: empty where there is none.
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

    /// A POST: the order number stands in the URL as well, where the vendor traces calls by it.
    convenience init(post path: String, to host: VendorHost, of orderNo: String, body: [UInt8]) {
        let none: [UInt8] = []
        self.init(.post, host, path, query: [("orderNo", orderNo)], secret: none.span, body: body)
    }
}

/// A body that names a person, in a value that could be printed.
struct PersonalBody: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    var description: String { "\(bytes.count) bytes" }
    var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// What came back to a call, as far as it is a refusal.
public protocol VendorReply: Sendable {
    /// What the vendor refused with; `nil` where it did what was asked.
    var refusal: VendorRefusal? { get }
}

/// A call of the vendor's server: what is sent, and how its answer is read.
///
/// A call can only be made of values that have their forms, and is signed when it is made, over the very values it
/// sends.
public protocol VendorCall: Sendable {
    /// What its answer says.
    associatedtype Answer: VendorReply

    /// Whether it may be sent again when nobody knows whether it was carried out: it asks, and changes nothing that a
    /// second time would change again. Sign such a call anew each time.
    var isSafeToRepeat: Bool { get }

    /// The request.
    func request(to host: VendorHost) -> VendorRequest

    /// Reads the answer. Any answer but one to this call is refused, whatever code it has.
    ///
    /// - Parameters:
    ///   - body: what came back with an HTTP status of 2xx: the vendor refuses with such a status, too.
    ///   - sent: when the request was sent. What the answer brings is not younger than that.
    /// - Throws: ``EvidenceError``: `.otherAnswer`; `.json`, `.type`, `.missing` and the like for what is no answer.
    func read(_ body: any ByteSource, sent: ContinuousClock.Instant) throws(EvidenceError) -> Answer
}
