# SPDX-License-Identifier: Apache-2.0
"""What names and texts say about a verdict: FORMATS.md §5.2."""

from __future__ import annotations

import base64
import binascii
import functools
import re
import unicodedata
from typing import Any, Iterator, NamedTuple, Optional
from urllib.parse import unquote_to_bytes

import evidence_v1

WORDS = {
    "yes": "success successful successfully succeed succeeded succ sucess pass passed passes match matched matches verified valid approve "
    "approved accepted same identical certified authenticated authorized ok okay confirmed recognized recognised granted allowed consistent good 成功 通过 通過 一致 匹配 同一 本人 有效 合格 符合 相符 合法",
    "no": "fail failed fails failure failing error errors err reject rejected rejection refuse refused deny denied denies invalid mismatch "
    "cancel cancelled canceled timeout abort aborted expired forbidden unauthorized blocked illegal wrong negative spoof spoofed spoofing attack "
    "mismatched decline declines declined disapprove disapproved rejects fake deepfake fraud fraudulent suspect suspicious untrusted injection "
    "terminated revoked exception inconsistent replay impostor imposter forged forgery interrupted quit differ differs different tampered "
    "disallowed withdrawn void voided blacklisted 失败 失敗 错误 异常 黑名单 拦截 否决 拒绝 取消 超时 非法 攻击 翻拍 过期 不符 无效 驳回 出错 有误 中断 放弃 冒用 假体 换脸 可疑 不足 伪造 篡改 作弊 假人 面具 "
    "錯誤 異常 拒絕 超時 攻擊 過期 無效 駁回 出錯 有誤 中斷 放棄 假體",
    "not": "0 not no non un never without unable cannot didn doesn isn wasn couldn hasn haven neither nor none nobody hardly pending yet nope zero mis anti "
    "cant wont dont doesnt didnt isnt wasnt werent arent aint couldnt wouldnt shouldnt mustnt hasnt havent hadnt "
    "不 未 没 没有 无 非 无法 待 唔 沒 沒有 無 無法 防 反",
    "noun": "result results status state verdict outcome conclusion decision judgement judgment ret code flag 结果 状态 结论 判定",
    "message": "msg message info desc description detail details reason text 信息 原因",
    "done": "done complete completed finish finished normal 完成 正常",
    "filler": "is has was did be been face person alive live liveness real human body verify verification identity check compare comparison "
    "detect detection genuine 命中 auth authentication kyc final overall total sdk api biz business sub res resp response rsp return op request req "
    "query police selfie living yn ind flg http 是否 是不是 是 认证 核身 人脸 比对 检测 活体 校验 验证 识别 最终 核验 真人 实名 实人 审核 复核 鉴权 检验 检查 核查 核对 对比 判断 人证 人像 身份 证 证件 公安 联网 刷脸 静默 动作 炫彩 为 已",
}
KINDS = {word: kind for kind, words in WORDS.items() for word in words.split()}
LONGEST = max(map(len, KINDS))
# Lists of words with another purpose, by their name on the page.
LISTS = {
    # Negations that turn only the word after them.
    "next": "无 無 非 0 zero anti 防 反",
    # What says nothing of a verdict in a text that affirms.
    "plain": "user operation call photo image video card id and for with by in on your you all now already processed process it everything have faces recognition login upload checks "
    "请求 操作 用户 您 你 的 了 全部 均 都 已经 接口 调用 业务 提交 查询 系统 服务 流程 数据 响应 处理 返回 和 与 且 并 于 本次 恭喜 交易 人 姓名 号 号码 公民 要素 二 三 四 确认 登录 获取 保存 回调 更新 创建 上传 执行 采集 授权 绑定 初始化 受理 認證 驗證 比對 活體 檢測 核驗 人臉 識別 請求 處理 查詢 業務 實名",
    # Fillers that say no where they are denied.
    "person": "alive live real human genuine verify 活体 真人 认证 核身 验证 核验 实名",
    # What may stand between a not and a person, besides fillers.
    "between": "a an the any 到 出 能 一 个",
    # How a name ends that asks for a verdict, whatever else is in it, but how somebody is reached.
    "last yes": "pass passed success successful succeed succeeded match matched matches verified valid approved",
    "elsewhere": "email mail phone mobile sms tel address wechat push upload cache notify vip location pay payment bind cts duplicate",
    # What speaks of the person even there.
    "face": "face person liveness live alive human verify verification identity auth authentication kyc check pass passed spoof spoofing deepfake fake "
    "人脸 认证 核身 活体 实名 实人 核验 人证 本人 同一 翻拍 假体 换脸 面具",
    # Lists that are as bad as a fraud, in names.
    "listed": "blacklist watchlist sanction sanctions",
    # Nouns that nothing but a verdict has, of whatever it is.
    "last noun": "result results verdict outcome conclusion decision judgement judgment 结果 结论 判定",
    # What a fault is told with: where it is, and how it is called.
    "of a fault": "at time codes reasons item items step steps stage checks 码 项",
    # What is looked for, in which there is a step, a check or an item without a fault; and what has an end.
    "looked for": "spoof spoofing attack fraud deepfake fake injection replay forgery tampered suspicious blacklisted exception timeout expired "
    "攻击 翻拍 假体 换脸 伪造 面具 作弊 篡改 冒用 黑名单 可疑 异常 非法 过期 超时",
    # How it is said that it was found.
    "found": "detected found hit hits 命中",
    # What such a list or a sample may do, which is no good news.
    "hit": "match matched matches confirmed recognized recognised same identical 匹配 一致 同一",
    # How a name ends of the look itself: true may say that it was taken, or what it found.
    "looking": "check compare comparison detect detection verify verification auth query 检测 检查 核查 核对 比对 校验 验证 核验 检验 审核 复核",
    # How a name ends that says of what is looked for that it is not there: spoofCheckPassed.
    "cleared": "pass passed 通过 通過",
    # What says the same as the value of such a name.
    "clear": "clear clean real live alive human genuine realperson liveperson realface 真人 normal 正常",
    # How names end of what an app asks for, counts or sets.
    "aside": "consent consents agreement agreements permission permissions threshold thresholds statistics stats counts config settings urls "
    "协议 授权 权限 阈值 统计 配置",
    # Of what happens, whose names say something.
    "event": "event node action",
    # How names end that say what the verification is for.
    "purpose": "scene scenecode scenetype scenario purpose usage usecase action operationtype servicetype biztype businesstype verifyreason "
    "applyreason triggerreason pagetitle 场景 用途 业务类型",
    # Of the words for yes, those that ask for one wherever they stand.
    "strong yes": "passed passes matched matches verified approved accepted same identical certified authenticated consistent confirmed recognized "
    "recognised valid",
    # Whole texts.
    "short yes": "yes y true t s on up done complete completed finish finished ended normal active enabled online ready clear positive allow "
    "accept proceed paid settled live real alive human genuine realperson liveperson realface 真人 是真人 活体 相似 是 真 完成 已完成 正常 已认证 已验证 已核验 已实名 已审核",
    # Of these, what says of a fault that it is there.
    "plain yes": "yes y true t on positive 是 真",
    "short no": "no n false f ng ko nok 否 假",
    "nothing": "none null nil nothing na 无 没有 暂无",
    "open": "pending processing waiting unknown undecided review reviewing running inprogress 处理中 审核中 待审核 未知",
    # How names end whose text says who, where or which something is.
    "which": "address addr city province country district street company organization department email mail phone mobile url uri link path file "
    "host hostname username nickname realname fullname device model brand browser agent locale locales language languages countries nation nationality citizenship currency timezone uuid guid nonce hash "
    "digest 姓名 地址 城市 公司",
}
NEXT_ONLY, PLAIN, DENIABLE, BETWEEN, OF_OTHERS, ELSEWHERE, FACES, LISTED, RESULTS, OF_FAULTS, LOOKED_FOR, FOUND, HIT, LOOKING, CLEARED, CLEAR, ASIDE, EVENTS, PURPOSES, STRONG_YES, SHORT_YES, PLAIN_YES, SHORT_NO, SHORT_NOTHING, SHORT_OPEN, DESIGNATIONS = (
    set(words.split()) for words in LISTS.values()
)
SHORT_NOTHING |= SHORT_NO
# No words for "none".
OF_BAD = {"ng", "ko", "nok", "假"}
# These are words of their own elsewhere: names only beside a value, and heard as well.
OF_NAME_BESIDE_A_VALUE = set("type kind check checkitem criterion test step stage category dimension 检查项 检测项 问题 指标名称".split())
# Of these, a check's own, beside how it ended.
OF_CHECK = OF_NAME_BESIDE_A_VALUE | set("name item rule metric 名称 名 指标 项目".split())
OF_VALUE = set("value val v values text data content result answer flag final 值 内容 结果".split())
OF_NAME = set(
    "name key k n field fieldname label title column description question header metric question tag option rule attr attribute prop property param parameter item id variable 名称 名 字段 指标 项目".split()
) | {"code"}
CLAIMS = ("issuccess", "issucess")


def table() -> list[str]:
    """The rows of the page's table of words."""
    return [f"| {kind} | {', '.join(words.split())} |" for kind, words in (WORDS | LISTS).items()]


def is_claim(text: Any) -> bool:
    return isinstance(text, str) and re.sub("[-_]", "", text.lower()) in CLAIMS


# Characters of which no plain text is made, and sequences of others.
UNREAD = re.compile(
    # Control characters, markup, tables, escapes.
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\t<>|\\^{}]|&#?\w+;"
    # Two signs of assignment, or one with nothing before it.
    r"|[=:!~][ \"'*`]*=|=[ \"'*`]*[:~]|^\W*=|(?<!\w)[!~](?=\w)"
    # Lists and texts in lists.
    r"|\[[ \"'*`]*[\]\[]|[=:][ \"'*`]*\["
    # Signs for no.
    "|[\u2260\u00ac\u2717\u2718\u274c\u274e\u2612\u2716\u2715\u2a2f\u2610\u25a1\u26d4\U0001f6ab\U0001f6d1\U0001f44e]"
    # A sign of multiplication stands before a number.
    "|\u00d7(?! *[0-9])"
    # Letters apart.
    r"|(?<!\w)(?:[A-Za-z][ .-]){3,}[A-Za-z](?!\w)"
)
# Letters that look like those of ASCII, or are those of ASCII in another dress.
LOOK_ALIKES = "\u0370-\u058f\u13a0-\u13ff\ua4d0-\ua4ff\uab70-\uabbf\U00010280-\U0001042f"
DRESSED = re.compile("[\u249c-\u24e9\U0001d400-\U0001d7ff\U0001f130-\U0001f189]")
MIXED = re.compile(f"[A-Za-z][0-9_]*[{LOOK_ALIKES}]|[{LOOK_ALIKES}][0-9_]*[A-Za-z]")


# Escapes of JavaScript, and what UTF-8 of Chinese becomes where it is taken for Latin-1 or Windows-1252.
OF_WINDOWS = "\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122"
MISREAD = re.compile(f"%u[0-9A-Fa-f]{{4}}|[\u00e4-\u00e9][{OF_WINDOWS}][{OF_WINDOWS}]")


def fold_wide(text: str) -> str:
    """With wide forms of ASCII as ASCII."""
    return "".join(chr(ord(c) - 0xFEE0) if "\uff01" <= c <= "\uff5e" else c for c in text)


def fold(text: str) -> str:
    """The same without invisible characters."""
    return fold_wide("".join(c for c in text if not evidence_v1.is_ignorable(c)))


def is_mixed(text: str) -> bool:
    """Whether a word has letters of which some only look like the others, or invisible characters in it."""
    marked = "".join("\0" if evidence_v1.is_ignorable(c) else c for c in text)
    return MIXED.search(fold(text)) is not None or DRESSED.search(text) is not None or re.search(r"[^\W\d_]\0+[^\W\d_]", marked) is not None


def is_unread(text: str) -> bool:
    """Whether a text has a form that is not read here."""
    text_ = re.sub(r"\{[\w.]*\}", " ", fold(text)).rstrip("=")
    return is_mixed(text) or UNREAD.search(text_) is not None


def is_of(words_: set[str], ends: tuple[str, ...], name: str) -> bool:
    return name.lower() in words_ or name.endswith(tuple(form for end in ends for form in (end.capitalize(), f"_{end}")))


def is_of_value(name: str) -> bool:
    return is_of(OF_VALUE, ("value", "val", "content", "answer"), name)


def is_of_name(name: str) -> bool:
    return is_of(OF_NAME, ("name", "key", "label", "field", "title"), name)


class Token(NamedTuple):
    text: str
    before: str
    """What stands between it and the token before."""

    @property
    def signs(self) -> str:
        return re.sub("[ \"'\\\\`’*/-]", "", re.sub("[ ]+[-–—]+[ ]+", ":", self.before))

    @property
    def is_value(self) -> bool:
        """Whether the last of the signs before it, but for blanks, quotation marks and `(`, is one of assignment."""
        sign = self.signs.rstrip("(")[-1:]
        return sign != "" and (sign in "=:?" or unicodedata.category(sign) == "Sm" and not sign.isascii())

    @property
    def begins_clause(self) -> bool:
        return self.signs != "" or "/" in self.before


def tokens(text: str) -> list[Token]:
    return split(text)[0]


@functools.lru_cache(4096)
def split(text: str) -> tuple[list[Token], str]:
    """The tokens of a text, and what stands behind the last."""
    text = fold(text)
    # Letters of Chinese that stand apart.
    text = re.sub("(?<=[\u4e00-\u9fff])[ \u3000]+(?=[\u4e00-\u9fff])", "", text)
    listed = []
    last = 0
    for token in re.finditer(r"[A-Za-z0-9_]+(?:(?:-|(?<=[0-9])\.(?=[0-9]))[A-Za-z0-9_]+)*|[^\W_A-Za-z0-9]+", text):
        word, before = token[0], text[last : token.start()]
        last = token.end()
        if Token(word, before).is_value and before.endswith("-") and word[0] in "0123456789":
            word = "-" + word
        listed.append(Token(word, before))
    return listed, text[last:]


OF_ERRORS = set("error errors err exception 错误 异常 錯誤 異常".split())


def tells_fault(name: str, before: list[str]) -> bool:
    """Whether a name, with what stands before it, is a sentence: verify failed."""
    listed = words(name)
    return (len(listed) > 1 or before != []) and listed != [] and KINDS.get(listed[-1]) == "no" and listed[-1] not in OF_ERRORS


def names_of_nothing(text: str) -> set[int]:
    """The places of the tokens that have a sign of assignment behind them, and then what ends a value, as the text's end does."""
    listed, trailing = split(text)
    ends = [*(following.before + "x" for following in listed[1:]), trailing]
    return {place for place, after in enumerate(ends) if re.match("[\"'`]?[=:] ?(\"\"|''|[]),;&\r\n]|$)", after)}


@functools.cache
def parts(word: str) -> list[str]:
    if word in KINDS:
        return [word]
    if not word[0].isascii():
        listed = []
        while word:
            size = next((size for size in (3, 2) if len(word) >= size and (word[:size] in KINDS or word[:size] in PLAIN)), 1)
            listed.append(word[:size])
            word = word[size:]
        return listed
    # With how many words the first letters are made, and where the last of these begins.
    best: list[Optional[tuple[int, int]]] = [(0, 0)]
    for end in range(1, len(word) + 1):
        starts = [start for start in range(max(0, end - LONGEST), end) if word[start:end] in KINDS]
        ways = [(before[0] + 1, start) for start in starts if (before := best[start]) is not None]
        best.append(min(ways, default=None))
    listed, end = [], len(word)
    while end > 0:
        last = best[end]
        if last is None:
            return [word]
        listed.append(word[last[1] : end])
        end = last[1]
    return listed[::-1]


def words(token: str) -> list[str]:
    token = re.sub(r"[\d_]|[^\w]", " ", token)
    token = re.sub(r"(?<=[a-zà-ÿ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", token)
    token = re.sub(r"(?<=[\x00-\x7f])(?=[^\x00-\x7f])|(?<=[^\x00-\x7f])(?=[\x00-\x7f])", " ", token)
    return [part for word in token.split() for part in parts(word.lower())]


def kinds(listed: list[str], in_text: bool = False) -> set[str]:
    """The kinds of the words; a `not` turns the next yes or no. In a text, what is done is a yes."""
    found = set()
    turned = near = False
    for place, word in enumerate(listed):
        # The end of can't, won't, didn't.
        kind = "not" if word == "t" and place and listed[place - 1].endswith("n") else KINDS.get(word, "other")
        if kind == "done":
            kind = "yes" if in_text else "other"
        if kind == "not":
            turned = near = True
        elif kind in ("yes", "no") and turned:
            found.add("no" if kind == "yes" else "yes")
            turned = False
        elif turned and near and word in DENIABLE:
            found.add("no")
            turned = False
        else:
            found.add(kind)
        near = near and (kind in ("not", "filler") or word in BETWEEN)
        # These turn only what they stand before.
        if turned and kind != "not" and listed[place - 1] in NEXT_ONLY and word not in BETWEEN:
            turned = False
    if turned and in_text and listed[-1] not in NEXT_ONLY:
        found.add("no" if "yes" in found else "open")
    # A face not found.
    if turned and in_text and set(listed) & FACES and all(word in FOUND | BETWEEN or KINDS.get(word) in ("not", "filler") for word in listed):
        found.add("no")
    return found


def is_plain_name(name: str) -> bool:
    """Whether a name has no more words than are asked, and none that only looks like one of ours."""
    return len(name_words(name)) <= 8 and not is_mixed(name) and re.search(r"[=<>{}|\\^`!\x00-\x1f]|: ", fold_wide(name)) is None


def rule_of(name: str) -> Optional[str]:
    """What a name asks for; of a path, also its last part."""
    last = path(name)
    return rule_of_words(name) or (rule_of_words(last) if last else None)


def name_words(name: str) -> list[str]:
    """The words of a name; those of a list are one."""
    listed: list[str] = []
    for word in (word for token in tokens(name) for word in words(token.text)):
        if listed and word == "list" and listed[-1] in ("black", "watch"):
            listed[-1] += word
        else:
            listed.append(word)
    return listed


def rule_of_words(name: str) -> Optional[str]:
    listed = name_words(name)
    if not listed or len(listed) > 8:
        return None
    listed = ["fraud" if word in LISTED else word for word in listed]
    # What was looked for, before the word that says that it is not there: spoofCheckPassed.
    if listed[-1] in CLEARED and "not" not in map(KINDS.get, listed):
        listed = [word for word in listed if word not in LOOKED_FOR]
    # How long something may take; codes that are sent to a person.
    if listed == ["timeout"]:
        return "not true"
    if listed[-1] == "code" and set(listed[:-1]) & {"verify", "verification", "auth", "check"} and len(listed) == 2:
        return None
    others = [word for word in listed if KINDS.get(word, "done") == "done"]
    looked_for = set(listed) & LOOKED_FOR
    if looked_for and "not" in map(KINDS.get, listed):
        if others:
            return "not zero"
    elif looked_for:
        if any(KINDS.get(word) == "yes" and word not in HIT for word in listed) or listed[-1] in CLEAR and others:
            return "undecided"
        if FOUND.issuperset(others):
            return "no hit of a look" if listed[-1] in LOOKING else "no hit"
    # Whether a rule was hit, of whatever it is.
    if "命中" in listed and not looked_for:
        return "not true"
    found = kinds(listed)
    if "other" in found:
        if all(KINDS.get(word) in ("done", "filler") for word in listed):
            return "not false"
        if "no" in found:
            return "no fault" if OF_FAULTS.issuperset(others) and not looked_for else "not true"
        is_asked = listed[-1] in OF_OTHERS or not any(word[0].isascii() for word in others)
        if is_asked and "yes" in found:
            return "not zero"
        is_of_yes = "yes" in found and set(listed) & STRONG_YES
        return "not false" if listed[-1] in RESULTS or is_of_yes else None
    if "no" in found:
        return "no fault"
    if "message" in found and not ("yes" in found and KINDS.get(listed[-1]) == "yes"):
        return "message" if listed[-1] in ("msg", "message") else None
    if "yes" in found or len(listed) > 1 and listed[0] in ("is", "是否", "是不是"):
        return "yes"
    if "noun" in found:
        if listed in (["state"], ["flag"], ["code"]):
            return "state"
        if listed[-1] in ("code", "ret"):
            return "zero of a code"
        if set(listed) & (FACES | LOOKING):
            return "neither" if listed[-1] in ("status", "state", "状态") else "one"
        return "yes or zero"
    return "not false"


# A noun, by which of 0 and 1 say yes there.
OF_NOUNS = {"yes or zero": (0, 1), "state": (0, 1), "zero of a code": (0,), "one": (1,), "neither": ()}


def is_of_purpose(name: str) -> bool:
    """Whether it is of what the verification is for, where a word for no is none about the person."""
    listed = [word for token in tokens(name) for word in words(token.text)]
    return any("".join(listed[place:]) in PURPOSES for place in range(len(listed)))


def tells_code(name: str) -> bool:
    """Whether a number of eight digits there may be a code."""
    return bool(kinds(name_words(name)) & {"yes", "no", "noun", "message"}) or is_of_value(name)


def is_aside(name: str) -> bool:
    listed = [word for token in tokens(name) for word in words(token.text)]
    return any("".join(listed[place:]) in ASIDE for place in range(len(listed)))


def is_elsewhere(name: str, written: Any) -> bool:
    """Whether a member is of something that has nothing to do with the face."""
    return bool(set(name_words(name)) & ELSEWHERE) and not speaks_of_face(name, written)


def speaks_of_face(name: str, written: Any) -> bool:
    """Whether a name or its text does, or it is the vendor's number of a failure."""
    said = set(name_words(name)) | (set(name_words(written)) if isinstance(written, str) else set())
    is_of_result = isinstance(written, str) and re.search("is[_-]?success|6666", written.lower()) is not None
    return bool(said & FACES) or is_of_result


def is_filler(name: str) -> bool:
    return all(KINDS.get(word) in ("done", "filler") for token in tokens(name) for word in words(token.text))


def is_of_hit(name: str) -> bool:
    """Whether it says yes, but not of a check that was passed."""
    listed = [word for token in tokens(name) for word in words(token.text)]
    return any(KINDS.get(word) == "yes" for word in listed) and not set(listed) & CLEARED


def is_found(name: str) -> bool:
    listed = name_words(name)
    return any(word in FOUND for word in listed) and all(word in FOUND or KINDS.get(word) == "filler" for word in listed)


def in_look(name: str, rule: Optional[str], look: str) -> Optional[str]:
    """What is asked of a member in an object about what is looked for, if its own name asks `rule`."""
    if is_found(name):
        return "no hit"
    if rule == "yes" and is_of_hit(name):
        return "undecided"
    return look if rule in OF_NOUNS else rule


def is_designation(name: str) -> bool:
    listed = [word for token in tokens(name) for word in words(token.text)]
    return (
        # A status may have a name, and a result a number.
        len(listed) > 1 and listed[-1] in ("id", "name", "ip") and not kinds(listed) & {"noun", "yes", "no", "message"} and not set(listed) & EVENTS
        or listed[-1:] == ["code"] and kinds(listed) <= {"other", "noun", "filler"} and "other" in kinds(listed)
        # Its last words, however they are written: timezone, timeZone.
        or any("".join(listed[place:]) in DESIGNATIONS for place in range(len(listed)))
    )


def path(name: str) -> Optional[str]:
    listed = tokens(name)
    return listed[-1].text if len(listed) > 1 and listed[-1].before else None


def letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalpha())


def is_address(text: str) -> bool:
    """Of the web, of a file, or of mail."""
    return re.search(r"\s", text) is None and (
        "://" in text[:16] or text[:1] == "/" or re.fullmatch(r"[A-Za-z0-9_.+-]+@[A-Za-z0-9_.+-]+", text) is not None
    )


UNHEARD = set(
    "accept accept-encoding accept-language age allow cache-control connection content-encoding content-language content-length content-security-policy "
    "content-type cookie date etag expires host keep-alive last-modified origin pragma referrer-policy server set-cookie strict-transport-security "
    "transfer-encoding user-agent vary via x-content-type-options x-frame-options x-powered-by x-request-id x-xss-protection".split()
)


def without_head(text: str) -> tuple[str, bool]:
    """A text without the lines of an HTTP head that are not heard, and whether its status is of no call that worked."""
    lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]
    answer = re.fullmatch(r"HTTP/[0-9.]{1,3} ([0-9]{3})( .*)?", lines[0])
    if len(lines[0].encode(errors="replace")) > 1024 or not (answer or re.fullmatch(r"[A-Z]{3,7} [^ ]* HTTP/[0-9.]{1,3}", lines[0])):
        return text, False
    end = lines.index("") if "" in lines else len(lines)
    name = lambda line: line.split(":")[0].lower()
    heard = [line for line in lines[1:end] if name(line) not in UNHEARD and not name(line).startswith(("access-control-", "x-ratelimit-"))]
    if not answer:
        heard = [lines[0].partition("?")[2].partition(" ")[0], *heard]
    return "\n".join(heard + lines[end:]), answer is not None and answer[1][0] not in "12"


def is_base64(text: str) -> bool:
    """Base64 in which no word is meant."""
    if len(text.encode(errors="replace")) < 64 or not re.fullmatch(r"[A-Za-z0-9+/_\r\n-]*[=\r\n]*", text):
        return False
    # Constants, names and lists of them are of such characters, too.
    lines = text.rstrip("\r\n").replace("\r", "").split("\n")
    if any(len(line) != len(lines[0]) for line in lines[:-1]) or len(lines[-1]) > len(lines[0]):
        return False
    of_base64 = re.search("[a-z]", text) and re.search("[A-Z]", text) and len(re.findall("[0-9]", text)) * 32 >= len(text)
    return of_base64 and len(re.findall("[+/_-]", text)) * 8 <= len(text) or re.fullmatch(r"[0-9A-Fa-f\r\n]*", text) is not None


def has_unknown(listed: list[str]) -> bool:
    """Whether some words are none of ours, or a not turns nothing."""
    return "open" in kinds(listed, True) or any(word not in KINDS and word not in PLAIN | BETWEEN | FOUND and word != "t" for word in listed)


class Speech:
    def __init__(self, text: str) -> None:
        self.denies = self.affirms = False
        # Whether it has something that is none of our words, so that nobody knows what it is that went well.
        self.has_others = False
        # Whether nobody knows what it says: in a form that is not read, or of what is looked for.
        self.is_undecided = False
        self.statements: list[tuple[str, str]] = []
        self.is_address = is_address(text)
        text = without_uri(text)
        if is_base64(text):
            return
        text, is_of_failure = without_head(text)
        self.is_address = is_address(text)
        self.is_undecided = re.search(r"[\x00-\x1f<>|\\^{}\"'`]", text) is not None if self.is_address else is_unread(text)
        self.is_undecided = self.is_undecided or MISREAD.search(text) is not None
        clause: list[str] = []
        # Of how many tokens they are, and the place of the last that was heard.
        count, heard = 0, -1
        # Those of the clause before, and the name that is not heard.
        before: list[str] = []
        is_value = False
        listed = tokens(text.replace("?", "&") if self.is_address else text)
        empty = names_of_nothing(text.replace("?", "&") if self.is_address else text) if any(token.is_value for token in listed) else set()
        for place, token in enumerate(listed):
            if token.begins_clause:
                if token.is_value and count > 1 and heard == place - 1:
                    self.statements.append((" ".join(clause), token.text))
                self.hear(clause, before if is_value else None, token.is_value)
                clause, before, is_value, count = [], (clause if clause and heard == place - 1 else before), token.is_value, 0
            if not token.is_value and re.match("[0-9]", token.text) and number(token.text) not in (0, 200, 20000):
                self.has_others = True
            following = listed[place + 1] if place + 1 < len(listed) else None
            if following and (following.is_value or is_claim(token.text)):
                self.statements.append((token.text, following.text))
                if following.is_value and self.is_answered(token.text, clause, listed[place + 1 :]):
                    if "no" in kinds(words(token.text)):
                        self.affirms = True
                    before = words(token.text)
                    if KINDS.get((clause or [""])[0]) == "no":
                        clause, count = [], 0
                    continue
            elif is_claim(token.text):
                self.statements.append((token.text, ""))
            elif following and number(following.text) is not None and not following.begins_clause and KINDS.get(token.text.lower()) == "noun":
                self.statements.append((token.text, following.text))
            # What was looked for is heard with what was found.
            if following and following.is_value and clause == [] and rule_of(token.text) == "no hit":
                before = words(token.text)
            elif place not in empty or clause or tells_fault(token.text, ["x"]):
                # Several zeros are a code.
                clause += ["0"] if token.text == "0" else words(token.text)
                count, heard = count + 1, place
            after = [other.text for other in listed[place + 1 : place + 3]]
            is_cut = re.fullmatch("[0-9.]+[eE]", token.text) is not None and after[:1] != []
            forms = [token.text, token.text + after[0] if is_cut else "", ",".join([token.text, *after])]
            self.denies = self.denies or any(map(refusal_code, forms))
        self.hear(clause, before if is_value else None)
        # A question.
        self.has_others = self.has_others or "?" in split(text)[1]
        if self.is_address:
            self.affirms = False
            self.denies = any(is_message(name) and "no" in kinds(words(value), True) for name, value in self.statements)
            # Applications give codes and states of their own to a page: only what is a verdict by its value counts.
            self.statements = [pair for pair in self.statements if says_verdict(*pair)]
        self.denies = self.denies or is_of_failure

    def is_answered(self, name: str, clause: list[str], value: list[Token]) -> bool:
        """Whether a name is not heard: its value is nothing, a number, a no or a yes. What more it says is undecided."""
        said, asked = value[0].text, rule_of(name)
        is_code = words(name)[-1:] in (["code"], ["码"]) and "no" in kinds(words(name))
        is_count = re.fullmatch("-?[0-9]+(ms|s)?", said) is not None and asked in (None, "not true", "not zero", "not false", "undecided") and not is_code
        is_score = re.fullmatch(r"[0-9]+\.[0-9]+(ms|s)?", said) is not None and asked != "no fault" and not is_code
        is_no, is_short = letters(said) in SHORT_NO, said.lower() in SHORT_YES
        is_nothing = letters(said) in SHORT_NOTHING and not is_no
        affirms = "yes" in kinds(words(said), True)
        is_yes = is_short or affirms
        if not is_yes and len(value) > 1 and value[1].is_value and "no" not in kinds(words(said)):
            answer = words(value[1].text)
            found = kinds(answer, True)
            if "yes" in found and "no" not in found and not has_unknown(answer) and KINDS.get((words(name) or [""])[-1]) == "message":
                return True
        if not (said == "0" or is_score or is_count or is_nothing or is_no or is_yes) or "not" in map(KINDS.get, clause):
            return False
        if (is_nothing or is_no and clause != []) and tells_fault(name, clause):
            return False
        senses = [KINDS.get(word) for word in words(name)]
        if (is_nothing or is_yes) and "not" in senses and senses[-1] in ("yes", "no"):
            return False
        if not (is_nothing or is_yes):
            return True
        rest = [] if is_nothing or is_short else words(said)
        for place, token in enumerate(value[1:], 2):
            if token.begins_clause or place < len(value) and value[place].is_value:
                break
            rest += words(token.text)
        is_fault = "no" in kinds(words(name)) and (letters(said) in PLAIN_YES or is_short and not affirms)
        self.is_undecided = self.is_undecided or is_fault or has_unknown(rest)
        return True

    def hear(self, clause: list[str], name: Optional[list[str]], is_name: bool = False) -> None:
        """`name`: the words of the clause of which this is the value; `is_name`: whether a value follows."""
        found = kinds(clause, True)
        has_others = has_unknown(clause)
        if has_others and ("yes" in found or name is None and not is_name):
            self.has_others = True
        # The answer to a question.
        senses = set(map(KINDS.get, clause))
        if name is not None and "not" in senses and senses <= {"not", "filler"} and "yes" in kinds(name, True):
            self.is_undecided = True
        if clause and (clause[-1] in SHORT_NO or clause[-1] == "0"):
            before = KINDS.get(clause[-2]) if len(clause) > 1 else None
            rest = kinds(clause[:-1], True)
            if len(clause) == 1:
                self.denies = self.denies or self.affirms and name is None
            elif clause[-1] == "0" and before == "no":
                found = rest - {"no"}
            elif "yes" in rest and (clause[-1] != "0" or before in ("yes", "filler")):
                self.denies = True
            elif clause[-1] != "0" and before == "noun" and "no" not in rest:
                self.denies = True
        if set(clause) & LISTED and set(clause) & FOUND:
            found = found | {"no"}
        is_of_look = set(clause) & LISTED or "no" in found and set(clause) & LOOKED_FOR or set(name or []) & (LISTED | LOOKED_FOR) and len(clause) > 1
        is_open = {"yes", "not"} & {KINDS.get(word) for word in clause} or set(clause) & LISTED and "no" not in found
        if is_of_look and not self.is_address and is_open:
            self.is_undecided = True
            return
        self.denies = self.denies or "no" in found
        self.affirms = self.affirms or "yes" in found


def finds_nothing(text: str) -> bool:
    """Whether it says of what is looked for that it is not there: it passed, or there is a not, and no word of a fault."""
    listed = [word for token in tokens(text) for word in words(token.text)]
    if any(word in CLEARED for word in listed):
        return affirms(text)
    known = lambda word: word in FOUND | HIT | LISTED | LOOKED_FOR | BETWEEN or KINDS.get(word) in ("not", "filler") and word not in DENIABLE
    return "not" in map(KINDS.get, listed) and all(map(known, listed))


def is_message(name: str) -> bool:
    """Whether a name is that of a message, or of a failure, and of nothing else."""
    found = kinds(words(name))
    return bool(found & {"message", "no"}) and "other" not in found


def says_verdict(name: str, value: str) -> bool:
    """Whether a pair of an address is about the person."""
    return (
        is_claim(name) or "no" in kinds(words(name)) or name.lower().replace("_", "") == "orderno"
        or value == "0" or letters(value) in SHORT_NO or refusal_code(value) is not None or "no" in kinds(words(value), True)
    )


def affirms(text: str) -> bool:
    speech = Speech(text)
    return speech.affirms and not speech.denies and not speech.is_undecided and not speech.has_others


def number(text: str) -> Optional[float]:
    """As programs have it that compute in floating point."""
    return float(text) if re.fullmatch(r"[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?", text) else None


def is_plain_number(text: str) -> bool:
    """Without a plus, and without zeros in front, which are of another code."""
    return re.match("-?(0(?![0-9])|[1-9])", text) is not None


def is_container(value: Any) -> bool:
    return isinstance(value, (dict, list)) or isinstance(value, str) and value.lstrip().startswith("{")


def refusal_code(written: Any) -> Optional[str]:
    """A number from 66660000 to 66669999 without its point, exponent, and groups of digits."""
    if not isinstance(written, str):
        return None
    written = re.sub(r"^66([,._'])(66[0-9])\1([0-9]{3})(?![0-9])", r"66\2\3", written)
    is_number = re.fullmatch(r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", written)
    return str(int(float(written))) if is_number and 66_660_000 <= float(written) < 66_670_000 else None


AGREES, UNDECIDED, DENIES = range(3)
"""What a member, or all of a document, says beside a pass: the greatest counts."""


def judged(rule: str, value: Any, written: Any) -> int:
    """`written`: a text, or a number as it is written."""
    # An object in a text is asked what it has in it, as one without is.
    if rule in ("around", "aside", "elsewhere", "purpose") or is_container(value):
        return AGREES
    text = value if isinstance(value, str) else None
    if rule == "yes" or rule in OF_NOUNS:
        return judged_as_yes(rule, value, written)
    if rule in ("no fault", "no hit", "no hit of a look"):
        return judged_as_no(rule, value, written)
    if rule in ("not false", "not zero"):
        is_no = value is False or text is not None and letters(text) in SHORT_NO
        return UNDECIDED if is_no or rule == "not zero" and is_below_one(written) else AGREES
    assert rule in ("not true", "undecided")
    is_yes = value is True or text is not None and (letters(text) in PLAIN_YES or set(name_words(text)) & FOUND) or isinstance(written, str) and number(written) == 1
    return UNDECIDED if rule == "undecided" or is_yes else AGREES


def is_code_of_success(written: Any) -> bool:
    """Whether a code says that a call worked. For some backends 1 does, for others 1 is a failure."""
    if isinstance(written, bool) or not isinstance(written, str):
        return written is True
    counted = number(written)
    if counted is None:
        return letters(written) in SHORT_YES or affirms(written)
    return counted == 0 or is_plain_number(written) and counted in CODES_OF_SUCCESS


CODES_OF_SUCCESS = {20000, *range(200, 300)}


def is_below_one(written: Any) -> bool:
    counted = number(written) if isinstance(written, str) else None
    return counted is not None and counted < 1


def judged_as_yes(rule: str, value: Any, written: Any) -> int:
    if isinstance(value, bool):
        return AGREES if value else DENIES
    counted = number(written) if isinstance(written, str) else None
    if counted is not None:
        # Zeros in front are of a code with words of its own: 00 is good there, and 01 is not.
        numbers = OF_NOUNS.get(rule, (1,))
        if counted in (200, 20000, *(1 for one in numbers if one)) and is_plain_number(written) or counted == 0 and 0 in numbers:
            return AGREES
        return DENIES if rule == "yes" and counted <= 0 else UNDECIDED
    if not isinstance(value, str):
        return UNDECIDED
    speech = Speech(value)
    if letters(value) in SHORT_YES or affirms(value):
        return AGREES
    if letters(value) in SHORT_NO or speech.denies:
        return DENIES
    is_state = rule == "state" and not re.search("[0-9]", value) and letters(value) not in SHORT_OPEN and not speech.is_undecided
    return AGREES if is_state else UNDECIDED


def judged_as_no(rule: str, value: Any, written: Any) -> int:
    if isinstance(value, bool):
        return UNDECIDED if rule == "no hit of a look" else DENIES if value else AGREES
    counted = number(written) if isinstance(written, str) else None
    if counted is not None:
        return AGREES if counted == 0 else DENIES if rule == "no fault" or counted == 1 else UNDECIDED
    if not isinstance(value, str):
        return UNDECIDED
    if not any(c.isalnum() and c != "0" for c in value) or letters(value) in SHORT_NOTHING - OF_BAD:
        return AGREES
    if letters(value) in CLEAR or finds_nothing(value) if rule != "no fault" else affirms(value):
        return AGREES
    return DENIES if letters(value) in PLAIN_YES or rule == "no fault" and Speech(value).denies else UNDECIDED


def inherited(rule: Optional[str], is_value: bool) -> Optional[str]:
    """What a member must say if its own name asks nothing, by what the name of its object asks."""
    if rule == "yes":
        return "yes" if is_value else "not false"
    if rule in OF_NOUNS:
        return rule if is_value else "around"
    if rule == "no fault":
        return rule
    if rule in ("no hit", "no hit of a look"):
        return "no hit" if is_value else "not true"
    if rule in ("not false", "not zero", "object", "around"):
        return "not false" if is_value else "around"
    return None


def weakened(rule: str) -> str:
    return "not true" if rule in ("no fault", "no hit", "no hit of a look", "not true") else "not false"


def is_same(field: str, written: Any, own: Any) -> bool:
    """Whether a value is the document's own: of a score, whether it is as high."""
    are_scores = all(isinstance(text, str) and len(text) <= 32 and re.fullmatch(r"[0-9]+([.][0-9]+)?", text) and float(text) <= 100 for text in (written, own))
    return float(written) == float(own) if field in ("liveRate", "similarity") and are_scores else written == own


def judged_statement(rule: Optional[str], name: str, value: str, own: dict[str, Any]) -> int:
    counted, has_digit = number(value), re.search("[0-9]", value) is not None
    if rule == "true":
        if not is_claim(name):
            return AGREES if letters(value) in SHORT_YES or counted == 1 or affirms(value) else DENIES if counted == 0 or letters(value) in SHORT_NO or Speech(value).denies else UNDECIDED
        agrees = value == "true"
    elif rule == "zero":
        agrees = not has_digit or counted == 0
    elif rule is not None and rule.startswith("same "):
        field = rule.removeprefix("same ")
        agrees = not has_digit or own.get(field) is None or is_same(field, value, own[field])
    elif rule == "yes" or rule in OF_NOUNS:
        return AGREES if letters(value) in SHORT_NOTHING - SHORT_NO and rule != "yes" else judged(rule, value, value)
    elif rule in ("no fault", "no hit"):
        is_decimal = re.fullmatch("[0-9]+[.][0-9]+", value) is not None
        if rule == "no hit" and (counted is None or is_decimal):
            # What follows a "not" is heard with it.
            is_heard = is_decimal or [KINDS.get(word) for word in words(value)][:1] == ["not"]
            return AGREES if is_heard else judged_as_no(rule, value, value)
        agrees = counted == 0 if counted is not None else letters(value) not in PLAIN_YES
    elif rule in ("not false", "not zero"):
        return UNDECIDED if letters(value) in SHORT_NO or rule == "not zero" and is_below_one(value) else AGREES
    else:
        return UNDECIDED if rule in ("not true", "no hit of a look") and value == "true" else AGREES
    return AGREES if agrees else DENIES


# What is in texts.
MAX_TEXT = 65_536
MAX_LEVEL = 4


def end_of(text: bytes, start: int) -> Optional[int]:
    depth = place = 0
    quoted = False
    place = start
    while place < len(text):
        c = text[place : place + 1]
        if quoted and c == b"\\":
            place += 1
        elif c == b'"':
            quoted = not quoted
        elif not quoted and c in b"{[":
            depth += 1
        elif not quoted and c in b"}]":
            depth -= 1
            if depth == 0:
                return place + 1
        place += 1
    return None


def is_text(data: bytes) -> bool:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text) is None


def without_controls(data: bytes) -> Optional[bytes]:
    """A text without the control characters around it: the end of a string in C; None if it has many more, as bytes do."""
    data = data.strip(CONTROLS)
    controls = sum(byte in CONTROLS for byte in data)
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    return data if controls <= max(2, len(data) // 8) else None


CONTROLS = bytes(byte for byte in [*range(32), 127] if byte not in b"\t\n\r")


def wide_texts(data: bytes) -> list[bytes]:
    """What UTF-16 without a mark may say in Chinese."""
    plain = re.compile("[\t\n\r -~\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]+")
    texts = [] if len(data) % 2 else [data.decode(way, errors="replace") for way in ("utf-16-le", "utf-16-be")]
    return [text.encode() for text in texts if len(text) >= 6 and plain.fullmatch(text)]


def is_wide_text(data: bytes) -> bool:
    """Whether it begins as a text of ASCII in UTF-16."""
    start = data[:16]
    return data[:2] in (b"\xff\xfe", b"\xfe\xff") or len(start) == 16 and (
        any(not any(start[k::2]) and is_text(start[1 - k :: 2]) for k in (0, 1))
    )


def bytes_of(token: bytes) -> Optional[bytes]:
    """What a word is base64 or hexadecimal digits of."""
    token = token.rstrip(b"=")
    if len(token) % 2 == 0 and re.fullmatch(rb"[0-9A-Fa-f]*", token):
        return bytes.fromhex(token.decode())
    token = token.translate(bytes.maketrans(b"+/", b"-_"))
    # The last character may be left over where something was cut off.
    token = token[: len(token) // 4 * 4 + (0 if len(token) % 4 == 1 else len(token) % 4)]
    found = base64.urlsafe_b64decode(token + b"=" * (-len(token) % 4))
    if base64.urlsafe_b64encode(found).rstrip(b"=") != token:
        found = base64.urlsafe_b64decode(token[: len(token) // 4 * 4])
    return found


def decoded(text: bytes) -> Iterator[tuple[bytes, bool]]:
    """What is encoded in a text, and of each whether it may be by chance."""
    plain = unquote_to_bytes(text)
    if plain != text:
        yield plain, False
    joined = re.sub(rb"\r?\n", b"", text) if re.fullmatch(rb"[A-Za-z0-9+/_=\r\n-]*", text) else text
    for token in re.findall(rb"[A-Za-z0-9+/_-]{6,}={0,2}", joined):
        if len(token) < 8:
            continue
        pieces = [piece for piece in re.split(b"[/_-]", token.rstrip(b"=")) if len(piece) >= 8 and piece != token.rstrip(b"=")]
        for word, is_doubtful in [(token, token.rstrip(b"=").isdigit()), *((piece, True) for piece in pieces)]:
            found = bytes_of(word)
            if found is None or len(found) < 4:
                continue
            text_ = without_controls(found)
            texts = [found] if is_wide_text(found) else wide_texts(found) if text_ is None else [text_] if text_ else []
            for each in texts:
                # What begins as JSON does, and is not short for what it was found in, is one.
                is_json = each[:1] in (b"{", b"[")
                yield each, len(each) < (12 if is_doubtful else 5) if is_json else is_doubtful or len(each) < 12


class Inside(NamedTuple):
    """The JSON in a text, whether nobody knows what all of it says, and what is around it."""

    values: list[tuple[Any, int]]
    is_undecided: bool
    denies: bool
    statements: list[tuple[str, str]]


def without_uri(text: str) -> str:
    """The base64 of a data URI alone."""
    return re.sub(r"^data:[A-Za-z0-9+./;=-]{0,64};base64,", "", text)


def inside(text: str, level: int, read: Any) -> Inside:
    data = without_uri(text).encode(errors="replace")
    if len(data) > MAX_TEXT:
        # Base64 of what is no text is read by nobody.
        data = data[: MAX_TEXT + 1]
        start = re.sub(rb"[\r\n]", b"", data[:256])[:64]
        is_base64 = re.fullmatch(rb"[A-Za-z0-9+/=_\r\n-]*", data)
        found = bytes_of(start) if is_base64 else None
        return Inside([], found is None or without_controls(found) is not None or is_wide_text(found) or wide_texts(found) != [], False, [])
    return inside_bytes(data, level, read)


def inside_bytes(data: bytes, level: int, read: Any) -> Inside:
    values: list[tuple[Any, int]] = []
    data = data.removeprefix(b"\xef\xbb\xbf")
    if level < MAX_LEVEL and data.lstrip(b" \t\n\r")[:1] == b'"':
        value = read(data)
        if value is not None:
            return Inside([(value[0], level + 1)], False, False, [])
    around = b""
    place = tries = 0
    while place < len(data):
        if data[place : place + 1] in (b"{", b"[") and tries < 64:
            tries += 1
            end = end_of(data, place)
            # An empty box is no list.
            value = read(data[place:end]) if end is not None and level < MAX_LEVEL and data[place:end] != b"[ ]" else None
            if value is not None and end is not None:
                values.append((value[0], level + 1))
                around += b"\n"
                place = end
                continue
        around += data[place : place + 1]
        place += 1
    # What is escaped is heard where it is decoded.
    speech = Speech(around.decode(errors="replace") if unquote_to_bytes(data) == data else "")
    undecided, denies, statements = speech.is_undecided or is_wide_text(data), speech.denies, list(speech.statements)
    try:
        unquote_to_bytes(data).decode()
    except UnicodeDecodeError:
        # It is escaped in another encoding.
        undecided = True
    for other, is_doubtful in decoded(data):
        if level >= MAX_LEVEL:
            undecided = True
            break
        found = inside_bytes(other, level + 1, read)
        values += found.values
        undecided = undecided or found.is_undecided and not is_doubtful
        denies = denies or found.denies
        statements += found.statements
    return Inside(values, undecided, denies, statements)
