# SPDX-License-Identifier: Apache-2.0
"""The device signature: docs/FORMATS.md §7, from its text alone."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Callable, Collection, Optional

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

import evidence_v1
from evidence_v1 import Refused
from p256_by_hand import N
from statement import AHEAD, canonical, code_units, is_digest, is_text, moment, quoted

MAX_CHARACTERS = 32768
MAX_INTEGER_CHARACTERS = 64
MAX_MEMBERS = 64
MAX_MEMBER_BYTES = 65536
MAX_INTEGER = 2**53 - 1

IN_OUTERMOST = ("isSuccess", "liveRate", "sign", "similarity")
IN_PAYLOAD = ("encryptAESKey", "identifyStr", "userEncryptKey", "userVideoString", "videoEncryptAESKey")
PHOTO = "userImageString"
RISKS = ("deviceInfoLevel", "deviceInfoTag", "riskInfoLevel", "riskInfoTag")
RISK_OBJECTS = ("riskInfo", "RiskInfo")
COVERED = {*IN_OUTERMOST, *IN_PAYLOAD, PHOTO, *(f"riskInfo.{name}" for name in RISKS)}

KNOWN_OUTERMOST = (*IN_OUTERMOST, *IN_PAYLOAD, PHOTO, "orderNo", "simpleModeResult", *RISK_OBJECTS, "deviceSignature")
KNOWN_INSIDE = (*IN_PAYLOAD, PHOTO, "orderNo", "deviceSignature")
HINT = "keyId"


class Outcome(Exception):
    """What a check comes to, where that is not `signed`."""

    def __init__(self, name: str, fields: Optional[dict[str, str]] = None) -> None:
        super().__init__(name)
        self.name = name
        self.fields = fields or {}


class Number(str):
    """A number as it is written."""


# --- The key ----------------------------------------------------------------------------------


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def from_base64url(text: str) -> Optional[bytes]:
    """None for what is not the one spelling."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if base64url(data) == text else None


def read_key(data: bytes) -> ec.EllipticCurvePublicKey:
    """PEM, DER or base64 of either; ValueError for anything but a P-256 key in the one form."""
    if not data.startswith(b"0") and b"-----BEGIN" not in data:
        data = base64.b64decode(b"".join(data.split()), validate=True)
    if b"-----BEGIN" in data:
        block = re.search(rb"-----BEGIN PUBLIC KEY-----(.*?)-----END PUBLIC KEY-----", data, re.DOTALL)
        if block is None:
            raise ValueError("no public key")
        data = base64.b64decode(b"".join(block[1].split()), validate=True)
    key = serialization.load_der_public_key(data)
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("not a P-256 key")
    form = (serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    if key.public_bytes(*form) != data or len(data) != 91:
        raise ValueError("not the one form")
    return key


def thumbprint(key: ec.EllipticCurvePublicKey) -> str:
    numbers = key.public_numbers()
    x, y = (base64url(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
    return base64url(hashlib.sha256(b'{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}' % (x.encode(), y.encode())).digest())


def header(kid: str) -> bytes:
    return b'{"alg":"ES256","kid":"%s","typ":"evidence-device-v1"}' % kid.encode()


# --- The document -----------------------------------------------------------------------------


@dataclass
class Document:
    digests: dict[str, str]
    # Of each other member of the outermost object by its name in a manifest; None where its value has no digest.
    members: dict[str, Optional[str]]
    orders: list[str]
    signature: Optional[str]
    is_misplaced: bool
    uncovered: list[str]
    rewrapped: list[str] = dataclasses.field(default_factory=list)
    user: str = ""


def read_document(data: bytes) -> Document:
    try:
        text = data.decode("utf-8")
        if text.startswith("\ufeff"):
            raise Outcome("document")
        top = json.loads(
            text,
            object_pairs_hook=evidence_v1.object_from_pairs,
            parse_constant=evidence_v1.refuse_constant,
            parse_int=Number,
            parse_float=Number,
        )
        if not isinstance(top, dict):
            raise Outcome("document")
        evidence_v1.check_bounds(top)
    except (ValueError, RecursionError, Refused):
        raise Outcome("document") from None
    return look_at(top)


def wanted(value: Any, holds: bool) -> Any:
    if value is not None and not holds:
        raise Outcome("document")
    return value


def string(value: Any) -> Optional[str]:
    return wanted(value, type(value) is str)


def risk(value: Any) -> Optional[str]:
    integer = isinstance(value, Number) and len(value) <= MAX_INTEGER_CHARACTERS and re.fullmatch(r"-?[0-9]+", value)
    text: Optional[str] = wanted(value, bool(integer) or type(value) is str)
    return text


def member_text(value: Any) -> str:
    """RFC 8785, for the values that have a digest; ValueError for others."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Number):
        if not re.fullmatch(r"0|-?[1-9][0-9]*", value) or abs(int(value)) > MAX_INTEGER:
            raise ValueError("a number that readers may see differently")
        return value
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[" + ",".join(map(member_text, value)) + "]"
    names = sorted(value, key=code_units)
    return "{" + ",".join(f"{quoted(name)}:{member_text(value[name])}" for name in names) + "}"


def member_digest(value: Any) -> Optional[str]:
    try:
        data = member_text(value).encode("utf-8")
    except ValueError:
        return None
    return hashlib.sha256(data).hexdigest() if len(data) <= MAX_MEMBER_BYTES else None


def is_member(name: str) -> bool:
    """Whether a manifest may have this name of another member."""
    return (
        re.fullmatch(r"\$\.[A-Za-z_][A-Za-z0-9_]{0,63}", name) is not None and name[2:] not in (*KNOWN_OUTERMOST, HINT)
    )


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Every object of a document, itself the first."""
    found, rest = [], [value]
    while rest:
        item = rest.pop()
        if isinstance(item, dict):
            found.append(item)
            rest += item.values()
        elif isinstance(item, list):
            rest += item
    return found


def look_at(top: dict[str, Any]) -> Document:
    inner = wanted(top.get("simpleModeResult"), isinstance(top.get("simpleModeResult"), dict))
    risk_objects = [wanted(top.get(name), isinstance(top.get(name), dict)) for name in RISK_OBJECTS]
    if None not in risk_objects:
        raise Outcome("document")
    risks = risk_objects[0] if risk_objects[0] is not None else risk_objects[1]
    knowing = [("", top, KNOWN_OUTERMOST)]
    if inner is not None:
        knowing.append(("simpleModeResult.", inner, KNOWN_INSIDE))
    if risks is not None:
        knowing.append(("riskInfo.", risks, RISKS))
    for _, holder, known in knowing:
        if any(evidence_v1.almost(name, known) for name in holder):
            raise Outcome("document")

    texts: dict[str, Optional[str]] = {}
    claimed = wanted(top.get("isSuccess"), isinstance(top.get("isSuccess"), bool))
    texts["isSuccess"] = None if claimed is None else "true" if claimed else "false"
    for name in IN_OUTERMOST[1:]:
        texts[name] = string(top.get(name))
    for name in (*IN_PAYLOAD, PHOTO):
        outer, inside = string(top.get(name)), None if inner is None else string(inner.get(name))
        if outer is not None and inside is not None:
            raise Outcome("document")
        if outer is not None and inner is not None and name != PHOTO:
            raise Outcome("document")
        texts[name] = inside if outer is None else outer
    for name in RISKS:
        texts[f"riskInfo.{name}"] = None if risks is None else risk(risks.get(name))
    holders = [top] if inner is None else [top, inner]
    orders = [string(holder.get("orderNo")) for holder in holders]
    signatures = [string(holder.get("deviceSignature")) for holder in holders]
    return Document(
        digests={name: hashlib.sha256(text.encode("utf-8")).hexdigest() for name, text in texts.items() if text is not None},
        members={f"$.{name}": member_digest(value) for name, value in top.items() if is_member(f"$.{name}") and value is not None},
        orders=[order for order in orders if order is not None],
        signature=signatures[0],
        is_misplaced=any("deviceSignature" in holder for holder in objects_in(top)[1:]),
        uncovered=sorted(
            prefix + name
            for prefix, holder, known in knowing
            for name in holder
            if name not in known and not (name == HINT and holder is (top if inner is None else inner))
        ),
    )


# --- The manifest -----------------------------------------------------------------------------

RULES: dict[str, Callable[[Any], bool]] = {
    "appId": is_text,
    "challenge": lambda value: isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_-]{22,128}", value) is not None,
    "fields": lambda value: isinstance(value, dict)
    and len(value) > 0
    and all(name in COVERED or is_member(name) for name in value)
    and len(value.keys() - COVERED) <= MAX_MEMBERS
    and all(is_digest(digest) for digest in value.values()),
    "orderNo": lambda value: isinstance(value, str) and evidence_v1.is_order_no(value),
    "recordedAt": lambda value: moment(value) is not None,
    "userId": is_text,
    "version": lambda value: value == "1.0.0",
}
OPTIONAL = {"userId"}


def read_manifest(data: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(data.decode("utf-8"), object_pairs_hook=evidence_v1.object_from_pairs)
        if not isinstance(manifest, dict) or manifest.keys() | OPTIONAL != RULES.keys() or canonical(manifest) != data:
            raise Outcome("manifest")
    except (ValueError, RecursionError, Refused):
        raise Outcome("manifest") from None
    if not all(RULES[name](value) for name, value in manifest.items()):
        raise Outcome("manifest")
    return manifest


def manifest_for(
    document: Document, app_id: str, challenge: str, order_no: str, recorded_at: str, members: Collection[str] = ()
) -> dict[str, Any]:
    """`members`: the names of those to cover as well, where the document has them."""
    covered = {name: digest for name, digest in document.members.items() if name in members}
    if not all(map(is_member, members)) or len(covered) > MAX_MEMBERS or None in covered.values():
        raise ValueError("a member that cannot be covered")
    return {
        "appId": app_id,
        "challenge": challenge,
        "fields": document.digests | covered,
        "orderNo": order_no,
        "recordedAt": recorded_at,
        "version": "1.0.0",
    }


# --- A check (§7.1) ---------------------------------------------------------------------------


@dataclass
class Expected:
    keys: list[ec.EllipticCurvePublicKey]
    order_no: str
    app_id: str
    challenge: str
    now: datetime.datetime
    user_id: Optional[str] = None
    maximum_age: Optional[int] = None  # seconds
    used: Collection[str] = ()  # the challenges that were seen before
    committed: Collection[str] = ()  # wrapped keys whose field was opened under a format that commits to its key


def verify(key: ec.EllipticCurvePublicKey, signature: bytes, message: bytes) -> bool:
    if len(signature) != 64:
        return False
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not (1 <= r < N and 1 <= s < N):
        return False
    try:
        key.verify(encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
        return True
    except InvalidSignature:
        return False


def check(data: bytes, expected: Expected) -> Document:
    """The document, where the outcome is `signed`."""
    document = read_document(data)
    if document.is_misplaced:
        raise Outcome("place")
    if document.signature is None:
        raise Outcome("missing")
    parts = document.signature.split(".")
    decoded = [from_base64url(part) for part in parts]
    if len(document.signature.encode("utf-8")) > MAX_CHARACTERS or len(parts) != 3 or None in decoded:
        raise Outcome("form")
    head, body, signature = (part or b"" for part in decoded)
    kid = re.fullmatch(re.escape(header("KID")).replace(b"KID", b"([A-Za-z0-9_-]{43})"), head)
    if kid is None:
        raise Outcome("header")
    key = {thumbprint(key): key for key in expected.keys}.get(kid[1].decode("ascii"))
    if key is None:
        raise Outcome("unknown-key")
    if not verify(key, signature, f"{parts[0]}.{parts[1]}".encode("ascii")):
        raise Outcome("signature")
    manifest = read_manifest(body)
    if {manifest["orderNo"], *document.orders} != {expected.order_no}:
        raise Outcome("order")
    if manifest["appId"] != expected.app_id:
        raise Outcome("app")
    if expected.user_id is not None and manifest.get("userId", expected.user_id) != expected.user_id:
        raise Outcome("user")
    if manifest["challenge"] != expected.challenge:
        raise Outcome("challenge")
    recorded = moment(manifest["recordedAt"])
    assert recorded
    if recorded - expected.now > AHEAD:
        raise Outcome("moment")
    if expected.maximum_age is not None and (expected.now - recorded).total_seconds() > expected.maximum_age:
        raise Outcome("moment")
    findings = {}
    named = manifest["fields"]
    present = document.digests | {name: digest for name, digest in document.members.items() if name in named}
    for name in named.keys() | present.keys():
        if name not in present:
            findings[name] = "removed"
        elif name not in named:
            findings[name] = "not covered"
        elif named[name] != present[name]:
            findings[name] = "re-wrapped" if name in expected.committed else "changed"
    if any(finding != "re-wrapped" for finding in findings.values()):
        raise Outcome("fields", findings)
    document.rewrapped = sorted(findings)
    document.uncovered = [name for name in document.uncovered if f"$.{name}" not in named]
    if "userId" in manifest:
        document.user = "unchecked" if expected.user_id is None else "holds"
    if expected.challenge in expected.used:
        raise Outcome("replay")
    return document
