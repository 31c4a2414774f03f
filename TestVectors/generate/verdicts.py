# SPDX-License-Identifier: Apache-2.0
"""What names and texts say about a verdict: FORMATS.md §5.2."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from typing import Any, Iterator, NamedTuple, Optional
from urllib.parse import unquote_to_bytes

import evidence_v1

WORDS = {
    "yes": "success successful successfully succeed succeeded succ sucess pass passed passes match matched matches verified valid approve "
    "approved accept accepted same identical certified authenticated authorized ok okay 成功 通过 通過 一致 匹配 同一 本人 有效 合格 符合 相符 合法",
    "no": "fail failed fails failure failing error errors err reject rejected rejection refuse refused deny denied denies invalid mismatch "
    "cancel cancelled canceled timeout abort aborted expired forbidden unauthorized blocked illegal wrong negative spoof spoofed attack "
    "mismatched declined rejects fake fraud revoked exception 失败 失敗 错误 异常 拒绝 取消 超时 非法 攻击 翻拍 过期 不符 无效 驳回 出错 有误 中断 放弃 冒用 假体",
    "not": "not no non un never without unable cannot didn doesn isn wasn couldn hasn haven neither nor 不 未 没 没有 无 非 无法",
    "noun": "result results status state verdict outcome conclusion decision judgement judgment ret code flag 结果 状态 结论 判定",
    "message": "msg message info desc description detail details reason text 信息 原因",
    "filler": "is has was did be been face person alive live liveness real human body verify verification identity check compare comparison "
    "detect detection auth authentication kyc final overall total sdk api biz business sub res resp response rsp return op request req "
    "query 是否 是 认证 核身 人脸 比对 检测 活体 校验 验证 识别 最终",
}
KINDS = {word: kind for kind, words in WORDS.items() for word in words.split()}
SHORT_YES = set("yes y true t done complete completed finished normal active 是 真 完成 正常".split())
SHORT_NO = set("no n false f 否 假".split())
SHORT_NOTHING = set("none null nil nothing 无 没有".split()) | SHORT_NO
SHORT_OPEN = set("pending processing waiting unknown undecided review reviewing running inprogress 处理中 审核中 待审核 未知".split())
DESIGNATIONS = tuple(
    (
        "address addr city province country district street company organization department email mail phone mobile url uri link path file host hostname username nickname realname "
        "fullname device model brand browser agent locale language currency timezone uuid guid nonce hash digest 姓名 地址 城市 公司"
    ).split()
)
OF_VALUE = set("value val v values text data content result answer flag final 值 内容 结果".split())
OF_NAME = set(
    "name key k n field fieldname label title column attr attribute prop property param parameter item id variable 名称 名 字段 指标 项目".split()
) | {"code"}
CLAIMS = ("issuccess", "issucess")


def is_claim(text: Any) -> bool:
    return isinstance(text, str) and re.sub("[-_]", "", text.lower()) in CLAIMS


class Token(NamedTuple):
    text: str
    before: str
    """What stands between it and the token before."""

    @property
    def is_value(self) -> bool:
        """Whether the last of the signs before it, but for blanks and quotation marks, is one of assignment."""
        signs = re.sub("[ \t\"'\\\\`’</-]", "", self.before)
        return signs != "" and signs[-1] in "=:>："

    @property
    def begins_clause(self) -> bool:
        return re.sub("[ \t\"'\\\\`’-]", "", self.before) != ""


def tokens(text: str) -> list[Token]:
    text = "".join(
        chr(ord(c) - 0xFEE0) if "\uff01" <= c <= "\uff5e" else c for c in text if not evidence_v1.is_ignorable(c)
    )
    # Line breaks that were written as escapes.
    text = re.sub(r"\\[nrt]", "\n", text)
    found = []
    last = 0
    for token in re.finditer(r"\w+(?:(?:-|(?<=[0-9])\.(?=[0-9]))\w+)*", text):
        found.append((token[0], text[last : token.start()]))
        last = token.end()
    listed = []
    for word, before in found:
        token = Token(word, before)
        if token.is_value and before.endswith("-") and word[0] in "0123456789":
            token = Token("-" + word, before)
        listed.append(token)
    return listed


def parts(word: str) -> list[str]:
    if word in KINDS:
        return [word]
    if not word[0].isascii():
        listed = []
        while word:
            size = 2 if word[:2] in KINDS and len(word) > 1 else 1
            listed.append(word[:size])
            word = word[size:]
        return listed
    if len(word) > 24:
        return [word]
    best: list[Optional[list[str]]] = [[]]
    for end in range(1, len(word) + 1):
        ways = [[*best[start], word[start:end]] for start in range(end) if best[start] is not None and word[start:end] in KINDS]  # type: ignore[misc]
        best.append(min(ways, key=len) if ways else None)
    return best[-1] or [word]


def words(token: str) -> list[str]:
    token = re.sub(r"[\d_]|[^\w]", " ", token)
    token = re.sub(r"(?<=[a-zà-ÿ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", token)
    token = re.sub(r"(?<=[\x00-\x7f])(?=[^\x00-\x7f])|(?<=[^\x00-\x7f])(?=[\x00-\x7f])", " ", token)
    return [part for word in token.split() for part in parts(word.lower())]


def kinds(listed: list[str]) -> set[str]:
    """The kinds of the words; a `not` turns what follows within three words."""
    found = set()
    left = -1
    for word in listed:
        left -= 2 if word[0].isascii() else 1
        kind = KINDS.get(word, "other")
        if kind == "not":
            left = 6
        elif kind in ("yes", "no") and left >= 0:
            found.add("no" if kind == "yes" else "yes")
        else:
            found.add(kind)
    return found


def rule_of(name: str) -> Optional[str]:
    listed = [word for token in tokens(name) for word in words(token.text)]
    if not listed or len(listed) > 8:
        return None
    found = kinds(listed)
    if "other" in found:
        return "not true" if "no" in found else "not false" if "yes" in found else None
    if "no" in found:
        return "no fault"
    if "message" in found:
        return None
    if "yes" in found or len(listed) > 1 and listed[0] in ("is", "是否"):
        return "yes"
    return "yes or zero" if "noun" in found else "not false"


def is_designation(name: str) -> bool:
    listed = [word for token in tokens(name) for word in words(token.text)]
    return len(listed) > 1 and listed[-1] in ("id", "name", "ip") or name.lower().endswith(DESIGNATIONS)


def path(name: str) -> Optional[str]:
    listed = tokens(name)
    return listed[-1].text if len(listed) > 1 else None


def letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalpha()) if len(text.encode()) <= 32 else ""


class Speech:
    def __init__(self, text: str) -> None:
        self.denies = self.affirms = False
        self.statements: list[tuple[str, str]] = []
        if len(text.encode(errors="replace")) >= 64 and re.fullmatch(r"[A-Za-z0-9+/=_\r\n-]*", text):
            return
        clause: list[str] = []
        listed = tokens(text)
        for place, token in enumerate(listed):
            if token.begins_clause:
                self.hear(clause)
                clause = []
            following = listed[place + 1] if place + 1 < len(listed) else None
            if following and (following.is_value or is_claim(token.text)):
                self.statements.append((token.text, following.text))
                said = following.text
                short = said == "0" or letters(said) in SHORT_NOTHING or said.lower() in SHORT_YES or "yes" in kinds(words(said))
                if following.is_value and short:
                    continue
            elif is_claim(token.text):
                self.statements.append((token.text, ""))
            clause += words(token.text)
        self.hear(clause)
        if "://" in text[:16] and " " not in text:
            self.denies = self.affirms = False

    def hear(self, clause: list[str]) -> None:
        found = kinds(clause)
        self.denies = self.denies or "no" in found
        self.affirms = self.affirms or "yes" in found


def affirms(text: str) -> bool:
    speech = Speech(text)
    return speech.affirms and not speech.denies


def number(text: str) -> Optional[int]:
    return int(text) if re.fullmatch(r"[-+]?[0-9]+", text) and -(2**63) <= int(text) < 2**63 else None


def agrees(rule: str, value: Any, written: Any) -> bool:
    """`written`: a text, or a number as it is written."""
    if isinstance(value, (dict, list)):
        return True
    counted = None if isinstance(value, bool) or not isinstance(written, str) else number(written)
    text = value if isinstance(value, str) else None
    if rule in ("yes", "yes or zero"):
        if isinstance(value, bool):
            return value
        if counted is not None:
            return counted in (1, 20000) or 200 <= counted <= 299 or counted == 0 and rule == "yes or zero"
        if rule == "yes or zero":
            if text is not None and letters(text) not in SHORT_YES and not affirms(text):
                return not re.search("[0-9]", text) and letters(text) not in SHORT_NO | SHORT_OPEN and not Speech(text).denies
        return text is not None and (letters(text) in SHORT_YES or affirms(text) or rule == "yes or zero")
    if rule == "no fault":
        if isinstance(value, bool):
            return not value
        if counted is not None:
            return counted == 0
        return text is not None and (letters(text) in SHORT_NOTHING or affirms(text))
    if rule == "not false":
        return value if isinstance(value, bool) else text is None or letters(text) not in SHORT_NO
    return not (value if isinstance(value, bool) else text == "true")


def inherited(rule: Optional[str], name: str) -> Optional[str]:
    """What a member must say if its own name asks nothing, by what the name of its object asks."""
    is_value = name.lower() in OF_VALUE
    if rule == "yes":
        return "yes" if is_value else "not false"
    if rule == "yes or zero":
        return rule if is_value else None
    if rule == "no fault":
        return rule
    return "not false" if rule == "object" and is_value else None


def weakened(rule: str) -> str:
    return "not true" if rule in ("no fault", "not true") else "not false"


def statement_agrees(rule: Optional[str], name: str, value: str, own: dict[str, Any]) -> bool:
    counted, has_digit = number(value), re.search("[0-9]", value) is not None
    denies = letters(value) in SHORT_NO
    if rule == "true":
        return value == "true" if is_claim(name) else not denies and counted != 0
    if rule == "zero":
        return not has_digit or counted == 0
    if rule is not None and rule.startswith("same "):
        return not has_digit or own.get(rule.removeprefix("same ")) in (None, value)
    if rule in ("yes", "yes or zero"):
        bad = counted is not None and (counted < 0 or counted == 0 and rule == "yes" or 66_660_000 <= counted <= 66_669_999)
        return not denies and not bad
    if rule == "no fault":
        return counted == 0 if counted is not None else value != "true"
    if rule == "not false":
        return not denies
    return rule != "not true" or value != "true"


# JSON in texts.
BEGINNINGS = "eyJ eyA ewo ewk ewg ew0 W3s WyJ W1s 7b22 7B22 5b7b 5B7B 5b22 5B22".split()


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


def decoded(text: bytes) -> Iterator[bytes]:
    plain = unquote_to_bytes(re.sub(b"&quot;|&#34;|&#x22;", b'"', text))
    if plain != text:
        yield plain
    for token in re.findall(rb"[A-Za-z0-9+/_-]{8,}", text):
        if token.decode().startswith(tuple(BEGINNINGS)):
            try:
                if token[:1] in b"57":
                    yield bytes.fromhex(token.decode())
                    continue
                token = token.translate(bytes.maketrans(b"+/", b"-_"))
                whole = token if len(token) % 4 != 1 else token[:-1]
                for form in (whole, token[: len(token) // 4 * 4]):
                    found = base64.urlsafe_b64decode(form + b"=" * (-len(form) % 4))
                    if base64.urlsafe_b64encode(found).rstrip(b"=") == form:
                        yield found
                        break
            except (ValueError, binascii.Error):
                pass


SKIPPED = r"[\ufeff \t\n\r\"'\\]*"
LIKE_JSON = re.compile(rf"{SKIPPED}(?:\{{|\[{SKIPPED}[{{\[])")


def is_like_json(text: str) -> bool:
    return LIKE_JSON.match(text) is not None or re.search(r"\{[ \t\n\r]*[\"'\\]", text) is not None


class Inside(NamedTuple):
    """The JSON in a text, whether some was not read, and what is around it."""

    values: list[tuple[Any, int]]
    is_unread: bool
    denies: bool
    statements: list[tuple[str, str]]


def inside(text: str, level: int, read: Any) -> Inside:
    data = text.encode(errors="replace")
    if len(data) > 65_536:
        beginning = data[:65_537].decode(errors="replace")
        return Inside([], is_like_json(beginning) or beginning.startswith(tuple(BEGINNINGS)), False, [])
    return inside_bytes(data, level, read)


def inside_bytes(data: bytes, level: int, read: Any) -> Inside:
    values: list[tuple[Any, int]] = []
    if level < 4 and data.lstrip(b" \t\n\r")[:1] == b'"':
        value = read(data)
        if value is not None:
            return Inside([(value[0], level + 1)], False, False, [])
    around = b""
    place = tries = 0
    while place < len(data):
        if data[place : place + 1] in (b"{", b"[") and tries < 64:
            tries += 1
            end = end_of(data, place)
            value = read(data[place:end]) if end is not None and level < 4 else None
            if value is not None and end is not None:
                values.append((value[0], level + 1))
                around += b"\n"
                place = end
                continue
        around += data[place : place + 1]
        place += 1
    outside = around.decode(errors="replace")
    speech = Speech(outside)
    unread, statements = is_like_json(outside), list(speech.statements)
    for other in decoded(data):
        if not other:
            continue
        if level >= 4:
            unread = True
            break
        found = inside_bytes(other, level + 1, read)
        values += found.values
        unread = unread or found.is_unread
        statements += found.statements
    return Inside(values, unread, speech.denies, statements)
