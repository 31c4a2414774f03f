# SPDX-License-Identifier: Apache-2.0
"""`fuzz-seeds.py TARGET FOLDER` writes what the recorded vectors have for a fuzz target into a folder, one file for each input.

A target that takes bytes as they come from somewhere gets whole documents, and the texts inside our own files. What a target
makes its own inputs of has no vectors: its corpus alone is the beginning.
"""

import base64
import glob
import hashlib
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# libFuzzer would cut longer ones off.
LIMIT = 4096
# Those that read a document, to which a text is nothing but a fault at its first character.
OF_DOCUMENTS = {"device", "diagnose", "outline", "payload", "profile", "result", "superid"}
SOURCES = {
    "archive": ["archive/*"],
    "base64": ["base64.json", "hex.json"],
    "batch": ["diagnosis.ndjson"],
    "callback": ["callbacks.json"],
    "arguments": ["sessions"],
    "device": ["device/cases.ndjson"],
    "diagnose": ["diagnosis.ndjson", "testkit.ndjson"],
    "identify": ["identify/statements.json", "identify/canonical.json"],
    "json": ["results/*.json", "diagnosis.ndjson", "profiles.ndjson"],
    "jws": ["device/cases.ndjson"],
    "key": ["keys/*", "attacks/*key*"],
    "outline": ["results/*.json", "device/cases.ndjson", "identify/results.ndjson", "vendor/answers.json"],
    "payload": ["testkit.ndjson", "diagnosis.ndjson", "substitutes.json"],
    "profile": ["profiles.ndjson", "testkit.ndjson"],
    "result": ["results/*.json", "device/cases.ndjson", "identify/results.ndjson"],
    "superid": ["results/superid*.json", "results/refused_superid*.json"],
    "vendor": ["vendor/answers.json", "results/answer_*.json"],
}


def texts(value: Any, name: str = "") -> Iterator[bytes]:
    """What the texts of a vector stand for, and its objects, which are documents as they are."""
    if isinstance(value, str):
        if name in ("base64", "bytes", "hex"):
            try:
                yield base64.b64decode(value) if name == "base64" else bytes.fromhex(value)
            except ValueError:
                pass
            return
        # What is packed has its notes above the document.
        notes, _, rest = value.partition("\n\n")
        yield (rest or notes).encode()
    elif isinstance(value, list):
        for item in value:
            yield from texts(item, name)
    elif isinstance(value, dict):
        yield json.dumps(value).encode()
        for key, item in value.items():
            yield from texts(item, key)


def inputs(source: str) -> Iterator[bytes]:
    if source == "sessions":
        for name in sorted(glob.glob(f"{ROOT}/Tests/CommandLineTests/Scripts/*.txt")):
            with open(name, encoding="utf-8") as file:
                for command in re.findall(r"evidence-tool ([^|;>&\n]*)", file.read()):
                    try:
                        yield "\n".join(shlex.split(command)).encode()
                    except ValueError:
                        pass
        return
    for name in sorted(glob.glob(f"{ROOT}/TestVectors/{source}")):
        with open(name, "rb") as file:
            whole = file.read()
        yield whole
        if name.endswith((".json", ".ndjson")):
            for line in whole.splitlines() if name.endswith(".ndjson") else [whole]:
                try:
                    yield from texts(json.loads(line))
                except (ValueError, RecursionError):
                    pass


def main() -> None:
    target, folder = sys.argv[1:]
    for source in SOURCES.get(target, []):
        for data in inputs(source):
            if 0 < len(data) <= LIMIT and (target not in OF_DOCUMENTS or data.lstrip().startswith(b"{")):
                with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as file:
                    file.write(data)


if __name__ == "__main__":
    main()
