/// A field: the vendor's name for it, and the names that wrappers give it.
///
/// This is the alias table; `docs/RESULTS.md` prints it with the source of each name. Nothing else decides what a name
/// means.
struct FieldName {
    let vendor: String
    let others: [String]

    init(_ vendor: String, or others: String...) {
        self.vendor = vendor
        self.others = others
    }

    // WBFaceVerifyResult (iOS result document and header).
    static let isSuccess = FieldName("isSuccess", or: "success", "isSucess")
    static let orderNo = FieldName("orderNo")
    static let sign = FieldName("sign")
    static let liveRate = FieldName("liveRate")
    static let similarity = FieldName("similarity", or: "similarityRate")
    static let userImageString = FieldName("userImageString", or: "image")
    static let error = FieldName("error")
    static let simpleModeResult = FieldName("simpleModeResult")
    static let riskInfo = FieldName("riskInfo", or: "RiskInfo")
    static let willModeResult = FieldName("willModeResult", or: "willResult")

    // WBFaceError. A flat error has its fields in the result itself.
    static let domain = FieldName("domain", or: "errorDomain")
    static let code = FieldName("code", or: "errorCode")
    static let desc = FieldName("desc", or: "errorDescription", "description")
    static let reason = FieldName("reason", or: "errorReason")

    // WBFaceSimpleModeResult. Android's name for the wrapped key of the video stands second.
    static let encryptAESKey = FieldName("encryptAESKey")
    static let userVideoString = FieldName("userVideoString")
    static let videoEncryptAESKey = FieldName("videoEncryptAESKey", or: "userEncryptKey")
    static let identifyStr = FieldName("identifyStr")

    // WBFaceRiskInfo.
    static let deviceInfoLevel = FieldName("deviceInfoLevel")
    static let deviceInfoTag = FieldName("deviceInfoTag")
    static let riskInfoLevel = FieldName("riskInfoLevel")
    static let riskInfoTag = FieldName("riskInfoTag")

    // WBFaceWillModeResult. Android has a path instead of a URL.
    static let faceCode = FieldName("faceCode")
    static let faceMsg = FieldName("faceMsg")
    static let willCode = FieldName("willCode")
    static let willMsg = FieldName("willMsg")
    static let videoURL = FieldName("videoURL", or: "videoPath")

    // The backend's answers.
    static let msg = FieldName("msg")
    static let bizSeqNo = FieldName("bizSeqNo")
    static let transactionTime = FieldName("transactionTime")
    static let appId = FieldName("appId", or: "app_id")
    static let occurredTime = FieldName("occurredTime")
    static let photo = FieldName("photo")
    static let video = FieldName("video")
    static let sdkVersion = FieldName("sdkVersion")
    static let trtcFlag = FieldName("trtcFlag")
    static let photoList = FieldName("photoList")
    static let result = FieldName("result")

    /// The objects some wrappers put the result into: the member that carries it, and one that must be beside it.
    static let envelopes = [(carrier: "res", mark: "scene"), (carrier: "verifyResult", mark: "code")]
    /// Success, as text and number: what wrappers write for true and false.
    static let truths = ["true": true, "1": true, "YES": true, "false": false, "0": false, "NO": false]

    var all: [String] { [vendor] + others }
}
