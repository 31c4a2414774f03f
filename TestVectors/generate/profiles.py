# SPDX-License-Identifier: Apache-2.0
"""Payloads as other senders seal them, and payloads that will not open, each with what a diagnosis is to say.

Written from docs/PROFILES.md alone; nothing here reads the toolkit's own presets.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from dataclasses import dataclass
from typing import Optional, Union

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import rsa_by_hand as by_hand
from rsa_by_hand import Stream

MEDIA = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "media")
ORDER = "order20250001"
ALPHANUMERIC = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
CALLER_IV = b"0123456789abcdef"


def media(name: str) -> bytes:
    with open(os.path.join(MEDIA, name), "rb") as file:
        return file.read()


@dataclass(frozen=True)
class Profile:
    """The members of docs/PROFILES.md, OAEP's two hashes in one."""

    oaep: Optional[tuple[str, str]]  # None: PKCS#1 v1.5
    form: str = "raw"
    bits: int = 256
    mode: str = "gcm"
    iv: str = "prefix"
    iv_field: str = "Iv"
    tag: str = "appended"
    aad: bool = False
    encoding: str = "base64"


PRESETS = {
    "evidence-v1": Profile(("SHA-256", "SHA-256"), aad=True),
    "wbface-simple": Profile(None, "ascii", mode="cbc", iv="caller"),
    "tencent-faceid": Profile(None, "ascii", mode="cbc", iv="field"),
    "zoloz": Profile(None, mode="ecb", iv="none"),
    "java-default": Profile(("SHA-256", "SHA-1")),
}


def text(data: bytes, encoding: str) -> str:
    if encoding == "hex":
        return data.hex()
    if encoding == "base64-url":
        return base64.urlsafe_b64encode(data).decode("ascii")
    plain = base64.b64encode(data).decode("ascii")
    if encoding == "base64-lines":
        return "\n".join(plain[i : i + 76] for i in range(0, len(plain), 76))
    return plain


def packed(key: bytes, form: str) -> bytes:
    return {"hex": lambda: key.hex().encode(), "base64": lambda: base64.b64encode(key)}.get(form, lambda: key)()


def wrap(message: bytes, profile: Profile, key_file: str, stream: Stream) -> bytes:
    if profile.oaep is None:
        return by_hand.pkcs1_v15_wrap(message, key_file, stream)
    return by_hand.oaep_wrap(message, key_file, stream, *profile.oaep)


def encrypt(profile: Profile, key: bytes, iv: bytes, plaintext: bytes) -> tuple[bytes, bytes]:
    """Ciphertext and tag."""
    if profile.mode == "gcm":
        aad = f"evidence-v1\nuserVideoString\n{ORDER}\n".encode() if profile.aad else None
        both = AESGCM(key).encrypt(iv, plaintext, aad)
        return both[:-16], both[-16:]
    padder = padding.PKCS7(128).padder()
    mode = modes.ECB() if profile.mode == "ecb" else modes.CBC(iv)
    encryptor = Cipher(algorithms.AES(key), mode).encryptor()
    return encryptor.update(padder.update(plaintext) + padder.finalize()) + encryptor.finalize(), b""


def fields(
    profile: Profile, plaintext: bytes, key_file: str = "rsa2048.pem", label: str = "", message: Optional[bytes] = None
) -> dict[str, str]:
    """A payload's fields; `message` to wrap something else than the key."""
    stream = Stream(f"profile {profile} {label}")
    key = stream.take(profile.bits // 8)
    if profile.form == "ascii":
        key = bytes(ALPHANUMERIC[byte % 62] for byte in key)
    size = {"gcm": 12, "cbc": 16, "ecb": 0}[profile.mode]
    iv = {"caller": CALLER_IV[:size], "zero": bytes(size), "none": b""}.get(profile.iv)
    if iv is None:
        iv = stream.take(size)
    ciphertext, tag = encrypt(profile, key, iv, plaintext)
    content = (iv if profile.iv == "prefix" else b"") + ciphertext + (tag if profile.tag == "appended" else b"")
    wrapped = wrap(packed(key, profile.form) if message is None else message, profile, key_file, stream)
    result = {"orderNo": ORDER}
    if profile.iv == "field":
        result[profile.iv_field] = text(iv, profile.encoding)
    result["videoEncryptAESKey"] = text(wrapped, profile.encoding)
    result["userVideoString"] = text(content, profile.encoding)
    if profile.tag == "field":
        result["Tag"] = text(tag, profile.encoding)
    return result


def case(document: Union[dict[str, object], dict[str, str], bytes], **header: Optional[str]) -> bytes:
    body = document if isinstance(document, bytes) else json.dumps(document).encode("ascii") + b"\n"
    lines = [f"{name}: {value}\n" for name, value in header.items() if value is not None]
    return "".join(lines).encode("ascii") + b"\n" + body


def openings() -> dict[str, bytes]:
    """Under every preset: a video, a photo, and lengths around a block."""
    cases = {}
    contents = {"mp4": media("clip.mp4"), "jpeg": media("photo.jpg")}
    contents.update({f"{count}_bytes": bytes(range(count)) for count in (0, 1, 15, 16, 17)})
    for name, profile in PRESETS.items():
        for kind, content in contents.items():
            weak = name == "tencent-faceid"
            key = "rsa1024.pem" if weak else "rsa2048.pem"
            cases[f"{name.replace('-', '_')}_{kind}"] = case(
                fields(profile, content, key, kind),
                payload=hashlib.sha256(content).hexdigest(),
                profile=name,
                key=key,
                iv=CALLER_IV.decode() if profile.iv == "caller" else None,
            )
    return cases


VIDEO = media("clip.mp4")
JAVA, WBFACE, ZOLOZ = PRESETS["java-default"], PRESETS["wbface-simple"], PRESETS["zoloz"]


def with_text(label: str, change, profile: Profile = JAVA, field: str = "userVideoString") -> dict[str, object]:
    """A payload with the characters of one field changed."""
    payload: dict[str, object] = dict(fields(profile, VIDEO, label=label))
    payload[field] = change(payload[field])
    return payload


def diagnoses() -> dict[str, bytes]:
    """The ten commonest failures, by their number, and what a diagnosis says to each.

    expect: `opens` and the profile, or the code of the cause. says: words of the sentence or of a finding.
    """
    cases: dict[str, bytes] = {}

    def add(name: str, payload, expect: str, says: str, key: str = "rsa2048.pem", iv=None, repair=None) -> None:
        cases[name] = case(payload, expect=expect, says=says, key=key, iv=iv, repair=repair)

    add("01_mgf1_of_java", fields(JAVA, VIDEO), "opens java-default", "Java's name for OAEP")
    add("01_oaep_of_sha1", fields(Profile(("SHA-1", "SHA-1")), VIDEO), "opens found", "needs SHA-256 for both")
    add("01_pkcs1_where_oaep_was_meant", fields(ZOLOZ, VIDEO), "opens zoloz", "code that expects OAEP")
    add(
        "02_unwraps_to_garbage",
        fields(Profile(None, mode="cbc"), VIDEO, "rsa3072.pem"),
        "wrapping", "made them up", "other3072.pem",
    )
    add("02_oaep_for_another_key", fields(JAVA, VIDEO, "rsa3072.pem"), "wrapping", "another key", "other3072.pem")
    add("03_key_in_base64_of_pem", fields(JAVA, VIDEO, "rsa3072.pem"), "opens java-default", "fits", "rsa3072.pem.base64")
    add("03_key_in_pkcs1", fields(JAVA, VIDEO, "rsa3072.pem"), "opens java-default", "fits", "rsa3072.pkcs1.pem")
    add(
        "04_wrapped_key_encoded_twice",
        with_text("twice", lambda t: base64.b64encode(t.encode()).decode(), field="videoEncryptAESKey"),
        "encoded-twice", "videoEncryptAESKey was encoded twice",
    )
    add(
        "04_wrapped_key_encoded_twice_repaired",
        with_text("twice", lambda t: base64.b64encode(t.encode()).decode(), field="videoEncryptAESKey"),
        "opens java-default", "double-base64, because it was asked for", repair="double-base64",
    )
    add(
        "04_several_blocks",
        with_text("blocks", lambda t: text(3 * base64.b64decode(t), "base64"), field="videoEncryptAESKey"),
        "blocks", "3 RSA blocks",
    )
    add("04_key_of_another_size", fields(JAVA, VIDEO, "rsa4096.pem"), "key-size", "RSA-4096")
    add(
        "04_wrapped_key_cut",
        with_text("cut key", lambda t: text(base64.b64decode(t)[:-9], "base64"), field="videoEncryptAESKey"),
        "cut-off", "no usual RSA key makes",
    )
    add("05_iv_in_base64", fields(WBFACE, VIDEO), "opens wbface-simple", "decoded from base64",
        iv=base64.b64encode(CALLER_IV).decode())
    add("05_iv_in_hex", fields(WBFACE, VIDEO), "opens wbface-simple", "decoded from hex", iv=CALLER_IV.hex())
    add("05_iv_unknown", fields(WBFACE, VIDEO), "unproven", "compare with the IV in the app's configuration")
    add("05_iv_of_another_build", fields(WBFACE, media("photo.jpg")), "unproven", "ask how its text becomes bytes",
        iv="fedcba9876543210")
    add("05_key_in_hex", fields(Profile(None, "hex", 128, "ecb", "none"), VIDEO), "opens found", "settled by trial")
    add("05_key_in_base64", fields(Profile(("SHA-1", "SHA-1"), "base64", 128), VIDEO), "opens found", "base64 of AES-128")
    add("05_key_and_iv_together", fields(ZOLOZ, VIDEO, message=bytes(range(48))), "key-form", "48 bytes")
    add("06_in_lines", fields(Profile(JAVA.oaep, encoding="base64-lines"), VIDEO), "opens found", "base64-lines")
    add("06_url_safe", fields(Profile(JAVA.oaep, encoding="base64-url"), VIDEO), "opens found", "base64-url")
    add("06_hex", fields(Profile(JAVA.oaep, encoding="hex"), VIDEO), "opens found", "characters of hex")
    add("06_url_safe_without_padding",
        {k: v.rstrip("=") for k, v in fields(Profile(JAVA.oaep, encoding="base64-url"), VIDEO).items()},
        "opens found", "base64-url")
    add("06_data_uri", with_text("uri", lambda t: "data:video/mp4;base64," + t), "text", "data URI")
    add("06_data_uri_repaired", with_text("uri", lambda t: "data:video/mp4;base64," + t),
        "opens java-default", "data-uri", repair="data-uri")
    add("06_printed_array", with_text("array", lambda t: str(list(base64.b64decode(t)))), "text", "printed")
    add("06_padding_lost", with_text("padding", lambda t: t.rstrip("=")), "text", "lost its padding")
    add("06_padding_lost_repaired", with_text("padding", lambda t: t.rstrip("=")),
        "opens java-default", "missing-padding", repair="missing-padding")
    add("07_plus_lost", with_text("plus", lambda t: t.replace("+", " ")), "text", "turned every '+' into a space")
    add("07_plus_lost_repaired", with_text("plus", lambda t: t.replace("+", " ")),
        "opens java-default", "lost-plus", repair="lost-plus")
    add("07_percent", with_text("percent", lambda t: t.replace("+", "%2B").replace("/", "%2F")), "text", "URL-encoded")
    add("07_percent_repaired", with_text("percent", lambda t: t.replace("+", "%2B").replace("/", "%2F")),
        "opens java-default", "percent-encoding", repair="percent-encoding")
    whole = json.dumps(fields(JAVA, VIDEO)).encode()
    add("08_payload_cut_off", whole[: len(whole) // 2], "payload", "the document ends too early")
    add("08_video_cut_off", with_text("cut", lambda t: t[: len(t) // 2 + 1]), "cut-off", "cut off")
    add("08_video_cut_off_at_a_group", with_text("cut", lambda t: t[: len(t) // 8 * 4]), "tag", "tag does not verify")
    add("08_video_cut_off_in_cbc", with_text("cut cbc", lambda t: t[: len(t) // 8 * 4], Profile(None, mode="cbc")),
        "cut-off", "does not end with a whole block")
    add("09_sign_in_lower_case", {"isSuccess": True, "sign": "d7606f1741ddcf90757da924edcf152a200ac7f0",
        "simpleModeResult": fields(JAVA, VIDEO)}, "opens java-default", "40 hex digits in lower case")
    stream = Stream("sm2")
    point = b"\x04" + stream.take(112)
    add("10_sm2_point", with_text("sm2", lambda t: text(point, "base64"), field="videoEncryptAESKey"), "sm2", "SM2, not RSA")
    der = b"\x30\x77" + stream.take(119)
    add("10_sm2_der", with_text("sm2", lambda t: text(der, "base64"), field="videoEncryptAESKey"), "sm2", "a DER sequence")
    # More than ten.
    plain: dict[str, object] = {"orderNo": ORDER, "userVideoString": text(VIDEO, "base64")}
    android = {"userEncryptKey" if k == "videoEncryptAESKey" else k: v for k, v in fields(JAVA, VIDEO).items()}
    add("key_under_its_android_name", android, "payload", "Android's name")
    add("key_under_its_android_name_repaired", android, "opens java-default", "android-key-name",
        repair="android-key-name")
    add("never_sealed", plain, "not-sealed", "an MP4 video")
    gcm = fields(JAVA, VIDEO)
    changed = bytearray(base64.b64decode(gcm["userVideoString"]))
    changed[2000] ^= 1
    add("altered", {**gcm, "userVideoString": text(bytes(changed), "base64")}, "tag", "whole in its structure")
    noise = text(Stream("noise").take(3104), "base64")
    add("content_is_noise", {**gcm, "userVideoString": noise}, "cipher", "under no cipher")
    return cases


# cloud.tencent.com/document/product/1007/47180: its example in AES-256-CBC. No private key was published.
PUBLISHED_KEY = b"1abrmh7jz83awn4585vzujiyxbhi5wsd"
PUBLISHED_IV = "t9Uf9QJ50B0uHhE26JLNxw=="
PUBLISHED = [
    ("H+ZwsBfYVgbBWaHStriUV2GF0wX7MzYy0XMWNKZjZjQ=", "100822119610104046"),
    ("IS6wLE153MfBr639hqWmUQ==", "\u5f20\u4e09"),
]


def published() -> dict[str, object]:
    tests = []
    for ciphertext, plaintext in PUBLISHED:
        decryptor = Cipher(algorithms.AES(PUBLISHED_KEY), modes.CBC(base64.b64decode(PUBLISHED_IV))).decryptor()
        unpadder = padding.PKCS7(128).unpadder()
        found = decryptor.update(base64.b64decode(ciphertext)) + decryptor.finalize()
        assert unpadder.update(found) + unpadder.finalize() == plaintext.encode("utf-8")
        tests.append({"key": PUBLISHED_KEY.decode(), "iv": PUBLISHED_IV, "ciphertext": ciphertext, "plaintext": plaintext})
    return {
        "source": "cloud.tencent.com/document/product/1007/47180, the example of the Encryption object",
        "note": "AES-256-CBC, PKCS#7; the key is ASCII used as bytes, IV and ciphertext are base64, the plaintext is "
        "UTF-8. The RSA blob of the example is left out: its private key was never published.",
        "tests": tests,
    }
