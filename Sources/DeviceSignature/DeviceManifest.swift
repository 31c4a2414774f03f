// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
package import VendorTypes

/// What a device signs: which fields with which digests, for which app, order and challenge, and when
/// (`docs/FORMATS.md` §7).
package struct DeviceManifest: Hashable, Sendable {
    /// The version of the form, so far the only one.
    package static let version = "1.0.0"

    /// The integrator.
    package let appId: String
    /// The server's challenge.
    package let challenge: DeviceChallenge
    /// SHA-256 of the text of each field that was present, and of the canonical form of each other member that is
    /// covered: 32 bytes each. At least one.
    package let fields: [CoveredField: [UInt8]]
    /// The order.
    package let orderNo: OrderNumber
    /// When it was signed, by the phone's clock.
    package let recordedAt: UTCTime
    /// The user for whom it was signed, if it says so. Everyone who has the result can read it.
    package let userId: String?

    /// A manifest of these parts.
    ///
    /// - Throws: ``EvidenceError`` (`.deviceSignature`) for an appId or userId that is empty or longer than
    ///   `Limits.statementTextBytes`, for no field, for more than `Limits.deviceMembers` other members, or for a digest
    ///   of the wrong length.
    package init(
        appId: String, challenge: DeviceChallenge, fields: [CoveredField: [UInt8]], orderNo: OrderNumber,
        recordedAt: UTCTime, userId: String? = nil
    ) throws(EvidenceError) {
        for (name, text) in [("appId", appId), ("userId", userId)] {
            guard let text, !(1...Limits.statementTextBytes ~= text.utf8.count) else { continue }
            throw .noManifest("its \(name) must have 1 to \(Limits.statementTextBytes) bytes")
        }
        guard !fields.isEmpty else { throw .noManifest("it covers no field") }
        guard fields.keys.count(where: \.isMember) <= Limits.deviceMembers else {
            throw .noManifest("it covers more than \(Limits.deviceMembers) other members")
        }
        guard fields.values.allSatisfy({ $0.count == Self.digestByteCount }) else {
            throw .noManifest("a digest has the wrong length")
        }
        self.appId = appId
        self.challenge = challenge
        self.fields = fields
        self.orderNo = orderNo
        self.recordedAt = recordedAt
        self.userId = userId
    }

    /// What it covers, in the order of reports: the vendor's fields, then other members by name.
    package var covered: [CoveredField] {
        CoveredField.vendorFields.filter { fields[$0] != nil }
            + fields.keys.filter(\.isMember).sorted { $0.rawValue < $1.rawValue }
    }

    private static let digestByteCount = 32

    /// The manifest as canonical JSON (RFC 8785).
    package var json: [UInt8] {
        let digests = fields.map { ($0.key.rawValue, CanonicalJSON.string(Hex.encode($0.value.span))) }
        var members: [(String, CanonicalJSON)] = [
            ("appId", .string(appId)), ("challenge", .string(challenge.value)), ("fields", .object(digests)),
            ("orderNo", .string(orderNo.value)), ("recordedAt", .string("\(recordedAt)")),
            ("version", .string(Self.version)),
        ]
        if let userId { members.append(("userId", .string(userId))) }
        return CanonicalJSON.object(members).bytes
    }

    /// Reads a manifest.
    ///
    /// - Throws: ``EvidenceError`` (`.deviceSignature`) for anything that is not, byte for byte, what ``json`` writes.
    package init(json: Span<UInt8>) throws(EvidenceError) {
        let document: CanonicalJSON
        do throws(EvidenceError) { document = try CanonicalJSON(reading: json) } catch {
            throw .noManifest("\(error)")
        }
        guard case .object(let all) = document else { throw .noManifest("it is not an object") }
        // Compared as bytes, like all names here.
        func isUser(_ name: String) -> Bool { name.utf8.elementsEqual("userId".utf8) }
        let members = all.filter { !isUser($0.name) }
        var userId: String?
        if let user = all.first(where: { isUser($0.name) }) {
            guard case .string(let text) = user.value else { throw .noManifest("its userId is not a text") }
            userId = text
        }
        // Canonical, so sorted: one list of names is right.
        let names = ["appId", "challenge", "fields", "orderNo", "recordedAt", "version"]
        guard members.count == names.count,
            zip(members, names).allSatisfy({ $0.name.utf8.elementsEqual($1.utf8) }),
            case .string(let appId) = members[0].value, case .string(let challengeText) = members[1].value,
            case .object(let digests) = members[2].value, case .string(let orderText) = members[3].value,
            case .string(let moment) = members[4].value, case .string(let version) = members[5].value
        else { throw .noManifest("its members are not those of a manifest") }
        guard version.utf8.elementsEqual(Self.version.utf8) else { throw .noManifest("its version is unknown") }
        guard let challenge = DeviceChallenge(challengeText) else {
            throw .noManifest("its challenge is not \(DeviceChallenge.shape)")
        }
        guard let orderNo = try? OrderNumber(orderText) else {
            throw .noManifest("its order is not \(ValueForm.orderNo.shape)")
        }
        guard let recordedAt = UTCTime(moment) else {
            throw .noManifest("recordedAt is not a time of the form YYYY-MM-DDThh:mm:ss.sssZ")
        }
        var fields: [CoveredField: [UInt8]] = [:]
        for (name, value) in digests {
            guard let field = CoveredField(rawValue: name) else { throw .noManifest("it covers an unknown field") }
            guard case .string(let text) = value, let digest = try? Hex.decode(Array(text.utf8).span),
                Hex.encode(digest.span).utf8.elementsEqual(text.utf8)
            else { throw .noManifest("the digest of \(field) is not 64 lower-case hexadecimal digits") }
            fields[field] = digest
        }
        try self.init(
            appId: appId, challenge: challenge, fields: fields, orderNo: orderNo, recordedAt: recordedAt,
            userId: userId)
    }
}

extension EvidenceError {
    fileprivate static func noManifest(_ reason: String) -> EvidenceError {
        EvidenceError(.deviceSignature, "what the device signed is not a manifest: \(reason)")
    }
}
