#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/BATCH.md promises of `evidence-tool batch`, driven as an engine drives it.

`check-batch.py TOOL [--long]` needs the Python package jsonschema and strace. --long is for scripts/soak: a million lines, a
reader that stops for longer, more kills and more races.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from jsonschema import Draft202012Validator

import schemas

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
KEYS = os.path.join(ROOT, "TestVectors", "keys")
KEY, PUBLIC = os.path.join(KEYS, "rsa3072.pem"), os.path.join(KEYS, "rsa3072.public.pem")
OTHER, OTHER_PUBLIC = os.path.join(KEYS, "rsa2048.pem"), os.path.join(KEYS, "rsa2048.public.pem")
TICKET = "XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS"
PATIENCE = 60


class Batch:
    def __init__(self, tool: str, folder: str, long: bool) -> None:
        self.tool, self.folder, self.long = tool, folder, long
        self.root = os.path.join(folder, "root")
        os.mkdir(self.root)
        Draft202012Validator.check_schema(schemas.load("evidence-batch-1"))
        schema = schemas.closed(schemas.load("evidence-batch-1"))
        self.schemas = {
            name: Draft202012Validator({**schema, "$ref": f"#/$defs/{name}", "properties": {}, "required": [],
                                        "additionalProperties": True})
            for name in schema["$defs"]
        }
        self.start = Draft202012Validator(schema)
        self.video = random.Random(1).randbytes(20_000)
        self.write("video", self.video)
        with open(os.path.join(folder, "ticket"), "w", encoding="ascii") as file:
            file.write(TICKET + "\n")
        for number in range(4):
            self.tool_run("encrypt", "--public", PUBLIC, "--order-no", f"ord{number}", "-o", self.path(f"p{number}.json"),
                          self.path("video"))

    def path(self, name: str) -> str:
        return os.path.join(self.root, name)

    def write(self, name: str, data: bytes) -> None:
        with open(self.path(name), "wb") as file:
            file.write(data)

    def read(self, name: str) -> bytes:
        with open(self.path(name), "rb") as file:
            return file.read()

    def tool_run(self, *words: str) -> bytes:
        return subprocess.run([self.tool, *words], check=True, capture_output=True).stdout

    def words(self, operation: str, *more: str) -> list[str]:
        options = {
            "open": ["--key", KEY, "--root", self.root], "check": ["--key", KEY, "--root", self.root],
            "verify": ["--recipe", "front-end-result", "--ticket-file", os.path.join(self.folder, "ticket")],
            "inspect": ["--root", self.root], "rewrap": ["--key", KEY, "--public", OTHER_PUBLIC, "--root", self.root],
        }[operation]
        return [self.tool, "batch", operation, *options, *more]

    def run(self, operation: str, lines: list, *more: str, status: int = 0, before: tuple[str, ...] = ()) -> list[dict]:
        """Answers to lines; each answer and each request that is an object is held against its schema."""
        raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        done = subprocess.run([*before, *self.words(operation, *more)], input=b"".join(line + b"\n" for line in raw),
                              capture_output=True, timeout=600)
        assert done.returncode == status, (operation, more, done.returncode, done.stderr.decode()[-2000:])
        self.errors = done.stderr.decode()
        answers = self.answers(operation, done.stdout)
        for line, answer in zip(lines, answers):
            if isinstance(line, dict):
                faults = [fault.message for fault in self.schemas[f"request-{operation}"].iter_errors(line)]
                assert not (faults and answer["class"] != "request"), (line, faults, answer)
        return answers

    def answers(self, operation: str, output: bytes) -> list[dict]:
        assert output == b"" or output.endswith(b"\n")
        answers = [json.loads(line) for line in output.split(b"\n")[:-1]]
        for answer in answers:
            faults = [fault.message for fault in self.schemas[f"answer-{operation}"].iter_errors(answer)]
            assert not faults, (answer, faults)
        return answers

    def notes(self) -> list[dict]:
        notes = [json.loads(line) for line in self.errors.splitlines() if line.startswith("{")]
        faults = list(self.start.iter_errors(notes[0])) + [
            fault for note in notes[1:] for fault in self.schemas["end"].iter_errors(note)]
        assert not faults, (notes, faults)
        return notes

    def begin(self, operation: str, *more: str, **pipes) -> subprocess.Popen:
        arguments = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **pipes}
        return subprocess.Popen(self.words(operation, *more), **arguments)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def sign(bench: Batch, order: str) -> str:
    return bench.tool_run("sign", "front-end-result", "--ticket-file", os.path.join(bench.folder, "ticket"), "appId=IDAXXXXX",
                          f"orderNo={order}", "code=0").decode().strip()


def answer_line(process: subprocess.Popen) -> bytes:
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    assert ready, "no answer: it waits for more input"
    return process.stdout.readline()


# The rules of docs/BATCH.md, one function each.


def operations(bench: Batch) -> None:
    """Each operation does what its verb does."""
    answers = bench.run("open", [{"id": "a", "in": "p0.json", "out": "a.mp4"},
                                 {"id": "b", "in": "p1.json", "out": "b.mp4", "order": "ord2"},
                                 {"id": "c", "inline": base64.b64encode(bench.read("p2.json")).decode(), "out": "c.mp4"}])
    assert [answer["ok"] for answer in answers] == [True, False, True] and answers[1]["error"] == "other-order", answers
    assert bench.read("a.mp4") == bench.video == bench.read("c.mp4") and not os.path.exists(bench.path("b.mp4"))
    assert answers[0]["sha256"] == digest(bench.video) and answers[0]["bytes"] == len(bench.video)
    assert [note["batch"] for note in bench.notes()] == ["start", "end"]
    assert bench.notes()[1]["lines"] == 3 and bench.notes()[1]["errors"] == {"other-order": 1}
    answers = bench.run("rewrap", [{"in": "p0.json", "out": "r.json", "order": "ord0"}, {"in": "p0.json", "out": "s.json", "order": "x"},
                                   {"in": "p0.json", "out": "s.json"}])
    assert [answer["class"] for answer in answers] == ["ok", "rejected", "request"] and not os.path.exists(bench.path("s.json"))
    assert bench.tool_run("decrypt", "--key", OTHER, bench.path("r.json")) == bench.video
    right = sign(bench, "ord0")
    values = {"appId": "IDAXXXXX", "orderNo": "ord0", "code": "0"}
    answers = bench.run("verify", [{"sign": right, "values": values}, {"sign": right, "values": {**values, "orderNo": "ord1"}},
                                   {"sign": right}, {"sign": right, "values": {**values, "x": "y"}}, {"values": values}])
    assert [answer["class"] for answer in answers] == ["ok", "rejected", "request", "request", "request"]
    # Values that cannot be signed accuse no sign, and neither does a ticket that nothing of the recipe is signed with.
    assert [answer.get("error") for answer in answers[2:4]] == ["bad-value", "unknown-parameter"], answers
    words = [bench.tool, "batch", "verify", "--recipe", "front-end-result", "--ticket-file", "NONCE:" + os.path.join(bench.folder, "ticket")]
    assert subprocess.run(words, input=b"{}", capture_output=True).returncode == 2
    result = {"isSuccess": True, "orderNo": "ord3", "sign": sign(bench, "ord3"), "liveRate": "99", "similarity": "90",
              "simpleModeResult": json.loads(bench.read("p3.json"))}
    bench.write("result.json", json.dumps(result).encode())
    more = ["--ticket-file", os.path.join(bench.folder, "ticket"), "--app-id", "IDAXXXXX"]
    for order, verdict in (("ord3", "holds"), ("ord2", "fails")):
        [answer] = bench.run("check", [{"id": 1, "in": "result.json", "order": order}], *more, "--with-report")
        alone = subprocess.run([bench.tool, "check", "--key", KEY, *more, "--order-no", order, "--json", bench.path("result.json")],
                               capture_output=True)
        report = json.loads(alone.stdout)
        assert answer["verdict"] == verdict == report["verdict"], (answer, report)
        for clock in ("checkedAt", "asOf"):
            del answer["report"][clock], report[clock]
        assert answer["report"] == report, "the verb's own report"
    [answer] = bench.run("check", [{"id": 1, "in": "result.json", "order": "ord3"}])
    assert answer["class"] == "unchecked" and answer["unmet"] == ["sign"]
    # A user whom no statement can name says nothing about the result.
    answers = bench.run("check", [{"in": "result.json", "order": "ord3", "user": user} for user in ("", "x" * 1025, "x")] +
                        [{"in": "result.json", "order": ""}], "--compare-key", KEY)
    assert [(answer["class"], answer.get("member")) for answer in answers] == [
        ("request", "user"), ("request", "user"), ("rejected", None), ("request", "order")], answers
    [answer] = bench.run("inspect", [{"in": "result.json"}])
    assert answer["inspection"] == json.loads(bench.tool_run("inspect", "--json", bench.path("result.json")))
    bench.run("inspect", [{"in": "result.json"}, b"x"], "--strict", status=1)


def hostile_lines(bench: Batch) -> None:
    """B1: as many answers as lines, in order, ids as they were written."""
    generator = random.Random(2)
    count = 1_000_000 if bench.long else 3_000
    good = base64.b64encode(b'{"orderNo":"ord1","isSuccess":false}').decode()
    kinds = [
        lambda i: b'{"id":%d,"inline":"%s"}' % (i, good.encode()), lambda i: b"", lambda i: b"\r", lambda i: b'{"id":%d' % i,
        lambda i: b'{"id":1%s,"in":"../x"}' % (b"0" * generator.randrange(200)), lambda i: b'{"id":"\\ud83d\\ude00\\u0000","in":"\\u0000"}',
        lambda i: generator.randbytes(generator.randrange(80)).replace(b"\n", b""), lambda i: b'{"id":%d,"id":%d}' % (i, i),
        lambda i: b"[" * 200, lambda i: b'"' + b"x" * generator.randrange(9000) + b'"', lambda i: b'{"id":"%d","x":1}' % i,
        lambda i: b'{"id":{"a":[1]},"in":"result.json"}', lambda i: b"\xef\xbb\xbf{}", lambda i: b'{"id":%d,"in":"result.json","order":7}' % i,
    ]
    lines = [generator.choice(kinds)(i) for i in range(count)]
    for jobs in ("1", "3"):
        done = subprocess.run(bench.words("inspect", "--max-line", "8192", "--jobs", jobs), input=b"\n".join(lines) + b"\n",
                              capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        if jobs == "1":
            first = done.stdout
        assert done.stdout == first, "jobs make no difference"
    answers = first.split(b"\n")[:-1]
    assert len(answers) == len(lines)
    for number, (line, answer) in enumerate(zip(lines, answers), 1):
        if answer.startswith(b'{"id":null,"line":'):
            assert answer.startswith(b'{"id":null,"line":%d,"ok":' % number), answer
        else:
            written = answer[len(b'{"id":'):answer.index(b',"ok":')]
            assert b'"id":' + written in line, (line, answer)
    bench.answers("inspect", first if not bench.long else b"".join(line + b"\n" for line in answers[:10_000]))
    # What is well-formed has its id back, where there is one alone and it stands before what is too much.
    deep = b"[" * 70 + b"]" * 70
    answers = bench.run("inspect", [
        b'{"id":7,"x":' + deep + b"}", b'{"x":' + deep + b',"id":7}', b'{"id":1,"id":1}', b'{"id":1,"order":"a","order":"a"}',
        b'{"id":[1]}', b"5", b"-3", b'"5"', b"true", b"null", b"[]"])
    assert [(answer["id"], answer["error"], answer.get("member")) for answer in answers] == [
        (7, "not-a-request", None), (None, "not-a-request", None), (None, "bad-member", "id"), (1, "bad-member", "order"),
        (None, "bad-member", "id")] + 6 * [(None, "not-a-request", None)], answers
    answers = bench.run("inspect", [b'{"id":"%s"}' % (b"x" * 4096), b'{"id":"%s"}' % (b"x" * 4097), b'{"id":%s}' % (b"1" * 4096)])
    assert [answer.get("member") for answer in answers] == ["in", "id", "in"], answers
    # A number is a document, though not one of ours.
    answers = bench.run("inspect", [{"inline": base64.b64encode(text).decode()} for text in (b"7", b"-3", b"true", b"")])
    assert len({answer["message"] for answer in answers[:3]}) == 1 and "empty" in answers[3]["message"], answers
    # Lines of 1 MiB, one byte more, and a last one without its line feed.
    answers = bench.run("inspect", [b"x" * (1 << 20), b"x" * ((1 << 20) + 1), b"{}"])
    assert [answer["error"] for answer in answers] == ["not-a-request", "line-too-long", "bad-member"]
    done = subprocess.run(bench.words("inspect"), input=b'{"id":5}', capture_output=True)
    assert done.stdout.count(b"\n") == 1 and b'"id":5' in done.stdout


def ping_pong(bench: Batch) -> None:
    """B2: an answer comes before the next request does, and one of half a line waits for the rest."""
    process = bench.begin("inspect")
    times = []
    for number in range(200):
        begun = time.monotonic()
        process.stdin.write(b'{"id":%d,"in":"result.json"}' % number)
        process.stdin.flush()
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert json.loads(answer_line(process))["id"] == number
        times.append(time.monotonic() - begun)
    process.stdin.close()
    assert process.wait(PATIENCE) == 0
    print(f"    ping-pong: median {sorted(times)[100] * 1000:.2f} ms")


def killed(bench: Batch) -> None:
    """B3: killed at any line and started again, everything is there, whole and the same."""
    generator = random.Random(3)
    for _ in range(40 if bench.long else 4):
        for name in os.listdir(bench.root):
            if name.startswith("k"):
                os.remove(bench.path(name))
        lines = [{"id": i, "in": f"p{i % 4}.json", "out": f"k{i}.mp4"} for i in range(60)]
        process = bench.begin("open", "--jobs", generator.choice(["1", "2"]), stderr=subprocess.DEVNULL)
        threading.Thread(target=feed, args=(process, lines), daemon=True).start()
        for _ in range(generator.randrange(40)):
            answer_line(process)
        time.sleep(generator.random() / 100)
        process.kill()
        process.wait()
        # A file that replaces another has a temporary name for a moment, one file at a time.
        left = [name for name in os.listdir(bench.root) if name.startswith(".evidence-")]
        assert len(left) <= 1, left
        for name in os.listdir(bench.root):
            if name.startswith("k") or name in left:
                assert bench.read(name) == bench.video, "what has a name is whole"
        for name in left:
            os.remove(bench.path(name))
        answers = bench.run("open", lines)
        assert all(answer["sha256"] == digest(bench.video) and bench.read(f"k{answer['id']}.mp4") == bench.video for answer in answers)
    answers = bench.run("open", lines[:2] + [{"id": "x", "in": "p1.json", "out": "other"}], "--skip-existing")
    assert [answer["written"] for answer in answers] == [False, False, True]
    bench.write("other", b"something else")
    [answer] = bench.run("open", [{"in": "p1.json", "out": "other"}], "--skip-existing")
    assert answer["error"] == "exists" and bench.read("other") == b"something else"


def feed(process: subprocess.Popen, lines: list[dict]) -> None:
    try:
        for line in lines:
            process.stdin.write(json.dumps(line).encode() + b"\n")
            process.stdin.flush()
    except (BrokenPipeError, ValueError):
        pass


def reader_leaves(bench: Batch) -> None:
    """B4: quiet, with 3."""
    script = f"(i=0; while [ $i -lt 20000 ]; do echo '{{\"id\":'$i'}}'; i=$((i+1)); done) | " \
        f"({' '.join(bench.words('inspect'))} 2> {bench.folder}/errors; echo $? > {bench.folder}/status) | head -1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=PATIENCE)
    assert done.stdout.count(b"\n") == 1
    with open(f"{bench.folder}/status", encoding="ascii") as status, open(f"{bench.folder}/errors", encoding="utf-8") as errors:
        said = errors.read()
        assert status.read() == "3\n" and [json.loads(line)["batch"] for line in said.splitlines()] == ["start", "failed"], said


def reader_stops(bench: Batch) -> None:
    """B5: nothing is read that nobody takes; memory does not grow, whatever the lines."""
    process = bench.begin("inspect", "--jobs", "2", stderr=subprocess.DEVNULL)
    line = b'{"id":"%s","in":"none"}\n' % (b"x" * 4000)
    written = [0]

    def write() -> None:
        try:
            for number in range(300_000):
                process.stdin.write(line if number % 3 else b"y" * 3_000_000 + b"\n")
                written[0] += 1
        except (BrokenPipeError, ValueError):
            pass

    threading.Thread(target=write, daemon=True).start()
    for _ in range(300):
        process.stdout.readline()
    first = resident(process.pid)
    time.sleep(5 if bench.long else 1)
    before = written[0]
    time.sleep(5 if bench.long else 1)
    assert written[0] == before, "it reads on although nobody reads"
    for _ in range(3000):
        process.stdout.readline()
    last = resident(process.pid)
    process.kill()
    process.wait()
    print(f"    memory: {first >> 10} MiB, later {last >> 10} MiB")
    assert last < first + (24 << 10), (first, last)


def resident(pid: int) -> int:
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def race(bench: Batch) -> None:
    """B7: two workers on one output: it is always whole."""
    lines = [{"id": i, "in": "p0.json", "out": "race.mp4"} for i in range(400 if bench.long else 60)]
    bench.write("race.mp4", bench.video)
    over = threading.Event()
    torn = []

    def look() -> None:
        while not over.is_set():
            if bench.read("race.mp4") != bench.video:
                torn.append(1)

    looking = threading.Thread(target=look)
    looking.start()
    workers = [bench.begin("open", stderr=subprocess.DEVNULL) for _ in range(2)]
    feeders = [threading.Thread(target=lambda worker=worker: (feed(worker, lines), worker.stdin.close())) for worker in workers]
    for feeder in feeders:
        feeder.start()
    for worker in workers:
        answers = bench.answers("open", worker.stdout.read())
        assert worker.wait() == 0 and len(answers) == len(lines) and all(answer["ok"] for answer in answers)
    over.set()
    looking.join()
    assert not torn and bench.read("race.mp4") == bench.video
    assert not [name for name in os.listdir(bench.root) if name.startswith(".evidence")]


def terminated(bench: Batch) -> None:
    """SIGTERM: the record at hand is finished, its answer goes out, and the status is that of the signal."""
    for jobs in ("1", "2"):
        process = bench.begin("open", "--jobs", jobs)
        lines = [{"id": i, "in": "p0.json", "out": f"t{i}.mp4"} for i in range(5000)]
        threading.Thread(target=feed, args=(process, lines), daemon=True).start()
        output = answer_line(process)
        process.send_signal(signal.SIGTERM)
        output += process.stdout.read()
        assert process.wait(PATIENCE) == -signal.SIGTERM, "the shell's 143"
        answers = bench.answers("open", output)
        assert 1 <= len(answers) < 5000 and [answer["id"] for answer in answers] == list(range(len(answers)))
        made = {name for name in os.listdir(bench.root) if name.startswith("t")}
        if jobs == "1":
            assert made == {f"t{i}.mp4" for i in range(len(answers))}, "no record without its answer"
        for name in made:
            assert bench.read(name) == bench.video
            os.remove(bench.path(name))
        assert json.loads(process.stderr.read().splitlines()[-1])["batch"] == "terminated"
    # While it waits for input, and where it is told twice.
    process = bench.begin("inspect")
    process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == -signal.SIGTERM
    assert subprocess.run(["bash", "-c", f"{' '.join(bench.words('inspect'))} < <(sleep 3) & sleep 1; kill $!; wait $!"],
                          capture_output=True).returncode == 143


def system_fails(bench: Batch) -> None:
    """A disk, memory, randomness, a mount: 3, the answers before, and no record is called bad."""
    lines = [{"id": i, "in": f"p{i % 4}.json", "out": f"f{i}.mp4"} for i in range(6)]
    faults = [
        ("read", "EIO", ["-P", bench.path("p2.json")], "when=1+"), ("getrandom", "ENOSYS", [], "when=1+"),
        ("fsync", "EIO", [], "when=5+"), ("linkat", "EDQUOT", [], "when=3+"),
        ("openat2", "EMFILE", [], "when=8+"), ("openat2", "ENOMEM", [], "when=6+"), ("openat2", "ESTALE", [], "when=9+"),
        ("renameat", "EROFS", [], "when=4+"), ("openat2", "EIO", [], "when=7+"), ("linkat", "EEXIST", [], "when=2+"),
        ("openat2", "EAGAIN", [], "when=8+"),
    ]
    for call, error, more, when in faults:
        words = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", *more, "-e", f"inject={call}:error={error}:{when}"]
        done = subprocess.run([*words, *bench.words("open")], input="".join(json.dumps(line) + "\n" for line in lines).encode(),
                              capture_output=True)
        answers = bench.answers("open", done.stdout)
        assert all(answer["ok"] for answer in answers), (call, error, answers)
        if call == "getrandom" and done.returncode == 0:
            assert len(answers) == len(lines)  # OpenSSL found another source.
            continue
        assert done.returncode == 3 and len(answers) < len(lines), (call, error, done.returncode, done.stdout, done.stderr)
    # A file system that is full.
    small = os.path.join(bench.folder, "small")
    os.mkdir(small)
    if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", small], capture_output=True).returncode == 0:
        try:
            with open(os.path.join(small, "p.json"), "wb") as file:
                file.write(bench.read("p0.json"))
            words = [bench.tool, "batch", "open", "--key", KEY, "--root", small]
            done = subprocess.run(words, input=b"".join(b'{"in":"p.json","out":"o%d"}\n' % i for i in range(9)), capture_output=True)
            answers = bench.answers("open", done.stdout)
            assert done.returncode == 3 and 0 < len(answers) < 9 and all(answer["ok"] for answer in answers), done
        finally:
            subprocess.run(["umount", small], check=True)
    else:
        print("    (no tmpfs can be mounted here: the full disk is left out)")
    # The folder that has gone, or is not mounted.
    gone = os.path.join(bench.folder, "gone")
    os.mkdir(gone)
    with open(os.path.join(gone, ".mounted"), "w", encoding="ascii"), open(os.path.join(gone, "e.json"), "w", encoding="ascii") as file:
        file.write("{}")
    for change in (lambda: os.rename(gone, gone + "2"), lambda: os.remove(os.path.join(gone, ".mounted"))):
        process = subprocess.Popen([bench.tool, "batch", "inspect", "--root", gone, "--root-has", ".mounted"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(b'{"in":"none"}\n')
        process.stdin.flush()
        assert json.loads(answer_line(process))["class"] == "path"
        change()
        output, said = process.communicate(b'{"in":"none2"}\n')
        assert process.returncode == 3 and output == b"" and b"secret" not in said and (b".mounted" in said or b"gone is" in said), said
        if os.path.exists(gone + "2"):
            os.rename(gone + "2", gone)
    # One job fails while the other waits for input that does not come.
    with open(os.path.join(gone, "again"), "wb"):
        pass
    process = subprocess.Popen([bench.tool, "batch", "inspect", "--root", gone, "--root-has", "again", "--jobs", "2"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(b'{"in":"none"}\n')
    process.stdin.flush()
    assert json.loads(answer_line(process))["class"] == "path"
    os.remove(os.path.join(gone, "again"))
    process.stdin.write(b'{"in":"none2"}\n')
    process.stdin.flush()
    assert process.wait(PATIENCE) == 3 and process.stdout.read() == b""
    # What is not fit from the start: no line is answered.
    for words, status in (
        (["open", "--key", PUBLIC, "--root", bench.root], 2), (["open", "--key", "/none.pem", "--root", bench.root], 3),
        (["open", "--key", KEY, "--root", "/none"], 3), (["rewrap", "--key", KEY, "--public", PUBLIC, "--root", bench.root, "--profile",
                                                          "evidence-v1"], 2),
        (["check", "--key", KEY, "--compare-key", KEY, "--root", bench.root, "--profile", "zoloz"], 2),
        (["open", "--key", KEY, "--root", bench.root, "--profile", "wbface-simple"], 2),
        (["check", "--key", os.path.join(KEYS, "rsa1024.pem"), "--root", bench.root], 2),
        (["inspect", "--root", bench.root, "--root-has", "none"], 3), (["inspect", "--root", bench.folder, "--root-has", "root"], 3),
        (["inspect", "--jobs", "0"], 2), (["open", "--key", KEY], 2),
        (["rewrap", "--key", KEY, "--public", PUBLIC, "--root", bench.root, "--skip-existing"], 2), (["inspect", "--key", KEY], 2),
    ):
        done = subprocess.run([bench.tool, "batch", *words], input=b'{"in":"p0.json","out":"never","order":"ord0"}\n', capture_output=True)
        assert done.returncode == status and done.stdout == b"", (words, done)
    # Too few descriptors is not an old system.
    done = subprocess.run(["prlimit", "--nofile=6", *bench.words("inspect")], input=b"", capture_output=True)
    assert done.returncode in (0, 3) and b"5.6" not in done.stderr, done
    # Closed standard input or output.
    for closing, status in (("<&-", 3), (">&-", 3)):
        script = f"echo '{{}}' | {{ {' '.join(bench.words('inspect'))} {closing}; }}"
        assert subprocess.run(["bash", "-c", script], capture_output=True).returncode == status, closing
    # A device that is full, as standard output.
    with open("/dev/full", "wb") as full:
        assert subprocess.run(bench.words("inspect"), input=b"{}\n", stdout=full, stderr=subprocess.DEVNULL).returncode == 3


def paths(bench: Batch) -> None:
    """Nothing outside of the root is read or written, also while somebody changes what the names lead to."""
    outside = os.path.join(bench.folder, "outside")
    os.mkdir(outside)
    for name in ("p0.json", "kept"):
        with open(os.path.join(outside, name), "wb") as file:
            file.write(bench.read("p0.json"))
    os.symlink(outside, bench.path("way-out"))
    os.symlink(os.path.join(outside, "p0.json"), bench.path("link.json"))
    os.link(bench.path("p0.json"), bench.path("same.json"))
    os.symlink("p0.json", bench.path("inner.json"))
    os.mkfifo(bench.path("pipe"))
    before = bench.read("p0.json")
    cases = [
        ("way-out/p0.json", "o", "outside-root"), ("link.json", "o", "outside-root"), (outside + "/p0.json", "o", "outside-root"),
        ("p0.json", "way-out/kept", "outside-root"), ("p0.json", "link.json", "cannot-write"), ("p0.json", "../x", "outside-root"),
        ("p0.json", "same.json", "also-an-input"), ("p0.json", "p0.json", "also-an-input"), ("pipe", "o", "cannot-read"),
        ("p0.json", "pipe", "cannot-write"), ("p0.json", "inner.json", "cannot-write"), ("inner.json", "p0.json", "also-an-input"),
        ("p0.json", "none/o", "cannot-write"), ("x" * 300, "o", "cannot-read"), ("a/" * 3000, "o", "cannot-read"), ("p0.json", "", "cannot-write"),
    ]
    answers = bench.run("open", [{"in": source, "out": out} for source, out, _ in cases])
    assert [answer["error"] for answer in answers] == [error for _, _, error in cases], answers
    said = " ".join(answer["message"] for answer in answers)
    assert not [words for words in ("Invalid argument", "Too many levels", "Is a directory") if words in said], said
    assert all(answer["class"] == "path" for answer in answers) and bench.read("p0.json") == before
    # Its own answers, redirected into the root.
    with open(bench.path("answers"), "wb") as file:
        subprocess.run(bench.words("open"), input=b'{"in":"p0.json","out":"answers"}\n', stdout=file, check=True, stderr=subprocess.DEVNULL)
    assert json.loads(bench.read("answers"))["error"] == "also-an-input"
    # A key that is rotated by a rename, and what shows that a disk is there, while they are there and while they are not.
    shutil.copy(KEY, bench.path("key.pem"))
    bench.write("mark", b"")
    words = [bench.tool, "batch", "open", "--key", bench.path("key.pem"), "--root", bench.root, "--root-has", "mark"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def errors(*outs: str) -> list[str | None]:
        found = []
        for out in outs:
            process.stdin.write(b'{"in":"p0.json","out":"%s"}\n' % out.encode())
            process.stdin.flush()
            found.append(json.loads(answer_line(process)).get("error"))
        return found

    names = ("key.pem", "./key.pem", "mark", ".//mark")
    assert errors(*names) == ["also-an-input"] * 4
    shutil.copy(OTHER, bench.path("next"))
    os.link(bench.path("next"), bench.path("next2"))
    os.rename(bench.path("next"), bench.path("key.pem"))
    assert errors(*names, "next2") == ["also-an-input"] * 5
    os.remove(bench.path("key.pem"))
    os.remove(bench.path("mark"))
    assert errors(*names, "fresh") == ["also-an-input"] * 4 + [None]
    process.stdin.close()
    assert process.wait(PATIENCE) == 0 and not os.path.exists(bench.path("key.pem")) and not os.path.exists(bench.path("mark"))
    # A folder and a link out that keep changing places.
    os.mkdir(bench.path("turn"))
    os.symlink(outside, bench.path("turn-link"))
    with open(bench.path("turn/p0.json"), "wb") as file:
        file.write(bench.read("p1.json"))
    over = threading.Event()

    def turn() -> None:
        while not over.is_set():
            os.rename(bench.path("turn"), bench.path("turn-aside"))
            os.rename(bench.path("turn-link"), bench.path("turn"))
            os.rename(bench.path("turn"), bench.path("turn-link"))
            os.rename(bench.path("turn-aside"), bench.path("turn"))

    turning = threading.Thread(target=turn)
    turning.start()
    try:
        lines = [{"id": i, "in": "turn/p0.json", "out": "turn/new", "order": "ord1"} for i in range(3000 if bench.long else 300)]
        answers = bench.run("open", lines)
    finally:
        over.set()
        turning.join()
    # ord0 would come from the outside.
    assert {answer.get("error", "ok") for answer in answers} <= {"ok", "outside-root", "cannot-read", "cannot-write"}
    assert sorted(os.listdir(outside)) == ["kept", "p0.json"], "nothing was written outside"


def nothing_is_replaced(bench: Batch) -> None:
    """--skip-existing: of several on one output one is written, those with its bytes find it, the others are refused."""
    bench.tool_run("encrypt", "--public", PUBLIC, "--order-no", "ord9", "-o", bench.path("p9.json"), bench.path("p0.json"))
    expected = {"p0.json": bench.video, "p9.json": bench.read("p0.json")}
    for turn in range(200 if bench.long else 20):
        lines = [{"id": i, "in": ("p0.json", "p9.json")[i % 2], "out": f"one{turn}"} for i in range(6)]
        answers = bench.run("open", lines, "--skip-existing", "--jobs", "4")
        there = bench.read(f"one{turn}")
        for line, answer in zip(lines, answers):
            assert answer.get("error") == (None if expected[line["in"]] == there else "exists"), (turn, answers)
        assert sum(answer.get("written", False) for answer in answers) == 1, answers
    # Two processes, of which the first has looked and is held up before it writes.
    slow = ["strace", "-f", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:delay_enter=10000000:when=1"]
    first = subprocess.Popen([*slow, *bench.words("open", "--skip-existing")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    first.stdin.write(b'{"in":"p0.json","out":"two"}\n')
    first.stdin.flush()
    first.stderr.readline()
    time.sleep(1)
    [second] = bench.run("open", [{"in": "p9.json", "out": "two"}], "--skip-existing")
    output, _ = first.communicate()
    assert second["written"] and json.loads(output)["error"] == "exists" and bench.read("two") == expected["p9.json"], output
    assert not [name for name in os.listdir(bench.root) if name.startswith(".evidence")]


def poison(bench: Batch) -> None:
    """One output that cannot be had is that record's fault, and the others are done."""
    lines = [{"id": 0, "in": "p0.json", "out": "before"}, {"id": 1, "in": "p0.json", "out": "held"}, {"id": 2, "in": "p0.json", "out": "after"}]
    bench.write("held", bench.video)
    cases = [("renameat", "EPERM", "when=2", ()), ("renameat", "EBUSY", "when=2", ()), ("renameat", "EACCES", "when=2", ()),
             ("openat", "EACCES", "when=5", ("--skip-existing",))]
    for call, error, when, more in cases:
        for name in ("before", "after"):
            if os.path.exists(bench.path(name)):
                os.remove(bench.path(name))
        # The root itself, and then for each record a new file and the one that is there.
        place = ["-P", bench.root] if call == "openat" else []
        words = ("strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", *place, "-e", f"inject={call}:error={error}:{when}")
        answers = bench.run("open", lines, *more, before=words)
        assert [answer["class"] for answer in answers] == ["ok", "path", "ok"], (call, error, answers)
        assert answers[1]["member"] == "out"
    if os.geteuid() == 0 and subprocess.run(["mount", "--bind", bench.path("held"), bench.path("held")], capture_output=True).returncode == 0:
        try:
            answers = bench.run("open", lines)
            assert [answer["class"] for answer in answers] == ["ok", "path", "ok"], answers
        finally:
            subprocess.run(["umount", bench.path("held")], check=True)
    else:
        print("    (nothing can be mounted here: the mount point is left out)")


def changed(bench: Batch) -> None:
    """A document that changes while it is read says nothing about the payload: another reading may."""
    sealed = json.loads(bench.read("p0.json"))
    # The key after the video, so that the video is read twice.
    document = {**{name: sealed[name] for name in sealed if name != "videoEncryptAESKey"}, "videoEncryptAESKey": sealed["videoEncryptAESKey"]}
    content = json.dumps({"isSuccess": True, "orderNo": "ord0", "simpleModeResult": document}).encode()
    place = content.index(b"userVideoString") + 5000
    letter = b"A" if content[place:place + 1] != b"A" else b"B"
    bench.write("turned.json", content[:place] + letter + content[place + 1:])
    # The third time it is positioned for the second reading, and held up there; the first reading is then over.
    log = os.path.join(bench.folder, "positions")
    words = ["strace", "-f", "-o", log, "-P", bench.path("turned.json"), "-e", "trace=lseek", "-e",
             "inject=lseek:delay_enter=5000000:when=3"]
    process = subprocess.Popen([*words, *bench.words("check")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(b'{"in":"turned.json","order":"ord0"}\n')
    process.stdin.flush()
    begun = time.monotonic()
    while not os.path.exists(log) or open(log, "rb").read().count(b"lseek") < 2:
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.01)
    time.sleep(0.5)
    with open(bench.path("turned.json"), "r+b") as file:
        file.seek(place)
        file.write(content[place:place + 1])
    output, _ = process.communicate()
    [answer] = bench.answers("check", output)
    assert (answer["class"], answer.get("error"), answer.get("member")) == ("path", "changed-while-read", "in"), answer


def memory(bench: Batch) -> None:
    """No memory: 3 and the answers before, from the least memory that it starts with to enough."""
    requests = [b'{"id":%d,"in":"p%d.json","out":"m%d"}' % (i, i, i) for i in range(3)]
    inline = base64.b64encode(bench.read("p0.json") + b" " * 700_000)
    requests += [b'{"id":3,"inline":"%s","out":"m3"}' % inline, b'{"id":4,"in":"p1.json","out":"m4"}']
    seen = set()
    for limit in range(24 << 20, 80 << 20, 1 << (20 if bench.long else 21)):
        for jobs in ("1", "2"):
            done = subprocess.run(["prlimit", f"--as={limit}", *bench.words("open", "--jobs", jobs)], input=b"\n".join(requests) + b"\n",
                                  capture_output=True)
            if b'"start"' not in done.stderr:
                continue
            notes = [json.loads(line)["batch"] for line in done.stderr.splitlines() if line.startswith(b"{")]
            answers = bench.answers("open", done.stdout)
            assert all(answer["ok"] for answer in answers), (limit, answers)
            if jobs == "2" and done.returncode in (-signal.SIGABRT, -signal.SIGILL, -signal.SIGSEGV):
                continue  # Both jobs asked at once, and there was memory for one of them: docs/BATCH.md §6.
            assert (done.returncode, notes[-1]) in ((0, "end"), (3, "failed")), (limit, jobs, done.returncode, done.stderr)
            assert done.returncode or len(answers) == 5
            seen.add((done.returncode, len(answers)))
    assert (0, 5) in seen and (3, 3) in seen, seen
    # A long line takes as much as the page says.
    line = b'{"inline":"%s"}\n' % base64.b64encode(b"[" + b" " * (30 << 20))
    # Beneath a process of its own: the peak of one that is started counts what the starting one had, which may be much here.
    measure = ("import resource, subprocess, sys; status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL); "
               "print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    done = subprocess.run([sys.executable, "-c", measure, *bench.words("inspect", "--max-line", str(100 << 20))], input=line,
                          capture_output=True, check=True)
    status, used = map(int, done.stdout.split())
    print(f"    a line of {len(line) >> 20} MiB: {used >> 10} MiB")
    assert status == 0 and used << 10 < 5 * len(line) + (32 << 20), (status, used)


def main() -> int:
    long = "--long" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        bench = Batch(os.path.abspath(sys.argv[1]), folder, long)
        for check in (operations, hostile_lines, ping_pong, killed, reader_leaves, reader_stops, race, terminated, system_fails, paths,
                      nothing_is_replaced, poison, changed, memory):
            begun = time.monotonic()
            check(bench)
            print(f"{check.__name__.replace('_', ' ')}: {(check.__doc__ or '').strip()} ({time.monotonic() - begun:.1f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
