// SPDX-License-Identifier: Apache-2.0
// The SDKs' own codes. Five digits: stage, platform, number (1007/57622, 1007/57628, 1007/108004).

extension FaceErrorMeaning {
    static let sdkCodes: [FaceErrorMeaning] =
        iOSCodes.map { FaceErrorMeaning(sdk: .iOS, $0) }
        + iOSIntentCodes.map { FaceErrorMeaning(sdk: .iOS, $0, source: "意愿核身 iOS") }
        + [FacePlatform.android, .harmonyOS].flatMap { platform in
            otherCodes.map { FaceErrorMeaning(sdk: platform, $0) }
        }
        + androidIntentCodes.map { FaceErrorMeaning(sdk: .android, $0, source: "意愿核身 Android") }
        + androidConstants.map { FaceErrorMeaning(sdk: .android, $0, source: androidClass) }

    /// A code without its platform's digit, the stage at which it occurs, and what it means.
    private typealias Entry = (stage: Int, number: Int, domain: WBFaceErrorDomain, english: String, chinese: String)

    private init(sdk platform: FacePlatform, _ entry: Entry, source: String? = nil) {
        let pages: [FacePlatform: String] = [.android: "1007/57622", .iOS: "1007/57628", .harmonyOS: "1007/108004"]
        code = "\(entry.stage * 10_000 + platform.rawValue * 1_000 + entry.number)"
        family = .sdk(entry.domain)
        self.platform = platform
        meaning = FaceMeaning(entry.english, entry.chinese)
        self.source = source ?? pages[platform] ?? ""
        isBilled = false
    }

    private static let iOSCodes: [Entry] = [
        (1, 0, .inputParams, "a parameter is empty", "参数为空"),
        (1, 1, .inputParams, "the licence (keyLicence) is unusable", "licence 不可用"),
        (1, 2, .inputParams, "the ID number is badly formed", "身份证号格式不对"),
        (1, 3, .inputParams, "the photo to compare with is not base64", "比对照片不是 base64"),
        (
            1, 4, .inputParams, "the photo to compare with is too large (document: 1 MB, header: 3 MB)",
            "比对照片过大（文档 1 MB，头文件 3 MB）"
        ),
        (1, 5, .inputParams, "the resource bundle is missing, or its version is not that of the SDK", "资源包缺失或版本不符"),
        (1, 6, .inputParams, "the order number is empty or longer than 32 characters", "订单号为空或超过 32 位"),
        (1, 7, .inputParams, "the nonce is not 32 characters long", "nonce 不是 32 位"),
        (1, 8, .inputParams, "the SDK is running already (document)", "SDK 正在运行（文档）"),
        (1, 8, .inputParams, "the faceId does not belong to this interface (header)", "faceId 与接口不匹配（头文件）"),
        (1, 9, .inputParams, "customised SDK: parameters could not be made", "定制 SDK：参数生成失败"),
        (1, 10, .inputParams, "customised SDK: parameters did not pass the check", "定制 SDK：参数校验失败"),
        (2, 100, .loginNetwork, "login: the request did not reach the server", "登录：请求未到达服务器"),
        (2, 200, .loginNetwork, "login: the server answered with bad data", "登录：服务器返回数据异常"),
        (3, 100, .getInfo, "getting the liveness type: the request did not reach the server", "获取活体类型：请求未到达服务器"),
        (3, 200, .getInfo, "getting the liveness type: the server answered with bad data", "获取活体类型：服务器返回数据异常"),
        (4, 0, .nativeProcess, "the user left: background, home or back button", "用户退出（后台、主页键或返回键）"),
        (4, 1, .nativeProcess, "no network, or one that is too slow", "无网络或网络过慢"),
        (4, 2, .nativeProcess, "a permission is missing", "缺少权限"),
        (4, 3, .nativeProcess, "the camera failed while running", "相机运行出错"),
        (4, 4, .nativeProcess, "the video could not be recorded", "视频录制失败"),
        (4, 5, .nativeProcess, "no good picture of the face: keep still", "未取得最佳照片，请保持不动"),
        (4, 6, .nativeProcess, "the size of the video is out of range", "视频大小超出范围"),
        (4, 7, .nativeProcess, "timed out", "超时"),
        (4, 8, .nativeProcess, "the face left the frame", "人脸离开采集框"),
        (4, 9, .nativeProcess, "light liveness failed on the phone", "光线活体本地出错"),
        (4, 10, .nativeProcess, "too many attempts (risk control)", "重试次数过多（风险控制）"),
        (4, 11, .nativeProcess, "no voice was heard", "未检测到声音"),
        (4, 12, .nativeProcess, "the model could not be loaded", "模型初始化失败"),
        (4, 15, .nativeProcess, "a message could not be decrypted", "报文解密失败"),
        (5, 100, .compareNetwork, "comparing: the request did not reach the server", "比对：请求未到达服务器"),
        (5, 200, .compareNetwork, "comparing: the server answered with bad data", "比对：服务器返回数据异常"),
    ]

    private static let iOSIntentCodes: [Entry] = [
        (2, 3, .loginNetwork, "no good picture of the face", "未取得最佳照片"),
        (4, 101, .nativeProcess, "the sound could not be recorded", "录音失败"),
        (4, 102, .nativeProcess, "no sound from the microphone", "麦克风无声音"),
        (4, 103, .nativeProcess, "the spoken prompt could not be loaded", "播报音频加载失败"),
        (4, 104, .nativeProcess, "another app uses the microphone", "麦克风被占用"),
        (4, 105, .nativeProcess, "the video could not be recorded", "视频录制失败"),
        (4, 106, .nativeProcess, "the user left because the volume is low", "音量过低，用户退出"),
    ]

    /// Android and HarmonyOS, which share their codes.
    private static let otherCodes: [Entry] = [
        (1, 0, .params, "a parameter is empty", "参数为空"),
        (1, 1, .params, "the licence is unusable", "licence 不可用"),
        (1, 2, .params, "a message could not be encrypted or decrypted", "报文加解密失败"),
        (2, 100, .loginNetwork, "login: the request did not reach the server", "登录：请求未到达服务器"),
        (2, 200, .loginNetwork, "login: the server answered with bad data", "登录：服务器返回数据异常"),
        (3, 100, .getInfoNetwork, "getting the liveness type: the request did not reach the server", "获取活体类型：请求未到达服务器"),
        (3, 200, .getInfoNetwork, "getting the liveness type: the server answered with bad data", "获取活体类型：服务器返回数据异常"),
        (4, 0, .nativeProcess, "the user left", "用户退出"),
        (4, 1, .nativeProcess, "the digits to read aloud are not available", "唇语数字不可用"),
        (4, 2, .nativeProcess, "a permission is missing", "缺少权限"),
        (4, 3, .nativeProcess, "the camera failed", "相机出错"),
        (4, 4, .nativeProcess, "the video could not be recorded", "视频录制失败"),
        (4, 5, .nativeProcess, "no good picture of the face", "未取得最佳照片"),
        (4, 6, .nativeProcess, "the size of the video is out of range", "视频大小超出范围"),
        (4, 7, .nativeProcess, "timed out", "超时"),
        (4, 8, .nativeProcess, "the face left the frame", "人脸离开采集框"),
        (4, 9, .nativeProcess, "light liveness failed", "光线活体出错"),
        (4, 10, .nativeProcess, "too many attempts", "重试次数过多"),
        (4, 11, .nativeProcess, "no voice was heard", "未检测到声音"),
        (4, 12, .nativeProcess, "the model could not be loaded", "模型初始化失败"),
        (4, 13, .nativeProcess, "the SDK is not initialised", "SDK 未初始化"),
        (4, 14, .nativeProcess, "simple mode: encoding or encrypting on the phone failed", "简单模式：本地编码或加密失败"),
        (5, 100, .compareNetwork, "comparing: the request did not reach the server", "比对：请求未到达服务器"),
        (5, 200, .compareNetwork, "comparing: the server answered with bad data", "比对：服务器返回数据异常"),
    ]

    private static let androidIntentCodes: [Entry] = [
        (4, 101, .nativeProcess, "the sound could not be recorded", "录音失败"),
        (4, 102, .nativeProcess, "no sound from the microphone", "麦克风无声音"),
        (4, 103, .nativeProcess, "the spoken prompt could not be loaded", "播报音频加载失败"),
    ]

    private static let androidClass = "WbFaceError, a public class of the Android SDK"

    /// Codes that no page has: the class has a constant for each, whose name is all that is known.
    private static let androidConstants: [Entry] = [
        (
            1, 5, .params, "named WBFaceErrorCodeInputModelsError in the SDK; no page says more",
            "SDK 中名为 WBFaceErrorCodeInputModelsError，文档未说明"
        ),
        (
            4, 104, .nativeProcess, "named WBFaceErrorCodeWillPlayError in the SDK; no page says more",
            "SDK 中名为 WBFaceErrorCodeWillPlayError，文档未说明"
        ),
        (
            4, 105, .nativeProcess, "named WBFaceErrorCodeWillVideoRecordError in the SDK; no page says more",
            "SDK 中名为 WBFaceErrorCodeWillVideoRecordError，文档未说明"
        ),
        (
            4, 106, .nativeProcess, "named WBFaceErrorCodeWillLowPlayVolumeError in the SDK; no page says more",
            "SDK 中名为 WBFaceErrorCodeWillLowPlayVolumeError，文档未说明"
        ),
    ]
}
