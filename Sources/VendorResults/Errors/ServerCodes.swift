// SPDX-License-Identifier: Apache-2.0
// What the vendor's server and gateway answer with (GH:接入文档/错误码, formerly 1007/31082; others where named).

extension FaceErrorMeaning {
    private typealias Entry = (code: String, english: String, chinese: String)

    private init(_ entry: Entry, in family: FaceCodeFamily, source: String, isBilled: Bool = false) {
        code = entry.code
        self.family = family
        platform = nil
        meaning = FaceMeaning(entry.english, entry.chinese)
        self.source = source
        self.isBilled = isBilled
    }

    static let serverCodes: [FaceErrorMeaning] =
        billed.map { FaceErrorMeaning($0, in: .server, source: "GH:错误码", isBilled: true) }
        + unbilled.map { FaceErrorMeaning($0, in: .server, source: "GH:错误码") }
        + thirdParty.map { FaceErrorMeaning($0, in: .server, source: "third-party text") }
        + nfcServer.map { FaceErrorMeaning($0, in: .server, source: "1007/115320") }

    static let nfcCodes: [FaceErrorMeaning] = nfcTerminal.map { FaceErrorMeaning($0, in: .nfc, source: "1007/115320") }

    static let gatewayCodes: [FaceErrorMeaning] =
        gateway.map { FaceErrorMeaning($0, in: .gateway, source: "GH:错误码") }
        + web.map { FaceErrorMeaning($0, in: .gateway, source: "1007/61074") }
        + [
            FaceErrorMeaning(
                ("400604", "the video was not recorded live: stopped by its time stamp", "视频非实时录制，被时间戳校验拦截"),
                in: .gateway,
                source: "GH:查询核身结果")
        ]

    static let superIDCodes: [FaceErrorMeaning] =
        superIDiOS.map { FaceErrorMeaning($0, in: .superIDiOS, source: "SuperID iOS SDK documents") }
        + superIDAndroid.map { FaceErrorMeaning($0, in: .superIDAndroid, source: "SuperID Android SDK documents") }

    /// The vendor charges for a call that ends with these.
    private static let billed: [Entry] = [
        ("0", "passed", "通过"),
        ("66660004", "not confirmed to be the same person: the similarity is too low", "相似度过低，无法确认为同一人"),
        ("66660010", "name and ID number do not match", "姓名与身份证号不匹配"),
    ]

    private static let unbilled: [Entry] = [
        ("66660000", "a parameter is too long (bank card OCR)", "参数过长（银行卡 OCR）"),
        ("-1304", "a parameter is too long (bank card OCR)", "参数过长（银行卡 OCR）"),
        ("66660001", "illegal request: unknown appId", "请求不合法：appId 不存在"),
        ("66660002", "the service has expired", "服务已过期"),
        ("66660005", "the authority has no photo", "权威库无照片"),
        (
            "66660011", "the result does not exist: see docs/RESULTS.md for the six causes",
            "查无此结果（六种原因见 docs/RESULTS.md）"
        ),
        ("66660015", "the name or the ID number is invalid", "姓名或身份证号不合法"),
        ("66660016", "the format or the size of the video is invalid", "视频格式或大小不合法"),
        ("66660017", "too many attempts today", "当日次数超限"),
        ("66660018", "timed out: no identity for this id (H5)", "操作超时：无此 id 的身份信息（H5）"),
        ("66660020", "the OCR result was not found", "未查到 OCR 结果"),
        ("66660021", "the system timed out", "系统超时"),
        ("66660022", "the digit code has expired", "数字码已过期"),
        ("66660023", "the anti-spoofing liveness check was not passed", "防伪活体检测未通过"),
        ("66660036", "the anti-spoofing liveness check was not passed", "防伪活体检测未通过"),
        ("-5025", "the anti-spoofing liveness check was not passed", "防伪活体检测未通过"),
        ("66660024", "the ID number does not exist", "身份证号不存在"),
        ("66660025", "the light liveness check was not passed", "光线活体检测未通过"),
        ("66660030", "the service type is not supported", "不支持的服务类型"),
        ("66660033", "too many faces: two at most", "人脸过多（最多两张）"),
        ("66660035", "the selfie cannot be decoded", "自拍照解码失败"),
        ("-1102", "the selfie cannot be decoded", "自拍照解码失败"),
        ("66660037", "there are several faces in the photo", "照片中有多张人脸"),
        ("66660038", "no face was found", "未检测到人脸"),
        ("-1101", "no face was found", "未检测到人脸"),
        ("-4014", "no face was found", "未检测到人脸"),
        ("66660039", "the photo to compare with cannot be decoded", "比对照片解码失败"),
        ("66660040", "the photo to compare with cannot be decoded", "比对照片解码失败"),
        ("-4017", "the photo to compare with cannot be decoded", "比对照片解码失败"),
        ("-4018", "the photo to compare with cannot be decoded", "比对照片解码失败"),
        ("66660041", "the face is covered", "人脸有遮挡"),
        ("66660042", "the photo is blurred", "照片模糊"),
        (
            "-5001", "the video was not usable: its quality, the distance, the voice, the face, or liveness not passed",
            "视频不可用：质量、距离、声音、人脸或活体未通过"
        ),
        (
            "-5005", "the video was not usable: its quality, the distance, the voice, the face, or liveness not passed",
            "视频不可用：质量、距离、声音、人脸或活体未通过"
        ),
        (
            "-5008", "the video was not usable: its quality, the distance, the voice, the face, or liveness not passed",
            "视频不可用：质量、距离、声音、人脸或活体未通过"
        ),
        (
            "-5009", "the video was not usable: its quality, the distance, the voice, the face, or liveness not passed",
            "视频不可用：质量、距离、声音、人脸或活体未通过"
        ),
        (
            "-5010", "the video was not usable: its quality, the distance, the voice, the face, or liveness not passed",
            "视频不可用：质量、距离、声音、人脸或活体未通过"
        ),
        (
            "-5011", "the video was not usable: its quality, the distance, the voice, the face, or liveness not passed",
            "视频不可用：质量、距离、声音、人脸或活体未通过"
        ),
        (
            "-5018", "the video was not usable: its quality, the distance, the voice, the face, or liveness not passed",
            "视频不可用：质量、距离、声音、人脸或活体未通过"
        ),
        (
            "-5027", "the video was not usable: its quality, the distance, the voice, the face, or liveness not passed",
            "视频不可用：质量、距离、声音、人脸或活体未通过"
        ),
        (
            "-1404", "the video was not usable: its quality, the distance, the voice, the face, or liveness not passed",
            "视频不可用：质量、距离、声音、人脸或活体未通过"
        ),
        ("66661001", "ID card OCR: no ID card, or a poor picture", "证件 OCR：非身份证或质量差"),
        ("66661003", "ID card OCR: the card has expired", "证件 OCR：证件已过期"),
        ("66661004", "ID card OCR: a date on the card is wrong", "证件 OCR：证件日期不合法"),
        ("66661005", "ID card OCR: the picture cannot be decoded", "证件 OCR：图片解码失败"),
        ("66661006", "ID card OCR: not the side with the portrait", "证件 OCR：非人像面"),
        ("66661007", "ID card OCR: not the side with the emblem", "证件 OCR：非国徽面"),
        ("66661008", "ID card OCR: name or number could not be read", "证件 OCR：未读出姓名或号码"),
        ("66661009", "the bank card has expired (a warning)", "银行卡已过期（告警码）"),
    ]

    /// Seen only in third-party texts.
    private static let thirdParty: [Entry] = [
        ("66660026", "the size of the photo is out of range", "照片大小超出范围"),
        ("66660048", "no proper face", "无合适人脸"),
        ("66660078", "no proper face", "无合适人脸"),
    ]

    /// Answers about an ID document that a phone read by NFC (实证 NFC).
    private static let nfcServer: [Entry] = [
        ("66664002", "NFC: the ocrCertId has expired; it lasts 5 minutes", "NFC：ocrCertId 已失效（有效期 5 分钟）"),
        (
            "66664003", "NFC: too often: a reqId can be queried at most 10 times in its 5 minutes",
            "NFC：请求过频（同一 reqId 5 分钟内最多查询 10 次）"
        ),
        ("66664004", "NFC: there is no such reqId", "NFC：reqId 不存在"),
        (
            "66664005", "NFC: the reqId is no longer valid, or does not exist; it lasts 5 minutes",
            "NFC：reqId 已失效或不存在（有效期 5 分钟）"
        ),
        ("66664006", "NFC: a network failure: ask the vendor's support", "NFC：网络异常，请联系技术支持"),
        ("66664007", "NFC: a network failure: ask the vendor's support", "NFC：网络异常，请联系技术支持"),
    ]

    /// What the SDK on the phone returns when it reads an ID document by NFC.
    private static let nfcTerminal: [Entry] = [
        (
            "600100", "the device has no NFC (iOS: iPhone 7 and iOS 14.5 or later)",
            "设备不支持 NFC（iOS 需 iPhone 7、iOS 14.5 及以上）"
        ),
        ("600101", "the user left", "用户退出"),
        ("600102", "a parameter of the login is invalid", "登录参数校验未通过"),
        ("600103", "timed out: not read after several attempts", "超时：多次重试仍未识别"),
        ("600104", "a network failure: the request did not reach the server", "网络异常：请求未到达服务器"),
        ("600105", "the answer's enmsg is empty, or cannot be decoded", "enmsg 为空或解码失败"),
        ("600106", "initialisation failed (Android)", "初始化失败（Android）"),
        ("66664020", "the card moved while it was read: read it again", "读卡时卡片移动，请重新读卡"),
        (
            "66664021", "the device cannot read cards of type B by NFC, or took the card for another kind",
            "设备不支持 NFC type B 卡，或卡类型检测错误"
        ),
        ("66664022", "a network failure: read the card again", "网络异常，请重新读卡"),
        (
            "66664023", "the NFC connection failed: turn NFC off and on, then read the card again",
            "NFC 连接异常，请重启 NFC 后重新读卡"
        ),
        ("66664024", "the card is of another kind, such as a bank card", "证件类型不正确（如贴了银行卡）"),
        ("66664025", "the device has no NFC", "设备不支持 NFC"),
        ("66664026", "the NFC dialogue of iOS timed out, or the card moved: try again", "iOS NFC 弹窗超时或卡片移动，请重试"),
        ("66664027", "the network service failed: ask the vendor's support", "网络服务异常，请联系客服"),
        ("66664028", "a parameter is invalid: ask the vendor's support", "请求参数异常，请联系客服"),
        ("66664029", "the network service failed: ask the vendor's support", "网络服务异常，请联系客服"),
        ("66664030", "a parameter is invalid: ask the vendor's support", "请求参数异常，请联系客服"),
    ]

    private static let gateway: [Entry] = [
        ("400101", "illegal request: the sign did not pass", "请求不合法：签名校验失败"),
        ("400102", "illegal request: the login state is lost", "请求不合法：登录态丢失"),
        (
            "400103", "the server refuses the call: check the parameters of token and ticket",
            "服务器拒绝访问：检查 token、ticket 参数"
        ),
        (
            "400104", "the server refuses the call: check the parameters of token and ticket",
            "服务器拒绝访问：检查 token、ticket 参数"
        ),
        ("400502", "the parameter version is wrong", "version 参数错误"),
        (
            "400504", "too often: one NONCE ticket in 2 seconds for one appId and userId",
            "请求过频：同一 appId 与 userId 每 2 秒一个 NONCE ticket"
        ),
        ("400506", "too often: the limit of this appId", "请求过频：appId 并发超限"),
        ("400601", "the request is too large", "请求体过大"),
    ]

    private static let web: [Entry] = [
        ("300101", "the message is faulty: open the page again (H5)", "报文异常，请重新进入（H5）"),
        ("3001", "H5: the browser cannot record video", "H5：浏览器不支持录制视频"),
        ("3002", "H5: the login state in the cookie is missing", "H5：cookie 登录态缺失"),
        ("3003", "H5: interrupted", "H5：中断"),
        ("3004", "H5: no permission for the camera", "H5：无相机权限"),
        ("3005", "H5: real-time mode is not supported", "H5：不支持实时模式"),
    ]

    private static let superIDiOS: [Entry] = [
        ("-1000", "login failed", "登录失败"),
        ("-1001", "the network failed", "网络出错"),
        ("-1002", "the daily limit of text messages is reached", "短信达到当日上限"),
        ("-1003", "the text message was not sent", "短信发送失败"),
        ("-1004", "no permission for the camera", "无相机权限"),
        ("-1005", "the account is bound to another user (a demo comment says: frozen)", "账号已绑定其他用户（示例注释：已冻结）"),
        ("-1006", "binding failed", "绑定失败"),
        ("-1007", "the authorisation has expired", "授权已过期"),
        ("-1008", "the user id is missing", "缺少 uid"),
        ("-1009", "the user has not authorised the app", "用户未授权"),
        ("-1010", "the SDK is too old", "SDK 版本过旧"),
        ("-1011", "the SDK could not be initialised", "SDK 初始化失败"),
        ("-1012", "no permission for this function, or not bound yet", "无此功能权限或尚未绑定"),
        ("-1013", "the app token has expired; it renews itself", "应用 token 过期（自动更新）"),
        ("-1014", "not a Chinese phone number", "非中国手机号"),
        ("-1015", "the account is frozen", "账号已冻结"),
        ("-1016", "the face features could not be obtained", "获取人脸属性失败"),
    ]

    private static let superIDAndroid: [Entry] = [
        ("101", "login succeeded", "登录成功"),
        ("102", "login failed", "登录失败"),
        ("103", "the user does not exist", "用户不存在"),
        ("104", "the SuperID exists already", "SuperID 已存在"),
        ("105", "binding failed", "绑定失败"),
        ("106", "the network failed", "网络出错"),
        ("107", "the user has not authorised the app", "用户未授权"),
        ("108", "the limit of text messages is reached", "短信达到上限"),
        ("109", "authorisation succeeded", "授权成功"),
        ("110", "the user left the authorisation page", "用户从授权返回"),
        ("111", "the user id is missing", "缺少 uid"),
        ("112", "the face features are available (a success)", "人脸属性返回成功"),
        ("113", "the face features could not be obtained", "获取人脸属性失败"),
        ("114", "the token is missing", "缺少 token"),
        ("115", "the app token is wrong", "应用 token 错误"),
        ("116", "the access token is wrong", "access token 错误"),
        ("117", "the SDK has expired", "SDK 已过期"),
        ("118", "the request token has expired", "请求 token 已过期"),
        ("119", "about freezing or unfreezing the account", "账号冻结或解冻"),
        ("120", "about freezing or unfreezing the account", "账号冻结或解冻"),
        ("121", "about freezing or unfreezing the account", "账号冻结或解冻"),
        ("1006", "the app token has expired", "应用 token 已过期"),
        ("1007", "the access token has expired", "access token 已过期"),
    ]
}
