// SPDX-License-Identifier: Apache-2.0
/// The words with which programs and people say that somebody passed or failed (`docs/FORMATS.md` §5.2).
package enum VerdictWords {
    /// What a word does to a name or a sentence.
    package enum Sense: Sendable { case yes, no, not, noun, message, filler }

    private static let senses: [String: Sense] = {
        var senses: [String: Sense] = [:]
        for (sense, words) in [
            (
                Sense.yes,
                "success successful successfully succeed succeeded succ sucess pass passed passes match matched "
                    + "matches verified valid approve approved accept accepted same identical certified authenticated "
                    + "authorized ok okay 成功 通过 通過 一致 匹配 同一 本人 有效 合格 符合 相符 合法"
            ),
            (
                .no,
                "fail failed fails failure failing error errors err reject rejected rejection refuse refused deny "
                    + "denied denies invalid mismatch cancel cancelled canceled timeout abort aborted expired "
                    + "forbidden unauthorized blocked illegal wrong negative spoof spoofed attack mismatched "
                    + "declined rejects fake fraud revoked exception "
                    + "失败 失敗 错误 异常 拒绝 取消 超时 非法 攻击 翻拍 过期 不符 无效 驳回 出错 有误 中断 放弃 冒用 假体"
            ),
            (
                .not,
                "not no non un never without unable cannot didn doesn isn wasn couldn hasn haven neither nor "
                    + "不 未 没 没有 无 非 无法"
            ),
            (
                .noun,
                "result results status state verdict outcome conclusion decision judgement judgment ret code flag "
                    + "结果 状态 结论 判定"
            ),
            (.message, "msg message info desc description detail details reason text 信息 原因"),
            (
                .filler,
                "is has was did be been face person alive live liveness real human body verify verification identity "
                    + "check compare comparison detect detection auth authentication kyc final overall total sdk api "
                    + "biz business sub res resp response rsp return op request req query "
                    + "是否 是 认证 核身 人脸 比对 检测 活体 校验 验证 识别 最终"
            ),
        ] { for word in words.split(separator: " ") { senses[String(word)] = sense } }
        return senses
    }()
    /// How far a negation turns the words after it: a word counts two, one of another script than ASCII one.
    private static let reach = 6

    /// Whole texts that say yes, no, or nothing, though no sentence is made of them.
    private static let shortYes: Set = [
        "yes", "y", "true", "t", "done", "complete", "completed", "finished", "normal", "active", "是", "真", "完成", "正常",
    ]
    private static let shortNo: Set = ["no", "n", "false", "f", "否", "假"]
    private static let shortNothing: Set = ["none", "null", "nil", "nothing", "无", "没有"]

    /// Texts of a status that is none yet.
    private static let shortOpen: Set = [
        "pending", "processing", "waiting", "unknown", "undecided", "review", "reviewing", "running", "inprogress",
        "处理中", "审核中", "待审核", "未知",
    ]
    /// How names end whose text says who, where or which something is, and is no message.
    private static let designations = [
        "address", "addr", "city", "province", "country", "district", "street", "company", "organization", "department",
        "email", "mail", "phone", "mobile", "url", "uri", "link", "path", "file", "host", "hostname", "username",
        "nickname", "realname", "fullname", "device", "model", "brand", "browser", "agent", "locale", "language",
        "currency", "timezone", "uuid", "guid", "nonce", "hash", "digest", "姓名", "地址", "城市", "公司",
    ]

    /// What the words of a name or of a clause say together. A negation turns the next words.
    private struct Finding {
        var yes = false, no = false, noun = false, message = false
        /// Whether there is a word that is none of ours.
        var other = false
    }

    private static func finding(of words: [String]) -> Finding {
        var found = Finding()
        var left = -1
        for word in words {
            left -= word.utf8.first ?? 0 < 0x80 ? 2 : 1
            let isTurned = left >= 0
            switch senses[word] {
            case .yes: if isTurned { found.no = true } else { found.yes = true }
            case .no: if isTurned { found.yes = true } else { found.no = true }
            case .not: left = reach
            case .noun: found.noun = true
            case .message: found.message = true
            case .filler: break
            case nil: found.other = true
            }
        }
        return found
    }

    /// What a member of this name must say beside a pass; `nil` if the name asks for no verdict.
    package static func agreement(ofName name: String) -> FieldName.Agreement? {
        let words = tokens(of: name).flatMap { self.words(of: $0.text) }
        guard !words.isEmpty, words.count <= 8 else { return nil }
        let found = finding(of: words)
        if found.other { return found.no ? .isNoYes : found.yes ? .isNoNo : nil }
        if found.no { return .isNoFault }
        if found.message { return nil }
        if found.yes || words.count > 1 && (words[0] == "is" || words[0] == "是否") {
            return .affirms(isZeroDenial: true)
        }
        return found.noun ? .affirms(isZeroDenial: false) : .isNoNo
    }

    /// Whether the text of a member of this name is none that speaks of a verdict.
    package static func isDesignation(_ name: String) -> Bool {
        let words = tokens(of: name).flatMap { self.words(of: $0.text) }
        let plain = name.lowercased()
        return words.count > 1 && ["id", "name", "ip"].contains(words[words.count - 1])
            || designations.contains { plain.hasSuffix($0) }
    }

    /// The last identifier of a path in a name: `data.isSuccess`; `nil` for a name that is no path.
    package static func path(_ name: String) -> String? {
        let tokens = tokens(of: name)
        return tokens.count > 1 ? tokens.last?.text : nil
    }

    // MARK: - Texts

    /// Whether a whole text, in letters alone, is a short word for no.
    package static func isNo(_ text: String) -> Bool { shortNo.contains(letters(text)) }
    /// Whether it says in some way that something succeeded.
    package static func isYes(_ text: String) -> Bool {
        shortYes.contains(letters(text)) || affirms(text)
    }
    /// Whether a status, which has words of its own, is no success: a failure, none yet, or a code.
    package static func isNoSuccess(_ text: String) -> Bool {
        if isYes(text) { return false }
        return isNo(text) || shortOpen.contains(letters(text)) || text.utf8.contains(where: ByteSet.digits.contains)
            || Speech(text).denies
    }
    /// The same in words for success.
    package static func affirms(_ text: String) -> Bool {
        let speech = Speech(text)
        return speech.affirms && !speech.denies
    }
    /// Whether it says that there is nothing to say.
    package static func isNothing(_ text: String) -> Bool {
        let letters = letters(text)
        return shortNothing.contains(letters) || shortNo.contains(letters)
    }

    private static func letters(_ text: String) -> String {
        text.utf8.count > 32
            ? ""
            : String(String.UnicodeScalarView(text.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic }))
    }

    /// What a text says about a verdict.
    package struct Speech: Sendable {
        /// Whether it says that something failed, or did not succeed.
        package private(set) var denies = false
        /// Whether it says that something succeeded.
        package private(set) var affirms = false
        /// Names with the values that follow them: `isSuccess=false`.
        package private(set) var statements: [(name: String, value: String)] = []

        /// Listens to a text. Base64 says nothing, and an address says only what is in its query.
        package init(_ text: String) {
            if VerdictWords.isBase64(text.utf8) { return }
            let isAddress = text.prefix(16).contains("://") && !text.contains(" ")
            var clause: [String] = []
            let tokens = tokens(of: text)
            for (place, token) in tokens.enumerated() {
                if token.beginsClause { hear(&clause) }
                let next = place + 1 < tokens.count ? tokens[place + 1] : nil
                let words = words(of: token.text)
                if let next, next.isValue || token.text.isClaim {
                    statements.append((token.text, next.text))
                    // What follows says whether it is one: `errors: 0`.
                    if next.isValue,
                        next.text == "0" || isNothing(next.text) || shortYes.contains(next.text.lowercased())
                            || finding(of: VerdictWords.words(of: next.text)).yes
                    {
                        continue
                    }
                } else if token.text.isClaim {
                    statements.append((token.text, ""))
                }
                clause += words
            }
            hear(&clause)
            if isAddress { (denies, affirms) = (false, false) }
        }

        /// Adds what another speech states, not how it sounds.
        package mutating func add(statementsOf other: Speech) { statements += other.statements }

        private mutating func hear(_ clause: inout [String]) {
            let found = finding(of: clause)
            if found.no { denies = true }
            if found.yes { affirms = true }
            clause.removeAll()
        }
    }

    /// Whether a text is base64 in which no word is meant.
    package static func isBase64(_ text: some Collection<UInt8>) -> Bool {
        text.count >= 64
            && text.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="),
                    UInt8(ascii: "-"), UInt8(ascii: "_"), 0x0A, 0x0D:
                    true
                default: false
                }
            }
    }

    // MARK: - Words

    /// A run of letters and digits, as identifiers and numbers are.
    private struct Token {
        var text = ""
        /// Whether it follows a sign with which values follow names.
        var isValue = false
        /// Whether something stands before it that ends a clause.
        var beginsClause = false

        /// Notes a character between two of them.
        mutating func note(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "=", ":", ">", "：": (isValue, beginsClause) = (true, true)
            case " ", "\t", "\"", "'", "\\", "`", "-", "’": break
            case "<", "/": beginsClause = true
            default: (isValue, beginsClause) = (false, true)
            }
        }
    }

    private static func tokens(of text: String) -> [Token] {
        var tokens: [Token] = []
        var token = Token()
        var last: Unicode.Scalar = "\0"
        func isLetter(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isASCII
                ? scalar.isLetter || ("0"..."9").contains(scalar) || scalar == "_"
                : scalar.isLetter || scalar.properties.numericType != nil
        }
        let scalars = text.unicodeScalars.lazy
            .filter { $0.isASCII || !$0.properties.isDefaultIgnorableCodePoint }
            // The wide forms of ASCII.
            .map { (0xFF01...0xFF5E).contains($0.value) ? Unicode.Scalar($0.value - 0xFEE0) ?? $0 : $0 }
        var pending: Unicode.Scalar?
        for scalar in scalars {
            if let mark = pending {
                pending = nil
                if mark == "." ? ("0"..."9").contains(scalar) : isLetter(scalar) {
                    token.text.unicodeScalars.append(mark)
                } else {
                    tokens.append(token)
                    token = Token()
                    token.note(mark)
                }
            }
            // A line break that was written as an escape.
            if last == "\\", "nrt".unicodeScalars.contains(scalar) {
                token.note("\n")
                last = scalar
                continue
            }
            if isLetter(scalar) {
                if token.text.isEmpty, token.isValue, last == "-", ("0"..."9").contains(scalar) { token.text = "-" }
                token.text.unicodeScalars.append(scalar)
            } else if !token.text.isEmpty,
                scalar == "-" || scalar == "." && ("0"..."9").contains(last)
            {
                pending = scalar
            } else {
                if !token.text.isEmpty {
                    tokens.append(token)
                    token = Token()
                }
                token.note(scalar)
            }
            last = scalar
        }
        if !token.text.isEmpty { tokens.append(token) }
        return tokens
    }

    /// The words of an identifier, in lower case: `faceVerifyPassed`, `FACE_PASS`, `passflag`, `是否通过`.
    private static func words(of token: String) -> [String] {
        var words: [String] = []
        var word = ""
        let scalars = Array(token.unicodeScalars)
        for (place, scalar) in scalars.enumerated() {
            guard scalar.isLetter else { continue }
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
            let pair = String(String.UnicodeScalarView(scalars[place..<min(place + 2, scalars.count)]))
            let part = senses[pair] != nil ? pair : String(scalars[place])
            parts.append(part)
            place += part.unicodeScalars.count
        }
        return parts
    }

    /// The fewest words of the vocabulary that make up all of a word; `nil` if none do.
    private static func together(_ letters: [UInt8]) -> [String]? {
        guard 2...24 ~= letters.count else { return nil }
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

extension Unicode.Scalar {
    // The properties of Unicode cost a search, and most texts are ASCII.
    fileprivate var isLower: Bool { isASCII ? ("a"..."z").contains(self) : properties.isLowercase }
    fileprivate var isUpper: Bool { isASCII ? ("A"..."Z").contains(self) : properties.isUppercase }
    fileprivate var isLetter: Bool { isASCII ? isLower || isUpper : properties.isAlphabetic }
    fileprivate var lowercase: String { isASCII && !isUpper ? String(self) : properties.lowercaseMapping }
}

extension String {
    /// Whether it is the name of a result's claim, which nobody writes in a sentence.
    package var isClaim: Bool {
        // Texts have many words, and few begin so.
        guard let first = utf8.first, "iI_-".utf8.contains(first), utf8.count <= 64 else { return false }
        let plain = lowercased().filter { $0 != "_" && $0 != "-" }
        return ([FieldName.isSuccess.vendor] + FieldName.isSuccess.others.dropFirst())
            .contains { $0.lowercased() == plain }
    }
}
