# SPDX-License-Identifier: Apache-2.0
"""Write every vector, always the same bytes; with --check, compare instead with what is there."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile

import answer_vectors
import archive_vectors
import attacks
import callback_vectors
import chunks
import device_vectors
import diagnosis
import key_found
import key_index
import packed
import primitives
import profiles
import recognition
import replacement_vectors
import result_vectors
import sample
import statement_vectors
import testkit

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))

GENERATED = ("", "archive/", "attacks/", "device/", "identify/")  # whatever is in them as JSON is generated


def json_bytes(value: object) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=True).encode("ascii") + b"\n"


def all_files() -> dict[str, bytes]:
    """Every generated file, by its path inside TestVectors/."""
    files = {name: json_bytes(make()) for name, make in (primitives.FILES | attacks.FILES).items()}
    files["identify/answers.json"] = json_bytes(answer_vectors.file())
    files["identify/beside.json"] = json_bytes(answer_vectors.beside())
    files["callbacks.json"] = json_bytes(callback_vectors.file())
    files["chunks.json"] = json_bytes(chunks.file())
    files["keys/index.json"] = json_bytes(key_index.index())
    files["keys/found.json"] = json_bytes(key_found.found())
    files["tencent-faceid.json"] = json_bytes(profiles.published())
    files["identify/canonical.json"] = json_bytes(statement_vectors.canonical_file())
    files["identify/statements.json"] = json_bytes(statement_vectors.statements_file())
    index, documents = result_vectors.vectors()
    files["identify/results.json"] = json_bytes(index)
    files["identify/results.ndjson"] = packed.pack({os.path.basename(path): contents for path, contents in documents.items()})
    index, archives = archive_vectors.vectors()
    files["archive/cases.json"] = json_bytes(index)
    files["archive/outlines.json"] = json_bytes(archive_vectors.outlines())
    files["archive/cases.ndjson"] = packed.pack(archives)
    index, documents = replacement_vectors.vectors()
    files["identify/replacements.json"] = json_bytes(index)
    files["device/cases.ndjson"] = packed.pack(device_vectors.vectors())
    files["device/keys.ndjson"] = packed.pack(device_vectors.keys())
    for folder, cases in (
        ("identify/replacements", {os.path.basename(path): contents for path, contents in documents.items()}),
        ("testkit", testkit.cases()),
        ("profiles", profiles.openings() | profiles.wider()),
        ("diagnosis", profiles.diagnoses() | diagnosis.not_accused() | diagnosis.without_their_iv() | diagnosis.in_doubt()
            | diagnosis.under_another_iv() | diagnosis.named() | diagnosis.around() | diagnosis.wrapped_otherwise() | diagnosis.counted() | diagnosis.reported()
            | diagnosis.wrong_tags() | diagnosis.encoded_inside() | diagnosis.lost_and_padded()
            | diagnosis.read_otherwise()),
    ):
        files[f"{folder}.ndjson"] = packed.pack(cases)
    files["recognition.ndjson"] = recognition.file()
    files |= sample.files()
    # A sample for the README: the same as that case.
    files["media/payload.json"] = testkit.cases()["success_v2_mp4"].partition(b"\n\n")[2]
    return files


def generated_paths(root: str) -> set[str]:
    """What is there and ought to be generated."""
    paths = set()
    for folder in GENERATED:
        if os.path.isdir(os.path.join(root, folder)):
            names = os.listdir(os.path.join(root, folder))
            paths |= {folder + name for name in names if name.endswith((".json", ".ndjson"))}
    return paths | {"keys/index.json", "keys/found.json", "media/payload.json", *sample.files()}


def write(root: str) -> None:
    files = all_files()
    for folder in (*GENERATED, "keys", "media"):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    for path in generated_paths(root) - set(files):
        if os.path.exists(os.path.join(root, path)):
            os.remove(os.path.join(root, path))
    for path, contents in files.items():
        with open(os.path.join(root, path), "wb") as file:
            file.write(contents)


def read(root: str, path: str) -> bytes:
    try:
        with open(os.path.join(root, path), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def changed(path: str, old: bytes, new: bytes) -> list[str]:
    """Which of the packed files differ."""
    if not path.endswith(".ndjson"):
        return [""]
    left, right = packed.unpack(old), packed.unpack(new)
    return [f": {name}" for name in sorted(left.keys() | right.keys()) if left.get(name) != right.get(name)] or [": its form"]


def differences(fresh: str) -> list[str]:
    result = []
    there, wanted = generated_paths(ROOT), generated_paths(fresh)
    for path in sorted(there | wanted):
        if path not in there:
            result.append(f"missing: {path}")
        elif path not in wanted:
            result.append(f"not generated: {path}")
        elif read(ROOT, path) != read(fresh, path):
            result += [f"different: {path}{inside}" for inside in changed(path, read(ROOT, path), read(fresh, path))]
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, list what differs")
    if not parser.parse_args().check:
        write(ROOT)
        return 0
    with tempfile.TemporaryDirectory() as fresh:
        write(fresh)
        found = differences(fresh)
        count = len(generated_paths(fresh))
    for line in found:
        print(line)
    print(f"{count} files generated, {len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
