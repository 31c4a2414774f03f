#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The index of an archive: how many records a second `build` reads, and what look-ups cost among a million.

`index.py PROGRAMS TOOL [--records N] [--rows N]`, PROGRAMS being the folder of evidence-archive and index-benchmark. The archive has
N records (4,000) in bags of 1,000; the index of it gets further rows, of records that no archive has, until there are a million: look-ups are
for the archive's own, each of which the archive is asked about. Needs the Python package cryptography.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
sys.path.insert(0, os.path.join(ROOT, "Packages", "Archive", "Tests", "drive"))

import index_file  # noqa: E402

KEYS = os.path.join(ROOT, "TestVectors", "keys")


def quietly(*words: str) -> None:
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def timed(*words: str) -> float:
    begun = time.monotonic()
    quietly(*words)
    return time.monotonic() - begun


def make(command: str, tool: str, count: int) -> None:
    quietly("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "signer.key", "-out", "signer.pem", "-subj",
            "/CN=signer", "-addext", "keyUsage=digitalSignature", "-days", "2")
    quietly(command, "init", "A", "--origin", "example.com/index", "--public", f"{KEYS}/rsa3072.public.pem", "--signer", "signer.pem")
    with open("video", "wb") as file:
        file.write(os.urandom(2_000))
    quietly(tool, "assemble", "--public", f"{KEYS}/rsa2048.public.pem", "--compare-public", f"{KEYS}/other3072.public.pem", "--order-no",
            "another", "--app-id", "IDAXXXXX", "--user-id", "u1", "--video", "video", "--image", f"{ROOT}/TestVectors/media/photo.jpg",
            "-o", "r.json")
    for start in range(0, count, 1_000):
        # One result for all, which is that of another order, and kept: the reports name the orders.
        with open("list", "w", encoding="ascii") as file:
            file.writelines(f"order{number} r.json\n" for number in range(start, min(start + 1_000, count)))
        subprocess.run([command, "append", "A", "--key", f"{KEYS}/rsa2048.pem", "--require", "result,order,video", "--keep-refused",
                        "--list", "list"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        quietly(command, "close", "A", "--signer", "signer.key", "--certificate", "signer.pem")


def widen(path: str, rows: int) -> None:
    """Further rows, half of them before the archive's own and half behind, all of another verdict."""
    old = index_file.read(path)
    own = old.execute("SELECT * FROM record ORDER BY time, id").fetchall()
    half = (rows - len(own)) // 2
    noise = os.urandom(32 * 2 * half)

    def made(number: int, moment: int) -> tuple:
        return moment, noise[32 * number:32 * number + 16], noise[32 * number + 16:32 * number + 32], "holds", 1

    new = sqlite3.connect(":memory:")
    new.executescript(f"PRAGMA application_id = {0x45414958}; PRAGMA user_version = 1; {index_file.TABLES[0]}; {index_file.TABLES[1]}")
    new.execute("INSERT INTO about VALUES(?, ?, ?, ?, ?, ?)", old.execute("SELECT * FROM about").fetchone())
    fill = "INSERT INTO record VALUES(?, ?, ?, ?, ?)"
    new.executemany(fill, (made(i, own[0][0] - 1_000 * (half - i)) for i in range(half)))
    new.executemany(fill, own)
    new.executemany(fill, (made(half + i, own[-1][0] + 1_000 * (i + 1)) for i in range(half)))
    new.commit()
    for statement in index_file.TABLES[2:]:
        new.execute(statement)
    new.commit()
    index_file.write(new, path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("tool")
    parser.add_argument("--records", type=int, default=4_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    programs, tool = os.path.abspath(given.programs), os.path.abspath(given.tool)
    command, key = f"{programs}/evidence-archive", f"{KEYS}/rsa3072.pem"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make(command, tool, given.records)
        seconds = min(timed(command, "index", "build", "A", "--index", "I", "--key", key) for _ in range(3))
        print(f"build: {given.records} records in {seconds:.2f} s, {given.records / seconds:.0f} a second; load {os.getloadavg()[0]:.1f}")
        widen("I", given.rows)
        print(f"{given.rows} rows, {os.path.getsize('I') / 1e6:.0f} MB", flush=True)
        subprocess.run([f"{programs}/index-benchmark", "A", "I", key, str(given.records)], check=True)
        find = min(timed(command, "find", "A", "--index", "I", "--key", key, "--order-no", "order1") for _ in range(3))
        quietly(command, "erase", "A", "--record", os.listdir("A/bags/000000001/data")[0])
        erase = timed("/usr/bin/env", command, "index", "erase", "A", "--index", "I")
        update = timed(command, "index", "update", "A", "--index", "I", "--key", key)
        print(f"the command, with {given.rows} rows: find {find:.2f} s, erase {erase:.2f} s, update {update:.2f} s; load {os.getloadavg()[0]:.1f}")
        os.chdir("/")


if __name__ == "__main__":
    main()
