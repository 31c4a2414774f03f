#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the published examples and writes the vectors that are made from them.

    python3 make.py          # write mistakes.json, order.json and readings.json
    python3 make.py --check  # they come out again, byte for byte

Shares no line with the Swift code: the order is Python's, over UTF-16 code units; the other readings of a signed text
are found by trying every permutation and every cut. "Random" bytes come from SHA-256 over a label and a counter.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import string
import sys
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parent
LETTERS = string.digits + string.ascii_uppercase + string.ascii_lowercase

TICKET = "XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS"
LATE_TICKET = "zxc9Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS"
OTHER_TICKET = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe"
NONCE = "kHoSxvLZGxSoFsjxlbzEoUzh5PAnTU7T"


class Stream:
    """Numbers that are the same in every run."""

    def __init__(self, label: str) -> None:
        self.label, self.counter, self.rest = label.encode(), 0, b""

    def below(self, bound: int) -> int:
        if len(self.rest) < 8:
            self.rest += hashlib.sha256(self.label + self.counter.to_bytes(8, "big")).digest()
            self.counter += 1
        number, self.rest = int.from_bytes(self.rest[:8], "big"), self.rest[8:]
        return number % bound

    def pick(self, items):
        return items[self.below(len(items))]

    def text(self, count: int, alphabet: str = LETTERS) -> str:
        return "".join(self.pick(alphabet) for _ in range(count))


def code_units(text: str) -> bytes:
    """Big-endian UTF-16: its byte order is the order of code units."""
    return text.encode("utf-16-be")


def ordered(values: list[str]) -> list[str]:
    return sorted(values, key=code_units)


def sha1(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8")).hexdigest().upper()


def join(values: list[str]) -> str:
    return "".join(ordered(values))


# --- The published examples ---------------------------------------------------------------------------------------


def check_examples() -> None:
    tests = json.loads((HERE / "examples.json").read_text("utf-8"))["tests"]
    assert len(tests) == 17
    for test in tests:
        joined = join(list(test["values"].values()) + [test["ticket"]])
        assert (sha1(joined) == test["sign"]) == test["consistent"], test["id"]
        assert (joined == test["joined"]) == test["consistent"], test["id"]
        if not test["consistent"]:
            corrected = join(list(test["corrected"]["values"].values()) + [test["ticket"]])
            assert corrected == test["corrected"]["joined"] and sha1(corrected) == test["sign"], test["id"]


# --- Mistakes -----------------------------------------------------------------------------------------------------


def mistakes() -> dict:
    tests = []

    def case(ident, recipe, values, sign, expect, parameters=(), ticket=TICKET, comment="", **more):
        tests.append({
            "id": ident, "recipe": recipe, "values": values, "ticket": ticket, "sign": sign, "expect": expect,
            "parameters": list(parameters), "comment": comment, **more,
        })

    user = {"appId": "IDAXXXXX", "userId": "userID19959248596551", "version": "1.0.0", "nonce": NONCE}
    all5 = list(user.values()) + [TICKET]
    launch = lambda ident, text, expect, parameters=(), **more: case(
        ident, "sdk-launch", user, sha1(text), expect, parameters, **more)
    launch("case-insensitive-sort", "".join(sorted(all5, key=str.lower)), ["caseInsensitiveSort"],
           comment="starts with F598EF48")
    assert tests[-1]["sign"].startswith("F598EF48")
    launch("sorted-by-name", user["appId"] + NONCE + TICKET + user["userId"] + "1.0.0", ["sortedByName"])
    launch("sorted-by-vendor-names", NONCE + TICKET + user["userId"] + "1.0.0" + user["appId"], ["sortedByName"],
           comment="nonce, ticket, userId, version, wbappid")
    launch("not-sorted", user["appId"] + user["userId"] + "1.0.0" + TICKET + NONCE, ["notSorted"])
    launch("ticket-appended", join(list(user.values())) + TICKET, ["notSorted"])
    launch("descending", "".join(reversed(ordered(all5))), ["notSorted"])
    pairs = ordered([f"{k}={v}" for k, v in user.items()] + [f"ticket={TICKET}"])
    launch("names-with-ampersands", "&".join(pairs), ["namesIncluded"])
    launch("names-alone", "".join(ordered([k + v for k, v in user.items()] + ["ticket" + TICKET])), ["namesIncluded"])
    launch("names-ticket-bare", "&".join(ordered([f"{k}={v}" for k, v in user.items()]) + [TICKET]), ["namesIncluded"])
    launch("separator-ampersand", "&".join(ordered(all5)), ["separator"])
    launch("separator-comma", ",".join(ordered(all5)), ["separator"])
    launch("separator-blank", " ".join(ordered(all5)), ["separator"])
    launch("blank-after-ticket", join(list(user.values()) + [TICKET + " "]), ["blank"],
           comment="the blank several pages print; starts with 65172EF7")
    assert tests[-1]["sign"].startswith("65172EF7")
    launch("line-feed-after-ticket", join(list(user.values()) + [TICKET + "\n"]), ["blank"])
    launch("line-feed-after-nonce", join([user["appId"], user["userId"], "1.0.0", TICKET, NONCE + "\n"]), ["blank"],
           ["nonce"])
    launch("lower-case-text", join(all5).lower(), ["letterCase"])
    launch("upper-case-text", join(all5).upper(), ["letterCase"])
    launch("lower-case-values", join([v.lower() for v in all5]), ["letterCase"])
    launch("lower-case-nonce", join([NONCE.lower(), user["appId"], user["userId"], "1.0.0", TICKET]), ["letterCase"],
           ["nonce"])
    text = join(all5).encode()
    rest = join(list(user.values())).encode()
    algorithm = lambda ident, sign, **more: case(ident, "sdk-launch", user, sign.upper(), ["algorithm"], **more)
    algorithm("md5", hashlib.md5(text).hexdigest())
    algorithm("sha-256", hashlib.sha256(text).hexdigest())
    algorithm("sha-384", hashlib.sha384(text).hexdigest())
    algorithm("sha-512", hashlib.sha512(text).hexdigest())
    algorithm("hmac-sha-1", hmac.new(TICKET.encode(), rest, "sha1").hexdigest())
    algorithm("hmac-sha-1-with-ticket-in-text", hmac.new(TICKET.encode(), text, "sha1").hexdigest())
    algorithm("hmac-sha-256", hmac.new(TICKET.encode(), rest, "sha256").hexdigest())
    case("md5-sorted-by-name", "sdk-launch", user,
         hashlib.md5((user["appId"] + NONCE + TICKET + user["userId"] + "1.0.0").encode()).hexdigest(),
         ["sortedByName", "algorithm"], comment="two mistakes; digits in lower case")
    launch("ticket-left-out", join(list(user.values())), ["leftOut"])
    launch("version-left-out", join([user["appId"], user["userId"], NONCE, TICKET]), ["leftOut"], ["version"])
    launch("nonce-left-out", join([user["appId"], user["userId"], "1.0.0", TICKET]), ["leftOut"], ["nonce"])
    launch("two-out-of-order", "1.0.0" + user["appId"] + NONCE + TICKET + user["userId"], ["outOfOrder"], ["nonce"],
           comment="the ticket and the nonce")
    case("base64", "sdk-launch", user,
         base64.b64encode(hashlib.sha1(text).digest()).decode(), ["signText"])
    case("base64-of-hex", "sdk-launch", user, base64.b64encode(sha1(join(all5)).encode()).decode(), ["signText"])
    case("base64-of-lower-case-hex", "sdk-launch", user, base64.b64encode(sha1(join(all5)).lower().encode()).decode(),
         ["signText"])
    algorithm("sha-1-of-hex-sign", hashlib.sha1(hashlib.sha1(text).hexdigest().encode()).hexdigest())
    algorithm("sha-1-of-upper-case-hex-sign", sha1(sha1(join(all5))))
    algorithm("sha-1-of-hex-text", hashlib.sha1(text.hex().encode()).hexdigest())
    twice = hashlib.sha1(hashlib.sha1(text).digest()).hexdigest()
    algorithm("sha-1-twice", twice)
    for encoding in ("utf-16-le", "utf-16-be", "utf-16"):
        algorithm(f"text-in-{encoding}", hashlib.sha1(text.decode().encode(encoding)).hexdigest())
    case("ticket-in-utf-16", "sdk-launch", user, hashlib.sha1(b"".join(sorted(
        [v.encode() for v in user.values()] + [TICKET.encode("utf-16-le")]))).hexdigest(), ["leftOut"])
    for ident, around in {"quotes": '"%s"', "comma": "%s,", "name": "SIGN_TICKET=%s", "name-and-quotes": 'TICKET="%s"',
            "export": "export SIGN_TICKET='%s'", "name-and-line-break": "ticket=%s\n", "yaml": 'ticket: "%s"\r\n',
            "name-and-semicolon": "sign_ticket = '%s';", "comma-behind-quotes": '"%s",'}.items():
        launch(f"ticket-with-{ident}", join(list(user.values()) + [around % TICKET]), ["blank"])
    launch("printed-by-java", "[" + ", ".join(ordered(all5)) + "]", ["separator"])
    launch("printed-by-python", str(ordered(all5)), ["separator"])
    launch("printed-by-swift", json.dumps(ordered(all5)), ["separator"])
    launch("printed-as-json", json.dumps(ordered(all5), separators=(",", ":")), ["separator"])
    launch("printed-by-go", "[" + " ".join(ordered(all5)) + "]", ["separator"])
    written_signs(case, user)
    case("blanks-around-sign", "sdk-launch", user, " " + sha1(join(all5)) + "\n", ["signText"])
    case("wrong-kind-of-ticket", "sdk-launch", user, sha1(join(all5)), ["ticketKind"], givenKind="SIGN")
    case("old-ticket", "sdk-launch", user, sha1(join(all5)), ["oldTicket"], isOld=True)
    case("other-ticket", "sdk-launch", user, sha1(join(list(user.values()) + [OTHER_TICKET])), ["otherTicket"],
         otherTicket=OTHER_TICKET)
    case("nothing-fits", "sdk-launch", user, sha1("something else"), [])
    case("no-digest", "sdk-launch", user, "no digest at all", [])
    case("nothing-is-wrong", "sdk-launch", user, sha1(join(all5)), [])

    h5 = {"appId": "appId001", "orderNo": "19959248596551", "name": "testName", "idNo": "4300000000000",
          "userId": "19959248596551", "version": "1.0.0"}
    case("duplicate-dropped", "get-h5-face-id", h5, sha1(join(list(set(h5.values())) + [OTHER_TICKET])),
         ["duplicateDropped"], ["userId"], ticket=OTHER_TICKET, comment="starts with 48BCDCE7", alsoFits=["leftOut"])
    assert tests[-1]["sign"].startswith("48BCDCE7")
    named = dict(h5, name="张 三")
    encoded = [urllib.parse.quote(v, safe="-._~") for v in named.values()]
    case("percent-encoded", "get-h5-face-id", named, sha1(join(encoded + [OTHER_TICKET])), ["percentEncoding"],
         ticket=OTHER_TICKET)
    form = [urllib.parse.quote_plus(v, safe="-._~") for v in named.values()]
    case("form-encoded", "get-h5-face-id", named, sha1(join(form + [OTHER_TICKET])), ["percentEncoding"],
         ticket=OTHER_TICKET)
    case("percent-decoded", "get-h5-face-id", dict(h5, name=urllib.parse.quote("张三")),
         sha1(join(list(dict(h5, name="张三").values()) + [OTHER_TICKET])), ["percentEncoding"], ["name"],
         ticket=OTHER_TICKET)
    case("trimmed", "get-h5-face-id", dict(h5, name=" testName"), sha1(join(list(h5.values()) + [OTHER_TICKET])),
         ["blank"], ["name"], ticket=OTHER_TICKET)
    without = {k: v for k, v in h5.items() if k != "idNo"}
    case("null-as-text", "get-h5-face-id", without, sha1(join(list(without.values()) + ["null", OTHER_TICKET])),
         ["nullAsText"], ["idNo"], ticket=OTHER_TICKET)

    result = {"appId": "appId001", "orderNo": "test1480921551481", "code": "0"}
    swapped = {"appId": "appId001", "orderNo": "0", "code": "test1480921551481"}
    case("code-and-order-swapped", "front-end-result", swapped,
         sha1(join(list(result.values()) + [OTHER_TICKET])), ["swapped"], ["orderNo", "code"], ticket=OTHER_TICKET)
    case("version-added", "front-end-result", result, sha1(join(list(result.values()) + ["1.0.0", OTHER_TICKET])),
         ["added"], ["version"], ticket=OTHER_TICKET)
    for ident, given, signed in (("code-of-a-pass", "66660004", "0"), ("code-of-a-refusal", "0", "66660004")):
        case(ident, "front-end-result", dict(result, code=given),
             sha1(join([result["appId"], result["orderNo"], signed, OTHER_TICKET])), ["otherCode"], ["code"],
             ticket=OTHER_TICKET)
    return {
        "source": "made by make.py",
        "note": "A sign that was made with a mistake, and the mistakes an explanation must name (`alsoFits`: what comes to "
                "the same text). `expect` is empty where there is nothing to explain.",
        "tests": tests,
    }


def written_signs(case, user: dict) -> None:
    """The right sign, as programs print it that do not write two digits for each byte, and with what surrounds it."""
    def written(ident: str, fits, write) -> None:
        for number in itertools.count():
            values = dict(user, userId=f"u{number}")
            digest = hashlib.sha1(join(list(values.values()) + [TICKET]).encode()).digest()
            if fits(digest):
                case(ident, "sdk-launch", values, write(digest), ["signText"])
                return

    small = lambda d: 16 <= d[0] < 128 and sum(b < 16 for b in d) > 1
    large = lambda d: d[0] >= 128
    signed = lambda b: b - 256 if b > 127 else b
    number = lambda d: int.from_bytes(d, "big", signed=True)
    written("lost-a-zero", lambda d: 0 < d[0] < 16, lambda d: d.hex()[1:])
    written("lost-three-zeros", lambda d: d[0] == 0 < d[1] < 16, lambda d: d.hex()[3:])
    written("lost-zeros-inside", small, lambda d: "".join(f"{b:x}" for b in d))
    written("lost-zeros-inside-capitals", small, lambda d: "".join(f"{b:X}" for b in d))
    for ident, digits in (("widened", "02x"), ("widened-unpadded", "x")):
        written(ident, large, lambda d: "".join(("ffffff" if b > 127 else "") + format(b, digits) for b in d))
    written("negative", large, lambda d: f"{number(d):x}")
    written("decimal", small, lambda d: str(number(d)))
    written("decimal-negative", large, lambda d: str(number(d)))
    written("decimal-unsigned", large, lambda d: str(int.from_bytes(d, "big")))
    written("list", large, lambda d: str(list(d)))
    written("signed-list", large, lambda d: str([signed(b) for b in d]).replace(" ", ""))
    written("cut", small, lambda d: d.hex()[:32])
    written("cut-by-one", small, lambda d: d.hex().upper()[:39])
    written("doubled", small, lambda d: 2 * d.hex())
    written("hex-of-hex", small, lambda d: d.hex().encode().hex())
    written("base64-url", lambda d: b"-" in base64.urlsafe_b64encode(d), lambda d: base64.urlsafe_b64encode(d).decode())
    written("base64-unpadded", small, lambda d: base64.b64encode(d).decode().rstrip("="))
    for ident, text in {"name": "sign=%s", "capital-name": "SIGN: %s", "json": '{"sign": "%s"}', "member": '"sign":"%s",',
            "query": "sign=%s&orderNo=1", "ampersand": "%s&", "sha1sum": "%s  -", "sha1sum-file": "%s *text.txt",
            "dgst": "SHA1(stdin)= %s", "quotes": '"%s"', "comma": "%s,", "python": "b'%s'", "prefix": "sha1:%s"}.items():
        written(f"around-{ident}", small, lambda d: text % d.hex())
    for ident, mark in {"0x": "0x", "x": "\\x", "percent": "%"}.items():
        written(f"before-each-{ident}", small, lambda d: "".join(f"{mark}{b:02X}" for b in d))
    written("0x-and-commas", small, lambda d: ", ".join(f"0x{b:02x}" for b in d))
    written("two-lines", small, lambda d: d.hex()[:20] + "\n" + d.hex()[20:])
    written("full-width", small, lambda d: "".join(chr(ord(c) + 0xFEE0) for c in d.hex()))


# --- The order ----------------------------------------------------------------------------------------------------


def order() -> dict:
    cases = {
        "ASCII": ["a", "B", "0", "A", "b", "1.0.0", ""],
        "a prefix comes first": ["ab", "a", "abc", "a0", "aA"],
        "duplicates stay": ["x", "x", "X", "x"],
        "empty values stay": ["", "", "a"],
        "a full-width A and a supplementary character: UTF-16 puts U+20000 first, UTF-8 the other": ["\uff21", "\U00020000"],
        "the whole of the range after the surrogates": ["\ue000", "\uffff", "\ufffd", "\U00010000", "\U0010ffff", "\ud7ff"],
        "supplementary behind a common prefix": ["张\U0002a6d6", "张\uff08", "张三", "张"],
        "composed and decomposed are two values": ["\u00e9", "e\u0301", "f", "e"],
        "letters that are canonically the same": ["\u212b", "\u00c5", "A\u030a", "Z"],
        "Kelvin and K": ["\u212a", "K", "k"],
        "zero bytes and controls": ["\u0000", "\u0000a", "\t", " "],
        "Chinese names": ["张三", "李四", "王五", "欧阳锋", "𠮷野家"],
        "emoji with a joiner": ["👨‍👩‍👧", "👨", "👩", "\ufe0f"],
    }
    tests = []
    for comment, values in cases.items():
        joined = join(values + [TICKET])
        tests.append({"comment": comment, "values": values, "ticket": TICKET, "joined": joined, "sign": sha1(joined)})
    return {"source": "made by make.py", "note": "Values beyond what any recipe signs.", "tests": tests}


# --- Other readings -----------------------------------------------------------------------------------------------


def is_word(text: str, least: int, most: int, extra: str = "") -> bool:
    return least <= len(text) <= most and all(c in LETTERS + extra for c in text)


def is_code(text: str) -> bool:
    digits = text[1:] if text.startswith("-") else text
    if not (1 <= len(digits) <= 10 and all(c in string.digits for c in digits)):
        return False
    return text == "0" or not digits.startswith("0")


FORMS = {
    "orderNo": lambda t: is_word(t, 1, 32),
    "userId": lambda t: is_word(t, 1, 32, "-_"),
    "nonce": lambda t: is_word(t, 32, 32),
    "code": is_code,
}


def other_readings(values: dict[str, str], ticket: str) -> list[dict[str, str]]:
    """Every other assignment of well-formed values to the open fields with the same joined text, by brute force."""
    fixed = {k: v for k, v in values.items() if k in ("appId", "version")}
    fixed["ticket"] = ticket
    open_fields = [k for k in values if k not in fixed]
    text = join(list(values.values()) + [ticket])
    total = len(text) - sum(len(v) for v in fixed.values())
    found = []
    for lengths in itertools.product(range(1, 33), repeat=len(open_fields)):
        if sum(lengths) != total:
            continue
        size = dict(zip(open_fields, lengths)) | {k: len(v) for k, v in fixed.items()}
        for permutation in itertools.permutations(size):
            pieces, at = {}, 0
            for name in permutation:
                pieces[name] = text[at:at + size[name]]
                at += size[name]
            if any(pieces[k] != v for k, v in fixed.items()) or not all(FORMS[k](pieces[k]) for k in open_fields):
                continue
            if [pieces[n] for n in permutation] != ordered([pieces[n] for n in permutation]):
                continue
            reading = {k: pieces[k] for k in open_fields}
            if any(reading[k] != values[k] for k in open_fields) and reading not in found:
                found.append(reading)
    return found


def readings() -> dict:
    stream = Stream("readings")
    tests = []

    def add(recipe: str, values: dict[str, str], ticket: str, comment: str = "") -> None:
        text = join(list(values.values()) + [ticket])
        tests.append({
            "recipe": recipe, "values": values, "ticket": ticket, "sign": sha1(text),
            "hasOther": bool(other_readings(values, ticket)), "comment": comment,
        })

    rejected = {"appId": "appId001", "orderNo": "0A2024112100000000000001", "code": "66660004"}
    passed = {"appId": "appId001", "orderNo": "A202411210000000000000166660004", "code": "0"}
    add("front-end-result", rejected, LATE_TICKET, "a rejected scan …")
    add("front-end-result", passed, LATE_TICKET, "… and a passed one")
    assert tests[0]["sign"] == tests[1]["sign"] and tests[0]["hasOther"] and tests[1]["hasOther"]
    codes = ["0", "66660004", "66660010", "400101", "-5001", "1", "300101"]
    for alphabet in (LETTERS, string.digits, "01", string.ascii_letters, "0123456789ab"):
        for _ in range(40):
            values = {"appId": stream.pick(["IDAXXXXX", "appId001"]),
                      "orderNo": stream.text(1 + stream.below(32), alphabet), "code": stream.pick(codes)}
            add("front-end-result", values, stream.text(64))
    for alphabet in (LETTERS, "_abz", string.digits):
        for _ in range(20):
            values = {"appId": "IDAXXXXX", "userId": stream.text(1 + stream.below(32), alphabet), "version": "1.0.0",
                      "nonce": stream.text(32)}
            add("sdk-launch", values, stream.text(64))
    for _ in range(40):
        values = {"appId": "appId001", "orderNo": stream.text(1 + stream.below(32)), "version": "1.0.0",
                  "nonce": stream.text(32)}
        add("query-photo", values, stream.text(64))
    return {
        "source": "made by make.py",
        "note": "`hasOther`: whether other well-formed values under the same appId, version and ticket share the sign, "
                "found by brute force.",
        "tests": tests,
    }


def main() -> int:
    check_examples()
    failed = 0
    for name, content in {"mistakes.json": mistakes(), "order.json": order(), "readings.json": readings()}.items():
        text = json.dumps(content, ensure_ascii=True, indent=1) + "\n"
        if sys.argv[1:] != ["--check"]:
            (HERE / name).write_text(text, "utf-8")
        elif (HERE / name).read_text("utf-8") != text:
            print(f"{name} does not come out again", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
