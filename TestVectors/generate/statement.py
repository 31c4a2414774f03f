# SPDX-License-Identifier: Apache-2.0
"""The statement in identifyStr, whole results and what a check compares: docs/FORMATS.md §4 to §6 and
docs/SIGN-RECIPES.md, from their text alone."""

from __future__ import annotations

import argparse
import base64
import datetime
import hashlib
import json
import re
import secrets
import string
import struct
import sys
from dataclasses import dataclass
from typing import Any, Iterator, Callable, Collection, Optional

from cryptography.hazmat.primitives import serialization

import evidence_v1
import evidence_v2
import verdicts
from evidence_v1 import Refused, is_order_no, read_file

Fields = dict[str, Any]

REQUIRED = ("appId", "capturedAt", "nonce", "orderNo", "userId", "version", "videoSHA256", "videoSize")
PHOTO = ("imageSHA256", "imageSize")
SCORES = ("liveRate", "similarity")
RISKS = ("deviceInfoLevel", "deviceInfoTag", "riskInfoLevel", "riskInfoTag")
NAMES = {*REQUIRED, *PHOTO, *SCORES, "riskInfo"}

MAX_STATEMENT_BYTES = 65536
MAX_TEXT_BYTES = 1024
MAX_SIZE = 2**53 - 1
LETTERS = string.digits + string.ascii_letters

AHEAD = datetime.timedelta(minutes=5)
CHECKS = ("result", "order", "sign", "photo", "video", "statement")
BINDINGS = ("order", "app", "user", "photo", "video", "scores", "moment", "nonce")


# --- Canonical JSON (RFC 8785, for integers, strings and objects) -----------------------------

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def code_units(text: str) -> bytes:
    """Big-endian UTF-16: its byte order is the order of code units."""
    return text.encode("utf-16-be")


def quoted(text: str) -> str:
    return '"' + "".join(ESCAPES.get(c, c if c >= " " else f"\\u{ord(c):04x}") for c in text) + '"'


def canonical_text(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if type(value) is int and 0 <= value <= MAX_SIZE:
        return str(value)
    if isinstance(value, dict):
        names = sorted(value, key=code_units)
        return "{" + ",".join(f"{quoted(name)}:{canonical_text(value[name])}" for name in names) + "}"
    raise ValueError("only strings, objects and integers from 0 to 2^53 - 1")


def canonical(value: Any) -> bytes:
    return canonical_text(value).encode("utf-8")


# --- The statement (§4) -----------------------------------------------------------------------


def is_text(value: Any, least: int = 1) -> bool:
    return isinstance(value, str) and least <= len(value.encode("utf-8")) <= MAX_TEXT_BYTES


def is_digest(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) is not None


def is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MAX_SIZE


def is_nonce(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9]{32}", value) is not None


def moment(text: Any) -> Optional[datetime.datetime]:
    """The moment, or None where there is none of that name."""
    form = r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.([0-9]{3})Z"
    match = re.fullmatch(form, text) if isinstance(text, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second, milliseconds = (int(group) for group in match.groups())
    try:
        return datetime.datetime(
            year, month, day, hour, minute, second, milliseconds * 1000, tzinfo=datetime.timezone.utc
        )
    except ValueError:
        return None


def moment_text(value: datetime.datetime) -> str:
    # strftime does not pad years below 1000 everywhere; isoformat does.
    return value.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


RULES = {
    "appId": is_text,
    "capturedAt": lambda value: moment(value) is not None,
    "imageSHA256": is_digest,
    "imageSize": is_size,
    "liveRate": lambda value: is_text(value, least=0),
    "nonce": is_nonce,
    "orderNo": lambda value: isinstance(value, str) and is_order_no(value),
    "riskInfo": lambda value: isinstance(value, dict)
    and 0 < len(value) == len(value.keys() & set(RISKS))
    and all(is_text(risk, least=0) for risk in value.values()),
    "similarity": lambda value: is_text(value, least=0),
    "userId": is_text,
    "version": lambda value: value == "1.0.0",
    "videoSHA256": is_digest,
    "videoSize": is_size,
}


def check_fields(fields: Fields) -> None:
    if not set(REQUIRED) <= fields.keys() <= NAMES:
        raise Refused("statement", "a name is missing, or one too many")
    if ("imageSHA256" in fields) != ("imageSize" in fields):
        raise Refused("statement", "one half of a photo")
    for name, value in fields.items():
        if not RULES[name](value):
            raise Refused("statement", f"{name} is not as it must be")


def write_statement(fields: Fields) -> bytes:
    check_fields(fields)
    data = canonical(fields)
    assert len(data) <= MAX_STATEMENT_BYTES
    return data


def read_statement(data: bytes) -> Fields:
    if len(data) > MAX_STATEMENT_BYTES:
        raise Refused("statement", "too long")
    try:
        text = data.decode("utf-8")
        # What json.loads reads and JSON has not (NaN, a lone surrogate) has no canonical form either.
        fields = json.loads(text, object_pairs_hook=evidence_v1.object_from_pairs)
        if not isinstance(fields, dict):
            raise Refused("statement", "not an object")
        check_fields(fields)
        if canonical(fields) != data:
            raise Refused("statement", "not in canonical form")
    except (ValueError, RecursionError) as error:
        raise Refused("statement", str(error)) from None
    except Refused as refusal:
        raise Refused("statement", str(refusal)) from None
    return fields


def digest_fields(prefix: str, data: bytes) -> Fields:
    return {f"{prefix}SHA256": hashlib.sha256(data).hexdigest(), f"{prefix}Size": len(data)}


def statement_fields(
    order_no: str,
    app_id: str,
    user_id: str,
    captured_at: str,
    nonce: str,
    video: bytes,
    photo: Optional[bytes] = None,
    scores: Optional[Fields] = None,
) -> Fields:
    """`scores`: any of liveRate, similarity and riskInfo."""
    return {
        "appId": app_id,
        "capturedAt": captured_at,
        "nonce": nonce,
        "orderNo": order_no,
        "userId": user_id,
        "version": "1.0.0",
        **digest_fields("video", video),
        **(digest_fields("image", photo) if photo is not None else {}),
        **(scores or {}),
    }


# --- The sign of a result (docs/SIGN-RECIPES.md, front-end-result) ----------------------------


def front_end_sign(app_id: str, order_no: str, code: str, ticket: str) -> str:
    joined = "".join(sorted([app_id, order_no, code, ticket], key=code_units))
    return hashlib.sha1(joined.encode("utf-8")).hexdigest().upper()


# --- A whole result (§5) ----------------------------------------------------------------------

SealedPair = tuple[bytes, bytes]  # the wrapped key, the sealed field


def result_fields(
    order_no: str,
    video: Optional[SealedPair],
    statement: Optional[SealedPair],
    sign: Optional[str] = None,
    photo: Optional[bytes] = None,
    scores: Optional[Fields] = None,
) -> Fields:
    """In the order of §5; what is None is left out."""

    def text(data: Optional[bytes]) -> Optional[str]:
        return None if data is None else base64.b64encode(data).decode("ascii")

    scores = scores or {}
    inside = {
        "orderNo": order_no,
        "encryptAESKey": text(statement and statement[0]),
        "videoEncryptAESKey": text(video and video[0]),
        "userVideoString": text(video and video[1]),
        "identifyStr": text(statement and statement[1]),
    }
    risks = scores.get("riskInfo")
    fields = {
        "isSuccess": True,
        "orderNo": order_no,
        "sign": sign,
        "liveRate": scores.get("liveRate"),
        "similarity": scores.get("similarity"),
        "userImageString": text(photo),
        "simpleModeResult": {name: value for name, value in inside.items() if value is not None},
        "riskInfo": risks and {name: risks[name] for name in RISKS if name in risks},
    }
    return {name: value for name, value in fields.items() if value is not None}


def result_text(value: Any) -> str:
    """As `canonical_text`, but in the order given, and with every value but fractions."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(name)}:{result_text(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(result_text, value)) + "]"
    if type(value) is int:
        return str(value)
    words = {True: "true", False: "false", None: "null"}
    return words[value] if value is None or isinstance(value, bool) else canonical_text(value)


def write_result(fields: Fields) -> bytes:
    return result_text(fields).encode("utf-8") + b"\n"


def seal_pair(plaintext: bytes, public_key: Any, order_no: str, field: str) -> SealedPair:
    sealing = evidence_v1.read_payload(evidence_v2.seal(plaintext, public_key, order_no, field)).sealing
    wrapped, sealed = sealing[evidence_v1.WRAPPED_KEY_OF[field]], sealing[field]
    assert wrapped and sealed
    return base64.b64decode(wrapped), base64.b64decode(sealed)


def assemble(
    fields: Fields, video: bytes, photo: Optional[bytes], public_key: Any, compare_key: Any, ticket: Optional[str]
) -> bytes:
    """A whole result around a statement of these fields."""
    order_no = fields["orderNo"]
    return write_result(
        result_fields(
            order_no,
            seal_pair(video, public_key, order_no, "userVideoString"),
            seal_pair(write_statement(fields), compare_key, order_no, "identifyStr"),
            front_end_sign(fields["appId"], order_no, "0", ticket) if ticket else None,
            photo,
            {name: fields[name] for name in (*SCORES, "riskInfo") if name in fields},
        )
    )


# --- Photos: whole by their structure ---------------------------------------------------------


def is_whole_jpeg(data: bytes) -> bool:
    """ITU-T T.81 annex B, as far as finding its end: SOI, segments, scans, EOI; what follows does not count (§5.1)."""
    if data[:2] != b"\xff\xd8":
        return False
    place, has_data = 2, False
    while place + 4 <= len(data) and data[place] == 0xFF:
        marker, length = data[place + 1], int.from_bytes(data[place + 2 : place + 4], "big")
        place += 2 + length
        if marker == 0xDA:
            # Entropy-coded data goes on to the next FF that no 00 and no restart follows.
            while place + 1 < len(data) and (
                data[place] != 0xFF or data[place + 1] == 0 or 0xD0 <= data[place + 1] <= 0xD7
            ):
                has_data = has_data or data[place] != 0xFF or data[place + 1] == 0
                place += 1
        if data[place : place + 2] == b"\xff\xd9":
            return has_data
    return False


def is_whole_png(data: bytes) -> bool:
    """PNG §5: the signature, chunks from IHDR to IEND. Checksums and what follows do not count (§5.1)."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        return False
    place, kinds, has_data = 8, [], False
    while place + 12 <= len(data) and kinds[-1:] != [b"IEND"]:
        (length,) = struct.unpack(">I", data[place : place + 4])
        end = place + 8 + length
        kinds.append(data[place + 4 : place + 8])
        has_data = has_data or kinds[-1] == b"IDAT" and length > 0
        place = end + 4
    if place > len(data) or kinds[:1] != [b"IHDR"] or not has_data or kinds[-1] != b"IEND":
        return False
    return all(0 < size < 2**31 for size in struct.unpack(">II", data[16:24]))


def is_whole_mp4(data: bytes) -> bool:
    """ISO/IEC 14496-12 §4.2: boxes from `ftyp` to the end, one of them `moov`, and an `mdat` that is not empty."""
    place, kinds, has_media = 0, [], False
    while place + 8 <= len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        kinds.append(data[place + 4 : place + 8])
        if length < 8:
            return False
        has_media = has_media or kinds[-1] == b"mdat" and length > 8
        place += length
    return place == len(data) and kinds[:1] == [b"ftyp"] and b"moov" in kinds and has_media


def has_listed_brand(data: bytes) -> bool:
    """ISO/IEC 14496-12 §4.3: the major brand is among the compatible brands of `ftyp`."""
    (length,) = struct.unpack(">I", data[:4])
    return data[8:12] in [data[place : place + 4] for place in range(16, length, 4)]


# --- A check (§5.1) ---------------------------------------------------------------------------


@dataclass
class Expected:
    """What is asked of a result. None: not known, or not asked for."""

    order_no: str
    now: datetime.datetime
    app_id: Optional[str] = None
    user_id: Optional[str] = None
    ticket: Optional[str] = None
    maximum_age: Optional[int] = None  # seconds
    video_key: Any = None
    compare_key: Any = None
    nonces: Optional[Collection[str]] = None  # those that were seen before
    # How the video is opened, where it is not sealed as evidence-v2: its wrapped key and its content to its plaintext.
    open_video: Optional[Callable[[bytes, bytes], Optional[bytes]]] = None
    has_tag: bool = True
    covers_order: bool = True


def word(holds: Optional[bool]) -> str:
    return "unchecked" if holds is None else "holds" if holds else "fails"


def opened(data: bytes, expected: Expected, key: Any, field: str) -> Optional[bytes]:
    """The plaintext; None where it does not open for the order that is expected."""
    try:
        payload = evidence_v1.read_payload(data)
        if payload.order_no != expected.order_no:
            return None
        if field == "userVideoString" and expected.open_video:
            wrapped, content = payload.sealing["videoEncryptAESKey"], payload.sealing["userVideoString"]
            if not wrapped or content is None:
                return None
            return expected.open_video(evidence_v1.strict_base64(wrapped), evidence_v1.strict_base64(content))
        return evidence_v2.open_sealed(data, key, field)
    except Refused:
        return None


def stated_scores(holder: Fields) -> Fields:
    """The scores and risks. Null, an empty text and an object without a risk in it say nothing; a level may be an integer."""
    stated = {name: value for name, value in (holder.get("riskInfo") or {}).items() if name in RISKS}
    # Every number is read as a float.
    levels = {
        name: str(int(value))
        for name, value in stated.items()
        if isinstance(value, float) and value.is_integer() and name.endswith("Level")
    }
    risks = {name: value for name, value in {**stated, **levels}.items() if value}
    scores = {name: holder[name] for name in SCORES if holder.get(name)}
    return {**scores, **({"riskInfo": risks} if risks else {})}


# The names of a result and of the objects in it, and the aliases that wrappers have for them (RESULTS.md).
OBJECTS = {
    None: (
        ("isSuccess", "orderNo", "sign", "liveRate", "similarity", "userImageString", "error", "simpleModeResult")
        + ("riskInfo", "willModeResult"),
        ("success", "isSucess", "similarityRate", "image", "RiskInfo", "willResult", "WbFaceError"),
    ),
    "riskInfo": (RISKS, ()),
    "simpleModeResult": (
        ("orderNo", "encryptAESKey", "userVideoString", "videoEncryptAESKey", "identifyStr", "userImageString", "userEncryptKey"),
        ("image",),
    ),
    "willModeResult": (("faceCode", "faceMsg", "willCode", "willMsg", "videoURL"), ("videoPath",)),
    "error": (
        ("domain", "code", "desc", "reason"),
        ("errorDomain", "errorCode", "errorDescription", "description", "errorReason", "riskInfo", "RiskInfo"),
    ),
}
# FORMATS.md §5.2: what a member has to say to agree with a pass, by its name.
VERDICTS = {
    **dict.fromkeys(("isSuccess", "success", "isSucess"), "true"),
    **dict.fromkeys(("code", "errorCode", "faceCode", "willCode"), "zero"),
    **{name: f"same {name}" for name in ("orderNo", *SCORES, *RISKS)},
    "similarityRate": "same similarity",
    **dict.fromkeys(("error", "WbFaceError", "errorDomain", "errorDescription", "errorReason"), "no fault"),
    **dict.fromkeys(("domain", "desc", "description", "reason"), "message"),
    **dict.fromkeys(("res", "verifyResult", "faceVerifyResult"), "nothing"),
    "result": "yes or zero",
    **dict.fromkeys(("simpleModeResult", "willModeResult", "willResult", "riskInfo", "RiskInfo"), "object"),
}
def says_nothing(value: Any) -> bool:
    return value in (None, "", {}, [])


def written(value: Any) -> Any:
    """A number as it is written."""
    return value.written if isinstance(value, evidence_v1.Number) else value


def written_alike(value: Any) -> Any:
    """The same, where every reader has that number (§5.2)."""
    text = written(value)
    if isinstance(value, float) and (not re.fullmatch(r"[-.0-9]+", text) or len(re.findall("[0-9]", text)) > 15):
        return None
    return text


def judged(rule: Optional[str], value: Any, own: dict[str, Any]) -> int:
    """What a member, if a reader could take it for a verdict, says beside a pass."""
    if rule is None or value is None or value == "":
        return verdicts.AGREES
    if rule == "success of anything":
        if value is True or value == "true":
            return verdicts.AGREES
        return verdicts.DENIES if verdicts.judged("yes", value, written(value)) == verdicts.DENIES else verdicts.UNDECIDED
    if rule == "code of a call":
        return verdicts.AGREES if verdicts.is_code_of_success(written(value)) else verdicts.UNDECIDED
    if rule == "nothing":
        return verdicts.AGREES if says_nothing(value) else verdicts.DENIES if verdicts.is_container(value) else verdicts.judged("yes or zero", value, written(value))
    if rule == "true":
        agrees = value is True or value == "true"
    elif rule == "zero":
        text = written(value)
        agrees = isinstance(text, str) and (re.fullmatch("0+", text) is not None or isinstance(value, str) and verdicts.affirms(value))
    elif rule == "object":
        agrees = verdicts.is_container(value)
    elif rule.startswith("same "):
        stated = own.get(rule.removeprefix("same "))
        agrees = stated is not None and verdicts.is_same(rule.removeprefix("same "), written_alike(value), written(stated))
    else:
        return verdicts.judged(rule, value, written(value))
    return verdicts.AGREES if agrees else verdicts.DENIES


def table_rule_of(name: str) -> Optional[str]:
    return next((rule for known, rule in VERDICTS.items() if evidence_v1.is_loosely(name, known)), None)


def own_rule_of(name: str) -> Optional[str]:
    """What the table of the vendor's names asks of it."""
    last = verdicts.path(name)
    return table_rule_of(name) or (table_rule_of(last) if last else None)


def rule_of(name: str) -> Optional[str]:
    return own_rule_of(name) or verdicts.rule_of(name)


def rule_named(name: str) -> Optional[str]:
    """The same for a name that is itself a value."""
    if verdicts.is_base64(name):
        return None
    rule = rule_of(name)
    if rule == "true" and not verdicts.is_claim(name):
        return "yes"
    return verdicts.rule_of(name) if rule in ("nothing", "object") else None if rule == "message" else rule


# The vendor's members whose text says nothing about a verdict (RESULTS.md).
WITHOUT_VERDICT = (
    ("sign", "userImageString", "image", "encryptAESKey", "userVideoString", "videoEncryptAESKey", "userEncryptKey", "identifyStr", "keyId")
    + ("imageEncryptAESKey", "videoURL", "videoPath", "bizSeqNo", "transactionTime", "appId", "app_id", "occurredTime", "photo", "video")
    + ("photoList", "sdkVersion", "trtcFlag", "willUserAudio", "willReadAudio", "willScrnShotImage", "willUserVideo", "willStandText")
    + ("willStandAnswer", "willUserAnswer")
)


def is_refusal_code(value: Any) -> bool:
    return verdicts.refusal_code(written(value)) is not None


def judgement(
    value: Any,
    own: dict[str, Any],
    rule: Optional[str] = None,
    level: int = 0,
    is_exempt: bool = False,
    unread: tuple[str, ...] = (),
    is_top: bool = False,
) -> int:
    """What a value says beside a pass, and everything in it; `level` is the number of texts that it is in; `unread`: names that
    mean nothing in an answer and its result; `is_top`: whether it is the whole document."""
    return max(judgements(value, own, rule, level, is_exempt, unread, is_top))


def judgements(
    value: Any, own: dict[str, Any], rule: Optional[str], level: int, is_exempt: bool, unread: tuple[str, ...], is_top: bool
) -> Iterator[int]:
    yield judged(rule, value, own)
    if isinstance(value, dict):
        yield from of_members(value, own, rule, level, unread, is_top)
        return
    if isinstance(value, list):
        # A list of faults.
        if rule in ("no fault", *LOOKS) and any(isinstance(item, dict) and item for item in value):
            yield verdicts.UNDECIDED
        yield verdicts.DENIES if value and verdicts.is_claim(value[-1]) else verdicts.AGREES
        named: Optional[str] = None
        for item in value:
            # Results are numbered and listed.
            asked = "not false" if rule in verdicts.OF_NOUNS and rule != "state" else rule
            if named is not None:
                text = written(item)
                is_plain = isinstance(item, bool) or isinstance(text, str) and re.search("[0-9]", text) is not None
                asked = named if is_plain else verdicts.weakened(named)
            yield judgement(item, own, asked, level, is_exempt)
            named = None
            if isinstance(item, str) and not is_exempt:
                named = "true" if verdicts.is_claim(item) else rule_named(item)
        return
    is_same = rule is not None and rule.startswith("same ")
    if not isinstance(value, str):
        yield verdicts.DENIES if not is_exempt and not is_same and is_refusal_code(value) else verdicts.AGREES
        return
    found = verdicts.inside(value, level, json_value)
    # An object in a text is asked what one without is.
    asked = rule if verdicts.is_container(value) and not is_same else None
    yield from (judgement(inner, own, asked, deep) for inner, deep in found.values)
    if is_exempt or is_same:
        return
    if verdicts.is_claim(value):
        return
    if found.denies and rule not in LOOKS:
        yield verdicts.UNDECIDED if rule == "purpose" else verdicts.DENIES
    yield verdicts.UNDECIDED if found.is_undecided else verdicts.AGREES
    yield from (verdicts.judged_statement(rule_named(name), name, text, own) for name, text in found.statements)


def of_members(
    value: dict[str, Any], own: dict[str, Any], rule: Optional[str], level: int, unread: tuple[str, ...], is_top: bool
) -> Iterator[int]:
    if not all(map(verdicts.is_plain_name, value)) or not lists_let_a_pass_stand(value):
        yield verdicts.UNDECIDED
    if has_no_beside_yes(value):
        yield verdicts.UNDECIDED
    has_value = any(map(verdicts.is_of_value, value))
    texts = [(name, text) for name, text in value.items() if isinstance(text, str)]
    if not has_value and any(verdicts.is_claim(text) for _, text in texts):
        yield verdicts.DENIES
    # A code beside what has members is an envelope's.
    has_members = any(verdicts.is_of_value(name) and verdicts.is_container(item) for name, item in value.items())
    asked = [
        (name, rule_named(text)) for name, text in texts
        if (verdicts.is_claim(text) or verdicts.is_of_name(name)) and not (has_members and name.lower() == "code")
    ]
    naming, named = next(((name, rule) for name, rule in asked if rule is not None), (None, None))
    if named is None and has_value:
        beside = [rule_named(text) for name, text in texts if name.lower() in verdicts.OF_NAME_BESIDE_A_VALUE]
        named = next((rule for rule in beside if rule is not None), None)
    has_verdict = any(table_rule_of(name) in ("true", "zero", "same orderNo") for name in value)
    # What is looked for: by the name of the object, or by what it says itself beside how that ended.
    look, look_name = rule if rule in LOOKS else None, None
    if look is None and not has_value and any(map(tells_end, value)):
        looks = [(name, rule_named(text)) for name, text in texts if is_of_check(name) or verdicts.is_of_name(name)]
        look_name, look = next(((name, asked) for name, asked in looks if asked in LOOKS), (None, None))
    for name, item in value.items():
        is_exempt, inner = False, unread if name == "result" else ()
        # A device's signature names the fields that it covers.
        if name == "deviceSignature" and isinstance(item, str) and re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2}", item):
            continue
        if name in unread:
            needed = None
        elif verdicts.is_aside(name) or rule == "aside" and (name == "success" or own_rule_of(name) is None):
            needed, is_exempt = "aside", not (isinstance(item, str) and re.search("is[_-]?success|6666", item.lower()))
        elif (
            rule == "elsewhere" and table_rule_of(name) != "true" and not verdicts.speaks_of_face(name, written(item))
            or verdicts.is_elsewhere(name, written(item)) and own_rule_of(name) is None
        ):
            needed, is_exempt = "elsewhere", True
        elif rule == "elsewhere" and name == "success":
            needed, is_exempt = "elsewhere", True
        elif named is not None and verdicts.is_of_value(name):
            needed = named
        elif name == look_name or has_value and is_of_check(name) and isinstance(item, str) and rule_named(item) in LOOKS:
            # Of a label, nobody knows whether it is what was looked for, or what was found.
            if not is_of_check(name):
                yield verdicts.UNDECIDED
            continue
        elif name == naming and has_value and not any(verdicts.is_of_value(other) and has_objects(value[other]) for other in value):
            continue
        elif rule_of(name) == "message" and has_verdict and (table_rule_of(name) or not is_no_sentence(item)):
            needed = "undecided" if isinstance(item, str) and verdicts.letters(item) in verdicts.SHORT_NO else "no fault"
        elif rule == "no fault" and rule_of(name) == "not false" and verdicts.is_filler(name):
            needed = rule
        elif look is not None and tells_end(name):
            needed = verdicts.in_look(name, "yes" if name == "success" else rule_of(name), look)
        # A code of anything, and how often something went well.
        elif not is_top and rule != "no fault" and name.lower() in ("code", "success"):
            needed = "code of a call" if name.lower() == "code" else "success of anything"
        # Where somebody is sent who fails.
        elif rule_of(name) == "not true" and verdicts.is_designation(name) and isinstance(item, str) and verdicts.is_address(item):
            needed, is_exempt = None, True
        elif rule_of(name) not in (None, "message"):
            needed = rule_of(name)
        elif name in WITHOUT_VERDICT:
            needed, is_exempt = None, True
        elif verdicts.is_designation(name) and not (
            isinstance(item, bool) or name.lower().endswith("code") and is_refusal_code(item)
        ):
            # An address has pairs, and a long code may be words: both are heard as in any other text.
            is_long_code = name.lower().endswith("code") and isinstance(item, str) and len(item.encode(errors="replace")) > 3
            is_heard = is_long_code or isinstance(item, str) and verdicts.is_address(item)
            needed, is_exempt = None, not is_heard
        elif named is not None and not has_value:
            needed = verdicts.weakened(named)
        else:
            needed = verdicts.inherited(rule, verdicts.is_of_value(name))
        if needed in (None, "around", "not false", "not true") and not is_exempt:
            if needed is None and verdicts.is_of_purpose(name):
                needed = "purpose"
            elif is_refusal_code(item) and not verdicts.tells_code(name):
                # The number of a customer.
                needed, is_exempt = "undecided", True
        yield judgement(item, own, needed, level, is_exempt, inner)


def has_no_beside_yes(value: dict[str, Any]) -> bool:
    """Whether a small object has a text that asks for a yes, under a name that says nothing, and a no."""
    is_no = lambda name, item: (verdicts.is_of_value(name) or len(name) < 3) and (
        item is False or isinstance(item, str) and verdicts.letters(item) in verdicts.SHORT_NO)
    asks = lambda name, item: isinstance(item, str) and rule_of(name) is None and rule_named(item) in ("true", "yes")
    return len(value) <= 4 and any(is_no(name, item) for name, item in value.items()) and any(asks(name, item) for name, item in value.items())


LOOKS = ("no hit", "no hit of a look")


def tells_end(name: str) -> bool:
    """Whether a member of this name says how a check ended."""
    return verdicts.is_found(name) or name == "success" or rule_of(name) in ("yes", *verdicts.OF_NOUNS)


def is_of_check(name: str) -> bool:
    return name.lower() in verdicts.OF_CHECK or name.endswith(("Name", "_name"))


def has_objects(value: Any) -> bool:
    """Whether it is an object with something in it, a list with one, or a text that begins as an object does."""
    if isinstance(value, list):
        return any(isinstance(item, dict) for item in value)
    return verdicts.is_container(value) and bool(value)


def is_no_sentence(value: Any) -> bool:
    """Whether a message is names with values, or one character that is no short no."""
    if not isinstance(value, str):
        return False
    is_single = re.fullmatch("[A-Za-z0-9]", value) is not None and verdicts.letters(value) not in verdicts.SHORT_NO
    return is_single or verdicts.Speech(value).statements != []


def lists_let_a_pass_stand(value: dict[str, Any]) -> bool:
    """Whether no list of names stands beside the lists of their values."""
    names = False
    denied = False
    rest = [item for item in value.values() if isinstance(item, list)]
    while rest:
        for item in rest.pop():
            if isinstance(item, list):
                rest.append(item)
            if isinstance(item, dict):
                texts = [text for name, text in item.items() if verdicts.is_of_name(name)]
                item = texts[0] if len(texts) == 1 and not any(map(verdicts.is_of_value, item)) else None
                rule = rule_named(item) if isinstance(item, str) else None
                names = names or rule in ("true", "yes")
                continue
            text = written(item)
            rule = rule_named(item) if isinstance(item, str) else None
            names = names or rule in ("true", "yes")
            denied = denied or item is False or isinstance(text, str) and (verdicts.number(text) == 0 or verdicts.letters(text) in verdicts.SHORT_NO)
    return not (names and denied)


def json_value(data: bytes) -> Optional[tuple[Any]]:
    """The value that a text is; None if it is not JSON."""
    # A comma before the end of an object or list.
    data = re.sub(rb'("(?:[^"\\]|\\.)*")|,(?=[ \t\n\r]*[}\]])', lambda found: found[1] or b"", data, flags=re.DOTALL)
    try:
        inner = evidence_v1.read_json(data)
        evidence_v1.check_bounds(inner)
        return (inner,)
    except Refused:
        return None


def ambiguity(top: Fields, order_no: Optional[str]) -> int:
    """Whether every reader sees the same result, and nothing in it speaks against the pass: a judgement (`verdicts`)."""
    for name, (known, aliases) in OBJECTS.items():
        holder = top if name is None else top.get(name)
        if not isinstance(holder, dict) or name == "error" and top.get("isSuccess") is True:
            continue
        if any(given in aliases and holder[given] is not None for given in holder):
            return verdicts.DENIES
        if any(evidence_v1.almost(given, [*known, *aliases, *VERDICTS]) for given in holder):
            return verdicts.DENIES
    risks = top.get("riskInfo")
    stated = {**(risks if isinstance(risks, dict) else {}), **{name: top.get(name) for name in SCORES}}
    return judgement(top, {**stated, "orderNo": order_no}, is_top=True) if top.get("isSuccess") is True else verdicts.AGREES


SEALED = ("userVideoString", "videoEncryptAESKey", "encryptAESKey", "identifyStr", evidence_v1.ANDROID_KEY)
# FORMATS.md §5.1: a value of another type makes a document unreadable. A code is text or a whole number.
TYPES = {
    None: {"isSuccess": bool, "orderNo": str, "userImageString": str, **dict.fromkeys(("simpleModeResult", "riskInfo", "willModeResult"), dict)},
    "simpleModeResult": dict.fromkeys(OBJECTS["simpleModeResult"][0], str),
    "riskInfo": {name: int if name.endswith("Level") else str for name in RISKS},
    "willModeResult": {"faceCode": int, "willCode": int, **dict.fromkeys(("faceMsg", "willMsg", "videoURL"), str)},
}
TYPES_OF_PASS = {None: dict.fromkeys(("sign", *SCORES), str)}
TYPES_OF_FAILURE = {None: {"error": dict}, "error": {"code": int, **dict.fromkeys(("domain", "desc", "reason"), str)}}


def has_type(value: Any, kind: type) -> bool:
    if value is None:
        return True
    if kind is int:
        whole = re.fullmatch("-?[0-9]{1,19}", value.written) if isinstance(value, evidence_v1.Number) else None
        return isinstance(value, str) or whole is not None and -(2**63) <= int(whole[0]) < 2**63
    return isinstance(value, kind)


def order_of_result(top: Fields) -> Optional[str]:
    """Its order, where it says how the verification ended, and has one of each member, of its type."""
    if not isinstance(top.get("isSuccess"), bool):
        raise Refused("json", "no verdict")
    for types in (TYPES, TYPES_OF_PASS if top["isSuccess"] else TYPES_OF_FAILURE):
        for name, kinds in types.items():
            holder = top if name is None else top.get(name) or {}
            if not all(has_type(holder.get(member), kind) for member, kind in kinds.items()):
                raise Refused("json", "wrong type")
    inside = top.get("simpleModeResult") or {}
    if inside and any(top.get(name) not in (None, "") for name in SEALED):
        raise Refused("json", "a payload in two places")
    if top.get("userImageString") and inside.get("userImageString"):
        raise Refused("json", "two photos")
    if inside.get("videoEncryptAESKey") is not None and inside.get(evidence_v1.ANDROID_KEY) is not None:
        raise Refused("json", "one key under two names")
    error = top.get("error")
    if isinstance(error, dict) and any(error.get(name) is not None for name in ("riskInfo", "RiskInfo")):
        raise Refused("json", "risks in another place")
    # To a result, though not to a payload, an empty order is none.
    orders = {holder["orderNo"] for holder in (top, inside) if holder.get("orderNo")}
    if len(orders) > 1 or not all(map(evidence_v1.is_order_no, orders)):
        raise Refused("json", "no order")
    return min(orders, default=None)


def check(data: bytes, expected: Expected) -> dict[str, Any]:
    top = evidence_v1.read_document(data)
    holds: dict[str, Optional[bool]] = dict.fromkeys(CHECKS)
    binds: dict[str, Optional[bool]] = dict.fromkeys(BINDINGS)
    payload = None
    try:
        payload = evidence_v1.read_payload(data)
    except Refused:
        holds["result"] = False
    order_no, said = None, verdicts.DENIES
    try:
        order_no = order_of_result(top)
        said = ambiguity(top, order_no)
    except Refused:
        pass

    # A pass with an error is no result that could be asked for anything.
    is_result = said == verdicts.AGREES
    passed = is_result and top.get("isSuccess") is True
    beside = any(top.get(name) is not None for name in SEALED)
    if payload:
        holds["result"] = None if said == verdicts.UNDECIDED and not beside else passed and not beside
    # Its order and its sign do not depend on what is undecided.
    claims_pass = said != verdicts.DENIES and top.get("isSuccess") is True
    if is_result or claims_pass:
        holds["order"] = order_no == expected.order_no
    if claims_pass and expected.ticket is not None and expected.app_id is not None:
        sign = front_end_sign(expected.app_id, expected.order_no, "0", expected.ticket)
        given = top.get("sign")
        holds["sign"] = isinstance(given, str) and given.upper() == sign and given.isascii()
    if payload is None:
        return report(holds, binds)

    photo = None
    if payload.photo and not payload.has_sealed_photo:
        try:
            photo = evidence_v1.strict_base64(payload.photo)
            holds["photo"] = is_whole_jpeg(photo) or is_whole_png(photo)
        except Refused:
            holds["photo"] = False

    video = None
    if expected.video_key is not None:
        video = opened(data, expected, expected.video_key, "userVideoString")
        holds["video"] = video is not None
        if video is not None and not expected.has_tag:
            # Nothing but its structure speaks for it; what is of no known container may be anything.
            holds["video"] = is_whole_mp4(video) if video[4:8] == b"ftyp" else None
            if holds["video"] and not has_listed_brand(video):
                holds["video"] = None

    statement = None
    if expected.compare_key is not None:
        plaintext = opened(data, expected, expected.compare_key, "identifyStr")
        try:
            statement = None if plaintext is None else read_statement(plaintext)
        except Refused:
            pass
        holds["statement"] = statement is not None

    if statement is not None:
        binds["order"] = statement["orderNo"] == expected.order_no
        if expected.app_id is not None:
            binds["app"] = statement["appId"] == expected.app_id
        if expected.user_id is not None:
            binds["user"] = statement["userId"] == expected.user_id
        of_photo = {name: statement[name] for name in PHOTO if name in statement}
        if payload.photo and payload.has_sealed_photo:
            pass
        elif payload.photo:
            binds["photo"] = photo is not None and of_photo == digest_fields("image", photo)
        else:
            binds["photo"] = not of_photo
        if video is not None:
            found = digest_fields("video", video)
            binds["video"] = found == {name: statement[name] for name in found}
        if passed:
            binds["scores"] = stated_scores(statement) == stated_scores(top)
        captured = moment(statement["capturedAt"])
        assert captured
        binds["moment"] = captured <= expected.now + AHEAD and (
            expected.maximum_age is None
            or captured >= expected.now - datetime.timedelta(seconds=expected.maximum_age)
        )
        # A nonce is used up by asking.
        if expected.nonces is not None and False not in [*holds.values(), *binds.values()]:
            binds["nonce"] = statement["nonce"] not in expected.nonces

    if holds["video"] is None and binds["video"] and binds["order"]:
        holds["video"] = True
    return report(
        holds, binds, bool(payload.photo), bool(payload.sealing.get("identifyStr")), "intact" if expected.has_tag else "well-formed"
    )


def report(
    holds: dict[str, Optional[bool]],
    binds: dict[str, Optional[bool]],
    has_photo: bool = False,
    has_statement: bool = False,
    of_video: str = "intact",
) -> dict[str, Any]:
    """What docs/REPORT.md says of states, strengths and the default requirements."""
    required = ["result", "order", "sign", "video", *["photo"] * has_photo, *["statement"] * has_statement]
    strong = strengths(holds, binds, has_photo, of_video)
    verdict = "holds" if all(holds[name] for name in required) and strong["video"] != "well-formed" else "unchecked"
    if False in [*holds.values(), *binds.values()]:
        verdict = "fails"
    items = {name: word(holds[name]) for name in CHECKS}
    items |= {f"statement.{name}": word(binds[name]) for name in BINDINGS}
    return {"verdict": verdict, "items": items, "strengths": strong}


def strengths(
    holds: dict[str, Optional[bool]], binds: dict[str, Optional[bool]], has_photo: bool, of_video: str
) -> dict[str, str]:
    """Of each check that holds."""
    least = dict(zip(CHECKS, ("well-formed", "well-formed", "bound", "well-formed", of_video, "intact")))
    found = {name: least[name] for name in CHECKS if holds[name]}
    stated = {name for name in ("order", "photo", "video") if binds["order"] and binds[name]}
    if holds["sign"]:
        stated.add("order")
    if not has_photo:
        stated.discard("photo")
    return {name: "bound" if name in stated else strength for name, strength in found.items()}


# --- Command ----------------------------------------------------------------------------------


def load_private(path: Optional[str]) -> Any:
    return serialization.load_pem_private_key(read_file(path), password=None) if path else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("assemble", help="a whole result on standard output")
    checking = commands.add_parser("check", help="a whole result on standard input, a report on standard output")
    for command in (making, checking):
        command.add_argument("--order-no", required=True)
        command.add_argument("--ticket-file", metavar="FILE")
    making.add_argument("--public", required=True, metavar="PUB.pem")
    making.add_argument("--compare-public", required=True, metavar="PUB.pem")
    making.add_argument("--video", required=True, metavar="FILE")
    making.add_argument("--image", metavar="FILE")
    making.add_argument("--app-id", required=True)
    making.add_argument("--user-id", required=True)
    making.add_argument("--scores", default="{}", metavar="JSON", help="liveRate, similarity, riskInfo")
    checking.add_argument("--key", metavar="KEY.pem")
    checking.add_argument("--compare-key", metavar="KEY.pem")
    checking.add_argument("--app-id")
    checking.add_argument("--user-id")
    checking.add_argument("--max-age", type=int, metavar="SECONDS")
    options = parser.parse_args()

    now = datetime.datetime.now(datetime.timezone.utc)
    try:
        ticket = read_file(options.ticket_file).decode("utf-8").strip() if options.ticket_file else None
        if options.command == "assemble":
            video, photo = read_file(options.video), read_file(options.image) if options.image else None
            nonce = "".join(secrets.choice(LETTERS) for _ in range(32))
            fields = statement_fields(
                options.order_no,
                options.app_id,
                options.user_id,
                moment_text(now),
                nonce,
                video,
                photo,
                json.loads(options.scores),
            )
            public_key = serialization.load_pem_public_key(read_file(options.public))
            compare_key = serialization.load_pem_public_key(read_file(options.compare_public))
            sys.stdout.buffer.write(assemble(fields, video, photo, public_key, compare_key, ticket))
            return 0
        expected = Expected(
            order_no=options.order_no,
            now=now,
            app_id=options.app_id,
            user_id=options.user_id,
            ticket=ticket,
            maximum_age=options.max_age,
            video_key=load_private(options.key),
            compare_key=load_private(options.compare_key),
        )
        report = check(sys.stdin.buffer.read(), expected)
    except Refused as refusal:
        print(refusal.layer, file=sys.stderr)
        return 1
    except (OSError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report, indent=1))
    return {"holds": 0, "fails": 1, "unchecked": 4}[report["verdict"]]


if __name__ == "__main__":
    sys.exit(main())
