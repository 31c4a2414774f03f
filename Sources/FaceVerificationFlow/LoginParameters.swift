// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
public import VendorResults
public import VendorTypes

/// What the person's face is compared with: the three functions of the login (iOS interface document).
public enum FaceFunction: Hashable, Sendable {
    /// One: liveness, and the photo the authority has. The faceId is made by the app's backend.
    case authorityPhoto(faceId: String)
    /// Two: liveness, and a photo the app's backend sent when it made the faceId.
    case ownPhoto(faceId: String)
    /// Three: liveness alone. There is no similarity.
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

/// What the login takes. Order, nonce, user and sign come from the app's backend, which made the sign from them.
public struct LoginParameters: Hashable, Sendable {
    /// The app's number at the vendor: as `Limits.appIdCharacters` says, letters or digits.
    public let appId: String
    /// Whose face it is: as `Limits.userIdCharacters` says, letters, digits, `-` or `_`.
    public let userId: String
    /// Letters or digits, `Limits.nonceCharacters` of them, used once.
    public let nonce: String
    /// 40 hexadecimal digits.
    public let sign: String
    /// The order: ``OrderNumber`` has the rule.
    public let orderNo: String
    /// The licence the vendor gave for the app.
    public let licence: String
    /// What the face is compared with.
    public let function: FaceFunction
    /// Simple mode; `nil` where it is off, which is the SDK's default.
    public let simpleMode: SimpleModeSettings?

    /// Parameters as they are; ``check()`` says whether they are right.
    public init(
        appId: String, userId: String, nonce: String, sign: String, orderNo: String, licence: String,
        function: FaceFunction, simpleMode: SimpleModeSettings? = nil
    ) {
        self.appId = appId
        self.userId = userId
        self.nonce = nonce
        self.sign = sign
        self.orderNo = orderNo
        self.licence = licence
        self.function = function
        self.simpleMode = simpleMode
    }

    /// Checks the vendor's rules that can be checked on a phone (655/13835, 1007/57614, iOS codes 12000 to 12008).
    ///
    /// What the SDK has no code of its own for is 12010, "parameters did not pass the check".
    ///
    /// - Returns: the session that may begin with them.
    /// - Throws: ``WBFaceError`` in the domain InputParams, as the SDK would.
    public func check() throws(WBFaceError) -> FaceSession {
        for (name, value) in [("appId", appId), ("userId", userId), ("nonce", nonce), ("sign", sign)]
        where value.isEmpty {
            throw Self.fault("12000", "\(name) is empty")
        }
        guard !licence.isEmpty else { throw Self.fault("12001", "the licence is empty") }
        guard let order = try? OrderNumber(orderNo) else {
            throw Self.fault("12006", "orderNo \(ValueForm.orderNo.rule)")
        }
        guard ValueForm.nonce.accepts(nonce) else {
            throw Self.fault("12007", "the nonce \(ValueForm.nonce.rule)")
        }
        switch function {
        case .authorityPhoto(let faceId), .ownPhoto(let faceId):
            guard !faceId.isEmpty else { throw Self.fault("12000", "faceId is empty") }
        case .livenessOnly: break
        }
        guard ValueForm.userId.accepts(userId) else {
            throw Self.fault("12010", "userId \(ValueForm.userId.rule)")
        }
        guard ValueForm.appId.accepts(appId) else {
            throw Self.fault("12010", "appId \(ValueForm.appId.rule)")
        }
        guard (try? Hex.decode(Array(sign.utf8).span))?.count == 20 else {
            throw Self.fault("12010", "the sign is not 40 hexadecimal digits")
        }
        return FaceSession(orderNo: order, parameters: self)
    }

    private static func fault(_ code: String, _ reason: String) -> WBFaceError {
        WBFaceError(domain: .inputParams, code: code, reason: reason)
    }
}

/// One verification: parameters that were checked, and their order.
public struct FaceSession: Hashable, Sendable {
    /// The order.
    public let orderNo: OrderNumber
    /// What the app logs in with.
    public let parameters: LoginParameters

    fileprivate init(orderNo: OrderNumber, parameters: LoginParameters) {
        self.orderNo = orderNo
        self.parameters = parameters
    }
}
