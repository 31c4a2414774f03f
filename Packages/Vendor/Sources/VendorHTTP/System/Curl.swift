// SPDX-License-Identifier: Apache-2.0
// libcurl: the only place of this module with pointers.
internal import CVendorHTTP
internal import Dispatch

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// libcurl's connections, and the thread that moves bytes over them.
@safe
final class Curl: Sendable {
    /// What is sent.
    struct Request {
        /// The caller's, another for each.
        let number: UInt64
        /// `nil`: there is no body.
        var contentType: String?
        var body: [UInt8] = []
        /// Whether only the head of an answer is asked for.
        var isHead = false
        /// Of the answer's body in bytes.
        let limit: Int
    }

    /// How a request ended.
    struct End: Sendable {
        let number: UInt64
        let kind: vendor_http_kind
        let status: Int
        let body: [UInt8]
        /// libcurl's number and words, which may contain the password of a proxy.
        let code: Int
        let text: String
    }

    private nonisolated(unsafe) let http: OpaquePointer

    /// - Parameter ended: called for each request, once, on libcurl's thread.
    /// - Returns: `nil` without memory.
    init?(_ ended: @escaping @Sendable (End) -> Void) {
        guard let http = unsafe vendor_http_new() else { return nil }
        unsafe self.http = unsafe http
        nonisolated(unsafe) let shared = unsafe http
        DispatchQueue(label: "VendorHTTP").async {
            var end = unsafe vendor_http_end()
            while unsafe vendor_http_wait(shared, &end) {
                unsafe ended(
                    End(
                        number: end.number, kind: end.kind, status: end.status,
                        body: Array(UnsafeBufferPointer(start: end.body, count: end.count)), code: Int(end.code),
                        text: String(cString: end.text)))
            }
            unsafe vendor_http_free(shared)
        }
    }

    deinit { unsafe vendor_http_stop(http) }

    /// - Parameter url: in ASCII.
    /// - Returns: whether there was memory for it.
    func send(_ request: Request, to url: Span<UInt8>) -> Bool {
        var c = unsafe vendor_http_request()
        unsafe c.number = request.number
        unsafe c.is_head = request.isHead
        unsafe c.limit = request.limit
        return unsafe url.withUnsafeBufferPointer { url in
            unsafe c.url = url.baseAddress
            unsafe c.url_count = url.count
            guard let type = request.contentType else { return unsafe vendor_http_send(http, &c) }
            return unsafe "Content-Type: \(type)".withCString { type in
                unsafe request.body.withUnsafeBufferPointer { body in
                    unsafe c.type = unsafe type
                    unsafe c.body = body.baseAddress
                    unsafe c.body_count = body.count
                    return unsafe vendor_http_send(http, &c)
                }
            }
        }
    }

    /// What the environment has of these names.
    static func environment(_ names: [String]) -> [String: String] {
        names.reduce(into: [:]) { found, name in found[name] = unsafe getenv(name).map { unsafe String(cString: $0) } }
    }

    /// Ends a request, if it has not ended.
    func cancel(_ number: UInt64) { unsafe vendor_http_cancel(http, number) }
}
