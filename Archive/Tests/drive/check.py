#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command evidence-archive-index, from outside: archives that evidence-tool made, with closed bags, and the index read
by the Python that was written from docs/ARCHIVE.md §8.1.

`check.py INDEXER TOOL` needs the Python packages cryptography and jsonschema, and strace.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from jsonschema import Draft202012Validator

import index_file

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3))
KEYS = os.path.join(ROOT, "TestVectors", "keys")


class Bench:
    """An archive of two bags and two records that wait, a signer, and the two commands."""

    def __init__(self, indexer: str, tool: str, folder: str) -> None:
        self.indexer, self.tool = indexer, tool
        os.chdir(folder)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "signer.key", "-out", "signer.pem", "-subj", "/CN=signer",
                "-addext", "keyUsage=digitalSignature", "-days", "2")
        for name in ("archive", "new"):
            openssl("genrsa", "-out", f"{name}.key", "2048")
            openssl("pkey", "-in", f"{name}.key", "-pubout", "-out", f"{name}.pub")
        self.evidence("archive", "init", "A", "--origin", "example.com/check", "--public", "archive.pub")
        self.orders: dict[str, str] = {}
        for order in ("canary1", "canary2"):
            self.append(order)
        self.close()
        for order in ("canary3", "canary1"):
            self.append(order)
        self.close()
        for order in ("canary4", "canary5"):
            self.append(order)

    def evidence(self, *words: str, status: int = 0) -> str:
        done = subprocess.run([self.tool, *words], capture_output=True, timeout=120, stdin=subprocess.DEVNULL, text=True)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        return done.stdout

    def append(self, order: str) -> str:
        if not os.path.exists(f"{order}.json"):
            self.evidence("assemble", "--public", f"{KEYS}/rsa2048.public.pem", "--compare-public", f"{KEYS}/other3072.public.pem",
                          "--app-id", "IDAXXXXX", "--user-id", "u1", "--order-no", order, "--video",
                          f"{ROOT}/TestVectors/media/clip.mp4", "--image", f"{ROOT}/TestVectors/media/photo.jpg", "-o", f"{order}.json")
        record = self.evidence("archive", "append", "A", "--key", f"{KEYS}/rsa2048.pem", "--order-no", order, "--require",
                               "result,order,video", f"{order}.json").strip()
        self.orders[record] = order
        return record

    def close(self) -> None:
        self.evidence("archive", "close", "A", "--signer", "signer.key", "--certificate", "signer.pem")

    def erase(self, record: str) -> None:
        self.evidence("archive", "erase", "A", "--record", record)
        del self.orders[record]

    def run(self, *words: str, status: int = 0, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
        done = subprocess.run([*before, self.indexer, *words], capture_output=True, timeout=120, stdin=subprocess.DEVNULL, text=True)
        assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        assert "canary" not in done.stderr, words
        return done

    def index(self, action: str, *words: str, status: int = 0, **options) -> subprocess.CompletedProcess:
        key = () if action in ("erase", "find") else ("--key", "archive.key")
        return self.run(action, "A", "--index", "I", *key, *words, status=status, **options)

    def found(self, *words: str, status: int = 0) -> list[str]:
        return [line.split(" ")[0] for line in self.index("find", *words, status=status).stdout.splitlines()]

    def of(self, order: str, *words: str) -> list[str]:
        return self.found("--key", "archive.key", "--order-no", order, *words)

    def hold(self) -> None:
        """The index is what the page says, and has what was archived and lives, each in its bag."""
        database = index_file.read("I")
        assert os.stat("I").st_mode & 0o7777 == 0o600
        codes = index_file.Codes(database, "A", "archive.key")
        rows = {row[0].hex(): row[1:] for row in database.execute("SELECT id, code, verdict, bag FROM record")}
        assert set(rows) == set(self.orders), (rows, self.orders)
        for record, (code, verdict, bag) in rows.items():
            place = f"A/bags/{bag:09}/data/{record}" if bag else f"A/incoming/data/{record}"
            assert os.path.isdir(place) and verdict == "holds" and code == codes.of(self.orders[record])
        bag, digest, waiting = database.execute("SELECT bag, bag_sha256, waiting_sha256 FROM about").fetchone()
        assert bag == len(os.listdir("A/bags"))
        with open(f"A/bags/{bag:09}/tagmanifest-sha256.txt", "rb") as file:
            assert digest == hashlib.sha256(file.read()).hexdigest()
        names = "".join(f"{name}\n" for name in sorted(os.listdir("A/incoming/data")))
        assert waiting == hashlib.sha256(names.encode()).hexdigest()
        with open("I", "rb") as file:
            assert b"canary" not in file.read()


def openssl(*words: str) -> None:
    done = subprocess.run(["openssl", *words], capture_output=True)
    assert done.returncode == 0, (words, done.stderr)


def life(bench: Bench) -> str:
    """Records are appended, closed into bags and erased, in any order; after each update the index has what lives."""
    bench.index("build")
    bench.hold()
    assert bench.of("canary1") == [record for record, order in bench.orders.items() if order == "canary1"]
    assert bench.of("canary9") == []
    source = random.Random(20)
    for _ in range(9):
        for _ in range(source.randrange(1, 3)):
            choice = source.random()
            if choice < 0.5:
                bench.append(source.choice(["canary1", "canary6", "canary7"]))
            elif choice < 0.75 and os.listdir("A/incoming/data"):
                bench.close()
            elif len(bench.orders) > 4:
                bench.erase(source.choice(sorted(bench.orders)))
        if source.random() < 0.3:
            bench.index("erase")
        done = bench.index("find", "--limit", "1", status=1)
        assert "evidence-archive-index update" in done.stderr and done.stdout == "", done.stderr
        assert set(bench.found("--stale", "--limit", "10000")) <= set(bench.orders)
        bench.index("update")
        bench.hold()
        assert set(bench.found()) == set(bench.orders)
    kept = index_file.read("I").execute("SELECT time, id, verdict, bag FROM record ORDER BY time, id").fetchall()
    bench.index("build")
    bench.hold()
    assert kept == index_file.read("I").execute("SELECT time, id, verdict, bag FROM record ORDER BY time, id").fetchall()
    return f"{len(bench.orders)} records, {len(os.listdir('A/bags'))} bags"


def erased(bench: Bench) -> str:
    """Nothing of an erased record stays: neither its id nor its code, wherever in the file."""
    count = 0
    for action in ("erase", "update", "build"):
        record = bench.append(f"canary1{count}")
        bench.append("canary1")
        bench.index("update")
        code = index_file.Codes(index_file.read("I"), "A", "archive.key").of(f"canary1{count}")
        secrets = (bytes.fromhex(record), code, record.encode())
        with open("I", "rb") as file:
            data = file.read()
        assert secrets[0] in data and code in data
        bench.erase(record)
        assert bench.of(f"canary1{count}", "--stale") == []
        assert record not in bench.found("--stale", "--limit", "10000")
        done = bench.index(action)
        assert action == "build" or "removed: 1" in done.stdout, done.stdout
        with open("I", "rb") as file:
            data = file.read()
        assert not any(secret in data for secret in secrets), action
        bench.index("update")
        bench.hold()
        assert sorted(name for name in os.listdir(".") if name.startswith("I")) == ["I"]
        count += 1
    return f"{count} records"


def pages(bench: Bench) -> str:
    """One page after the other is all, in text and in JSON."""
    everything = bench.index("find", "--limit", "10000").stdout.splitlines()
    found, place, turns = [], [], 0
    while True:
        done = json.loads(bench.index("find", "--limit", "2", "--json", *place).stdout)
        assert done["isCurrent"] is True
        found += [f"{row['record']} {row['time']} {row['verdict']} " + (f"bag {row['bag']}" if row["bag"] else "waiting")
                  for row in done["records"]]
        turns += 1
        if done["next"] is None:
            break
        place = ["--after", done["next"]]
    assert found == everything
    done = bench.index("find", "--limit", "2")
    assert "more records follow: use --after " in done.stderr
    middle = everything[len(everything) // 2].split(" ")[1]
    split = bench.found("--until", middle) + bench.found("--from", middle)
    assert split == [line.split(" ")[0] for line in everything]
    assert bench.found("--verdict", "fails") == [] and len(bench.found("--verdict", "holds")) == len(everything)
    return f"{turns} pages"


def schemas(bench: Bench) -> str:
    """What --json prints meets its schema, and what lacks a member does not."""
    bench.append("canary1")
    met = []
    for words in (("update",), ("erase",), ("build",), ("find",), ("find", "--limit", "1")):
        text = bench.index(*words, "--json").stdout
        assert text.count("\n") == 1
        value = json.loads(text)
        with open(f"{ROOT}/docs/schemas/{value['schema']}.json", encoding="utf-8") as file:
            schema = json.load(file)
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        validator.validate(value)
        for member in value:
            assert not validator.is_valid({name: value[name] for name in value if name != member})
        assert not validator.is_valid({**value, "another": 1})
        met.append(value["schema"])
    return f"{len(set(met))} schemas"


def crafted(bench: Bench) -> str:
    """What somebody wrote by hand, with the right digest: what no index has is refused, and nothing traps."""
    cases = {
        "kind": "PRAGMA application_id = 1", "version": "PRAGMA user_version = 2", "table": "CREATE TABLE more(a)",
        "trigger": "CREATE TRIGGER t AFTER INSERT ON record BEGIN SELECT 1; END",
        "view": "ALTER TABLE record RENAME TO r; CREATE VIEW record AS SELECT * FROM r", "no index": "DROP INDEX record_by_code",
        "nothing": "DELETE FROM about", "bag below": "UPDATE about SET bag = -9223372036854775808",
        "bag above": "UPDATE about SET bag = 9223372036854775807", "bag": "UPDATE about SET bag = 999999999",
        "digest": "UPDATE about SET bag_sha256 = ''", "archive": "UPDATE about SET archive = ''",
        "time": "UPDATE record SET time = 9223372036854775806", "id": "UPDATE record SET id = x'00'",
    }
    for name, sql in cases.items():
        database = index_file.read("I")
        database.executescript(sql)
        database.commit()
        index_file.write(database, "C")
        done = bench.run("find", "A", "--index", "C", status=1)
        assert "cannot be used" in done.stderr and "build" in done.stderr, (name, done.stderr)
    for sql, status in (("UPDATE about SET wrapped_key = x''", 1), ("UPDATE about SET wrapped_key = zeroblob(256)", 1),
                        ("UPDATE about SET key_id = ''", 2), ("UPDATE record SET bag = -1, verdict = NULL", 1), ("UPDATE record SET verdict = 'praise'", 1)):
        database = index_file.read("I")
        database.executescript(sql)
        database.commit()
        index_file.write(database, "C")
        bench.run("find", "A", "--index", "C", "--order-no", "canary1", "--key", "archive.key", status=status)
    os.remove("C")
    return f"{len(cases) + 5} files"


def refusals(bench: Bench) -> str:
    """Wrong use is 2, what the archive or the index is not is 1, what cannot be read or written 3; nothing is touched."""
    with open("I", "rb") as file:
        sound = file.read()
    with open("letter", "w", encoding="ascii") as file:
        file.write("a letter\n")
    cases = [
        (2, ()), (2, ("search",)), (2, ("find",)), (2, ("find", "A")), (2, ("find", "--index", "I")),
        (2, ("find", "A", "B", "--index", "I")), (2, ("find", "A", "--index", "I", "--order-no", "canary1")),
        (2, ("find", "A", "--index", "I", "--limit", "0")), (2, ("find", "A", "--index", "I", "--limit", "10001")),
        (2, ("find", "A", "--index", "I", "--from", "yesterday")), (2, ("find", "A", "--index", "I", "--verdict", "passed")),
        (2, ("find", "A", "--index", "I", "--after", "here")), (2, ("find", "A", "--index", "I", "--key=archive.key")),
        (2, ("find", "A", "--index", "I", "--index", "I")), (2, ("erase", "A", "--index", "I", "--key", "archive.key")),
        (2, ("build", "A", "--index", "I")), (2, ("build", "A", "--index", "I", "--key", "letter")),
        (2, ("build", "A", "--index", "I", "--key", "new.key")), (2, ("build", "A", "--index", "letter", "--key", "archive.key")),
        (2, ("build", "A", "--index", "A/index", "--key", "archive.key")),
        (2, ("find", "A", "--index", "I", "--order-no", "canary1", "--key", "new.key")),
        (1, ("find", "A", "--index", "letter")), (1, ("find", ".", "--index", "I")),
        (3, ("find", "A", "--index", "nowhere")), (3, ("update", "A", "--index", "nowhere", "--key", "archive.key")),
        (3, ("build", "A", "--index", "nowhere/I", "--key", "archive.key")),
        (3, ("build", "A", "--index", "J", "--key", "nowhere")), (3, ("find", "nowhere", "--index", "I")),
    ]
    for status, words in cases:
        assert bench.run(*words, status=status).stdout == "" or not words, words
    # A full disk, as far as one can have it for one process.
    bench.append("canary1")
    for action, name in (("update", "I"), ("build", "J")):
        done = bench.run(action, "A", "--index", name, "--key", "archive.key", before=("prlimit", "--fsize=4096"), status=3)
        assert "error:" in done.stderr, done.stderr
    with open("I", "rb") as file:
        assert file.read() == sound
    assert not os.path.exists("J") and os.listdir("A") == os.listdir("A")
    bench.index("update")
    return f"{len(cases)} cases"


def killed(bench: Bench) -> str:
    """Killed at any write, sync or rename, it leaves the old index or the new one, and no other file."""
    record = bench.append("canary1")
    with open("I", "rb") as file:
        old = file.read()
    seen = {"old": 0, "new": 0}
    for call in ("write", "fsync", "linkat", "renameat2,renameat,rename", "flock"):
        for number in range(1, 100):
            with open("I", "wb") as file:
                file.write(old)
            os.chmod("I", 0o600)
            done = subprocess.run(
                ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}",
                 bench.indexer, "update", "A", "--index", "I", "--key", "archive.key"],
                capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
            with open("I", "rb") as file:
                is_old = file.read() == old
            seen["old" if is_old else "new"] += 1
            if not is_old:
                assert record in {row[0].hex() for row in index_file.read("I").execute("SELECT id FROM record")}
            if done.returncode == 0:
                break
    # What a rename that was cut off leaves is a second name of the new file, which the next run does not trip over.
    bench.index("update")
    bench.hold()
    left = [name for name in os.listdir(".") if os.path.isfile(name) and b"evidence-archive-index-1" in open(name, "rb").read()[-97:]]
    for name in left:
        if name != "I":
            assert name.startswith("."), name
            os.remove(name)
    assert seen["old"] > 5 and seen["new"] > 5, seen
    return f"{seen['old']} times the old one, {seen['new']} times the new one"


def no_other_file(bench: Bench) -> str:
    """SQLite makes no file of its own, not even for a moment."""
    bench.append("canary1")
    done = subprocess.run(["strace", "-f", "-e", "trace=openat,open,creat", "-o", "trace", bench.indexer, "update", "A", "--index", "I",
                           "--key", "archive.key"], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    with open("trace", encoding="utf-8") as file:
        made = [line for line in file if ("O_CREAT" in line or "O_TMPFILE" in line or "O_RDWR" in line or "O_WRONLY" in line)
                and "/dev/" not in line]
    assert len(made) == 1 and "O_TMPFILE" in made[0], made
    return "one nameless file"


def rotated(bench: Bench) -> str:
    """After a rotation the cure is said, and works; the old index's key is of no use to the new one."""
    bench.evidence("archive", "rotate", "A", "--key", "archive.key", "--public", "new.pub")
    done = bench.run("update", "A", "--index", "I", "--key", "new.key", status=2)
    assert "build the index again" in done.stderr
    shutil.copy("new.key", "archive.key")
    bench.index("build")
    bench.hold()
    assert set(bench.found()) == set(bench.orders)
    return "built again"


def replaced(bench: Bench) -> str:
    """An archive whose newest bag is another than the index knows is never answered from it."""
    shutil.copytree("A", "B")
    bag = f"B/bags/{len(os.listdir('B/bags')):09}"
    for words in ("find", "update", "erase"):
        key = ("--key", "archive.key") if words == "update" else ()
        with open(f"{bag}/tagmanifest-sha256.txt", "ab") as file:
            file.write(b" ")
        assert "build" in bench.run(words, "B", "--index", "I", *key, status=1).stderr
    shutil.rmtree(bag)
    done = bench.run("find", "B", "--index", "I", "--stale", status=1)
    assert "build" in done.stderr, done.stderr
    shutil.rmtree("B")
    return "by its newest bag"


def help_texts(bench: Bench) -> str:
    """The help is what was recorded."""
    text = ""
    for words in (("--help",), *((action, "--help") for action in ("build", "update", "erase", "find"))):
        done = bench.run(*words)
        assert all(len(line) <= 82 for line in done.stdout.splitlines()[1:]), words
        text += f"$ evidence-archive-index {' '.join(words)}\n{done.stdout}\n"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "help.txt")
    if "--record" in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, encoding="utf-8") as file:
        assert file.read() == text, "the help is another than help.txt has; check.py --record writes it"
    return f"{text.count('$ ')} texts"


def main() -> None:
    indexer, tool = (os.path.abspath(path) for path in sys.argv[1:3])
    # In memory, where there is such a folder: what is tested here is not the disk.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        bench = Bench(indexer, tool, folder)
        for check in (life, erased, pages, schemas, crafted, refusals, no_other_file, killed, replaced, rotated, help_texts):
            begun = time.monotonic()
            what = check(bench)
            print(f"{check.__name__.replace('_', ' ')}: {what} ({time.monotonic() - begun:.1f} s)", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
