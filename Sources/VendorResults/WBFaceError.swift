// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import VendorDocuments
internal import VendorTypes

/// The domain of an error, as the vendor's SDKs name it. Unknown domains are passed through.
///
/// Sources: WBFaceError.h; pages 1007/57628 (iOS), 1007/57622 (Android), 1007/108004 (HarmonyOS).
public struct WBFaceErrorDomain: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name as it was sent.
    public let rawValue: String

    /// A domain under the name it was sent with.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ stage: String) { rawValue = "WBFaceErrorDomain" + stage }

    /// The app's parameters (iOS).
    public static let inputParams = WBFaceErrorDomain("InputParams")
    /// The app's parameters (Android, HarmonyOS).
    public static let params = WBFaceErrorDomain("Params")
    /// Logging in: the network.
    public static let loginNetwork = WBFaceErrorDomain("LoginNetwork")
    /// Logging in: the server refused.
    public static let loginServer = WBFaceErrorDomain("LoginServer")
    /// Getting the liveness data (iOS).
    public static let getInfo = WBFaceErrorDomain("GetInfo")
    /// Getting the liveness data (Android, HarmonyOS).
    public static let getInfoNetwork = WBFaceErrorDomain("GetInfoNetwork")
    /// On the phone.
    public static let nativeProcess = WBFaceErrorDomain("NativeProcess")
    /// Comparing: the network.
    public static let compareNetwork = WBFaceErrorDomain("CompareNetwork")
    /// Comparing: the server's verdict. The only domain in which the scan was finished.
    public static let compareServer = WBFaceErrorDomain("CompareServer")

    /// Every domain that has a name here.
    package static let known: [WBFaceErrorDomain] = [
        inputParams, params, loginNetwork, loginServer, getInfo, getInfoNetwork, nativeProcess, compareNetwork,
        compareServer,
    ]

    /// The domain with a single name where headers and documents differ: `Params` is `InputParams`,
    /// `GetInfoNetwork` is `GetInfo`. Others stay as they are, the header's `SeverFailed` too.
    package var canonical: WBFaceErrorDomain {
        switch self {
        case .params: .inputParams
        case .getInfoNetwork: .getInfo
        default: self
        }
    }

    /// The name as it was sent.
    public var description: String { rawValue }
}

/// The stage of a verification in which an error occurred: the first of five digits of an SDK code.
package enum FaceErrorStage: Int, Sendable, Codable, CustomStringConvertible {
    /// The app's parameters.
    case input = 1
    /// Logging in.
    case login
    /// Getting the liveness data.
    case getInfo
    /// On the phone.
    case onDevice
    /// Comparing.
    case compare

    /// The stage in words.
    package var description: String {
        switch self {
        case .input: "parameters"
        case .login: "login"
        case .getInfo: "getting the liveness type"
        case .onDevice: "on the phone"
        case .compare: "comparing"
        }
    }
}

/// The platform an error comes from: the second of five digits of an SDK code.
package enum FacePlatform: Int, Sendable, Codable, CaseIterable, CustomStringConvertible {
    /// Android (1007/57622).
    case android = 1
    /// iOS (1007/57628).
    case iOS
    /// HarmonyOS (1007/108004).
    case harmonyOS

    /// The platform's own name.
    package var description: String {
        switch self {
        case .android: "Android"
        case .iOS: "iOS"
        case .harmonyOS: "HarmonyOS"
        }
    }
}

/// Why a verification failed, according to the SDK.
public struct WBFaceError: Error, Hashable, Sendable, Codable {
    /// Its domain; `nil` if a wrapper dropped it.
    package let domain: WBFaceErrorDomain?
    /// The code as text: a number in the header, text in the document; `nil` if a wrapper dropped it.
    public let code: String?
    /// A message for the user.
    package let desc: String?
    /// The actual reason, for finding the cause.
    package let reason: String?

    /// An error of these parts.
    public init(domain: WBFaceErrorDomain?, code: String?, desc: String? = nil, reason: String? = nil) {
        self.domain = domain
        self.code = code
        self.desc = desc
        self.reason = reason
    }

    /// Whether the user finished the scan, so that the backend can be asked for the result: only in
    /// ``WBFaceErrorDomain/compareServer`` (iOS result document). Otherwise there is nothing to ask for.
    package var canQueryServer: Bool { domain == .compareServer }

    /// The stage the code's first digit names; `nil` for a code that is no SDK code, or was passed through from a
    /// server.
    package var stage: FaceErrorStage? { digits?.stage }

    /// The platform the code's second digit names; `nil` as for ``stage``.
    package var platform: FacePlatform? { digits?.platform }

    /// What the vendor's pages say about the code in this domain: nothing for an unknown code, two meanings for 12008.
    public var meanings: [FaceErrorMeaning] {
        guard let code else { return [] }
        return FaceErrorMeaning.all(of: code, in: domain.map(FaceCodeFamily.sdk)).filter { entry in
            // Even if a wrapper dropped the domain, the code is not one of another SDK.
            ![.nfc, .superIDiOS, .superIDAndroid].contains(entry.family)
        }
    }

    private var digits: (stage: FaceErrorStage, platform: FacePlatform)? {
        let isPassedThrough = domain == .compareServer || domain == .loginServer
        guard !isPassedThrough, let code, code.utf8.count == 5 else { return nil }
        let values = code.utf8.map { Int($0) - Int(UInt8(ascii: "0")) }
        guard values.allSatisfy((0...9).contains), let stage = FaceErrorStage(rawValue: values[0]),
            let platform = FacePlatform(rawValue: values[1])
        else { return nil }
        return (stage, platform)
    }
}

extension Interpretation {
    /// The error of a failed result: an object, plain text, or flat fields next to the result's own.
    mutating func error(of object: DocumentValue) throws(EvidenceError) -> WBFaceError? {
        if let value = try value(.error, of: object) {
            if value.isObject {
                try noteLookAlikes(of: .error, in: value)
                return try nestedError(value)
            }
            guard let desc = try text(of: value) else { return nil }
            try repair(.error, value)
            return WBFaceError(domain: nil, code: nil, desc: desc)
        }
        guard FieldName.flatError.contains(where: object.has) else { return nil }
        let error = try nestedError(object)
        return error == WBFaceError(domain: nil, code: nil) ? nil : error
    }

    mutating func nestedError(_ object: DocumentValue) throws(EvidenceError) -> WBFaceError {
        WBFaceError(
            domain: try text(.domain, of: object).map(WBFaceErrorDomain.init(rawValue:)),
            code: try code(.code, of: object), desc: try text(.desc, of: object), reason: try text(.reason, of: object))
    }
}
