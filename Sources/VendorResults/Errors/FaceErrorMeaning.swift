// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

/// Codes that belong together: the same number means different things in different families.
public enum FaceCodeFamily: Hashable, Sendable, CustomStringConvertible {
    /// A domain of the SDKs.
    case sdk(WBFaceErrorDomain)
    /// The vendor's server: the code of an answer, and what the SDKs pass through in LoginServer and CompareServer.
    case server
    /// The vendor's gateway, before a call reaches the server.
    case gateway
    /// The vendor's SDK that reads ID documents by NFC (实证 NFC).
    case nfc
    /// SuperID (一登) on iOS.
    case superIDiOS
    /// SuperID (一登) on Android.
    case superIDAndroid

    /// The family of a name: `server`, `gateway`, `nfc`, `superid-ios`, `superid-android`, or an SDK domain with or
    /// without `WBFaceErrorDomain` before it.
    public init?(name: String) {
        switch name {
        case "server": self = .server
        case "gateway": self = .gateway
        case "nfc": self = .nfc
        case "superid-ios": self = .superIDiOS
        case "superid-android": self = .superIDAndroid
        default:
            let names = [name, "WBFaceErrorDomain" + name]
            guard let domain = WBFaceErrorDomain.known.first(where: { names.contains($0.rawValue) }) else { return nil }
            self = .sdk(domain)
        }
    }

    /// The name, as ``init(name:)`` reads it.
    public var description: String {
        switch self {
        case .sdk(let domain): domain.rawValue
        case .server: "server"
        case .gateway: "gateway"
        case .nfc: "nfc"
        case .superIDiOS: "superid-ios"
        case .superIDAndroid: "superid-android"
        }
    }
}

/// What a code means according to one of the vendor's pages, in our own words.
public struct FaceErrorMeaning: Hashable, Sendable {
    /// The code.
    public let code: String
    /// The family it belongs to.
    package let family: FaceCodeFamily
    /// Which platform's SDK; `nil` if it is not an SDK code.
    package let platform: FacePlatform?
    /// The meaning.
    public let meaning: FaceMeaning
    /// The page: its number under cloud.tencent.com/document/product, the title of the older copy, or a header.
    package let source: String
    /// Whether the vendor charges for a call that ends with it.
    package let isBilled: Bool

    /// All meanings of a code, in one family or in all.
    ///
    /// There may be none (codes are passed through) or several: iOS 12008 means one thing in the header and another in
    /// the document. In LoginServer and CompareServer the codes are the server's and the gateway's. An unknown
    /// domain does not narrow the search.
    public static func all(of code: String, in family: FaceCodeFamily? = nil) -> [FaceErrorMeaning] {
        table.filter { $0.code == code && $0.isIn(family) }
    }

    /// Every code of every family.
    package static let table: [FaceErrorMeaning] = sdkCodes + serverCodes + gatewayCodes + nfcCodes + superIDCodes

    private func isIn(_ wanted: FaceCodeFamily?) -> Bool {
        switch (wanted, family) {
        case (nil, _): true
        case (.sdk(.compareServer), _), (.sdk(.loginServer), _): family == .server || family == .gateway
        case (.sdk(let wanted), .sdk(let own)):
            !WBFaceErrorDomain.known.contains(wanted) || wanted.canonical == own.canonical
        case (let wanted?, _): wanted == family
        }
    }
}

extension FaceErrorMeaning {
    /// Meanings as JSON: the schema `evidence-error-meanings-1`, on one line (`docs/JSON.md`).
    public static func json(of meanings: [FaceErrorMeaning]) -> String {
        let entries = meanings.map { entry in
            JSONValue.object([
                ("code", .text(entry.code)), ("domain", .text("\(entry.family)")),
                ("platform", JSONValue(entry.platform.map { "\($0)" })),
                ("english", .text(entry.meaning.english)), ("chinese", .text(entry.meaning.chinese)),
                ("source", .text(entry.source)), ("isBilled", .bool(entry.isBilled)),
            ])
        }
        return JSONValue.object([("schema", .text("evidence-error-meanings-1")), ("meanings", .list(entries))]).json
    }
}
