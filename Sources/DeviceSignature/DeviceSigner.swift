// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
public import EvidenceStreams
public import VendorTypes

/// Signs results on a phone, with a key whose private half never comes here.
///
/// An example: <doc:SealingPayloads>.
public struct DeviceSigner: Sendable {
    /// The public half: what the backend has registered.
    public let publicKey: P256PublicKey
    private let sign: @Sendable (_ signingInput: [UInt8]) throws -> P256Signature

    /// A signer for a key.
    ///
    /// - Parameters:
    ///   - publicKey: the public half of the key.
    ///   - sign: gets the signing input of the JWS and returns the key's signature over it, ECDSA with SHA-256,
    ///     which does the hashing: as r ‖ s (``P256Signature/init(rawRepresentation:)``, CryptoKit) or as DER
    ///     (``P256Signature/init(derRepresentation:)``, `SecKeyCreateSignature`, Android's Keystore). It is called on
    ///     the thread that writes, and may ask the user. Where it throws, so does
    ///     ``DeviceSigningDestination/write(_:)``: See ``EvidenceError/underlying``.
    public init(
        _ publicKey: P256PublicKey, sign: @escaping @Sendable (_ signingInput: [UInt8]) throws -> P256Signature
    ) {
        self.publicKey = publicKey
        self.sign = sign
    }

    /// A signer with a key in memory: for tests and simulators.
    public init(_ key: P256PrivateKey) {
        self.init(key.publicKey) { input in try key.signature(for: input.span) }
    }

    /// A manifest, signed: the text of `deviceSignature`.
    ///
    /// - Throws: ``EvidenceError``: `.keyFailed` where the closure threw (its error is in `underlying`),
    ///   `.deviceSignature` where what it returned does not hold under the public key, or `.openSSL`.
    func jws(_ manifest: DeviceManifest) throws(EvidenceError) -> [UInt8] {
        let header = Base64URL.encode(DeviceJWS.header(of: publicKey.thumbprint).span)
        let input = header + [DeviceJWS.separator] + Base64URL.encode(manifest.json.span)
        let signature: P256Signature
        do { signature = try sign(input) } catch {
            throw EvidenceError(.keyFailed, "the device's key did not sign", underlying: error)
        }
        guard try publicKey.isValid(signature, for: input.span) else {
            throw EvidenceError(
                .deviceSignature, "what the device's key returned is not its signature of the given input",
                hint:
                    "sign with ECDSA and SHA-256, and sign the input, not its digest"
            )
        }
        return input + [DeviceJWS.separator] + Base64URL.encode(signature.rawRepresentation.span)
    }
}

/// Passes a result through, and adds a device's signature over it as its last member: whoever writes the result,
/// and however its video is sealed. One pass, in constant memory.
///
/// An example: <doc:SealingPayloads>.
public final class DeviceSigningDestination: ByteDestination {
    private let destination: any ByteDestination
    private let signer: DeviceSigner
    private let orderNo: OrderNumber
    private let appId: String
    private let challenge: DeviceChallenge
    private let recordedAt: UTCTime
    private let members: Set<CoveredField>
    private let userId: String?
    private var reader = SignedDocumentReader()
    private var byteCount: UInt64 = 0
    private var isSigned = false

    /// A destination that signs what is written through it.
    ///
    /// - Parameters:
    ///   - destination: gets the signed result.
    ///   - signer: what signs.
    ///   - orderNo: the order of the session; the result must not name another one.
    ///   - appId: your appId.
    ///   - challenge: the challenge that the server issued for the order.
    ///   - recordedAt: the current time.
    ///   - members: the other members of the result to cover, where it has them. The vendor's fields always are.
    ///   - userId: the user to name; `nil` for none. Everyone who has the result can read it.
    public init(
        _ destination: any ByteDestination, signer: DeviceSigner, orderNo: OrderNumber, appId: String,
        challenge: DeviceChallenge, recordedAt: UTCTime, covering members: Set<CoveredField> = vendorMembers,
        userId: String? = nil
    ) {
        self.destination = destination
        self.signer = signer
        self.orderNo = orderNo
        self.appId = appId
        self.challenge = challenge
        self.recordedAt = recordedAt
        self.members = members
        self.userId = userId
    }

    /// The vendor's own members beside its fields: the error, and what an intent check adds.
    public static let vendorMembers: Set<CoveredField> = [.error, .willModeResult]

    /// That of the wrapped destination.
    public var isWithheldUntilFinished: Bool { destination.isWithheldUntilFinished }

    /// Writes the rest of a source, and finishes.
    ///
    /// - Throws: ``EvidenceError``, as ``write(_:)`` and ``finish()``.
    public func sign(_ source: any ByteSource) throws(EvidenceError) {
        try orAbandon { () throws(EvidenceError) in
            try source.forEachChunk { chunk throws(EvidenceError) in
                try write(chunk)
                return true
            }
            try finish()
        }
    }

    /// Takes the next bytes of the result.
    ///
    /// - Throws: ``EvidenceError``: `.json`, `.limit`, `.type` or `.ambiguous` for anything but a result that can be
    ///   signed, or is signed already, `.otherOrder`, `.deviceSignature` for a member that is to be covered and cannot
    ///   be, what the signer throws, or what the destination throws.
    public func write(_ bytes: Span<UInt8>) throws(EvidenceError) {
        let start = byteCount
        byteCount += UInt64(bytes.count)
        try reader.append(bytes)
        guard !isSigned, let end = reader.end else { return try destination.write(bytes) }
        isSigned = true
        let before = Int(end - start)
        try destination.write(bytes.extracting(..<before))
        var member = Array(",\"\(SignedDocument.memberName)\":\"".utf8)
        member += try signature(over: reader.found())
        member.append(UInt8(ascii: "\""))
        try destination.write(member.span)
        try destination.write(bytes.extracting(before...))
    }

    /// Finishes the destination.
    ///
    /// - Throws: ``EvidenceError`` (`.json`) where the result is cut off, or what the destination throws.
    public func finish() throws(EvidenceError) {
        _ = try reader.finish()
        try destination.finish()
    }

    /// Discards what was written.
    public func abandon() { destination.abandon() }

    private func signature(over document: SignedDocument) throws(EvidenceError) -> [UInt8] {
        guard document.signature == nil, !document.isMisplaced else {
            throw EvidenceError(.ambiguous, "the result already has a \(SignedDocument.memberName)")
        }
        guard document.orders.allSatisfy({ $0.elementsEqual(orderNo.value.utf8) }) else {
            throw EvidenceError(.otherOrder, "the result is for a different order than the one to be signed")
        }
        var fields = document.digests
        for (member, digest) in document.members where members.contains(member) {
            do throws(EvidenceError) { fields[member] = try digest.get() } catch {
                throw EvidenceError(
                    .deviceSignature, "\(member) cannot be covered: \(error)",
                    hint: "write its numbers as text, or cover a member that has its SHA-256 instead")
            }
        }
        let manifest = try DeviceManifest(
            appId: appId, challenge: challenge, fields: fields, orderNo: orderNo, recordedAt: recordedAt,
            userId: userId)
        return try signer.jws(manifest)
    }
}
