#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of a release, in Markdown: what each file is for, how to verify them, and what is new.

page.py VERSION DIR: DIR is the release. The news are the version's section of CHANGELOG.md.
"""

import base64
import fnmatch
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Each file is right, none is missing, and no other is there: not even one that an installation would take for another version.
SUMS = """sha256sum --check --strict --quiet SHA256SUMS &&
    ls -A | grep -vx -e SHA256SUMS -e SHA256SUMS.sig | LC_ALL=C sort | diff - <(cut -c 67- SHA256SUMS) &&
    echo 'each file is right, and no other is here'"""
# In the order of the page.
PURPOSES = [
    ("evidence-tool_*.deb", "the command, for Debian 12 and 13"),
    ("evidence-archive_*.deb", "the command that keeps results"),
    ("evidence-service_*.deb", "the service, with its units"),
    ("evidence-vendor_*.deb", "the client of the vendor's server, with the unit of the keeper"),
    ("evidence-sandbox_*.deb", "the simulated vendor"),
    ("libevidence1_*.deb", "the C library"),
    ("libevidence-dev_*.deb", "its header, and its file for pkg-config"),
    ("*-oci.tar", "an image (OCI) on Debian 13: commands and service, user 65532; load it with `podman load -i`"),
    ("evidence_kit-*.whl", "the Python package, with OpenSSL inside"),
    ("evidence_kit-*.tar.gz", "its source for pip; needs Swift 6.3"),
    ("evidence-tool-openssl-*.tar.gz", "the command for any Linux with glibc 2.34 and the libstdc++ of GCC 11, or newer; OpenSSL is "
     "inside, and reaches no token"),
    ("evidence-tool-*.tar.gz", "the command for such a Linux with libcrypto.so.3"),
    ("evidence-archive-*.tar.gz", "for such a Linux with libcrypto.so.3 and libsqlite3.so.0"),
    ("evidence-service-*.tar.gz", "with its units, users and clients, for such a Linux with libcrypto.so.3 and libmicrohttpd.so.12"),
    ("evidence-vendor-*.tar.gz", "with its unit and its user, for such a Linux with libcrypto.so.3 and Debian's or Ubuntu's "
     "libcurl.so.4 (it asks for the symbols named `CURL_OPENSSL_4`)"),
    ("evidence-sandbox-*.tar.gz", "for such a Linux with libcrypto.so.3"),
    ("evidence-kit-*.tar.gz", "the source"),
    ("*.spdx.json", "what is inside (SPDX 2.3)"),
    ("release-public.pem", "the key that `SHA256SUMS.sig` is verified with"),
]
# How each is installed, in the order of the page; the image also has evidence-archive and the service.
INSTALLATION = [
    ("the commands, on Debian", "sudo apt-get install ./{evidence-tool_*.deb} ./{evidence-archive_*.deb}"),
    ("the service and the vendor's client, on Debian", "sudo apt-get install ./{evidence-service_*.deb} ./{evidence-vendor_*.deb}"),
    ("the simulated vendor, on Debian", "sudo apt-get install ./{evidence-sandbox_*.deb}"),
    ("the C library, on Debian", "sudo apt-get install ./{libevidence1_*.deb} ./{libevidence-dev_*.deb}"),
    ("the command, elsewhere", "mkdir -p ~/.local && tar -xzf {evidence-tool-openssl-*.tar.gz} --strip-components=1 -C ~/.local"),
    ("the archive, elsewhere", "mkdir -p ~/.local && tar -xzf {evidence-archive-*.tar.gz} --strip-components=1 -C ~/.local"),
    ("the service, elsewhere", "sudo tar -xzf {evidence-service-*.tar.gz} --strip-components=1 -C /usr/local && sudo systemd-sysusers"),
    ("the vendor's client, elsewhere", "sudo tar -xzf {evidence-vendor-*.tar.gz} --strip-components=1 -C /usr/local && sudo systemd-sysusers"),
    ("the simulated vendor, elsewhere", "mkdir -p ~/.local && tar -xzf {evidence-sandbox-*.tar.gz} --strip-components=1 -C ~/.local"),
    ("the Python package", "python3 -m venv ~/evidence && ~/evidence/bin/pip install ./{evidence_kit-*.whl}"),
    ("the image", "podman load -i {evidence-kit-*-oci.tar}"),
]
# What was compared, and what was not.
REPRODUCIBLE = """`scripts/steps/check-reproducible DIR SECOND` makes a release once more, in another folder, and names each file that
differs. On one machine, and on the same day of Debian's mirror, that was what contains `evidence-service` or `evidence-vendor`:
the same instructions, a few of them in another order, which the compiler chooses by addresses. The build makes these the same
each time in one folder (`setarch -R`, which some containers forbid), not in all folders. An elliptic key makes another signature
each time."""


def installation(names: list[str]) -> str:
    rows = []
    for what, command in INSTALLATION:
        found = {pattern: fnmatch.filter(names, pattern) for pattern in re.findall(r"{(.*?)}", command)}
        if all(found.values()):  # There may be no image.
            rows.append(f"| {what} | `{re.sub(r'{(.*?)}', lambda match: found[match[1]][0], command)}` |")
    return "\n".join(["| to install | command |", "| --- | --- |", *rows])


def verification(version: str, key: pathlib.Path) -> str:
    """How to verify the files. A key that comes with them proves nothing by itself, so it is compared elsewhere."""
    if not key.exists():
        return f"Nothing vouches for these files: they are not signed. This finds damage alone:\n\n```sh\n{SUMS}\n```"
    public = base64.b64decode("".join(key.read_text().splitlines()[1:-1]))
    return f"""Verify the files, in bash:

```sh
openssl pkey -pubin -in release-public.pem -outform DER | sha256sum &&
    openssl dgst -sha256 -verify release-public.pem -signature SHA256SUMS.sig SHA256SUMS &&
    {SUMS}
```

The files are right only if the last line says so. The first line is the fingerprint of the key,
`{hashlib.sha256(public).hexdigest()}`. Whoever changes a file can change this page, its commands and the key too, so compare
what is printed with a second place that you did not get with these files: the message of the tag, in a clone of the repository
(`git tag -n9 {version}`), or the page of an earlier release. While neither place shows it, the key is not verified. One file
alone, beside `SHA256SUMS`:
`grep ' NAME$' SHA256SUMS | sha256sum --check --strict` (`--ignore-missing` passes whatever you did not get)."""


def main() -> None:
    version, release = sys.argv[1], pathlib.Path(sys.argv[2])
    changes = (ROOT / "CHANGELOG.md").read_text()
    news = re.search(rf"^## {re.escape(version)}(?!\S).*?\n(.*?)(?=^## |\Z)", changes, re.M | re.S)[1].strip()
    # The pages that it links to are in the source, not beside this one.
    news = re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", news)
    print(f"# evidence-kit {version}\n\n| file | is | bytes |\n| --- | --- | --- |")
    left = {path.name: path.stat().st_size for path in release.iterdir()}
    for pattern, purpose in PURPOSES:
        for name in sorted(fnmatch.filter(left, pattern)):
            print(f"| `{name}` | {purpose} | {left.pop(name):,} |")
    if left:
        sys.exit(f"page.py: no purpose is written for {', '.join(sorted(left))}")
    print(f"""
{verification(version, release / "release-public.pem")}

{installation([path.name for path in release.iterdir()])}

`docs/SERVICE.md` and `docs/VENDOR-SERVER.md` in the source say how service and client are set up.

{REPRODUCIBLE}

## What is in it

Pages that are named are in `docs` of the source.

{news}""")


main()
