// SPDX-License-Identifier: Apache-2.0
/// The words with which programs and people say that somebody passed or failed (`docs/FORMATS.md` §5.2).
package enum VerdictWords {
    /// What a word does to a name or a sentence.
    package enum Sense: Sendable { case yes, no, not, noun, message, done, filler }

    private static let senses: [String: Sense] = {
        var senses: [String: Sense] = [:]
        for (sense, words) in [
            (
                Sense.yes,
                "success successful successfully succeed succeeded succ sucess pass passed passes match matched "
                    + "matches verified valid approve approved accepted same identical certified authenticated "
                    + "authorized ok okay confirmed "
                    + "recognized recognised granted allowed consistent good 成功 通过 通過 一致 匹配 同一 本人 有效 合格 符合 相符 合法"
            ),
            (
                .no,
                "fail failed fails failure failing error errors err reject rejected rejection refuse refused deny "
                    + "denied denies invalid mismatch cancel cancelled canceled timeout abort aborted expired "
                    + "forbidden unauthorized blocked illegal wrong negative spoof spoofed spoofing attack mismatched "
                    + "decline declines declined disapprove disapproved rejects fake deepfake fraud fraudulent suspect "
                    + "suspicious untrusted injection terminated revoked exception inconsistent replay impostor "
                    + "imposter forged forgery interrupted quit differ differs different tampered disallowed withdrawn "
                    + "void voided blacklisted "
                    + "失败 失敗 错误 异常 黑名单 拦截 否决 拒绝 取消 超时 非法 攻击 翻拍 过期 不符 无效 驳回 出错 有误 中断 放弃 冒用 假体 "
                    + "换脸 可疑 不足 伪造 篡改 作弊 假人 面具 錯誤 異常 拒絕 超時 攻擊 過期 無效 駁回 出錯 有誤 中斷 放棄 假體"
            ),
            (
                .not,
                "0 not no non un never without unable cannot didn doesn isn wasn couldn hasn haven neither nor none "
                    + "nobody hardly pending yet nope zero mis anti cant wont dont doesnt didnt isnt wasnt werent "
                    + "arent aint couldnt wouldnt shouldnt mustnt hasnt havent hadnt "
                    + "不 未 没 没有 无 非 无法 待 唔 沒 沒有 無 無法 防 反"
            ),
            (
                .noun,
                "result results status state verdict outcome conclusion decision judgement judgment ret code flag "
                    + "结果 状态 结论 判定"
            ),
            (.message, "msg message info desc description detail details reason text 信息 原因"),
            (.done, "done complete completed finish finished normal 完成 正常"),
            (
                .filler,
                "is has was did be been face person alive live liveness real human genuine 命中 body verify "
                    + "verification identity check compare comparison detect detection auth authentication kyc final "
                    + "overall total sdk api biz business sub res resp response rsp return op request req query "
                    + "police selfie living yn ind flg http 是否 是不是 是 认证 核身 人脸 比对 检测 活体 校验 验证 识别 最终 核验 真人 实名 "
                    + "实人 审核 复核 鉴权 检验 检查 核查 核对 对比 判断 人证 人像 身份 证 证件 公安 联网 "
                    + "刷脸 静默 动作 炫彩 为 已"
            ),
        ] { for word in words.split(separator: " ") { senses[String(word)] = sense } }
        return senses
    }()
    /// Negations that turn only the word after them.
    private static let nextOnly: Set = ["无", "無", "非", "0", "zero", "anti", "防", "反"]
    /// What says nothing of a verdict in a text that affirms.
    private static let plain: Set = [
        "user", "operation", "call", "photo", "image", "video", "card", "id", "and", "for", "with", "by", "in", "on",
        "your", "you", "all", "now", "already", "processed", "process", "it", "everything", "have", "faces",
        "recognition", "login", "upload", "checks", "请求", "操作", "用户", "您", "你", "的", "了", "全部", "均", "都", "已经", "接口",
        "调用", "业务", "提交", "查询", "系统", "服务", "流程", "数据", "响应", "处理", "返回", "和", "与", "且", "并", "于", "本次", "恭喜", "交易",
        "人", "姓名", "号", "号码", "公民", "要素", "二", "三", "四", "确认", "登录", "获取", "保存", "回调", "更新", "创建", "上传", "执行", "采集",
        "授权", "绑定", "初始化", "受理", "認證", "驗證", "比對", "活體", "檢測", "核驗", "人臉", "識別", "請求", "處理", "查詢", "業務", "實名",
    ]
    /// Fillers that say no where they are denied: `not alive`, `could not verify`.
    private static let deniable: Set = [
        "alive", "live", "real", "human", "genuine", "verify", "活体", "真人", "认证", "核身", "验证", "核验", "实名",
    ]

    /// What may stand between a negation and these, besides fillers.
    private static let between: Set = ["a", "an", "the", "any", "到", "出", "能", "一", "个"]

    /// Whole texts that say yes, no, or nothing, though no sentence is made of them.
    private static let shortYes: Set = [
        "yes", "y", "true", "t", "s", "on", "up", "done", "complete", "completed", "finish", "finished", "ended",
        "normal", "active", "enabled", "online", "ready", "clear", "positive", "allow", "accept", "proceed", "paid",
        "settled", "live", "real", "alive", "human", "genuine", "realperson", "liveperson", "realface", "真人", "是真人",
        "活体", "相似", "是", "真", "完成", "已完成", "正常", "已认证", "已验证", "已核验", "已实名", "已审核",
    ]
    /// Of these, what says of a fault that it is there.
    private static let plainYes: Set = ["yes", "y", "true", "t", "on", "positive", "是", "真"]
    private static let shortNo: Set = ["no", "n", "false", "f", "ng", "ko", "nok", "否", "假"]
    /// Of these, no word for "none".
    private static let shortBad: Set = ["ng", "ko", "nok", "假"]
    private static let shortNothing: Set = ["none", "null", "nil", "nothing", "na", "无", "没有", "暂无"]

    /// Texts of a status that is none yet.
    private static let shortOpen: Set = [
        "pending", "processing", "waiting", "unknown", "undecided", "review", "reviewing", "running", "inprogress",
        "处理中", "审核中", "待审核", "未知",
    ]
    /// How names end whose text says who, where or which something is, and is no message.
    private static let designations: Set = [
        "address", "addr", "city", "province", "country", "district", "street", "company", "organization", "department",
        "email", "mail", "phone", "mobile", "url", "uri", "link", "path", "file", "host", "hostname", "username",
        "nickname", "realname", "fullname", "device", "model", "brand", "browser", "agent", "locale", "locales",
        "language", "languages", "countries", "nation", "nationality", "citizenship", "currency", "timezone", "uuid",
        "guid", "nonce", "hash", "digest", "姓名", "地址", "城市", "公司",
    ]

    /// What the words of a name or of a clause say together.
    private struct Tally {
        var yes = false, no = false, noun = false, message = false
        /// Whether there is a word that is none of ours; one of ASCII, as names are full of.
        var other = false, otherASCII = false
        /// Whether nobody knows what goes well or not: there is a word of none of our lists, or a negation of nothing.
        var unknown = false
    }

    /// A negation turns the next yes or no. In a text, what is done is a yes.
    private static func tally(of words: some BidirectionalCollection<String>, inText: Bool = false) -> Tally {
        var found = Tally()
        // Whether a negation stands before, and whether it is near.
        var isTurned = false, isNear = false
        var last = ""
        for word in words {
            // The end of can't, won't, didn't.
            let sense = word == "t" && last.hasSuffix("n") ? .not : senses[word]
            switch sense {
            case .yes, .no,
                .done where inText:
                if (sense == .no) == isTurned { found.yes = true } else { found.no = true }
                isTurned = false
            case .not: (isTurned, isNear) = (true, true)
            case .noun: found.noun = true
            case .message: found.message = true
            case .filler where isTurned && isNear && deniable.contains(word): (found.no, isTurned) = (true, false)
            case .filler: break
            case .done, nil:
                found.other = true
                if word.utf8.first ?? 0 < 0x80 { found.otherASCII = true }
                if !plain.contains(word), !between.contains(word), !ofHits.contains(word), word != "t" {
                    found.unknown = true
                }
            }
            isNear = isNear && (sense == .not || sense == .filler || between.contains(word))
            if sense != .not, nextOnly.contains(last), !between.contains(word) { isTurned = false }
            last = word
        }
        if isTurned, inText, !nextOnly.contains(last) {
            if found.yes { found.no = true } else { found.unknown = true }
        }
        // A face not found.
        if isTurned, inText, words.contains(where: ofFaces.contains),
            words.allSatisfy({
                ofHits.contains($0) || between.contains($0) || senses[$0] == .not || senses[$0] == .filler
            })
        {
            found.no = true
        }
        return found
    }

    private static func agreement(ofWords words: [String]) -> FieldName.Agreement? {
        var words = words
        guard let last = words.last, words.count <= longestName else { return nil }
        // How long something may take, and a code that is sent to a person.
        if words == ["timeout"] { return .isNoYes }
        if words.count == 2, last == "code", ofPersons.contains(words[0]) { return nil }
        words = words.map { listed.contains($0) ? "fraud" : $0 }
        let others = words.filter { (senses[$0] ?? .done) == .done }
        // What was looked for, before the word that says that it is not there: spoofCheckPassed.
        if cleared.contains(last), !words.contains(where: { senses[$0] == .not }) {
            words.removeAll(where: lookedFor.contains)
        }
        let isOfLook = words.contains(where: lookedFor.contains)
        if isOfLook, words.contains(where: { senses[$0] == .not }) {
            if !others.isEmpty { return .isNoZero }
        } else if isOfLook {
            if words.contains(where: { senses[$0] == .yes && !hits.contains($0) })
                || clear.contains(last) && !others.isEmpty
            {
                return .isAmbiguous
            }
            if others.allSatisfy(ofHits.contains) { return looks.contains(last) ? .isNoHitOfLook : .isNoHit }
        }
        // Whether a rule was hit, of whatever it is.
        if !isOfLook, words.contains("命中") { return .isNoYes }
        let found = tally(of: words)
        if found.other {
            if words.allSatisfy({ senses[$0] == .done || senses[$0] == .filler }) { return .isNoNo }
            if found.no { return !isOfLook && others.allSatisfy(ofFaults.contains) ? .isNoFault : .isNoYes }
            if found.yes, !found.otherASCII || ofOthers.contains(last) { return .isNoZero }
            return ofResults.contains(last) || found.yes && words.contains(where: strong.contains) ? .isNoNo : nil
        }
        if found.no { return .isNoFault }
        if found.message, !(found.yes && senses[last] == .yes) {
            return last == "msg" || last == "message" ? .isMessage : nil
        }
        if found.yes || words.count > 1 && ["is", "是否", "是不是"].contains(words[0]) { return .affirms }
        guard found.noun else { return .isNoNo }
        if words.count == 1, ["state", "flag", "code"].contains(last) { return .isState }
        if ["code", "ret"].contains(last) { return .isGood(.zero) }
        guard words.contains(where: { ofFaces.contains($0) || looks.contains($0) }) else {
            return .isGood(.zeroAndOne)
        }
        return .isGood(["status", "state", "状态"].contains(last) ? .neither : .one)
    }

    /// A name with more words asks nothing, and is not read.
    private static let longestName = 8
    /// How a name ends that asks for a verdict, whatever else is in it.
    private static let ofOthers: Set = [
        "pass", "passed", "success", "successful", "succeed", "succeeded", "match", "matched", "matches", "verified",
        "valid", "approved",
    ]
    /// Of the words for yes, those that ask for one wherever they stand.
    private static let strong: Set = [
        "passed", "passes", "matched", "matches", "verified", "approved", "accepted", "same", "identical", "certified",
        "authenticated", "consistent", "confirmed", "recognized", "recognised", "valid",
    ]
    /// Nouns that nothing but a verdict has, of whatever it is.
    private static let ofResults: Set = [
        "result", "results", "verdict", "outcome", "conclusion", "decision", "judgement", "judgment", "结果", "结论", "判定",
    ]
    /// What has nothing to do with a face, and what speaks of one even there.
    private static let elsewhere: Set = [
        "email", "mail", "phone", "mobile", "sms", "tel", "address", "wechat", "push", "upload", "cache", "notify",
        "vip", "location", "pay", "payment", "bind", "cts", "duplicate",
    ]
    private static let ofFaces: Set = [
        "face", "person", "liveness", "live", "alive", "human", "verify", "verification", "identity", "auth",
        "authentication", "kyc", "check", "pass", "passed", "spoof", "spoofing", "deepfake", "fake", "人脸", "认证", "核身",
        "活体", "实名", "实人", "核验", "人证", "本人", "同一", "翻拍", "假体", "换脸", "面具",
    ]
    /// Lists that are as bad as a fraud, in names.
    private static let listed: Set = ["blacklist", "watchlist", "sanction", "sanctions"]
    /// What a fault is told with: where it is, and how it is called.
    private static let ofFaults: Set = [
        "at", "time", "codes", "reasons", "item", "items", "step", "steps", "stage", "checks", "码", "项",
    ]
    /// What is looked for, in which there is a step or an item without a fault; and what has an end.
    private static let lookedFor: Set = [
        "spoof", "spoofing", "attack", "fraud", "deepfake", "fake", "injection", "replay", "forgery", "tampered",
        "suspicious", "blacklisted", "exception", "timeout", "expired", "攻击", "翻拍", "假体", "换脸", "伪造", "面具", "作弊", "篡改",
        "冒用", "黑名单",
        "可疑", "异常", "非法", "过期", "超时",
    ]
    /// How it is said that it was found, and what a list or a sample may do, which is no good news.
    private static let ofHits: Set = ["detected", "found", "hit", "hits", "命中"]
    private static let hits: Set = [
        "match", "matched", "matches", "confirmed", "recognized", "recognised", "same", "identical", "匹配", "一致", "同一",
    ]
    /// How a name ends of the look itself: true may say that it was taken, or what it found.
    private static let looks: Set = [
        "check", "compare", "comparison", "detect", "detection", "verify", "verification", "auth", "query", "检测", "检查",
        "核查", "核对", "比对", "校验", "验证", "核验", "检验", "审核", "复核",
    ]
    /// How a name ends that says of what is looked for that it is not there, and what says the same as its value.
    private static let cleared: Set = ["pass", "passed", "通过", "通過"]
    private static let clear: Set = [
        "clear", "clean", "real", "live", "alive", "human", "genuine", "realperson", "liveperson", "realface", "真人",
        "normal", "正常",
    ]
    /// How names end of what an app asks for, counts or sets.
    private static let aside: Set = [
        "consent", "consents", "agreement", "agreements", "permission", "permissions", "threshold", "thresholds",
        "statistics", "stats", "counts", "config", "settings", "urls", "协议", "授权", "权限", "阈值", "统计", "配置",
    ]
    /// How names end that say what the verification is for.
    private static let purposes: Set = [
        "scene", "scenecode", "scenetype", "scenario", "purpose", "usage", "usecase", "action", "operationtype",
        "servicetype", "biztype", "businesstype", "verifyreason", "applyreason", "triggerreason", "pagetitle", "场景",
        "用途",
        "业务类型",
    ]
    /// Of what happens, whose names say something.
    private static let ofEvents: Set = ["event", "node", "action"]
    private static let ofPersons: Set = ["verify", "verification", "auth", "check"]

    private static func nameWords(_ name: String) -> [String] { nameWords(tokens(of: name)) }

    private static func nameWords(_ tokens: [Token]) -> [String] {
        var found: [String] = []
        for token in tokens {
            for word in words(of: token.text) {
                // A black list is one word.
                if word == "list", let last = found.last, last == "black" || last == "watch" {
                    found[found.count - 1] += word
                } else {
                    found.append(word)
                }
            }
        }
        return found
    }

    /// A member's name, split into its words once for all that is asked of it.
    package struct Name {
        private let text: String
        private let words: [String]
        /// The last identifier of a path in it: `data.isSuccess`; `nil` for a name that is no path.
        package let path: String?

        package init(_ text: String) {
            let tokens = tokens(of: text)
            self.text = text
            words = nameWords(tokens)
            path = tokens.count > 1 ? tokens.last.flatMap { $0.isApart ? $0.text : nil } : nil
        }

        /// What a member of it must say beside a pass; `nil` if it asks for no verdict. Of a path, also its last part
        /// counts.
        package var agreement: FieldName.Agreement? {
            VerdictWords.agreement(ofWords: words) ?? path.flatMap { VerdictWords.agreement(ofWords: nameWords($0)) }
        }

        /// Whether it is one that is read: not too long, and of letters that are what they look like.
        package var isPlain: Bool {
            var last: Unicode.Scalar = "\0"
            for scalar in text.unicodeScalars.lazy.map(\.folded) {
                if scalar.value < 0x20 || "=<>{}|\\^`!".unicodeScalars.contains(scalar) || last == ":" && scalar == " "
                {
                    return false
                }
                last = scalar
            }
            return !PlainText.isMixed(text) && words.count <= longestName
        }

        /// Whether the text of a member of it is none that speaks of a verdict.
        package var isDesignation: Bool {
            guard let last = words.last else { return false }
            if words.end(in: designations) { return true }
            let found = tally(of: words)
            // A status may have a name, and a result a number.
            if words.count > 1, ["id", "name", "ip"].contains(last) {
                return !found.noun && !found.yes && !found.no && !found.message
                    && !words.contains(where: ofEvents.contains)
            }
            return last == "code" && found.other && !found.yes && !found.no && !found.message
        }

        /// Whether it is what an app asks for, counts or sets.
        package var isAside: Bool { words.end(in: aside) }

        /// Whether it is of what the verification is for.
        package var isOfPurpose: Bool { words.end(in: purposes) }

        /// Whether a number of eight digits may be a code there.
        package var tellsCode: Bool {
            let found = tally(of: words)
            return found.yes || found.no || found.noun || found.message
        }

        /// Whether a member is of something that has nothing to do with the face.
        package var isElsewhere: Bool { words.contains(where: elsewhere.contains) }

        /// Whether it says of what is looked for that it was found.
        package var isFound: Bool {
            words.contains(where: ofHits.contains)
                && words.allSatisfy { ofHits.contains($0) || senses[$0] == .filler }
        }
    }

    /// Whether a text has a name of the vendor's claim, or perhaps one of the vendor's codes.
    package static func tellsResult(_ text: String) -> Bool {
        let plain = text.lowercased().replacing("is_", with: "is").replacing("is-", with: "is")
        return plain.contains("issuccess") || plain.contains("6666")
    }

    /// Whether a name or its text speaks of a face.
    package static func speaksOfFace(_ name: String, _ text: String?) -> Bool {
        tellsResult(text ?? "")
            || (nameWords(name) + nameWords(text ?? "")).contains(where: ofFaces.contains)
    }

    /// Whether a word turns what follows it.
    package static func isNot(_ word: String) -> Bool { words(of: word).first.map { senses[$0] == .not } ?? false }

    /// Whether it says yes, but not of a check that was passed.
    package static func isOfHit(_ name: String) -> Bool {
        let words = nameWords(name)
        return words.contains { senses[$0] == .yes } && !words.contains(where: cleared.contains)
    }

    /// Whether it is of something that failed.
    package static func isOfFailure(_ name: String) -> Bool { tally(of: nameWords(name)).no }

    /// Whether a name has no other words than those that say what was looked at, or that it was.
    package static func isFiller(_ name: String) -> Bool {
        nameWords(name).allSatisfy { senses[$0] == .filler || senses[$0] == .done }
    }

    // MARK: - Texts

    /// Whether a whole text, in letters alone, is a short word for no.
    package static func isNo(_ text: String) -> Bool { shortNo.contains(letters(text)) }
    /// Whether it says of a fault that it is there.
    package static func isPlainYes(_ text: String) -> Bool { plainYes.contains(letters(text)) }
    /// Whether a text has a word for something found.
    package static func hasHit(_ text: String) -> Bool { nameWords(text).contains(where: ofHits.contains) }
    /// Whether a message is names with values, or one character that says nothing.
    package static func isNoSentence(_ text: String) -> Bool {
        text.utf8.count == 1 && text.utf8.allSatisfy(ByteSet.lettersAndDigits.contains) && !isNo(text)
            || !Speech(text).statements.isEmpty
    }
    /// Whether it is a short word for nothing.
    package static func isNothingAlone(_ text: String) -> Bool { shortNothing.contains(letters(text)) }
    /// Whether it says in some way that something succeeded.
    package static func isYes(_ text: String) -> Bool {
        shortYes.contains(letters(text)) || affirms(text)
    }
    /// Whether it says that something failed.
    package static func isDenial(_ text: String) -> Bool { shortNo.contains(letters(text)) || Speech(text).denies }
    /// Whether it is a word for a state that is none yet, a number, or nobody knows what.
    package static func isOpen(_ text: String) -> Bool {
        shortOpen.contains(letters(text)) || text.utf8.contains(where: ByteSet.digits.contains)
            || Speech(text).isUndecided
    }
    /// The same in words for success.
    package static func affirms(_ text: String) -> Bool {
        let speech = Speech(text)
        return speech.affirms && !speech.denies && !speech.isUndecided && !speech.hasUnknown
    }
    /// Whether it says of what is looked for that it is not there: in a word, it passed, or there is a negation and no
    /// word of a fault.
    package static func findsNothing(_ text: String) -> Bool {
        if isClear(text) { return true }
        let words = nameWords(text)
        if words.contains(where: cleared.contains) { return affirms(text) }
        return words.contains { senses[$0] == .not }
            && words.allSatisfy {
                ofHits.contains($0) || hits.contains($0) || listed.contains($0) || lookedFor.contains($0)
                    || between.contains($0)
                    || (senses[$0] == .not || senses[$0] == .filler) && !deniable.contains($0)
            }
    }
    /// Whether it says in a word that there is nothing of what is looked for.
    package static func isClear(_ text: String) -> Bool { clear.contains(letters(text)) }
    /// Whether it says that there was none of what is looked for.
    package static func isNoFault(_ text: String) -> Bool { isNothing(text) && !shortBad.contains(letters(text)) }
    /// Whether it says that there is nothing to say.
    private static func isNothing(_ text: String) -> Bool {
        let letters = letters(text)
        return shortNothing.contains(letters) || shortNo.contains(letters)
    }

    /// Whether a name is that of a message, or of a failure, and of nothing else.
    private static func isMessage(_ name: String) -> Bool {
        let found = tally(of: nameWords(name))
        return (found.message || found.no) && !found.other
    }

    /// The letters of a text, whatever stands around and between them; none where they are no short word.
    private static func letters(_ text: String) -> String {
        var letters = ""
        var count = 0
        for scalar in text.unicodeScalars where scalar.properties.isAlphabetic {
            count += 1
            if count > longestShort { return "" }
            letters += scalar.properties.lowercaseMapping
        }
        return letters
    }

    private static let longestShort = 16

    /// What a text says about a verdict.
    package struct Speech: Sendable {
        /// Whether it says that something failed, or did not succeed.
        package private(set) var denies = false
        /// Whether it says that something succeeded.
        package private(set) var affirms = false
        /// Whether nobody knows what it is that succeeded, since there are words of none of our lists.
        package private(set) var hasUnknown = false
        /// Names with the values that follow them: `isSuccess=false`.
        package private(set) var statements: [(name: String, value: String)] = []

        /// Whether nobody knows what another program finds in it: it has a form that is not read here, or says of what
        /// is looked for that it was found, or was not.
        package private(set) var isUndecided = false

        /// Listens to a text. Base64 says nothing, and an address says only what is in its query.
        package init(_ text: String) {
            var text = String(text.utf8.dropFirst(PlainText.contentStart(of: text.utf8))) ?? ""
            if VerdictWords.isBase64(text.utf8.span) { return }
            let head = MessageHead(text)
            if let head { text = head.rest }
            let isAddress = PlainText.isAddress(text)
            isUndecided =
                PlainText.isMisread(text)
                || (isAddress ? PlainText.isUnreadAddress(text) : PlainText.isUnread(text))
            var (clause, tokenCount): ([String], Int) = ([], 0)
            // The token that was heard last.
            var heard = -1
            // Those of the clause before, or of a name that is not heard.
            var before: [String] = []
            var isValue = false
            let tokens = tokens(of: isAddress ? String(text.map { $0 == "?" ? "&" : $0 }) : text)
            let hasPairs = tokens.contains(where: \.isValue)
            for (place, token) in tokens.enumerated() {
                if token.beginsClause {
                    if token.isValue, tokenCount > 1, heard == place - 1 {
                        statements.append((clause.joined(separator: " "), token.text))
                    }
                    hear(clause, of: isValue ? before : nil, isName: token.isValue, isAddress)
                    if !clause.isEmpty, heard == place - 1 { before = clause }
                    (clause, tokenCount) = ([], 0)
                    isValue = token.isValue
                }
                if !token.isValue, token.isUnknownNumber { hasUnknown = true }
                let next = place + 1 < tokens.count ? tokens[place + 1] : nil
                if let next, next.isValue || token.text.isClaim {
                    statements.append((token.text, next.text))
                    if isAnswered(token.text, after: clause, by: tokens[(place + 1)...]) {
                        before = VerdictWords.words(of: token.text)
                        if tally(of: before).no { affirms = true }
                        // `error code: 0`
                        if let first = clause.first, senses[first] == .no { (clause, tokenCount) = ([], 0) }
                        continue
                    }
                } else if token.text.isClaim {
                    statements.append((token.text, ""))
                } else if let next, !next.beginsClause, next.text.number != nil,
                    senses[token.text.lowercased()] == .noun
                {
                    statements.append((token.text, next.text))
                }
                let isOfNothing = hasPairs && clause.isEmpty && token.isOfNothing(isLast: next == nil)
                if let next, next.isValue, clause.isEmpty, Name(token.text).agreement == .isNoHit {
                    // What was looked for is heard with what was found.
                    before = words(of: token.text)
                } else if !isOfNothing || tellsFault(token.text, after: ["x"]) {
                    // Several zeros are a code.
                    clause += token.text == "0" ? ["0"] : words(of: token.text)
                    (tokenCount, heard) = (tokenCount + 1, place)
                }
                if isRefusal(tokens[place...]) { denies = true }
            }
            hear(clause, of: isValue ? before : nil, isAddress)
            // A question.
            if tokens.last?.behind.contains("?") ?? false { hasUnknown = true }
            if isAddress {
                affirms = false
                denies = statements.contains {
                    isMessage($0.name) && tally(of: VerdictWords.words(of: $0.value), inText: true).no
                }
                // Applications give codes and states of their own to a page: only a verdict by its value counts.
                statements = statements.filter { saysVerdict($0.name, $0.value) }
            }
            if head?.isOfFailure ?? false { denies = true }
        }

        /// Whether a name is not heard, since its value is nothing, a number or yes: `errors: 0`. Where the value goes
        /// on in other words, or says yes to a fault, nobody knows what it says.
        ///
        /// - Parameters:
        ///   - clause: what stands before the name in its clause.
        ///   - value: the tokens behind the name.
        private mutating func isAnswered(
            _ name: String, after clause: [String], by value: ArraySlice<Token>
        ) -> Bool {
            guard let first = value.first, first.isValue else { return false }
            let (isNo, isNothing) = (isNo(first.text), shortNothing.contains(letters(first.text)))
            let isShortYes = shortYes.contains(first.text.lowercased())
            let saysYes = tally(of: VerdictWords.words(of: first.text), inText: true).yes
            let isYes = isShortYes || saysYes
            // Mini programs answer so: `errMsg: request:ok`.
            if !isYes, let second = value.dropFirst().first, second.isValue,
                !tally(of: VerdictWords.words(of: first.text)).no
            {
                let answer = tally(of: VerdictWords.words(of: second.text), inText: true)
                if answer.yes, !answer.no, !answer.unknown,
                    VerdictWords.words(of: name).last.map({ senses[$0] }) == .message
                {
                    return true
                }
            }
            guard first.text == "0" || isMeasure(first.text, of: name) || isNothing || isNo || isYes,
                !clause.contains(where: { senses[$0] == .not })
            else { return false }
            let words = VerdictWords.words(of: name)
            // A sentence, not a name: `verify failed: null`, `未通过：无`.
            if isNothing || isNo && !clause.isEmpty, tellsFault(name, after: clause) { return false }
            let last = words.last.map { senses[$0] } ?? nil
            if isNothing || isYes, last == .yes || last == .no, words.contains(where: { senses[$0] == .not }) {
                return false
            }
            guard isNothing || isYes else { return true }
            var rest = isNothing || isShortYes ? [] : VerdictWords.words(of: first.text)
            for place in value.indices.dropFirst() {
                let isName = place + 1 < value.endIndex && value[place + 1].isValue
                if value[place].beginsClause || isName { break }
                rest += VerdictWords.words(of: value[place].text)
            }
            let isFault = tally(of: words).no && (plainYes.contains(letters(first.text)) || isShortYes && !saysYes)
            if isFault || tally(of: rest, inText: true).unknown { isUndecided = true }
            return true
        }

        /// Whether a pair of an address is about the person.
        private func saysVerdict(_ name: String, _ value: String) -> Bool {
            name.isClaim || tally(of: VerdictWords.words(of: name)).no
                || name.lowercased().filter { $0 != "_" } == "orderno" || value == "0" || isNo(value)
                || value.refusalCode != nil || tally(of: VerdictWords.words(of: value), inText: true).no
        }

        /// Whether such a code begins here: `66660004.0`, `6.6660004E+7`, `66,660,004`.
        private func isRefusal(_ tokens: ArraySlice<Token>) -> Bool {
            guard let text = tokens.first?.text, let first = text.utf8.first, "+-0123456789".utf8.contains(first) else {
                return false
            }
            if text.refusalCode != nil { return true }
            let after = tokens.dropFirst().prefix(2).map(\.text)
            if let last = text.utf8.last, "eE".utf8.contains(last), let exponent = after.first {
                return (text + exponent).refusalCode != nil
            }
            return text == "66" && ([text] + after).joined(separator: ",").refusalCode != nil
        }

        /// Adds what a text says that is encoded in this one.
        package mutating func add(_ other: Speech) {
            denies = denies || other.denies
            statements += other.statements
        }

        /// - Parameters:
        ///   - name: the words of the clause of which this is the value.
        ///   - isName: whether a value follows.
        private mutating func hear(
            _ clause: [String], of name: [String]?, isName: Bool = false, _ isAddress: Bool
        ) {
            var found = tally(of: clause, inText: true)
            if found.unknown, found.yes || name == nil && !isName { hasUnknown = true }
            // The answer to a question.
            let isRefused =
                clause.contains { senses[$0] == .not } && clause.allSatisfy { [.not, .filler].contains(senses[$0]) }
            if isRefused, let name, tally(of: name, inText: true).yes { isUndecided = true }
            // A no at the end turns what it follows: `passed? no`, `0 errors`.
            if let last = clause.last, last == "0" || shortNo.contains(last) {
                let before = clause.dropLast()
                let rest = tally(of: before, inText: true)
                let sense = before.last.map { senses[$0] } ?? nil
                if before.isEmpty {
                    if affirms, name == nil { denies = true }
                } else if last == "0", sense == .no {
                    found.no = false
                } else if rest.yes && (last != "0" || sense == .yes || sense == .filler)
                    || last != "0" && sense == .noun && !rest.no
                {
                    denies = true
                }
            }
            if clause.contains(where: listed.contains), clause.contains(where: ofHits.contains) { found.no = true }
            let isOfLook =
                clause.contains(where: listed.contains) || found.no && clause.contains(where: lookedFor.contains)
                || clause.count > 1 && name?.contains { listed.contains($0) || lookedFor.contains($0) } ?? false
            let isOpen =
                clause.contains { senses[$0] == .yes || senses[$0] == .not }
                || !found.no && clause.contains(where: listed.contains)
            if isOfLook, !isAddress, isOpen {
                isUndecided = true
                return
            }
            if found.no { denies = true }
            if found.yes { affirms = true }
        }
    }

    /// Whether a name, with what stands before it, is a sentence: verify failed.
    private static func tellsFault(_ name: String, after clause: [String]) -> Bool {
        let words = words(of: name)
        guard words.count > 1 || !clause.isEmpty, let last = words.last else { return false }
        return senses[last] == .no && !ofErrors.contains(last)
    }

    private static let ofErrors: Set = ["error", "errors", "err", "exception", "错误", "异常", "錯誤", "異常"]

    /// Whether it is digits with a point between them.
    package static func isDecimal(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(ByteSet.digits.contains) }
    }

    /// Whether a number is a score, how many there were of something, or how long it took; not the code of a fault.
    private static func isMeasure(_ text: String, of name: String) -> Bool {
        let unit = ["ms", "s"].first { text.hasSuffix($0) } ?? ""
        let text = String(text.dropLast(unit.count))
        let words = words(of: name)
        if let last = words.last, last == "code" || last == "码", tally(of: words).no { return false }
        let isDecimal = isDecimal(text)
        guard isDecimal || Int(text) != nil && !text.hasPrefix("+") else { return false }
        let asked = FieldName.verdicts.first { $0.name == name }?.agreement ?? Name(name).agreement
        if isDecimal { return asked != .isNoFault }
        return switch asked {
        case nil, .isNoYes, .isNoZero, .isNoNo, .isAmbiguous: true
        default: false
        }
    }

    /// Whether a text is base64 in which no word is meant. Constants, names and lists of them are of such characters,
    /// too: base64 has lines of one length, and letters of both cases with digits among them, or is all hexadecimal.
    package static func isBase64(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 64 else { return false }
        let count = Base64Count(text)
        let (lower, upper) = (count[.lower] + count[.hexLower], count[.upper] + count[.hexUpper])
        let isHex = count[.hexLower] + count[.hexUpper] + count[.digit] + count[.lineEnd] == text.count
        guard lower + upper + count[.digit] + count[.sign] + count[.lineEnd] + count[.padding] == text.count else {
            return false
        }
        if count[.lineEnd] > 0 {
            guard hasLinesOfOneLength(text) else { return false }
        } else {
            for place in text.count - count[.padding]..<text.count {
                if text[place] != UInt8(ascii: "=") { return false }
            }
        }
        return isHex || lower > 0 && upper > 0 && count[.digit] * 32 >= text.count && count[.sign] * 8 <= text.count
    }

    /// Whether all lines are of one length, but for a shorter last one that may be padded.
    private static func hasLinesOfOneLength(_ text: Span<UInt8>) -> Bool {
        var isPadded = false
        var (line, breaks) = (0, 0)
        var firstLine: Int?
        for place in text.indices {
            let byte = text[place]
            if byte == 0x0A { breaks += 1 }
            if byte == 0x0A || byte == 0x0D { continue }
            // Only what has something behind it is a whole line.
            while breaks > 0 {
                if firstLine ?? line != line { return false }
                (firstLine, line, breaks) = (line, 0, breaks - 1)
            }
            line += 1
            if byte == UInt8(ascii: "=") { isPadded = true } else if isPadded { return false }
        }
        return firstLine.map { line <= $0 } ?? true
    }

    /// How many of a text's bytes are of which kind.
    private struct Base64Count {
        enum Kind: Int, CaseIterable {
            case hexLower, lower, hexUpper, upper, digit, sign, lineEnd, padding

            fileprivate var bytes: ByteSet {
                switch self {
                case .hexLower: ByteSet("abcdef")
                case .lower: ByteSet("ghijklmnopqrstuvwxyz")
                case .hexUpper: ByteSet("ABCDEF")
                case .upper: ByteSet("GHIJKLMNOPQRSTUVWXYZ")
                case .digit: .digits
                case .sign: ByteSet("+/-_")
                case .lineEnd: ByteSet("\r\n")
                case .padding: ByteSet("=")
                }
            }
        }

        /// For each byte, a 1 in that of eight counters, a byte each, that counts its kind.
        private static let ones: [UInt64] = (0...UInt8.max).map { byte in
            Kind.allCases.first { $0.bytes.contains(byte) }.map { 1 << (8 * $0.rawValue) } ?? 0
        }

        private var counts = [Int](repeating: 0, count: Kind.allCases.count)

        init(_ text: Span<UInt8>) {
            let ones = Self.ones
            var start = 0
            while start < text.count {
                // As many as a counter can count.
                let portion = text.extracting(start..<min(start + 255, text.count))
                var sum: UInt64 = 0
                for place in portion.indices { sum += ones[Int(portion[place])] }
                for kind in Kind.allCases { counts[kind.rawValue] += Int(sum >> (8 * kind.rawValue) & 255) }
                start += portion.count
            }
        }

        subscript(_ kind: Kind) -> Int { counts[kind.rawValue] }
    }

    // MARK: - Words

    /// A run of letters and digits, as identifiers and numbers are.
    private struct Token {
        var text = ""
        /// Whether it follows a sign with which values follow names.
        var isValue = false
        /// The first signs behind it.
        var behind = ""
        /// Whether something stands before it that ends a clause.
        var beginsClause = false
        /// Whether anything stands before it.
        var isApart = false

        /// Whether it is a name whose value is empty: `errorMsg=&`.
        ///
        /// - Parameter isLast: whether no word follows.
        func isOfNothing(isLast: Bool) -> Bool {
            var signs = Substring(behind)
            if let first = signs.first, "\"'`".contains(first) { signs = signs.dropFirst() }
            guard let sign = signs.popFirst(), sign == "=" || sign == ":" else { return false }
            if signs.first == " " { signs = signs.dropFirst() }
            if signs.first?.isNewline ?? isLast { return true }
            return signs.hasPrefix("\"\"") || signs.hasPrefix("''") || signs.first.map { "]),;&".contains($0) } ?? false
        }

        /// Whether it is a number that is neither zero nor a code of success.
        var isUnknownNumber: Bool {
            text.utf8.first.map(ByteSet.digits.contains) ?? false && ![0, 200, 20_000].contains(text.number)
        }

        /// Notes a character between two of them.
        mutating func note(_ scalar: Unicode.Scalar) {
            isApart = true
            switch scalar {
            case "=", ":", "?": (isValue, beginsClause) = (true, true)
            case " ", "\"", "'", "\\", "`", "-", "’", "*": break
            // The value of a name may stand in brackets: `errorMsg=(null)`.
            case "(" where isValue: break
            case "/": beginsClause = true
            case _ where !scalar.isASCII && scalar.properties.generalCategory == .mathSymbol:
                (isValue, beginsClause) = (true, true)
            default: (isValue, beginsClause) = (false, true)
            }
        }
    }

    private static func tokens(of text: String) -> [Token] {
        tokens(in: text.unicodeScalars.filter { !$0.isInvisible }.map(\.folded))
    }

    private static func tokens(in scalars: [Unicode.Scalar]) -> [Token] {
        var tokens: [Token] = []
        var token = Token()
        var place = 0
        func end() {
            if token.text.isEmpty { return }
            tokens.append(token)
            token = Token()
        }
        func note(_ scalar: Unicode.Scalar) {
            if let last = tokens.indices.last, tokens[last].behind.utf8.count < 5 {
                tokens[last].behind.unicodeScalars.append(scalar)
            }
            token.note(scalar)
        }
        while place < scalars.count {
            let scalar = scalars[place]
            let last = place > 0 ? scalars[place - 1] : " "
            let next = place + 1 < scalars.count ? scalars[place + 1] : " "
            defer { place += 1 }
            if scalar.isOfWord {
                if last.isOfWord, last.isASCII != scalar.isASCII { end() }
                if token.text.isEmpty, token.isValue, last == "-", scalar.isDigit { token.text = "-" }
                token.text.unicodeScalars.append(scalar)
            } else if !token.text.isEmpty, last.isASCII, next.isASCII, last.isOfWord, next.isOfWord,
                scalar == "-" || scalar == "." && last.isDigit && next.isDigit
            {
                token.text.unicodeScalars.append(scalar)
            } else if scalar.isBlank, last.isHan {
                // Chinese is also written with blanks between its characters.
                var after = place
                while after < scalars.count, scalars[after].isBlank { after += 1 }
                if after < scalars.count, scalars[after].isHan {
                    token.text.unicodeScalars.append(scalars[after])
                    place = after
                } else {
                    end()
                    note(scalar)
                }
            } else {
                end()
                // A dash between blanks is a sign like a colon.
                if scalar.isDash, place > 0, last == " " {
                    var after = place
                    while after < scalars.count, scalars[after].isDash { after += 1 }
                    if after < scalars.count, scalars[after] == " " {
                        token.note(":")
                        place = after
                        continue
                    }
                }
                note(scalar)
            }
        }
        end()
        return tokens
    }

    /// The words of an identifier, in lower case: `faceVerifyPassed`, `FACE_PASS`, `passflag`, `是否通过`.
    private static func words(of token: String) -> [String] {
        var words: [String] = []
        var word = ""
        let scalars = Array(token.unicodeScalars)
        for (place, scalar) in scalars.enumerated() where scalar.isLetter {
            word += scalar.lowercase
            let next = place + 1 < scalars.count ? scalars[place + 1] : "_"
            let isLast =
                !next.isLetter || scalar.isASCII != next.isASCII || scalar.isLower && next.isUpper
                || scalar.isUpper && next.isUpper && place + 2 < scalars.count && scalars[place + 2].isLower
            if isLast {
                words += parts(of: word)
                word = ""
            }
        }
        return words
    }

    /// A word of the vocabulary, or the several that were written together; each character of another script.
    private static func parts(of word: String) -> [String] {
        if senses[word] != nil { return [word] }
        if word.utf8.first ?? 0 < 0x80 { return together(Array(word.utf8)) ?? [word] }
        let scalars = Array(word.unicodeScalars)
        var parts: [String] = []
        var place = 0
        while place < scalars.count {
            let ways = [3, 2].lazy.map { String(String.UnicodeScalarView(scalars[place...].prefix($0))) }
            let part = ways.first { senses[$0] != nil || plain.contains($0) } ?? String(scalars[place])
            parts.append(part)
            place += part.unicodeScalars.count
        }
        return parts
    }

    /// The fewest words of the vocabulary that make up all of a word; `nil` if none do.
    private static func together(_ letters: [UInt8]) -> [String]? {
        // By the number of letters: with how many words they are made, and where the last of these begins.
        var best: [(count: Int, start: Int)?] = Array(repeating: nil, count: letters.count + 1)
        best[0] = (0, 0)
        for start in letters.indices {
            guard let before = best[start] else { continue }
            var node = 0
            for end in start..<letters.count {
                guard let next = spelling.next(node, letters[end]) else { break }
                node = next
                if spelling.isWord(node), before.count + 1 < best[end + 1]?.count ?? .max {
                    best[end + 1] = (before.count + 1, start)
                }
            }
        }
        guard best[letters.count] != nil else { return nil }
        var words: [String] = []
        var end = letters.count
        while end > 0, let (_, start) = best[end] {
            words.append(String(decoding: letters[start..<end], as: UTF8.self))
            end = start
        }
        return words.reversed()
    }

    /// The English words, letter by letter: a text of a stranger's is compared with all of them at once.
    private struct Spelling {
        private var nodes = [Array(repeating: 0, count: 26)]
        private var ends: Set<Int> = []

        init(_ words: some Sequence<String>) {
            for word in words where word.utf8.allSatisfy({ 0x61...0x7A ~= $0 }) {
                var node = 0
                for letter in word.utf8 {
                    let place = Int(letter - 0x61)
                    if nodes[node][place] == 0 {
                        nodes[node][place] = nodes.count
                        nodes.append(Array(repeating: 0, count: 26))
                    }
                    node = nodes[node][place]
                }
                ends.insert(node)
            }
        }

        func next(_ node: Int, _ letter: UInt8) -> Int? {
            guard 0x61...0x7A ~= letter else { return nil }
            let next = nodes[node][Int(letter - 0x61)]
            return next == 0 ? nil : next
        }

        func isWord(_ node: Int) -> Bool { ends.contains(node) }
    }

    private static let spelling = Spelling(senses.keys)
}

extension String {
    /// The number that it is written as, in digits and as JSON has it, to programs that compute in floating point:
    /// `0.0` is 0.
    package var number: Double? {
        var digits = utf8[...]
        func skip(_ signs: String) {
            if let first = digits.first, signs.utf8.contains(first) { digits = digits.dropFirst() }
        }
        func hasDigits() -> Bool {
            let rest = digits.drop(while: ByteSet.digits.contains)
            defer { digits = rest }
            return rest.count < digits.count
        }
        skip("+-")
        guard hasDigits() else { return nil }
        if digits.first == UInt8(ascii: ".") {
            digits = digits.dropFirst()
            guard hasDigits() else { return nil }
        }
        if let first = digits.first, "eE".utf8.contains(first) {
            digits = digits.dropFirst()
            skip("+-")
            guard hasDigits() else { return nil }
        }
        return digits.isEmpty ? Double(self) : nil
    }

    /// Whether a number is written without a plus, and without zeros in front, which are of another code.
    package var isPlainNumber: Bool {
        let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        guard let first = digits.first, ByteSet.digits.contains(first) else { return false }
        return first != UInt8(ascii: "0") || !(digits.dropFirst().first.map(ByteSet.digits.contains) ?? false)
    }

    /// One of the vendor's codes for a verification that was not passed, also where it is written with a point, an
    /// exponent, or its digits in groups.
    package var refusalCode: Int64? {
        var digits = Array(utf8)
        guard 5...64 ~= digits.count else { return nil }
        if digits.count >= 10, ",._'".utf8.contains(digits[2]), digits[2] == digits[6] {
            digits.remove(at: 6)
            digits.remove(at: 2)
            guard digits.starts(with: "6666".utf8), digits.prefix(8).allSatisfy(ByteSet.digits.contains),
                digits.count == 8 || !ByteSet.digits.contains(digits[8])
            else { return nil }
        }
        guard digits.allSatisfy(Self.ofNumbers.contains) else { return nil }
        let number = Double(String(decoding: digits, as: UTF8.self))
        return number.flatMap { 66_660_000..<66_670_000 ~= $0 ? Int64($0) : nil }
    }

    private static let ofNumbers = ByteSet.digits.union("+-.eE")

    /// Whether it is the name of a result's claim, which nobody writes in a sentence.
    package var isClaim: Bool {
        // Texts have many words, and few begin so.
        guard let first = utf8.first, "iI_-".utf8.contains(first), utf8.count <= 64 else { return false }
        let plain = lowercased().filter { $0 != "_" && $0 != "-" }
        return ([FieldName.isSuccess.vendor] + FieldName.isSuccess.others.dropFirst())
            .contains { $0.lowercased() == plain }
    }
}

extension [String] {
    /// Whether its last words, however they are written, are one of these: timezone, timeZone.
    fileprivate func end(in names: Set<String>) -> Bool {
        var end = ""
        for word in reversed() where end.utf8.count < 16 {
            end = word + end
            if names.contains(end) { return true }
        }
        return false
    }
}
