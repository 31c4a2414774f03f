// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors

/// Applies the inner encoding to content before sealing, in pieces.
struct InnerEncoder {
    private let inner: Profile.Inner
    private var base64 = Base64Encoder()
    private var hasBegun = false

    init(_ inner: Profile.Inner) { self.inner = inner }

    /// Appends the encoded next piece.
    mutating func append(_ content: Span<UInt8>, to sealed: inout [UInt8]) {
        begin(&sealed)
        base64.append(content, to: &sealed)
    }

    mutating func finish(to sealed: inout [UInt8]) {
        begin(&sealed)
        base64.finish(to: &sealed)
    }

    private mutating func begin(_ sealed: inout [UInt8]) {
        // What is sealed here is a video.
        if inner == .dataURI, !hasBegun { sealed += "data:video/mp4;base64,".utf8 }
        hasBegun = true
    }
}

/// Decodes the inner encoding of opened content, in pieces.
///
/// A fault is reported only by ``finish(to:)``: before the tag or the padding is checked, it would tell a
/// stranger something about the content.
struct InnerDecoder {
    /// A possible data URI's prefix (RFC 2397), until its comma.
    private var front: [UInt8]?
    private var decoder = TextDecoder(.base64Lines)
    private var isBroken = false

    init(_ inner: Profile.Inner) { front = inner == .dataURI ? [] : nil }

    /// Appends the decoded next piece of opened content.
    mutating func append(_ opened: Span<UInt8>, to content: inout [UInt8]) {
        guard !isBroken else { return }
        var start = 0
        while var held = front.take() {
            guard start < opened.count, held.count < Limits.dataURIBytes else {
                front = held
                isBroken = held.count == Limits.dataURIBytes
                return
            }
            let byte = opened[start]
            start += 1
            if byte == UInt8(ascii: ",") {
                isBroken = !held.starts(with: "data:".utf8) || !held.suffix(7).elementsEqual(";base64".utf8)
                break
            }
            held.append(byte)
            front = held
        }
        guard !isBroken else { return }
        do throws(EvidenceError) { try decoder.append(opened.extracting(start...), to: &content) } catch {
            isBroken = true
        }
    }

    /// - Returns: whether all of it had the encoding that the profile names.
    mutating func finish(to content: inout [UInt8]) -> Bool {
        guard !isBroken, front == nil else { return false }
        do throws(EvidenceError) { try decoder.finish(to: &content) } catch { return false }
        return true
    }
}
