# SPDX-License-Identifier: Apache-2.0
"""Signatures and time stamps of archives (docs/ARCHIVE.md §1.4, §4), read without OpenSSL's CMS: RFC 5652, 5035, 5280, 3161."""

from __future__ import annotations

import datetime
import decimal
import hashlib
import re
from dataclasses import dataclass
from typing import Any, Iterator, Optional

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

SIGNED_DATA, DATA, TST_INFO = "1.2.840.113549.1.7.2", "1.2.840.113549.1.7.1", "1.2.840.113549.1.9.16.1.4"
CONTENT_TYPE, MESSAGE_DIGEST = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"
SIGNING_CERTIFICATE, SIGNING_CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.12", "1.2.840.113549.1.9.16.2.47"
RSA, PSS, EC, MGF1 = "1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10", "1.2.840.10045.2.1", "1.2.840.113549.1.1.8"
EMAIL_PROTECTION, TIME_STAMPING = "1.3.6.1.5.5.7.3.4", "1.3.6.1.5.5.7.3.8"
HASHES: dict[str, Any] = {
    "2.16.840.1.101.3.4.2.1": hashes.SHA256, "2.16.840.1.101.3.4.2.2": hashes.SHA384, "2.16.840.1.101.3.4.2.3": hashes.SHA512,
}
# With which hash a signature is made, by its algorithm; and what is forbidden by name.
SIGNED: dict[str, tuple[str, Any]] = {
    "1.2.840.113549.1.1.11": (RSA, hashes.SHA256), "1.2.840.113549.1.1.12": (RSA, hashes.SHA384),
    "1.2.840.113549.1.1.13": (RSA, hashes.SHA512), "1.2.840.10045.4.3.2": (EC, hashes.SHA256),
    "1.2.840.10045.4.3.3": (EC, hashes.SHA384), "1.2.840.10045.4.3.4": (EC, hashes.SHA512),
}
FORBIDDEN = {
    "1.2.840.113549.2.5": "MD5", "1.2.840.113549.1.1.4": "MD5", "1.3.14.3.2.26": "SHA-1", "1.2.840.113549.1.1.5": "SHA-1",
    "1.2.840.10045.4.1": "SHA-1", "1.2.840.10040.4.3": "SHA-1", "1.3.14.3.2.29": "SHA-1",
}


class Refused(Exception):
    """It does not hold, whoever is trusted."""


class Unjudged(Exception):
    """An algorithm that is neither listed nor forbidden."""


class NotAccepted(Exception):
    """It leads to no certificate that is trusted."""


def need(holds: object, what: str) -> None:
    if not holds:
        raise Refused(what)


# --- DER -------------------------------------------------------------------------------------------------------------


@dataclass
class Node:
    tag: int
    content: bytes
    whole: bytes

    def children(self) -> list[Node]:
        return list(nodes(self.content))

    def oid(self) -> str:
        need(self.tag == 6 and self.content, "no object identifier")
        numbers, value = [], 0
        for byte in self.content:
            value = value << 7 | byte & 127
            if not byte & 128:
                numbers.append(value)
                value = 0
        first = min(numbers[0] // 40, 2)
        return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))

    def integer(self) -> int:
        need(self.tag == 2 and self.content, "no number")
        return int.from_bytes(self.content, "big", signed=True)


def node_at(data: bytes, offset: int) -> tuple[Node, int]:
    need(offset + 2 <= len(data), "DER ends too early")
    tag, length, start = data[offset], data[offset + 1], offset + 2
    need(tag & 31 != 31 and length != 0x80, "not DER")
    if length > 0x80:
        count = length & 127
        digits = data[start : start + count]
        length, start = int.from_bytes(digits, "big"), start + count
        need(count <= 4 and len(digits) == count and length > 127 and digits[0], "not DER")
    need(start + length <= len(data), "DER ends too early")
    return Node(tag, data[start : start + length], data[offset : start + length]), start + length


def nodes(data: bytes) -> Iterator[Node]:
    offset = 0
    while offset < len(data):
        node, offset = node_at(data, offset)
        yield node


def whole(data: bytes, tag: int = 0x30) -> list[Node]:
    """The children of the one node that the data is."""
    node, end = node_at(data, 0)
    need(node.tag == tag and end == len(data), "not one DER value")
    return node.children()


# --- Algorithms ------------------------------------------------------------------------------------------------------


def hash_of(node: Node) -> Any:
    """The hash that an AlgorithmIdentifier names."""
    identifier = node.children()[0].oid()
    need(identifier not in FORBIDDEN, f"{FORBIDDEN.get(identifier)} is not accepted")
    if identifier not in HASHES:
        raise Unjudged(f"the hash {identifier} is not judged")
    return HASHES[identifier]


def check_signature(algorithm: Node, signature: bytes, key: Any, data: bytes, digest: Any = None) -> None:
    """Of a certificate, or with the digest's hash of a CMS signer, where RSA may stand without a hash."""
    children = algorithm.children()
    identifier = children[0].oid()
    need(identifier not in FORBIDDEN, f"{FORBIDDEN.get(identifier)} is not accepted")
    if isinstance(key, rsa.RSAPublicKey):
        need(key.key_size >= 2048, f"an RSA key of {key.key_size} bits is not accepted")
    try:
        if identifier == PSS and isinstance(key, rsa.RSAPublicKey):
            given = {child.tag: child.children()[0] for child in children[1].children()} if len(children) > 1 else {}
            need(0xA0 in given and 0xA1 in given, "PSS with SHA-1 is not accepted")
            hash_class, mask = hash_of(given[0xA0]), given[0xA1].children()
            if mask[0].oid() != MGF1:
                raise Unjudged("another mask than MGF1")
            salt = given[0xA2].integer() if 0xA2 in given else 20
            key.verify(signature, data, padding.PSS(padding.MGF1(hash_of(mask[1])()), salt), hash_class())
        elif isinstance(key, rsa.RSAPublicKey) and (identifier == RSA and digest or SIGNED.get(identifier, ("",))[0] == RSA):
            hash_class = digest if identifier == RSA else SIGNED[identifier][1]
            key.verify(signature, data, padding.PKCS1v15(), hash_class())
        elif isinstance(key, ec.EllipticCurvePublicKey) and SIGNED.get(identifier, ("",))[0] == EC:
            if key.curve.name not in ("secp256r1", "secp384r1"):
                raise Unjudged(f"the curve {key.curve.name} is not judged")
            hash_class = SIGNED[identifier][1]
            key.verify(signature, data, ec.ECDSA(hash_class()))
        else:
            raise Unjudged(f"the algorithm {identifier} is not judged")
    except InvalidSignature:
        raise Refused("the signature does not hold") from None


# --- Certificates ----------------------------------------------------------------------------------------------------


def certificate(der: bytes) -> Any:
    try:
        return x509.load_der_x509_certificate(der)
    except ValueError as error:
        raise Refused(f"a certificate cannot be read: {error}") from None


def certificates(data: bytes) -> list[Any]:
    """Those of a file: any number in PEM, or one in DER."""
    if data[:1] == b"\x30":
        return [certificate(data)]
    return x509.load_pem_x509_certificates(data)


def key_id(one: Any) -> str:
    return hashlib.sha256(one.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def seconds(moment: datetime.datetime) -> int:
    return int(moment.replace(tzinfo=datetime.timezone.utc).timestamp())


def validity(one: Any) -> tuple[int, int]:
    if hasattr(one, "not_valid_before_utc"):
        return seconds(one.not_valid_before_utc), seconds(one.not_valid_after_utc)
    return seconds(one.not_valid_before), seconds(one.not_valid_after)


def extension(one: Any, kind: Any) -> Any:
    try:
        return one.extensions.get_extension_for_class(kind)
    except x509.ExtensionNotFound:
        return None


def check_leaf(one: Any, purpose: str) -> None:
    usage, extended = extension(one, x509.KeyUsage), extension(one, x509.ExtendedKeyUsage)
    purposes = {item.dotted_string for item in extended.value} if extended else None
    if purpose == TIME_STAMPING:
        need(extended and extended.critical and purposes == {TIME_STAMPING}, "the certificate is not one for time stamps")
    else:
        need(purposes is None or EMAIL_PROTECTION in purposes, "the certificate is not one for S/MIME")
    need(usage is None or usage.value.digital_signature or usage.value.content_commitment, "the certificate is not one for signing")


def check_chain(leaf: Any, others: list[Any], trusted: list[Any], at: int, purpose: str) -> None:
    """Each certificate below the trusted one has listed algorithms, and all are valid then."""
    check_leaf(leaf, purpose)
    current, path = leaf, [leaf]
    trusted_ders = {one.public_bytes(serialization.Encoding.DER) for one in trusted}
    while current.public_bytes(serialization.Encoding.DER) not in trusted_ders:
        issuers = [one for one in trusted if one.subject == current.issuer] or [
            one for one in others if one.subject == current.issuer and one not in path]
        tbs, algorithm, signature = whole(current.public_bytes(serialization.Encoding.DER))
        # What is wrong with it is so whoever is trusted.
        if isinstance(current.public_key(), rsa.RSAPublicKey):
            need(current.public_key().key_size >= 2048, "an RSA key under 2048 bits is not accepted")
        identifier = algorithm.children()[0].oid()
        need(identifier not in FORBIDDEN, f"{FORBIDDEN.get(identifier)} is not accepted")
        if not issuers:
            raise NotAccepted("its issuer is not among the certificates that are trusted")
        issuer = issuers[0]
        check_signature(algorithm, signature.content[1:], issuer.public_key(), tbs.whole)
        basic = extension(issuer, x509.BasicConstraints)
        need(issuer in trusted or basic and basic.value.ca, "an issuer is no authority")
        current = issuer
        path.append(current)
    for one in path:
        begin, end = validity(one)
        need(begin <= at < end, "a certificate was not valid then")


def leads_to(leaf: Any, others: list[Any], wanted: list[Any]) -> bool:
    """Whether a certificate has the key of one of some certificates, or was issued under such a key, by whichever way."""
    keys, waiting, rest = {key_id(one) for one in wanted}, [leaf], [*others, *wanted]
    while waiting:
        current = waiting.pop()
        if key_id(current) in keys:
            return True
        issuers = [one for one in rest if one.subject == current.issuer and is_signed_by(current, one)]
        waiting += issuers
        rest = [one for one in rest if one not in issuers]
    return False


def is_signed_by(certificate: Any, issuer: Any) -> bool:
    tbs, algorithm, signature = whole(certificate.public_bytes(serialization.Encoding.DER))
    try:
        check_signature(algorithm, signature.content[1:], issuer.public_key(), tbs.whole)
    except (Refused, Unjudged, ValueError):
        return False
    return True


# --- CMS -------------------------------------------------------------------------------------------------------------


@dataclass
class Signed:
    """A CMS signature whose bytes hold; whose it is, check_chain says."""

    leaf: Any
    others: list[Any]
    content: Optional[bytes]
    algorithm: str


def signed_data(content_info: Node, document: Optional[bytes], content_type: str) -> Signed:
    """Verifies over the document or, where that is inside, over it."""
    outer = content_info.children()
    need(outer[0].oid() == SIGNED_DATA and outer[1].tag == 0xA0, "no SignedData")
    fields = whole(outer[1].content)
    need(fields[0].tag == 2 and fields[1].tag == 0x31 and fields[-1].tag == 0x31, "no SignedData")
    inner = fields[2].children()
    need(inner[0].oid() == content_type, "it has content of another type")
    content = inner[1].children()[0].content if len(inner) > 1 else None
    need((content is None) != (document is None), "it is not detached" if document is not None else "it has no content")
    embedded = [certificate(node.whole) for node in fields[3].children()] if fields[3].tag == 0xA0 else []
    signers = fields[-1].children()
    need(len(signers) == 1, "it has not one signer")
    signer = signers[0].children()
    attributes_at = 3
    need(signer[1].tag in (0x30, 0x80) and signer[attributes_at].tag == 0xA0, "it has no signed attributes")
    leaf = None
    for one in embedded:
        if signer[1].tag == 0x30:
            tbs = whole(one.public_bytes(serialization.Encoding.DER))[0].children()
            name, number = signer[1].children()
            if tbs[1].integer() == number.integer() and tbs[3].whole == name.whole:
                leaf = one
        else:
            found = extension(one, x509.SubjectKeyIdentifier)
            leaf = one if found and found.value.digest == signer[1].content else leaf
    need(leaf, "the signer's certificate is not inside")
    digest = hash_of(signer[2])
    attributes: dict[str, list[Node]] = {}
    for attribute in signer[attributes_at].children():
        kind, values = attribute.children()
        need(kind.oid() not in attributes, "an attribute is there twice")
        attributes[kind.oid()] = values.children()
    need([value.oid() for value in attributes.get(CONTENT_TYPE, [])] == [content_type], "contentType is another one")
    data = document if document is not None else content
    assert data is not None
    hasher = hashes.Hash(digest())
    hasher.update(data)
    need([value.content for value in attributes.get(MESSAGE_DIGEST, [])] == [hasher.finalize()], "it is of something else")
    check_signing_certificate(attributes, leaf)
    signed = b"\x31" + signer[attributes_at].whole[1:]
    check_signature(signer[4], signer[5].content, leaf.public_key(), signed, digest)
    return Signed(leaf, embedded, content, signer[4].children()[0].oid())


def check_signing_certificate(attributes: dict[str, list[Node]], leaf: Any) -> None:
    values = attributes.get(SIGNING_CERTIFICATE_V2, [])
    need(len(values) == 1, "signingCertificateV2 is missing: SHA-1 is not accepted" if SIGNING_CERTIFICATE in attributes
         else "signingCertificateV2 is missing")
    first = values[0].children()[0].children()[0].children()
    hash_class = hash_of(first[0]) if first[0].tag == 0x30 else hashes.SHA256
    digest = first[1 if first[0].tag == 0x30 else 0].content
    need(digest == leaf.fingerprint(hash_class()), "signingCertificateV2 names another certificate")


def signature(p7s: bytes, document: bytes) -> Signed:
    """A bag's signature: SHA-256 of the document is in it."""
    node, end = node_at(p7s, 0)
    need(node.tag == 0x30 and end == len(p7s), "something follows the signature")
    found = signed_data(node, document, DATA)
    need(hashlib.sha256(document).digest() in p7s, "it is not over SHA-256")
    return found


@dataclass
class Stamp:
    signed: Signed
    time: decimal.Decimal
    serial: int


def time_stamp(tsr: bytes, p7s: bytes) -> Stamp:
    node, end = node_at(tsr, 0)
    need(node.tag == 0x30 and end == len(tsr), "something follows the time stamp")
    status, *token = node.children()
    need(status.children()[0].integer() in (0, 1) and len(token) == 1, "no time stamp was granted")
    signed = signed_data(token[0], None, TST_INFO)
    if signed.algorithm == PSS:
        raise Unjudged("a token under RSA-PSS is not judged")
    assert signed.content is not None
    info = whole(signed.content)
    imprint = info[2].children()
    hasher = hashes.Hash(hash_of(imprint[0])())
    hasher.update(p7s)
    need(imprint[1].content == hasher.finalize(), "the time stamp is of something else")
    text = re.fullmatch(r"(\d{14})(\.\d+)?Z", info[4].content.decode("latin-1"))
    need(info[4].tag == 0x18 and text and text[1][12:] != "60", "genTime is not as it must be")
    assert text
    try:
        moment = seconds(datetime.datetime.strptime(text[1], "%Y%m%d%H%M%S"))
    except ValueError:
        raise Refused("genTime is no moment") from None
    return Stamp(signed, decimal.Decimal(f"{moment}{text[2] or ''}"), info[3].integer())
