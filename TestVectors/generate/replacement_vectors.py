# SPDX-License-Identifier: Apache-2.0
"""Each replacement of a part of a whole result, under each kind of profile, checked with each set of keys (FORMATS.md §6)."""

from __future__ import annotations

import base64
import struct
from typing import Any, Callable, Optional

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.asymmetric import padding as rsa_padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import evidence_v1
import profiles
import result_vectors as results
from kit import seal_field, wrap
from profiles import CALLER_IV
from result_vectors import APP, COMPARING, INTEGRATOR, NOW, OTHER_PNG, PNG, SCORES, TICKET, USER
from rsa_by_hand import private_key
from statement import Expected, SealedPair, check, front_end_sign, moment, result_fields, statement_fields
from statement import write_result, write_statement
from statement_vectors import MOMENT, Test

ORDER, OTHER_ORDER = results.ORDER, results.OTHER_ORDER
KINDS = {"evidence-v2": "order", "evidence-v1": "order", "java-default": "content", "wbface-simple": "none", "zoloz": "none"}
KEYS = {"none": (None, None), "video": (INTEGRATOR, None), "comparing": (None, COMPARING), "both": (INTEGRATOR, COMPARING)}


def tiny_mp4(content: bytes) -> bytes:
    def box(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", 8 + len(data)) + kind + data

    return box(b"ftyp", b"isom\0\0\2\0isom") + box(b"moov", b"") + box(b"mdat", content)


VIDEO, OTHER_VIDEO = tiny_mp4(b"the video"), tiny_mp4(b"no, another")


def video_pair(profile: str, video: bytes, label: str, order: str = ORDER) -> SealedPair:
    if profile == "evidence-v2":
        return results.sealed(f"replacement {label}", "userVideoString", video, order)
    if profile == "evidence-v1":
        content_key, content = seal_field(f"replacement {label} {order}", video, order)
        return wrap(f"replacement {label} {order}", content_key, INTEGRATOR), content
    sealed = profiles.fields(profiles.PRESETS[profile], video, INTEGRATOR, f"replacement {label}")
    return base64.b64decode(sealed["videoEncryptAESKey"]), base64.b64decode(sealed["userVideoString"])


def opener(profile: str) -> Optional[Callable[[bytes, bytes], Optional[bytes]]]:
    """PROFILES.md, as a reader has it who opens; None for evidence-v2, which statement.py opens."""
    if profile == "evidence-v2":
        return None
    made = profiles.PRESETS[profile]

    def unwrapped(wrapped: bytes) -> bytes:
        if made.oaep is None:
            return private_key(INTEGRATOR).decrypt(wrapped, rsa_padding.PKCS1v15())
        mgf1 = hashes.SHA256() if made.oaep[1] == "SHA-256" else hashes.SHA1()
        return private_key(INTEGRATOR).decrypt(wrapped, rsa_padding.OAEP(rsa_padding.MGF1(mgf1), hashes.SHA256(), None))

    def plaintext(key: bytes, content: bytes) -> bytes:
        if made.mode == "gcm":
            aad = evidence_v1.associated_data("userVideoString", ORDER) if profile == "evidence-v1" else None
            return AESGCM(key).decrypt(content[:12], content[12:], aad)
        mode = modes.ECB() if made.mode == "ecb" else modes.CBC(CALLER_IV)
        decryptor = Cipher(algorithms.AES(key), mode).decryptor()
        unpadder = padding.PKCS7(128).unpadder()
        return unpadder.update(decryptor.update(content) + decryptor.finalize()) + unpadder.finalize()

    def open_video(wrapped: bytes, content: bytes) -> Optional[bytes]:
        try:
            return plaintext(unwrapped(wrapped), content)
        except (InvalidTag, ValueError):
            return None

    return open_video


def replacements(profile: str) -> dict[str, tuple[str, bytes]]:
    """What was replaced, in words, and the result then."""

    def stated(label: str, video: bytes = VIDEO, photo: Optional[bytes] = PNG, order: str = ORDER, said: str = "") -> SealedPair:
        nonce = results.fresh_nonce(f"replacement {label}")
        fields = statement_fields(said or order, APP, USER, MOMENT, nonce, video, photo, SCORES)
        return results.sealed(f"replacement {label}", "identifyStr", write_statement(fields), order)

    video, statement = video_pair(profile, VIDEO, "ours"), stated("ours")
    other_video = video_pair(profile, OTHER_VIDEO, "another")

    def written(video: Optional[SealedPair] = video, statement: Optional[SealedPair] = statement, photo: Optional[bytes] = PNG) -> bytes:
        sign = front_end_sign(APP, ORDER, "0", TICKET)
        return write_result(result_fields(ORDER, video, statement, sign, photo, SCORES))

    return {
        "nothing": ("nothing", written()),
        "photo": ("the photo", written(photo=OTHER_PNG)),
        "no-photo": ("the photo, removed", written(photo=None)),
        "video-of-other-order": ("the video and its wrapped key, by those of another order",
                                 written(video_pair(profile, OTHER_VIDEO, "other order", OTHER_ORDER))),
        "video-sealed-anew": ("the video, by one that anyone sealed for this order", written(other_video)),
        "video-key": ("the video's wrapped key, by that of another video of this order", written((other_video[0], video[1]))),
        "no-video": ("the video and its wrapped key, removed", written(None)),
        "statement-of-other-order": ("the statement and its wrapped key, by those of another order",
                                     written(statement=stated("other order", order=OTHER_ORDER))),
        "statement-sealed-anew": ("the statement, by one that anyone sealed for this order, about another photo and video",
                                  written(statement=stated("anew", OTHER_VIDEO, OTHER_PNG))),
        "statement-of-other-order-sealed-anew": ("the statement, by one that anyone sealed for this order, but that names another order",
                                                 written(statement=stated("says other", said=OTHER_ORDER))),
        "no-statement": ("the statement and its wrapped key, removed", written(statement=None)),
        "pairs": ("video and statement, with their wrapped keys, swapped", written(statement, video)),
        "wrapped-keys": ("the two wrapped keys, swapped", written((statement[0], video[1]), (video[0], statement[1]))),
        "photo-and-video": ("photo and video, the video by one that anyone sealed", written(other_video, photo=OTHER_PNG)),
        "everything": ("photo, video and statement, by ones that anyone made",
                       written(other_video, stated("all anew", OTHER_VIDEO, OTHER_PNG), OTHER_PNG)),
    }


def found(profile: str, document: bytes, keys: tuple[Optional[str], Optional[str]]) -> dict[str, Any]:
    now = moment(NOW)
    assert now
    return check(
        document,
        Expected(
            order_no=ORDER, now=now, app_id=APP, user_id=USER, ticket=TICKET, maximum_age=600,
            video_key=keys[0] and private_key(keys[0]), compare_key=keys[1] and private_key(keys[1]),
            open_video=opener(profile), has_tag=KINDS[profile] != "none",
        ),
    )


def vectors() -> tuple[dict[str, Any], dict[str, bytes]]:
    tests: list[Test] = []
    documents = {}
    for profile, tag in KINDS.items():
        for name, (words, document) in replacements(profile).items():
            documents[f"{profile}_{name}.json"] = document
            for given, keys in KEYS.items():
                tests.append({
                    "profile": profile, "tag": tag, "iv": CALLER_IV.decode() if profile == "wbface-simple" else None,
                    "replaced": name, "words": words, "file": f"replacements/{profile}_{name}.json", "keys": given,
                    "videoKey": keys[0], "compareKey": keys[1], "expect": found(profile, document, keys),
                })
    index = {
        "source": "docs/FORMATS.md sections 5 and 6, docs/PROFILES.md",
        "note": "One result, of which a part was replaced (replaced, words), under profiles whose tag covers the order, the content "
        f"alone, or is not there; checked with neither private key, one, or both. Always order {ORDER}, appId {APP}, userId {USER}, "
        f"ticket {TICKET}, now {NOW}, an age of at most 600 s. expect: as in results.json.",
        "tests": tests,
    }
    return index, documents


def table() -> list[str]:
    """The table of FORMATS.md §6: what fails, for each set of keys."""
    index, _ = vectors()

    def cell(tests: list[Test]) -> str:
        words = []
        for test in tests:
            failing = [f"`{name}`" for name, state in test["expect"]["items"].items() if state == "fails"]
            words.append(", ".join(failing) or "–")
        if len(set(words)) == 1:
            return words[0]
        labels = {}
        for test, word in zip(tests, words):
            labels.setdefault(word, []).append(test["profile"])
        return "; ".join(f"{word} ({', '.join(names)})" for word, names in labels.items())

    rows = ["| replaced | no key | the video's key | the comparing service's key | both |", "| --- | --- | --- | --- | --- |"]
    for name in replacements("evidence-v1"):
        of_name = [test for test in index["tests"] if test["replaced"] == name]
        cells = [cell([test for test in of_name if test["keys"] == given]) for given in KEYS]
        rows.append(f"| {of_name[0]['words']} | {' | '.join(cells)} |")
    return rows


if __name__ == "__main__":
    print("\n".join(table()))
