// SPDX-License-Identifier: Apache-2.0
import EvidenceKit

// A server that keeps videos: how a request's body is opened while it arrives, whatever carries it.

/// One upload: its order is the one the server gave out, and the video has its name once it is proven.
func keepVideo<Body: AsyncSequence>(
    _ body: Body, of order: OrderNumber, with key: RSAPrivateKey, at path: String
) async throws -> UInt64 where Body.Element == [UInt8] {
    let file = try WholeFile(path: path)
    return try await body.received(by: PayloadOpener(key).receiver(of: order, into: file)).byteCount
}
