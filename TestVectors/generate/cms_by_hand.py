# SPDX-License-Identifier: Apache-2.0
"""Certificates, CMS signatures and time stamps that come out the same every time, good ones and bad ones: for vectors alone."""

from __future__ import annotations

import hashlib
import os
from typing import Any, Optional

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

import der
import p256_by_hand
from rsa_by_hand import KEYS, Stream, mgf1, xor

RSA_KEY, PSS, MGF1 = "1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10", "1.2.840.113549.1.1.8"
DIGESTS = {"md5": "1.2.840.113549.2.5", "sha1": "1.3.14.3.2.26", "sha256": "2.16.840.1.101.3.4.2.1",
           "sha384": "2.16.840.1.101.3.4.2.2", "sha512": "2.16.840.1.101.3.4.2.3", "sha224": "2.16.840.1.101.3.4.2.4"}
WITH_RSA = {"md5": 4, "sha1": 5, "sha256": 11, "sha384": 12, "sha512": 13, "sha224": 14}
EMAIL_PROTECTION, TIME_STAMPING = "1.3.6.1.5.5.7.3.4", "1.3.6.1.5.5.7.3.8"


def oid(text: str) -> bytes:
    first, second, *rest = map(int, text.split("."))
    content = b""
    for number in (40 * first + second, *rest):
        digits = [number & 127]
        while number := number >> 7:
            digits.insert(0, number & 127 | 128)
        content += bytes(digits)
    return der.tagged(0x06, content)


def set_of(*values: bytes) -> bytes:
    return der.tagged(0x31, b"".join(sorted(values)))


def load(file: str) -> Any:
    with open(os.path.join(KEYS, file), "rb") as pem:
        return serialization.load_pem_private_key(pem.read(), None)


class Key:
    """A key of keys/, and how it signs."""

    def __init__(self, file: str, digest: str = "sha256", pss: bool = False, mask: str = "") -> None:
        self.private, self.digest, self.pss, self.mask = load(file), digest, pss, mask or digest
        self.spki = self.private.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.key_id = hashlib.sha256(self.spki).hexdigest()
        self.kind = "rsa" if isinstance(self.private, rsa.RSAPrivateKey) else (
            "ec" if isinstance(self.private, ec.EllipticCurvePrivateKey) else "ed25519")

    def algorithm(self, in_cms: bool = False) -> bytes:
        if self.kind == "ed25519":
            return der.sequence(oid("1.3.101.112"))
        if self.kind == "ec":
            return der.sequence(oid("1.2.840.10045.4.3.2"))
        if self.pss:
            digest, mask = (der.sequence(oid(DIGESTS[name]), der.NULL) for name in (self.digest, self.mask))
            # What is the default is not written: SHA-1.
            return der.sequence(oid(PSS), der.sequence(
                *([der.tagged(0xA0, digest)] if self.digest != "sha1" else []),
                *([der.tagged(0xA1, der.sequence(oid(MGF1), mask))] if self.mask != "sha1" else []), der.tagged(0xA2, der.integer(32))))
        return der.algorithm(oid(RSA_KEY if in_cms else f"1.2.840.113549.1.1.{WITH_RSA[self.digest]}"))

    def sign(self, data: bytes) -> bytes:
        if self.kind == "ed25519":
            return bytes(self.private.sign(data))
        if self.kind == "ec":
            return der.sequence(*map(der.integer, p256_by_hand.sign(self.private.private_numbers().private_value, data)))
        numbers = self.private.private_numbers()
        size = (self.private.key_size + 7) // 8
        digest = hashlib.new(self.digest, data).digest()
        if self.pss:
            salt = Stream("pss").take(32)
            hashed = hashlib.new(self.digest, bytes(8) + digest + salt).digest()
            block = bytes(size - len(hashed) - 2 - len(salt)) + b"\x01" + salt
            masked = bytearray(xor(block, mgf1(hashed, len(block), self.mask)))
            masked[0] &= 0x7F
            encoded = bytes(masked) + hashed + b"\xbc"
        else:
            info = der.sequence(der.algorithm(oid(DIGESTS[self.digest])), der.octets(digest))
            encoded = b"\x00\x01" + b"\xff" * (size - len(info) - 3) + b"\x00" + info
        # By the two primes: as the number d does it, and quicker.
        number = int.from_bytes(encoded, "big")
        left, right = pow(number, numbers.dmp1, numbers.p), pow(number, numbers.dmq1, numbers.q)
        value = right + (left - right) * numbers.iqmp % numbers.p * numbers.q
        return value.to_bytes(size, "big")


def name(common: str) -> bytes:
    return der.sequence(set_of(der.sequence(oid("2.5.4.3"), der.tagged(0x0C, common.encode()))))


def extension(identifier: str, value: bytes, is_critical: bool = False) -> bytes:
    return der.sequence(oid(identifier), *([b"\x01\x01\xff"] if is_critical else []), der.octets(value))


class Party:
    """Somebody with a key and a certificate."""

    def __init__(self, common: str, key: Key, issuer: Optional[Party] = None, purpose: str = "", serial: int = 1,
                 begins: str = "20260101000000Z", ends: str = "20991231000000Z", signed_by: Optional[Key] = None) -> None:
        self.common, self.key, self.serial = common, key, serial
        self.issuer = issuer.common if issuer else common
        by = signed_by or (issuer.key if issuer else key)
        extensions = [extension("2.5.29.19", der.sequence(b"\x01\x01\xff"), True)] if not issuer else []
        if purpose:
            extensions.append(extension("2.5.29.37", der.sequence(oid(purpose)), purpose == TIME_STAMPING))
        tbs = der.sequence(
            der.tagged(0xA0, der.integer(2)), der.integer(serial), by.algorithm(), name(self.issuer),
            der.sequence(*(der.tagged(0x18 if time >= "2050" else 0x17, (time if time >= "2050" else time[2:]).encode()) for time in (begins, ends))),
            name(common), key.spki, der.tagged(0xA3, der.sequence(*extensions)))
        self.certificate = der.sequence(tbs, by.algorithm(), der.bits(by.sign(tbs)))

    def pem(self) -> bytes:
        return x509.load_der_x509_certificate(self.certificate).public_bytes(serialization.Encoding.PEM)


def signed_data(by: Party, content_type: str, data: bytes, is_detached: bool, *, ess: str = "2", digest_of: Optional[bytes] = None,
                others: tuple[Party, ...] = ()) -> bytes:
    """SignedData of one signer; `ess` is the version of its signingCertificate, or nothing."""
    key = by.key
    digest = "sha512" if key.kind == "ed25519" else key.digest
    hashed = hashlib.new(digest, digest_of if digest_of is not None else data).digest()

    def attribute(identifier: str, value: bytes) -> bytes:
        return der.sequence(oid(identifier), set_of(value))

    attributes = [attribute("1.2.840.113549.1.9.3", oid(content_type)), attribute("1.2.840.113549.1.9.4", der.octets(hashed))]
    if ess == "2":
        attributes.append(attribute("1.2.840.113549.1.9.16.2.47", der.sequence(der.sequence(der.sequence(
            der.octets(hashlib.sha256(by.certificate).digest()))))))
    elif ess == "1":
        attributes.append(attribute("1.2.840.113549.1.9.16.2.12", der.sequence(der.sequence(der.sequence(
            der.octets(hashlib.sha1(by.certificate).digest()))))))
    signed = b"".join(sorted(attributes))
    hash_algorithm = der.sequence(oid(DIGESTS[digest]), *([der.NULL] if key.kind == "rsa" else []))
    signer = der.sequence(
        der.integer(1), der.sequence(name(by.issuer), der.integer(by.serial)), hash_algorithm, der.tagged(0xA0, signed),
        key.algorithm(in_cms=True), der.octets(key.sign(der.tagged(0x31, signed))))
    content = der.sequence(oid(content_type), *([] if is_detached else [der.tagged(0xA0, der.octets(data))]))
    embedded = der.tagged(0xA0, b"".join(sorted(one.certificate for one in (by, *others))))
    return der.sequence(oid("1.2.840.113549.1.7.2"), der.tagged(0xA0, der.sequence(
        der.integer(1 if is_detached else 3), set_of(hash_algorithm), content, embedded, set_of(signer))))


def signature(by: Party, document: bytes, **more: Any) -> bytes:
    return signed_data(by, "1.2.840.113549.1.7.1", document, True, **more)


def time_stamp(by: Party, p7s: bytes, time: str, serial: int, imprint: str = "sha256", **more: Any) -> bytes:
    info = der.sequence(
        der.integer(1), oid("1.2.3.4.1"), der.sequence(der.sequence(oid(DIGESTS[imprint]), der.NULL), der.octets(hashlib.new(imprint, p7s).digest())),
        der.integer(serial), der.tagged(0x18, time.encode()))
    return der.sequence(der.sequence(der.integer(0)), signed_data(by, "1.2.840.113549.1.9.16.1.4", info, False, **more))
