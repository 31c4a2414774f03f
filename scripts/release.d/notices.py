#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print the licences of what of others is inside a program or a library, for those who get it: notices.py FILE."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

SWIFT = "Apache-2.0 WITH Swift-exception"


class Part(NamedTuple):
    """Something that may be inside, and the bytes that show it."""

    name: str
    title: str
    sign: bytes | None
    licence: str
    supplier: str
    # The name under which scanners know it (purl), without its version. OpenSSL's is that of Debian's package.
    purl: str


PARTS = [
    Part("swift-runtime", "The Swift runtime", None, SWIFT, "The Swift project", "pkg:swift/github.com/swiftlang/swift"),
    Part("libdispatch", "libdispatch", b"BUG IN CLIENT OF LIBDISPATCH", SWIFT, "The Swift project",
         "pkg:swift/github.com/swiftlang/swift-corelibs-libdispatch"),
    Part("swift-foundation", "Foundation", b"FoundationEssentials", SWIFT, "The Swift project",
         "pkg:swift/github.com/swiftlang/swift-foundation"),
    Part("swift-collections", "Swift Collections", b"_FoundationCollections", SWIFT, "The Swift project",
         "pkg:swift/github.com/apple/swift-collections"),
    Part("openssl", "OpenSSL", b"OPENSSLDIR: ", "Apache-2.0", "Debian", ""),
]


def inside(program: pathlib.Path) -> list[Part]:
    """What is inside."""
    content = program.read_bytes()
    if found := re.search(rb"icudt\d|FoundationNetworking|FoundationXML|FoundationInternationalization", content):
        sys.exit(f"{program.name} has {found[0].decode()} inside, whose licence is not here")
    return [part for part in PARTS if part.sign is None or part.sign in content]


def text(licence: str) -> str:
    """A licence as its owner words it: Swift's, or OpenSSL's."""
    if licence == SWIFT:
        toolchain = pathlib.Path(subprocess.run(["sh", "-c", "realpath $(command -v swift)"], check=True, capture_output=True, text=True).stdout.strip())
        return (toolchain.parents[1] / "share/swift/LICENSE.txt").read_text()
    return pathlib.Path("/usr/share/doc/libssl-dev/copyright").read_text()


def main() -> None:
    program = pathlib.Path(sys.argv[1])
    print(f"Inside {program.name} are parts of these; the release's bill of materials (SPDX) has their versions.")
    parts = inside(program)
    for licence in dict.fromkeys(part.licence for part in parts):
        title = ", ".join(part.title for part in parts if part.licence == licence)
        print(f"\n\n{title}\n{'=' * len(title)}\n\n{text(licence)}")


if __name__ == "__main__":
    main()
