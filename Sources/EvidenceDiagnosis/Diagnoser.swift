// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
public import EvidenceErrors
internal import EvidencePayload
public import EvidenceStreams

/// Finds out why a payload does not open, and which profile opens it.
///
/// Read the warning of ``Diagnosis`` first.
///
/// An example: <doc:DiagnosingPayloads>.
public struct Diagnoser: Sendable {
    /// A private key that may be the right one.
    public struct Key: Sendable {
        /// Its name in the diagnosis.
        package let name: String
        /// The key.
        package let key: any DecryptionKey

        /// A key with a name.
        public init(_ name: String, _ key: any DecryptionKey) {
            self.name = name
            self.key = key
        }
    }

    private let keys: [Key]
    private let ivs: [IVChoice]
    private let labels: [[UInt8]]

    /// - Parameters:
    ///   - keys: the private keys that may be the right one.
    ///   - iv: the IV, if known from elsewhere: its bytes, or its text as in a configuration, which
    ///     is tried as it is and decoded from base64 and hex.
    ///   - oaepLabel: the label of OAEP, if known from elsewhere. The empty label and the order number are always
    ///     tried.
    public init(keys: [Key], iv: [UInt8]? = nil, oaepLabel: [UInt8]? = nil) {
        self.keys = keys
        labels = oaepLabel.map { [$0] } ?? []
        guard let iv else {
            ivs = []
            return
        }
        ivs = [
            (IVChoice.asGiven, iv), ("decoded from base64", try? Base64.decode(iv.span)),
            ("decoded from hex", try? Hex.decode(iv.span)),
        ]
        .compactMap { name, bytes in bytes.map { IVChoice(.caller, reading: name, bytes: $0, reach: .given) } }
    }

    /// Diagnoses a payload.
    ///
    /// The content is examined from both ends and read through once to confirm, in constant memory.
    ///
    /// - Parameters:
    ///   - payload: the payload.
    ///   - repairs: repairs to apply first, to a copy.
    ///   - destination: gets the repaired payload, if a profile opens it, or would but for the IV; otherwise it is left
    ///     unfinished.
    /// - Throws: ``EvidenceError`` if reading, writing or OpenSSL failed; faults of the payload are in the answer.
    public func diagnose(
        _ payload: any ByteSource, repairing repairs: Set<PayloadRepair> = [],
        into destination: (any ByteDestination)? = nil
    ) throws(EvidenceError) -> Diagnosis {
        let session = Session(keys, ivs, labels)
        let verdict: Diagnosis.Verdict
        let source: any ByteSource
        do {
            var repaired = try payload.seekable()
            // The wrapped key is known only once it is unwrapped.
            if !repairs.subtracting([.wrappedKey]).isEmpty {
                let spool = SealedSpool(memoryLimit: Limits.spoolMemoryBytes)
                try PayloadRepair.apply(repairs, to: repaired, into: spool)
                repaired = spool
            }
            for repair in PayloadRepair.allCases where repairs.contains(repair) {
                session.note("repair", "\(repair.rawValue), because it was asked for")
            }
            verdict = try session.run(repaired)
            source = repaired
        } catch let fault as Fault {
            return Diagnosis(findings: session.findings, verdict: .closed(fault.cause))
        } catch let error as EvidenceError {
            guard !error.code.isSystem else { throw error }
            let advice = error.hint ?? "ask for the payload as the SDK returned it, before anything rewrote it"
            let cause = Diagnosis.Cause(.payload, "the payload cannot be read: \(error)", advice)
            return Diagnosis(findings: session.findings, verdict: .closed(cause))
        } catch { throw EvidenceError(.openSSL, "\(error)") }
        let isMended = repairs.contains(.wrappedKey)
        let needed: PayloadRepair? = session.mended == nil || isMended ? nil : .wrappedKey
        if let destination, verdict.namesProfile {
            let written: any ByteSource = isMended ? session.mended ?? source : source
            try written.seek(to: 0)
            try written.forEachChunk { chunk throws(EvidenceError) in
                try destination.write(chunk)
                return true
            }
            try destination.finish()
        }
        return Diagnosis(findings: session.findings, verdict: verdict.needing(needed))
    }
}

extension Diagnosis.Verdict {
    fileprivate var namesProfile: Bool {
        switch self {
        case .opens: true
        case .unproven(let guess): guess.profile != nil
        case .closed: false
        }
    }

    /// The same, with the repair that comes first.
    fileprivate func needing(_ repair: PayloadRepair?) -> Self {
        switch self {
        case .opens(var match):
            match.repair = repair
            return .opens(match)
        case .unproven(var guess):
            guess.repair = guess.profile == nil ? nil : repair
            return .unproven(guess)
        case .closed: return self
        }
    }
}

/// A key for diagnosis: whether its substitutes last does not matter to its holder, who sees every answer anyway, and a
/// guess under PKCS#1 v1.5 without a tag can be confirmed with a key on a token as well.
struct DiagnosedKey: DecryptionKey {
    private let key: any DecryptionKey
    let substituteSecret: SubstituteSecret
    var publicKey: RSAPublicKey { key.publicKey }

    init(_ key: any DecryptionKey) throws(EvidenceError) {
        self.key = key
        var random = try randomNonce(byteCount: 32)
        substituteSecret = try SubstituteSecret(lasting: SecretBytes(wiping: &random))
    }

    func decrypt(_ wrapped: Span<UInt8>, _ padding: OAEP) throws(EvidenceError) -> SecretBytes {
        try key.decrypt(wrapped, padding)
    }

    func decryptRaw(_ block: Span<UInt8>) throws(EvidenceError) -> SecretBytes { try key.decryptRaw(block) }
}
