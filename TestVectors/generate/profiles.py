# SPDX-License-Identifier: Apache-2.0
"""Payloads as other senders seal them, and payloads that will not open, each with what a diagnosis is to say.

Written from docs/PROFILES.md alone; nothing here reads the toolkit's own presets.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import os
from dataclasses import dataclass
from typing import Optional, Union

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

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

    oaep: Optional[tuple[str, str]]  # None: PKCS#1 v1.5, or `padding`
    form: str = "raw"
    bits: int = 256
    mode: str = "gcm"
    iv: str = "prefix"
    iv_field: str = "Iv"
    tag: str = "appended"
    aad: Union[bool, str] = False  # True: evidence-v1
    encoding: str = "base64"
    rsa: str = ""  # weak-none
    label: str = ""
    key_bytes: int = 0
    padding: str = "pkcs7"
    nonce: int = 12
    iv_fit: str = "exact"
    key_encoding: str = ""
    iv_encoding: str = ""
    tag_encoding: str = ""
    inner: str = "none"

    def seed(self) -> str:
        """What its random bytes come of: what is as usual is left out, so that a new member changes no old vector."""
        old = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in list(dataclasses.fields(self))[:9])
        new = "".join(
            f", {field.name}={getattr(self, field.name)!r}" for field in list(dataclasses.fields(self))[9:]
            if getattr(self, field.name) != field.default)
        return f"Profile({old}{new})"

    @property
    def iv_bytes(self) -> int:
        return {"gcm": self.nonce, "cbc": 16, "ecb": 0, "ctr": 16}[self.mode]

    def members(self) -> dict[str, str]:
        """The file, without its name; what is as usual is left out."""
        found = {
            "rsaPadding": self.rsa or ("oaep" if self.oaep else "pkcs1-v1.5"), "wrappedKey": self.form,
            "cipher": f"aes-{self.bits}-{self.mode}",
            "iv": {"zero": "weak-zero", "key": "weak-key"}.get(self.iv, self.iv),
            "tag": self.tag if self.mode == "gcm" else "none",
            "aad": {False: "none", True: "evidence-v1"}.get(self.aad, self.aad), "encoding": self.encoding,
        }
        if self.oaep:
            found["oaepHash"], found["mgf1Hash"] = self.oaep
        others = {
            "oaepLabel": self.label, "weakKeyBytes": str(self.key_bytes) if self.key_bytes else "",
            "padding": "" if self.padding == "pkcs7" else self.padding,
            "nonceBytes": "" if self.nonce == 12 else str(self.nonce),
            "ivField": self.iv_field if self.iv == "field" else "", "ivFit": "" if self.iv_fit == "exact" else self.iv_fit,
            "tagField": "Tag" if self.tag == "field" and self.mode == "gcm" else "", "keyEncoding": self.key_encoding,
            "ivEncoding": self.iv_encoding, "tagEncoding": self.tag_encoding,
            "inner": "" if self.inner == "none" else self.inner,
        }
        return found | {name: value for name, value in others.items() if value}


PRESETS = {
    "evidence-v1": Profile(("SHA-256", "SHA-256"), aad=True),
    "wbface-simple": Profile(None, "ascii", mode="cbc", iv="caller"),
    "tencent-faceid": Profile(None, "ascii", mode="cbc", iv="field"),
    "zoloz": Profile(None, mode="ecb", iv="none"),
    "java-default": Profile(("SHA-256", "SHA-1")),
}


def text(data: bytes, encoding: str) -> str:
    if encoding == "text":
        return data.decode("ascii")
    if encoding == "hex":
        return data.hex()
    if encoding == "hex-lines":
        return "".join(data.hex()[i : i + 60] + "\n" for i in range(0, 2 * len(data), 60))
    if encoding == "base64-url":
        return base64.urlsafe_b64encode(data).decode("ascii")
    plain = base64.b64encode(data).decode("ascii")
    if encoding == "base64-lines":
        return "\n".join(plain[i : i + 76] for i in range(0, len(plain), 76))
    return plain


def packed(key: bytes, form: str) -> bytes:
    return {"hex": lambda: key.hex().encode(), "base64": lambda: base64.b64encode(key)}.get(form, lambda: key)()


def wrap(message: bytes, profile: Profile, key_file: str, stream: Stream) -> bytes:
    if profile.rsa == "weak-none":
        return by_hand.encrypt_block(bytes(by_hand.modulus_bytes(key_file) - len(message)) + message, key_file)
    if profile.oaep is None:
        return by_hand.pkcs1_v15_wrap(message, key_file, stream)
    return by_hand.oaep_wrap(message, key_file, stream, *profile.oaep, profile.label.encode())


def encrypt(profile: Profile, key: bytes, iv: bytes, plaintext: bytes) -> tuple[bytes, bytes]:
    """Ciphertext and tag."""
    if profile.mode == "gcm":
        aad = {False: b"", True: f"evidence-v1\nuserVideoString\n{ORDER}\n".encode(), "order-no": ORDER.encode()}
        encryptor = Cipher(algorithms.AES(key), modes.GCM(iv)).encryptor()
        encryptor.authenticate_additional_data(aad[profile.aad])
        return encryptor.update(plaintext) + encryptor.finalize(), encryptor.tag
    if profile.mode != "ctr":
        if profile.padding == "pkcs7":
            padder = padding.PKCS7(128).padder()
            plaintext = padder.update(plaintext) + padder.finalize()
        elif profile.padding == "zero":
            plaintext = plaintext + bytes(-len(plaintext) % 16) if plaintext else bytes(16)
    mode = {"ecb": modes.ECB, "cbc": lambda: modes.CBC(iv), "ctr": lambda: modes.CTR(iv)}[profile.mode]()
    encryptor = Cipher(algorithms.AES(key), mode).encryptor()
    return encryptor.update(plaintext) + encryptor.finalize(), b""


def fields(
    profile: Profile, plaintext: bytes, key_file: str = "rsa2048.pem", label: str = "", message: Optional[bytes] = None,
    caller_iv: bytes = CALLER_IV,
) -> dict[str, str]:
    """A payload's fields; `message` to wrap something else than the key."""
    stream = Stream(f"profile {profile.seed()} {label}")

    def letters(random: bytes) -> bytes:
        return bytes(ALPHANUMERIC[byte % 62] for byte in random)

    size = profile.bits // 8
    key = stream.take(profile.key_bytes or size)
    if profile.form == "ascii":
        key = letters(key)
    wrapped_bytes, key = key, key + bytes(size - len(key))
    count = profile.iv_bytes
    if profile.iv == "caller":
        iv = (caller_iv + bytes(count))[:count]
    elif profile.iv in ("zero", "none", "key"):
        iv = key[:count] if profile.iv == "key" else bytes(count)
    else:
        iv = stream.take(count)
        if profile.iv_encoding == "text" or profile.iv == "wrapped" and profile.form == "ascii":
            iv = letters(iv)
    if profile.iv == "wrapped":
        wrapped_bytes += iv
    if profile.inner != "none":
        front = b"data:video/mp4;base64," if profile.inner == "data-uri" else b""
        plaintext = front + base64.b64encode(plaintext)
    ciphertext, tag = encrypt(profile, key, iv, plaintext)
    content = iv if profile.iv == "prefix" else b""
    content += (tag if profile.tag == "prefixed" else b"") + ciphertext + (tag if profile.tag == "appended" else b"")
    wrapped = wrap(packed(wrapped_bytes, profile.form) if message is None else message, profile, key_file, stream)
    result = {"orderNo": ORDER}
    if profile.iv == "field":
        result[profile.iv_field] = text(iv, profile.iv_encoding or profile.encoding)
    result["videoEncryptAESKey"] = text(wrapped, profile.key_encoding or profile.encoding)
    result["userVideoString"] = text(content, profile.encoding)
    if profile.tag == "field":
        result["Tag"] = text(tag, profile.tag_encoding or profile.encoding)
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
OAEP256 = ("SHA-256", "SHA-256")
LONG_IV = b"0123456789abcdefghijklmn"

# One for each thing that a profile can say besides the presets.
WIDER = {
    "tag_prefixed": Profile(OAEP256, tag="prefixed"),
    "tag_prefixed_nonce_of_16": Profile(None, "hex", tag="prefixed", nonce=16),
    "tag_prefixed_iv_in_a_field": Profile(OAEP256, iv="field", tag="prefixed"),
    "nonce_of_8": Profile(OAEP256, nonce=8), "nonce_of_16": Profile(OAEP256, nonce=16),
    "nonce_of_128": Profile(OAEP256, nonce=128),
    "nonce_of_16_zeros": Profile(("SHA-256", "SHA-1"), bits=128, iv="zero", nonce=16),
    "iv_of_the_key": Profile(None, "ascii", mode="cbc", iv="key"),
    "nonce_of_the_key": Profile(OAEP256, bits=128, iv="key"),
    "ctr_prefix": Profile(OAEP256, mode="ctr"), "ctr_caller": Profile(None, bits=128, mode="ctr", iv="caller"),
    "ctr_field": Profile(None, bits=192, mode="ctr", iv="field"),
    "cbc_zero": Profile(None, mode="cbc", padding="zero"), "ecb_zero": Profile(None, mode="ecb", iv="none", padding="zero"),
    "cbc_none": Profile(None, mode="cbc", padding="none"), "ecb_none": Profile(None, mode="ecb", iv="none", padding="none"),
    "key_of_10_letters": Profile(None, "ascii", mode="cbc", iv="caller", key_bytes=10),
    "key_of_16_bytes_in_hex": Profile(None, "hex", mode="ecb", iv="none", key_bytes=16),
    "iv_cut": Profile(None, "ascii", mode="cbc", iv="caller", iv_fit="fitted"),
    "iv_filled": Profile(None, "ascii", mode="ctr", iv="caller", iv_fit="fitted"),
    "wrapped_with_its_iv": Profile(None, mode="cbc", iv="wrapped"),
    "wrapped_with_its_iv_in_hex": Profile(OAEP256, "hex", mode="cbc", iv="wrapped"),
    "wrapped_with_its_iv_in_base64": Profile(None, "base64", mode="ctr", iv="wrapped"),
    "wrapped_with_its_iv_in_letters": Profile(None, "ascii", bits=128, mode="cbc", iv="wrapped"),
    "wrapped_with_its_nonce": Profile(OAEP256, iv="wrapped"),
    "aad_order_number": Profile(OAEP256, aad="order-no"),
    "aad_order_number_tag_in_a_field": Profile(None, tag="field", aad="order-no"),
    "label": Profile(OAEP256, label="wbface \u00e9"), "label_sha1": Profile(("SHA-1", "SHA-1"), label="L", mode="cbc"),
    "rsa_without_padding": Profile(None, rsa="weak-none", mode="cbc"),
    "rsa_without_padding_base64": Profile(None, "base64", rsa="weak-none", aad="order-no"),
    "key_in_hex": Profile(OAEP256, key_encoding="hex"),
    "iv_in_hex": Profile(None, mode="cbc", iv="field", iv_encoding="hex"),
    "iv_as_text": Profile(None, mode="cbc", iv="field", iv_encoding="text"),
    "tag_in_hex": Profile(OAEP256, tag="field", tag_encoding="hex", key_encoding="base64-url"),
    "hex_lines": Profile(OAEP256, encoding="hex-lines"),
    "inner_base64": Profile(OAEP256, inner="base64"),
    "inner_base64_cbc": Profile(None, "ascii", mode="cbc", iv="caller", inner="base64"),
    "inner_data_uri": Profile(OAEP256, inner="data-uri"),
    "inner_data_uri_ecb": Profile(None, mode="ecb", iv="none", inner="data-uri"),
}


def wider() -> dict[str, bytes]:
    """Under each of these: a video and lengths around a block, as far as they come back; and what must not open."""
    cases: dict[str, bytes] = {}

    def add(name: str, profile: Profile, document: dict[str, str], content: Optional[bytes], expect: Optional[str] = None) -> None:
        iv = {"iv_cut": LONG_IV, "iv_filled": b"0123456789"}.get(name.split("__")[0], CALLER_IV)
        members = json.dumps({"schema": "evidence-profile-1", "name": "wider", **profile.members()})
        cases[name] = case(
            document, payload=hashlib.sha256(content).hexdigest() if content is not None else None, expect=expect,
            profile=members, key="rsa2048.pem", iv=iv.decode() if profile.iv == "caller" else None)

    for name, profile in WIDER.items():
        contents = {"mp4": media("clip.mp4"), **{f"{count}_bytes": bytes(range(1, count + 1)) for count in (0, 1, 16, 17)}}
        for kind, content in contents.items():
            if profile.padding == "none" and (not content or len(content) % 16):
                content = bytes(range(1, 33)) if kind == "mp4" else b""
                if not content:
                    continue
            iv = {"iv_cut": LONG_IV, "iv_filled": b"0123456789"}.get(name, CALLER_IV)
            add(f"{name}__{kind}", profile, fields(profile, content, label=kind, caller_iv=iv), content)
    # Line feeds behind the text, as command lines leave them.
    lines = Profile(OAEP256, encoding="base64-lines")
    short = {name: value + "\n" if name != "orderNo" else value for name, value in
        fields(Profile(OAEP256), VIDEO, label="line feed").items()}
    add("line_feed_behind_base64", lines, short, VIDEO)
    hexed = {name: value + "\r\n" if name != "orderNo" else value for name, value in
        fields(Profile(OAEP256, encoding="hex"), VIDEO, label="line feed").items()}
    add("line_feed_behind_hex", Profile(OAEP256, encoding="hex-lines"), hexed, VIDEO)
    # A tag that covers no order needs none.
    unordered = fields(JAVA, VIDEO, label="no order")
    del unordered["orderNo"]
    add("order_number_is_not_needed", JAVA, unordered, VIDEO)
    # An encoding with line breaks reads text without them, and no other pair reads each other's.
    plain = fields(Profile(OAEP256), VIDEO, label="one line")
    add("one_line_under_base64_lines", lines, plain, VIDEO)
    add("lines_under_base64", Profile(OAEP256), fields(lines, VIDEO, label="one line"), None, "invalid-base64")
    add("base64_under_base64_url", Profile(OAEP256, encoding="base64-url"), plain, None, "invalid-base64")
    add("base64_url_under_base64_lines", lines, fields(Profile(OAEP256, encoding="base64-url"), VIDEO, label="one line"), None, "invalid-base64")
    hex_lines = Profile(OAEP256, encoding="hex-lines")
    in_hex = fields(Profile(OAEP256, encoding="hex"), VIDEO, label="one line")
    add("one_line_under_hex_lines", hex_lines, in_hex, VIDEO)
    add("lines_under_hex", Profile(OAEP256, encoding="hex"), fields(hex_lines, VIDEO, label="one line"), None, "invalid-hex")
    # What must not open, and in which words.
    labelled = WIDER["label"]
    add("label_is_another", dataclasses.replace(labelled, label="other"), fields(labelled, VIDEO, label="x"), None, "cannot-open")
    add("label_is_none", dataclasses.replace(labelled, label=""), fields(labelled, VIDEO, label="x"), None, "cannot-open")
    order = WIDER["aad_order_number"]
    add("order_number_is_another", order, {**fields(order, VIDEO, label="x"), "orderNo": "order20250002"}, None, "cannot-open")
    without = fields(order, VIDEO, label="x")
    del without["orderNo"]
    add("order_number_is_missing", order, without, None, "missing-field")
    bare = WIDER["rsa_without_padding_base64"]
    message = base64.b64encode(Stream("bare").take(32))
    shifted = by_hand.encrypt_block(bytes(256 - 45) + b"\x01" + message, "rsa2048.pem")
    document = fields(bare, VIDEO, label="x", message=message)
    add("something_before_the_bare_key", bare, {**document, "videoEncryptAESKey": text(shifted, "base64")}, None, "cannot-open")
    # Multiplied by 256 to the power of e, the key is moved by a byte, and its first byte is no zero any more.
    gcm = Profile(None, rsa="weak-none")
    document = fields(gcm, VIDEO, label="x")
    n = by_hand.modulus("rsa2048.pem")
    moved = int.from_bytes(base64.b64decode(document["videoEncryptAESKey"]), "big") * pow(256, 65537, n) % n
    add("bare_key_moved_by_a_byte", gcm, {**document, "videoEncryptAESKey": text(moved.to_bytes(256, "big"), "base64")}, None, "cannot-open")
    add("tag_is_behind", WIDER["tag_prefixed"], fields(Profile(OAEP256), VIDEO, label="x"), None, "cannot-open")
    add("nonce_is_shorter", Profile(OAEP256, nonce=16), fields(Profile(OAEP256), VIDEO, label="x"), None, "cannot-open")
    add("inner_is_no_base64", Profile(OAEP256, inner="base64"), fields(Profile(OAEP256), VIDEO, label="x"), None, "invalid-base64")
    ecb = Profile(None, mode="ecb", iv="none")
    add("inner_is_no_base64_without_a_tag", dataclasses.replace(ecb, inner="base64"), fields(ecb, VIDEO, label="x"), None, "cannot-open")
    key48 = Profile(None, mode="cbc", iv="wrapped")
    add("no_iv_behind_the_key", key48, fields(key48, VIDEO, label="x", message=Stream("short").take(32)), None, "cannot-open")
    return cases


JAVA, WBFACE, ZOLOZ = PRESETS["java-default"], PRESETS["wbface-simple"], PRESETS["zoloz"]


def with_text(label: str, change, profile: Profile = JAVA, field: str = "userVideoString") -> dict[str, object]:
    """A payload with the characters of one field changed."""
    payload: dict[str, object] = dict(fields(profile, VIDEO, label=label))
    payload[field] = change(payload[field])
    return payload


def diagnoses() -> dict[str, bytes]:
    """The ten commonest failures, by their number, and what a diagnosis says to each.

    expect: `opens` and the profile, or the code of the cause. says: words of the sentence or of a finding. needs: the
    repair without which the profile does not open it.
    """
    cases: dict[str, bytes] = {}

    def add(
        name: str, payload, expect: str, says: str, key: str = "rsa2048.pem", iv=None, repair=None, needs=None,
    ) -> None:
        cases[name] = case(payload, expect=expect, says=says, key=key, iv=iv, repair=repair, needs=needs)

    add("01_mgf1_of_java", fields(JAVA, VIDEO), "opens java-default", "what Java calls OAEP")
    add("01_oaep_of_sha1", fields(Profile(("SHA-1", "SHA-1")), VIDEO), "opens found", "has SHA-256 for both")
    add("01_pkcs1_where_oaep_was_meant", fields(ZOLOZ, VIDEO), "opens found", "code that expects OAEP")
    add(
        "02_unwraps_to_garbage",
        fields(Profile(None, mode="cbc"), VIDEO, "rsa3072.pem"),
        "wrapping", "random bytes", "other3072.pem",
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
        "opens java-default", "3 RSA blocks", needs="wrapped-key",
    )
    add("04_key_of_another_size", fields(JAVA, VIDEO, "rsa4096.pem"), "key-size", "RSA-4096")
    add(
        "04_wrapped_key_cut",
        with_text("cut key", lambda t: text(base64.b64decode(t)[:-9], "base64"), field="videoEncryptAESKey"),
        "cut-off", "the size of no usual RSA key",
    )
    add("05_iv_in_base64", fields(WBFACE, VIDEO), "opens found", "decoded from base64",
        iv=base64.b64encode(CALLER_IV).decode())
    add("05_iv_in_hex", fields(WBFACE, VIDEO), "opens found", "decoded from hex", iv=CALLER_IV.hex())
    add("05_iv_unknown", fields(WBFACE, VIDEO), "unproven", "compare the IVs with the app's configuration")
    add("05_iv_of_another_build", fields(WBFACE, media("photo.jpg")), "unproven", "ask how its text becomes bytes",
        iv="fedcba9876543210")
    add("05_key_in_hex", fields(Profile(None, "hex", 128, "ecb", "none"), VIDEO), "opens found", "an AES-128 key in hex")
    add("05_key_in_base64", fields(Profile(("SHA-1", "SHA-1"), "base64", 128), VIDEO), "opens found", "an AES-128 key in base64")
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
    add("key_under_its_android_name", android, "opens java-default", "userEncryptKey")
    add("never_sealed", plain, "not-sealed", "an MP4 video")
    gcm = fields(JAVA, VIDEO)
    changed = bytearray(base64.b64decode(gcm["userVideoString"]))
    changed[2000] ^= 1
    add("altered", {**gcm, "userVideoString": text(bytes(changed), "base64")}, "tag", "structurally complete")
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
