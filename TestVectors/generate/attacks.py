# SPDX-License-Identifier: Apache-2.0
"""Known-answer attacks: what the published descriptions of Project Wycheproof say must be tried on AES-GCM, AES-CBC,
RSA encryption and RSA keys, made anew, with the answer to each."""

from __future__ import annotations

import hashlib
import hmac
from math import gcd
from typing import Any, Callable, Optional

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import der
import evidence_v1
import primitives
import rsa_by_hand as by_hand
from primitives import Test, encrypt_blocks, flip, group, unpad
from rsa_by_hand import Stream

SOURCE = "Our own, after the published descriptions of what Project Wycheproof covers."

# --- AES-GCM ----------------------------------------------------------------------------------


def aes_gcm() -> dict[str, Any]:
    tests: list[Test] = []

    def add(
        name: str, key: bytes, nonce: bytes, aad: bytes, cipher: bytes, tag: bytes, expect: str = "", repeat: int = 1
    ) -> None:
        """What is to be expected is asked of `cryptography`, where it takes such lengths at all."""
        plain: Optional[bytes] = None
        if len(nonce) == 12 and len(tag) == 16:
            try:
                plain = AESGCM(key).decrypt(nonce, cipher + tag, aad * repeat)
            except primitives.InvalidTag:
                pass
        found = "length" if len(nonce) != 12 else "cannotOpen" if plain is None else "opens"
        assert found == expect, name
        test = {"name": name, "expect": expect, "key": key.hex(), "nonce": nonce.hex(), "aad": aad.hex()}
        test |= {"aadRepeat": repeat, "ciphertext": cipher.hex(), "tag": tag.hex()}
        if plain is not None:
            test["plaintext"] = plain.hex()
        tests.append(test)

    for bits in (128, 192, 256):
        stream = Stream(f"attack gcm {bits}")
        key, nonce, aad, plain = stream.take(bits // 8), stream.take(12), stream.take(33), stream.take(40)
        both = AESGCM(key).encrypt(nonce, plain, aad)
        cipher, tag = both[:-16], both[-16:]
        name = f"AES-{bits}"
        add(f"{name}, untouched", key, nonce, aad, cipher, tag, "opens")
        for bit in range(128):
            changed = bytearray(tag)
            changed[bit // 8] ^= 1 << bit % 8
            add(f"{name}, bit {bit} of the tag changed", key, nonce, aad, cipher, bytes(changed), "cannotOpen")
        for what, wrong in {
            "every bit of the tag changed": bytes(byte ^ 0xFF for byte in tag),
            "the lowest bit of each byte of the tag changed": bytes(byte ^ 1 for byte in tag),
            "the highest bit of each byte of the tag changed": bytes(byte ^ 0x80 for byte in tag),
            "both halves of the tag changed alike": bytes(byte ^ 0x55 for byte in tag[:8] + tag[8:]),
            "the halves of the tag exchanged": tag[8:] + tag[:8],
            "the tag turned around": tag[::-1],
            "tag of zeros": bytes(16),
            "tag of ones": b"\xff" * 16,
            "tag of an empty text": AESGCM(key).encrypt(nonce, b"", b""),
            "tag without the AAD": AESGCM(key).encrypt(nonce, plain, b"")[-16:],
            "tag under the next nonce": AESGCM(key).encrypt(flip(nonce), plain, aad)[-16:],
        }.items():
            add(f"{name}, {what}", key, nonce, aad, cipher, wrong, "cannotOpen")
        for count in range(16):
            add(f"{name}, tag cut to {count} bytes", key, nonce, aad, cipher, tag[:count], "cannotOpen")
        for count in (17, 24, 32):
            longer = (tag + tag)[:count]
            add(f"{name}, tag of {count} bytes", key, nonce, aad, cipher, longer, "cannotOpen")
        add(f"{name}, ciphertext longer by a byte", key, nonce, aad, cipher + b"\0", tag, "cannotOpen")
        add(f"{name}, ciphertext longer by a block", key, nonce, aad, cipher + bytes(16), tag, "cannotOpen")
        add(f"{name}, ciphertext shorter by a block", key, nonce, aad, cipher[:-16], tag, "cannotOpen")
        add(f"{name}, ciphertext taken away", key, nonce, aad, b"", tag, "cannotOpen")
        add(f"{name}, a byte of the AAD in the ciphertext", key, nonce, aad[:-1], aad[-1:] + cipher, tag, "cannotOpen")
        add(f"{name}, AAD and ciphertext exchanged", key, nonce, cipher, aad, tag, "cannotOpen")
        add(f"{name}, AAD filled up with zeros to a block", key, nonce, aad + bytes(15), cipher, tag, "cannotOpen")
        for count in (*range(12), *range(13, 18), 24, 32, 64, 256):
            add(f"{name}, nonce of {count} bytes", key, (nonce * 22)[:count], aad, cipher, tag, "length")
        add(f"{name}, nonce with a zero appended", key, nonce + b"\0", aad, cipher, tag, "length")
        add(f"{name}, the first counter block as nonce", key, nonce + b"\0\0\0\1", aad, cipher, tag, "length")
        # The counter beside a nonce of 12 bytes begins at 1 and must not carry into it.
        for what, edge in {
            "zeros": bytes(12),
            "ones": b"\xff" * 12,
            "a last byte of FF": nonce[:11] + b"\xff",
            "the last four bytes FF": nonce[:8] + b"\xff" * 4,
        }.items():
            long = stream.take(16 * 20)
            sealed = AESGCM(key).encrypt(edge, long, aad)
            add(f"{name}, nonce of {what}, 20 blocks", key, edge, aad, sealed[:-16], sealed[-16:], "opens")
            add(f"{name}, nonce of {what}, one bit changed", key, flip(edge, 0), aad, sealed[:-16], sealed[-16:], "cannotOpen")
        for repeat in (1, 15, 16, 17, 4096, 65_537):
            sealed = AESGCM(key).encrypt(nonce, b"", aad * repeat)
            add(f"{name}, no text, {33 * repeat} bytes of AAD", key, nonce, aad, b"", sealed, "opens", repeat)
            add(f"{name}, no text, {33 * repeat} bytes of AAD, tag changed", key, nonce, aad, b"", flip(sealed), "cannotOpen", repeat)
            add(f"{name}, no text, 33 bytes of AAD more than {33 * repeat}", key, nonce, aad, b"", sealed, "cannotOpen", repeat + 1)
        alone = AESGCM(key).encrypt(nonce, b"", b"")
        add(f"{name}, no text, no AAD", key, nonce, b"", b"", alone, "opens")
        add(f"{name}, no text, no AAD, tag changed", key, nonce, b"", b"", flip(alone), "cannotOpen")
    return group(
        SOURCE,
        "AAD: aad, aadRepeat times. expect: opens; cannotOpen, which is also the answer to a tag that has not 16 "
        "bytes; length, a nonce that has not 12 bytes. Longer nonces, whose counters can wrap after a few blocks, are "
        "never taken.",
        tests,
    )


# --- AES-CBC ----------------------------------------------------------------------------------


def aes_cbc() -> dict[str, Any]:
    """Every last byte, every wrong byte in every padding, every length, and the paddings of other standards."""
    tests: list[Test] = []

    def add(name: str, key: bytes, iv: bytes, blocks: bytes, cipher: Optional[bytes] = None) -> None:
        cipher = encrypt_blocks(key, iv, blocks) if cipher is None else cipher
        plain = unpad(blocks) if len(cipher) % 16 == 0 else None
        test = {"name": name, "expect": "opens" if plain is not None else "cannotOpen"}
        test |= {"key": key.hex(), "iv": iv.hex(), "ciphertext": cipher.hex()}
        if plain is not None:
            test["plaintext"] = plain.hex()
        tests.append(test)

    for bits in (128, 192, 256):
        stream = Stream(f"attack cbc {bits}")
        key, iv = stream.take(bits // 8), stream.take(16)
        start = bytes(17 + byte % 200 for byte in stream.take(31))  # nothing in it looks like padding
        name = f"AES-{bits}"
        for count in range(1, 17):
            padded = (start + bytes([17]))[: 32 - count] + bytes([count]) * count
            add(f"{name}, padding of {count} bytes", key, iv, padded)
            add(f"{name}, padding of {count} bytes, alone", key, iv, padded[16:])
        if bits != 256:
            continue  # padding is the same under any key
        for last in range(256):
            add(f"{name}, two blocks, last byte {last}", key, iv, start + bytes([last]))
            add(f"{name}, one block, last byte {last}", key, iv, start[:15] + bytes([last]))
        for count in range(1, 17):
            padded = (start + bytes([17]))[: 32 - count] + bytes([count]) * count
            for place in range(1, count):
                for what, value in {"0": 0, "one more": count + 1, "one less": count - 1, "80 more": count ^ 0x80}.items():
                    wrong = bytearray(padded)
                    wrong[32 - count + place - 1] = value
                    add(f"{name}, padding of {count} bytes, byte {place} of it {what}", key, iv, bytes(wrong))
        add(f"{name}, padding of 32 bytes", key, iv, b"\x20" * 32)
        add(f"{name}, a block of zeros", key, iv, start[:16] + bytes(16))
        for count in range(2, 17):
            text = start[: 32 - count]
            add(f"{name}, ANSI X9.23, {count} bytes", key, iv, text + bytes(count - 1) + bytes([count]))
            filler = start[:count - 1]
            add(f"{name}, ISO 10126, {count} bytes", key, iv, text + filler + bytes([count]))
            add(f"{name}, ISO 7816-4, {count} bytes", key, iv, text + b"\x80" + bytes(count - 1))
            add(f"{name}, zeros, {count} bytes", key, iv, text + bytes(count))
        whole = encrypt_blocks(key, iv, start[:16] + b"\x10" * 16)
        for count in range(34):
            if count % 16:
                add(f"{name}, {count} bytes", key, iv, b"", (whole + whole)[:count])
        add(f"{name}, no bytes", key, iv, b"", b"")
    return group(
        SOURCE,
        "PKCS#7 padding (RFC 5652 §6.3). expect: opens or cannotOpen, the one answer to every malformed padding and "
        "to every ciphertext that is not whole blocks.",
        tests,
    )


# --- RSA encryption ---------------------------------------------------------------------------


def edge_numbers(key: str) -> dict[str, bytes]:
    """Ciphertexts that are the same for every padding: numbers at the edges, and other lengths than the modulus's."""
    size, n = by_hand.modulus_bytes(key), by_hand.modulus(key)
    numbers = {
        "0": 0,
        "1": 1,
        "2": 2,
        "n - 2": n - 2,
        "n - 1": n - 1,
        "n": n,
        "n + 1": n + 1,
        "all ones": (1 << 8 * size) - 1,
        "half of n": n // 2,
    }
    found = {name: number.to_bytes(size, "big") for name, number in numbers.items()}
    return found | {"no bytes": b"", "one byte": b"\x01", "as long as half of n": bytes(size // 2)}


def with_other_lengths(wrapped: bytes) -> dict[str, bytes]:
    return {
        "last byte cut off": wrapped[:-1],
        "first byte cut off": wrapped[1:],
        "a zero before it": b"\0" + wrapped,
        "a zero after it": wrapped + b"\0",
        "twice": wrapped * 2,
    }


def rsa_oaep() -> dict[str, Any]:
    tests: list[Test] = []

    def add(name: str, key: str, wrapped: bytes, hashes: tuple[str, str] = ("SHA-256", "SHA-256")) -> None:
        message = by_hand.oaep_unwrap(wrapped, key, *hashes)
        is_length = len(wrapped) != by_hand.modulus_bytes(key)
        expect = "wrappedKeyLength" if is_length else "cannotOpen" if message is None else "opens"
        test = {"name": name, "expect": expect, "key": key, "hash": hashes[0], "mgf1Hash": hashes[1]}
        test["wrapped"] = wrapped.hex()
        if message is not None and not is_length:
            test["message"] = message.hex()
        tests.append(test)

    for hashes in (("SHA-256", "SHA-256"), ("SHA-1", "SHA-1"), ("SHA-256", "SHA-1"), ("SHA-512", "SHA-512")):
        key = "rsa2048.pem"
        size, label_hash = by_hand.modulus_bytes(key), by_hand.digest(hashes[0], b"")
        stream = Stream(f"attack oaep {hashes[0]} {hashes[1]}")
        seed, message = stream.take(len(label_hash)), stream.take(32)
        room = size - 1 - 2 * len(label_hash)  # of the data block after the label hash

        def block(rest: bytes, label: bytes = label_hash, first: int = 0, seed: bytes = seed) -> bytes:
            made = by_hand.oaep_block(b"", seed, size, *hashes, data_block=label + rest, first_byte=first)
            return by_hand.encrypt_block(made, key)

        name = f"OAEP {hashes[0]}, MGF1 {hashes[1]}"
        good = bytes(room - 33) + b"\x01" + message
        add(f"{name}, untouched", key, block(good), hashes)
        add(f"{name}, seed of zeros", key, block(good, seed=bytes(len(seed))), hashes)
        add(f"{name}, seed of ones", key, block(good, seed=b"\xff" * len(seed)), hashes)
        add(f"{name}, no message", key, block(bytes(room - 1) + b"\x01"), hashes)
        add(f"{name}, longest message", key, block(b"\x01" + bytes(room - 1)), hashes)
        add(f"{name}, message of 01 bytes", key, block(bytes(room - 33) + b"\x01" * 33), hashes)
        for first in (1, 2, 0x7F, by_hand.modulus(key) >> 8 * (size - 1)):
            try:
                add(f"{name}, first byte {first}", key, block(good, first=first), hashes)
            except AssertionError:
                pass  # not under the modulus: there is no such block
        for place in range(len(label_hash)):
            add(f"{name}, byte {place} of the label hash changed", key, block(good, flip(label_hash, place)), hashes)
        add(f"{name}, label hash of zeros", key, block(good, bytes(len(label_hash))), hashes)
        other = by_hand.digest(hashes[0], b"label")
        add(f"{name}, label hash of another label", key, block(good, other), hashes)
        for place in {0, 1, 7, 8, 15, 16, (room - 33) // 2, room - 34}:
            wrong = good[:place] + b"\x80" + good[place + 1 :]
            add(f"{name}, byte {place} of the padding not zero", key, block(wrong), hashes)
        for separator in (0, 2, 3, 0x80, 0xFF):
            wrong = bytes(room - 33) + bytes([separator]) + bytes(31) + b"\x07"
            add(f"{name}, {separator} in place of the 01", key, block(wrong), hashes)
        add(f"{name}, zeros and nothing else", key, block(bytes(room)), hashes)
        add(f"{name}, ones and nothing else", key, block(b"\xff" * room), hashes)
        add(f"{name}, no padding, and no 01", key, block(b"\x02" * room), hashes)
        add(f"{name}, PKCS#1 v1.5 in its place", key, by_hand.pkcs1_v15_wrap(message, key, stream), hashes)
        for made_with in (("SHA-1", "SHA-1"), ("SHA-256", "SHA-256"), ("SHA-256", "SHA-1"), ("SHA-1", "SHA-256")):
            if made_with != hashes:
                wrapped = by_hand.oaep_wrap(message, key, stream, *made_with)
                add(f"{name}, made with {made_with[0]}, MGF1 {made_with[1]}", key, wrapped, hashes)
        for what, wrapped in with_other_lengths(block(good)).items():
            add(f"{name}, {what}", key, wrapped, hashes)
    for key in ("rsa1024.pem", "rsa2048.pem", "rsa2048-e3.pem", "rsa3072.pem", "rsa4096.pem"):
        for what, wrapped in edge_numbers(key).items():
            add(f"{key}, the number {what}", key, wrapped)
    return group(
        SOURCE,
        "RSAES-OAEP (RFC 8017 §7.1), the label empty. key: a file of keys/. expect: opens; wrappedKeyLength, another "
        "length than the modulus's; cannotOpen, the one answer to everything else.",
        tests,
    )


def substitute(wrapped: bytes, key: str, count: int) -> bytes:
    """What the Swift code hands out where nothing unwraps: FORMATS.md §2.1."""
    return evidence_v1.substitute(wrapped, by_hand.private_key(key), count)


def rsa_pkcs1v15() -> dict[str, Any]:
    tests: list[Test] = []

    def add(name: str, key: str, wrapped: bytes, wanted: int, block: Optional[bytes]) -> None:
        """`block` None: the number is not under the modulus, or of another length."""
        size = by_hand.modulus_bytes(key)
        test = {"name": name, "key": key, "messageLength": wanted, "wrapped": wrapped.hex()}
        message = by_hand.pkcs1_v15_message(block) if block is not None else None
        if len(wrapped) != size:
            test["expect"] = "wrappedKeyLength"
        elif message is not None and len(message) == wanted:
            test |= {"expect": "message", "message": message.hex()}
        else:
            test |= {"expect": "substitute", "message": substitute(wrapped, key, wanted).hex()}
        tests.append(test)

    for key in ("rsa1024.pem", "rsa2048.pem"):
        size, stream = by_hand.modulus_bytes(key), Stream(f"attack pkcs1 {key}")
        message = by_hand.nonzero(stream, 32)
        room = size - 3 - len(message)

        def block(name: str, made: bytes, wanted: int = 32) -> None:
            assert len(made) == size, name
            if int.from_bytes(made, "big") < by_hand.modulus(key):
                add(f"{key}, {name}", key, by_hand.encrypt_block(made, key), wanted, made)

        padding = by_hand.nonzero(stream, room)
        good = b"\x00\x02" + padding + b"\x00" + message
        block("untouched", good)
        block("padding of FF", b"\x00\x02" + b"\xff" * room + b"\x00" + message)
        block("padding of 01", b"\x00\x02" + b"\x01" * room + b"\x00" + message)
        block("message of zeros", b"\x00\x02" + padding + b"\x00" + bytes(32))
        for first in (1, 2, 0x7F, 0x80, 0xFF):
            block(f"first byte {first}", bytes([first]) + good[1:])
        for kind in (0, 1, 3, 4, 0x10, 0x80, 0x82, 0xFF):
            block(f"block type {kind}", b"\x00" + bytes([kind]) + good[2:])
        block("block type 1, padding of FF", b"\x00\x01" + b"\xff" * room + b"\x00" + message)
        block("first bytes 02 00", b"\x02\x00" + good[2:])
        for place in range(2, size):
            if place < 14 or place > size - 68 or place % 8 == 0:
                # The separator here and nowhere else: padding of place - 2 bytes.
                filled = b"\x00\x02" + by_hand.nonzero(stream, size - 2)
                made = filled[:place] + b"\x00" + filled[place + 1 :]
                block(f"padding of {place - 2} bytes", made)
                if size - place - 1 <= 64:
                    block(f"padding of {place - 2} bytes, all of the message asked for", made, size - place - 1)
        for place in range(2, 10):
            block(f"a zero at {place}, and a separator", good[:place] + b"\x00" + good[place + 1 :])
        block("no separator", b"\x00\x02" + by_hand.nonzero(stream, size - 2))
        block("no separator, all FF", b"\x00\x02" + b"\xff" * (size - 2))
        block("all zero but the type", b"\x00\x02" + bytes(size - 2))
        block("all zero", bytes(size))
        for wanted in (0, 1, 16, 24, 31, 33, 48, 64):
            block(f"message of 32 bytes, {wanted} asked for", good, wanted)
        # Any byte of a block changed in any way, and blocks that mean nothing: who decides right decides these.
        for number in range(120 if key == "rsa2048.pem" else 30):
            changed = bytearray(good)
            place = int.from_bytes(stream.take(2), "big") % size
            changed[place] = stream.take(1)[0]
            if number % 3 == 0:
                changed[int.from_bytes(stream.take(2), "big") % 12] = 0
            block(f"changed, {number}", bytes(changed))
            block(f"random, {number}", b"\x00" + (b"\x02" if number % 2 else b"") + stream.take(size - 1 - number % 2))
        for what, wrapped in with_other_lengths(by_hand.encrypt_block(good, key)).items():
            add(f"{key}, {what}", key, wrapped, 32, None)
    for key in ("rsa1024.pem", "rsa2048.pem", "rsa2048-e3.pem", "rsa3072.pem", "rsa4096.pem"):
        for what, wrapped in edge_numbers(key).items():
            is_number = int.from_bytes(wrapped, "big") < by_hand.modulus(key)
            found = by_hand.decrypt_block(wrapped, key) if is_number else None
            add(f"{key}, the number {what}", key, wrapped, 32, found)
    return group(
        SOURCE,
        "RSAES-PKCS1-v1_5 (RFC 8017 §7.2). key: a file of keys/. messageLength: how long a message is asked for. expect: "
        "message, the one that was wrapped; substitute, HMAC-SHA-256 as FORMATS.md §2.1 has it, under SHA-256 of the "
        "key's RSAPrivateKey in DER, over wrapped (and over wrapped and 01, for bytes 33 to 64); wrappedKeyLength, "
        "another length than the modulus's. generate/implicit_rejection.py puts the same blocks to tlslite-ng.",
        tests,
    )


# --- RSA keys ---------------------------------------------------------------------------------


def private_numbers(file: str) -> dict[str, int]:
    numbers = by_hand.private_key(file).private_numbers()
    public = numbers.public_numbers
    return key_of(public.n, public.e, numbers.d, numbers.p, numbers.q)


def key_of(n: int, e: int, d: int, p: int, q: int) -> dict[str, int]:
    """The numbers of RSAPrivateKey in their order, those of the Chinese remainder theorem computed (RFC 8017 §3.2)."""
    return {
        "version": 0,
        "n": n,
        "e": e,
        "d": d,
        "p": p,
        "q": q,
        "dP": d % (p - 1) if p > 1 else 0,
        "dQ": d % (q - 1) if q > 1 else 0,
        "qInv": pow(q, -1, p) if p > 1 and gcd(p, q) == 1 else 0,
    }


def odd_number(bits: int) -> int:
    """Of exactly so many bits; for a public key, nobody can see that it is no product of two primes."""
    number = int.from_bytes(Stream(f"modulus of {bits} bits").take((bits + 7) // 8), "big")
    return number % (1 << bits) | 1 << (bits - 1) | 1


OTHER_OIDS = {
    "rsassaPss": "06092a864886f70d01010a",
    "rsaesOaep": "06092a864886f70d010107",
    "sha256WithRSAEncryption": "06092a864886f70d01010b",
    "rsa of X.500": "0604550801" + "01",
    "dsa": "06072a8648ce380401",
}
PARAMETERS = {
    "left out": b"",  # RFC 3279 §2.3.1: they must be NULL
    "INTEGER 0": der.integer(0),
    "an empty SEQUENCE": der.sequence(),
    "an empty OCTET STRING": der.octets(b""),
    "NULL twice": der.NULL * 2,
    "NULL with a byte in it": b"\x05\x01\x00",
}


def rsa_keys() -> dict[str, Any]:
    tests: list[Test] = []

    def add(kind: str, name: str, encoded: bytes, expect: str, seals: Optional[bool] = None) -> None:
        assert all(test["name"] != f"{kind}, {name}" for test in tests), name
        test = {"name": f"{kind}, {name}", "private": kind == "private", "expect": expect, "encoded": encoded.hex()}
        if expect == "ok":
            test["seals"] = seals if seals is not None else True
        tests.append(test)

    add_public_keys(lambda *rest, **more: add("public", *rest, **more))
    add_private_keys(lambda *rest, **more: add("private", *rest, **more))
    return group(
        SOURCE,
        "encoded: a key file, DER. expect: ok, or the code of the error: weakKey, numbers that are no sound RSA key or "
        "too small or too large; unreadableKey, not DER of a key, or DER that can be written in another way than it must be; "
        "notRSA and wrongKindOfKey, another algorithm. seals: whether it may seal and open evidence-v1.",
        tests,
    )


Add = Callable[..., None]


def add_public_keys(add: Add) -> None:
    numbers = private_numbers("rsa2048.pem")
    n, e = numbers["n"], numbers["e"]
    good = der.integers(n, e)
    add("as it should be", der.spki(good), "ok")
    add("PKCS#1", good, "ok")
    for bits in (1024, 1025, 2047, 2048, 3000, 4096, 8192):
        add(f"{bits} bits", der.spki(der.integers(odd_number(bits), e)), "ok", seals=bits >= 2048)
    for bits in (1, 8, 64, 512, 768, 1023, 8193, 16_384):
        add(f"{bits} bits", der.spki(der.integers(odd_number(bits), e)), "weakKey")
    add("modulus 0", der.spki(der.integers(0, e)), "weakKey")
    add("modulus even", der.spki(der.integers(n - 1, e)), "weakKey")
    add("modulus a power of two", der.spki(der.integers(1 << 2047, e)), "weakKey")
    for exponent in (0, 1, 2, 4, 65_536, 1 << 63, (1 << 64) + 1, (1 << 256) + 1, n, n - 2, n + 2):
        sizes = {n: "n", n - 2: "n - 2", n + 2: "n + 2"}
        text = str(exponent) if exponent < 1 << 20 else sizes.get(exponent, f"of {exponent.bit_length()} bits")
        add(f"exponent {text}", der.spki(der.integers(n, exponent)), "weakKey")
    for exponent in (3, 5, 17, 257, 65_535):
        add(f"exponent {exponent}", der.spki(der.integers(n, exponent)), "ok", seals=False)
    for exponent in (65_537, 65_539, (1 << 32) + 1, (1 << 64) - 59):
        add(f"exponent {exponent}", der.spki(der.integers(n, exponent)), "ok")

    for name, minus_n, minus_e in [("modulus", -n, e), ("exponent", n, -e), ("modulus and exponent", -n, -e)]:
        add(f"{name} negative", der.spki(der.integers(minus_n, minus_e)), "unreadableKey")
    add("exponent -1", der.spki(der.integers(n, -1)), "unreadableKey")
    bare = n.to_bytes(256, "big")  # its first bit is set: without a zero before it, it is negative
    add("modulus without its zero", der.spki(der.sequence(der.tagged(2, bare), der.integer(e))), "unreadableKey")
    loose_n = der.tagged(2, b"\0\0" + bare)
    loose_e = der.tagged(2, b"\0" + e.to_bytes(3, "big"))
    add("a zero too many before the modulus", der.spki(der.sequence(loose_n, der.integer(e))), "unreadableKey")
    add("a zero too many before the exponent", der.spki(der.sequence(der.integer(n), loose_e)), "unreadableKey")
    add("an INTEGER of no bytes", der.spki(der.sequence(der.integer(n), b"\x02\x00")), "unreadableKey")
    add("no exponent", der.spki(der.sequence(der.integer(n))), "unreadableKey")
    add("three numbers", der.spki(der.integers(n, e, e)), "unreadableKey")
    add("a BIT STRING for the modulus", der.spki(der.sequence(der.bits(bare), der.integer(e))), "unreadableKey")
    add("a byte after it", der.spki(good) + b"\0", "unreadableKey")
    add("a second key after it", der.spki(good) * 2, "unreadableKey")
    add("a byte after the inner one", der.spki(good + b"\0"), "unreadableKey")
    add("a byte less", der.spki(good)[:-1], "unreadableKey")
    content = der.algorithm() + der.bits(good)
    add("length not minimal", der.loosely(0x30, content), "unreadableKey")
    add("length not given", der.without_length(0x30, content), "unreadableKey")
    inner = der.integer(n) + der.integer(e)
    add("inner length not minimal", der.spki(der.loosely(0x30, inner)), "unreadableKey")
    add("inner length not given", der.spki(der.without_length(0x30, inner)), "unreadableKey")
    add("length of an INTEGER not minimal", der.spki(der.sequence(der.loosely(2, b"\0" + bare), der.integer(e))), "unreadableKey")
    add("a bit unused", der.sequence(der.algorithm(), der.bits(good, unused=1)), "unreadableKey")
    add("8 bits unused", der.sequence(der.algorithm(), der.bits(good, unused=8)), "unreadableKey")
    add("an OCTET STRING for the key", der.sequence(der.algorithm(), der.octets(good)), "wrongKindOfKey")
    add("PKCS#1, a byte after it", good + b"\0", "unreadableKey")
    add("PKCS#1, modulus negative", der.integers(-n, e), "unreadableKey")
    add("PKCS#1, length not minimal", der.loosely(0x30, inner), "unreadableKey")
    for name, parameters in PARAMETERS.items():
        add(f"parameters {name}", der.spki(good, der.algorithm(parameters=parameters)), "unreadableKey")
    for name, identifier in OTHER_OIDS.items():
        expect = "unreadableKey" if name == "rsa of X.500" else "notRSA"
        parameters = b"" if name == "rsassaPss" else der.NULL
        add(f"algorithm {name}", der.spki(good, der.algorithm(bytes.fromhex(identifier), parameters)), expect)


def add_private_keys(add: Add) -> None:
    good = private_numbers("rsa2048.pem")
    n, e, d, p, q = (good[name] for name in ("n", "e", "d", "p", "q"))
    phi = (p - 1) * (q - 1)
    encoded = der.integers(*good.values())

    def changed(name: str, expect: str, seals: Optional[bool] = None, **changes: int) -> None:
        numbers = der.integers(*(good | changes).values())
        add(f"{name}, PKCS#1", numbers, expect, seals=seals)
        add(f"{name}, PKCS#8", der.pkcs8(numbers), expect, seals=seals)

    def made(name: str, expect: str, *numbers: int) -> None:
        changed(name, expect, **key_of(*numbers))

    changed("as it should be", "ok")
    made("primes exchanged, everything computed anew", "ok", n, e, d, q, p)
    made("d of the product of p - 1 and q - 1", "ok", n, e, pow(e, -1, phi), p, q)
    made("e of 3", "weakKey", n, 3, d, p, q)
    changed("e of another key", "weakKey", e=65_539)
    made("e and d of 1", "weakKey", n, 1, 1, p, q)
    changed("e of 0", "weakKey", e=0)
    changed("e even", "weakKey", e=65_536)

    for name, wrong in {
        "0": 0, "1": 1, "e": e, "n - 1": n - 1, "one more": d + 1, "two more": d + 2, "half": d // 2,
        "d of another key": private_numbers("rsa3072.pem")["d"] % n,
    }.items():
        changed(f"d wrong: {name}", "weakKey", d=wrong)
        made(f"d wrong: {name}, and the rest follows it", "weakKey", n, e, wrong, p, q)
    changed("d longer than n", "weakKey", d=d + (phi << 64))

    changed("modulus of another key", "weakKey", n=private_numbers("other3072.pem")["n"])
    changed("modulus even", "weakKey", n=n - 1)
    changed("modulus two more", "weakKey", n=n + 2)
    changed("modulus 0", "weakKey", n=0)
    made("p = q", "weakKey", p * p, e, pow(e, -1, p * (p - 1)), p, p)
    made("p = q, d as if they were not", "weakKey", p * p, e, pow(e, -1, p - 1), p, p)
    changed("p = q, and n as it was", "weakKey", p=q)
    made("p of 1", "weakKey", n, e, d, 1, n)
    made("q of 1", "weakKey", n, e, d, n, 1)
    made("p of 2", "weakKey", 2 * q, e, pow(e, -1, q - 1), 2, q)
    changed("primes exchanged, nothing else", "weakKey", p=q, q=p)
    changed("p wrong", "weakKey", p=p + 2)
    changed("q wrong", "weakKey", q=q - 2)
    changed("no primes", "weakKey", p=0, q=0, dP=0, dQ=0, qInv=0)
    changed("no numbers but n, e, d and the primes", "weakKey", dP=0, dQ=0, qInv=0)
    for name in ("dP", "dQ", "qInv"):
        prime = q if name == "dQ" else p
        order = p if name == "qInv" else prime - 1
        changed(f"{name} of 0", "weakKey", **{name: 0})
        changed(f"{name} of 1", "weakKey", **{name: 1})
        changed(f"{name} one more", "weakKey", **{name: good[name] + 1})
        changed(f"{name} not reduced", "weakKey", **{name: good[name] + order})
        changed(f"{name} longer than n", "weakKey", **{name: good[name] + (order << 1100)})
    changed("dP and dQ exchanged", "weakKey", dP=good["dQ"], dQ=good["dP"])
    third = private_numbers("rsa1024.pem")["p"]
    fourth = private_numbers("rsa1024.pem")["q"]
    composite = third * fourth  # 1024 bits
    # Only a test of primes would tell, or a block that does not come back: that is left out, since it takes too long.
    made("p no prime, d as if it were", "ok", composite * q, e, pow(e, -1, (composite - 1) * (q - 1)), composite, q)
    product = n * third
    whole_d = pow(e, -1, phi * (third - 1))
    other = der.sequence(der.integers(third, whole_d % (third - 1), pow(n, -1, third)))
    for version in (0, 1):
        parts = key_of(product, e, whole_d, p, q) | {"version": version}
        three = der.sequence(*(der.integer(number) for number in parts.values()), other)
        # Well-formed with version 1 (RFC 8017 §A.1.2), and sound; nobody makes them, and they are not taken.
        expect = "unreadableKey" if version else "weakKey"
        add(f"three primes, version {version}", three, expect)
        add(f"three primes, version {version}, PKCS#8", der.pkcs8(three), expect)

    for name in ("n", "e", "d", "p", "q", "dP", "dQ", "qInv"):
        changed(f"{name} negative", "unreadableKey", **{name: -good[name]})
        parts = {key: der.integer(number) for key, number in good.items()}
        bare = good[name].to_bytes((good[name].bit_length() + 7) // 8, "big")
        loose = parts | {name: der.tagged(2, b"\0\0" + bare)}
        add(f"zeros too many before {name}, PKCS#8", der.pkcs8(der.sequence(*loose.values())), "unreadableKey")
        long = parts | {name: der.loosely(2, parts[name][-(good[name].bit_length() // 8 + 1) :])}
        add(f"length of {name} not minimal, PKCS#8", der.pkcs8(der.sequence(*long.values())), "unreadableKey")
        missing = [part for key, part in parts.items() if key != name]
        add(f"{name} left out, PKCS#8", der.pkcs8(der.sequence(*missing)), "unreadableKey")
    changed("version 1", "unreadableKey", version=1)
    changed("version 2", "unreadableKey", version=2)
    changed("version -1", "unreadableKey", version=-1)

    content = b"".join(der.integer(number) for number in good.values())
    outer = der.integer(0) + der.algorithm() + der.octets(encoded)
    add("a byte after it, PKCS#1", encoded + b"\0", "unreadableKey")
    add("a byte after it, PKCS#8", der.pkcs8(encoded) + b"\0", "unreadableKey")
    add("a byte after the inner one", der.pkcs8(encoded + b"\0"), "unreadableKey")
    add("a number after the last, PKCS#8", der.pkcs8(der.sequence(content, der.integer(1))), "unreadableKey")
    add("length not minimal, PKCS#1", der.loosely(0x30, content), "unreadableKey")
    add("length not given, PKCS#1", der.without_length(0x30, content), "unreadableKey")
    add("length not minimal, PKCS#8", der.loosely(0x30, outer), "unreadableKey")
    add("length not given, PKCS#8", der.without_length(0x30, outer), "unreadableKey")
    add("inner length not minimal, PKCS#8", der.pkcs8(der.loosely(0x30, content)), "unreadableKey")
    add("inner length not given, PKCS#8", der.pkcs8(der.without_length(0x30, content)), "unreadableKey")
    # OpenSSL 3.0 reads any version, 3.5 only those there are.
    add("PKCS#8 version 2", der.pkcs8(encoded, version=2), "unreadableKey")
    add("PKCS#8 version -1", der.pkcs8(encoded, version=-1), "unreadableKey")
    for name, parameters in PARAMETERS.items():
        add(f"parameters {name}", der.pkcs8(encoded, der.algorithm(parameters=parameters)), "unreadableKey")
    for name, identifier in OTHER_OIDS.items():
        parameters = b"" if name == "rsassaPss" else der.NULL
        add(f"algorithm {name}", der.pkcs8(encoded, der.algorithm(bytes.fromhex(identifier), parameters)), "notRSA")


FILES: dict[str, Callable[[], dict[str, Any]]] = {
    "attacks/aes-cbc.json": aes_cbc,
    "attacks/aes-gcm.json": aes_gcm,
    "attacks/rsa-keys.json": rsa_keys,
    "attacks/rsa-oaep.json": rsa_oaep,
    "attacks/rsa-pkcs1v15.json": rsa_pkcs1v15,
}
