# SPDX-License-Identifier: Apache-2.0
"""The vectors of the single primitives: AES, RSA, base64 and hex, each checked as it is made."""

from __future__ import annotations

import base64
import re
from typing import Any, Optional

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import rsa_by_hand as by_hand
from evidence_v1 import substitute
from rsa_by_hand import Stream

Test = dict[str, Any]


def group(source: str, note: str, tests: list[Test]) -> dict[str, Any]:
    return {"source": source, "note": note, "tests": tests}


def flip(data: bytes, index: int = -1) -> bytes:
    """One bit changed."""
    changed = bytearray(data)
    changed[index] ^= 1
    return bytes(changed)


# --- AES-GCM ----------------------------------------------------------------------------------

# McGrew and Viega, The Galois/Counter Mode of Operation (GCM), appendix B.
SPEC_PLAIN = bytes.fromhex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
)
SPEC_AAD = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
SPEC_KEY = bytes.fromhex("feffe9928665731c6d6a8f9467308308") * 2
SPEC_NONCE = bytes.fromhex("cafebabefacedbaddecaf888")
ZERO_NONCE = bytes(12)
# number, key, nonce, plaintext, AAD, the tag that the paper gives
SPEC_CASES = [
    (1, bytes(16), ZERO_NONCE, b"", b"", "58e2fccefa7e3061367f1d57a4e7455a"),
    (2, bytes(16), ZERO_NONCE, bytes(16), b"", "ab6e47d42cec13bdf53a67b21257bddf"),
    (3, SPEC_KEY[:16], SPEC_NONCE, SPEC_PLAIN, b"", "4d5c2af327cd64a62cf35abd2ba6fab4"),
    (4, SPEC_KEY[:16], SPEC_NONCE, SPEC_PLAIN[:60], SPEC_AAD, "5bc94fbc3221a5db94fae95ae7121a47"),
    (7, bytes(24), ZERO_NONCE, b"", b"", "cd33b28ac773f74ba00ed1f312572435"),
    (8, bytes(24), ZERO_NONCE, bytes(16), b"", "2ff58d80033927ab8ef4d4587514f0fb"),
    (9, SPEC_KEY[:24], SPEC_NONCE, SPEC_PLAIN, b"", "9924a7c8587336bfb118024db8674a14"),
    (10, SPEC_KEY[:24], SPEC_NONCE, SPEC_PLAIN[:60], SPEC_AAD, "2519498e80f1478f37ba55bd6d27618c"),
    (13, bytes(32), ZERO_NONCE, b"", b"", "530f8afbc74536b9a963b4f1c4cb738b"),
    (14, bytes(32), ZERO_NONCE, bytes(16), b"", "d0d1c8a799996bf0265b98b5d48ab919"),
    (15, SPEC_KEY, SPEC_NONCE, SPEC_PLAIN, b"", "b094dac5d93471bdec1a502270e3cc6c"),
    (16, SPEC_KEY, SPEC_NONCE, SPEC_PLAIN[:60], SPEC_AAD, "76fc6ece0f4e1768cddf8853bb2d551b"),
]


def gcm_test(
    name: str, key: bytes, nonce: bytes, aad: bytes, plain: Optional[bytes], cipher: bytes, tag: bytes
) -> Test:
    """`plain` None: must not open. Either way, checked here."""
    try:
        opened: Optional[bytes] = AESGCM(key).decrypt(nonce, cipher + tag, aad)
    except InvalidTag:
        opened = None
    assert opened == plain, name
    test = {
        "name": name,
        "valid": plain is not None,
        "key": key.hex(),
        "nonce": nonce.hex(),
        "aad": aad.hex(),
        "ciphertext": cipher.hex(),
        "tag": tag.hex(),
    }
    if plain is not None:
        test["plaintext"] = plain.hex()
    return test


def gcm_pair(name: str, key: bytes, nonce: bytes, plain: bytes, aad: bytes) -> list[Test]:
    """A test that opens, and the same with one bit of the tag changed."""
    both = AESGCM(key).encrypt(nonce, plain, aad)
    cipher, tag = both[:-16], both[-16:]
    return [
        gcm_test(name, key, nonce, aad, plain, cipher, tag),
        gcm_test(f"{name}, tag changed", key, nonce, aad, None, cipher, flip(tag)),
    ]


def aes_gcm() -> dict[str, Any]:
    tests: list[Test] = []
    for number, key, nonce, plain, aad, published_tag in SPEC_CASES:
        pair = gcm_pair(f"GCM specification, test case {number}", key, nonce, plain, aad)
        assert pair[0]["tag"] == published_tag
        tests += pair
    shapes = [(length, 0) for length in range(34)] + [(0, 1), (0, 16), (0, 33), (17, 20), (64, 64), (1000, 33)]
    for key_bytes in (16, 24, 32):
        for length, aad_length in shapes:
            name = f"AES-{8 * key_bytes}, {length} bytes, {aad_length} of AAD"
            stream = Stream(f"gcm {name}")
            tests += gcm_pair(
                name, stream.take(key_bytes), stream.take(12), stream.take(length), stream.take(aad_length)
            )
    stream = Stream("gcm changed")
    key, nonce, aad, plain = stream.take(32), stream.take(12), stream.take(33), stream.take(40)
    both = AESGCM(key).encrypt(nonce, plain, aad)
    cipher, tag = both[:-16], both[-16:]
    tests += [
        gcm_test("ciphertext changed", key, nonce, aad, None, flip(cipher, 0), tag),
        gcm_test("nonce changed", key, flip(nonce), aad, None, cipher, tag),
        gcm_test("AAD changed", key, nonce, flip(aad), None, cipher, tag),
        gcm_test("AAD without its last byte", key, nonce, aad[:-1], None, cipher, tag),
        gcm_test("key changed", flip(key), nonce, aad, None, cipher, tag),
        gcm_test("first byte of the tag changed", key, nonce, aad, None, cipher, flip(tag, 0)),
        gcm_test("tag of zeros", key, nonce, aad, None, cipher, bytes(16)),
        gcm_test("ciphertext cut by a byte", key, nonce, aad, None, cipher[:-1], tag),
    ]
    return group(
        "Cases named so: D. McGrew and J. Viega, The Galois/Counter Mode of Operation (GCM), appendix B, "
        "test cases with a 96-bit IV, computed again. The others are our own.",
        "AES-128, -192 and -256, 12-byte nonce, 16-byte tag. Where valid is false, opening must fail and "
        "give nothing.",
        tests,
    )


# --- AES-CBC and AES-ECB ----------------------------------------------------------------------

# NIST SP 800-38A, appendix F.
NIST_KEYS = {
    128: "2b7e151628aed2a6abf7158809cf4f3c",
    192: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    256: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
}
NIST_IV = "000102030405060708090a0b0c0d0e0f"
NIST_PLAIN = (
    "6bc1bee22e409f96e93d7e117393172a"
    "ae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52ef"
    "f69f2445df4f9b17ad2b417be66c3710"
)
NIST_CBC = {  # F.2.1, F.2.3, F.2.5
    128: "7649abac8119b246cee98e9b12e9197d"
    "5086cb9b507219ee95db113a917678b2"
    "73bed6b8e3c1743b7116e69e22229516"
    "3ff1caa1681fac09120eca307586e1a7",
    192: "4f021db243bc633d7178183a9fa071e8"
    "b4d9ada9ad7dedf4e5e738763f69145a"
    "571b242012fb7ae07fa9baac3df102e0"
    "08b0e27988598881d920a9e64f5615cd",
    256: "f58c4c04d6e5f1ba779eabfb5f7bfbd6"
    "9cfc4e967edb808d679f777bc6702c7d"
    "39f23369a9d9bacfa530e26304231461"
    "b2eb05e2c39be9fcda6c19078c6a9d1b",
}
NIST_ECB = {  # F.1.1, F.1.3, F.1.5
    128: "3ad77bb40d7a3660a89ecaf32466ef97"
    "f5d3d58503b9699de785895a96fdbaaf"
    "43b1cd7f598ece23881b00e3ed030688"
    "7b0c785e27e8ad3f8223207104725dd4",
    192: "bd334f1d6e45f25ff712a214571fa5cc"
    "974104846d0ad3ad7734ecb3ecee4eef"
    "ef7afd2270e2e60adce0ba2face6444e"
    "9a4b41ba738d6c72fb16691603c18e0e",
    256: "f3eed1bdb5d2a03c064b5a7e3db181f8"
    "591ccb10d410ed26dc5ba74a31362870"
    "b6ed21b99ca6f4f9f153e7b1beafed1d"
    "23304b7a39f9f3ff067d8d8f9e24ecc7",
}
SUBSECTION = {128: 1, 192: 3, 256: 5}


def encrypt_blocks(key: bytes, iv: Optional[bytes], blocks: bytes) -> bytes:
    """Without padding; ECB where there is no IV."""
    mode = modes.ECB() if iv is None else modes.CBC(iv)
    encryptor = Cipher(algorithms.AES(key), mode).encryptor()
    return encryptor.update(blocks) + encryptor.finalize()


def pad(data: bytes) -> bytes:
    """PKCS#7 (RFC 5652 §6.3)."""
    count = 16 - len(data) % 16
    return data + bytes([count]) * count


def unpad(blocks: bytes) -> Optional[bytes]:
    """None where the padding is malformed."""
    if not blocks or len(blocks) % 16:
        return None
    count = blocks[-1]
    if not 1 <= count <= 16 or blocks[-count:] != bytes([count]) * count:
        return None
    return blocks[:-count]


def block_test(
    name: str, key: bytes, iv: Optional[bytes], padding: str, plain: Optional[bytes], cipher: bytes
) -> Test:
    test = {"name": name, "valid": plain is not None, "padding": padding, "key": key.hex()}
    if iv is not None:
        test["iv"] = iv.hex()
    test["ciphertext"] = cipher.hex()
    if plain is not None:
        test["plaintext"] = plain.hex()
    return test


def aes_blocks(mode: str) -> list[Test]:
    """The tests of CBC and of ECB, which differ in the IV alone."""
    cbc = mode == "CBC"
    tests = []
    for bits, key_hex in NIST_KEYS.items():
        key, iv = bytes.fromhex(key_hex), bytes.fromhex(NIST_IV) if cbc else None
        published = bytes.fromhex((NIST_CBC if cbc else NIST_ECB)[bits])
        plain = bytes.fromhex(NIST_PLAIN)
        assert encrypt_blocks(key, iv, plain) == published
        name = f"SP 800-38A F.{2 if cbc else 1}.{SUBSECTION[bits]}"
        tests.append(block_test(name, key, iv, "none", plain, published))
    for key_bytes in (16, 24, 32):
        for length in [*range(0, 18), 31, 32, 33, 64, 1000]:
            name = f"AES-{8 * key_bytes}, {length} bytes"
            stream = Stream(f"{mode} {name}")
            key, iv = stream.take(key_bytes), stream.take(16) if cbc else None
            plain = stream.take(length)
            assert unpad(pad(plain)) == plain
            tests.append(block_test(name, key, iv, "pkcs7", plain, encrypt_blocks(key, iv, pad(plain))))

    stream = Stream(f"{mode} malformed")
    malformed = {
        "last byte 0": stream.take(31) + b"\x00",
        "last byte 17": stream.take(15) + b"\x11" * 17,
        "last byte 255": stream.take(31) + b"\xff",
        "last byte 2, the one before it 1": stream.take(30) + b"\x01\x02",
        "last byte 16, first byte of the padding 15": stream.take(16) + b"\x0f" + b"\x10" * 15,
        "last byte 4, one in the middle changed": stream.take(28) + b"\x04\x05\x04\x04",
        "one block, last byte 0": stream.take(15) + b"\x00",
        "one block, last byte 17": stream.take(15) + b"\x11",
    }
    for name, blocks in malformed.items():
        key, iv = stream.take(32), stream.take(16) if cbc else None
        assert unpad(blocks) is None
        tests.append(block_test(name, key, iv, "pkcs7", None, encrypt_blocks(key, iv, blocks)))
    key, iv = stream.take(32), stream.take(16) if cbc else None
    whole = encrypt_blocks(key, iv, pad(stream.take(20)))
    tests += [
        block_test("no bytes", key, iv, "pkcs7", None, b""),
        block_test("15 bytes", key, iv, "pkcs7", None, whole[:15]),
        block_test("17 bytes", key, iv, "pkcs7", None, whole[:17]),
        block_test("31 bytes", key, iv, "pkcs7", None, whole[:31]),
    ]
    return tests


BLOCKS_NOTE = (
    "AES-128, -192 and -256. padding is none (whole blocks) or pkcs7 (RFC 5652 §6.3). Where valid is false, "
    "the padding or the length of the ciphertext is wrong and decryption must fail."
)


def aes_cbc() -> dict[str, Any]:
    return group(
        "Cases named so: NIST SP 800-38A, appendix F.2. The others are our own.", BLOCKS_NOTE, aes_blocks("CBC")
    )


def aes_ecb() -> dict[str, Any]:
    return group(
        "Cases named so: NIST SP 800-38A, appendix F.1. The others are our own.", BLOCKS_NOTE, aes_blocks("ECB")
    )


# --- RSA --------------------------------------------------------------------------------------


def oaep_test(
    name: str, key: str, hash_name: str, mgf1_hash: str, message: Optional[bytes], wrapped: bytes
) -> Test:
    """`message` None: must not unwrap. Either way, checked with `cryptography`."""
    assert by_hand.oaep_unwrap(wrapped, key, hash_name, mgf1_hash) == message, name
    test = {
        "name": name,
        "valid": message is not None,
        "key": key,
        "hash": hash_name,
        "mgf1Hash": mgf1_hash,
        "wrapped": wrapped.hex(),
    }
    if message is not None:
        test["message"] = message.hex()
    return test


def rsa_oaep() -> dict[str, Any]:
    tests = []
    names = tuple(by_hand.HASHES)
    for hash_name in names:
        for mgf1_hash in names:
            stream = Stream(f"oaep {hash_name} {mgf1_hash}")
            message = stream.take(32)
            wrapped = by_hand.oaep_wrap(message, "rsa2048.pem", stream, hash_name, mgf1_hash)
            tests.append(oaep_test("32 bytes", "rsa2048.pem", hash_name, mgf1_hash, message, wrapped))
    for key in ("rsa2048.pem", "rsa3072.pem", "rsa4096.pem"):
        size = by_hand.modulus_bytes(key)
        for length in (0, 1, 16, 24, 31, 32, 33, 64, size - 66):
            stream = Stream(f"oaep {key} {length}")
            message = stream.take(length)
            wrapped = by_hand.oaep_wrap(message, key, stream)
            tests.append(oaep_test(f"{length} bytes", key, "SHA-256", "SHA-256", message, wrapped))

    key = "rsa2048.pem"
    size = by_hand.modulus_bytes(key)
    stream = Stream("oaep malformed")
    message, seed = stream.take(32), stream.take(32)
    empty_label = by_hand.digest("SHA-256", b"")
    zeros = bytes(size - 33 - 32 - 1 - 32)
    rest = zeros + b"\x01" + message
    data_blocks = {
        "label hash changed": flip(empty_label, 0) + rest,
        "last byte of the label hash changed": flip(empty_label) + rest,
        "a byte of the padding not zero": empty_label + zeros[:40] + b"\x80" + zeros[41:] + b"\x01" + message,
        "02 in place of the 01": empty_label + zeros + b"\x02" + message,
        "no 01 at all": empty_label + bytes(len(rest)),
    }
    for name, data_block in data_blocks.items():
        wrapped = by_hand.encrypt_block(by_hand.oaep_block(b"", seed, size, data_block=data_block), key)
        tests.append(oaep_test(name, key, "SHA-256", "SHA-256", None, wrapped))
    wrapped = by_hand.encrypt_block(by_hand.oaep_block(message, seed, size, first_byte=1), key)
    tests.append(oaep_test("first byte not zero", key, "SHA-256", "SHA-256", None, wrapped))
    labelled = by_hand.oaep_wrap(message, key, stream, label=b"label")
    tests.append(oaep_test("label not empty", key, "SHA-256", "SHA-256", None, labelled))
    for name, made_with, read_with in [
        ("made with SHA-1 throughout", ("SHA-1", "SHA-1"), ("SHA-256", "SHA-256")),
        ("made with MGF1 over SHA-1", ("SHA-256", "SHA-1"), ("SHA-256", "SHA-256")),
        ("made with MGF1 over SHA-256", ("SHA-256", "SHA-256"), ("SHA-256", "SHA-1")),
    ]:
        tests.append(oaep_test(name, key, *read_with, None, by_hand.oaep_wrap(message, key, stream, *made_with)))
    good = by_hand.oaep_wrap(message, key, stream)
    tests += [
        oaep_test("last byte cut off", key, "SHA-256", "SHA-256", None, good[:-1]),
        oaep_test("a byte appended", key, "SHA-256", "SHA-256", None, good + b"\x00"),
        oaep_test("last byte changed", key, "SHA-256", "SHA-256", None, flip(good)),
        oaep_test("all zero", key, "SHA-256", "SHA-256", None, bytes(size)),
        oaep_test("the modulus added", key, "SHA-256", "SHA-256", None, plus_modulus(message, key, "oaep")),
        oaep_test("no bytes", key, "SHA-256", "SHA-256", None, b""),
    ]
    return group(
        "Our own; RFC 8017 §7.1, with the seed given.",
        "key: a file of keys/. hash: of the label; mgf1Hash: of MGF1. The label is empty. Where valid is "
        "false, unwrapping must fail, in one way for all of them.",
        tests,
    )


def plus_modulus(message: bytes, key: str, label: str) -> bytes:
    """A good wrapped key with the modulus added to it: as long, and no valid representative."""
    size = by_hand.modulus_bytes(key)
    for attempt in range(1000):
        wrapped = by_hand.oaep_wrap(message, key, Stream(f"plus modulus {label} {attempt}"))
        number = int.from_bytes(wrapped, "big") + by_hand.modulus(key)
        if number < 1 << (8 * size):
            return number.to_bytes(size, "big")
    raise AssertionError("no luck")


def rsa_pkcs1v15() -> dict[str, Any]:
    tests: list[Test] = []

    def add(name: str, key: str, wrapped: bytes, expected_length: int, message: Optional[bytes]) -> None:
        test = {
            "name": name,
            "valid": message is not None,
            "key": key,
            "messageLength": expected_length,
            "wrapped": wrapped.hex(),
        }
        if message is not None:
            test["message"] = message.hex()
        tests.append(test)

    for key in ("rsa2048.pem", "rsa3072.pem", "rsa4096.pem"):
        size = by_hand.modulus_bytes(key)
        for length in (1, 16, 24, 32, 48, size - 11):
            stream = Stream(f"pkcs1 {key} {length}")
            message = stream.take(length)
            add(f"{length} bytes", key, by_hand.pkcs1_v15_wrap(message, key, stream), length, message)

    key = "rsa2048.pem"
    size = by_hand.modulus_bytes(key)
    stream = Stream("pkcs1 malformed")
    message = by_hand.nonzero(stream, 32)  # so that the separator is the only zero byte
    room = size - 3 - len(message)
    blocks = {
        "block type 1": b"\x00\x01" + by_hand.nonzero(stream, room) + b"\x00" + message,
        "block type 1, padding of FF": b"\x00\x01" + b"\xff" * room + b"\x00" + message,
        "block type 0": b"\x00\x00" + by_hand.nonzero(stream, room) + b"\x00" + message,
        "first byte 1": b"\x01\x02" + by_hand.nonzero(stream, room) + b"\x00" + message,
        "no separator": b"\x00\x02" + by_hand.nonzero(stream, size - 2),
        "padding of 7 bytes": b"\x00\x02"
        + by_hand.nonzero(stream, 7)
        + b"\x00"
        + by_hand.nonzero(stream, size - 10),
        "padding of no bytes": b"\x00\x02\x00" + by_hand.nonzero(stream, size - 3),
        "zero among the first 8 bytes of padding": b"\x00\x02"
        + by_hand.nonzero(stream, 5)
        + b"\x00"
        + by_hand.nonzero(stream, room - 6)
        + b"\x00"
        + message,
        "all zero": bytes(size),
    }
    lengths = {"padding of 7 bytes": size - 10, "padding of no bytes": size - 3}
    for name, block in blocks.items():
        assert len(block) == size and by_hand.pkcs1_v15_message(block) is None, name
        wrapped = by_hand.encrypt_block(block, key)
        assert by_hand.decrypt_block(wrapped, key) == block
        add(name, key, wrapped, lengths.get(name, len(message)), None)
    for length in (31, 33):
        other = by_hand.nonzero(stream, length)
        add(f"message of {length} bytes", key, by_hand.pkcs1_v15_wrap(other, key, stream), 32, None)
    return group(
        "Our own; RFC 8017 §7.2, with the padding given.",
        "key: a file of keys/. messageLength: how long a message the reader asks for. Where valid is false, "
        "the block is malformed or its message has another length: a reader with implicit rejection gives "
        "an unrelated message of that length, any other one refuses.",
        tests,
    )


def substitutes() -> dict[str, Any]:
    tests: list[Test] = []
    for key in ("rsa2048.pem", "rsa3072.pem", "rsa4096.pem"):
        for count in (16, 32, 48):
            wrapped = Stream(f"substitute {key} {count}").take(by_hand.modulus_bytes(key))
            tests.append({"key": key, "wrapped": wrapped.hex(), "substitute": substitute(wrapped, by_hand.private_key(key), count).hex()})
    numbers = by_hand.private_key("rsa2048.pem").private_numbers()
    exchanged = rsa.RSAPrivateNumbers(
        p=numbers.q, q=numbers.p, d=numbers.d, dmp1=numbers.dmq1, dmq1=numbers.dmp1,
        iqmp=rsa.rsa_crt_iqmp(numbers.q, numbers.p), public_numbers=numbers.public_numbers)  # fmt: skip
    form = (serialization.Encoding.DER, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
    other = exchanged.private_key().private_bytes(*form)
    assert other != by_hand.private_key("rsa2048.pem").private_bytes(*form)
    tests += [{**test, "der": other.hex()} for test in tests if test["key"] == "rsa2048.pem"]
    return group(
        "Our own; docs/FORMATS.md section 2.1.",
        "What stands for a wrapped key that does not unwrap. key: a file of keys/; der: the same key with its primes exchanged.",
        tests,
    )


# --- base64 and hex ---------------------------------------------------------------------------

BASE64_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def base64_fault(text: bytes) -> Optional[tuple[int, str]]:
    """Where strict base64 goes wrong, and how; BASE64_NOTE says what the two mean."""
    closing = text.find(b"=")
    for offset, byte in enumerate(text):
        if byte == ord("="):
            if offset % 4 < 2:
                return offset, "padding"
            if offset == closing:  # the last character before the padding may have bits left over
                unused = 0x0F if offset % 4 == 2 else 0x03
                if BASE64_ALPHABET.index(text[offset - 1]) & unused:
                    return offset - 1, "unused-bits"
            elif offset > closing + 1 or offset % 4 == 2 or closing % 4 == 3:
                return offset, "padding"
        elif byte not in BASE64_ALPHABET:
            return offset, "alphabet"
        elif closing != -1 and offset > closing:
            return offset, "padding"
    return (len(text), "end") if len(text) % 4 else None


BASE64_NOTE = (
    "Strict base64: standard alphabet, padded, no line breaks, unused bits zero. decoded is hex. text is as "
    "in the file after JSON unescaping; offset counts bytes of its UTF-8. Where valid is false, offset is that of "
    "the first byte with which the text can no longer go on to be valid, and problem is alphabet (neither a "
    "letter of the alphabet nor =), padding (= where a letter must be, or something other than the = that must "
    "come, or anything after the last =), unused-bits (offset: the letter that carries them), or end (the text "
    "stops too early; offset: its length)."
)
BASE64_RFC = ["", "f", "fo", "foo", "foob", "fooba", "foobar"]
BASE64_MALFORMED = [
    # end too early
    "Z",
    "Zg",
    "Zg=",
    "Zm8",
    "Zm9vY",
    "Zm9vYg",
    "Zm9vYg=",
    "Zm9vYmE",
    # = in the wrong place
    "=",
    "==",
    "====",
    "Z=",
    "Z===",
    "Z=g=",
    "Zg=A",
    "Zg===",
    "Zg==Zg==",
    "Zg==Z",
    "Zm9v=",
    "Zm9v====",
    "Zm8==",
    "Zm8=Zm9v",
    "=Zm9v",
    "Zg=v",
    "Zm9vY===",
    # unused bits
    "Zh==",
    "Zi==",
    "Zo==",
    "Z/==",
    "Zm9=",
    "Zm+=",
    "Zm9vYh==",
    "Zm9vYmF=",
    "//==",
    "///=",
    # outside the alphabet
    "-_-_",
    "Zm9-",
    "Zm9_",
    "Zm 9v",
    " Zm9v",
    "Zm9v ",
    "Zm9v\n",
    "Zm9v\r\n",
    "Zg==\n",
    "Zm9v\nYmFy",
    "Zm9v\tYmFy",
    "Zm9v\r\nYmFy",
    "Zm9v,",
    "Zm9v.",
    "Zm9*",
    "Zm9v\u0000",
    "\u0000Zm9v",
    "Zm9\u00e9",
    "\ufeffZm9v",
    "Zm9v\u007f",
    "data:video/mp4;base64,Zm9v",
    "%5A",
    "Zg%3D%3D",
    "\uff3am9v",
    "!!!!",
    "Zg=-",
    "Z-==",
]


def base64_vectors() -> dict[str, Any]:
    tests: list[Test] = []

    def valid(name: str, data: bytes) -> None:
        text = base64.b64encode(data)
        assert base64_fault(text) is None
        tests.append({"name": name, "valid": True, "text": text.decode("ascii"), "decoded": data.hex()})

    for word in BASE64_RFC:
        valid("RFC 4648 §10", word.encode("ascii"))
    valid("every letter of the alphabet", base64.b64decode(BASE64_ALPHABET))
    valid("every byte", bytes(range(256)))
    for length in range(1, 65):
        valid(f"{length} bytes", Stream(f"base64 {length}").take(length))
    for text in BASE64_MALFORMED:
        fault = base64_fault(text.encode("utf-8"))
        assert fault is not None, text
        tests.append({"valid": False, "text": text, "offset": fault[0], "problem": fault[1]})
    return group(
        "Cases named so: RFC 4648 §10. The others are our own.",
        BASE64_NOTE,
        tests,
    )


def hex_vectors() -> dict[str, Any]:
    tests: list[Test] = []
    for text in ["", "00", "ff", "FF", "fF", "66", "666f6f626172", "666F6F626172", bytes(range(256)).hex()]:
        tests.append({"valid": True, "text": text, "bytes": list(bytes.fromhex(text))})
    for text in [
        "f",
        "fff",
        "0g",
        "g0",
        "0x00",
        " 00",
        "00 ",
        "00 00",
        "00\n",
        "-1",
        "+1",
        "0\u0660",
        "\uff10\uff10",
    ]:
        assert not re.fullmatch("([0-9a-fA-F]{2})*", text)
        tests.append({"valid": False, "text": text})
    return group(
        "RFC 4648 §10 (base 16) and our own.",
        "Either case, an even number of digits, nothing else. bytes: the values, as decimal numbers.",
        tests,
    )


FILES = {
    "aes-gcm.json": aes_gcm,
    "aes-cbc.json": aes_cbc,
    "aes-ecb.json": aes_ecb,
    "rsa-oaep.json": rsa_oaep,
    "rsa-pkcs1v15.json": rsa_pkcs1v15,
    "substitutes.json": substitutes,
    "base64.json": base64_vectors,
    "hex.json": hex_vectors,
}
