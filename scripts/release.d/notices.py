#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print the licences of what of others is inside a program or a library, for those who get it: notices.py FILE."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
SWIFT = "Apache-2.0 WITH Swift-exception"


class Part(NamedTuple):
    """Something that may be inside, and the bytes that show it: with a group, its version."""

    name: str
    title: str
    sign: re.Pattern[bytes] | None
    licence: str
    supplier: str
    # The name under which scanners know it (purl), without its version. OpenSSL's is that of Debian's package.
    purl: str


PARTS = [
    Part("swift-runtime", "The Swift runtime", None, SWIFT, "The Swift project", "pkg:swift/github.com/swiftlang/swift"),
    Part("libdispatch", "libdispatch", re.compile(rb"BUG IN CLIENT OF LIBDISPATCH"), SWIFT, "The Swift project",
         "pkg:swift/github.com/swiftlang/swift-corelibs-libdispatch"),
    Part("swift-foundation", "Foundation", re.compile(rb"FoundationEssentials"), SWIFT, "The Swift project",
         "pkg:swift/github.com/swiftlang/swift-foundation"),
    Part("swift-corelibs-foundation", "Foundation's URL loading", re.compile(rb"FoundationNetworking"), SWIFT, "The Swift project",
         "pkg:swift/github.com/swiftlang/swift-corelibs-foundation"),
    Part("swift-collections", "Swift Collections", re.compile(rb"_FoundationCollections"), SWIFT, "The Swift project",
         "pkg:swift/github.com/apple/swift-collections"),
    Part("icu", "ICU", re.compile(rb"icudt(\d+)"), "Unicode-3.0", "Unicode, Inc.", "pkg:generic/icu"),
    Part("openssl", "OpenSSL", re.compile(rb"OPENSSLDIR: "), "Apache-2.0", "Debian", ""),
]


def inside(program: pathlib.Path) -> list[tuple[Part, str | None]]:
    """What is inside, with the version that the bytes tell."""
    content = program.read_bytes()
    found = []
    for part in PARTS:
        if part.sign is None:
            found.append((part, None))
        elif match := part.sign.search(content):
            found.append((part, match[1].decode() if part.sign.groups else None))
    return found


def text(licence: str, name: str) -> str:
    """A licence as its owner words it."""
    if licence == SWIFT:
        toolchain = pathlib.Path(subprocess.run(["sh", "-c", "realpath $(command -v swift)"], check=True, capture_output=True, text=True).stdout.strip())
        return (toolchain.parents[1] / "share/swift/LICENSE.txt").read_text()
    return {"icu": ROOT / "scripts/release.d/icu-license.txt", "openssl": pathlib.Path("/usr/share/doc/libssl-dev/copyright")}[name].read_text()


def main() -> None:
    program = pathlib.Path(sys.argv[1])
    print(f"Inside {program.name} are parts of these; the release's bill of materials (SPDX) has their versions.")
    parts = [part for part, _ in inside(program)]
    for licence in dict.fromkeys(part.licence if part.licence == SWIFT else part.name for part in parts):
        several = [part for part in parts if licence in (part.licence, part.name)]
        title = ", ".join(part.title for part in several)
        print(f"\n\n{title}\n{'=' * len(title)}\n\n{text(several[0].licence, several[0].name)}")


if __name__ == "__main__":
    main()
