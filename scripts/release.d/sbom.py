#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of a release, SPDX 2.3 as JSON.

sbom.py VERSION DIR PROGRAMS STATIC LIBRARY: of each program in the folder PROGRAMS, of the command STATIC, which has libcrypto
inside, and of the C library and the wheel, what is inside, and what it needs beside itself; of the image in DIR, if there is
one, its packages. DIR is the release.
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

    def of_debian(self, name: str, version: str, licence: str, suite: str, architecture: str) -> str:
        """A package of Debian, by the name (purl) under which scanners know it."""
        locator = f"pkg:deb/debian/{name}@{quote(version, safe='')}?arch={architecture}&distro={suite}"
        return self.package(name, version, licence, "Organization: Debian", externalRefs=[
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}])

    def relate(self, one: str, kind: str, other: str) -> None:
        self.relationships.append({"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

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


def main() -> None:
    version, release, programs, static, library = sys.argv[1], *(pathlib.Path(word) for word in sys.argv[2:])
    bill = Bill(version, release)
    ours = "Organization: evidence-kit"

    def of_file(name: str, path: pathlib.Path) -> str:
        return bill.package(name, version, "Apache-2.0", ours, packageFileName=path.name, checksums=[
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}])

    kit = of_file("evidence-kit", release / f"evidence-kit-{version}.tar.gz")
    bill.relate("SPDXRef-DOCUMENT", "DESCRIBES", kit)
    [sdist] = release.glob("evidence_kit-*.tar.gz")
    bill.relate(kit, "GENERATES", of_file("evidence_kit-sdist", sdist))
    toolchain = re.search(r"Swift version (\S+)", run("swift", "--version"))[1]
    runtime = bill.package(
        "swift-runtime", toolchain, "Apache-2.0 WITH Swift-exception", "Organization: The Swift project")
    for program in [*sorted(programs.iterdir()), library]:
        part = bill.package(program.name, version, "Apache-2.0", ours)
        bill.relate(kit, "GENERATES", part)
        bill.relate(part, "STATIC_LINK", runtime)
        bill.needed(program, part)
        content = program.read_bytes()
        if b"FoundationEssentials" in content:
            bill.relate(part, "STATIC_LINK", bill.package(
                "swift-foundation", toolchain, "Apache-2.0 WITH Swift-exception", "Organization: The Swift project"))
            # Its data have the version in their name.
            if icu := re.search(rb"icudt(\d+)", content):
                bill.relate(part, "STATIC_LINK", bill.package("icu", icu[1].decode(), "Unicode-3.0", "Organization: Unicode, Inc."))
    # libcrypto.a, under the name and number by which Debian tells of its faults.
    crypto = bill.of_debian(*run("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", "libssl-dev").split(),
                            "Apache-2.0", SUITE, "source")
    [wheel] = release.glob("*.whl")
    [command] = release.glob("evidence-tool-openssl-*.tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        inner = pathlib.Path(zipfile.ZipFile(wheel).extract("evidence_kit/libevidence.so.1", folder))
        for name, path, program in (("evidence-tool-openssl", command, static), ("evidence_kit-wheel", wheel, inner)):
            part = of_file(name, path)
            bill.relate(kit, "GENERATES", part)
            bill.relate(part, "STATIC_LINK", runtime)
            bill.relate(part, "STATIC_LINK", crypto)
            bill.needed(program, part)
    for image in release.glob("*-oci.tar"):
        part = bill.package(image.name, version, "NOASSERTION", ours)
        bill.relate(kit, "GENERATES", part)
        for entry in inside(image):
            name, its, architecture = entry["Package"], entry["Version"], entry["Architecture"]
            # Ours are above, as programs.
            found = identifier(f"{name}-{version}") if name.startswith("evidence-") else bill.of_debian(
                name, its, LICENCES.get(name, "NOASSERTION"), "trixie", architecture)
            bill.relate(part, "CONTAINS", found)
    json.dump(bill.document(), sys.stdout, indent=1, ensure_ascii=False)
    print()


main()
