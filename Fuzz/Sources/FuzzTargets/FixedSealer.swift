// SPDX-License-Identifier: Apache-2.0
import EvidenceCrypto
import EvidenceEncoding
import EvidenceKit

/// Seals under one content key, as a sender can who wants one document to be two: whole fields, or single chunks of any
/// length with a valid tag for any place.
struct FixedSealer {
    /// The text of the wrapped key.
    let wrapped: String
    private let context: [UInt8]

    /// - Parameter field: the field that is sealed, for the order `ord1`.
    init(_ field: String) throws {
        let wrapped = try Keys.own.publicKey.wrap(Self.key(), as: Profile.evidenceV2.wrapping)
        self.wrapped = String(decoding: Base64.encode(wrapped.span), as: UTF8.self)
        context = Array("evidence-v2\n\(field)\nord1\n".utf8)
    }

    private static func key() throws -> AESKey {
        let bytes = [UInt8](0..<32)
        return try AESKey(importing: SecretBytes(copying: bytes.span))
    }

    private func sealer(after count: Int = 0) throws -> ChunkSealer {
        try ChunkSealer(Self.key(), salt: [UInt8](0..<24), context: context.span, after: UInt64(count))
    }

    func seal(_ content: [UInt8]) throws -> [UInt8] {
        var sealer = try sealer()
        var sealed = sealer.header
        try sealer.append(content.span, to: &sealed)
        try sealer.finish(to: &sealed)
        return sealed
    }

    /// Salt and commitment.
    func header() throws -> [UInt8] { try sealer().header }

    /// One chunk of at most 16,384 bytes.
    func chunk(_ number: Int, _ content: ArraySlice<UInt8>) throws -> [UInt8] {
        var sealer = try sealer(after: number)
        var sealed: [UInt8] = []
        try sealer.append(Array(content).span, to: &sealed)
        // Behind a full chunk this adds an empty one.
        try sealer.finish(to: &sealed)
        return Array(sealed.prefix(content.count + 16))
    }
}
