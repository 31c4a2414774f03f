# SPDX-License-Identifier: Apache-2.0
"""Cases refused on opening: the layers base64, length and open."""

from __future__ import annotations

import rsa_by_hand as by_hand
from evidence_v1 import associated_data, write_payload
from kit import (
    KEY,
    ORDER,
    VIDEO,
    Kit,
    b64,
    changed,
    once,
    plain_payload,
    seal_field,
    sealed_payload,
    wrap,
    wrap_to_leading_zero,
)
from primitives import plus_modulus
from rsa_by_hand import Stream


def not_base64(length: int, label: str) -> dict[str, bytes]:
    """Ways to spoil the base64 of `length` bytes, each the fault alone; JSON text without the quotation marks."""
    data = Stream(label).take(length)
    text = b64(data)
    assert b"+" in text and b"/" in text
    letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    faults = {
        "url_safe_alphabet": text.replace(b"+", b"-").replace(b"/", b"_"),
        "line_feed": text[:64] + b"\\n" + text[64:],
        "carriage_return_line_feed": text[:64] + b"\\r\\n" + text[64:],
        "line_feed_at_end": text + b"\\n",
        "tab": text[:4] + b"\\t" + text[4:],
        "space_at_start": b" " + text,
        "space_at_end": text + b" ",
        "space_for_plus": text.replace(b"+", b" "),
        "equals_in_the_middle": text[:8] + b"=" + text[9:],
        "padded_twice": text[:4] + b"AA==" + text[4:],
        "four_equals_at_end": text + b"====",
        "one_letter_more": text + b"A",
        "one_equals_more": text + b"=",
        "one_letter_fewer": text[:40] + text[41:],
        "data_uri": b"data:application/octet-stream;base64," + text,
        "percent_encoded": text.replace(b"+", b"%2B"),
        "zero_character": text + b"\\u0000",
        "not_ascii": text[:4] + "\u00e9".encode("utf-8") + text[5:],
        "full_width_letter": text[:4] + "\uff21".encode("utf-8") + text[5:],
    }
    padding = text.count(b"=")
    if padding:
        last = letters.index(text[-padding - 1])
        faults["padding_missing"] = text.rstrip(b"=")
        faults["unused_bits"] = text[: -padding - 1] + letters[last + 1 : last + 2] + b"=" * padding
    if padding == 2:
        faults["one_equals_missing"] = text[:-1]
    return faults


def base64_layer(kit: Kit) -> None:
    # 3072 bits are a multiple of three bytes, so that there is no padding to spoil; 2048 leave one byte over.
    content_key, sealed = seal_field("base64", VIDEO)
    wrapped = wrap("base64", content_key, "rsa2048.pem")
    small = write_payload(ORDER, wrapped, sealed)
    for name, text in not_base64(256, "spoilt key").items():
        kit.case(
            f"base64_wrapped_key_{name}",
            "base64",
            "in videoEncryptAESKey",
            once(small, b64(wrapped), text),
            key="rsa2048.pem",
        )
    for padding, length in [(0, 300), (1, 302), (2, 301)]:
        for name, text in not_base64(length, f"spoilt video {length}").items():
            spoilt_end = name in ("padding_missing", "unused_bits")
            if padding == 2 or (padding == 1 and spoilt_end):
                suffix = f"_{padding}_equals" if spoilt_end else ""
                kit.case(
                    f"base64_video_{name}{suffix}",
                    "base64",
                    "in userVideoString",
                    kit.with_video(b'"' + text + b'"'),
                )
    kit.case("base64_wrapped_key_space", "base64", "one space is not an empty wrapped key", kit.with_key(b'" "'))
    for name, text in not_base64(301, "spoilt photo").items():
        kit.case(
            f"base64_photo_{name}",
            "base64",
            "in userImageString",
            kit.with_fields(b'"userImageString":"' + text + b'",'),
            mode="photo",
        )
    for name, text in not_base64(301, "spoilt plain video").items():
        kit.case(
            f"base64_plain_{name}", "base64", "in a plain userVideoString", plain_payload(video=text), mode="plain"
        )


def length_layer(kit: Kit) -> None:
    def refuse(name: str, comment: str, wrapped: bytes, sealed: bytes, key: str = KEY) -> None:
        kit.case(f"length_{name}", "length", comment, write_payload(ORDER, wrapped, sealed), key=key)

    refuse("wrapped_key_one_byte_short", "its last byte cut off", kit.wrapped[:-1], kit.sealed)
    refuse("wrapped_key_one_byte_long", "a zero byte appended", kit.wrapped + b"\x00", kit.sealed)
    refuse("wrapped_key_zero_in_front", "the same number in one byte more", b"\x00" + kit.wrapped, kit.sealed)
    refuse("wrapped_key_of_1_byte", "far too short", b"\x00", kit.sealed)
    refuse(
        "wrapped_key_leading_zero_dropped",
        "the same number in one byte less",
        wrap_to_leading_zero(kit.content_key)[1:],
        kit.sealed,
    )
    refuse(
        "wrapped_key_for_2048_bits",
        "opened with a key of 3072 bits",
        wrap("for 2048", kit.content_key, "rsa2048.pem"),
        kit.sealed,
    )
    refuse("wrapped_key_for_3072_bits", "opened with a key of 2048 bits", kit.wrapped, kit.sealed, "rsa2048.pem")
    for length in range(28):
        refuse(f"sealed_field_of_{length}_bytes", "28 at least", kit.wrapped, kit.sealed[:length])


def open_layer(kit: Kit) -> None:
    def refuse(name: str, comment: str, wrapped: bytes, sealed: bytes, order: str = ORDER, key: str = KEY) -> None:
        kit.case(f"open_{name}", "open", comment, write_payload(order, wrapped, sealed), key=key)

    content_key, wrapped, sealed = kit.content_key, kit.wrapped, kit.sealed
    refuse("wrong_key", "sealed for rsa3072", wrapped, sealed, key="other3072.pem")
    refuse("other_order", "sealed for another order number", wrapped, sealed, order="order20250002")
    refuse("other_order_in_case", "equal but for one letter's case", wrapped, sealed, order=ORDER.capitalize())
    refuse("other_order_shorter", "the same order number without its last digit", wrapped, sealed, order=ORDER[:-1])
    kit.case(
        "open_other_order_in_enclosing_result",
        "open",
        "no order number in the payload object, another one around it",
        kit.whole_result(b'"orderNo":"order20250002",', kit.without_order()[:-1]),
    )
    identify_key, identify = seal_field("identify", b"a comparison statement", field="identifyStr")
    wrapped_identify_key = wrap("identify", identify_key)
    refuse("identify_str_as_video", "an identifyStr and its key moved to the video", wrapped_identify_key, identify)
    kit.case(
        "open_wrapped_keys_exchanged",
        "open",
        "each sealed field with the other's key",
        write_payload(ORDER, wrapped_identify_key, sealed)[:-2]
        + b',"encryptAESKey":"%s","identifyStr":"%s"}\n' % (b64(wrapped), b64(identify)),
    )
    other_key, other_sealed = seal_field("other", b"another video")
    other_wrapped = wrap("other", other_key)
    refuse("video_of_another_payload", "of the same order number", wrapped, other_sealed)
    refuse("wrapped_key_of_another_payload", "of the same order number", other_wrapped, sealed)

    refuse("tag_one_byte_short", "the last byte cut off", wrapped, sealed[:-1])
    refuse("byte_appended", "a zero byte after the tag", wrapped, sealed + b"\x00")
    refuse("tag_changed", "its last byte", wrapped, changed(sealed, -1))
    refuse("tag_missing", "all 16 bytes cut off", wrapped, sealed[:-16])
    refuse("nonce_changed", "its first byte", wrapped, changed(sealed, 0))
    refuse("nonce_missing", "all 12 bytes cut off", wrapped, sealed[12:])
    refuse("nonce_at_end", "ciphertext, tag, nonce", wrapped, sealed[12:] + sealed[:12])
    refuse("tag_before_ciphertext", "nonce, tag, ciphertext", wrapped, sealed[:12] + sealed[-16:] + sealed[12:-16])
    refuse("ciphertext_changed", "its first byte", wrapped, changed(sealed, 12))
    refuse("ciphertext_missing", "nonce and tag alone", wrapped, sealed[:12] + sealed[-16:])
    empty_key, empty = seal_field("empty changed", b"")
    refuse(
        "empty_video_tag_changed",
        "28 bytes, the last one changed",
        wrap("empty changed", empty_key),
        changed(empty, -1),
    )
    large_key, large = seal_field("large changed", Stream("large changed").take(200000))
    large_wrapped = wrap("large changed", large_key)
    refuse(
        "long_video_last_byte_of_tag_changed",
        "more than one chunk; nothing of it may be released",
        large_wrapped,
        changed(large, -1),
    )
    refuse("long_video_cut", "ends inside the ciphertext", large_wrapped, large[:150000])

    # K has another length, yet what it sealed is right as such: a substitute must stand in for it.
    sixteen, twenty_four = content_key[:16], content_key[:24]
    for length, name, used in [
        (0, "no_bytes", bytes(32)),
        (16, "16_bytes", sixteen),
        (24, "24_bytes", twenty_four),
        (16, "16_bytes_filled_with_zeros", sixteen + bytes(16)),
        (31, "31_bytes", content_key[:31] + b"\x00"),
        (33, "33_bytes", content_key),
        (64, "64_bytes", content_key),
    ]:
        kept = Stream("long content key").take(64) if length > 32 else content_key
        if length > 32:
            used = kept[:32]
        _, field = seal_field(f"K {name}", VIDEO, content_key=used)
        how = f"AES-{8 * len(used)}" if len(used) == length else "cut or filled with zeros to 32 bytes"
        refuse(
            f"content_key_of_{name}", f"K of {length} bytes, used as {how}", wrap(f"K {name}", kept[:length]), field
        )

    for name, hash_name, mgf1_hash in [
        ("sha1", "SHA-1", "SHA-1"),
        ("sha256_mgf1_sha1", "SHA-256", "SHA-1"),
        ("sha1_mgf1_sha256", "SHA-1", "SHA-256"),
        ("sha512", "SHA-512", "SHA-512"),
    ]:
        refuse(
            f"oaep_{name}",
            f"OAEP with {hash_name}, MGF1 with {mgf1_hash}",
            wrap(name, content_key, hash_name=hash_name, mgf1_hash=mgf1_hash),
            sealed,
        )
    refuse(
        "oaep_label",
        "OAEP with the label userVideoString",
        wrap("label", content_key, label=b"userVideoString"),
        sealed,
    )
    refuse(
        "pkcs1_v15",
        "wrapped with PKCS #1 v1.5",
        by_hand.pkcs1_v15_wrap(content_key, KEY, Stream("wrap pkcs1")),
        sealed,
    )
    raw = bytes(384 - 32) + content_key
    refuse("no_padding", "K as a bare number", by_hand.encrypt_block(raw, KEY), sealed)
    refuse("content_key_not_wrapped", "K itself, after zeros", raw, sealed)
    refuse(
        "wrapped_key_plus_modulus",
        "the number is not less than the modulus",
        plus_modulus(content_key, KEY, "kit"),
        sealed,
    )
    refuse(
        "wrapped_key_is_modulus",
        "the number is not less than the modulus",
        by_hand.modulus(KEY).to_bytes(384, "big"),
        sealed,
    )
    refuse("wrapped_key_all_zero", "the number 0", bytes(384), sealed)
    refuse("wrapped_key_all_ones", "every bit set", b"\xff" * 384, sealed)
    refuse("wrapped_key_is_1", "the number 1", bytes(383) + b"\x01", sealed)
    block = by_hand.oaep_block(content_key, Stream("first byte").take(32), 384, first_byte=1)
    refuse("oaep_first_byte_not_zero", "else well-formed", by_hand.encrypt_block(block, KEY), sealed)

    right = associated_data("userVideoString", ORDER)
    order = ORDER.encode()
    for name, comment, aad in [
        ("aad_missing", "sealed without AAD", b""),
        ("aad_without_last_line_feed", "sealed without the last LF of the AAD", right[:-1]),
        ("aad_with_crlf", "CR LF in place of LF", right.replace(b"\n", b"\r\n")),
        ("aad_with_zero_bytes", "00 in place of LF", right.replace(b"\n", b"\x00")),
        ("aad_other_profile", "evidence-v2", right.replace(b"-v1", b"-v2")),
        ("aad_order_only", "the order number alone", order),
        ("aad_order_before_field", "order number, then field name", b"evidence-v1\n%s\nuserVideoString\n" % order),
        (
            "aad_key_field_name",
            "videoEncryptAESKey in place of userVideoString",
            right.replace(b"userVideoString", b"videoEncryptAESKey"),
        ),
        ("aad_twice", "the AAD twice", right * 2),
    ]:
        field_key, field = seal_field(name, VIDEO, aad=aad)
        refuse(name, comment, wrap(name, field_key), field)

    kit.case(
        "open_every_byte_flipped",
        "open",
        "opens as it is, and never with any one byte changed",
        sealed_payload("flip", b"flip me", "rsa2048.pem"),
        key="rsa2048.pem",
        derive="flip-every-sealed-byte",
    )
    kit.case(
        "open_every_byte_flipped_empty_video",
        "open",
        "opens as it is, and never with any one byte changed",
        sealed_payload("flip empty", b"", "rsa2048.pem"),
        key="rsa2048.pem",
        derive="flip-every-sealed-byte",
    )
