// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import VendorDocuments
package import VendorTypes

/// The risks of device and identity that the enhanced SDK passes through from the backend; all of it may be absent.
///
/// What a level means depends on a scale that the result does not name, and the published scales disagree: "1" is
/// "safe" on one and "low" on another. So nothing here interprets a level without a given scale.
public struct WBFaceRiskInfo: Hashable, Sendable, Codable {
    /// The device's level.
    package let deviceInfoLevel: String?
    /// The device's tags, joined with `_`; see ``deviceTags``.
    package let deviceInfoTag: String?
    /// The identity's level.
    package let riskInfoLevel: String?
    /// The identity's tags, joined with `_`; see ``riskTags``.
    package let riskInfoTag: String?

    /// Risks of these parts.
    package init(
        deviceInfoLevel: String? = nil, deviceInfoTag: String? = nil, riskInfoLevel: String? = nil,
        riskInfoTag: String? = nil
    ) {
        self.deviceInfoLevel = deviceInfoLevel
        self.deviceInfoTag = deviceInfoTag
        self.riskInfoLevel = riskInfoLevel
        self.riskInfoTag = riskInfoTag
    }

    /// The device's tags, one by one: `01_03` are two (1007/104582).
    public var deviceTags: [String] { Self.tags(deviceInfoTag) }
    /// The identity's tags, one by one.
    public var riskTags: [String] { Self.tags(riskInfoTag) }

    private static func tags(_ text: String?) -> [String] {
        text.map { $0.split(separator: "_").map(String.init) } ?? []
    }

    /// The vendor's names with their values.
    package var members: [(FieldName, String?)] {
        [
            (.deviceInfoLevel, deviceInfoLevel), (.deviceInfoTag, deviceInfoTag), (.riskInfoLevel, riskInfoLevel),
            (.riskInfoTag, riskInfoTag),
        ]
    }
}

/// A word in the two languages of the vendor's readers.
public struct FaceMeaning: Hashable, Sendable {
    /// In English.
    public let english: String
    /// In Chinese.
    public let chinese: String

    init(_ english: String, _ chinese: String) {
        self.english = english
        self.chinese = chinese
    }
}

/// A published scale of levels and tags.
package struct FaceRiskScale: Sendable {
    /// Its name here.
    package let name: String
    /// The call or page for which it is published.
    package let source: String
    /// What a device level means.
    package let deviceLevels: [String: FaceMeaning]
    /// What a device tag means.
    package let deviceTags: [String: FaceMeaning]
    /// What an identity tag means.
    package let riskTags: [String: FaceMeaning]

    /// The cloud call `GetFaceIdResult` (Plus): 1 is safe.
    package static let faceIdResult = FaceRiskScale(
        name: "face-id-result", source: "GetFaceIdResult",
        deviceLevels: [
            "1": FaceMeaning("safe", "安全"), "2": FaceMeaning("low risk", "低风险"),
            "3": FaceMeaning("medium risk", "中风险"), "4": FaceMeaning("high risk", "高风险"),
        ],
        deviceTags: tags, riskTags: attack)
    /// The cloud call `GetFaceIdRiskInfo` (1007/104582): 1 is low.
    package static let faceIdRiskInfo = FaceRiskScale(
        name: "face-id-risk-info", source: "1007/104582",
        deviceLevels: [
            "1": FaceMeaning("low risk", "低风险"), "2": FaceMeaning("medium risk", "中风险"),
            "3": FaceMeaning("high risk", "高风险"), "4": FaceMeaning("attack", "攻击"),
            "-1": FaceMeaning("unknown", "未知"),
        ],
        deviceTags: tags, riskTags: [:])
    /// The cloud calls' older text: other tags, no levels.
    package static let older = FaceRiskScale(
        name: "older", source: "GetFaceIdResult, older text", deviceLevels: [:],
        deviceTags: [
            "202": FaceMeaning("rooted or jailbroken", "设备已越狱或 root"),
            "5001": FaceMeaning("rooted or jailbroken", "设备已越狱或 root"),
            "203": FaceMeaning("code injection", "代码注入"), "5004": FaceMeaning("code injection", "代码注入"),
            "205": FaceMeaning("hooked functions", "函数被 hook"),
            "206": FaceMeaning("virtual environment", "虚拟环境"),
            "5007": FaceMeaning("camera hijacked", "摄像头被劫持"), "1005": FaceMeaning("camera hijacked", "摄像头被劫持"),
            "8000": FaceMeaning("tampering", "被篡改"),
        ],
        riskTags: attack)
    /// Every published scale.
    package static let all = [faceIdResult, faceIdRiskInfo, older]

    private static let attack = ["02": FaceMeaning("attack", "攻击")]
    private static let tags = [
        "01": FaceMeaning("rooted or jailbroken", "设备已越狱或 root"),
        "02": FaceMeaning("code injection", "代码注入"), "03": FaceMeaning("emulator", "模拟器"),
        "04": FaceMeaning("risky operation", "高危操作"), "05": FaceMeaning("camera hijacked", "摄像头被劫持"),
        "06": FaceMeaning("device known to fraudsters", "黑产设备"),
    ]
}

extension Interpretation {
    /// The risks of a result, or of its error, where the document's table puts them.
    mutating func riskInfo(of object: DocumentValue, orOf error: DocumentValue?) throws(EvidenceError)
        -> WBFaceRiskInfo?
    {
        let own = try riskInfo(of: object)
        guard let error, error.isObject, let inner = try riskInfo(of: error) else { return own }
        guard own == nil else {
            throw error.fault(.ambiguous, "the result and its error both have a \(FieldName.riskInfo)")
        }
        try repair(.place, error.member(FieldName.riskInfo) ?? error)
        return inner
    }

    mutating func riskInfo(of object: DocumentValue) throws(EvidenceError) -> WBFaceRiskInfo? {
        guard let value = try self.object(.riskInfo, of: object) else { return nil }
        try noteLookAlikes(of: .riskInfo, in: value)
        // Levels are text in the result and numbers in the cloud calls that they come from.
        return WBFaceRiskInfo(
            deviceInfoLevel: try code(.deviceInfoLevel, of: value), deviceInfoTag: try tag(.deviceInfoTag, of: value),
            riskInfoLevel: try code(.riskInfoLevel, of: value), riskInfoTag: try tag(.riskInfoTag, of: value))
    }
}
