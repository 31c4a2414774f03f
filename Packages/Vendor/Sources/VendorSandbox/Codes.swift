// SPDX-License-Identifier: Apache-2.0

/// The codes that the sandbox answers with, and the vendor's words for them.
enum Codes {
    /// Documented (GH:错误码), with the texts of that page. They were reworded more than once.
    static let documented: [String: String] = [
        "400101": "不合法的请求", "400102": "不合法的请求", "400103": "服务器拒绝访问此接口", "400104": "服务器拒绝访问此接口",
        "400105": "身份验证不通过", "400501": "请求超过最大限制", "400502": "请求上送版本参数错误", "400503": "文件校验值错误",
        "400504": "请求访问频率过高", "400506": "请求频率过高,请稍后再试", "400601": "请求参数体过大",
        "400604": "上送video非实时录制", "999997": "网络不给力，请稍后再试", "999998": "网络不给力，请稍后再试",
        "999999": "网络不给力，请稍后再试", "66660001": "不合法请求", "66660002": "服务已过有效期",
        "66660004": "无法确认为同一人", "66660005": "无照片信息，无法比对", "66660010": "姓名和身份证不一致，请确认",
        "66660011": "无此查询结果", "66660015": "姓名或身份证不合法", "66660016": "视频格式或大小不合法",
        "66660017": "验证次数超限", "66660018": "操作超时，请退出重试", "66660021": "网络不给力，请稍后重试",
        "66660022": "动态数字失效，请重新验证", "66660023": "请确保本人操作且正脸对框", "66660024": "无此证件号码",
        "66660025": "请确保本人操作且正脸对框", "66660030": "不支持此类型服务", "66660035": "未识别到人脸，请确保正脸对框且清晰完整",
        "66660036": "请确保本人操作且正脸对框", "66660037": "照片出现多张脸", "66660038": "未识别到人脸，请确保正脸对框且清晰完整",
        "66660039": "比对源照片问题，无法解析", "66660040": "比对源照片问题，无法解析", "66660041": "脸部有遮挡，请保持人脸清晰无遮挡",
        "66660042": "照片模糊，请保持人脸清晰勿晃动", "3001": "浏览器不支持", "3002": "登录态 cookie 缺失", "3003": "核身中断",
        "3004": "核身失败", "3005": "浏览器不支持实时检测", "300101": "报文包体异常", "15": "Token 过期，请重试",
    ]

    /// Invented: the vendor's are not known.
    static let orderUsed = "77770001"
    /// Invented as well: `SBX` and no scenario.
    static let scenarioUnknown = "77770002"

    static let success = "请求成功"

    static func text(_ code: String) -> String {
        switch code {
        case "0": success
        case scenarioUnknown: "[sandbox: an invented code] no scenario has this name"
        default: documented[code] ?? "[sandbox: an invented code] this order number was used before"
        }
    }
}

/// The scenario of an attempt, read from the end of its order number, userId or name (`docs/VENDOR-SERVER.md`).
enum Scenario: Equatable, Sendable {
    case passes
    case uploadRefused(String)
    case ticketRefused(String)
    case scanEnds(String)
    case queryRefused(String)
    case pageFails(String)
    case late(seconds: Int)
    case abandoned
    case forged
    case signedWithDeadTicket
    case unsigned

    /// `…SBX`, a letter, and the letter's code or number.
    init?(_ text: String) {
        guard let mark = text.ranges(of: "SBX").last else { return nil }
        let rest = text[mark.upperBound...]
        guard let letter = rest.first else { return nil }
        let number = String(rest.dropFirst())
        let code = Codes.documented[number] != nil ? number : nil
        switch (letter, code) {
        case ("U", let code?): self = .uploadRefused(code)
        case ("T", let code?): self = .ticketRefused(code)
        case ("Q", let code?): self = .scanEnds(code)
        case ("R", let code?): self = .queryRefused(code)
        case ("L", let code?): self = .pageFails(code)
        case ("W", _):
            guard let seconds = Int(number), (0...999).contains(seconds) else { return nil }
            self = .late(seconds: seconds)
        case ("A", _) where number.isEmpty: self = .abandoned
        case ("F", _) where number.isEmpty: self = .forged
        case ("O", _) where number.isEmpty: self = .signedWithDeadTicket
        case ("N", _) where number.isEmpty: self = .unsigned
        case ("P", _) where number.isEmpty: self = .passes
        default: return nil
        }
    }

    /// `nil` for `SBX` with something else behind it, which was likely mistyped.
    static func of(_ texts: [String?]) -> Scenario? {
        let named = texts.compactMap(\.self).filter { $0.contains("SBX") }
        return named.isEmpty ? .passes : named.lazy.compactMap(Scenario.init).first
    }

    /// How the scan ends.
    var verdict: String {
        switch self {
        case .scanEnds(let code): code
        case .forged: "66660004"
        case .unsigned: "3003"
        case .pageFails(let code): code
        default: "0"
        }
    }

    /// How callback and phone say that it ended.
    var claim: String { self == .forged ? "0" : verdict }

    /// Whether the scan leaves a result.
    var hasResult: Bool {
        switch self {
        case .pageFails, .unsigned, .abandoned: false
        default: true
        }
    }
}
