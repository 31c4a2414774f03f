# SPDX-License-Identifier: Apache-2.0
"""The vectors of whole results: FORMATS.md §5, and every row of §6, with what a check finds."""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import struct
import zlib
from typing import Any, Callable, Optional

import evidence_v1
import statement
import verdicts
from kit import changed, media, once, seal_v2, wrap
from rsa_by_hand import Stream, private_key
from statement import (
    Expected,
    Fields,
    SealedPair,
    check,
    front_end_sign,
    moment,
    moment_text,
    result_fields,
    statement_fields,
    write_result,
    write_statement,
)
from statement_vectors import MOMENT, RISK, Test, without

INTEGRATOR, COMPARING = "rsa3072.pem", "other3072.pem"
ORDER, OTHER_ORDER = "order20260001", "order20260002"
APP, USER = "IDAXXXXX", "user-\u5f20\u4e09"
TICKET = "XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS"  # published: SIGN-RECIPES.md
OTHER_TICKET = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe"
NOW = "2026-11-21T08:35:00.000Z"  # five minutes after MOMENT
VIDEO, OTHER_VIDEO = b"a video, as far as this goes", b"another video, just as long."
SCORES = {"liveRate": "99.1", "similarity": "96.30", "riskInfo": RISK}


def in_base64(text: str, times: int) -> str:
    for _ in range(times):
        text = base64.b64encode(text.encode()).decode()
    return text


def text_of(value: Any, levels: int) -> str:
    """JSON text, of JSON text, so many times."""
    for _ in range(levels):
        value = json.dumps(value)
    return value


def tiny_png(grey: int) -> bytes:
    """One pixel. The data is stored, not compressed: compressors differ."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = bytes([0, grey])
    stored = b"\x78\x01\x01" + struct.pack("<HH", 2, 0xFFFD) + row + struct.pack(">I", zlib.adler32(row))
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", stored) + chunk(b"IEND", b"")


PNG, OTHER_PNG = tiny_png(0), tiny_png(255)


def sealed(label: str, field: str, plaintext: bytes, order: str = ORDER, key: Optional[str] = None) -> SealedPair:
    key = key or (INTEGRATOR if field == "userVideoString" else COMPARING)
    content_key, data = seal_v2(f"identify {label} {field} {order}", plaintext, order, field)
    return wrap(f"identify {label} {field} {order}", content_key, key), data


class Parts:
    """What a result is made of; a case changes some of it, then has it written."""

    def __init__(
        self,
        label: str,
        order: str = ORDER,
        video: bytes = VIDEO,
        photo: Optional[bytes] = PNG,
        scores: Optional[Fields] = None,
        integrator: str = INTEGRATOR,
        comparing: str = COMPARING,
        spell: Callable[[bytes], bytes] = lambda data: data,
        **stated: Any,
    ) -> None:
        """`stated`: what the statement says otherwise; None: what it does not say. `spell` makes it ill-formed."""
        self.label, self.order, self.photo = label, order, photo
        self.scores = SCORES if scores is None else scores
        said = statement_fields(order, APP, USER, MOMENT, fresh_nonce(label), video, photo, self.scores)
        said = {name: value for name, value in {**said, **stated}.items() if value is not None}
        self.nonce = said["nonce"]
        self.video: Optional[SealedPair] = sealed(label, "userVideoString", video, order, integrator)
        self.statement: Optional[SealedPair] = sealed(
            label, "identifyStr", spell(write_statement(said)), order, comparing
        )
        self.sign: Optional[str] = front_end_sign(APP, order, "0", TICKET)

    def fields(self) -> Fields:
        return result_fields(self.order, self.video, self.statement, self.sign, self.photo, self.scores)

    def write(self) -> bytes:
        return write_result(self.fields())


def fresh_nonce(label: str) -> str:
    return "".join(statement.LETTERS[byte % 62] for byte in Stream(f"identify nonce {label}").take(32))


def expectation(
    *failing: str,
    verdict: str = "",
    result: str = "holds",
    order_no: str = "holds",
    sign: str = "holds",
    photo: str = "holds",
    video: str = "holds",
    identify: str = "holds",
    **bindings: str,
) -> Test:
    """Everything holds but what is named; `failing`: bindings. The store of nonces is not asked unless it is named.

    `verdict`: by default that of the words, for a result with a photo and an appId that is known.
    """
    judged = "holds" if identify == "holds" else "unchecked"
    expected = {**dict.fromkeys(statement.BINDINGS, judged), "nonce": "unchecked"}
    if video != "holds":
        expected["video"] = "unchecked"
    expected |= {**dict.fromkeys(failing, "fails"), **bindings}
    assert expected.keys() == set(statement.BINDINGS)
    checks = dict(zip(statement.CHECKS, (result, order_no, sign, photo, video, identify)))
    if not verdict:
        verdict = "unchecked" if "unchecked" in (sign, video, identify) else "holds"
        if "fails" in [*checks.values(), *expected.values()]:
            verdict = "fails"
    return {
        "verdict": verdict,
        "items": {**checks, **{f"statement.{name}": word for name, word in expected.items()}},
        "strengths": strengths_of(checks, expected),
    }


def strengths_of(checks: dict[str, str], bindings: dict[str, str]) -> dict[str, str]:
    """How strong each check is that holds (docs/REPORT.md)."""
    found = {}
    for name, word in checks.items():
        is_stated = name in ("order", "photo", "video") and bindings["order"] == bindings[name] == "holds"
        if word == "holds" and (is_stated or name == "sign" or name == "order" and checks["sign"] == "holds"):
            found[name] = "bound"
        elif word == "holds":
            found[name] = "intact" if name in ("video", "statement") else "well-formed"
    return found


class Results:
    def __init__(self) -> None:
        self.tests: list[Test] = []
        self.files: dict[str, bytes] = {}

    def case(
        self, name: str, comment: str, data: bytes, expect: Test, file: Optional[str] = None, **asked: Any
    ) -> None:
        """`file`: the case that has the same document; `asked`: what is asked otherwise."""
        path = f"results/{file or name}.json"
        assert all(test["name"] != name for test in self.tests), name
        assert self.files.setdefault(path, data) == data, name
        test = {
            "name": name,
            "file": path,
            "comment": comment,
            "orderNo": ORDER,
            "appId": APP,
            "userId": USER,
            "ticket": TICKET,
            "now": NOW,
            "maximumAge": 600,
            "videoKey": INTEGRATOR,
            "compareKey": COMPARING,
            "seenNonces": None,
        }
        assert asked.keys() <= test.keys()
        test |= {**asked, "expect": expect}
        assert found(test, data) == expect, f"{name}: {found(test, data)}"
        self.tests.append(test)


def found(test: Test, data: bytes) -> Test:
    now = moment(test["now"])
    assert now
    return check(
        data,
        Expected(
            order_no=test["orderNo"],
            now=now,
            app_id=test["appId"],
            user_id=test["userId"],
            ticket=test["ticket"],
            maximum_age=test["maximumAge"],
            video_key=test["videoKey"] and private_key(test["videoKey"]),
            compare_key=test["compareKey"] and private_key(test["compareKey"]),
            nonces=test["seenNonces"],
        ),
    )


def later(seconds: float) -> str:
    start = moment(MOMENT)
    assert start
    return moment_text(start + datetime.timedelta(seconds=seconds))


def jpeg_changed() -> bytes:
    """The photo with one byte of its pixels changed: still a whole JPEG."""
    photo = media("photo.jpg")
    for place in range(len(photo) // 2, len(photo)):
        other = photo[:place] + bytes([photo[place] ^ 1]) + photo[place + 1 :]
        if 0xFF not in (photo[place - 1], photo[place], other[place]) and statement.is_whole_jpeg(other):
            return other
    raise AssertionError("no such byte")


def good_results(make: Results) -> None:
    clip, photo = media("clip.mp4"), media("photo.jpg")
    holds = expectation()
    whole = Parts("good", video=clip, photo=photo)
    data = whole.write()
    make.case("good", "a video and a photo, as §5 writes it", data, holds)
    make.case(
        "good_new_nonce",
        "a store that has seen others",
        data,
        expectation(nonce="holds"),
        file="good",
        seenNonces=[fresh_nonce("another")],
    )
    make.case(
        "good_empty_store",
        "a store that has seen nothing",
        data,
        expectation(nonce="holds"),
        file="good",
        seenNonces=[],
    )
    make.case(
        "good_any_age",
        "no age asked for, a year later",
        data,
        holds,
        file="good",
        maximumAge=None,
        now=later(365 * 86400),
    )
    make.case(
        "good_user_not_known", "no user to compare", data, expectation(user="unchecked"), file="good", userId=None
    )
    make.case("good_png", "a PNG of one pixel", Parts("png").write(), holds)
    bare = Parts("without photo", photo=None, scores={})
    none = expectation(photo="unchecked")
    make.case("without_photo", "no photo, no scores, no risks: nothing absent is written", bare.write(), none)
    empty = bare.fields()
    make.case("photo_empty", "an empty photo is no photo", write_result({**empty, "userImageString": ""}), none)
    make.case(
        "nulls",
        "null says nothing",
        json.dumps(
            {**empty, "userImageString": None, "liveRate": None, "similarity": None, "riskInfo": None}
        ).encode(),
        none,
    )
    make.case(
        "risks_empty_in_result",
        "a riskInfo without any risk in it says nothing",
        write_result({**empty, "riskInfo": {}}),
        none,
    )
    partly = Parts("partly", scores={"liveRate": "99.1", "riskInfo": {"riskInfoLevel": "1"}})
    make.case("scores_in_part", "one score, one risk", partly.write(), holds)
    texts = {
        "liveRate": "",
        "similarity": "\u5206\u6570\u4e3a\u7a7a",
        "riskInfo": {"riskInfoTag": "", "deviceInfoTag": '"\\/\n'},
    }
    make.case(
        "scores_of_any_text",
        "an empty score and risk, and text with escapes, in both alike",
        Parts("texts", scores=texts).write(),
        holds,
    )
    make.case(
        "scores_escaped",
        "another spelling of the same text in the result",
        json.dumps(Parts("texts", scores=texts).fields(), ensure_ascii=True).encode(),
        holds,
    )
    make.case("video_of_0_bytes", "an empty video", Parts("empty", video=b"").write(), holds)
    make.case("video_of_1_byte", "one byte", Parts("one", video=b"\x00").write(), holds)
    for name, integrator, comparing in [
        ("rsa2048_and_rsa4096", "rsa2048.pem", "rsa4096.pem"),
        ("rsa4096_and_rsa2048", "rsa4096.pem", "rsa2048.pem"),
    ]:
        other = Parts(name, integrator=integrator, comparing=comparing)
        make.case(
            f"keys_{name}", "keys of two lengths", other.write(), holds, videoKey=integrator, compareKey=comparing
        )

    # The same result as others would write it.
    fields = Parts("written otherwise", photo=photo).fields()
    inner = fields["simpleModeResult"]
    written = write_result(fields)
    assert b"/" in written
    make.case("slashes_escaped", "every slash as \\/", written.replace(b"/", b"\\/"), holds)
    make.case("indented", "white space everywhere", json.dumps(fields, indent=2).encode() + b"\n\n", holds)
    make.case("no_line_feed", "nothing after the object", written[:-1], holds)
    vendor = {
        "simpleModeResult": {
            name: inner[name]
            for name in ("userVideoString", "identifyStr", "orderNo", "videoEncryptAESKey", "encryptAESKey")
        },
        "userImageString": fields["userImageString"],
        "riskInfo": dict(reversed(RISK.items())),
        **{name: fields[name] for name in ("similarity", "liveRate", "sign", "orderNo", "isSuccess")},
    }
    make.case("fields_in_another_order", "the sealed fields first, isSuccess last", write_result(vendor), holds)
    make.case(
        "unknown_fields",
        "fields nobody knows",
        json.dumps({"extra": [1, {"rate": "0"}], **fields, "error": None}).encode(),
        holds,
    )
    make.case(
        "order_only_outside",
        "orderNo beside simpleModeResult alone",
        write_result({**fields, "simpleModeResult": without(inner, "orderNo")}),
        holds,
    )
    make.case(
        "order_only_inside", "orderNo in simpleModeResult alone", write_result(without(fields, "orderNo")), holds
    )
    moved = {
        **without(fields, "userImageString"),
        "simpleModeResult": {**inner, "userImageString": fields["userImageString"]},
    }
    make.case("photo_inside", "the photo in simpleModeResult", write_result(moved), holds)
    make.case(
        "sign_in_lower_case",
        "digits of either case",
        write_result({**fields, "sign": fields["sign"].lower()}),
        holds,
    )


def keys_not_given(make: Results) -> None:
    data = Parts("good", video=media("clip.mp4"), photo=media("photo.jpg")).write()

    def case(name: str, comment: str, expect: Test, **asked: Any) -> None:
        make.case(name, comment, data, expect, file="good", **asked)

    closed = expectation(identify="unchecked")
    case("no_video_key", "the comparing service alone", expectation(video="unchecked"), videoKey=None)
    case("no_compare_key", "the integrator alone", closed, compareKey=None)
    case(
        "no_keys",
        "neither key",
        expectation(video="unchecked", identify="unchecked"),
        videoKey=None,
        compareKey=None,
    )
    case("no_ticket", "no ticket", expectation(sign="unchecked"), ticket=None)
    case("no_app", "no appId, so no sign either", expectation(sign="unchecked", app="unchecked"), appId=None)
    case(
        "nothing_given",
        "an order and nothing else",
        expectation(sign="unchecked", video="unchecked", identify="unchecked"),
        appId=None,
        userId=None,
        ticket=None,
        maximumAge=None,
        videoKey=None,
        compareKey=None,
    )
    case(
        "wrong_video_key", "another private key of the same length", expectation(video="fails"), videoKey=COMPARING
    )
    case(
        "wrong_compare_key",
        "another private key of the same length",
        expectation(identify="fails"),
        compareKey=INTEGRATOR,
    )
    case(
        "keys_exchanged",
        "each key in the other's place",
        expectation(video="fails", identify="fails"),
        videoKey=COMPARING,
        compareKey=INTEGRATOR,
    )
    case(
        "video_key_of_another_length",
        "a private key of 2048 bits",
        expectation(video="fails"),
        videoKey="rsa2048.pem",
    )
    case(
        "compare_key_of_another_length",
        "a private key of 4096 bits",
        expectation(identify="fails"),
        compareKey="rsa4096.pem",
    )


def expected_otherwise(make: Results) -> None:
    data = Parts("good", video=media("clip.mp4"), photo=media("photo.jpg")).write()

    def case(name: str, comment: str, expect: Test, **asked: Any) -> None:
        make.case(name, comment, data, expect, file="good", **asked)

    case(
        "other_app_expected",
        "the sign and the statement are of another app",
        expectation("app", sign="fails"),
        appId="IDAYYYYY",
    )
    case("other_user_expected", "another user", expectation("user"), userId="user-2")
    case(
        "user_in_another_normal_form",
        "text is compared byte for byte",
        expectation("user"),
        userId="user-\u5f20\u4e09\u0301",
    )
    case("other_ticket", "a sign under another ticket", expectation(sign="fails"), ticket=OTHER_TICKET)
    case(
        "other_order_expected",
        "a whole result of another order: nothing in it opens for the order that is expected",
        expectation(order_no="fails", sign="fails", video="fails", identify="fails"),
        orderNo=OTHER_ORDER,
    )
    case(
        "order_expected_in_lower_case",
        "order numbers are compared with regard to case",
        expectation(order_no="fails", sign="fails", video="fails", identify="fails"),
        orderNo=ORDER.upper(),
    )
    old = expectation("moment")
    case("exactly_as_old_as_allowed", "to the millisecond", expectation(), now=later(600))
    case("too_old_by_a_millisecond", "a millisecond more", old, now=later(600.001))
    case("too_old", "an old result of the same order, whole", old, now=later(86400))
    case("age_of_0", "taken this very millisecond", expectation(), now=later(0), maximumAge=0)
    case("exactly_five_minutes_ahead", "to the millisecond", expectation(), now=later(-300))
    case("ahead_by_a_millisecond_too_much", "a millisecond more", old, now=later(-300.001))
    case("in_the_future", "a day ahead of the clock", old, now=later(-86400))
    case(
        "in_the_future_at_any_age",
        "the clock counts where no age was asked for",
        old,
        now=later(-86400),
        maximumAge=None,
    )
    nonce = Parts("good", video=media("clip.mp4"), photo=media("photo.jpg")).nonce
    case(
        "nonce_seen",
        "an old result of the same order, still fresh",
        expectation(nonce="fails"),
        seenNonces=[nonce],
    )
    case(
        "nonce_seen_in_another_case",
        "nonces are compared with regard to case",
        expectation(nonce="holds"),
        seenNonces=[nonce.swapcase()],
    )
    case("too_old_and_seen", "the store is asked last: here not at all", old, now=later(86400), seenNonces=[nonce])
    case("store_not_asked_by_another_user", "nor here", expectation("user"), userId="user-2", seenNonces=[])


def changed_results(make: Results) -> None:
    """One thing in the result is not as it was made."""
    parts = Parts("changed")
    fields = parts.fields()
    inner = fields["simpleModeResult"]

    def case(name: str, comment: str, expect: Test, value: Fields) -> None:
        make.case(name, comment, write_result(value), expect)

    # The sign.
    sign = fields["sign"]
    case(
        "sign_wrong",
        "one digit of the sign changed",
        expectation(sign="fails"),
        {**fields, "sign": sign[:-1] + ("0" if sign[-1] != "0" else "1")},
    )
    case(
        "sign_of_other_order",
        "the sign of another order",
        expectation(sign="fails"),
        {**fields, "sign": front_end_sign(APP, OTHER_ORDER, "0", TICKET)},
    )
    case(
        "sign_of_other_app",
        "the sign of another app",
        expectation(sign="fails"),
        {**fields, "sign": front_end_sign("IDAYYYYY", ORDER, "0", TICKET)},
    )
    case(
        "sign_of_other_code",
        "the sign of a result that failed",
        expectation(sign="fails"),
        {**fields, "sign": front_end_sign(APP, ORDER, "66660004", TICKET)},
    )
    case("sign_absent", "no sign", expectation(sign="fails"), without(fields, "sign"))
    case("sign_empty", "an empty sign", expectation(sign="fails"), {**fields, "sign": ""})
    case("sign_cut_off", "39 digits", expectation(sign="fails"), {**fields, "sign": sign[:-1]})

    # Scores and risks, in the result only.
    scores = expectation("scores")
    case("live_rate_changed", "another liveRate", scores, {**fields, "liveRate": "99.9"})
    case("live_rate_of_equal_number", "the text counts, not the number", scores, {**fields, "liveRate": "99.10"})
    case("similarity_changed", "another similarity", scores, {**fields, "similarity": "97.30"})
    case("similarity_left_out", "in the statement only", scores, without(fields, "similarity"))
    as_number = {**fields, "riskInfo": {**RISK, "deviceInfoLevel": int(RISK["deviceInfoLevel"])}}
    case("risk_level_as_number", "the same level as a JSON integer", expectation(), as_number)
    case("risk_changed", "another riskInfoLevel", scores, {**fields, "riskInfo": {**RISK, "riskInfoLevel": "1"}})
    case(
        "risk_left_out",
        "one risk in the statement only",
        scores,
        {**fields, "riskInfo": without(RISK, "deviceInfoTag")},
    )
    case("risks_left_out", "riskInfo in the statement only", scores, without(fields, "riskInfo"))
    case(
        "risks_exchanged",
        "each level with the other's value",
        scores,
        {
            **fields,
            "riskInfo": {
                **RISK,
                "riskInfoLevel": RISK["deviceInfoLevel"],
                "deviceInfoLevel": RISK["riskInfoLevel"],
            },
        },
    )
    less = Parts("fewer scores", scores={"similarity": "96.30", "riskInfo": {"riskInfoLevel": "2"}})
    case("live_rate_added", "in the result only", scores, {**less.fields(), "liveRate": "99.1"})
    case(
        "risk_added",
        "one risk in the result only",
        scores,
        {**less.fields(), "riskInfo": {"riskInfoLevel": "2", "riskInfoTag": "05"}},
    )

    silent = Parts("no liveRate", scores=without(SCORES, "liveRate"))
    case(
        "live_rate_empty_in_result",
        "an empty score counts as absent",
        expectation(),
        {**silent.fields(), "liveRate": ""},
    )
    empty = Parts("empty similarity", scores={**SCORES, "similarity": ""})
    case("similarity_empty_in_statement", "here too", expectation(), without(empty.fields(), "similarity"))
    case("similarity_emptied", "and is not the one that was stated", scores, {**fields, "similarity": ""})

    # The photo.
    jpeg = Parts("jpeg", photo=media("photo.jpg"))

    def with_photo(photo: bytes, holder: Parts = parts) -> Fields:
        return {**holder.fields(), "userImageString": base64.b64encode(photo).decode()}

    def photo_case(name: str, comment: str, value: Fields, structure: str, binding: str) -> None:
        case(name, comment, expectation(*(["photo"] if binding == "fails" else []), photo=structure), value)

    photo_case(
        "photo_byte_changed",
        "one byte of the pixels, still a whole JPEG",
        with_photo(jpeg_changed(), jpeg),
        "holds",
        "fails",
    )
    photo_case("photo_cut_off", "half of the JPEG", with_photo(media("photo.jpg")[:1368], jpeg), "fails", "fails")
    photo_case("photo_crc_wrong", "one byte of a PNG", with_photo(changed(PNG, 45)), "holds", "fails")
    photo_case(
        "photo_not_base64",
        "line breaks inside the base64",
        {**fields, "userImageString": fields["userImageString"][:40] + "\n" + fields["userImageString"][40:]},
        "fails",
        "fails",
    )
    sealed_photo = {**fields, "imageEncryptAESKey": "AAAA", "userImageString": base64.b64encode(Stream("sealed photo").take(90)).decode()}
    unopened = expectation(photo="unchecked", verdict="unchecked")
    unopened["items"]["statement.photo"] = "unchecked"
    case("photo_sealed", "a sealed photo, which only a later version opens", unopened, sealed_photo)
    photo_case("photo_left_out", "in the statement only", without(fields, "userImageString"), "unchecked", "fails")
    bare = Parts("without photo", photo=None, scores={})
    photo_case("photo_added", "in the result only", with_photo(PNG, bare), "holds", "fails")
    more = Parts("photo with more behind it", photo=PNG + b"more")
    photo_case("photo_with_more_behind", "four bytes after the end, and the statement has them too", more.fields(), "holds", "holds")
    text = Parts("photo of text", photo=b"not a photo")
    photo_case("photo_is_no_image", "text, of which the statement has the digest", text.fields(), "fails", "holds")
    size = Parts("photo size", imageSize=len(PNG) + 1)
    photo_case("photo_size_wrong", "the right digest, another size", size.fields(), "holds", "fails")
    digest = Parts("photo digest", imageSHA256=hashlib.sha256(OTHER_PNG).hexdigest())
    photo_case("photo_digest_wrong", "the right size, another digest", digest.fields(), "holds", "fails")

    # The statement.
    def inside(**changes: Optional[str]) -> Fields:
        return {**fields, "simpleModeResult": {k: v for k, v in {**inner, **changes}.items() if v is not None}}

    closed = expectation(identify="fails")
    case(
        "app_of_another",
        "the statement names another app",
        expectation("app"),
        Parts("other app", appId="IDAYYYYY").fields(),
    )
    case(
        "video_size_wrong",
        "the right digest, another size",
        expectation("video"),
        Parts("video size", videoSize=len(VIDEO) + 1).fields(),
    )
    other_digest = Parts("video digest", videoSHA256=hashlib.sha256(OTHER_VIDEO).hexdigest())
    case("video_digest_wrong", "the right size, another digest", expectation("video"), other_digest.fields())
    case("identify_str_absent", "no statement", closed, inside(identifyStr=None, encryptAESKey=None))
    case("identify_str_without_key", "no encryptAESKey", closed, inside(encryptAESKey=None))
    case("identify_str_empty", "an empty identifyStr", closed, inside(identifyStr=""))
    case("identify_str_not_base64", "not strict base64", closed, inside(identifyStr=inner["identifyStr"] + "\n"))
    case(
        "identify_str_byte_changed",
        "one byte changed",
        closed,
        inside(identifyStr=base64.b64encode(changed(base64.b64decode(inner["identifyStr"]), 40)).decode()),
    )
    case(
        "identify_str_opaque",
        "a vendor's, which nobody here can open",
        closed,
        inside(identifyStr=base64.b64encode(Stream("vendor's").take(300)).decode()),
    )
    for name, comment, spell in [
        ("spaced", "opens, but has white space in it", lambda data: data.replace(b",", b", ")),
        ("with_line_feed", "opens, but has a line feed at its end", lambda data: data + b"\n"),
        ("of_another_version", "opens, but is of version 1.0.1", lambda data: once(data, b"1.0.0", b"1.0.1")),
        (
            "with_unknown_name",
            "opens, but has a name that no statement has",
            lambda data: once(data, b',"version"', b',"verdict":"ok","version"'),
        ),
        ("opening_to_nothing", "opens to no bytes", lambda data: b""),
        ("opening_to_text", "opens to what is no JSON", lambda data: b"opaque"),
    ]:
        case(f"identify_str_{name}", comment, closed, Parts(f"statement {name}", spell=spell).fields())

    # The video.
    broken = expectation(video="fails")
    case(
        "video_plain",
        "a video that is not sealed",
        broken,
        inside(videoEncryptAESKey=None, userVideoString=base64.b64encode(VIDEO).decode()),
    )
    make.case(
        "video_plain_without_key",
        "a video that is not sealed, and no key to open one",
        write_result(inside(videoEncryptAESKey=None, userVideoString=base64.b64encode(VIDEO).decode())),
        expectation(video="unchecked"),
        file="video_plain",
        videoKey=None,
    )
    case("video_absent", "no video", broken, inside(videoEncryptAESKey=None, userVideoString=None))
    case(
        "video_byte_changed",
        "one byte changed",
        broken,
        inside(userVideoString=base64.b64encode(changed(base64.b64decode(inner["userVideoString"]), 20)).decode()),
    )
    case(
        "video_cut_off",
        "the last three bytes are missing",
        broken,
        inside(userVideoString=inner["userVideoString"][:-4]),
    )
    case(
        "video_not_base64",
        "without its padding",
        broken,
        inside(userVideoString=inner["userVideoString"].rstrip("=")),
    )

    # Two readers that look at different fields must not see two results.
    contradiction = expectation(result="fails", order_no="unchecked", sign="unchecked", scores="unchecked")
    undecided = expectation(verdict="unchecked", result="unchecked", scores="unchecked")
    # What is refused is not undecided.
    refused = expectation(result="fails", scores="unchecked")
    case("undecided_beside_misplaced_fields", "an undecided member, and the payload's fields beside the verdict", refused,
         {**without(fields, "simpleModeResult"), **inner, "faceResult": "N/A"})
    case("wrong_type_of_risks", "riskInfo is a text", contradiction, {**fields, "riskInfo": ""})
    case("wrong_type_of_risk", "a level is an object", contradiction, {**fields, "riskInfo": {**RISK, "riskInfoLevel": {}}})
    case("wrong_type_of_verdict", "isSuccess is a text", contradiction, {**fields, "isSuccess": "true"})
    case("empty_error_under_its_other_name", "the name in the vendor's table", contradiction, {**fields, "WbFaceError": {}})
    case("undecided_beside_empty_error", "what is refused is not undecided", contradiction, {**fields, "WbFaceError": {}, "faceResult": "N/A"})
    with_error = {**fields, "error": {"domain": "WBFaceErrorDomainCompareServer", "code": "66660004"}}
    case("pass_with_error", "isSuccess is true, and there is an error", contradiction, with_error)
    for name, comment, more in [
        ("error_under_its_other_name", "the name in the vendor's table", {"WbFaceError": {"code": "66660004"}}),
        ("flat_error", "an error beside the result's own fields", {"errorCode": "66660004"}),
        ("error_as_text", "an error that is no object", {"error": "66660004"}),
        ("will_code", "willingness failed", {"willModeResult": {"faceCode": "0", "willCode": "66660023"}}),
        ("face_code", "the face failed", {"willModeResult": {"faceCode": 66660004, "willCode": "0"}}),
        ("success_in_lower_case", "another reader sees a failure", {"issuccess": False}),
        ("success_with_underscore", "another reader sees a failure", {"is_success": False}),
        ("success_with_long_s", "Go's reader sees a failure", {"i\u017fSuccess": False}),
        ("success_with_zero_character", "a reader in C sees a failure", {"isSuccess\0": False}),
        ("success_alias", "another reader sees a failure", {"success": False}),
        *[
            (f"flat_error_{number}", f"an error that another reader sees: {name!a}", {name: "66660004"})
            for number, name in enumerate(
                ["errorcode", "error_code", "error-code", "ErrorCode", "ERRORCODE", "errorCode ", "ErrorDescription"]
                + ["error_description", "Error_Reason", "ErrorDomain", "error\ufe0f", "error\u3164Code", "error\u2800"]
            )
        ],
        ("flat_error_that_is_blank", "a look-alike is refused whatever it says", {"error_code": ""}),
        ("wrapped_failure", "another reader unwraps it", {"res": {"isSuccess": False}}),
        ("other_wrapped_failure", "another reader unwraps it", {"verifyResult": {"isSuccess": False, "orderNo": "ord9"}}),
        ("wrapped_pass", "two results, if alike", {"faceVerifyResult": {"isSuccess": True}}),
        ("scene_of_failure", "the login failed", {"scene": "wb_face_callback_login_failure"}),
        ("code", "a code outside", {"code": "66660004"}),
        ("outer_will_code", "a code outside", {"willCode": "1"}),
        ("outer_face_code", "a code outside", {"faceCode": 1}),
        ("inner_result", "a failure deeper inside", {"result": {"willModeResult": {"willCode": "1"}}}),
        ("success_in_will", "willingness failed", {"willModeResult": {"faceCode": "0", "willCode": "0", "isSuccess": False}}),
        ("error_in_will", "willingness failed", {"willModeResult": {"willCode": "0", "errorCode": "1"}}),
        ("error_object_in_will", "willingness failed", {"willModeResult": {"willCode": "0", "error": {"code": "1"}}}),
        ("success_in_payload", "the payload object failed", {"simpleModeResult": {**inner, "isSuccess": False}}),
        ("error_in_payload", "the payload object failed", {"simpleModeResult": {**inner, "error": {"code": "1"}}}),
        ("result_list", "a failure in a list", {"result": [{"code": "41000"}]}),
        ("result_lists", "a failure in a list of lists", {"result": [[None, {"code": "41000"}]]}),
        ("result_text", "another reader sees a failure", {"result": "failed"}),
        ("result_false", "another reader sees a failure", {"result": False}),
        ("result_list_of_text", "another reader sees a failure", {"result": ["failed"]}),
        ("will_text", "another reader sees a failure", {"data": {"willModeResult": "1"}}),
        ("payload_list", "another reader sees a failure", {"data": {"simpleModeResult": [{"isSuccess": False}]}}),
        ("user_info", "the notification's own shape, with a failure", {"userInfo": {"faceVerifyResult": {"isSuccess": False}}}),
        ("failure_deep_in_will", "willingness failed", {"willModeResult": {"x": {"faceCode": "3"}}}),
        ("failure_in_data_of_result", "a failure deeper inside", {"result": {"data": {"code": "1"}}}),
        ("failure_in_data", "a failure in an unknown member", {"data": {"isSuccess": False}}),
        ("failure_in_list", "a failure in an unknown list", {"list": [1, [{"x": {"willCode": "1"}}]]}),
        ("failure_in_proto", "JavaScript merges it", {"data": {"__proto__": {"isSuccess": False}}}),
        ("other_order_in_data", "another order in an unknown member", {"data": {"orderNo": OTHER_ORDER}}),
        ("success_that_is_an_object", "no verdict has members", {"data": {"success": {}}}),
        *[
            (f"flat_{name}", "a part of an error", {name: "WBFaceErrorDomainCompareServer"})
            for name in ("domain", "desc", "reason", "description")
        ],
        *[
            (f"folded_{number}", f"another reader sees a failure: {name!a}", {name: False})
            for number, name in enumerate(
                ["isSucce\u00df", "\uff49\uff53Success", "is.Success", "i\u24e2Success", "isSuccess[]", "isSu\u2102cess"]
                + ["is\uff33\uff55\uff43\uff43\uff45\uff53\uff53", "success\u2011", "isSuccess\u0301"]
            )
        ],
        ("folded_code", "another reader sees a failure", {"\uff43ode": "1"}),
        ("constructor_in_risk", "JavaScript merges it", {"riskInfo": {**SCORES["riskInfo"], "constructor": {}}}),
        ("ref_in_risk", "fastjson takes another object", {"riskInfo": {"$ref": "$.x"}, "x": {"a": "4"}}),
        ("type_in_risk", "fastjson makes an object of a class", {"riskInfo": {**SCORES["riskInfo"], "@type": "a"}}),
        ("success_yes_in_data", "Gson reads false", {"data": {"success": "YES"}}),
        ("success_1_in_data", "JavaScript reads no true", {"data": {"isSuccess": "1"}}),
        ("success_number_in_data", "JavaScript reads no true", {"data": {"isSuccess": 1}}),
        ("success_yes_in_payload", "Gson reads false", {"simpleModeResult": {**inner, "isSuccess": "YES"}}),
        ("second_score", "another reader takes this one", {"simpleModeResult": {**inner, "liveRate": "1"}}),
        ("second_score_in_data", "another reader takes this one", {"data": {"similarity": "1.0"}}),
        ("second_score_by_its_alias", "another reader takes this one", {"data": {"similarityRate": "1"}}),
        ("second_risk", "another reader takes this one", {"simpleModeResult": {**inner, "riskInfo": {"riskInfoLevel": "4"}}}),
        ("second_risk_as_text", "another reader takes this one", {"data": {"riskInfo": "4"}}),
        ("risk_level_outside", "another reader takes this one", {"riskInfoLevel": "4"}),
        ("risk_tag_outside", "another reader takes this one", {"data": [{"risk_info_tag": "99"}]}),
        ("error_code_of_one", "an error with a code", {"error": {"domain": None, "code": 1, "desc": ""}}),
        ("score_in_other_case", "two similarities", {"Similarity": "1"}),
        ("risk_in_other_case", "two risk objects", {"riskinfo": {"deviceInfoLevel": "4"}}),
        ("risk_level_in_other_case", "two levels in one risk object", {"riskInfo": {**SCORES["riskInfo"], "DeviceInfoLevel": "4"}}),
        ("will_code_in_other_case", "two codes of willingness", {"willModeResult": {"willCode": "0", "WillCode": "1"}}),
        ("failure_as_text", "the next program decodes it", {"data": json.dumps({"isSuccess": False})}),
        ("failure_as_text_in_a_list", "the next program decodes it", {"data": [" \n" + json.dumps([{"x": {"code": 1}}])]}),
        ("failure_as_text_of_text", "decoded four times", {"data": text_of({"isSuccess": "false"}, 4)}),
        ("failure_in_text_in_text", "an object in each", {"data": json.dumps({"a": json.dumps({"a": json.dumps({"errorCode": "1"})})})}),
        ("failure_in_long_text", "65,536 bytes", {"data": json.dumps({"isSuccess": False, "a": "x" * (65_536 - 29)})}),
        ("failure_behind_trailing_comma", "another reader decodes it", {"data": '{"a":["x,]",],"isSuccess":false,}'}),
        ("other_order_as_text", "another order", {"data": json.dumps({"orderNo": OTHER_ORDER})}),
        ("failure_as_text_too_deep", "another reader goes deeper", {"data": text_of({"isSuccess": False}, 5)}),
        ("failure_in_text_too_long", "another reader has no bound", {"data": json.dumps({"isSuccess": False, "a": "x" * (65_537 - 29)})}),
        *[
            (f"lenient_text_{number}", "a more lenient reader decodes it", {"data": text})
            for number, text in enumerate(
                ["{isSuccess=false}", '{"isSuccess":false', "{'isSuccess':false}", '{"isSuccess":true,"isSuccess":false}']
                + ['{"isSuccess":false,"x":NaN}', '{"a":"\\ud800"}', '{isSuccess:false}', '{"isSuccess":false}//', "{/**/}", '{"a":01}']
                + ['{"isSuccess":false}\0', '{"isSuccess":false};', '\ufeff{"isSuccess":false}', '[[{"isSuccess":false}', '["{isSuccess=false}"]']
                + ["[ '{isSuccess:false}'", '"{\\"isSuccess\\":false', "\\\"{isSuccess", '{"a":' * 70 + "1" + "}" * 70]
            )
        ],
        *[
            (f"failing_{name}", "another reader sees a failure", {name: value})
            for name, value in [
                ("status", "FAILED"), ("state", "fail"), ("passed", False), ("pass", 0), ("is_pass", "0"), ("verified", "no"),
                ("errCode", "66660004"), ("err_no", 1), ("ret", -1), ("retCode", "66660004"), ("bizCode", "Not Passed"),
                ("resultCode", False), ("verdict", "\u672a\u901a\u8fc7"), ("outcome", "rejected"), ("conclusion", "Deny"), ("matched", False),
            ]
        ],
        *[
            (f"words_{number}", "the words of a name ask for a verdict", {name: value})
            for number, (name, value) in enumerate(
                [("status", 7), ("state", "PENDING"), ("passed", {"web": False}), ("verified", [0]), ("\u0456sSuccess", False)]
                + [("passFlag", False), ("passflag", "0"), ("facePassed", False), ("verify_status", "failed"), ("isSamePerson", "N")]
                + [("finalResult", "\u5426"), ("authResult", "unverified"), ("respCode", "E1001"), ("statusCode", 500), ("rejected", "true")]
                + [("isFail", 1), ("errors", ["face mismatch"]), ("failReason", "x"), ("errorInfo", {"id": "66660004"}), ("errMsg", "x")]
                + [("\u662f\u5426\u901a\u8fc7", "\u5426"), ("bankPassed", False), ("bankPassed", "no"), ("bankFailed", True)]
                + [("data.isSuccess", 0), ("result[isSuccess]", "NO"), ("{\"isSuccess\":false}", 1), ("verdict", {"value": 3})]
                + [("\uff50\uff41\uff53\uff53Flag", False), ("is\u200bPassed", 0), ("notPassed", True)]
                + [("notAlive", True), ("isReplay", True), ("identityConfirmed", "no"), ("granted", False), ("isConsistent", False), ("impostor", 1)]
                + [("wbCode", "66660010"), ("data", 66660010), ("wbErrorCode", 66660004), ("x", [1, 66660004])]
                # A name only ends in the letters of link, city and file.
                + [("blink", "failed"), ("eyeBlink", "FAIL"), ("authenticity", "\u4e0d\u901a\u8fc7"), ("profile", "rejected")]
                + [("failed", {"blink": True}), ("failed", {"device": True}), ("authenticity", 66660004)]
                # Of what an object says that something failed, and values in what is inside of it.
                + [("failed", {"liveness": True}), ("errors", [{"face": "blurred"}]), ("rejected", {"face": 1})]
                + [("passed", {"liveness": {"value": False}}), ("result", {"step": {"value": "no"}}), ("face", {"value": False})]
                + [("result", [[{"x": [{"y": {"val": False}}]}]]), ("passed", "{\"face\":{\"value\":false}}")]
                # A code as spreadsheets write it.
                + [("wbCode", "66660004.0"), ("x", "66,660,004")]
                # What was looked at, in words that are none of ours; and a defence, which is no attack.
                + [("idCardMatched", False), ("nameMatch", "N"), ("selfieApproved", False), ("antiSpoofPassed", False), ("antiSpoof", "fail")]
                # An address is heard, whatever it is the address of.
                + [("resultUrl", "https://a.cn/r?isSuccess=false"), ("url", "https://a.cn/r?code=66660004"), ("deepLink", "app://face?success=false")]
                # Who is not alive, or was not verified, in Chinese; and what a result is of.
                + [("活体检测", "非活体"), ("x", "人脸检测：非活体；比对：通过"), ("x", "非真人"), ("x", "用户未认证"), ("是否真人", "否")]
                + [("核验结果", False), ("人工复核结论", "否"), ("ocrResult", False), ("innerCode", "VERIFY_FAILED")]
                + [("身份验证", False), ("公安核验", "否"), ("是否为真人", "否"), ("已认证", False), ("spoofCheckPassed", False), ("x", "not a real person")]
                + [("callback", "https://a.cn/r?errorCode=41000"), ("result", "NG"), ("x", "未检测到活体"), ("x", {"code": "FACE_MISMATCH", "data": {"y": 1}})]
                # What databases write for false; what a fault is told with; columns of Y and N.
                + [("policeVerified", 0), ("silentPassed", "0"), ("银行通过", 0), ("failedItems", ["liveness"]), ("rejectedAt", "2026-11-29 08:00:00")]
                + [("errorCodes", ["41000"]), ("failReasons", ["low light"]), ("失败码", "41000"), ("不通过项", ["活体"]), ("passYn", "N")]
                + [("match_yn", "n"), ("successFlg", 0), ("policeCheck", False), ("isLiving", False), ("是不是本人", "否"), ("x", "检测到面具")]
                + [("verifyResult", "FAIL"), ("res", False), ("permissions", {"isSuccess": False}), ("permissions", '{"isSuccess":false}')]
                # A label beside an object is no label alone; what passed that was looked for; codes with zeros in front.
                + [("event", {"name": "verify_failed", "data": {"orderNo": ORDER}}), ("x", {"title": "认证失败", "content": [{"a": 1}]})]
                + [("翻拍检测通过", False), ("fraudPassed", "N"), ("failedFaceMatch", True), ("wrongPersonMatched", True), ("spoofing", True)]
                + [("blacklistPassed", False), ("blacklistMatched", True), ("mobileFaceVerified", False), ("respCode", "01"), ("retCode", "0200")]
                + [("eventName", "verifyFailed"), ("nodeName", "审核不通过"), ("httpStatus", 500), ("failTime", "2026-11-29")]
                + [("url", "https://a.cn/r?msg=认证失败"), ("url", "https://a.cn/r?errmsg=fail")]
                + [("failStep", "live"), ("failReason", "live"), ("sanctionsResult", "match"), ("fraud", "confirmed"), ("spoofCheck", "failed"), ("spoofCheck", "passed; isSuccess=false")]
            )
        ],
        *[
            (f"pair_{number}", "a name and its value stand in two members", {"x": value})
            for number, value in enumerate(
                [[{"name": "isSuccess", "value": False}], {"key": "errorCode", "value": "66660004"}, {"k": "passed", "v": "no"}]
                + [{"title": "isSuccess", "cell": True}, ["isSuccess", False], [["orderNo", OTHER_ORDER]], ["similarity", 1], ["isSuccess"]]
                + [{"field": "pass", "cell": False}, {"label": "is_success", "val": "NO"}, json.dumps([{"name": "isSuccess", "value": 0}])]
                + [{"type": "passed", "value": "no"}, {"\u68c0\u67e5\u9879": "\u662f\u5426\u901a\u8fc7", "\u503c": "\u5426"}, {"type": "failed", "value": False}]
            )
        ],
        *[
            (f"text_{number}", "a text that says otherwise", {"x": text})
            for number, text in enumerate(
                ["verification failed", "did not pass", "\u4eba\u8138\u6838\u8eab\u672a\u901a\u8fc7", "NOT_PASS", "Rejected.", "\u4e0d\u662f\u540c\u4e00\u4eba"]
                + ["isSuccess=false&a=1", "isSuccess: YES", "<isSuccess>false</isSuccess>", "https://x/cb?code=66660004", "pass: no", "ret=-1"]
                + ["<pass>0</pass>", "pass|no", "pass\tno", "same person: no", "passed? no", "isSuccess\u662ffalse", "retCode=5", "f a i l e d", "p\u0430ss: no"]
                + ["a:1:{s:4:\"pass\";b:0;}", "pass - no", "verified (no)", "0 passed", "\u5931 \u8d25", base64.b64encode(b"<pass>0</pass>").decode()]
                + [base64.b64encode("\ufeff{\"a\":0,\"isSuccess\":false}".encode()).decode(), base64.b64encode('{"isSuccess":false}'.encode("utf-16")).decode()]
                + [base64.b64encode(base64.b64encode(b'{"isSuccess":false}')).decode(), "data:text/plain;base64," + base64.b64encode(b"not the same person").decode()]
                + [f"orderNo={OTHER_ORDER}", "face(isSuccess=false)", "isSuccess"[:2] + "_success NO", "success: 0", "errCode=5"]
                + ["can't pass", "CAN\u2019T MATCH", "wont pass", "not a live person", "identity could not be confirmed", "could not verify"]
                + ["passed nope", "passed, then withdrawn", "mis-match", "\u2715 passed", "\u6838\u9a57\u5514\u901a\u904e", "\u76f8\u4f3c\u5ea6\u4e0d\u8db3", "result NG"]
                + [form for text in ["isSuccess=false\0", "\x1b[31mFAILED\x1b[0m", "isSuccess\x0b=false", "\u6838\u8eab\u5931\u8d25\0", "FAILED" + "\0" * 40]
                   for form in (base64.b64encode(text.encode()).decode(), text.encode().hex())]
                + [base64.b64encode("\u6838\u8eab\u5931\u8d25\uff0c\u672a\u901a\u8fc7".encode(f"utf-16-{end}")).decode() for end in ("le", "be")]
                + [("0" * 20 + " isSuccess=false").encode().hex(), "\u901a\u8fc7:\u00d7", "passed \u25a1", "[ ] passed", "1,66660004.0,x"]
                + ["66660004.00", "6.6660004E7", "6.6660004e+07", "66 660 004", "66.660.004", "66_660_004", "66,660,004.0"]
            )
        ],
        *[
            (f"json_in_text_{number}", "JSON is found where a text has it", {"x": text})
            for number, text in enumerate(
                [before + json.dumps({"isSuccess": False}) + after for before, after in
                 [("cb(", ");"), ("\u200b", ""), ("\u00a0", ""), ("result: ", ""), ("{\"a\":1}\n", ""), (")]}',\n", ""), ("[1] [2] ", "")]]
                + [base64.b64encode(b'{"isSuccess":false}').decode(), "a." + base64.urlsafe_b64encode(b'{ "isSuccess": 0 }').decode().rstrip("=") + ".b"]
                + [b'{"isSuccess":false}'.hex(), "%7B%22isSuccess%22%3Afalse%7D", "x {&quot;isSuccess&quot;:false}", "x {\"isSuccess\":false"]
                + ["cb(" + json.dumps({"a": "cb(" + json.dumps({"a": "cb(" + json.dumps({"isSuccess": 0}) + ")"}) + ")"}) + ")", "x {'a':1}"]
                + ["[0] " * 64 + json.dumps({"isSuccess": False})]
            )
        ],
    ]:
        # The page decides which of the two it is, and nothing of it holds.
        is_undecided = statement.ambiguity(evidence_v1.read_document(write_result({**fields, **more})), ORDER) == verdicts.UNDECIDED
        case(f"pass_with_{name}", comment, undecided if is_undecided else contradiction, {**fields, **more})
    for number, (expect, name, value) in enumerate(
        [(undecided, name, False) for name in
         ["mobileVerifySuccess", "wechatAuthPassed", "notifyVerifySuccess", "mobileKycPassed", "noAttackDetected", "noSpoofFound", "sanctionsOk"]
         + ["sanctionsClear", "watchlistVerified", "\u653b\u51fb\u68c0\u6d4b\u6210\u529f", "spoofCheck", "loginSuccess", "ocrSuccess", "pepMatch", "showResult"]]
        + [(undecided, name, True) for name in
           ["fraudCheckOk", "sanctionsOk", "sanctionsClear", "\u7ffb\u62cd\u68c0\u6d4b\u5408\u683c", "blacklistCheck", "blacklistEnabled", "fraudCheckCompleted", "showFail"]]
        + [(undecided, "remark", text) for text in
           ["sanctions match", "spoof check passed", "spoofing not detected", "\u7ffb\u62cd\u68c0\u6d4b\u901a\u8fc7", "blacklist: no match"]]
        + [(undecided, "result", "\u4e3a\u6d3b\u4f53"), (undecided, "liveResult", "\u6d3b\u4eba"), (undecided, "passed", 3), (undecided, "passed", "x")]
        + [(undecided, "failStep", "live"), (undecided, "sanctionsResult", "match"), (undecided, "sanctions", {"matched": True}), (undecided, "status", 3)]
        + [(undecided, "fraud", {"confirmed": True}), (undecided, "sanctions", {"checked": True, "hits": 0}), (undecided, "cloudMatched", -1)]
        + [(undecided, "checks", [{"name": "sanctions", "result": "match"}]), (undecided, "errorMsg", "x"), (undecided, "fraud", "0.5")]
        + [(contradiction, "wechatAuthResult", "\u4eba\u8138\u8ba4\u8bc1\u5931\u8d25"), (contradiction, "pushMessage", "\u8ba4\u8bc1\u5931\u8d25")]
        + [(contradiction, "notifyCode", "66660004"), (contradiction, "\u6362\u8138\u68c0\u6d4b\u901a\u8fc7", False), (contradiction, "attackDetected", True)]
        + [(contradiction, "blacklistHit", True), (contradiction, "checks", [{"name": "spoofCheck", "passed": False}]), (contradiction, "passed", -1)]
        + [(contradiction, "loginSuccess", {"isSuccess": False}), (contradiction, "remark", "attack detected"), (contradiction, "isSpoof", 1)]
        + [(expectation(), "checks", [{"name": "spoofCheck", "passed": True}, {"name": "\u7ffb\u62cd\u68c0\u6d4b", "passed": 1}])]
        + [(expectation(), "\u6362\u8138\u68c0\u6d4b\u901a\u8fc7", True), (expectation(), "errorMsg", "\u2014"), (expectation(), "errorMsg", "\u6682\u65e0")]
        + [(expectation(), "attackDetected", False), (expectation(), "blacklistHits", 0), (expectation(), "noAttackDetected", True)]
        + [(contradiction, 'env', 'FACE_RESULT=FAIL\nFACE_PASSED=false\nFACE_STATUS=REJECTED\nFACE_REASON=SPOOF\n')]
        + [(undecided, 'remark', 'FACE_VERIFICATION_FAILED_LIVENESS_CHECK_NOT_PASSED_SPOOF_ATTACK_DETECTED')]
        + [(undecided, 'rules', [{'name': 'fraud', 'matched': True}])]
        + [(undecided, 'rules', [{'name': 'blacklist', 'match': True}])]
        + [(undecided, 'x', [{'type': 'sanctions', 'status': 'match'}]), (contradiction, 'attack_result', {'result': True})]
        + [(contradiction, 'attack', {'result': 1}), (contradiction, 'attackResult', {'flag': True})]
        + [(contradiction, 'label', 'spoof'), (contradiction, 'title', 'spoof detected')]
        + [(contradiction, 'statusName', '\u5f02\u5e38'), (undecided, 'liveness', {'label': 'spoof', 'passed': True})]
        + [(undecided, 'resultCode', 'LOW_SIMILARITY'), (undecided, 'verifyState', 'BLACKLIST')]
        + [(undecided, 'verifyState', '\u5f85\u590d\u6838'), (undecided, 'spoofResult', 'not live')]
        + [(undecided, '\u7ffb\u62cd\u68c0\u6d4b', '\u975e\u771f\u4eba'), (undecided, 'fraudCheck', 'not clear')]
        + [(contradiction, 'remark', 'blacklist hit'), (contradiction, 'remark', 'user blacklisted')]
        + [(contradiction, '\u547d\u4e2d\u9ed1\u540d\u5355', '\u662f'), (contradiction, 'blacklist', {'hit': 1})]
        + [(undecided, 'blacklistHits', [{'id': 3}]), (undecided, 'failedChecks', [{'name': 'liveness'}])]
        + [(contradiction, 'spoof', {'found': 'yes'}), (contradiction, 'data.isLive', 'no')]
        + [(contradiction, 'data.resultFlag', 'N'), (contradiction, 'tip', '\u672a\u68c0\u6d4b\u5230\u4eba\u8138')]
        + [(contradiction, 'tip', 'no face detected'), (contradiction, 'isGenuine', False)]
        + [(contradiction, 'remark', '\u5df2\u62e6\u622a'), (undecided, 'rules', [{'ruleName': '\u7ffb\u62cd', 'matched': True}])]
        + [(contradiction, 'rules', [{'ruleName': 'spoof', 'hit': 1}])]
        + [(contradiction, 'rules', [{'label': 'blacklist', 'hit': 1}]), (contradiction, 'blackList', True)]
        + [(contradiction, 'isBlackList', True), (undecided, 'inBlackList', 'Y'), (undecided, 'watch_list', 'hit')]
        + [(contradiction, 'hitBlackList', True)]
        + [(contradiction, 'log', 'Step1Ok\nStep2Ok\nStep3Failed\nReject\nSpoofDetected\nFraudConfirmed\nError12')]
        + [(contradiction, 'log', 'verify/v2/Failed/Rejected/SpoofDetected/LivenessFailed/Fraud/Blacklisted')]
        + [(contradiction, 'remark', 'face not found'), (contradiction, 'remark', 'Face was not detected')]
        + [(contradiction, 'remark', '\u4eba\u8138\u672a\u68c0\u6d4b\u5230'), (contradiction, 'remark', 'liveness not detected')]
        + [(undecided, 'spoofResult', 'cannot confirm'), (undecided, 'spoofResult', 'not sure')]
        + [(undecided, '\u7ffb\u62cd\u68c0\u6d4b', '\u65e0\u6cd5\u786e\u8ba4'), (contradiction, 'raw', 'FAILED:""')]
        + [(contradiction, 'raw', 'Face verification failed: ""'), (contradiction, 'raw', '\u8ba4\u8bc1\u5931\u8d25\uff1a""')]
        + [(contradiction, 'raw', 'not passed: ""'), (contradiction, 'face', {'success': 0})]
        + [(contradiction, 'data', {'success': 0}), (contradiction, 'notify', {'faceVerified': False})]
        + [(contradiction, 'sms', {'message': '\u4eba\u8138\u8ba4\u8bc1\u5931\u8d25'})]
        + [(contradiction, 'upload', {'msg': 'face verification failed'})]
        + [(undecided, 'checks', [{'name': 'spoof', 'status': 'NG'}])]
        + [(contradiction, 'checks', [{'name': '\u7ffb\u62cd', '\u662f\u5426\u547d\u4e2d': '\u662f'}])]
        + [(contradiction, '\u9ed1\u540d\u5355', {'\u662f\u5426\u547d\u4e2d': True})]
        + [(contradiction, 'spoof', {'\u662f\u5426\u547d\u4e2d': '\u662f'})]
        + [(contradiction, '\u9ed1\u540d\u5355', {'\u547d\u4e2d': True}), (contradiction, 'x', 'spoof: yes')]
        + [(contradiction, 'x', 'rejected=Y'), (contradiction, 'x', '\u7ffb\u62cd\uff1a\u662f')]
        + [(undecided, 'x', 'attack: confirmed'), (contradiction, 'x', 'verify failed: yes')]
        + [(contradiction, 'x', 'GET /cb?code=66660004 HTTP/1.1'), (contradiction, 'msg', 'Face comparison failed: 0.35')]
        + [(contradiction, 'msg', '\u4eba\u8138\u6bd4\u5bf9\u5931\u8d25: 45.2')]
        + [(contradiction, 'msg', '\u4eba\u8138\u6838\u8eab\u5931\u8d25: null'), (contradiction, 'msg', 'verify failed: None')]
        + [(contradiction, 'raw', 'not passed: yes'), (undecided, 'raw', 'spoof=hit')]
        + [(contradiction, 'raw', 'order=ord1\nFAILED=\n'), (contradiction, 'notify', {'raw': 'isSuccess=false'})]
        + [(contradiction, 'notify', 'code=66660004'), (undecided, 'printAttack', 'detected')]
        + [(undecided, 'deviceBlacklist', 'hit'), (undecided, '\u5c4f\u5e55\u7ffb\u62cd', '\u547d\u4e2d')]
        + [(undecided, 'remark', 'user is on the blacklist'), (undecided, 'risk', {'\u662f\u5426\u547d\u4e2d': True})]
        + [(undecided, 'city', {'name': '\u6df1\u5733', 'code': '440300'}), (undecided, 'country', {'code': 'CN'})]
        + [(expectation(), 'data', {'code': 200}), (undecided, 'count', {'success': 3})]
        + [(expectation(), 'remark', 'FaceResult(isSuccess=true, errorCode=0, errorMsg=)')]
        + [(expectation(), 'q', 'isSuccess=true&errorMsg=&orderNo=order20260001'), (contradiction, 'x', 'errorMsg: ""')]
        + [(expectation(), 'q', '%7B%22isSuccess%22%3Atrue%2C%22orderNo%22%3A%22order20260001%22%7D')]
        + [(expectation(), 'checks', [{'name': 'spoof', 'status': 'PASS'}])]
        + [(expectation(), 'checks', [{'name': 'spoof', 'detected': False}])]
        + [(undecided, 'checks', [{'name': 'spoofCheck', 'status': 'success'}])]
        + [(expectation(), 'checks', [{'name': '\u653b\u51fb\u68c0\u6d4b', '\u72b6\u6001': '\u6b63\u5e38'}])]
        + [(expectation(), 'checks', [{'name': 'fraud', 'hit': 'N'}]), (expectation(), 'sms', {'success': False})]
        + [(expectation(), 'notify', {'status': 'FAILED'}), (expectation(), 'ret', 'SUCCESS::\u8c03\u7528\u6210\u529f')]
        + [(undecided, 'rules', [{'name': 'fraud', 'matched': False}]), (expectation(), 'attack', {'result': False})]
        + [(expectation(), 'attack', {'result': 0}), (expectation(), 'attackResult', {'flag': '0'})]
        + [(expectation(), 'resultCode', 'SUCCESS'), (expectation(), 'remark', '\u672a\u547d\u4e2d\u9ed1\u540d\u5355')]
        + [(expectation(), 'remark', '\u4e0d\u5728\u9ed1\u540d\u5355')]
        + [(undecided, 'checks', [{'name': 'liveness', 'success': True}, {'name': 'spoof', 'success': True}])]
        + [(undecided, 'checks', [{'label': 'spoof', 'detected': False}])]
        + [(expectation(), 'x', [{'type': 'spoof', 'result': 'PASS'}])]
        + [(expectation(), 'x', [{'check': 'spoof', 'result': 'PASS'}])]
        + [(expectation(), 'raw', 'isSuccess=true\nerrorCode=0\nerrorMsg=\n'), (undecided, 'x', {'success': 'ok'})]
        + [(undecided, 'redirect', {'success': 'https://a/ok'}), (expectation(), 'sms', {'success': False, 'error': 'timeout'})]
        + [(expectation(), 'upload', {'result': 'fail'}), (expectation(), 'raw', 'spoofScore=0.02')]
        + [(expectation(), 'raw', 'liveness=pass\nspoof=0.01'), (expectation(), 'raw', 'maxFail=3\nresult=pass')]
        + [(expectation(), 'spoofResult', 'no match'), (expectation(), 'spoofResult', 'none detected')]
        + [(expectation(), '\u7ffb\u62cd\u68c0\u6d4b', '\u672a\u547d\u4e2d')]
        + [(expectation(), 'checks', [{'name': '\u7ffb\u62cd', '\u662f\u5426\u547d\u4e2d': '\u5426'}])]
        + [(expectation(), 'blackList', False), (expectation(), 'x', 'error: none'), (expectation(), 'x', 'errors: 0')]
        + [(expectation(), 'x', 'GET /cb?page=1 HTTP/1.1'), (expectation(), 'x', 'errorMsg: ok')]
        + [(expectation(), 'x', {'result': 'success', 'description': 'success'})]
        + [(expectation(), 't', {'Result': 'Success', 'Description': 'Success'})]
        + [(expectation(), 'x', {'value': 'Success', 'name': 'Success'}), (expectation(), 'a', {'Code': '200'})]
        + [(undecided, 'spoof', {'status': 'completed', 'result': 'clear'})]
        + [(expectation(), 'raw', 'failReason: null\nerrorCode: 0'), (undecided, 'raw', 'failed: 0, passed: 3')]
        + [(expectation(), 'raw', 'errorMsg=null'), (expectation(), 'risk', {'\u662f\u5426\u547d\u4e2d': False})]
        + [(expectation(), 'risk', {'\u547d\u4e2d\u7ed3\u679c': '\u5426'}), (expectation(), 'remark', 'blacklist: none')]
        + [(expectation(), 'theUserOfOurSystemHitTheBlackList', False), (undecided, 'theUserOfOurSystemHitTheBigBlackList', False)]
        # Words that are written together, however many letters that makes.
        + [(contradiction, name, False) for name in ('faceverificationsuccessful', 'isfaceverificationsuccessful', 'FACEVERIFICATIONSUCCESSFUL')]
        + [(contradiction, 'identityverificationfailed', True), (contradiction, 'x', 'livenessverificationfailed')]
        # Short words in columns of a fixed width.
        + [(contradiction, 'state', 'F' + ' ' * 40), (contradiction, 'passed', 'no' + ' ' * 40), (undecided, 'stepPassed', 'false' + ' ' * 40)]
        + [(undecided, 'liveness', '\u5426' + '\u3002' * 12), (expectation(), 'passed', 'yes' + '.' * 40)]
        # What is written in digits alone, in few bytes, or joined to something else.
        + [(contradiction, 'x', b'isSuccess 0 isSuccess 0'.hex()), (contradiction, 'x', b'face verify refused'.hex())]
        + [(contradiction, 'x', b'66660004'.hex()), (contradiction, 'x', b'fail'.hex()), (contradiction, 'x', 'RkFJTA==')]
        + [(contradiction, 'x', text + 'eyJpc1N1Y2Nlc3MiOmZhbHNlfQ') for text in ('https://h/', 'cb_', 'v1-')]
        + [(expectation(), 'x', '2026113002334601182635'), (expectation(), 'x', '4142434445464748')]
        + [(expectation(), 'x', '007b0d57-a7af-2a92-3f11-0f411be35ac3'), (expectation(), 'x', 'v_5b5b4845')]
        # Only what is written as a signature is none of the texts that are looked through.
        + [(contradiction, 'data', {'deviceSignature': text}) for text in ('eyJpc1N1Y2Nlc3MiOmZhbHNlfQ', 'a.eyJpc1N1Y2Nlc3MiOmZhbHNlfQ')]
        + [(expectation(), 'data', {'riskInfo': '{}'}), (expectation(), 'data', {'willModeResult': '{"a":1}'}), (contradiction, 'data', {'riskInfo': 'x'})]
        # A text affirms only in words that are known.
        + [(undecided, 'message', text) for text in ('matched a stranger', '比对完成，相似度低', '1 of 3 passed', 'passed?', 'same (not)', '需通过', 'passed, 2 of 3')]
        + [(undecided, name, text) for name, text in
           (('status', 'PARTIAL_MATCH'), ('verdict', '部分通过'), ('result', 'passed by another person'), ('error', '本人照片'))]
        + [(expectation(), 'message', text) for text in
           ('Face verification passed', '请求成功', '您的人脸核身已通过', '活体检测通过，比对成功', 'success (200)', 'ok, all passed', '认证成功, traceId=a1b2c3')]
        # A message of a short no; a fault that is said to be bad.
        + [(undecided, name, text) for name, text in (('msg', 'KO'), ('message', '否'), ('error', 'NG'), ('error', '假'), ('desc', 'F'))]
        # What of 0 and 1 says yes under a noun.
        + [(undecided, name, value) for name, value in
           (('resultCode', 1), ('retCode', '1'), ('SubCode', '205'), ('verify_status', 1), ('faceStatus', '0'), ('compareResult', 0), ('liveResult', '0'))]
        + [(expectation(), name, value) for name, value in
           (('resultCode', 0), ('retCode', '00'), ('SubCode', '200'), ('compareResult', 1), ('status', 1), ('status', 0), ('respStatus', 0))]
        # A word for yes before others.
        + [(undecided, name, False) for name in ('sameAsIdPhoto', 'passedAllChecks', 'isVerifiedUser', 'photoConfirmed', 'policePhotoConsistent')]
        + [(contradiction, '信息一致', False), (expectation(), 'retryAllowed', False), (expectation(), 'sameAsIdPhoto', True)]
        # A small object that asks, under names that say nothing.
        + [(undecided, 'x', value) for value in ([{'caption': '是否通过', 'val': '否'}], {'text': 'pass', 'r': False}, {'a': 'match', 'b': 'N', 'c': 3})]
        # Of a face, where something else was spoken of; what is set aside, but for the vendor's own names.
        + [(contradiction, 'notify', {'pass': False}), (contradiction, 'notify', {'spoof': True}), (contradiction, 'uploadResult', 'deepfake')]
        + [(contradiction, 'statistics', 'isSuccess=false'), (contradiction, 'stats', 'code: 66660004')]
        # What the verification is for; numbers of eight digits that are no code, and codes with letters around them.
        + [(undecided, 'scene', '取消订单'), (undecided, 'bizType', 'cancel_account'), (contradiction, 'scene', 'isSuccess=false')]
        + [(undecided, 'uid', 66661234), (undecided, 'tel', '66668888'), (undecided, 'x', '66660004'), (expectation(), 'uid', 66671234)]
        + [(expectation(), name, text) for name, text in (('lat', '39.66660012'), ('tradeNo', 'T66661234'), ('contact', '0755-66661234'))]
        + [(undecided, 'result', {'isSuccess': True, 'num': 66661234}), (undecided, 'message', '成功了吗？没有'), (undecided, 'x', '是本人吗？不是')]
        + [(expectation(), 'respMsg', text) for text in ('成功[0000000]', '交易成功(00)', '認證通過', '系统判断为同一人', 'Request processed successfully')]
        + [(expectation(), 'x', {'title': '成功', 'showCancel': False}), (undecided, 'action', 'cancelAccount')]
        # As escapes, and in another encoding than it is read.
        + [(undecided, 'x', text) for text in ('%u5931%u8D25', '%CA%A7%B0%DC', '失败'.encode().decode('latin-1'), '未通过'.encode().decode('cp1252', 'replace'))]
        + [(expectation(), 'x', text) for text in ('café’s', 'naïve', '100% sure', 'https://a.cn/%E5%A4%B1')]
        + [(expectation(), 'message', '0个错误')]
        # Lists that may be columns and rows.
        + [(undecided, 'data', table) for table in
           ({'columns': ['isSuccess', 'b'], 'rows': [['x', False]]}, {'columns': ['passed'], 'rows': [['N']]},
            {'names': ['passed', 'x'], 'values': [0, 1]}, {'h': [{'title': '通过'}], 'r': [['否']]})]
        + [(expectation(), 'data', {'columns': ['name', 'number'], 'rows': [['a', False], ['b', 0]]})]
        # As deep as is decoded, and deeper.
        + [(expect, 'x', in_base64('{"isSuccess":false}', times)) for expect, times in ((contradiction, 4), (undecided, 5))]
        # A name with a letter of another alphabet.
        + [(undecided, 'p\u0430ssed', value) for value in (True, False)] + [(expectation(), 'p\u00e4ssed', True)]
        # Names are heard whatever their value is, unless that is nothing.
        + [(contradiction, 'msg', text) for text in
           ('人脸比对不通过：相似度低', '未通过原因：光线暗', '失败原因：照片模糊', 'ERROR: liveness score 0.12', 'step=1, failReason=low light')]
        + [(contradiction, 'x', text) for text in ('不通过：光线暗', 'error: blurred', 'a=1\nrejectReason=mask')]
        + [(expectation(), 'log', text) for text in ('step=1 error=(null)', 'err=(nil)', 'a=1, errorMsg=', 'error=(none), a=1')]
        # What a value goes on with; a yes to a fault; names in several words, and such as say no and are answered so.
        + [(undecided, name, text) for name, text in
           (('log', 'ERROR: match score 0.12'), ('msg', '失败原因：成功率低'), ('log', 'failReason=ok button pressed'), ('x', 'error: null pointer'),
            ('x', '用户取消：是'), ('msg', '失败环节：活体'), ('x', 'failed: live'), ('x', 'step=2, userCancelled=true'))]
        + [(contradiction, 'msg', text) for text in ('返回错误码：3001', 'wbErrorCode: 41002', '人脸比对不通过：无', '未通过：无', 'verify failed: null', 'user cancelled: no')]
        + [(expectation(), 'log', text) for text in
           ('error code: 0', 'fail reason: none', 'error message: success', 'verify ok err=0', 'match ok code=0', 'isFail=false', '用户取消：否',
            '未通过原因：无', 'error: none found', 'errMsg=null isSuccess=true', 'errMsg=success cost=12ms', 'compare ok, timeout=3000ms', 'errMsg=startFacialRecognitionVerify:ok, errCode=0', 'error: normal')]
        + [(undecided, 'x', 'retCode=5'), (contradiction, 'x', 'passed=(no)')]
    ):
        case(f"pass_beside_{number}", f"{name!a}: what nobody can tell accuses nobody, and is no pass", expect, {**fields, name: value})
    listed = json.dumps({**fields, "error": []}).encode()
    make.case("pass_with_error_list", "a list of no errors", listed, expectation())
    for name, more in [
        ("empty_error", {"error": {}}),
        ("null_error", {"error": None, "WbFaceError": None}),
        ("error_of_nothing", {"error": {"domain": "", "code": None, "desc": ""}, "errorCode": ""}),
        ("error_of_zero", {"error": {"domain": None, "code": 0, "desc": "", "reason": ""}, "errorCode": "0"}),
        ("same_scores_twice", {"data": {**SCORES, "isSuccess": "true"}}),
        ("willingness", {"willModeResult": {"faceCode": "0", "willCode": "0", "willMsg": "ok"}}),
        ("willingness_of_nothing", {"willModeResult": {"faceCode": None, "willCode": ""}}),
        ("agreeing_codes", {"code": "0", "willCode": 0, "willModeResult": {"isSuccess": True, "code": "0"}}),
        ("wrappers_of_nothing", {"res": None, "verifyResult": {}, "result": {"isSuccess": True}}),
        ("unknown_names", {"isSuccesses": False, "signature": "x", "oriCode": "1", "msg": "x"}),
        ("unknown_members", {"data": [{"x": {"code": 0, "orderNo": ORDER}}, False, "1"], "otherInfo": {}, "\u59d3": {}}),
        ("agreeing_text", {"data": json.dumps({"isSuccess": True, "orderNo": ORDER, "code": 0, "note": "no failure"})}),
        ("text_with_trailing_commas", {"data": '{"isSuccess":true,"a":[1,],}'}),
        ("text_that_is_unlike_json", {"data": ["[1002] no", '"{}"', "[]", "", "a {b}", "[\"x\"", "\ufeff"]}),
        ("no_failure", {"status": "SUCCESS", "state": 0, "ret": "00", "retCode": "OK", "verified": True, "passed": "1", "isPass": "YES"}),
        ("status_of_http", {"status": 200, "resultCode": "200", "errCode": 0, "errNo": "0", "verdict": None}),
        *[
            (f"agreeing_words_{number}", {name: value})
            for number, (name, value) in enumerate(
                [("passFlag", True), ("verifyStatus", "FACE_VERIFY_SUCCESS"), ("respCode", "0000"), ("statusCode", 200), ("errors", []), ("failed", False)]
                + [("errMsg", "ok"), ("errMsg", "no error"), ("hasError", 0), ("failReason", "none"), ("passport", "E1"), ("passType", 2)]
                + [("failCount", 2), ("verifyTime", 1), ("\u662f\u5426\u901a\u8fc7", "\u662f"), ("passed", {"value": 1}), ("isTest", False), ("message", "\u67e5\u8be2\u5b8c\u6210")]
                + [("x", [{"name": "isSuccess", "value": True}]), ("x", ["isSuccess", True]), ("x", [["orderNo", ORDER]]), ("x", {"key": "retry", "value": False})]
                + [("x", "isSuccess=true, errors: 0, ok"), ("x", 'cb({"isSuccess":true});'), ("x", base64.b64encode(b'{"isSuccess":true}').decode())]
                + [("error", False), ("error", 0), ("errorCode", "00000"), ("code", "SUCCESS"), ("result", "SUCCESS"), ("desc", "\u6210\u529f"), ("verifyCode", "a1b2")]
                + [("x", [{"name": "errorCode", "value": 0}]), ("x", "3 passed, 0 failed"), ("x", "\u65e0\u611f\u8ba4\u8bc1\u901a\u8fc7"), ("timeout", 30)]
                + [("ua", "Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36"), ("x", "data:image/png;base64," + base64.b64encode(bytes(range(200, 256)) * 9).decode())]
                + [("x", "live person, verified"), ("notLive", False), ("isFirst", False), ("replay", 0), ("x", "not fake"), ("allowed", "yes")]
                + [("userId", 66660010), ("wbCode", "10010"), ("data", 66670000), ("verifyCode", "666600")]
                + [("failUrl", "https://x/fail?a=1"), ("x", "[FBAN/FBIOS;FBAV/1.0] {a}"), ("x", "\u672a\u53d1\u73b0\u5f02\u5e38"), ("videoURL", "fail"), ("x", "Ab1" * 20 + "/fail/fail")]
                + [("timezone", "fail"), ("timeZone", "fail"), ("deviceModel", "failsafe"), ("address2", "fail"), ("\u7528\u6237\u59d3\u540d", "\u5931\u8d25")]
                + [("failed", {"liveness": False}), ("failed", {"device": "a"}), ("passed", {"x": {"y": False}}), ("result", {"x": [False, "no"]})]
                + [("x", base64.b64encode(b"hello, world\0").decode()), ("x", "1080\u00d71920"), ("ip", "66.66.0.123"), ("x", "66,660,0041")]
                + [("x", {"type": "step", "value": False}), ("x", {"check": "passed", "retry": False}), ("x", "00000018" + b"ftypmp42\0\0\0\0isomavc1\0\0\0\1\0\0\0\2".hex())]
                + [("email_verified", False), ("antiSpoofPassed", True), ("retryAllowed", False), ("x", "\u9632\u653b\u51fb\u901a\u8fc7"), ("x", "anti-spoofing passed")]
                + [("photoUrl", "https://a.cn/p.jpg?sign=x&status=ok"), ("email", "fail@a.cn"), ("error", {"url": "https://a.cn"})]
                + [("x", "未检测到攻击，真人，通过"), ("身份核验", "已完成"), ("searchResult", "12"), ("核验状态", "已核验"), ("countryCode", "NG"), ("name", "Ng Kok Wai"), ("lang", "ko"), ("languages", ["ko-KR", "ko"]), ("实名认证", "已认证"), ("cacheFlag", False)]
                + [("pageUrl", "https://a.cn/f?code=081Kq4&state=STATE"), ("x", "https://a.cn/f?orgCode=330106"), ("failUrl", "https://a.cn/r?result=fail")]
                + [("活体检测结果", "真人"), ("scene", "未成年人实名认证"), ("业务名称", "不动产登记实名认证"), ("spoofCheckPassed", True)]
                + [("expiredAt", "2026-12-01 00:00:00"), ("rejectedAt", "0000-00-00 00:00:00"), ("failedItems", []), ("errorCodes", ["0"]), ("fraudChecks", ["ip"])]
                + [("passYn", "Y"), ("matchInd", 1), ("失败码", None), ("addressVerified", False), ("wechatVerified", 0), ("uploadSuccess", False)]
                + [("blacklistMatched", False), ("verifyResult", "SUCCESS"), ("verifyResult", True), ("res", 0), ("ocrResult", 0)]
                + [("permissions", {"camera": "granted", "location": "denied"}), ("agreements", [{"name": "marketing", "accepted": False}])]
                + [("用户协议", {"授权": "拒绝"}), ("consent", False)]
                + [("翻拍检测通过", True), ("fraudCheckPassed", "Y"), ("smsStatus", "failed"), ("emailStatus", "unverified"), ("ctsProfileMatch", False)]
                + [("errorMsg", "N/A"), ("failReason", "-"), ("spoofResult", "real"), ("threshold", {"pass": 80}), ("statistics", {"success": 9, "fail": 1})]
                + [("urls", {"success": "https://a.cn/ok", "fail": "https://a.cn/fail"}), ("countries", ["NO", "NG"]), ("livenessDecision", "realface")]
                + [("x", {"name": "失败", "data": [0, 0]}), ("x", {"title": "认证失败", "data": {}}), ("blacklistStatus", "clear"), ("respCode", "00")]
                + [("url", "https://a.cn/r?from=fail_page"), ("watchlistCheck", "no match"), ("fraud", "not found"), ("spoofCheck", "passed")]
            )
        ],
        ("empty_results", {"result": [], "data": {"willResult": [{}, [None]], "simpleModeResult": {}}}),
        # A bridge may write all of its names.
        *((f"wrapper_of_nothing_{number}", {"faceVerifyResult": value}) for number, value in enumerate((None, "", {}, [], True))),
        ("wrapper_of_nothing_with_a_scene", {"res": None, "scene": None}),
        ("wrapper_of_nothing_with_a_code", {"verifyResult": {}, "code": "0", "description": ""}),
    ]:
        case(f"pass_with_{name}", "nothing in it speaks against the pass", expectation(), {**fields, **more})
    # Numbers beside an order and a score of digits alone: what floating point makes of them is another text.
    for name, order, score, ext, expect in [
        ("order_of_20_digits_as_number", "12345678901234567890", "99", '{"orderNo":12345678901234567890}', contradiction),
        ("order_of_16_digits_as_number", "9007199254740993", "99", '{"orderNo":9007199254740993}', contradiction),
        ("order_of_15_digits_as_number", "900719925474099", "99", '{"orderNo":900719925474099}', expectation()),
        ("order_as_exponent", "1e5", "99", '{"orderNo":1e5}', contradiction),
        ("score_of_16_digits_as_number", ORDER, "99.00000000000001", '{"liveRate":99.00000000000001}', contradiction),
        ("score_as_number", ORDER, "99.10", '{"liveRate":99.10}', expectation()),
        ("score_as_another_number", ORDER, "99", '{"liveRate":99.0}', expectation()),
        ("score_of_another_number", ORDER, "99", '{"liveRate":99.01}', contradiction),
        ("code_as_another_number", ORDER, "99", '{"code":0.0}', expectation()),
        # As those write them that compute in floating point, and what is no whole number.
        *((f"{label}_number_{place}", ORDER, "99", ext, expect)
          for label, expect, all_ in [
              ("doubtful", undecided, ['"stepPassed":0.0', '"stepPassed":0.5', '"stepPassed":-1.5', '"stepPassed":-99999999999999999999', '"cardVerified":0e0', '"cameraError":1.0', '"passed":0.93']),
              ("denying", contradiction, ['"passed":0.0', '"failed":2.0', '"passed":"0.00"', '"passed":-0.5', '"failed":99999999999999999999', '"status":"passed: 0.0"']),
              ("fitting", expectation(), ['"passed":1.0', '"failed":0.0', '"stepPassed":1e300', '"resultCode":2e2', '"errors":"0.0"']),
          ] for place, ext in enumerate(f"{{{text}}}" for text in all_)),
        ("refusal_with_a_point", ORDER, "99", '{"x":66660004.0}', undecided),
        ("refusal_code_with_a_point", ORDER, "99", '{"bizCode":66660004.0}', contradiction),
        ("refusal_with_an_exponent", ORDER, "99", '{"x":[6.6660004E+7]}', contradiction),
    ]:
        whole = Parts(f"numbers {name}", order=order, scores={"liveRate": score}).fields()
        data = json.dumps({**whole, "ext": 0}).replace('"ext": 0', f'"ext":{ext}').encode()
        make.case(f"pass_with_{name}", "numbers as JavaScript and PHP read them", data, expect, orderNo=order)
    unreadable = expectation(
        result="fails", order_no="unchecked", sign="unchecked", photo="unchecked", video="unchecked", identify="unchecked"
    )
    for name, outer, inside_more in [
        ("order_in_other_case", {"OrderNo": OTHER_ORDER}, {}),
        ("photo_with_underscores", {"user_image_string": "AAAA"}, {}),
        ("payload_object_in_other_case", {"SimpleModeResult": {}}, {}),
        ("video_with_underscores", {}, {"user_video_string": "AAAA"}),
        ("order_inside_with_zero_character", {}, {"orderNo\0x": OTHER_ORDER}),
        ("order_with_variation_selector", {"orderNo\ufe0f": OTHER_ORDER}, {}),
        ("order_with_ordinal_indicator", {"orderN\u00ba": OTHER_ORDER}, {}),
        ("order_in_constructor", {"constructor": {"orderNo": ORDER}}, {}),
        ("video_in_proto", {}, {"__proto__": {"userVideoString": "AAAA"}}),
        ("order_with_joiner", {"order\u034fNo": OTHER_ORDER}, {}),
        ("video_with_filler", {}, {"userVideo\u3164String": "AAAA"}),
        ("video_with_jamo_filler", {}, {"\u115fuserVideoString": "AAAA"}),
        ("video_with_braille_blank", {}, {"userVideoString\u2800": "AAAA"}),
        ("two_wrapped_keys", {}, {"userEncryptKey": "AAAA"}),
        ("android_key_outside", {"userEncryptKey": "QUFB"}, {}),
        ("wrapped_key_outside_under_androids_name", {"userEncryptKey": inner["videoEncryptAESKey"]}, {}),
    ]:
        value = {**fields, **outer, "simpleModeResult": {**inner, **inside_more}}
        case(f"almost_known_{name}", "two readers see two payloads", unreadable, value)
    flat = {**without(fields, "simpleModeResult"), **without(fields["simpleModeResult"], "orderNo")}
    case("fields_beside_success", "the sealed fields are not inside simpleModeResult", expectation(result="fails"), flat)

    # A result that says it failed.
    error = {"domain": "WBFaceErrorDomainCompareServer", "code": "66660004", "desc": "", "reason": ""}
    failed = {"isSuccess": False, **without(fields, "isSuccess", "sign"), "error": error}
    case("failed", "isSuccess is false: no sign, and all its parts in order", expectation(result="fails", sign="unchecked", scores="unchecked"), failed)
    case("failed_with_sign", "nor is one compared that is there", expectation(result="fails", sign="unchecked", scores="unchecked"),
         {**failed, "sign": fields["sign"]})
    bare_failed = {"isSuccess": False, "orderNo": ORDER, "error": error}
    case(
        "failed_with_nothing",
        "isSuccess is false, and there is nothing in it",
        expectation(result="fails", sign="unchecked", photo="unchecked", video="fails", identify="fails"),
        bare_failed,
    )


def exchanged(make: Results) -> None:
    """Every row of FORMATS.md §6 that is a whole result with exchanged parts."""
    ours = Parts("ours")
    theirs = Parts("theirs", order=OTHER_ORDER, video=OTHER_VIDEO, photo=OTHER_PNG, appId=APP)
    fields, inner = ours.fields(), ours.fields()["simpleModeResult"]
    their_inner = theirs.fields()["simpleModeResult"]

    def case(name: str, comment: str, expect: Test, value: Fields) -> None:
        make.case(name, comment, write_result(value), expect)

    def inside(**changes: str) -> Fields:
        return {**fields, "simpleModeResult": {**inner, **changes}}

    video_pair, statement_pair = ("videoEncryptAESKey", "userVideoString"), ("encryptAESKey", "identifyStr")
    case(
        "swap_photo",
        "the photo of another order",
        expectation("photo"),
        {**fields, "userImageString": theirs.fields()["userImageString"]},
    )
    case(
        "swap_video",
        "the video of another order, both its fields",
        expectation(video="fails"),
        inside(**{name: their_inner[name] for name in video_pair}),
    )
    case(
        "swap_both_pairs",
        "both sealed pairs of another order",
        expectation(video="fails", identify="fails"),
        inside(**{name: their_inner[name] for name in (*video_pair, *statement_pair)}),
    )
    both = {"video": "fails", "identify": "fails"}
    case(
        "swap_pairs_within",
        "the two pairs exchanged",
        expectation(**both),
        inside(
            videoEncryptAESKey=inner["encryptAESKey"],
            userVideoString=inner["identifyStr"],
            encryptAESKey=inner["videoEncryptAESKey"],
            identifyStr=inner["userVideoString"],
        ),
    )
    case(
        "swap_wrapped_keys",
        "the two wrapped keys exchanged",
        expectation(**both),
        inside(videoEncryptAESKey=inner["encryptAESKey"], encryptAESKey=inner["videoEncryptAESKey"]),
    )
    case(
        "swap_video_key_moved",
        "the video's wrapped key in the other field too",
        expectation(identify="fails"),
        inside(encryptAESKey=inner["videoEncryptAESKey"]),
    )
    case(
        "swap_identify_key_moved",
        "the statement's wrapped key in the other field too",
        expectation(video="fails"),
        inside(videoEncryptAESKey=inner["encryptAESKey"]),
    )
    case(
        "swap_identify_str",
        "identifyStr of another order, with its key",
        expectation(identify="fails"),
        inside(**{name: their_inner[name] for name in statement_pair}),
    )
    anew = Parts("stated for another order", orderNo=OTHER_ORDER)
    case(
        "swap_statement_sealed_anew",
        "a statement of another order, sealed anew for this one: nothing else in it differs",
        expectation("order"),
        anew.fields(),
    )
    said = statement_fields(OTHER_ORDER, APP, USER, MOMENT, theirs.nonce, OTHER_VIDEO, OTHER_PNG, SCORES)
    pair = sealed("their statement anew", "identifyStr", write_statement(said))
    case(
        "swap_statement_sealed_anew_whole",
        "a statement of another order, sealed anew for this one: of other things too",
        expectation("order", "photo", "video"),
        inside(encryptAESKey=base64.b64encode(pair[0]).decode(), identifyStr=base64.b64encode(pair[1]).decode()),
    )
    pair = sealed("another video", "userVideoString", OTHER_VIDEO)
    case(
        "swap_video_sealed_anew",
        "another video, sealed anew for the same order",
        expectation("video"),
        inside(
            videoEncryptAESKey=base64.b64encode(pair[0]).decode(),
            userVideoString=base64.b64encode(pair[1]).decode(),
        ),
    )

    # A field under the other's name, its key wrapped for the one who will open it: only the AAD is in the way.
    video_key, sealed_video = seal_v2("identify video moved", VIDEO, ORDER, "userVideoString")
    said_bytes = write_statement(statement_fields(ORDER, APP, USER, MOMENT, ours.nonce, VIDEO, PNG, SCORES))
    said_key, sealed_said = seal_v2("identify statement moved", said_bytes, ORDER, "identifyStr")
    case(
        "swap_statement_as_video",
        "the statement under the video's name, its key wrapped anew",
        expectation(video="fails"),
        inside(
            videoEncryptAESKey=base64.b64encode(wrap("identify statement moved", said_key, INTEGRATOR)).decode(),
            userVideoString=base64.b64encode(sealed_said).decode(),
        ),
    )
    moved_key, moved = seal_v2("identify statement sealed as video", said_bytes, ORDER, "userVideoString")
    case(
        "swap_video_as_statement",
        "the video under the statement's name, its key wrapped anew",
        expectation(identify="fails"),
        inside(
            encryptAESKey=base64.b64encode(wrap("identify video moved", video_key, COMPARING)).decode(),
            identifyStr=base64.b64encode(sealed_video).decode(),
        ),
    )
    case(
        "swap_statement_sealed_as_video",
        "a statement that was sealed under the video's name",
        expectation(identify="fails"),
        inside(
            encryptAESKey=base64.b64encode(wrap("identify statement as video", moved_key, COMPARING)).decode(),
            identifyStr=base64.b64encode(moved).decode(),
        ),
    )
    stranger = Parts("stranger", video=OTHER_VIDEO, photo=OTHER_PNG)
    stranger.sign = ours.sign
    case(
        "swap_all_made_anew",
        "photo, video and statement by a stranger, the sign that of the order: nothing shows it",
        expectation(),
        stranger.fields(),
    )


def vectors() -> tuple[dict[str, Any], dict[str, bytes]]:
    """The index, and the documents by the paths it has for them."""
    make = Results()
    for part in (good_results, keys_not_given, expected_otherwise, changed_results, exchanged):
        part(make)
    index = {
        "source": "our own, from docs/FORMATS.md §5, §6; the tickets are published examples, docs/SIGN-RECIPES.md",
        "note": "file: the result, verbatim; several tests may have the same one. orderNo, appId, userId, ticket, now, "
        "maximumAge (seconds): what is expected; null: not known, not asked for. videoKey, compareKey: private keys "
        "in ../keys; null: not given. seenNonces: the caller's store before the check; null: no store. expect: the "
        "verdict under the default requirements; each item's state; the strength of those that hold.",
        "tests": make.tests,
    }
    return index, make.files
