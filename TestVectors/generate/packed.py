# SPDX-License-Identifier: Apache-2.0
"""Many small files in one: a line of JSON for each, `{"name", "text"}`, or `{"name", "base64"}` where it is not UTF-8.

    packed.py pack FOLDER FILE      the files of a folder, sorted by name
    packed.py unpack FILE FOLDER    and back
"""

from __future__ import annotations

import base64
import json
import os
import sys


def pack(files: dict[str, bytes]) -> bytes:
    lines = []
    for name, contents in sorted(files.items()):
        try:
            entry = {"name": name, "text": contents.decode("utf-8")}
        except UnicodeDecodeError:
            entry = {"name": name, "base64": base64.b64encode(contents).decode("ascii")}
        lines.append(json.dumps(entry, ensure_ascii=False) + "\n")
    return "".join(lines).encode("utf-8")


def unpack(data: bytes) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for line in data.decode("utf-8").split("\n")[:-1]:
        entry = json.loads(line)
        contents = entry["text"].encode("utf-8") if "text" in entry else base64.b64decode(entry["base64"])
        if files.setdefault(entry["name"], contents) is not contents:
            raise ValueError(f"{entry['name']} is there twice")
    return files


def main() -> None:
    if len(sys.argv) != 4 or sys.argv[1] not in ("pack", "unpack"):
        sys.exit(__doc__)
    _, verb, source, destination = sys.argv
    if verb == "pack":
        files = {}
        for name in os.listdir(source):
            with open(os.path.join(source, name), "rb") as file:
                files[name] = file.read()
        with open(destination, "wb") as file:
            file.write(pack(files))
        return
    with open(source, "rb") as file:
        files = unpack(file.read())
    os.makedirs(destination, exist_ok=True)
    for name, contents in files.items():
        with open(os.path.join(destination, name), "wb") as file:
            file.write(contents)


if __name__ == "__main__":
    main()
