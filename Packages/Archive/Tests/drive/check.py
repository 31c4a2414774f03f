#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The index of evidence-archive, from outside: archives with closed bags, and the index read
by the Python that was written from docs/ARCHIVE-INDEX.md.

`check.py EVIDENCE-ARCHIVE EVIDENCE-TOOL` needs the Python packages cryptography and jsonschema, and strace. It takes a
sample of what is the same at many moments and with several actions; `--long` takes all.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from jsonschema import Draft202012Validator

import index_file

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4))
KEYS = os.path.join(ROOT, "TestVectors", "keys")
sys.path.insert(0, os.path.join(ROOT, "scripts", "steps"))

import schemas as published  # noqa: E402


def of_index(*words: str) -> list[str]:
    """The words of a command line: build, update and erase are verbs of index."""
    return ["index", *words] if words[:1] in (("build",), ("update",), ("erase",)) else list(words)


class Bench:
    """An archive of two bags and two records that wait, a signer, and the two commands."""

    def __init__(self, command: str, assembler: str, folder: str) -> None:
        self.command, self.assembler = command, assembler
        os.chdir(folder)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "signer.key", "-out", "signer.pem", "-subj", "/CN=signer",
                "-addext", "keyUsage=digitalSignature", "-days", "2")
        for name in ("archive", "new"):
            openssl("genrsa", "-out", f"{name}.key", "3072")
            openssl("pkey", "-in", f"{name}.key", "-pubout", "-out", f"{name}.pub")
        self.evidence("init", "A", "--origin", "example.com/check", "--public", "archive.pub", "--signer", "signer.pem")
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
        done = subprocess.run([self.assembler if words[0] == "assemble" else self.command, *words], capture_output=True, timeout=120, stdin=subprocess.DEVNULL, text=True)
        assert done.returncode == status, (words, done.returncode, done.stderr)
        return done.stdout

    def append(self, order: str) -> str:
        if not os.path.exists(f"{order}.json"):
            self.evidence("assemble", "--public", f"{KEYS}/rsa2048.public.pem", "--compare-public", f"{KEYS}/other3072.public.pem",
                          "--app-id", "IDAXXXXX", "--user-id", "u1", "--order-no", order, "--video",
                          f"{ROOT}/TestVectors/media/clip.mp4", "--image", f"{ROOT}/TestVectors/media/photo.jpg", "-o", f"{order}.json")
        record = self.evidence("append", "A", "--key", f"{KEYS}/rsa2048.pem", "--order-no", order, "--require",
                               "result,order,video", f"{order}.json").strip()
        self.orders[record] = order
        return record

    def close(self) -> None:
        self.evidence("close", "A", "--signer", "signer.key", "--certificate", "signer.pem")

    def erase(self, record: str) -> None:
        self.evidence("erase", "A", "--record", record)
        del self.orders[record]

    def run(self, *words: str, status: int = 0, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
        done = subprocess.run([*before, self.command, *of_index(*words)], capture_output=True, timeout=120, stdin=subprocess.DEVNULL, text=True)
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


LONG = "--long" in sys.argv
# Of moments that follow each other, each or every fifth.
STRIDE = 1 if LONG else 5
turns = itertools.count()


def some(*cases: str) -> tuple[str, ...]:
    """All of them, or the next one in turn."""
    return cases if LONG else (cases[next(turns) % len(cases)],)


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


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
                bench.erase(source.choice(list(bench.orders)))
        if source.random() < 0.3:
            bench.index("erase")
        done = bench.index("find", "--limit", "1", status=1)
        assert "update the index" in done.stderr and done.stdout == "", done.stderr
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
        schema = published.load(value["schema"])
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(published.closed(schema))
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
        "bag above": "UPDATE about SET bag = 9223372036854775807",
        "terminal": "UPDATE about SET key_id = char(27) || ']0;EVIL' || char(7)", "later bag": "UPDATE record SET bag = 99999",
        "digest": "UPDATE about SET bag_sha256 = ''", "archive": "UPDATE about SET archive = ''",
        "time": "UPDATE record SET time = 9223372036854775806", "id": "UPDATE record SET id = x'00'",
    }
    for name, sql in cases.items():
        database = index_file.read("I")
        database.executescript(sql)
        database.commit()
        index_file.write(database, "C")
        done = bench.run("find", "A", "--index", "C", status=1)
        # The index of another archive is nothing to replace.
        hint = "look at the path" if name == "archive" else "build"
        assert "cannot be used" in done.stderr and hint in done.stderr, (name, done.stderr)
    for sql, status in (("UPDATE about SET wrapped_key = x''", 1), ("UPDATE about SET wrapped_key = zeroblob(256)", 1),
                        ("UPDATE about SET key_id = printf('%064d', 0)", 2), ("UPDATE about SET bag = 999999999", 1),
                        ("UPDATE record SET bag = -1, verdict = NULL", 1), ("UPDATE record SET verdict = 'praise'", 1)):
        database = index_file.read("I")
        database.executescript(sql)
        database.commit()
        index_file.write(database, "C")
        bench.run("find", "A", "--index", "C", "--order-no", "canary1", "--key", "archive.key", status=status)
    # Those that write look at every row, before they look at the archive.
    rows = ("UPDATE record SET bag = 99 WHERE bag = (SELECT min(bag) FROM record)", "UPDATE record SET bag = -1", "UPDATE record SET verdict = 'praise'",
            "INSERT INTO unread SELECT id, 1 FROM record LIMIT 1", "INSERT INTO unread VALUES(zeroblob(16), 99)",
            "INSERT INTO about SELECT * FROM about")
    for sql in rows:
        database = index_file.read("I")
        database.executescript(sql)
        database.commit()
        index_file.write(database, "C")
        for action in ("update", "erase"):
            key = ("--key", "archive.key") if action == "update" else ()
            assert "cannot be used" in bench.run(action, "A", "--index", "C", *key, status=1).stderr, (sql, action)
    os.remove("C")
    return f"{len(cases) + 6 + len(rows)} files"


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
        (2, ("find", "A", "--index", "I", "--after", "here")), (2, ("find", "A", "--index", "I", "--key=")),
        (2, ("find", "A", "--index", "I", "--index", "I")), (2, ("erase", "A", "--index", "I", "--key", "archive.key")),
        (2, ("build", "A", "--index", "I")), (2, ("build", "A", "--index", "I", "--key", "letter")),
        (2, ("build", "A", "--index", "I", "--key", "archive.key", "--passphrase-file", "-")),
        (2, ("build", "A", "--index", "I", "--key", "new.key")), (1, ("build", "A", "--index", "letter", "--key", "archive.key")),
        (2, ("find", "A", "--index", "-")), (2, ("build", "A", "--index", "-", "--key", "archive.key")),
        (2, ("build", "A", "--index", "A/index", "--key", "archive.key")),
        (2, ("find", "A", "--index", "I", "--order-no", "canary1", "--key", "new.key")),
        (1, ("find", "A", "--index", "letter")), (1, ("find", ".", "--index", "I")),
        (3, ("find", "A", "--index", "nowhere")), (3, ("update", "A", "--index", "nowhere", "--key", "archive.key")),
        (3, ("build", "A", "--index", "nowhere/I", "--key", "archive.key")),
        (3, ("build", "A", "--index", "J", "--key", "nowhere")), (3, ("find", "nowhere", "--index", "I")),
    ]
    for status, words in cases:
        assert bench.run(*words, status=status).stdout == "" or not words, words
    assert "\x1b" not in bench.run("find", "A", "--index", "I", "--fo\x1b[31m", status=2).stderr
    assert "cannot write" not in bench.run("find", "A", "--index", ".", status=3).stderr
    # A full disk, as far as one can have it for one process.
    bench.append("canary1")
    for action, name in (("update", "I"), ("build", "J")):
        done = bench.run(action, "A", "--index", name, "--key", "archive.key", before=("prlimit", "--fsize=4096"), status=3)
        assert "error:" in done.stderr, done.stderr
    with open("I", "rb") as file:
        assert file.read() == sound
    assert not os.path.exists("J") and not os.path.exists("-") and os.listdir("A") == os.listdir("A")
    bench.index("update")
    return f"{len(cases)} cases"


def killed(bench: Bench) -> str:
    """Killed at any write, sync or rename, it leaves the old index or the new one, and no other file."""
    record = bench.append("canary1")
    with open("I", "rb") as file:
        old = file.read()
    seen, left = {"old": 0, "new": 0}, 0
    for call in ("write", "fsync", "linkat", "renameat2,renameat,rename", "flock"):
        for number in range(1, 100, STRIDE):
            with open("I", "wb") as file:
                file.write(old)
            os.chmod("I", 0o600)
            done = subprocess.run(
                ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}",
                 bench.command, "index", "update", "A", "--index", "I", "--key", "archive.key"],
                capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
            # What a rename that was cut off leaves is a second name of the new file, which the next writer removes.
            left += len([name for name in os.listdir(".") if name.startswith(".evidence-")])
            with open("I", "rb") as file:
                is_old = file.read() == old
            seen["old" if is_old else "new"] += 1
            if not is_old:
                assert record in {row[0].hex() for row in index_file.read("I").execute("SELECT id FROM record")}
            if done.returncode == 0:
                break
    # Without nameless files, the beginning of one is left.
    subprocess.run(["strace", "-f", "-o", "trace", "-e", "trace=openat", bench.command, "index", "build", "A", "--index", "P", "--key", "archive.key"],
                   capture_output=True, check=True)
    with open("trace", encoding="utf-8") as file:
        number = next(number for number, line in enumerate((line for line in file if "openat(" in line), 1) if "O_TMPFILE" in line)
    os.remove("P")
    subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", f"inject=openat:error=EOPNOTSUPP:when={number}", "-e",
                    "inject=write:signal=SIGKILL:when=2", bench.command, "index", "build", "A", "--index", "P", "--key", "archive.key"],
                   capture_output=True)
    name, = [name for name in os.listdir(".") if name.startswith(".evidence-")]
    with open(name, "rb") as file:
        assert bytes.fromhex(record) in file.read()
    shutil.copy("letter", ".evidence-letter")
    bench.index("erase")
    assert [name for name in os.listdir(".") if name.startswith(".evidence-")] == [".evidence-letter"]
    os.remove(".evidence-letter")
    bench.index("update")
    bench.hold()
    assert min(seen.values()) > 5 / STRIDE and left > 0, (seen, left)
    return f"{seen['old']} times the old one, {seen['new']} times the new one, {left} names left and removed"


def no_other_file(bench: Bench) -> str:
    """SQLite makes no file of its own, not even for a moment."""
    bench.append("canary1")
    done = subprocess.run(["strace", "-f", "-e", "trace=openat,open,creat", "-o", "trace", bench.command, "index", "update", "A", "--index", "I",
                           "--key", "archive.key"], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    with open("trace", encoding="utf-8") as file:
        made = [line for line in file if ("O_CREAT" in line or "O_TMPFILE" in line or "O_RDWR" in line or "O_WRONLY" in line)
                and ("/dev/" not in line or "/dev/shm/" in line)]
    assert len(made) == 1 and "O_TMPFILE" in made[0], made
    return "one nameless file"


class Copy:
    """A copy of the archive and its index, B and J, to be changed; and one of its living records in bag 1."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        rows = index_file.read("I").execute("SELECT id FROM record WHERE bag = 1 ORDER BY id").fetchall()
        self.record = rows[0][0].hex()
        self.order = bench.orders[self.record]
        self.statement = f"B/bags/000000001/data/{self.record}/statement"
        self.again()

    def again(self) -> None:
        for name in ("B", "J", "kept"):
            if os.path.isdir(name):
                shutil.rmtree(name)
            elif os.path.lexists(name):
                os.remove(name)
        shutil.copytree("A", "B", symlinks=True)
        shutil.copy("I", "J")
        self.key = next(path for path in (f"B/keys/{name}/{self.record[:2]}/{self.record}" for name in os.listdir("B/keys"))
                        if os.path.exists(path))

    def run(self, action: str, *words: str, status: int = 0) -> subprocess.CompletedProcess:
        key = () if action == "erase" or action == "find" and "--order-no" not in words else ("--key", "archive.key")
        return self.bench.run(action, "B", "--index", "J", *key, *words, status=status)

    def find(self, *words: str, status: int = 0) -> subprocess.CompletedProcess:
        return self.run("find", "--order-no", self.order, *words, status=status)

    def unread(self, action: str, *records: str) -> str:
        """The action names exactly these damaged records; what it says for people."""
        done = self.run(action, "--json", status=1)
        assert sorted(row["record"] for row in json.loads(done.stdout)["unread"]) == sorted(records), (action, done.stderr)
        return done.stderr

    def refuse(self, *actions: str, naming: tuple[str, ...], status: int = 1) -> None:
        """Each action fails, says why, and leaves the index as it was."""
        for action in actions:
            done = self.find(status=status) if action == "find" else self.run(action, status=status)
            assert all(name in done.stderr for name in naming) and done.stdout == "", (action, naming, done.stderr)
            with open("I", "rb") as old, open("J", "rb") as new:
                assert old.read() == new.read(), action

    def plant(self, statement: str) -> str:
        """A record without parts that nobody archived."""
        name = "0" * 32
        os.mkdir(f"B/incoming/data/{name}")
        with open(f"B/incoming/data/{name}/statement", "w", encoding="ascii") as file:
            file.write(f"evidence-statement 1\nrecord {name}\ntime 2026-11-22T08:00:00.000Z\n{statement}\n")
        return name


def planted(bench: Bench) -> str:
    """What somebody puts into the archive, or takes away for a while, removes no living record from the index."""
    copy = Copy(bench)
    name = copy.plant(f"erases {copy.record}")
    copy.refuse("build", "update", "erase", naming=(copy.record, name))
    assert copy.record not in copy.find("--stale").stdout
    # Nor does it keep what was erased in the index.
    other = next(record for record in sorted(bench.orders) if record != copy.record)
    shutil.copytree("B", "kept")
    bench.evidence("erase", "B", "--record", other)
    assert copy.record in copy.run("erase", status=1).stderr
    with open("J", "rb") as file:
        data = file.read()
    assert bytes.fromhex(other) not in data and bytes.fromhex(copy.record) in data
    found = copy.run("find", "--stale", "--limit", "10000").stdout
    assert len(found.splitlines()) == len(bench.orders) - 2 and other not in found and copy.record not in found
    shutil.rmtree("B")
    os.rename("kept", "B")
    shutil.copy("I", "J")
    shutil.rmtree(f"B/incoming/data/{name}")
    copy.run("update")
    assert copy.record in copy.find().stdout
    # An erasure that was begun hides the record, and takes nothing out of the file.
    copy.again()
    with open(f"B/tmp/erase-{copy.record}", "w", encoding="ascii"):
        pass
    for action in ("update", "erase", "build", "update", "erase"):
        done = copy.run(action, "--json")
        assert json.loads(done.stdout)["begunErasures"] == [copy.record] and json.loads(done.stdout)["unread"] == []
        assert f"the erasure of record {copy.record} was begun" in done.stderr and "restore" not in done.stderr, done.stderr
        assert copy.record not in copy.find().stdout
    os.remove(f"B/tmp/erase-{copy.record}")
    assert copy.record in copy.find(status=1).stderr
    copy.run("update")
    assert copy.record in copy.find().stdout
    # The next writer finishes it.
    with open(f"B/tmp/erase-{copy.record}", "w", encoding="ascii"):
        pass
    os.remove(copy.key)
    assert json.loads(copy.run("update", "--json").stdout)["begunErasures"] == [copy.record]
    assert copy.record not in copy.find().stdout
    bench.evidence("rotate", "B", "--key", "archive.key", "--public", "archive.pub", status=2)
    assert not os.listdir("B/tmp")
    done = json.loads(copy.run("update", "--json").stdout)
    assert done["removed"] == 1 and done["begunErasures"] == []
    # What no erasure leaves hides nothing.
    copy.again()
    os.mkdir(f"B/tmp/erase-{copy.record}")
    assert copy.record in copy.find().stdout
    # A key that came back after an erasure.
    copy.again()
    shutil.copy(copy.key, "kept")
    bench.evidence("erase", "B", "--record", copy.record)
    shutil.copy("kept", copy.key)
    assert copy.record not in copy.find("--stale").stdout
    copy.refuse("update", "erase", naming=(copy.record, "erase it again"))
    bench.evidence("erase", "B", "--record", copy.record)
    assert "removed: 1" in copy.run("erase").stdout
    return "nothing hidden"


def missing(bench: Bench) -> str:
    """A bag, a record, a key or what waits that is missing is named; no answer leaves it out."""
    bench.append("canary1")
    bench.close()
    bench.index("update")
    copy = Copy(bench)
    newest = len(os.listdir("A/bags"))
    assert newest >= 3
    count = 0
    for number in (1, 2, newest):
        path = f"B/bags/{number:09}"
        for kind in ("nothing", "link", "file"):
            copy.again()
            os.rename(path, "kept")
            if kind == "link":
                os.symlink("../../kept", path)
            elif kind == "file":
                with open(path, "w", encoding="ascii"):
                    pass
            copy.refuse("update", "erase", "find", "build", naming=("bag", "hint: restore"))
            if kind == "nothing" and number < newest:
                copy.refuse("find", naming=(path[2:],))
            count += 1
    # A new bag behind a missing one.
    copy.again()
    for _ in range(2):
        bench.evidence("append", "B", "--key", f"{KEYS}/rsa2048.pem", "--order-no", "canary1", "--require", "result,order,video",
                       "canary1.json")
        bench.evidence("close", "B", "--signer", "signer.key", "--certificate", "signer.pem")
    shutil.rmtree(f"B/bags/{newest + 1:09}")
    copy.refuse("find", "update", "build", naming=(f"bags/{newest + 1:09}",))
    # A record's folder, and what waits.
    copy.again()
    shutil.rmtree(os.path.dirname(copy.statement))
    copy.refuse("find", "build", naming=(f"bags/000000001/data/{copy.record}",))
    copy.again()
    os.rename("B/incoming/data", "kept")
    copy.refuse("find", "update", "erase", "build", naming=("incoming/data",))
    os.symlink("../../kept", "B/incoming/data")
    copy.refuse("find", "update", "erase", "build", naming=("incoming/data",))
    # Something else in their places: the cure is another.
    copy.again()
    shutil.rmtree(folder := os.path.dirname(copy.statement))
    os.symlink("../../../kept", folder)
    copy.refuse("find", naming=("not a folder",))
    copy.refuse("build", naming=("not the folder of a record", "restore the folder"))
    copy.again()
    os.remove(copy.key)
    os.mkfifo(copy.key)
    copy.refuse("find", "update", "build", naming=(copy.key[2:], "not a regular file", "restore the key from a backup of keys\n"))
    # A key.
    copy.again()
    os.remove(copy.key)
    copy.refuse("find", "update", "build", naming=(copy.record, "key"))
    copy.again()
    os.rename(os.path.dirname(os.path.dirname(copy.key)), "kept")
    copy.refuse("find", "update", "build", naming=("key",))
    for kind in ("nothing", "folder", "link"):
        copy.again()
        os.rename("B/keys", "kept")
        if kind == "folder":
            os.mkdir("B/keys")
        elif kind == "link":
            os.symlink("../kept", "B/keys")
        copy.refuse("find", "update", "erase", "build", naming=("error: keys", "mount"))
        assert "mount" in copy.run("find", "--from", "2099-01-01", status=1).stderr
    # The newest bag's tag manifest.
    copy.again()
    os.remove(f"B/bags/{newest:09}/tagmanifest-sha256.txt")
    copy.refuse("find", "update", "erase", "build", naming=(f"bags/{newest:09}: tagmanifest-sha256.txt is missing",))
    # The same record twice.
    copy.again()
    shutil.copytree(os.path.dirname(copy.statement), f"B/incoming/data/{copy.record}")
    copy.refuse("update", "build", naming=(copy.record, "bag 1", "waits"))
    copy.again()
    shutil.copytree(os.path.dirname(copy.statement), f"B/bags/000000002/data/{copy.record}")
    copy.refuse("build", naming=(copy.record, "bags/000000002"))
    # One that waited.
    bench.append("canary1")
    bench.index("update")
    copy.again()
    waiting = next(name for name in os.listdir("B/incoming/data") if name in bench.orders)
    shutil.rmtree(f"B/incoming/data/{waiting}")
    copy.refuse("update", "build", naming=(waiting,))
    # Without an index that knows: by the keys.
    for path in (f"B/bags/{newest:09}", f"B/incoming/data/{waiting}"):
        copy.again()
        shutil.rmtree(path)
        done = bench.run("build", "B", "--index", "N", "--key", "archive.key", status=1)
        assert "keys/ has a key of record" in done.stderr and not os.path.exists("N"), (path, done.stderr)
    return f"{count + 15} gaps"


def contradicting(bench: Bench) -> str:
    """A record whose statement is not the one of its bag, or does not agree with the files beside it, is damaged."""
    bench.append("canary1")
    bench.index("update")
    copy = Copy(bench)
    waiting = next(name for name in sorted(os.listdir("A/incoming/data")) if name in bench.orders)
    count = 0
    for record, statement in ((copy.record, copy.statement), (waiting, f"B/incoming/data/{waiting}/statement")):
        for kind in ("report", "part", "exports", "time"):
            copy.again()
            with open(statement, encoding="ascii") as file:
                lines = file.readlines()
            if kind == "exports":
                lines = [*lines[:3], f"exports {copy.record}\n"]
            elif kind == "time":
                lines[2] = "time 2027" + lines[2][len("time 2027"):]
            else:
                lines = [line for line in lines if not line.startswith("part report.json" if kind == "report" else "part video.mp4")]
            with open(statement, "w", encoding="ascii") as file:
                file.writelines(lines)
            if kind == "time" and record == waiting:
                continue
            done = copy.run("build", "--json", status=1)
            found = json.loads(done.stdout)
            assert [row["record"] for row in found["unread"]] == [record] and record in done.stderr, (kind, done.stderr)
            assert found["recordCount"] == len(bench.orders) - 1
            assert record in copy.run("find", status=1).stderr
            assert record not in copy.run("find", "--stale", "--limit", "10000").stdout
            count += 1
    return f"{count} statements"


def erasure_damaged(bench: Bench) -> str:
    """Where what says that a record was erased is damaged, nobody is told to restore the key, and nothing of the record stays."""
    copy = Copy(bench)
    count = 0
    for place in ("bag", "waiting"):
        for kind in ("changed", "missing", "other", "itself", "cut"):
            for action in some("update", "erase", "build"):
                copy.again()
                old = set(os.listdir("B/incoming/data"))
                bench.evidence("erase", "B", "--record", copy.record)
                name, = set(os.listdir("B/incoming/data")) - old
                path = f"B/incoming/data/{name}/statement"
                if place == "bag":
                    bench.evidence("close", "B", "--signer", "signer.key", "--certificate", "signer.pem")
                    path = f"B/bags/{len(os.listdir('B/bags')):09}/data/{name}/statement"
                shutil.copy(path, "kept")
                with open(path, encoding="ascii") as file:
                    text = file.read()
                if kind == "missing":
                    os.remove(path)
                else:
                    # Besides what nobody can read: statements that break a rule, as one changed character makes them.
                    with open(path, "w", encoding="ascii") as file:
                        file.write({"changed": text + "x\n", "other": text.replace(copy.record, "0" * 32),
                                    "itself": text.replace(copy.record, name), "cut": text[:text.index("erases")]}[kind])
                done = copy.find("--stale", status=1)
                assert name in done.stderr and "do not restore its key" in done.stderr and "restore the key" not in done.stderr, done.stderr
                done = copy.run(action, "--json", status=1)
                unread = {row["record"] for row in json.loads(done.stdout)["unread"]}
                assert unread == {copy.record} | ({name} if action != "erase" else set()), (unread, done.stderr)
                assert name in done.stderr and "restore the key" not in done.stderr, done.stderr
                assert copy.record not in copy.run("find", "--stale", "--limit", "10000").stdout
                assert bytes.fromhex(copy.record) not in {row[0] for row in index_file.read("J").execute("SELECT id FROM record")}
                assert copy.run("update", "--json", status=1).stdout.count(copy.record) == 1
                # Either cure.
                if count % 2:
                    bench.evidence("erase", "B", "--record", copy.record, "--reason", "asked")
                    copy.unread("update", name)
                if count % 2 and place == "waiting":
                    shutil.rmtree(os.path.dirname(path))
                else:
                    shutil.copy("kept", path)
                copy.run("update")
                with open("J", "rb") as file:
                    assert bytes.fromhex(copy.record) not in file.read()
                count += 1
    # One in a bag whose manifest lists it, which somebody closed without the signing key.
    for kind in ("other", "itself", "cut"):
        for action in some("update", "build"):
            copy.again()
            old = set(os.listdir("B/incoming/data"))
            bench.evidence("erase", "B", "--record", copy.record)
            name, = set(os.listdir("B/incoming/data")) - old
            bench.evidence("close", "B", "--signer", "signer.key", "--certificate", "signer.pem")
            bag = f"B/bags/{len(os.listdir('B/bags')):09}"
            text, manifest, tags = (read(f"{bag}/{file}") for file in (f"data/{name}/statement", "manifest-sha256.txt", "tagmanifest-sha256.txt"))
            broken = {"other": text.replace(copy.record, "0" * 32), "itself": text.replace(copy.record, name),
                      "cut": text[:text.index("erases")]}[kind]
            digests = [hashlib.sha256(value.encode()).hexdigest() for value in (text, broken)]
            assert digests[0] in manifest
            changed = manifest.replace(*digests)
            tags = tags.replace(*(hashlib.sha256(value.encode()).hexdigest() for value in (manifest, changed)))
            for path, value in ((f"data/{name}/statement", broken), ("manifest-sha256.txt", changed), ("tagmanifest-sha256.txt", tags)):
                with open(f"{bag}/{path}", "w", encoding="ascii") as file:
                    file.write(value)
            # Nobody signed the bag: the index is refused, and nobody is told to restore the key.
            said = copy.run(action, status=1).stderr
            assert said and "restore the key" not in said, (kind, said)
            count += 1
    # An erasure that somebody added a file to still says what it says; it is damaged all the same.
    for place in ("bag", "waiting"):
        copy.again()
        old = set(os.listdir("B/incoming/data"))
        bench.evidence("erase", "B", "--record", copy.record)
        name, = set(os.listdir("B/incoming/data")) - old
        folder = f"B/incoming/data/{name}"
        if place == "bag":
            bench.evidence("close", "B", "--signer", "signer.key", "--certificate", "signer.pem")
            folder = f"B/bags/{len(os.listdir('B/bags')):09}/data/{name}"
        with open(f"{folder}/more", "w", encoding="ascii"):
            pass
        for action in ("update", "erase", "build"):
            copy.unread(action, name)
            with open("J", "rb") as file:
                assert bytes.fromhex(copy.record) not in file.read()
        if place == "bag":
            os.remove(f"{folder}/more")
        else:
            # What the hint says to do with it: nobody is told to restore the key.
            assert "erase the record that it names once more" in copy.unread("update", name)
            shutil.rmtree(folder)
            bench.evidence("erase", "B", "--record", copy.record, "--reason", "asked")
            copy.run("build")
            bench.evidence("close", "B", "--signer", "signer.key", "--certificate", "signer.pem")
        copy.run("update")
    return f"{count} times"


def by_the_rules(bench: Bench) -> str:
    """A waiting record that breaks a rule of ARCHIVE §1.2 is named, as `archive verify` names it."""
    copy = Copy(bench)
    waiting = next(name for name in sorted(os.listdir("A/incoming/data")) if name in bench.orders)
    statements = (f"erases {'0' * 32}", f"erases {'1' * 32}", f"exports {waiting}", f"exports {'1' * 32}",
                  f"rotates {copy.key.split('/')[2]}")
    for statement in statements:
        copy.again()
        name = copy.plant(statement)
        assert name in bench.evidence("verify", "B", "--require", "content", status=1)
        for action in ("build", "update"):
            copy.unread(action, name)
        shutil.rmtree(f"B/incoming/data/{name}")
        copy.run("update")
    return f"{len(statements)} statements"


def moved_out(bench: Bench) -> str:
    """What the hint says to do with a damaged record that waits leads to an archive that can be closed."""
    copy = Copy(bench)
    waiting = next(name for name in sorted(os.listdir("A/incoming/data")) if name in bench.orders)
    folder = f"B/incoming/data/{waiting}"
    kinds = ("part", "report", "size", "more", "statement", "letter")
    for kind in kinds:
        copy.again()
        if kind == "part":
            os.remove(f"{folder}/result.json.sealed")
        elif kind == "report":
            os.remove(f"{folder}/report.json.sealed")
        elif kind == "size":
            os.truncate(f"{folder}/report.json.sealed", 50)
        elif kind == "more":
            with open(f"{folder}/more", "w", encoding="ascii"):
                pass
        elif kind == "statement":
            os.remove(f"{folder}/statement")
        else:
            shutil.copy("letter", f"{folder}/statement")
        said = copy.unread("build", waiting)
        assert "move the folder of each damaged record" in said and "archive erase" not in said, (kind, said)
        shutil.copy("I", "J2")
        shutil.rmtree(folder)
        key = next(path for name in os.listdir("B/keys") if os.path.exists(path := f"B/keys/{name}/{waiting[:2]}/{waiting}"))
        os.remove(key)
        copy.run("update")
        assert waiting not in copy.run("find", "--limit", "10000").stdout
        # An index that has it from before the damage.
        for action, words, status in (("update", (), 1), ("build", (), 1), ("build", ("--force",), 0)):
            done = bench.run(action, "B", "--index", "J2", "--key", "archive.key", *words, status=status)
            assert status == 0 or "moved it out of the archive" in done.stderr and "--force" in done.stderr, done.stderr
        bench.evidence("close", "B", "--signer", "signer.key", "--certificate", "signer.pem")
        bench.evidence("verify", "B", "--require", "content")
        copy.run("update")
        os.remove("J2")
    return f"{len(kinds)} kinds"


def changed_meanwhile(bench: Bench) -> str:
    """What an action read of the index is what it writes from; if the file is another by then, it stays as it is."""
    bench.append("canary1")
    shutil.copy("I", "kept")
    database = index_file.read("I")
    database.executescript("DELETE FROM record")
    database.commit()
    index_file.write(database, "C")
    for kind in ("renamed", "written", "removed"):
        shutil.copy("kept", "I")
        os.chmod("I", 0o600)
        with open("trace", "w", encoding="utf-8"):
            pass
        process = subprocess.Popen(
            ["strace", "-f", "-o", "trace", "-e", "trace=fchmod", "-e", "inject=fchmod:delay_exit=1500000:when=1", bench.command, "index", "update",
             "A", "--index", "I", "--key", "archive.key"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        is_stopped = False
        while process.poll() is None and not is_stopped:
            time.sleep(0.005)
            with open("trace", encoding="utf-8") as file:
                is_stopped = "DELAYED" in file.read()
        assert is_stopped
        if kind == "renamed":
            shutil.copy("C", "C2")
            os.rename("C2", "I")
        elif kind == "written":
            shutil.copy("C", "I")
        else:
            os.remove("I")
        error = process.communicate(timeout=60)[1]
        assert process.returncode == 3 and "another process changed the index meanwhile" in error, (kind, error)
        if kind == "removed":
            assert not os.path.exists("I")
        else:
            with open("C", "rb") as old, open("I", "rb") as new:
                assert old.read() == new.read(), kind
        assert [name for name in os.listdir(".") if name.startswith(".evidence-")] == []
    os.rename("kept", "I")
    os.remove("C")
    bench.index("update")
    bench.hold()
    return "3 changes"


def damaged(bench: Bench) -> str:
    """A damaged record is named, and is no reason to have none of the others; restored or erased, it is forgotten."""
    copy = Copy(bench)
    folder = os.path.dirname(copy.statement)
    for path in (copy.statement, f"{folder}/report.json.sealed", copy.key):
        for cure in ("restore", "erase"):
            copy.again()
            shutil.copy(path, "kept")
            with open(path, "r+b") as file:
                if path == copy.statement:
                    file.seek(0, os.SEEK_END)
                else:
                    file.seek(100)
                file.write(b"x\n")
            others = len(bench.orders) - 1
            done = copy.run("build", "--json", status=1)
            assert json.loads(done.stdout)["recordCount"] == others and copy.record in done.stderr, (path, done.stderr)
            unread = json.loads(done.stdout)["unread"]
            assert [row["record"] for row in unread] == [copy.record] and unread[0]["bag"] == 1, unread
            assert "bags/000000001" in done.stderr and "private key" not in done.stderr, (path, done.stderr)
            assert copy.record in copy.find(status=1).stderr
            assert len(copy.run("find", "--stale", "--limit", "10000").stdout.splitlines()) == others
            assert copy.record in copy.run("update", status=1).stderr
            done = copy.run("erase", "--json", status=1)
            assert json.loads(done.stdout)["unread"] == unread and copy.record in done.stderr
            if cure == "restore":
                shutil.copy("kept", path)
            else:
                bench.evidence("erase", "B", "--record", copy.record, "--reason", "asked")
            copy.run("update")
            assert (copy.record in copy.find().stdout) == (cure == "restore")
            copy.run("build")
    # A part that is missing, or no file; a key in the folder of another archive key.
    for kind in ("nothing", "another", "folder", "link", "pipe", "key"):
        copy.again()
        part = f"{folder}/{'result' if kind == 'another' else 'report'}.json.sealed"
        if kind == "key":
            os.makedirs(other := f"B/keys/{'b' * 64}/{copy.record[:2]}")
            os.rename(copy.key, f"{other}/{copy.record}")
        else:
            os.rename(part, "kept")
        if kind == "folder":
            os.mkdir(part)
        elif kind == "link":
            os.symlink("../../../../../kept", part)
        elif kind == "pipe":
            os.mkfifo(part)
        done = copy.run("build", "--json", status=1)
        assert json.loads(done.stdout)["recordCount"] == len(bench.orders) - 1
        assert [(row["record"], row["bag"]) for row in json.loads(done.stdout)["unread"]] == [(copy.record, 1)]
        what = f"keys/{'b' * 64}" if kind == "key" else f"{os.path.basename(part)} is "
        assert f"not in the index: bags/000000001/data/{copy.record}" in done.stderr and what in done.stderr, done.stderr
        if kind == "key":
            found = bench.evidence("verify", "B", "--require", "content", status=1)
            assert f"{what}/{copy.record[:2]}/{copy.record} is in the folder of another archive key" in found, found
        bench.evidence("erase", "B", "--record", copy.record)
        copy.run("update")
    # A record's folder that is missing, of which the index knows that it was damaged.
    copy.again()
    with open(copy.statement, "ab") as file:
        file.write(b"x")
    copy.run("build", status=1)
    shutil.rmtree(folder)
    for action in ("update", "erase"):
        assert copy.record in copy.run(action, status=1).stderr
    assert f"the archive has no bags/000000001/data/{copy.record}" in copy.run("update", status=1).stderr
    # A waiting record of a kind that nobody can read, and has no key.
    copy.again()
    name = copy.plant("erases nothing")
    assert name in copy.run("update", status=1).stderr
    shutil.rmtree(f"B/incoming/data/{name}")
    copy.run("update")
    assert copy.record in copy.find().stdout
    # The index itself.
    for size in (0, 20, 60, 5_000):
        copy.again()
        os.truncate("J", size)
        copy.find(status=1)
        done = copy.run("build", status=1)
        assert "(not-an-index)" in done.stderr and "--force" in done.stderr and os.path.getsize("J") == size
        copy.run("build", "--force")
        assert copy.record in copy.find().stdout
    # That of another archive is not replaced, and nothing but a file ever is.
    copy.again()
    shutil.rmtree("B")
    bench.evidence("init", "B", "--origin", "example.com/other", "--public", "archive.pub", "--signer", "signer.pem")
    copy.refuse("build", naming=("another archive", "look at the path"))
    os.mkfifo("pipe")
    bench.run("build", "A", "--index", "pipe", "--force", "--key", "archive.key", status=3)
    os.remove("pipe")
    # Nor is a file that never was an index, a database or not.
    with open("database", "wb") as file:
        file.write(b"SQLite format 3\0" + bytes(5_000))
    for name in ("archive.pub", "database"):
        with open(name, "rb") as file:
            content = file.read()
        for force, status in ((("--force",), 2), ((), 1)):
            done = bench.run("build", "A", "--index", name, *force, "--key", "archive.key", status=status)
            with open(name, "rb") as file:
                assert "neither begins nor ends as one does" in done.stderr and file.read() == content, done.stderr
            assert "--force" not in done.stderr, done.stderr
    os.remove("database")
    # One whose first byte was changed is.
    copy.again()
    with open("J", "r+b") as file:
        file.write(b"s")
    copy.run("build", "--force")
    return "3 kinds of damage"


def at_each_moment(bench: Bench, action: str, path: str, calls: str, number: int, change) -> bool:
    """Stops an action of the index after one of its calls about a path, and changes the archive; whether it came to that."""
    with open("trace", "w", encoding="utf-8"):
        pass
    process = subprocess.Popen(
        ["strace", "-f", "-o", "trace", "-P", path, "-e", f"trace={calls}", "-e", f"inject={calls}:delay_exit=500000:when={number}",
         bench.command, "index", action, "A", "--index", "I", "--key", "archive.key"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    is_stopped = False
    while process.poll() is None and not is_stopped:
        time.sleep(0.005)
        with open("trace", encoding="utf-8") as file:
            is_stopped = "DELAYED" in file.read()
    change()
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 0, (number, error)
    return is_stopped


def at_all_moments(bench: Bench, action: str, calls: str, prepare) -> str:
    """An action stopped after its first call, then its second, and so on. `prepare` makes records, and returns the path that the
    calls are about, what changes the archive then, and what must hold after it."""
    moments = range(1, 100, STRIDE)
    for count, number in enumerate(moments):
        path, change, hold = prepare()
        if not at_each_moment(bench, action, path, calls, number, change):
            break
        hold()
        bench.index("update")
        bench.hold()
    assert number > 5, number
    bench.index("update")
    return f"{count} moments"


def while_closed(bench: Bench) -> str:
    """An update during which a bag is closed: nothing that waited is missing, and what has no key is not asked for one."""
    def prepare():
        bench.append("canary1")
        bench.erase(bench.append("canary2"))
        return "A/incoming/data", bench.close, lambda: None
    return at_all_moments(bench, "update", "getdents64", prepare)


def while_erased(bench: Bench) -> str:
    """A build during which a record is erased: whatever it sees of the key, it succeeds."""
    def prepare():
        record = bench.append("canary2")
        path = next(path for name in os.listdir("A/keys") if os.path.exists(path := f"A/keys/{name}/{record[:2]}"))

        def hold() -> None:
            assert record not in bench.found("--stale")
        return path, lambda: bench.erase(record), hold
    return at_all_moments(bench, "build", "newfstatat,openat", prepare)


def two_writers(bench: Bench) -> str:
    """A writer removes what a killed one left, but not what another, of another index in the same folder, is about to name."""
    shutil.copy("I", "J")
    shutil.copy("I", ".evidence-left")
    build = subprocess.Popen(
        ["strace", "-f", "-o", "trace", "-e", "trace=linkat", "-e", "inject=linkat:delay_exit=1000000", bench.command, "index", "build", "A",
         "--index", "J", "--key", "archive.key"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    while build.poll() is None and not [name for name in os.listdir(".") if name.startswith(".evidence-") and name != ".evidence-left"]:
        time.sleep(0.005)
    assert build.poll() is None
    for action in ("update", "erase", "build"):
        shutil.copy("I", ".evidence-left")
        bench.index(action)
        assert not os.path.exists(".evidence-left") or action == "build"
    error = build.communicate(timeout=60)[1]
    assert build.returncode == 0, error
    assert [name for name in os.listdir(".") if name.startswith(".evidence-")] == []
    os.remove("J")
    # Two first builds: the second names no cure that would take away what the first one has made. The trace is its own,
    # since the last one has the same call in it.
    os.remove("trace")
    build = subprocess.Popen(
        ["strace", "-f", "-o", "trace", "-e", "trace=linkat", "-e", "inject=linkat:delay_enter=3000000", bench.command, "index", "build", "A",
         "--index", "J", "--key", "archive.key"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    while build.poll() is None and (not os.path.exists("trace") or "linkat" not in read("trace")):
        time.sleep(0.005)
    bench.run("build", "A", "--index", "J", "--key", "archive.key")
    first = os.stat("J").st_ino
    error = build.communicate(timeout=60)[1]
    assert build.returncode == 3 and "another process" in error and "--force" not in error, (build.returncode, error)
    assert os.stat("J").st_ino == first
    os.remove("J")
    return "each its own"


def inputs(bench: Bench) -> str:
    """The key that is read is not replaced by the index, under none of its names."""
    with open("secret", "w", encoding="ascii") as file:
        file.write("secret\n")
    openssl("pkey", "-in", "archive.key", "-aes256", "-passout", "file:secret", "-out", "locked.key")
    os.link("locked.key", "hard")
    os.symlink("secret", "soft")
    for name in ("locked.key", "./locked.key", "hard", "secret", "soft"):
        done = bench.run("build", "A", "--index", name, "--key", "locked.key", "--passphrase-file", "secret", "--force", status=2)
        assert "it was left unchanged" in done.stderr, done.stderr
    bench.run("build", "A", "--index", "I", "--key", "locked.key", "--passphrase-file", "secret", "--force")
    done = bench.run("build", "A", "--index", "I", "--key", f"pkcs11:object={'k' * 300}?pin-value=canary", status=2)
    assert "PIN" in done.stderr and "I" in os.listdir("."), done.stderr
    for name in ("locked.key", "hard", "secret", "soft"):
        os.remove(name)
    return "5 names"


def confined(bench: Bench) -> str:
    """An index in the archive, and one that others can read."""
    copy = Copy(bench)
    shutil.copy("J", "B/J")
    os.symlink("B/J", "kept")
    for name in ("B/J", "kept"):
        for action in ("build", "update", "erase", "find"):
            key = () if action in ("erase", "find") else ("--key", "archive.key")
            assert "inside an archive" in bench.run(action, "B", "--index", name, *key, status=2).stderr
    for action in ("update", "erase", "build"):
        os.chmod("J", 0o666)
        os.remove("B/J") if os.path.exists("B/J") else None
        copy.run(action)
        assert os.stat("J").st_mode & 0o7777 == 0o600, action
    if os.getuid() != 0:
        return "not root: folders that cannot be listed were not tried"
    # Folders above that nobody may list, as /home often is.
    os.makedirs("above/own")
    for name in ("B", "archive.key"):
        os.rename(name, f"above/own/{name}") if name == "B" else shutil.copy(name, f"above/own/{name}")
    shutil.copy(bench.command, "above/own/command")
    for folder, _, names in os.walk("above/own"):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            os.chown(path, 65534, 65534)
    os.chmod(".", 0o711)
    os.chmod("above", 0o711)
    done = subprocess.run(["./command", "index", "build", "B", "--index", "J", "--key", "archive.key"], cwd="above/own", capture_output=True,
                          user=65534, group=65534, extra_groups=[], text=True)
    assert done.returncode == 0, done.stderr
    shutil.rmtree("above")
    return "outside, and its owner's alone"


def protected(bench: Bench) -> str:
    """A process that has the archive's private key shows its memory to nobody, and a signal leaves no file of it."""
    words = ["index", "build", "A", "--index", "I", "--key", "archive.key"]
    done = subprocess.run(["strace", "-f", "-e", "trace=prctl,prlimit64", "-o", "trace", bench.command, *words], capture_output=True)
    assert done.returncode == 0, done.stderr
    with open("trace", encoding="utf-8") as file:
        trace = file.read()
    assert "PR_SET_DUMPABLE, 0" in trace.replace("SUID_DUMP_DISABLE", "0") and "RLIMIT_CORE" in trace, trace
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "trace=linkat", "-e", "inject=linkat:signal=SEGV:when=1", bench.command,
                           *words], capture_output=True)
    assert done.returncode in (-signal.SIGSEGV, 128 + signal.SIGSEGV) and done.stderr == b"", (done.returncode, done.stderr)
    for name in [name for name in os.listdir(".") if name.startswith(".evidence-")]:
        os.remove(name)
    count = 0
    for call in ("linkat", "renameat,renameat2,rename", "fsync"):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            process = subprocess.Popen(["strace", "-D", "-f", "-o", "trace", "-e", f"trace={call}", "-e",
                                        f"inject={call}:delay_enter=400000", bench.command, *words], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            for _ in range(500):
                time.sleep(0.01)
                with open("trace", encoding="utf-8") as file:
                    if "delay" in (text := file.read()).lower() or call.split(",")[0] in text:
                        break
            process.send_signal(number)
            status = process.wait(60)
            assert status == -number, (call, number, status)
            assert [name for name in os.listdir(".") if name.startswith(".evidence-")] == [], (call, number)
            bench.index("find")
            count += 1
    return f"{count} signals"


def rotated(bench: Bench) -> str:
    """After a rotation the cure is said, and works; the old index's key is of no use to the new one."""
    bench.index("update")
    copy = Copy(bench)
    subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "trace=renameat,renameat2,rename", "-e",
                    "inject=renameat,renameat2,rename:signal=SIGKILL:when=5", bench.command, "rotate", "B", "--key", "archive.key",
                    "--public", "new.pub"], capture_output=True, stdin=subprocess.DEVNULL)
    assert len([name for name in os.listdir("B/keys") if name != "current.pem"]) == 2
    copy.refuse("update", "build", naming=("a rotation of the archive's key was interrupted",), status=2)
    bench.evidence("rotate", "A", "--key", "archive.key", "--public", "new.pub")
    done = bench.run("update", "A", "--index", "I", "--key", "new.key", status=2)
    assert "build the index again" in done.stderr
    done = bench.run("find", "A", "--index", "I", status=1)
    assert "build the index again" in done.stderr and "update the index" not in done.stderr, done.stderr
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
    assert "the newest are missing" in done.stderr and "--force" in done.stderr, done.stderr
    bench.run("build", "B", "--index", "N", "--key", "archive.key", status=1)
    shutil.rmtree("B")
    return "by its newest bag"


def main() -> None:
    command, assembler = (os.path.abspath(path) for path in sys.argv[1:3])
    # In memory, where there is such a folder: what is tested here is not the disk.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        bench = Bench(command, assembler, folder)
        for check in (life, erased, pages, schemas, crafted, refusals, no_other_file, killed, while_closed, while_erased, two_writers,
                      inputs, planted, missing, contradicting,
                      erasure_damaged, by_the_rules, moved_out, changed_meanwhile, damaged, confined, protected, replaced, rotated):
            begun = time.monotonic()
            what = check(bench)
            print(f"{check.__name__.replace('_', ' ')}: {what} ({time.monotonic() - begun:.1f} s)", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
