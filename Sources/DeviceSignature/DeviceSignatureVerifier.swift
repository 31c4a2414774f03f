// SPDX-License-Identifier: Apache-2.0
public import EvidenceCrypto
internal import EvidenceEncoding
package import EvidenceErrors
package import EvidenceStreams
package import VendorTypes

/// The keys that are registered for a user, or for an installation of the app.
///
/// How a key was registered is up to the caller, and decides what a signature is worth: a key accepted on its first use
/// proves only that it is the same installation again (`docs/LIMITATIONS.md`).
public struct RegisteredDeviceKeys: Sendable {
    private let find: @Sendable (_ thumbprint: String) throws(EvidenceError) -> P256PublicKey?

    /// These keys.
    public init(_ keys: [P256PublicKey]) {
        let keys = Dictionary(keys.map { ($0.thumbprint, $0) }, uniquingKeysWith: { first, _ in first })
        find = { keys[$0] }
    }

    /// Keys that are looked up by thumbprint: in a folder, in a table.
    ///
    /// - Parameter find: the key that is registered under a thumbprint, 43 characters of base64url; `nil` for none.
    ///   See ``key(_:)`` for what it throws.
    package init(finding find: @escaping @Sendable (_ thumbprint: String) throws(EvidenceError) -> P256PublicKey?) {
        self.find = find
    }

    /// The key that is registered under a thumbprint; `nil` for none.
    ///
    /// - Throws: ``EvidenceError``: what the lookup throws, or `.wrongKindOfKey` if it returned another key.
    package func key(_ thumbprint: String) throws(EvidenceError) -> P256PublicKey? {
        guard let key = try find(thumbprint) else { return nil }
        guard key.thumbprint == thumbprint else {
            throw EvidenceError(
                .wrongKindOfKey,
                "the key registered under the thumbprint \(thumbprint) has a different thumbprint: \(key.thumbprint)",
                hint: "register each key under its own thumbprint; in a folder of keys, that is the file's name")
        }
        return key
    }
}

/// Checks the device's signature of a result. All expected values come from the caller's own records, never from the
/// result.
///
/// Its last step is ``DeviceSignatureVerification/claimingChallenge(in:)``. An example: <doc:SealingPayloads>.
package struct DeviceSignatureVerifier: Sendable {
    /// How old a signature may be; `nil` for any age.
    package var maximumAge: Duration?
    /// The user whose order it is; `nil` for any. A signature that names no user is not refused.
    package var userId: String?

    private let keys: RegisteredDeviceKeys
    private let orderNo: OrderNumber
    private let appId: String
    private let challenge: DeviceChallenge
    private let now: UTCTime

    /// - Parameters:
    ///   - keys: those registered for the user whose order it is, or for the installation.
    ///   - orderNo: the order that you issued and are waiting for.
    ///   - appId: your appId, which the device must have signed.
    ///   - challenge: the challenge that you issued with it.
    ///   - now: the current time.
    package init(
        keys: RegisteredDeviceKeys, expecting orderNo: OrderNumber, appId: String, challenge: DeviceChallenge,
        at now: UTCTime
    ) {
        self.keys = keys
        self.orderNo = orderNo
        self.appId = appId
        self.challenge = challenge
        self.now = now
    }

    /// Reads a result to its end and says whether a registered device signed it.
    ///
    /// - Throws: ``EvidenceError`` if the system failed or a registered key is unusable. Faults of
    ///   the result itself are in the answer.
    package func verify(_ source: any ByteSource) throws(EvidenceError) -> DeviceSignatureVerification {
        let receiver = receiver()
        try source.forEachChunk { chunk throws(EvidenceError) in
            try receiver.append(chunk)
            return true
        }
        return try receiver.finish()
    }

    /// Checks a result that arrives in pieces.
    package func receiver() -> DeviceSignatureReceiver { DeviceSignatureReceiver(self) }

    /// The outcome for a document that was read.
    ///
    /// - Parameter committed: the wrapped keys whose field was opened, in the same check, under a format that commits
    ///   to its content key: those may have been wrapped again.
    package func verification(
        of document: SignedDocument, committed: Set<CoveredField> = []
    ) throws(EvidenceError) -> DeviceSignatureVerification {
        func refused(_ reason: DeviceSignatureRefusal.Reason, _ detail: String) -> DeviceSignatureVerification {
            .refused(DeviceSignatureRefusal(reason, detail))
        }
        guard !document.isMisplaced else {
            return refused(.place, "it is in an inner object, not in the outermost one")
        }
        guard let text = document.signature else {
            return refused(.missing, "the result has no \(SignedDocument.memberName)")
        }
        let jws: DeviceJWS
        do throws(DeviceSignatureRefusal) { jws = try DeviceJWS(text) } catch { return .refused(error) }
        guard let key = try keys.key(jws.thumbprint) else {
            return refused(.unknownKey, "no key with the thumbprint \(jws.thumbprint) is registered")
        }
        guard let signature = try? P256Signature(rawRepresentation: jws.signature),
            try key.isValid(signature, for: jws.signingInput.span)
        else { return refused(.signature, "it does not verify with the key \(key.thumbprint)") }
        let manifest: DeviceManifest
        do throws(EvidenceError) { manifest = try DeviceManifest(json: jws.manifest.span) } catch {
            return refused(.manifest, "\(error)")
        }
        if let refusal = unmetExpectation(manifest, document) { return .refused(refusal) }
        let findings = findings(manifest, document, committed)
        let wrong = findings.filter { $0.difference != .rewrapped }
        guard wrong.isEmpty else {
            let words = wrong.map(\.description).joined(separator: ", ")
            return .refused(
                DeviceSignatureRefusal(.fields, "the fields are not as the device signed them: \(words)", wrong))
        }
        return .signed(
            DeviceSignedResult(
                key: key, manifest: manifest, rewrapped: findings.map(\.field),
                uncovered: document.others.filter { path in
                    !manifest.fields.keys.contains { $0.isMember && $0.rawValue == path }
                }, isForExpectedUser: userId != nil && manifest.userId != nil))
    }

    /// The first expectation that the manifest, or the document's order, does not meet.
    private func unmetExpectation(_ manifest: DeviceManifest, _ document: SignedDocument) -> DeviceSignatureRefusal? {
        guard manifest.orderNo == orderNo else {
            return DeviceSignatureRefusal(.order, "it is for a different order than \(orderNo)")
        }
        guard document.orders.allSatisfy({ $0.elementsEqual(orderNo.value.utf8) }) else {
            return DeviceSignatureRefusal(.order, "the document names a different order than \(orderNo)")
        }
        guard manifest.appId.utf8.elementsEqual(appId.utf8) else {
            return DeviceSignatureRefusal(.app, "it is for a different appId")
        }
        if let userId, let signed = manifest.userId, !signed.utf8.elementsEqual(userId.utf8) {
            return DeviceSignatureRefusal(.user, "it is for a different user")
        }
        guard manifest.challenge == challenge else {
            return DeviceSignatureRefusal(.challenge, "it is for a different challenge")
        }
        let age = now.millisecondsSince1970 - manifest.recordedAt.millisecondsSince1970
        guard -age <= Limits.phoneClockAheadSeconds * 1_000 else {
            return DeviceSignatureRefusal(
                .moment, "\(manifest.recordedAt) is in the future as of \(now)")
        }
        if let maximumAge, .milliseconds(age) > maximumAge {
            return DeviceSignatureRefusal(.moment, "\(manifest.recordedAt) is too old as of \(now)")
        }
        return nil
    }

    /// The fields that are not as they were signed.
    private func findings(
        _ manifest: DeviceManifest, _ document: SignedDocument, _ committed: Set<CoveredField>
    ) -> [CoveredFieldFinding] {
        let fields: [CoveredFieldFinding] = CoveredField.vendorFields.compactMap { field in
            switch (manifest.fields[field], document.digests[field]) {
            case (nil, nil): nil
            case (_?, nil): CoveredFieldFinding(field, .removed)
            case (nil, _?): CoveredFieldFinding(field, .notCovered)
            case (let signed?, let found?) where signed == found: nil
            default:
                CoveredFieldFinding(
                    field, field.isWrappedKey && committed.contains(field) ? .rewrapped : .changed)
            }
        }
        // One that has no digest is not what was signed.
        return fields
            + manifest.covered.filter(\.isMember).compactMap { member in
                switch document.members[member] {
                case nil: CoveredFieldFinding(member, .removed)
                case .success(let found) where found == manifest.fields[member]: nil
                default: CoveredFieldFinding(member, .changed)
                }
            }
    }
}

/// Takes a result in pieces and says whether a registered device signed it: ``DeviceSignatureVerifier/receiver()``.
package final class DeviceSignatureReceiver: ByteReceiver {
    private let verifier: DeviceSignatureVerifier
    private var reader = SignedDocumentReader()
    private var fault: EvidenceError?

    init(_ verifier: DeviceSignatureVerifier) { self.verifier = verifier }

    /// Takes the next bytes of the result.
    ///
    /// - Throws: ``EvidenceError`` where the system failed.
    package func append(_ bytes: Span<UInt8>) throws(EvidenceError) {
        guard fault == nil else { return }
        do throws(EvidenceError) { try reader.append(bytes) } catch { try note(error) }
    }

    /// After the last byte: the outcome, except for the use of the challenge, which is a separate step:
    /// ``DeviceSignatureVerification/claimingChallenge(in:)``.
    ///
    /// - Throws: ``EvidenceError``, as ``DeviceSignatureVerifier/verify(_:)``.
    package func finish() throws(EvidenceError) -> DeviceSignatureVerification {
        var document: SignedDocument?
        if fault == nil {
            do throws(EvidenceError) { document = try reader.finish() } catch { try note(error) }
        }
        guard let document else {
            return .refused(DeviceSignatureRefusal(.document, fault.map { "\($0)" } ?? "it cannot be read"))
        }
        return try verifier.verification(of: document)
    }

    /// Does nothing: nothing is kept.
    package func abandon() {}

    private func note(_ error: EvidenceError) throws(EvidenceError) {
        if error.code.isSystem { throw error }
        fault = error
    }
}
