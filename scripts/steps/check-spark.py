#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Examples/spark on a local cluster whose executors are killed on the way: no record is lost or doubled, and the answers are
those of a single process.

`check-spark.py TOOL [RECORDS]` (200000) needs pyspark, pandas and pyarrow, and a JDK.
"""

from __future__ import annotations

import base64
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
KEYS = os.path.join(ROOT, "TestVectors", "keys")
KEY, PUBLIC = os.path.join(KEYS, "rsa2048.pem"), os.path.join(KEYS, "rsa2048.public.pem")


def requests(tool: str, folder: str, count: int) -> list[str]:
    generator = random.Random(21)
    with open(os.path.join(folder, "video"), "wb") as file:
        file.write(generator.randbytes(900))
    documents = {}
    for number in range(20):
        name = f"ord{number}"
        sealed = subprocess.run([tool, "encrypt", "--public", PUBLIC, "--order-no", name, os.path.join(folder, "video")], check=True,
                                capture_output=True).stdout
        document = json.dumps({"isSuccess": True, "orderNo": name, "simpleModeResult": json.loads(sealed)}).encode()
        documents[name] = base64.b64encode(document).decode()
    lines = []
    for number in range(count):
        name = f"ord{generator.randrange(20)}"
        good = json.dumps({"id": number, "inline": documents[name], "order": name})
        kind = generator.randrange(100)
        # Every line has its number in it, so that one that is lost or doubled is seen.
        lines.append(
            json.dumps({"id": number, "inline": documents[name], "order": "other"}) if kind == 0
            else json.dumps({"id": number, "in": "../../etc/passwd", "order": name}) if kind == 1
            else json.dumps({"id": number, "inline": "!", "order": name}) if kind == 2
            else '{"id":%d,"order":{"deep":[[[[{}]]]]}}' % number if kind == 3
            else '{"id":"%d\\u0000\\u2028\\"","order":1e999}' % number if kind == 4
            else "garbage %d {{{" % number if kind == 5
            else "" if kind == 6
            else good)
    return lines


def comparable(line: str) -> str:
    answer = json.loads(line)
    # Lines that are not requests are identified by their number in their partition.
    answer.pop("line", None)
    return json.dumps(answer, sort_keys=True)


def kill_executors(over: threading.Event, killed: list[int]) -> None:
    generator = random.Random(22)
    while not over.wait(generator.uniform(6, 10)) and len(killed) < 6:
        found = subprocess.run(["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True).stdout.split()
        ours = [int(pid) for pid in found if is_child_of(int(pid), os.getpid())]
        if ours:
            victim = generator.choice(ours)
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)


def is_child_of(pid: int, ancestor: int) -> bool:
    try:
        while pid > 1:
            if pid == ancestor:
                return True
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        pass
    return False


def submit(way: str, folder: str, words: list[str], *settings: str) -> subprocess.Popen:
    """The example, with the command found in PATH; what it says is in the folder's log."""
    settings = [word for setting in ("spark.ui.enabled=false", *settings) for word in ("--conf", setting)]
    spark = [os.path.join(os.path.dirname(sys.executable), "spark-submit"), *settings,
             os.path.join(ROOT, "Examples", "spark", "check_batch.py"), way, *words]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable,
                   "PATH": f"{os.path.join(folder, 'bin')}:{os.environ['PATH']}"}
    with open(os.path.join(folder, "log"), "wb") as log:
        return subprocess.Popen(spark, env=environment, cwd=folder, stdout=log, stderr=log)


def said(folder: str) -> str:
    with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as log:
        return log.read()


def unfit(folder: str, source: str) -> None:
    """A worker that is not fit fails the job, with its status."""
    command = ["evidence-tool", "batch", "check", "--key", KEY, "--root", os.path.join(folder, "none")]
    for way, words in (("pipe", "error code 3"), ("pandas", "ended with 3")):
        answers = os.path.join(folder, f"unfit-{way}")
        status = submit(way, folder, [source, answers, *command], "spark.master=local[2]").wait()
        assert status != 0 and words in said(folder), (way, status, said(folder)[-3000:])
        print(f"{way}: a worker that is not fit fails the job", flush=True)


def main() -> int:
    tool, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200_000
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "root")
        os.mkdir(root)
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(tool, os.path.join(folder, "bin", "evidence-tool"))
        command = ["evidence-tool", "batch", "check", "--key", KEY, "--require", "result,order,video", "--root", root]
        lines = requests(tool, folder, count)
        source = os.path.join(folder, "requests")
        os.mkdir(source)
        parts = 24
        for part in range(parts):
            with open(os.path.join(source, f"part-{part:03}"), "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines[part::parts])
        begun = time.monotonic()
        alone = subprocess.run([tool, *command[1:]], input="".join(line + "\n" for line in lines).encode(), check=True, capture_output=True).stdout
        expected = collections.Counter(comparable(line) for line in alone.decode().split("\n")[:-1])
        assert sum(expected.values()) == count
        print(f"a single process: {count} records in {time.monotonic() - begun:.1f} s, {json.loads(alone.splitlines()[0])['class']}…", flush=True)
        unfit(folder, source)
        for way in ("pipe", "pandas"):
            over, killed = threading.Event(), []
            killer = threading.Thread(target=kill_executors, args=(over, killed))
            begun = time.monotonic()
            answers = os.path.join(folder, f"answers-{way}")
            process = submit(
                way, folder, [source, answers, *command], "spark.master=local-cluster[2,1,1024]", "spark.task.maxFailures=20",
                "spark.executor.maxNumFailures=100", "spark.deploy.maxExecutorRetries=-1")
            killer.start()
            status = process.wait()
            over.set()
            killer.join()
            assert status == 0, f"{way}: {status}\n{said(folder)[-6000:]}"
            got: collections.Counter[str] = collections.Counter()
            for name in os.listdir(answers):
                if name.startswith("part-"):
                    with open(os.path.join(answers, name), encoding="utf-8", newline="\n") as file:
                        got.update(comparable(line) for line in file.read().split("\n")[:-1])
            assert got == expected, (way, list((expected - got).items())[:3], list((got - expected).items())[:3])
            assert killed, "no executor was killed: it was over too soon; take more records"
            print(f"{way}: {count} records, {len(killed)} executors killed, none lost, none doubled ({time.monotonic() - begun:.1f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
