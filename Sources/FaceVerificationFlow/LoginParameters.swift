// SPDX-License-Identifier: Apache-2.0
public import VendorResults
public import VendorServer
public import VendorTypes

/// What the person's face is compared with: the three functions of the login (iOS interface document).
public enum FaceFunction: Hashable, Sendable {
    /// One: liveness, and the photo the authority has.
    case authorityPhoto
    /// Two: liveness, and a photo the app's backend sent when it made the face id.
    case ownPhoto
    /// Three: liveness alone. There is no face id and no similarity.
    case livenessOnly
}

/// Simple mode, and what protects the video in it (WBFaceVerifySDKConfig.h).
public struct SimpleModeSettings: Hashable, Sendable {
    /// The public key for the video; without one it is not sealed.
    public let publicKey: String?
    /// The IV that goes with it, where the way of sealing needs one from outside.
    public let aesIV: String?

    /// Settings of these parts.
    public init(publicKey: String?, aesIV: String? = nil) {
        self.publicKey = publicKey
        self.aesIV = aesIV
    }
}

/// What the login takes: the values that the app's backend signed, as it handed them over, and what the app decides.
public struct LoginParameters: Hashable, Sendable {
    /// The values that were signed, and their sign. There is no other way to give them.
    public let launch: LaunchBundle
    /// The licence the vendor gave for the app.
    public let licence: String
    /// What the face is compared with.
    public let function: FaceFunction
    /// Simple mode; `nil` where it is off, which is the SDK's default.
    public let simpleMode: SimpleModeSettings?

    /// Parameters for a launch; ``check()`` says whether they are right.
    ///
    /// - Parameter licence: the app's own; without it, that of the bundle.
    public init(
        _ launch: LaunchBundle, licence: String? = nil, function: FaceFunction, simpleMode: SimpleModeSettings? = nil
    ) {
        self.launch = launch
        self.licence = licence ?? launch.licence ?? ""
        self.function = function
        self.simpleMode = simpleMode
    }

    /// Checks the vendor's rules that a bundle can still break on a phone. What is in a bundle has its form.
    ///
    /// - Returns: the session that may begin with them.
    /// - Throws: ``WBFaceError`` in the domain InputParams, as the SDK would: 12001 without a licence, 12000 without
    ///   the face id that the function needs, 12010 with one that it has no use for.
    public func check() throws(WBFaceError) -> FaceSession {
        guard !licence.isEmpty else { throw Self.fault("12001", "the licence is empty") }
        guard function == .livenessOnly || launch.faceId != nil else { throw Self.fault("12000", "faceId is empty") }
        guard function != .livenessOnly || launch.faceId == nil else {
            throw Self.fault("12010", "there is a faceId, and nothing to compare")
        }
        return FaceSession(parameters: self)
    }

    private static func fault(_ code: String, _ reason: String) -> WBFaceError {
        WBFaceError(domain: .inputParams, code: code, reason: reason)
    }
}

/// One verification: parameters that were checked, and their order.
public struct FaceSession: Hashable, Sendable {
    /// What the app logs in with.
    public let parameters: LoginParameters
    /// The order.
    public var orderNo: OrderNumber { parameters.launch.attempt.orderNo }

    fileprivate init(parameters: LoginParameters) { self.parameters = parameters }
}
