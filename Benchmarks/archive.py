#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast an archive takes results in and is verified, beside what one would do without it, in the same run.

`archive.py EVIDENCE-ARCHIVE EVIDENCE-TOOL` takes 5,000 small records and 4 of 20 MB; `--full` takes 100,000 small ones and 1,000 of 20 MB. What syncs for
each record is measured over one bag of at most 10,000. The targets: with one sync for each record, 0.7 of the rate of `check --extract`, `cp` and `sync`; with shared syncs, 5 times that rate for small
records; `verify` at 0.8 of the rate of `sha256sum` over the same bytes. TOOL must be a release build; TMPDIR a real disk.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
KEYS = os.path.join(ROOT, "TestVectors", "keys")


class Bench:
    def __init__(self, command: str, tool: str, folder: str) -> None:
        self.command, self.tool, self.folder = command, tool, folder
        os.chdir(folder)
        self.quietly("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "signer.key", "-out", "signer.pem",
                     "-subj", "/CN=signer", "-addext", "keyUsage=digitalSignature", "-days", "2")

    def quietly(self, *words: str, **options: object) -> None:
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)

    def make(self, name: str, size: int) -> None:
        with open("video", "wb") as file:
            file.write(os.urandom(size))
        self.quietly(self.tool, "assemble", "--public", f"{KEYS}/rsa2048.public.pem", "--compare-public",
                     f"{KEYS}/other3072.public.pem", "--order-no", "ord1", "--app-id", "IDAXXXXX", "--user-id", "u1", "--video",
                     "video", "--image", f"{ROOT}/TestVectors/media/photo.jpg", "--force", "-o", name)

    def checking(self) -> list[str]:
        return ["--key", f"{KEYS}/rsa2048.pem", "--require", "result,order,video"]

    def extracting(self, name: str, count: int) -> float:
        begun = time.monotonic()
        for number in range(count):
            self.quietly(self.tool, "check", *self.checking(), "--order-no", "ord1", "--extract", f"x{number}", name)
            self.quietly("cp", "-r", f"x{number}", f"kept{number}")
            self.quietly("sync")
        seconds = time.monotonic() - begun
        for number in range(count):
            shutil.rmtree(f"x{number}")
            shutil.rmtree(f"kept{number}")
        return count / seconds

    def archive(self) -> str:
        shutil.rmtree("A", ignore_errors=True)
        self.quietly(self.command, "init", "A", "--origin", "example.com/bench", "--public", f"{KEYS}/rsa3072.public.pem", "--signer",
                     "signer.pem")
        return "A"

    def close(self) -> None:
        self.quietly(self.command, "close", "A", "--signer", "signer.key", "--certificate", "signer.pem")

    def appending(self, name: str, count: int) -> float:
        self.archive()
        begun = time.monotonic()
        for number in range(count):
            self.quietly(self.command, "append", "A", *self.checking(), "--order-no", "ord1", name)
        return count / (time.monotonic() - begun)

    def listing(self, name: str, count: int) -> float:
        self.archive()
        seconds = 0.0
        for start in range(0, count, 10_000):
            with open("list", "w", encoding="ascii") as file:
                file.write(f"ord1 {name}\n" * min(10_000, count - start))
            begun = time.monotonic()
            self.quietly(self.command, "append", "A", *self.checking(), "--list", "list")
            seconds += time.monotonic() - begun
            self.close()
        return count / seconds

    def verifying(self) -> tuple[float, float]:
        """Bytes a second of `verify` and of `sha256sum`, in turn, of the archive that is there."""
        files = [os.path.join(folder, name) for folder, _, names in os.walk("A/bags") for name in names]
        size = sum(map(os.path.getsize, files))
        with open("files", "w", encoding="ascii") as file:
            file.write("\0".join(files))
        best = {}
        for _ in range(3):
            for name, words in (("verify", [self.command, "verify", "A", "--require", "content"]),
                                ("sha256sum", ["sh", "-c", "xargs -0 sha256sum < files"])):
                begun = time.monotonic()
                self.quietly(*words)
                best[name] = min(best.get(name, 1e9), time.monotonic() - begun)
        return size / best["verify"], size / best["sha256sum"]


def main() -> None:
    (command, tool), is_full = map(os.path.abspath, sys.argv[1:3]), "--full" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(command, tool, folder)
        print("| records | check, cp, sync | append | ratio (0.7) | append --list | ratio (5, small) | verify MB/s | sha256sum MB/s | ratio (0.8) |")
        print("| --- | --: | --: | --: | --: | --: | --: | --: | --: |")
        for what, size, count in (("small", 2_000, 100_000 if is_full else 5_000), ("20 MB", 20_000_000, 1_000 if is_full else 4)):
            bench.make("result.json", size)
            plain = bench.extracting("result.json", min(count, 500))
            single = bench.appending("result.json", min(count, 10_000 if is_full else 500))
            group = bench.listing("result.json", count)
            ours, theirs = bench.verifying()
            print(f"| {count} of {what} | {plain:.1f}/s | {single:.1f}/s | {single / plain:.2f} | {group:.1f}/s | {group / plain:.1f} | "
                  f"{ours / 1e6:.0f} | {theirs / 1e6:.0f} | {ours / theirs:.2f} |", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
