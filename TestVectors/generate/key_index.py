# SPDX-License-Identifier: Apache-2.0
"""The index of keys/: what each file is, and whether a key loader is to accept it."""

from __future__ import annotations

import base64
import hashlib
import os
from typing import Any, Optional

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from rsa_by_hand import KEYS

PASSPHRASE = b"correct horse"

# file, kind, private, passphrase; all of rsa3072 and all to be accepted
FORMS_OF_RSA3072 = [
    ("rsa3072.pkcs1.pem", "private-pkcs1-pem", True, False),
    ("rsa3072.pkcs8.der", "private-pkcs8-der", True, False),
    ("rsa3072.pkcs1.der", "private-pkcs1-der", True, False),
    ("rsa3072.pbkdf2.pem", "private-pkcs8-pbkdf2-pem", True, True),
    ("rsa3072.scrypt.pem", "private-pkcs8-scrypt-pem", True, True),
    ("rsa3072.pbkdf2.der", "private-pkcs8-pbkdf2-der", True, True),
    ("rsa3072.legacy.pem", "private-pkcs1-legacy-encrypted-pem", True, True),
    ("rsa3072.pkcs8.base64", "private-pkcs8-base64", True, False),
    ("rsa3072.pkcs8.base64-lines", "private-pkcs8-base64-lines", True, False),
    ("rsa3072.pem.base64", "private-pkcs8-pem-base64", True, False),
    ("rsa3072.public.der", "public-spki-der", False, False),
    ("rsa3072.public-pkcs1.pem", "public-pkcs1-pem", False, False),
    ("rsa3072.public-pkcs1.der", "public-pkcs1-der", False, False),
    ("rsa3072.certificate.pem", "certificate-pem", False, False),
    ("rsa3072.certificate.der", "certificate-der", False, False),
    ("rsa3072.public.base64", "public-spki-base64", False, False),
    ("rsa3072.public.base64-lines", "public-spki-base64-lines", False, False),
    ("rsa3072.public.pem.base64", "public-spki-pem-base64", False, False),
]
# key, and what is wrong with it
BASE_KEYS = [
    ("rsa2048", "ok"),
    ("rsa3072", "ok"),
    ("rsa4096", "ok"),
    ("other3072", "ok"),
    ("rsa1024", "modulus-too-small"),
    ("rsa2048-e3", "exponent-too-small"),
]
# file, kind, private, what is wrong with it
WRONG_THINGS = [
    ("ec-p256.pem", "private-pkcs8-pem", True, "not-rsa"),
    ("ec-p256.public.pem", "public-spki-pem", False, "not-rsa"),
    ("ed25519.pem", "private-pkcs8-pem", True, "not-rsa"),
    ("rsa-pss2048.pem", "private-pkcs8-pem", True, "rsa-pss"),
    ("truncated-no-end-line.pem", "private-pkcs8-pem", True, "truncated"),
    ("truncated-body.pem", "private-pkcs8-pem", True, "truncated"),
    ("openssh-public.txt", "public-openssh", False, "openssh"),
    ("certificate-request.pem", "certificate-request-pem", False, "certificate-request"),
    ("empty.pem", "nothing", False, "empty"),
    ("random-text.txt", "nothing", False, "not-a-key"),
]


def load(file: str, kind: str, private: bool, passphrase: bool) -> rsa.RSAPublicKey:
    """The public key of any of the forms, as `cryptography` reads it."""
    with open(os.path.join(KEYS, file), "rb") as opened:
        data = opened.read()
    form = kind
    if "base64" in kind:
        data = base64.b64decode(data)
        form = kind if "pem-base64" in kind else kind.replace("base64", "der")
    pem = data.startswith(b"-----BEGIN")
    assert pem == ("pem" in form), file
    key: Any
    if kind.startswith("certificate"):
        key = (x509.load_pem_x509_certificate if pem else x509.load_der_x509_certificate)(data).public_key()
    elif private:
        read = serialization.load_pem_private_key if pem else serialization.load_der_private_key
        key = read(data, PASSPHRASE if passphrase else None).public_key()
    else:
        key = (serialization.load_pem_public_key if pem else serialization.load_der_public_key)(data)
    assert isinstance(key, rsa.RSAPublicKey), file
    return key


def entry(file: str, kind: str, private: bool, key: Optional[str], passphrase: bool, expect: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "file": file,
        "kind": kind,
        "private": private,
        "key": key,
        "bits": None,
        "passphrase": passphrase,
        "expect": expect,
    }
    if key is not None and expect != "truncated" and kind not in ("public-openssh", "certificate-request-pem"):
        public = load(file, kind, private, passphrase)
        result["bits"] = public.key_size
        spki = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        if expect == "ok":
            result["spkiSHA256"] = hashlib.sha256(spki).hexdigest()
    return result


def index() -> list[dict[str, Any]]:
    entries = []
    for key, expect in BASE_KEYS:
        entries.append(entry(f"{key}.pem", "private-pkcs8-pem", True, key, False, expect))
        entries.append(entry(f"{key}.public.pem", "public-spki-pem", False, key, False, expect))
    for file, kind, private, passphrase in FORMS_OF_RSA3072:
        entries.append(entry(file, kind, private, "rsa3072", passphrase, "ok"))
    for file, kind, private, expect in WRONG_THINGS:
        of_rsa3072 = expect in ("truncated", "openssh", "certificate-request")
        entries.append(entry(file, kind, private, "rsa3072" if of_rsa3072 else None, False, expect))

    listed = {item["file"] for item in entries} | {"index.json", "found.json", "passphrase.txt"}
    unlisted = set(os.listdir(KEYS)) - listed
    assert not unlisted, f"not in the index: {sorted(unlisted)}"
    # Whatever its form, it is the same key.
    digests = {item["key"]: item["spkiSHA256"] for item in entries if "spkiSHA256" in item}
    assert all(item["spkiSHA256"] == digests[item["key"]] for item in entries if "spkiSHA256" in item)
    return entries
