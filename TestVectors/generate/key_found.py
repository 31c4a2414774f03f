# SPDX-License-Identifier: Apache-2.0
"""What else is handed over for a key: each is read, or named for what it is (docs/FORMATS.md §2.0).

Made from the keys in keys/, always the same bytes: by der.py where no library writes such a thing, else by
`cryptography`.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import math
import os
from typing import Any, Optional

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

import der
from rsa_by_hand import KEYS

UNKNOWN = bytes.fromhex("06032a0304")  # 1.2.3.4, which nobody has given away
EC = bytes.fromhex("06072a8648ce3d0201")
SM2 = bytes.fromhex("06082a811ccf5501822d")
P256 = bytes.fromhex("06082a8648ce3d030107")
P384 = bytes.fromhex("06052b81040022")
DHX = bytes.fromhex("06072a8648ce3e0201")
DATA = bytes.fromhex("06092a864886f70d010701")
SIGNED_DATA = bytes.fromhex("06092a864886f70d010702")


def read(file: str) -> bytes:
    with open(os.path.join(KEYS, file), "rb") as opened:
        return opened.read()


def private_key(file: str) -> rsa.RSAPrivateKey:
    key = serialization.load_pem_private_key(read(file), None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key


def pem(label: str, encoded: bytes, width: int = 64) -> bytes:
    text = base64.b64encode(encoded).decode()
    lines = [text[at : at + width] for at in range(0, len(text), width)]
    return "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", "")).encode()


def certificate(
    key: rsa.RSAPrivateKey, first: int, last: int, enciphers: Optional[tuple[bool, bool]]
) -> bytes:
    """A certificate from one year to another; `enciphers`: keys, data."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "public test key, never to be used")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, datetime.datetime(first, 1, 1),
                                      datetime.datetime(last, 1, 1))
    if enciphers is not None:
        builder = builder.add_extension(
            x509.KeyUsage(digital_signature=True, content_commitment=False, key_encipherment=enciphers[0],
                          data_encipherment=enciphers[1], key_agreement=False, key_cert_sign=False, crl_sign=False,
                          encipher_only=False, decipher_only=False), critical=True)
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def revocations(key: rsa.RSAPrivateKey) -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "public test key, never to be used")])
    builder = x509.CertificateRevocationListBuilder(name, datetime.datetime(2026, 1, 1), datetime.datetime(2027, 1, 1))
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def fingerprint(key: rsa.RSAPublicKey) -> str:
    spki = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(spki).hexdigest()


def found() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    key, other = private_key("rsa3072.pem"), private_key("other3072.pem")
    public = key.public_key()
    n, e = public.public_numbers().n, public.public_numbers().e

    def add(name: str, asked: str, encoded: bytes, expect: str, says: Optional[str] = None, **more: Any) -> None:
        entries.append({"name": name, "asked": asked, "encoded": base64.b64encode(encoded).decode(), "expect": expect,
                        "says": says} | more)

    def is_key(name: str, asked: str, encoded: bytes, of: rsa.RSAPublicKey = public, **more: Any) -> None:
        add(name, asked, encoded, "ok", None, spkiSHA256=fingerprint(of), **more)

    def both(name: str, encoded: bytes, expect: str, says: str) -> None:
        add(f"{name}, for a private key", "private", encoded, expect, says)
        add(f"{name}, for a public key", "public", encoded, expect, says)

    # What only looks like a key.
    as_key = der.integers(n, e)
    for label in ("DH PARAMETERS", "X9.42 DH PARAMETERS"):
        both(f"an RSAPublicKey under {label}", pem(label, as_key), "wrongKindOfKey", "Diffie-Hellman parameters")
    both("DSA parameters", pem("DSA PARAMETERS", der.integers(n, e, 2)), "wrongKindOfKey", "DSA parameters")
    both("DSA parameters in DER", der.integers(n, e, 2), "wrongKindOfKey", "DSA or Diffie-Hellman parameters")
    third = private_key("rsa1024.pem").private_numbers().p
    for size, prime in ((512, third), (3072, n)):
        both(f"Diffie-Hellman parameters of {size} bits in DER", der.integers(prime, 2), "wrongKindOfKey",
             "two numbers that look like Diffie-Hellman parameters, not a key")
    add("Diffie-Hellman parameters with another generator in DER", "public", der.integers(third, 5), "weakKey", "has 512")
    add("2 as the exponent of an RSA key", "public", pem("RSA PUBLIC KEY", der.integers(n, 2)), "weakKey", "not a valid one")
    both("Diffie-Hellman parameters with the length of the secret in DER", der.integers(n, 2, 256), "wrongKindOfKey",
         "DSA or Diffie-Hellman parameters, not a key")
    add("a DSA key in DER, for a private key", "private", der.integers(0, n, third, 2, 3, 5), "notRSA", "found a DSA key")
    add("a DSA key in DER, for a public key", "public", der.integers(0, n, third, 2, 3, 5), "wrongKindOfKey",
        "found a private key (OpenSSL's own form, DER)")
    both("parameters of a curve in DER", bytes.fromhex("06082a8648ce3d030107"), "notAKey", "elliptic-curve parameters")
    text = read("rsa3072.pem").decode()
    for name, encoded in (("UTF-16", b"\xff\xfe" + text.encode("utf-16-le")), ("UTF-16, big end first",
                          b"\xfe\xff" + text.encode("utf-16-be")), ("UTF-16 without its mark", text.encode("utf-16-le")),
                          ("UTF-16, big end first, without its mark", text.encode("utf-16-be"))):
        both(f"PEM in {name}", encoded, "unreadableKey", "text in UTF-16")
    both("gzip", bytes.fromhex("1f8b0800000000000003") + bytes(40), "notAKey", "a gzip file")
    both("MSBLOB, private", bytes.fromhex("0702000000a400005253413200080000") + bytes(40), "unreadableKey", "Microsoft's MSBLOB format")
    both("MSBLOB, public", bytes.fromhex("0602000000a400005253413100080000") + bytes(40), "notAKey", "Microsoft's MSBLOB format")
    both("PVK", bytes.fromhex("1ef1b5b00000000001000000") + bytes(40), "unreadableKey", "Microsoft's PVK format")
    both("SPKAC", b"SPKAC=" + base64.b64encode(der.sequence(der.integer(1))), "notAKey", "(SPKAC)")
    both("hex that begins with 0", b"0123456789abcdef" * 4, "notAKey", "found hex")
    both("a request for a time stamp", der.sequence(der.integer(1), der.sequence(UNKNOWN, der.octets(bytes(32)))), "unreadableKey",
         "not a known kind of key or certificate, or")
    for name, algorithm in (("an SM2 key", EC + SM2), ("an EC key", EC + P384), ("an X9.42 DH key", DHX)):
        add(f"{name}, private", "private", pem("PRIVATE KEY", der.pkcs8(b"\x04\x01\x00", der.sequence(algorithm))), "notRSA",
            f"found {name} (PKCS#8, PEM)")
        add(f"{name}, public", "public", pem("PUBLIC KEY", der.spki(b"\4" + bytes(8), der.sequence(algorithm))), "notRSA",
            f"found {name} (SubjectPublicKeyInfo, PEM)")
    # The point at infinity (SEC 1, section 2.3.3): one byte, and no public key.
    for name, curve in (("P-256", P256), ("P-384", P384)):
        infinity = der.spki(b"\0", der.sequence(EC + curve))
        for form, encoded in (("DER", infinity), ("PEM", pem("PUBLIC KEY", infinity))):
            add(f"the point at infinity of {name} in {form}, for a private key", "private", encoded, "wrongKindOfKey",
                f"found a public key (SubjectPublicKeyInfo, {form})")
            add(f"the point at infinity of {name} in {form}, for a public key", "public", encoded, "notRSA",
                f"found an EC key (SubjectPublicKeyInfo, {form})")
    both("a JWK", b'{"kty":"RSA","n":"AQAB","e":"AQAB","d":"AQAB"}', "unreadableKey", "found a JWK")
    both("a payload", b'{"orderNo":"ord1"}', "notAKey", "found JSON")
    both("an SSH2 public key", b"---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----\n", "notAKey",
         "an SSH2 public key (RFC 4716)")
    both("zip", b"PK\x03\x04" + bytes(40), "notAKey", "a zip file")
    both("parameters of a curve", pem("EC PARAMETERS", bytes.fromhex("06082a8648ce3d030107")), "wrongKindOfKey",
         "elliptic-curve parameters")
    both("an RSAPublicKey under an unknown label", pem("SOMETHING", as_key), "wrongKindOfKey", "whose label")
    both("an RSAPublicKey under a hostile label", pem("\x1b[31mX", as_key), "wrongKindOfKey", "whose label")

    # Beside keys.
    crl = revocations(key)
    both("a CRL", pem("X509 CRL", crl), "wrongKindOfKey", "a certificate revocation list")
    both("a CRL in DER", crl, "wrongKindOfKey", "a certificate revocation list")
    empty = der.tagged(0xA0, der.octets(der.sequence()))
    both("PKCS#12", der.sequence(der.integer(3), der.sequence(DATA, empty)), "unreadableKey", "a PKCS#12 file")
    both("PKCS#12 in base64", base64.b64encode(der.sequence(der.integer(3), der.sequence(DATA, empty))),
         "unreadableKey", "a PKCS#12 file")
    signed = der.sequence(SIGNED_DATA, der.tagged(0xA0, der.sequence(
        der.integer(1), der.tagged(0x31, b""), der.sequence(DATA), der.tagged(0x31, b""))))
    both("PKCS#7", pem("PKCS7", signed), "wrongKindOfKey", "a PKCS#7 (CMS) message")
    both("PKCS#7 in DER", signed, "wrongKindOfKey", "a PKCS#7 (CMS) message")
    both("a Java keystore", bytes.fromhex("feedfeed00000002") + bytes(40), "unreadableKey", "a Java keystore")
    both("a trusted certificate", pem("TRUSTED CERTIFICATE", certificate(key, 2020, 2120, None) + der.sequence()),
         "wrongKindOfKey", "OpenSSL's own additions")

    # Keys that are not read.
    numbers = der.integers(*numbers_of(key))
    version_2 = der.sequence(der.integer(1), der.algorithm(), der.octets(numbers),
                             der.tagged(0x81, b"\0" + der.integers(n, e)))
    both("PKCS#8 of version 2", version_2, "unreadableKey", "PKCS#8 version 2 (RFC 5958)")
    both("PKCS#8 of version 2 in PEM", pem("PRIVATE KEY", version_2), "unreadableKey", "PKCS#8 version 2")
    parts = numbers_of(key)
    order = (parts[4] - 1) * (parts[5] - 1) * (third - 1)
    whole_d = pow(e, -1, order)
    three = der.sequence(
        *(der.integer(number) for number in (1, n * third, e, whole_d, parts[4], parts[5], whole_d % (parts[4] - 1),
                                             whole_d % (parts[5] - 1), parts[8])),
        der.sequence(der.integers(third, whole_d % (third - 1), pow(n, -1, third))))
    add("three primes", "private", pem("RSA PRIVATE KEY", three), "unreadableKey", "more than two primes")
    add("three primes, PKCS#8", "private", pem("PRIVATE KEY", der.pkcs8(three)), "unreadableKey", "more than two primes")
    add("an unknown algorithm, private", "private", pem("PRIVATE KEY", der.pkcs8(b"\x04\x01\x00", der.sequence(UNKNOWN))),
        "notRSA", "a key of the algorithm 1.2.3.4 (PKCS#8, PEM)")
    add("an unknown algorithm, public", "public", pem("PUBLIC KEY", der.spki(b"\0", der.sequence(UNKNOWN))), "notRSA",
        "a key of the algorithm 1.2.3.4 (SubjectPublicKeyInfo, PEM)")
    add("an unknown algorithm, the other half", "public", pem("PRIVATE KEY", der.pkcs8(b"\0", der.sequence(UNKNOWN))),
        "wrongKindOfKey", "a private key (PKCS#8, PEM)")
    add("an EC key that cannot be read", "private", pem("EC PRIVATE KEY", b"\x30\x00"), "notRSA", "an EC key")
    is_key("d as large as it may be", "private", numbers_with_d(other, below=True), of=other.public_key())
    add("d larger than n", "private", numbers_with_d(other, below=False), "weakKey", "do not match each other")

    # Several blocks.
    good, good_public = read("rsa3072.pem"), read("rsa3072.public.pem")
    damaged = pem("PRIVATE KEY", b"\x30\x03\x02\x01")
    add("line ends of CR alone", "private", good.replace(b"\n", b"\r"), "unreadableKey", "lines end in CR alone")
    is_key("one block before the point at infinity", "private",
           good + pem("PUBLIC KEY", der.spki(b"\0", der.sequence(EC + P256))))
    is_key("one block behind the point at infinity", "private",
           pem("PUBLIC KEY", der.spki(b"\0", der.sequence(EC + P256))) + good)
    for width in (76, 2400):
        is_key(f"lines of {width} characters", "private", pem("RSA PRIVATE KEY", numbers, width))
    garbled = b"-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----\n"
    cut_off = read("truncated-no-end-line.pem")
    negative = pem("RSA PRIVATE KEY", der.integers(0, -n, *parts[2:]))
    contradictory = pem("RSA PRIVATE KEY", der.integers(*parts[:3], parts[3] + 2, *parts[4:]))
    for name, bad in (("damaged", damaged), ("garbled", garbled), ("cut off", cut_off), ("negative", negative),
                      ("contradictory", contradictory), ("of another algorithm", read("ec-p256.pem")),
                      ("a certificate", read("rsa3072.certificate.pem")), ("parameters", pem("DH PARAMETERS", as_key))):
        is_key(f"{name} before a good one", "private", bad + b"\n" + good)
        is_key(f"{name} behind a good one", "private", good + bad)
        if name != "a certificate":
            is_key(f"{name} before a good public one", "public", bad + b"\n" + good_public)
    is_key("the first of two", "private", read("other3072.pem") + good, of=other.public_key())
    add("which of two is damaged", "private", good_public + damaged, "unreadableKey", "block 2 of 2: the key is damaged")
    add("which of three is another's", "private", good_public + pem("X509 CRL", crl) + read("ec-p256.pem"), "notRSA",
        "block 3 of 3: expected an RSA key, found an EC key")
    add("none of two", "private", good_public + pem("X509 CRL", crl), "wrongKindOfKey", "block 1 of 2: expected a private key, found a public key")
    locked = read("rsa3072.pbkdf2.pem")
    add("a key that is locked hides another", "private", locked + read("other3072.pem"), "passphraseNeeded", "encrypted")
    is_key("a key that is locked and its passphrase", "private", locked + read("other3072.pem"), passphrase="correct horse")
    add("a key that is locked and another passphrase", "private", locked + read("other3072.pem"), "wrongPassphrase",
        "the passphrase does not open", passphrase="wrong horse")

    # On one line.
    for file, asked, passphrase in (("rsa3072.pem", "private", None), ("rsa3072.pkcs1.pem", "private", None),
                                    ("rsa3072.legacy.pem", "private", "correct horse"),
                                    ("rsa3072.scrypt.pem", "private", "correct horse"),
                                    ("rsa3072.public.pem", "public", None), ("rsa3072.certificate.pem", "public", None)):
        text = read(file)
        more = {} if passphrase is None else {"passphrase": passphrase}
        is_key(f"{file}, \\n written out", asked, text.replace(b"\n", b"\\n"), **more)
        is_key(f"{file}, \\r\\n written out", asked, text.replace(b"\n", b"\\r\\n"), **more)
        is_key(f"{file}, written out twice, in quotes", asked, b'KEY="' + text.replace(b"\n", b"\\\\n") + b'"\n', **more)
        is_key(f"{file}, as PHP writes JSON", asked,
               b'{"key":"' + text.replace(b"/", b"\\/").replace(b"\n", b"\\n") + b'"}', **more)
        if "legacy" not in file:
            is_key(f"{file}, blanks", asked, text.replace(b"\n", b" "), **more)
            lines = text.split(b"\n")
            is_key(f"{file}, nothing in between", asked, lines[0] + b"".join(lines[1:-2]) + lines[-2], **more)
    is_key("two on one line, the second asked for", "public",
           (read("other3072.pem") + good_public).replace(b"\n", b"\\n"))
    add("one line, damaged", "private", good.replace(b"\n", b"\\n").replace(b"MII", b"M!I"), "unreadableKey", "other characters in its lines")
    add("one line of an old encryption, blanks", "private", read("rsa3072.legacy.pem").replace(b"\n", b" "), "unreadableKey",
        "header lines", passphrase="correct horse")

    # Text behind the last line: of the source, the configuration or the terminal that it was copied from.
    for behind in (b"`;\n", b"\"\n", b"');\n", b"</value>\n", b"%\n", b"root@host:~# ", "\uff09\u3002\n".encode()):
        is_key(f"{behind!r} behind the last line", "private", b"export const key = `" + good.rstrip() + behind)
        is_key(f"{behind!r} behind the last line, public", "public", good_public.rstrip() + behind)

    # What is damaged, in forms that are read when they are whole.
    lines = good.split(b"\n")
    body = b"".join(lines[1:-2])
    cut = b"\n".join([lines[0], *lines[1:9], lines[9][:31], *lines[-2:]])
    for name, text in (("in lines", cut), ("on one line", cut.replace(b"\n", b"\\n")), ("in JSON", b'{"key":"' + cut.replace(b"\n", b"\\n") + b'"}')):
        add(f"cut, with its last line, {name}", "private", text, "unreadableKey", "another length")
    add("a line lost", "private", b"\n".join(lines[:5] + lines[6:]), "unreadableKey", "another length")
    add("a character of its algorithm changed", "private", b"\n".join([lines[0], lines[1][:16] + b"k" + lines[1][17:], *lines[2:]]), "unreadableKey", "number of its algorithm")
    add("labelled as another key", "private", good.replace(b" PRIVATE", b" EC PRIVATE"), "unreadableKey", "labelled as something else")
    add("base64 twice", "private", b"\n".join([lines[0], base64.b64encode(good), *lines[-2:]]), "unreadableKey", "in base64 twice")
    add("the dashes of its last line rewritten", "private", good.replace(b"-----END", "\u2014\u2013END".encode()), "unreadableKey", "dashes were rewritten")
    add("base64 that is too long", "private", base64.b64encode(base64.b64decode(body) + b"\0\0\0"), "unreadableKey", "is too long")
    add("a constant of a program", "private", b'private static final String KEY = "' + body + b'";\n', "unreadableKey", "a program's source")

    # Certificates, and what they say about the use of their keys.
    for name, first, last, enciphers in (("expired", 2001, 2002, (True, False)), ("not yet", 2090, 2100, (False, True)),
                                         ("no key usage", 2001, 2100, None), ("for signatures", 2001, 2100, (False, False)),
                                         ("for keys", 2001, 2100, (True, False)), ("for data", 2001, 2049, (False, True))):
        is_key(f"certificate: {name}", "public", pem("CERTIFICATE", certificate(key, first, last, enciphers)),
               certificate={"notBefore": seconds(first), "notAfter": seconds(last),
                            "permitsEncipherment": enciphers is None or any(enciphers)})
    return entries


def seconds(year: int) -> int:
    return int(datetime.datetime(year, 1, 1, tzinfo=datetime.timezone.utc).timestamp())


def numbers_of(key: rsa.RSAPrivateKey) -> list[int]:
    numbers = key.private_numbers()
    return [0, numbers.public_numbers.n, numbers.public_numbers.e, numbers.d, numbers.p, numbers.q, numbers.dmp1,
            numbers.dmq1, numbers.iqmp]


def numbers_with_d(key: rsa.RSAPrivateKey, below: bool) -> bytes:
    """An `RSAPrivateKey` with the largest d that is less than the modulus, or the next one, which is as long as it."""
    numbers = numbers_of(key)
    n, order = numbers[1], math.lcm(numbers[4] - 1, numbers[5] - 1)
    largest = (n - 1 - numbers[3] % order) // order * order + numbers[3] % order
    numbers[3] = largest if below else largest + order
    assert (numbers[3] < n) == below and numbers[3].bit_length() == n.bit_length()
    return der.integers(*numbers)
