// SPDX-License-Identifier: Apache-2.0
package import VendorResults
public import VendorServer
public import VendorTypes

/// What the person's face is compared with: the three functions of the login (iOS interface document).
public enum FaceFunction: Hashable, Sendable {
    /// One: liveness, and the authority's photo.
    case authorityPhoto
    /// Two: liveness, and a photo the app's backend sent when it made the face id.
    case ownPhoto
    /// Three: liveness alone. There is no face id and no similarity.
    case livenessOnly
}

/// Simple mode and the protection of its video (WBFaceVerifySDKConfig.h).
public struct SimpleModeSettings: Hashable, Sendable {
    /// The public key for the video, which is not sealed without one.
    public let publicKey: String?
    /// The IV, if sealing needs one from outside.
    public let aesIV: String?

    /// Settings of these parts.
    public init(publicKey: String?, aesIV: String? = nil) {
        self.publicKey = publicKey
        self.aesIV = aesIV
    }
}

/// The parameters of the login: the values that the app's backend signed, unchanged, and the app's own choices.
public struct LoginParameters: Hashable, Sendable {
    /// The signed values and their sign. They cannot be given in another way.
    public let launch: LaunchBundle
    /// The licence the vendor gave for the app.
    public let licence: String
    /// What the face is compared with.
    public let function: FaceFunction
    /// Simple mode; `nil` if it is off, which is the SDK's default.
    public let simpleMode: SimpleModeSettings?

    /// Parameters for a launch. Logging in validates them.
    ///
    /// - Parameters:
    ///   - launch: the launch bundle that the backend made.
    ///   - licence: the app's own; without it, that of the bundle.
    ///   - function: what the person's face is compared with.
    ///   - simpleMode: the settings of simple mode; `nil` to do without it.
    public init(
        _ launch: LaunchBundle, licence: String? = nil, function: FaceFunction, simpleMode: SimpleModeSettings? = nil
    ) {
        self.launch = launch
        self.licence = licence ?? launch.licence ?? ""
        self.function = function
        self.simpleMode = simpleMode
    }

    /// Checks the vendor's rules that a bundle can still break on a phone. The bundle's own values are well-formed.
    ///
    /// - Returns: a session with these parameters.
    /// - Throws: ``WBFaceError`` in the domain InputParams, as the SDK would: 12001 without a licence, 12000 without
    ///   the face id that the function needs, 12010 with one that it does not use.
    package func check() throws(WBFaceError) -> FaceSession {
        guard !licence.isEmpty else { throw Self.fault("12001", "the licence is empty") }
        guard function == .livenessOnly || launch.faceId != nil else { throw Self.fault("12000", "faceId is empty") }
        guard function != .livenessOnly || launch.faceId == nil else {
            throw Self.fault("12010", "there is a faceId, but nothing to compare")
        }
        return FaceSession(parameters: self)
    }

    private static func fault(_ code: String, _ reason: String) -> WBFaceError {
        WBFaceError(domain: .inputParams, code: code, reason: reason)
    }
}

/// One verification: checked parameters and their order.
public struct FaceSession: Hashable, Sendable {
    /// The login parameters.
    public let parameters: LoginParameters
    /// The order.
    public var orderNo: OrderNumber { parameters.launch.attempt.orderNo }

    fileprivate init(parameters: LoginParameters) { self.parameters = parameters }
}
