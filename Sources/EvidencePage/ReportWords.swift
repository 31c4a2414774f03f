// SPDX-License-Identifier: Apache-2.0
// What the page says about the words of a report (`docs/REPORT.md`).

enum ReportWords {
    /// The words about one item.
    struct Item {
        let name: PageText
        /// What holding means.
        let meaning: PageText

        fileprivate init(_ name: PageText, _ meaning: PageText) { (self.name, self.meaning) = (name, meaning) }
    }

    /// The words, by item name.
    static let items: [String: Item] = [
        "result": .init(
            .init("Result", "核身结果"),
            .init(
                "Every reader sees the same result in it, and it claims that the verification was passed.",
                "任何程序读取到的结果都相同，且其内容声明核身通过。")),
        "order": .init(
            .init("Order number", "订单号"),
            .init("It names the order that was expected.", "其中的订单号与预期的订单号一致。")),
        "sign": .init(
            .init("Server's sign", "服务端签名（sign）"),
            .init(
                "Somebody who had the server's ticket made it for this app, this order and code 0.",
                "由持有服务端 ticket 的一方针对该应用、该订单和返回码 0 生成。")),
        "photo": .init(
            .init("Photo", "照片"), .init("It is a complete JPEG or PNG picture.", "是一张完整的 JPEG 或 PNG 图片。")),
        "video": .init(
            .init("Video", "视频"), .init("The sealed video was opened with the key.", "加密视频已用密钥解开。")),
        "statement": .init(
            .init("Statement (identifyStr)", "声明（identifyStr）"),
            .init(
                "It was opened, and names what belongs together: order, app, user, photo, video, scores and time.",
                "已解开，其中写明了应当相互对应的各项：订单、应用、用户、照片、视频、分数和时间。")),
        "statement.order": .init(
            .init("Statement: order", "声明：订单"), .init("It names this order.", "声明中的订单与本订单一致。")),
        "statement.app": .init(
            .init("Statement: app", "声明：应用"), .init("It names this app.", "声明中的应用与本应用一致。")),
        "statement.user": .init(
            .init("Statement: user", "声明：用户"),
            .init("It names the user to whom the order was given.", "声明中的用户即该订单所属的用户。")),
        "statement.photo": .init(
            .init("Statement: photo", "声明：照片"), .init("It names exactly this photo.", "声明对应的正是这张照片。")),
        "statement.video": .init(
            .init("Statement: video", "声明：视频"), .init("It names exactly this video.", "声明对应的正是这段视频。")),
        "statement.scores": .init(
            .init("Statement: scores", "声明：分数"), .init("It names the result's scores.", "声明中的分数与结果中的一致。")),
        "statement.moment": .init(
            .init("Statement: time", "声明：时间"),
            .init("The time in it is neither in the future nor too old.", "其中的时间不晚于检查时间，也未超过允许的时长。")),
        "statement.nonce": .init(
            .init("Statement: nonce", "声明：随机串（nonce）"), .init("It was not used before.", "此前未被使用过。")),
        "device": .init(
            .init("Device's signature", "设备签名"),
            .init("A registered device key signed these fields.", "由已登记的设备密钥对这些字段签名。")),
        "answer": .init(
            .init("The vendor's answer", "厂商的应答"),
            .init(
                "What the vendor's server answered says the same of the person as the result.",
                "厂商服务器的应答与该结果对此人的结论一致。")),
    ]

    static let states: [String: PageText] = [
        "holds": .init("holds", "成立"), "fails": .init("fails", "不成立"), "unchecked": .init("unchecked", "未检查"),
    ]

    static let verdicts: [String: PageText] = [
        "holds": .init(
            "The check found everything that was required, and nothing that fails.", "检查结论：所要求的各项均成立，且没有不成立的项。"),
        "fails": .init("The check found something that fails.", "检查结论：存在不成立的项。"),
        "unchecked": .init(
            "Nothing fails, but something required was not checked, or not as strongly as required.",
            "检查结论：没有不成立的项，但有所要求的项未检查，或强度未达到要求。"),
    ]

    static let strengths: [(name: String, word: PageText, meaning: PageText)] = [
        (
            "stated", .init("stated", "仅为自述"),
            .init(
                "A document says so. Nothing in it shows who wrote it.", "文件中如此写明；文件自身无法证明由谁写成。")
        ),
        (
            "well-formed", .init("well-formed", "格式正确"),
            .init("Its structure is valid. Anyone can make one like it.", "自身结构正确，但任何人都可以造出这样的内容。")
        ),
        (
            "intact", .init("intact", "完整未改"),
            .init("Byte for byte what was sealed. Anyone could have sealed it.", "与加密时的内容逐字节一致；不说明由谁加密。")
        ),
        (
            "bound", .init("bound", "已绑定"),
            .init(
                "A statement, a sign or a device's signature that was itself verified names it.",
                "已有一份验证通过的声明、签名或设备签名指明了它。")
        ),
        (
            "signed", .init("signed", "设备已签名"),
            .init(
                """
                The registered device key signed it. That says which installation of the app sent it, not what was \
                before the camera.
                """,
                "由已登记的设备密钥签名；只说明由哪个安装实例提交，不说明镜头前是什么。")
        ),
    ]

    static func strength(_ name: String) -> PageText? { strengths.first { $0.name == name }?.word }
}
