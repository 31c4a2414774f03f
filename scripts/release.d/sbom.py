#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of a release, SPDX 2.3 as JSON.

sbom.py VERSION DIR PROGRAMS STATIC LIBRARY: each file of the release DIR with its digest, and what it contains: of the
programs in the folder PROGRAMS, of the command STATIC, which has libcrypto inside, and of the C library and the wheel's, what
is inside, and what it needs beside itself; of the image its packages of Debian.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from urllib.parse import quote

import notices

# Of this system, whose libraries the programs are linked with.
SUITE = platform.freedesktop_os_release()["VERSION_CODENAME"]
# Of what may be linked: its licence. A library that is not here stops the release.
LICENCES = {
    "libc6": "LGPL-2.1-or-later",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libssl3": "Apache-2.0",
    "libssl3t64": "Apache-2.0",
    "libmicrohttpd12": "LGPL-2.1-or-later",
    "libmicrohttpd12t64": "LGPL-2.1-or-later",
    "libsqlite3-0": "blessing",
    "libcurl4": "curl",
    "libcurl4t64": "curl",
    "zlib1g": "Zlib",
}


def run(*words: object) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def inside(image: pathlib.Path) -> list[dict[str, str]]:
    """The packages of the image (an OCI archive of one layer), as its own dpkg lists them."""
    with tarfile.open(image) as archive:
        def blob(digest: str):
            return archive.extractfile("blobs/" + digest.replace(":", "/"))

        index = json.load(archive.extractfile("index.json"))
        [layer] = json.load(blob(index["manifests"][0]["digest"]))["layers"]
        with tarfile.open(fileobj=blob(layer["digest"]), mode="r|*") as files:
            status = next(files.extractfile(file).read() for file in files if file.name.lstrip("./") == "var/lib/dpkg/status")
    return [dict(re.findall(r"^(Package|Version|Architecture): (.*)$", entry, re.M)) for entry in status.decode().strip().split("\n\n")]


def identifier(text: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


class Bill:
    def __init__(self, version: str, release: pathlib.Path) -> None:
        self.version = version
        self.release = release
        self.packages: dict[str, dict] = {}
        self.relationships: list[dict] = []

    def package(self, name: str, version: str, licence: str, supplier: str, **more: object) -> str:
        found = identifier(f"{name}-{version}")
        self.packages[found] = {
            "SPDXID": found, "name": name, "versionInfo": version, "supplier": supplier, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            **more,
        }
        return found

    def known(self, name: str, version: str, licence: str, supplier: str, locator: str) -> str:
        """Something of others, by the name (purl) under which scanners know it."""
        return self.package(name, version, licence, f"Organization: {supplier}", externalRefs=[
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}])

    def of_debian(self, name: str, version: str, licence: str, suite: str, architecture: str) -> str:
        locator = f"pkg:deb/debian/{name}@{quote(version, safe='')}?arch={architecture}&distro={suite}"
        return self.known(name, version, licence, "Debian", locator)

    def relate(self, one: str, kind: str, other: str) -> None:
        row = {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
        if row not in self.relationships:
            self.relationships.append(row)

    def needed(self, program: pathlib.Path, owner: str) -> None:
        """The libraries that the program names, as the packages of this system that have them."""
        names = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-dW", program))
        places = dict(re.findall(r"(\S+) => (\S+)", run("ldd", program)))
        for name in names:
            place = places.get(name)
            if place is None:  # The loader.
                continue
            # Where /lib is a link, dpkg may know the file by either name.
            for candidate in (os.path.realpath(place), os.path.realpath(place).removeprefix("/usr")):
                done = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True)
                if done.returncode == 0:
                    break
            package = done.stdout.split(":")[0]
            if package not in LICENCES:
                sys.exit(f"sbom.py: {program.name} needs {place}, whose licence is not written here")
            version, architecture = run("dpkg-query", "-W", "-f", "${Version} ${Architecture}", package).split()
            library = self.of_debian(package, version, LICENCES[package], SUITE, architecture)
            # The second for readers that know dependencies alone.
            self.relate(owner, "DYNAMIC_LINK", library)
            self.relate(owner, "DEPENDS_ON", library)

    def document(self) -> dict:
        moment = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), datetime.timezone.utc)
        digest = hashlib.sha256(b"".join(sorted(path.read_bytes() for path in self.release.glob("*.tar.gz")))).hexdigest()
        return {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"evidence-kit-{self.version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/evidence-kit-{self.version}-{digest[:32]}",
            "creationInfo": {"created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: evidence-kit-scripts-release"]},
            "packages": [self.packages[name] for name in sorted(self.packages)],
            "relationships": self.relationships,
        }


# Which programs a file of the release contains.
CONTENTS = [
    (r"evidence-tool-openssl-.*\.tar\.gz", ["evidence-tool-openssl"]),
    (r"(evidence-(?:tool|archive|service|vendor|sandbox))[-_].*\.(?:tar\.gz|deb)", []),
    (r"libevidence1_.*\.deb", ["libevidence.so.1"]),
    (r".*\.whl", ["libevidence-openssl"]),
    (r".*-oci\.tar", [f"evidence-{name}" for name in ("tool", "archive", "service", "vendor")]),
    (r"libevidence-dev_.*\.deb|evidence[-_]kit-.*\.tar\.gz", []),
]


def contained(file: str) -> list[str]:
    for pattern, names in CONTENTS:
        if match := re.fullmatch(pattern, file):
            return names + list(match.groups())
    sys.exit(f"sbom.py: what {file} contains is not written here")


def main() -> None:
    version, release, programs, static, library = sys.argv[1], *(pathlib.Path(word) for word in sys.argv[2:])
    bill = Bill(version, release)
    ours = "Organization: evidence-kit"
    toolchain = re.search(r"Swift version (\S+)", run("swift", "--version"))[1]
    # libcrypto.a, under the name and number by which Debian tells of its faults.
    openssl = run("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", "libssl-dev").split()

    source = f"evidence-kit-{version}.tar.gz"
    files = {}
    for path in sorted(release.iterdir()):
        files[path.name] = bill.package(path.name, version, "Apache-2.0" if path.suffix != ".tar" else "NOASSERTION", ours,
            packageFileName=path.name,
            checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}])
    for file, part in files.items():
        bill.relate("SPDXRef-DOCUMENT", "DESCRIBES", part)
        if file != source:
            bill.relate(files[source], "GENERATES", part)

    def of_program(name: str, program: pathlib.Path) -> None:
        part = bill.package(name, version, "Apache-2.0", ours)
        for inner in notices.inside(program):
            if inner.name == "openssl":
                found = bill.of_debian(*openssl, inner.licence, SUITE, "source")
            elif inner.name == "swift-collections":  # Foundation's own copy, which does not tell.
                found = bill.known(inner.name, "NOASSERTION", inner.licence, inner.supplier, inner.purl)
            else:
                found = bill.known(inner.name, toolchain, inner.licence, inner.supplier, f"{inner.purl}@{toolchain}")
            bill.relate(part, "STATIC_LINK", found)
        bill.needed(program, part)
        for file, whole in files.items():
            if name in contained(file):
                bill.relate(whole, "CONTAINS", part)

    for program in [*sorted(programs.iterdir()), library]:
        of_program(program.name, program)
    of_program("evidence-tool-openssl", static)
    [wheel] = release.glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        of_program("libevidence-openssl", pathlib.Path(zipfile.ZipFile(wheel).extract("evidence_kit/libevidence.so.1", folder)))
    for image in release.glob("*-oci.tar"):
        for entry in inside(image):
            name, its, architecture = entry["Package"], entry["Version"], entry["Architecture"]
            if not name.startswith("evidence-"):  # Ours are there as programs.
                found = bill.of_debian(name, its, LICENCES.get(name, "NOASSERTION"), "trixie", architecture)
                bill.relate(files[image.name], "CONTAINS", found)
    json.dump(bill.document(), sys.stdout, indent=1, ensure_ascii=False)
    print()


main()
