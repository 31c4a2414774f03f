# SPDX-License-Identifier: Apache-2.0
"""The cases of evidence-v2 (FORMATS.md §8)."""

from __future__ import annotations

import hashlib
from typing import Optional

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import evidence_v1
import evidence_v2
from evidence_v1 import write_payload
from evidence_v2 import FULL, HEADER_BYTES, PREFIX, SEALED, context, seal_field
from kit import KEY, ORDER, PHOTO, VIDEO, Kit, b64, changed, media, once, seal_field as seal_v1, wrap
from rsa_by_hand import Stream, private_key

V2 = evidence_v2.PROFILE


def secrets(name: str) -> tuple[bytes, bytes]:
    """A content key and a salt."""
    stream = Stream(f"v2 {name}")
    return stream.take(32), stream.take(24)


def content(size: int) -> bytes:
    return (VIDEO * (size // len(VIDEO) + 1))[:size]


def sealed_v2(name: str, plaintext: bytes, order: str = ORDER, field: str = "userVideoString") -> tuple[bytes, bytes]:
    key, salt = secrets(name)
    return key, seal_field(plaintext, key, salt, context(field, order))


def payload_v2(name: str, plaintext: bytes, key: str = KEY, order: str = ORDER) -> bytes:
    content_key, sealed = sealed_v2(name, plaintext, order)
    return write_payload(order, wrap(name, PREFIX + content_key, key), sealed)


def key_id(key: str) -> bytes:
    """The beginning of the key's fingerprint (§1.2)."""
    form = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(private_key(key).public_key().public_bytes(*form)).hexdigest()[:16].encode()


# --- A chunk that opens under two keys ----------------------------------------------------------
# GCM's tag is a polynomial in the key's H over GF(2^128), so one free block of ciphertext makes any tag right
# (Dodis, Grubbs, Ristenpart, Woodage: "Fast Message Franking", CRYPTO 2018; Len, Grubbs, Ristenpart: "Partitioning
# Oracle Attacks", USENIX Security 2021).


def times(x: int, y: int) -> int:
    """In GF(2^128) with GCM's order of bits."""
    z = 0
    for i in range(127, -1, -1):
        if y >> i & 1:
            z ^= x
        x = x >> 1 ^ (0xE1 << 120 if x & 1 else 0)
    return z


def power(x: int, n: int) -> int:
    result = 1 << 127
    while n:
        if n & 1:
            result = times(result, x)
        x, n = times(x, x), n >> 1
    return result


def block_cipher(key: bytes, block: bytes) -> int:
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return int.from_bytes(encryptor.update(block), "big")


def chunk_of_two_keys(first: evidence_v2.Keys, second: evidence_v2.Keys, plaintext: bytes) -> bytes:
    """Chunk 0, of whole blocks: `plaintext` under the first key but for its last block, and something under the second."""
    assert len(plaintext) % 16 == 0
    ciphertext = bytearray(first.seal_chunk(0, plaintext)[:-16])
    ciphertext[-16:] = bytes(16)
    blocks = [int.from_bytes(ciphertext[i : i + 16], "big") for i in range(0, len(ciphertext), 16)]
    length = len(ciphertext) * 8
    powers, sums = [], []
    for keys in (first, second):
        h = block_cipher(keys.key, bytes(16))
        tag = block_cipher(keys.key, keys.nonce(0) + b"\0\0\0\1")
        # The sum of block i times H^(m - i + 1), and the lengths times H; the last block, times H^2, is missing.
        accumulator = 0
        for block in blocks:
            accumulator = times(accumulator ^ block, h)
        sums.append(times(accumulator ^ length, h) ^ tag)
        powers.append(times(h, h))
    free = times(sums[0] ^ sums[1], power(powers[0] ^ powers[1], 2**128 - 2))
    ciphertext[-16:] = free.to_bytes(16, "big")
    tag = sums[0] ^ times(free, powers[0])
    chunk = bytes(ciphertext) + tag.to_bytes(16, "big")
    assert first.open_chunk(0, chunk) != second.open_chunk(0, chunk)
    return chunk


# --- A field of two formats ---------------------------------------------------------------------


def tag_of(key: bytes, nonce: bytes, aad: bytes, ciphertext: bytes) -> int:
    """GCM's tag of a ciphertext."""
    stream = AESGCM(key).encrypt(nonce, bytes(len(ciphertext)), None)
    plaintext = bytes(a ^ b for a, b in zip(ciphertext, stream))
    return int.from_bytes(AESGCM(key).encrypt(nonce, plaintext, aad)[-16:], "big")


class TwoFormats:
    """One sealed field that opens as evidence-v2 under one content key and as evidence-v1 under another.

    The nonce of evidence-v1 is the first half of the salt, and both formats end in the same tag. Both tags are affine in
    the ciphertext over GF(2), so 160 free bits satisfy the 128 equations that make them equal."""

    FREE = 20

    def __init__(self, order: str = ORDER, field: str = "userVideoString") -> None:
        stream = Stream(f"v2 two formats {order}")
        self.key_v1, self.key_v2, salt = stream.take(32), stream.take(32), stream.take(24)
        keys = evidence_v2.Keys(self.key_v2, salt, context(field, order))
        front, nonce, aad = salt + keys.commitment, salt[:12], evidence_v1.associated_data(field, order)
        # One half of the chunk says something in evidence-v2, the other one in evidence-v1.
        first, second = (b"the video that evidence-v2 shows; " * 11)[:364], (b"the video that evidence-v1 shows; " * 11)[:344]
        as_v1 = bytes(len(front) - 12 + len(first)) + second
        ciphertext = keys.seal_chunk(0, first)[: len(first)] + AESGCM(self.key_v1).encrypt(nonce, as_v1, None)[-16 - len(second) : -16]

        def difference(free: int) -> int:
            chunk = ciphertext + free.to_bytes(self.FREE, "big")
            return tag_of(keys.key, keys.nonce(0), b"", chunk) ^ tag_of(self.key_v1, nonce, aad, front[12:] + chunk)

        constant = difference(0)
        # Gauss's elimination: each row is a sum of columns, and the bits of `free` that give it.
        rows: dict[int, tuple[int, int]] = {}
        for bit in range(8 * self.FREE):
            row, bits = reduced(difference(1 << bit) ^ constant, 1 << bit, rows)
            if row:
                rows[row.bit_length()] = (row, bits)
        rest, free = reduced(constant, 0, rows)
        assert rest == 0 and difference(free) == 0
        chunk = ciphertext + free.to_bytes(self.FREE, "big")
        self.sealed = front + chunk + tag_of(keys.key, keys.nonce(0), b"", chunk).to_bytes(16, "big")
        self.content_v2 = evidence_v2.open_field(self.sealed, self.key_v2, context(field, order))
        self.content_v1 = AESGCM(self.key_v1).decrypt(nonce, self.sealed[12:], aad)
        assert len(self.sealed) == 800 and self.content_v1 != self.content_v2


def reduced(row: int, bits: int, rows: dict[int, tuple[int, int]]) -> tuple[int, int]:
    while row and row.bit_length() in rows:
        other, others = rows[row.bit_length()]
        row, bits = row ^ other, bits ^ others
    return row, bits


# --- Padding before the end of the field --------------------------------------------------------


def misspelled(content_key: bytes, salt: bytes, plaintext: bytes, border: int, padding: int) -> bytes:
    """The text of a sealed field in which the group of four characters at a border of chunks ends in padding.

    `border` 0 is that of the header and the first chunk, 1 that of the first two chunks, and so on. The padding takes the
    place of one or two sealed bytes; the chunk that lacks them is shorter, and sealed validly, so that all other
    chunks stand where a reader of ranges expects them."""
    keys = evidence_v2.Keys(content_key, salt, context("userVideoString", ORDER))
    pieces = [salt + keys.commitment]
    end = HEADER_BYTES + border * SEALED
    group = (end - 1) // 3
    lost = range(3 * group + 3 - padding, 3 * group + 3)
    for number in range(len(plaintext) // FULL + 1):
        place = range(HEADER_BYTES + number * SEALED, HEADER_BYTES + (number + 1) * SEALED)
        chunk = plaintext[number * FULL : (number + 1) * FULL]
        pieces.append(keys.seal_chunk(number, chunk[: len(chunk) - sum(byte in place for byte in lost)]))
    sealed = b"".join(pieces)
    if border == 0 and padding == 2:  # The commitment loses its last byte.
        sealed = sealed[: HEADER_BYTES - 1] + sealed[HEADER_BYTES:]
    kept = 3 * group + 3 - padding
    return b64(sealed[:kept]) + b64(sealed[kept:])


# --- The cases ----------------------------------------------------------------------------------


def success(kit: Kit) -> None:
    sealed_photos(kit)
    for name, size in (
        ("empty", 0), ("of_1_byte", 1), ("one_byte_under_a_chunk", FULL - 1), ("of_a_chunk", FULL),
        ("one_byte_over_a_chunk", FULL + 1), ("of_3_chunks", 3 * FULL), ("of_3_chunks_and_some", 3 * FULL + 5_000),
        ("of_1_mib_and_1_byte", (1 << 20) + 1),
    ):
        plaintext = content(size)
        kit.opens(f"success_v2_{name}", f"evidence-v2, {size} bytes", payload_v2(name, plaintext), plaintext, profile=V2)
    clip = media("clip.mp4")
    kit.opens("success_v2_mp4", "evidence-v2, an MP4", payload_v2("mp4", clip), clip, profile=V2)
    for key in ("rsa2048.pem", "rsa4096.pem"):
        kit.opens(f"success_v2_{key[:-4]}", f"evidence-v2 for {key}", payload_v2(key, VIDEO, key), VIDEO, key, profile=V2)
    hints = (("right", b'"%s"' % key_id(KEY)), ("of_another_key", b'"%s"' % key_id("other3072.pem")), ("of_no_key", b'"0123456789abcdef"'), ("short", b'"01"'), ("number", b"1"), ("null", b"null"), ("object", b'{"keyId":[]}'))
    for name, hint in hints:
        payload = payload_v2("key hint", VIDEO)
        hinted = once(payload, b',"userVideo', b',"keyId":%s,"userVideo' % hint)
        kit.opens(f"success_v2_key_hint_{name}", "a hint at the key decides nothing", hinted, VIDEO, profile=V2)
    base = payload_v2("mp4", clip)
    order, key_field, video = (field for field in base[1:-2].split(b","))
    kit.opens("success_v2_key_last", "the wrapped key after the video", b"{" + b",".join((video, order, key_field)) + b"}\n", clip, profile=V2)
    kit.opens("success_v2_escaped", "each slash of the video is escaped", base.replace(video, video.replace(b"/", b"\\/")), clip, profile=V2)
    kit.opens("success_v2_in_a_result", "in a whole result", b'{"isSuccess":true,"simpleModeResult":' + base[:-1] + b"}\n", clip, profile=V2)


def sealed_photos(kit: Kit) -> None:
    """The reserved key of a sealed photo (§1)."""
    def payload(more: bytes, photo: bytes = PHOTO) -> bytes:
        return b'{"orderNo":"%s",%s"userImageString":"%s"}' % (ORDER.encode(), more, b64(photo))

    sealed = Stream("sealed photo").take(90)
    for name, more, layer in (
        ("key", b'"imageEncryptAESKey":"AAAA",', "payload"), ("key_in_the_other_object", b'"simpleModeResult":{"imageEncryptAESKey":"AAAA"},', "payload"),
        ("key_misspelled", b'"image_encrypt_aes_key":"",', "payload"), ("key_of_a_wrong_type", b'"imageEncryptAESKey":1,', "payload"),
        ("key_too_long", b'"imageEncryptAESKey":"%s",' % (b"A" * 4097), "json"),
    ):
        kit.case(f"{layer}_photo_{name}", layer, "a photo that is sealed, or a name like that of its key", payload(more, sealed), mode="photo")
    for name, more in (("null", b'"imageEncryptAESKey":null,'), ("empty", b'"imageEncryptAESKey":"",')):
        kit.case(f"success_photo_key_{name}", "success", "a photo that is not sealed", payload(more), PHOTO, mode="photo")


def refused(kit: Kit) -> None:
    def refuse(name: str, comment: str, payload: bytes, layer: str = "open", profile: str = V2, derive: Optional[str] = None) -> None:
        kit.case(f"{layer}_v2_{name}", layer, comment, payload, derive=derive, profile=profile)

    def made(name: str, comment: str, message: bytes, sealed: bytes, layer: str = "open", profile: str = V2) -> None:
        refuse(name, comment, write_payload(ORDER, wrap(f"v2 {name}", message), sealed), layer, profile)

    content_key, sealed = sealed_v2("base", VIDEO)
    message = PREFIX + content_key
    small = write_payload(ORDER, wrap("v2 base", message), sealed)
    large = payload_v2("large", content(2 * FULL + 100))
    even = payload_v2("even", content(2 * FULL))
    refuse("every_byte", "each byte of key and field changed", small, derive="flip-every-sealed-byte")
    refuse("every_beginning", "each beginning of the payload", small, layer="json", derive="truncate-everywhere")
    for name, payload in (("large", large), ("even", even)):
        refuse(f"cut_{name}", "cut at every border of a chunk, and up to 17 bytes beside it", payload, derive="cut-at-chunk-borders")
        refuse(f"rearranged_{name}", "chunks moved, left out, repeated, padded", payload, derive="rearrange-chunks")

    # The wrapped key.
    for name, other in (
        ("another_prefix", b"evidence-v1\n" + content_key), ("prefix_in_capitals", b"EVIDENCE-V2\n" + content_key),
        ("prefix_without_line_feed", b"evidence-v2 " + content_key), ("key_alone", content_key),
        ("key_of_31_bytes", message[:-1]), ("key_of_33_bytes", message + b"\0"), ("prefix_alone", PREFIX),
        ("nothing_wrapped", b""), ("another_key", PREFIX + secrets("other")[0]), ("prefix_twice", PREFIX + message),
    ):
        made(f"wrapped_{name}", "what is wrapped is not evidence-v2 LF and K", other, sealed)
    made("key_of_v2_with_a_field_of_v1", "the wrapped key of evidence-v2 before content of evidence-v1", message, seal_v1("v1", VIDEO)[1])
    v1_key, v1_sealed = seal_v1("v1", VIDEO)
    made("field_of_v2_with_a_key_of_v1", "and the other way round", v1_key, sealed)
    made("v1_under_the_prefix", "content of evidence-v1, its key under the prefix", PREFIX + v1_key, v1_sealed)
    refuse("is_v1", "evidence-v1 where evidence-v2 is taken", kit.base)
    kit.case("open_v1_is_v2", "open", "evidence-v2 where evidence-v1 is taken", small)

    # Both formats in one field: what is accepted is the reader's choice, never the wrapped key's.
    two = TwoFormats()
    for profile, key, released, other in (
        (V2, PREFIX + two.key_v2, two.content_v2, two.key_v1), (evidence_v1.PROFILE, two.key_v1, two.content_v1, PREFIX + two.key_v2),
    ):
        kit.opens(f"success_{profile[-2:]}_two_formats", "a field that is sealed in both formats, with the key of this one",
                  write_payload(ORDER, wrap(f"{profile} two formats", key), two.sealed), released, profile=profile)
        kit.case(f"open_{profile[-2:]}_two_formats", "open", "the same with the key of the other format",
                 write_payload(ORDER, wrap(f"{profile} other of two formats", other), two.sealed), profile=profile)

    # The context.
    base_key, salt = secrets("context")
    for name, what_for in (
        ("other_order", context("userVideoString", "other")), ("other_field", context("identifyStr", ORDER)),
        ("v1s_aad", evidence_v1.associated_data("userVideoString", ORDER)), ("order_in_capitals", context("userVideoString", ORDER.upper())),
        ("order_with_a_blank", context("userVideoString", ORDER + " ")), ("nothing", b""), ("no_line_feed", context("userVideoString", ORDER)[:-1]),
    ):
        made(f"context_{name}", "sealed for another context", PREFIX + base_key, seal_field(VIDEO, base_key, salt, what_for))
    other_order = payload_v2("other order", VIDEO, order="other")
    refuse("order_replaced", "the payload of another order under this order's number", once(other_order, b'"other"', b'"' + ORDER.encode() + b'"'))

    # Salt, commitment and chunks that do not belong together; two keys.
    again = seal_field(VIDEO, content_key, secrets("again")[1], context("userVideoString", ORDER))
    made("header_of_another_sealing", "salt and commitment of another sealing under the same key", message, again[:HEADER_BYTES] + sealed[HEADER_BYTES:])
    made("salt_of_another_sealing", "the salt alone", message, again[:24] + sealed[24:])
    first_key, salt = secrets("first of two")
    second_key = secrets("second of two")[0]
    what_for = context("userVideoString", ORDER)
    first = evidence_v2.Keys(first_key, salt, what_for)
    second = evidence_v2.Keys(second_key, salt, what_for)
    chunk = chunk_of_two_keys(first, second, content(320))
    field = salt + first.commitment + chunk
    kit.opens("success_v2_two_keys", "a chunk that opens under two keys, with the one it commits to",
              write_payload(ORDER, wrap("v2 first of two", PREFIX + first_key), field), first.open_chunk(0, chunk), profile=V2)
    made("two_keys", "the same with the other key: only the commitment refuses it", PREFIX + second_key, field)
    made("counter_from_1", "chunks that are counted from 1", message, sealed[:HEADER_BYTES] + evidence_v2.Keys(content_key, sealed[:24], what_for).seal_chunk(1, VIDEO))
    long_first = evidence_v2.Keys(content_key, sealed[:24], what_for).seal_chunk(0, content(FULL))
    made("full_chunk_last", "a full chunk, and no last one", message, sealed[:HEADER_BYTES] + long_first, "length")
    long = sealed[:HEADER_BYTES] + evidence_v2.Keys(content_key, sealed[:24], what_for).seal_chunk(0, content(FULL + 1))
    made("chunk_too_long", "a chunk of 16,385 bytes", message, long, "length")

    # Lengths.
    for length in (27, 28, 55, 56, 57, 71):
        made(f"{length}_bytes", "shorter than any field", message, sealed[:length], "length")
        made(f"{length}_bytes_wrong_key", "the same, and the key does not fit", PREFIX + secrets("other")[0], sealed[:length], "length")
    for extra in (1, 15):
        made(f"last_chunk_of_{extra}_bytes", "less than a tag behind a full chunk", message, sealed[:HEADER_BYTES] + long_first + bytes(extra), "length")
    refuse("wrapped_too_short", "a wrapped key that is not as long as the modulus", write_payload(ORDER, wrap("v2 base", message)[:-1], sealed), "length")
    wrapped_text = b64(wrap("v2 base", message))
    refuse("wrapped_is_v1s_length", "a wrapped key for RSA-2048", payload_v2("short", VIDEO, "rsa2048.pem"), "length")
    assert wrapped_text in small
    kit.case("base64_v2_in_the_chunks", "base64", "a character that is none, behind the commitment", once(small, b64(sealed)[200:204], b64(sealed)[200:203] + b"-"), profile=V2)
    assert changed(sealed, 0)[:24] != sealed[:24] and len(sealed) < SEALED
    key, salt = secrets("misspelled")
    for border in range(4):
        for padding in (1, 2):
            name = f"{padding}_at_border_{border}"
            text = misspelled(key, salt, content(3 * FULL + 1_000), border, padding)
            payload = write_payload(ORDER, wrap(f"v2 {name}", PREFIX + key), b"")
            kit.case(f"base64_v2_padding_of_{name}", "base64", "padding inside the field, at a border of chunks that are sealed validly",
                     once(payload, b'"userVideoString":""', b'"userVideoString":"' + text + b'"'), profile=V2)
