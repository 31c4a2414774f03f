# SPDX-License-Identifier: Apache-2.0
"""The test vectors of the repository; run by scripts/steps/test-CLibrary in an environment that has nothing but the wheel
and pytest."""

import base64
import json
import os
import pathlib
from typing import Iterator

import pytest
from evidence_kit import PrivateKey

VECTORS = pathlib.Path(os.environ["EVIDENCE_VECTORS"])


def packed(name: str) -> Iterator[tuple[str, dict[str, str], bytes]]:
    """The cases of a packed file: name, header, payload."""
    for line in (VECTORS / name).read_text("utf-8").split("\n")[:-1]:
        entry = json.loads(line)
        case = entry["text"].encode() if "text" in entry else base64.b64decode(entry["base64"])
        head, _, payload = case.partition(b"\n\n")
        yield entry["name"], dict(line.split(": ", 1) for line in head.decode().split("\n")), payload


_keys: dict[str, PrivateKey] = {}


def private_key(name: str) -> PrivateKey:
    """A key of keys/, read once."""
    if name not in _keys:
        _keys[name] = PrivateKey.from_file(VECTORS / "keys" / name)
    return _keys[name]


@pytest.fixture
def key() -> PrivateKey:
    return private_key("rsa3072.pem")


@pytest.fixture
def video() -> bytes:
    return (VECTORS / "media/clip.mp4").read_bytes()
