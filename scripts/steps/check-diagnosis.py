# SPDX-License-Identifier: Apache-2.0
"""What `diagnose` says of payloads of which it is known how they were sealed.

- Every variation that a profile can say, sealed by the Python of TestVectors/generate: which profile is named.
- The built-in profiles, sealed by the runtimes that are installed.
- Payloads whose wrapped key is another than the one they were sealed with: nothing may be called proven or likely.
- Payloads in CBC whose IV is another than the one they were sealed with: nothing may be called likely, unless the first
  16 bytes come out as known writers make them.
- Payloads that are whole and were sealed with the key that is given, in which key, block and texts were written as some
  sender's code writes them, in any mixture: nothing may be said of them that did not happen.

With --long, as many as DiagnosingPayloads.md, the article of EvidenceDiagnosis, gives figures for; else a sample. Prints
the figures of that page.
"""

import base64
import collections
import concurrent.futures
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GENERATE = os.path.join(ROOT, "TestVectors", "generate")
sys.path[:0] = [GENERATE, os.path.join(ROOT, "scripts", "steps")]

import diagnosis  # noqa: E402
from profiles import CALLER_IV, PRESETS, Profile, fields, media, packed, text, wrap  # noqa: E402
from rsa_by_hand import Stream, encrypt_block, pkcs1_v15_block, pkcs1_v15_wrap  # noqa: E402

KEY = os.path.join(ROOT, "TestVectors", "keys", "rsa2048.pem")
TOOL = os.path.abspath(sys.argv[1])
LONG = "--long" in sys.argv

PADDINGS = [None, ("SHA-1", "SHA-1"), ("SHA-256", "SHA-1"), ("SHA-256", "SHA-256")]
ENCODINGS = ["base64", "base64-url", "base64-lines", "hex", "hex-lines"]
# Mode, where the IV is, where the tag is.
LAYOUTS = [
    *(("gcm", iv, tag) for iv in ("prefix", "field", "caller", "zero") for tag in ("appended", "field")),
    *(("cbc", iv, "none") for iv in ("prefix", "field", "caller", "zero")),
    ("ecb", "none", "none"),
]

OTHER_IV = b"an IV that is text of another length"
# What profiles can say besides, by the words of the row: of each, some are drawn from all paddings, forms, key lengths
# and encodings. `given` is the IV that the caller has.
ROWS: dict = {
    **{f"GCM, nonce of 16, IV {iv}, tag {tag}": {"nonce": 16, "iv": iv, "tag": tag}
        for iv in ("prefix", "field", "caller", "zero", "key", "wrapped") for tag in ("appended", "prefixed", "field")},
    **{f"GCM, IV {iv}, tag {tag}": {"iv": iv, "tag": tag} for iv in ("key", "wrapped") for tag in ("appended", "field")},
    **{f"GCM, IV {iv}, tag prefixed": {"iv": iv, "tag": "prefixed"}
        for iv in ("prefix", "field", "caller", "zero", "key", "wrapped")},
    **{f"GCM, AAD the order number, tag {tag}": {"aad": "order-no", "tag": tag} for tag in ("appended", "prefixed", "field")},
    **{f"CTR, IV {iv}": {"mode": "ctr", "iv": iv} for iv in ("prefix", "field", "caller", "zero", "key", "wrapped")},
    **{f"CBC, IV {iv}": {"mode": "cbc", "iv": iv} for iv in ("key", "wrapped")},
    **{f"CBC, padding {padding}, IV {iv}": {"mode": "cbc", "iv": iv, "padding": padding}
        for padding in ("zero", "none") for iv in ("prefix", "field", "caller", "zero", "key", "wrapped")},
    **{f"ECB, padding {padding}": {"mode": "ecb", "iv": "none", "padding": padding} for padding in ("zero", "none")},
    **{f"{mode.upper()}, IV of the caller {what}": {"mode": mode, "iv": "caller", "iv_fit": "fitted", "given": given}
        for mode in ("cbc", "ctr") for what, given in (("cut", OTHER_IV), ("filled up", OTHER_IV[:9]))},
    **{f"{mode.upper()}, short key": {"mode": mode, "iv": iv, "key_bytes": 10}
        for mode, iv in (("gcm", "prefix"), ("cbc", "prefix"), ("ecb", "none"), ("ctr", "prefix"))},
    **{f"{mode.upper()}, RSA without padding": {"mode": mode, "iv": iv, "rsa": "weak-none", "oaep": None}
        for mode, iv in (("gcm", "prefix"), ("cbc", "wrapped"), ("ecb", "none"), ("ctr", "field"))},
    "GCM, OAEP with a label": {"oaep": ("SHA-256", "SHA-256"), "label": "wbface"},
    "CBC, OAEP with a label": {"oaep": ("SHA-1", "SHA-1"), "label": "label", "mode": "cbc"},
    **{f"GCM, key in {encoding}": {"key_encoding": encoding} for encoding in ("hex", "hex-lines", "base64-lines")},
    **{f"CBC, IV field in {encoding}": {"mode": "cbc", "iv": "field", "iv_encoding": encoding} for encoding in ("hex", "text")},
    "GCM, tag field in hex": {"tag": "field", "tag_encoding": "hex"},
    **{f"{mode.upper()}, content is {inner}": {"mode": mode, "iv": iv, "inner": inner}
        for mode, iv in (("gcm", "prefix"), ("cbc", "field"), ("ecb", "none"), ("ctr", "prefix")) for inner in ("base64", "data-uri")},
}


def row_profile(row: str, chance: random.Random) -> "tuple[Profile, bytes]":
    """A profile of a row, and the IV that the caller has."""
    words = dict(ROWS[row])
    given = words.pop("given", CALLER_IV)
    words.setdefault("oaep", chance.choice(PADDINGS))
    if words.get("mode", "gcm") != "gcm":
        words["tag"] = "none"
    words.setdefault("encoding", chance.choice(ENCODINGS))
    for member in ("key_encoding", "iv_encoding", "tag_encoding"):
        # Hex without a line's end is both.
        if words.get(member) and words[member][:3] == words["encoding"][:3]:
            words["encoding"] = "base64"
    profile = Profile(form=chance.choice(["raw", "ascii", "hex", "base64"]), bits=chance.choice([128, 192, 256]), **words)
    return profile, given if words.get("iv_fit") else given[: profile.iv_bytes]


def say(payload: dict, iv: "bytes | None", label: str = "") -> dict:
    given = ["--iv", "hex:" + iv.hex()] if iv else []
    if label:
        given += ["--oaep-label", label]
    done = subprocess.run(
        [TOOL, "diagnose", "--json", "--key", KEY, *given], input=json.dumps(payload).encode(), capture_output=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"status {done.returncode}: {done.stderr!r}")
    return json.loads(done.stdout)


def content(number: int) -> bytes:
    """A file of a kind that payloads carry, of some size."""
    chance = random.Random(number)
    noise = chance.randbytes(chance.choice([20, 700, 5_000, 90_000]))
    head = chance.choice([
        diagnosis.ftyp(b"mp42", 1, b"mp41", b"mp42", b"isom"), diagnosis.ftyp(b"qt  ", 0, b"qt  "),
        diagnosis.ftyp(b"mp42", 0, b"isom", b"mp42"), diagnosis.ftyp(b"isom", 512, b"isom", b"iso2", b"avc1", b"mp41")])
    video = head + diagnosis.box(b"mdat", noise) + diagnosis.movie(str(number))
    return [video, video, media("photo.jpg"), json.dumps({"a": noise[:200].hex()}).encode()][number % 4]


def aligned(number: int) -> bytes:
    """The same, a multiple of 16 bytes long."""
    file = content(number)
    missing = -len(file) % 16
    if file[:1] == b"{":
        return file + b" " * missing
    if file[4:8] == b"ftyp":
        return file + diagnosis.box(b"free", b"\x07" * ((missing - 8) % 16))
    return aligned(number + 1)


# DiagnosingPayloads.md: what known writers put in front.
WRITERS = [
    (b"mp42", 1, b"mp41", b"mp42", b"isom"), (b"qt  ", 0, b"qt  "), (b"qt  ", 0x200, b"qt  "), (b"qt  ", 0x20050300, b"qt  "),
    (b"mp42", 0, b"isom", b"mp42"), (b"3gp4", 0, b"isom", b"3gp4"), (b"3gp4", 0x300, b"isom", b"3gp4"),
    (b"isom", 0, b"isom", b"3gp4"), (b"isom", 0x200, b"isom", b"iso2", b"avc1", b"mp41"), (b"isom", 0x200, b"isom", b"iso2", b"mp41"),
]
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
JFIF = b"\xff\xd8\xff\xe0\0\x10JFIF\0\1"
TYPES = ["video/mp4", "video/quicktime", "video/3gpp", "image/jpeg", "image/jpg", "image/png"]


def known_starts(rest: bytes) -> "set[bytes]":
    """The first 16 bytes that known writers make before a rest."""
    found = set()
    for writer in WRITERS:
        box = diagnosis.ftyp(*writer)
        if rest.startswith(box[16:]) and re.match(rb"....(moov|mdat|free|wide|uuid|moof)", rest[len(box) - 16 :], re.DOTALL):
            found.add(box[:16])
        encoded = base64.b64encode(box[:12])
        if re.fullmatch(rb"[A-Za-z0-9+/=]+", rest) and base64.b64decode(rest).startswith(box[12:]):
            found.add(encoded)
    if rest[21:25] == b"IDAT":
        found.add(PNG)
    if re.fullmatch(rb"[A-Za-z0-9+/=]+", rest):
        inner = base64.b64decode(rest)
        found |= {base64.b64encode(JFIF)} if inner[6:8] == b"\0\0" and inner[8:10] == b"\xff\xdb" else set()
        found |= {base64.b64encode(PNG[:12])} if inner.startswith(b"IHDR") else set()
    for kind in TYPES:
        front = f"data:{kind};base64,".encode()
        inner = base64.b64decode(rest[len(front) - 16 :][:32]) if rest.startswith(front[16:]) else b""
        starts = {"video": inner[4:8] == b"ftyp", "image/png": inner.startswith(PNG[:8]), "image/jp": inner.startswith(b"\xff\xd8\xff")}
        if any(kind.startswith(what) and holds for what, holds in starts.items()):
            found.add(front[:16])
    if rest[:4] in (b"\0\0\0\x08", b"\x08\0\0\0"):
        segments = [match.start() for match in re.finditer(rb"\xff[\xc0-\xc2\xc4\xdb\xdd\xfe\xe0-\xef]", rest) if match.start() >= 32]
        ends = [end for end in segments if rest[end - 2 : end] == b"\xff\xd9"] or segments
        order = b"MM\0*" if rest[0] == 0 else b"II*\0"
        found |= {b"\xff\xd8\xff\xe1" + (end + 12).to_bytes(2, "big") + b"Exif\0\0" + order for end in ends[:1]}
    return found


def proof(profile: Profile, file: bytes) -> str:
    """How sure an answer can be."""
    if profile.mode == "gcm":
        return "proven"
    front = {"none": b"", "base64": b"", "data-uri": b"data:video/mp4;base64,"}[profile.inner]
    sealed = file if profile.inner == "none" else front + base64.b64encode(file)
    # Padding that is white space may belong to JSON.
    if profile.mode != "ctr" and profile.padding == "pkcs7" and 16 - len(sealed) % 16 in (9, 10, 13) and sealed[:1] == b"{":
        return "unproven"
    if profile.mode == "ecb" and profile.padding != "pkcs7" and sealed.endswith(b" "):
        return "unproven"
    return "likely" if profile.mode != "cbc" or known_starts(sealed[16:]) == {sealed[:16]} else "unproven"


def named(verdict: dict, wanted: "dict | None", file: bytes = b"") -> str:
    """How sure the answer is, and in what it differs from a profile's members."""
    answer = verdict.get("opens") or verdict.get("unproven", {})
    if wanted is None:
        return next(name for name in ("opens", "unproven", "closed") if name in verdict)
    if "profile" not in answer:
        return "unproven, nothing named" if answer else verdict["closed"]["cause"]
    sure = {"tag": "proven", "structure": "likely"}.get(answer.get("proof"), "unproven")
    found = {
        name: value for name, value in answer["profile"].items()
        if name not in ("schema", "name", "about", "source", "unconfirmed", "weakKeys")}
    wanted = dict(wanted)
    # Letters and digits may be the key as it is, and may be drawn by chance.
    if {found["wrappedKey"], wanted["wrappedKey"]} == {"raw", "ascii"}:
        wanted["wrappedKey"] = found["wrappedKey"]
    # Where nothing had to be filled up, zero bytes and nothing are the same.
    if len(file) % 16 == 0 and wanted.get("padding") == "zero":
        wanted["padding"] = found.get("padding")
    # Base64 of anything but a file is a text, and nothing shows that it should be decoded.
    if file[:1] == b"{" and wanted.get("inner") in ("base64", "data-uri"):
        wanted.pop("inner")
    wrong = sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))
    return sure if not wrong else sure + ", another " + ", ".join(wrong)


def variation(job: tuple) -> tuple:
    number, (padding, form, bits, encoding, (mode, iv, tag), aad) = job
    profile = Profile(padding, form, bits, mode, iv, "Iv", tag, aad, encoding)
    file = content(number)
    payload = fields(profile, file, label=str(number))
    known = CALLER_IV[: 12 if mode == "gcm" else 16] if iv == "caller" else None
    row = f"{mode.upper()}, IV {iv}" + (f", tag {tag}" if mode == "gcm" else "")
    yield_rows = [(row, named(say(payload, known), profile.members(), file), proof(profile, file), job)]
    if mode == "cbc" and iv == "caller":
        verdict = say(payload, None)
        ivs = [found["iv"] for found in verdict.get("unproven", {}).get("ivs", [])]
        true = "reconstructed:" + CALLER_IV.hex()
        place = "IV first" if ivs[:1] == [true] else "IV among them" if true in ivs else "IV missing" if ivs else "no IV"
        kind = "video" if number % 4 < 2 else ["picture", "JSON"][number % 4 - 2]
        answer = f"{named(verdict, None)}: {place}"
        yield_rows.append((f"CBC, IV caller, not given, {kind}", answer, "unproven: no IV" if kind == "JSON" else "unproven: IV first", job))
    return tuple(yield_rows)


def wider_variation(job: tuple) -> tuple:
    number, row = job
    profile, given = row_profile(row, random.Random(f"{row} {number}"))
    file = aligned(number) if profile.padding == "none" and profile.inner == "none" else content(number)
    payload = fields(profile, file, label=f"{row} {number}", caller_iv=given)
    verdict = say(payload, given if profile.iv == "caller" else None, profile.label)
    return ((row, named(verdict, profile.members(), file), proof(profile, file), (number, profile)),)


def wrong_key(number: int) -> str:
    """What is said where all is as it was, but the wrapped key is another's."""
    chance = random.Random(number)
    profile, given = row_profile(chance.choice([row for row in ROWS if "content is" not in row]), chance)
    if number % 2:
        mode, iv, tag = chance.choice(LAYOUTS)
        profile = Profile(chance.choice(PADDINGS), chance.choice(["raw", "ascii"]), chance.choice([128, 192, 256]), mode, iv, "Iv", tag)
        given = CALLER_IV
    file = aligned(number) if profile.padding == "none" else content(number)
    payload = fields(profile, file, label=f"wrong {number}", caller_iv=given)
    count = (profile.key_bytes or profile.bits // 8) + (profile.iv_bytes if profile.iv == "wrapped" else 0)
    other = chance.randbytes(count)
    if profile.form == "ascii":
        other = bytes(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[byte % 62] for byte in other)
    wrapped = wrap(packed(other, profile.form), profile, "rsa2048.pem", Stream(str(number)))
    payload["videoEncryptAESKey"] = text(wrapped, profile.key_encoding or profile.encoding)
    known = given if profile.iv == "caller" and profile.mode != "gcm" else None
    verdict = say(payload, known, profile.label)
    return named(verdict, None) if "opens" not in verdict else f"opens ({verdict['opens']['proof']})"


def chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def whole(chance: random.Random) -> "tuple[str, bytes]":
    """A whole file that may be in CBC, and what it is; the numbers in its first block are anybody's."""
    noise = chance.randbytes(chance.choice([40, 700, 5_000]))
    kind = chance.choice(["known video", "video", "video of any minor version", "JPEG", "Exif", "PNG", "JSON", "text"])
    writer = chance.choice(WRITERS if kind == "known video" else OTHER_HEADS)
    if kind == "video of any minor version":
        writer = (*chance.choice(WRITERS)[:1], chance.choice([1, 2, 3, 0x201, 0x300, 0x2000200, chance.getrandbits(32)]), *writer[2:])
    photo = media("photo.jpg")
    file = diagnosis.ftyp(*writer) + diagnosis.box(b"mdat", noise) + diagnosis.movie("x")
    if kind == "JPEG":
        density = chance.choice([1, 72, 96, 300]).to_bytes(2, "big")
        file = photo[:12] + bytes([chance.randrange(3), chance.randrange(3)]) + density + density + photo[18:]
    if kind == "Exif":
        exif = b"Exif\0\0" + chance.choice([b"MM\0*\0\0\0\x08", b"II*\0\x08\0\0\0"]) + noise.replace(b"\xff", b"\0")
        file = photo[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + photo[20:]
    if kind == "PNG":
        header = (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
        file = PNG[:8] + chunk(b"IHDR", header) + chunk(b"IDAT", noise) + chunk(b"IEND", b"")
    if kind == "JSON":
        file = json.dumps({"name": "a value", "noise": noise.hex()}).encode()
    if kind == "text":
        file = ("this is a text about a number: " + str(int.from_bytes(noise, "big") % 10**300)).encode()
    if chance.randrange(4) == 0:
        front = chance.choice([b"", b"data:" + chance.choice(TYPES).encode() + b";base64,"])
        return kind + (" in a data URI" if front else " in base64"), front + base64.b64encode(file)
    return kind, file


def wrong_iv(number: int) -> tuple:
    """What is said under the right key where the IV is another than the one that was used."""
    chance = random.Random(number)
    kind, file = whole(chance)
    source = chance.choice(["given", "given, 12 of 16 characters", "field", "in front", "zero", "of the key", "wrapped"])
    key = chance.randbytes(32)
    tried = {
        "given": CALLER_IV, "given, 12 of 16 characters": CALLER_IV[:12] + bytes(4), "zero": bytes(16), "of the key": key[:16],
    }.get(source) or chance.randbytes(16)
    error = bytearray(16)
    way = chance.choice(["bit", "bit in the last four", "character", "counter", "all"])
    if source == "given, 12 of 16 characters":
        error[12:] = chance.choice([CALLER_IV[12:], b"\0\0\0\1", chance.randbytes(4)])
    elif way == "all":
        error[:] = chance.randbytes(16)
    elif way == "counter":
        error[12:] = chance.randrange(1, 1_000).to_bytes(4, "big")
    elif way == "character":
        error[chance.randrange(16)] = ord(chance.choice(LETTERS)) ^ ord(chance.choice("0123456789"))
    else:
        error[chance.randrange(12 if "last" in way else 0, 16)] = 1 << chance.randrange(8)
    used = bytes(a ^ b for a, b in zip(tried, error))
    sealed = diagnosis.cbc(key, used, diagnosis.pkcs7(file))
    wrapped = pkcs1_v15_wrap(key + (tried if source == "wrapped" else b""), "rsa2048.pem", Stream(f"wrong IV {number}"))
    payload = diagnosis.payload(
        key, (tried if source == "in front" else b"") + sealed, "", wrapped, **({"Iv": text(tried, "base64")} if source == "field" else {}))
    given = {"given": tried, "given, 12 of 16 characters": tried[:12]}.get(source)
    verdict = say(payload, given)
    first = bytes(a ^ b for a, b in zip(file, error))
    if "opens" not in verdict:
        return source, named(verdict, None), None
    allowed = known_starts(file[16:]) == {first}
    return source, "likely: right" if not any(error) else "likely: as a known writer begins" if allowed else "LIKELY", (number, kind, way, verdict)


def wrong_ivs(pool) -> None:
    counts: dict = {}
    bad = []
    for source, column, example in pool.map(wrong_iv, range(10_000 if LONG else 100)):
        counts.setdefault(source, collections.Counter())[column] += 1
        if column == "LIKELY":
            bad.append(example)
    columns = sorted({column for row in counts.values() for column in row})
    print("\n| wrong IV | " + " | ".join(columns) + " |\n|" + " --- |" * (len(columns) + 1))
    for row in sorted(counts):
        print(f"| {row} | " + " | ".join(str(counts[row][column] or "") for column in columns) + " |")
    if bad:
        raise SystemExit(f"likely under a wrong IV: {bad[:5]}")


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def lines(text_: str, width: int, end: str) -> str:
    return end.join(text_[start : start + width] for start in range(0, len(text_), width)) + end


def signed(data: bytes) -> str:
    return str([byte - 256 if byte > 127 else byte for byte in data])


# How code writes the key before it wraps it; the block of RSA; and either text.
KEY_FORMS = {
    "raw": lambda k: k, "base64": lambda k: b64(k).encode(), "hex": lambda k: k.hex().encode(), "upper hex": lambda k: k.hex().upper().encode(),
    "URL-safe": lambda k: base64.urlsafe_b64encode(k).rstrip(b"="), "quoted": lambda k: f'"{b64(k)}"'.encode(), "line feed": lambda k: b64(k).encode() + b"\n",
    "mark": lambda k: b"\xef\xbb\xbf" + b64(k).encode() + b"\r\n", "0x": lambda k: b"0x" + k.hex().encode(), "list": lambda k: str(list(k)).encode(),
    "signed": lambda k: signed(k).encode(), "label": lambda k: b"key=" + b64(k).encode(), "Chinese label": lambda k: "\u5bc6\u94a5\uff1a".encode() + b64(k).encode(),
    "JSON": lambda k: json.dumps({"aesKey": b64(k)}).encode(), "Buffer": lambda k: f"<Buffer {k.hex(' ')}>".encode(), "base32": lambda k: base64.b32encode(k),
    "twice": lambda k: b64(b64(k).encode()).encode(), "Latin-1": lambda k: k.decode("latin-1").encode(), "Elixir": lambda k: f"<<{', '.join(map(str, k))}>>".encode(),
    "reversed": lambda k: k[::-1], "filled": lambda k: b64(k).encode().ljust(64, b"\0"), "no-break space": lambda k: b"\xc2\xa0" + b64(k).encode(),
    "with the IV": lambda k: b64(k).encode() + b"|" + b64(bytes(range(16))).encode(), "PHP": lambda k: f'string(44) "{b64(k)}"'.encode(),
}
BLOCK_FORMS = {
    "block": lambda b: b, "sign": lambda b: b"\0" + b, "line feed": lambda b: b + b"\n", "header": lambda b: b"\x04\x82\x01\0" + b, "reversed": lambda b: b[::-1],
    "zeros dropped": lambda b: b.lstrip(b"\0"), "reversed with a sign": lambda b: b[::-1] + b"\0", "twice": lambda b: b + b,
}
TEXT_FORMS = {
    "base64": b64, "URL-safe": lambda d: base64.urlsafe_b64encode(d).decode(), "unpadded": lambda d: base64.urlsafe_b64encode(d).decode().rstrip("="), "hex": bytes.hex,
    "0x": lambda d: "0x" + d.hex(), "lines": lambda d: lines(b64(d), 76, "\r\n"), "quoted": lambda d: f'"{b64(d)}"', "typographic": lambda d: f"\u201c{b64(d)}\u201d",
    "data URI": lambda d: "data:application/octet-stream;base64," + b64(d), "list": lambda d: str(list(d)), "signed": signed, "Python": lambda d: f"b'{b64(d)}'",
    "percent": lambda d: urllib.parse.quote(b64(d), safe=""), "HTML": lambda d: b64(d).replace("+", "&#43;").replace("/", "&#47;") + "<br>", "twice": lambda d: b64(b64(d).encode()),
    "Go": lambda d: "[]byte{" + ", ".join(f"0x{byte:02x}" for byte in d) + "}", "blanks": lambda d: d.hex(" "), "plus lost": lambda d: b64(d).replace("+", " "),
    "no-break space": lambda d: b64(d)[:40] + "\u00a0" + b64(d)[40:], "base32": lambda d: base64.b32encode(d).decode(), "escaped": lambda d: lines(b64(d), 64, "\\n"),
}
# What did not happen to any of them, unless it is a possibility among others.
ACCUSED = re.compile(r"cut off|was changed|were changed|another key|another cipher|altered|damaged|SM4")


def mixture(number: int) -> "tuple[str, str, object]":
    """What is said of a payload that is whole, and whose key is given."""
    chance = random.Random(f"mixture {number}")
    key, file = chance.randbytes(chance.choice([16, 32])), content(number)
    iv = chance.randbytes(16)
    # Half of the fields are as they should be: two at most are not.
    odd = chance.sample(["key", "block", "key's text", "content's text", "cipher"], chance.choice([1, 1, 2]))
    form = {name: chance.choice(list(forms)) if name in odd else list(forms)[0] for name, forms in (
        ("key", KEY_FORMS), ("block", BLOCK_FORMS), ("key's text", TEXT_FORMS), ("content's text", TEXT_FORMS))}
    nonce = iv[: chance.choice([8, 12])]
    ctr = lambda start: diagnosis.Cipher(diagnosis.algorithms.AES(key), diagnosis.modes.CTR(start)).encryptor().update(file)
    gcm = lambda: b"".join(diagnosis.gcm(key, iv[:12], file))
    ciphers = {
        "CBC": lambda: iv + diagnosis.cbc(key, iv, diagnosis.pkcs7(file)), "CTR": lambda: iv + ctr(iv), "CTR, unknown": lambda: ctr(chance.randbytes(16)),
        "CTR from": lambda: ctr(chance.randrange(1 << 20).to_bytes(16, "big")),
        "CTR, nonce": lambda: nonce + ctr(nonce + chance.randrange(9).to_bytes(16 - len(nonce), "big")),
        "GCM": lambda: iv[:12] + gcm(), "GCM, behind": lambda: gcm() + iv[:12],
    }
    # JSON begins in too many ways for a counter to be worked out.
    known = list(ciphers) if not file.startswith(b"{") else ["CBC", "CTR", "GCM"]
    cipher = chance.choice(known) if "cipher" in odd else chance.choice(["CBC", "GCM"])
    block = b"\1"
    stream = Stream(f"mixture {number}")
    # A block with a zero in front is rare: one of 256.
    for _ in range(400 if form["block"] == "zeros dropped" else 1):
        block = encrypt_block(pkcs1_v15_block(KEY_FORMS[form["key"]](key), stream, 256), "rsa2048.pem")
        if block[0] == 0:
            break
    payload = {
        "orderNo": f"order{number}", "videoEncryptAESKey": TEXT_FORMS[form["key's text"]](BLOCK_FORMS[form["block"]](block)),
        "userVideoString": TEXT_FORMS[form["content's text"]](ciphers[cipher]())}
    verdict = say(payload, None)
    cause = verdict.get("closed") or verdict.get("unproven") or {}
    said = [cause.get("sentence", ""), cause.get("advice", "")]
    possible = cause.get("possibilities", [])
    # A single cause is said as a fact; of several, each is only possible, and the likelier come first.
    accused = [sentence for sentence in said + [json.dumps(one) for one in possible[:1]] if ACCUSED.search(sentence)]
    way = ", ".join(f"{name}: {form.get(name, cipher)}" for name in odd)
    return "accused" if accused else verdict["verdict"], way, (number, way, accused)


def mixtures(pool) -> None:
    """Whole payloads in the forms in which senders' code writes them."""
    results = list(pool.map(mixture, range(10_000 if LONG else 100)))
    print(f"\nmixtures: {dict(collections.Counter(result[0] for result in results).most_common())}")
    bad = [result[2] for result in results if result[0] == "accused"]
    if bad:
        raise SystemExit(f"{len(bad)} were accused of what did not happen: {bad[:5]}")


# What recorders begin with that the diagnosis has no table of: brands and minor versions as they are published.
OTHER_HEADS = [
    (b"isom", 1, b"isom", b"avc1"), (b"3gp5", 0x100, b"3gp5", b"3gp4"), (b"mp42", 0, b"mp42", b"isom", b"avc1"),
    (b"iso5", 512, b"iso5", b"iso6", b"mp41"), (b"M4V ", 1, b"M4V ", b"mp42", b"isom"), (b"qt  ", 0x20050300, b"qt  "),
]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def unknown_iv(number: int) -> tuple:
    """A video under an IV that is configured and not given: where the true one is among those that are found."""
    chance = random.Random(number)
    iv = "".join(chance.choice(LETTERS if number % 2 else LETTERS + "-_.+/=!@#$%&*") for _ in range(16)).encode()
    key = chance.randbytes(32)
    known = number % 4 < 2
    video = content(4 * number) if known else (
        diagnosis.ftyp(*chance.choice(OTHER_HEADS)) + diagnosis.box(b"mdat", chance.randbytes(900)) + diagnosis.movie("x"))
    filled = video + bytes([16 - len(video) % 16]) * (16 - len(video) % 16)
    verdict = say(diagnosis.payload(key, diagnosis.cbc(key, iv, filled), str(number)), None)
    ivs = [found["iv"] for found in verdict.get("unproven", {}).get("ivs", [])]
    true = "reconstructed:" + iv.hex()
    row = ("a recorder in the table" if known else "another recorder") + (", letters and digits" if number % 2 else ", any text")
    return row, ivs.index(true) + 1 if true in ivs else 0, len(ivs)


def unknown_ivs(pool) -> None:
    print("\n| begins like | payloads | the IV is first | among the first six | among all | candidates |\n|" + " --- |" * 6)
    places: dict = {}
    for row, place, count in pool.map(unknown_iv, range(1_000 if LONG else 20)):
        places.setdefault(row, []).append((place, count))
    for row, found in sorted(places.items()):
        ranks = [place for place, _ in found]
        counts = [count for _, count in found]
        print(
            f"| {row} | {len(found)} | {ranks.count(1)} | {sum(1 <= rank <= 6 for rank in ranks)} | "
            f"{sum(rank > 0 for rank in ranks)} | {min(counts)} to {max(counts)} |")
        if 0 in ranks:
            raise SystemExit("the true IV is missing")


def python_seals(folder: str) -> list:
    for name, profile in PRESETS.items():
        with open(os.path.join(folder, name + ".json"), "w", encoding="ascii") as file:
            json.dump(fields(profile, media("clip.mp4"), label="matrix"), file)
    return list(PRESETS)


def runtimes() -> None:
    profiles = __import__("check-profiles")
    print("\n| sealed by | " + " | ".join(profiles.ALL) + " |\n|" + " --- |" * (len(profiles.ALL) + 1))
    for runtime in ["python", *profiles.SEALERS]:
        if runtime != "python" and not shutil.which(runtime):
            print(f"{runtime}: not installed, not tried")
            continue
        with tempfile.TemporaryDirectory() as folder:
            cells = dict.fromkeys(profiles.ALL, "–")
            for profile in python_seals(folder) if runtime == "python" else profiles.seal(runtime, folder):
                with open(os.path.join(folder, profile + ".json"), "rb") as file:
                    payload = json.load(file)
                verdict = say(payload, CALLER_IV if profile == "wbface-simple" else None)
                match = verdict.get("opens", {})
                cells[profile] = {"tag": "proven", "structure": "likely"}.get(match.get("proof"), "no")
                found = match.get("profile", {})
                named_as = (found.get("name"), found.get("about"))
                # What differs from a built-in profile in what it says of itself is called found. And a key of base64
                # characters is letters and digits or not, by chance.
                if profile != named_as[0] and named_as != ("found", f"seals like {profile}") and not (
                        named_as[0] == "found" and found["wrappedKey"] == "raw"):
                    raise SystemExit(f"{runtime}, {profile}: {verdict}")
            print(f"| {runtime} | " + " | ".join(cells.values()) + " |")


def main() -> None:
    every = [
        (padding, form, bits, encoding, layout, aad)
        for padding, form, bits, encoding, layout, aad in itertools.product(
            PADDINGS, ["raw", "ascii", "hex", "base64"], [128, 192, 256], ENCODINGS, LAYOUTS, [False, True])
        if not aad or layout[0] == "gcm"
    ]
    jobs = list(enumerate(every))
    if not LONG:
        jobs = random.Random(1).sample(jobs, 80)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        counts: dict = {}
        bad = []
        for results in pool.map(variation, jobs):
            for row, column, wanted, job in results:
                counts.setdefault(row, collections.Counter())[column] += 1
                if column != wanted:
                    bad.append((column, wanted, job))
        rows = [(number, row) for row in ROWS for number in range(40 if LONG else 1)]
        for results in pool.map(wider_variation, rows):
            for row, column, wanted, job in results:
                counts.setdefault(row, collections.Counter())[column] += 1
                if column != wanted:
                    bad.append((column, wanted, job))
        columns = sorted({column for row in counts.values() for column in row})
        print("| sealed as | " + " | ".join(columns) + " |\n|" + " --- |" * (len(columns) + 1))
        for row in sorted(counts):
            print(f"| {row} | " + " | ".join(str(counts[row][column] or "") for column in columns) + " |")
        for example in bad[:20]:
            print("   ", *example)
        runtimes()
        unknown_ivs(pool)
        wrong_ivs(pool)
        mixtures(pool)
        verdicts = collections.Counter(pool.map(wrong_key, range(10_000 if LONG else 100)))
    print(f"\nunder a wrong key: {dict(verdicts.most_common())}")
    if bad or any(verdict.startswith("opens") for verdict in verdicts):
        raise SystemExit("something was named wrongly")


if __name__ == "__main__":
    main()
