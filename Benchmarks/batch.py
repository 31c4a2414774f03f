# SPDX-License-Identifier: Apache-2.0
"""What `evidence-tool batch` makes of a core. Called by scripts/bench --batch, which sets the paths.

Each rate is taken beside what it is compared with, in turn, round after round; the figures are medians of the ratios of a round. Against
raw RSA operations, and for large payloads, both are counted in processor time, so that other programs on the machine take little from either.
Of two jobs both is said: by the clock, which needs two cores that nobody else uses, and in processor time, which says what working together costs.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PYTHON_WORKER = """
import base64, hashlib, json, sys
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
key = serialization.load_pem_private_key(open(sys.argv[1], "rb").read(), None)
oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
for line in sys.stdin:
    request = json.loads(line)
    payload = json.loads(base64.b64decode(request["inline"]))["simpleModeResult"]
    # A content key that does not unwrap would raise: this worker does a part of the work, and knows one format.
    content = key.decrypt(base64.b64decode(payload["videoEncryptAESKey"]), oaep)
    digest = hashlib.sha256(base64.b64decode(payload["userVideoString"])).hexdigest()
    print(json.dumps({"id": request["id"], "ok": len(content) in (16, 32), "sha256": digest}))
"""


class Bench:
    def __init__(self, tool: str, folder: str, seconds: float) -> None:
        self.tool, self.folder, self.seconds = tool, folder, seconds
        self.root = os.path.join(folder, "root")
        os.mkdir(self.root)
        self.key = os.path.join(folder, "key.pem")
        self.run("keygen", "-o", self.key, "--public", self.path("public.pem"))
        self.bits = int(re.search(r"\((\d+) bit", subprocess.run(
            ["openssl", "rsa", "-in", self.key, "-text", "-noout"], check=True, capture_output=True, text=True).stdout)[1])

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def run(self, *words: str, **more) -> subprocess.CompletedProcess:
        return subprocess.run([self.tool, *words], check=True, capture_output=True, **more)

    def sealed(self, size: int, name: str) -> str:
        video, payload = self.path("video"), os.path.join(self.root, name)
        with open(video, "wb") as file:
            file.write(os.urandom(size))
        self.run("encrypt", "--public", self.path("public.pem"), "--order-no", "ord1", "-o", payload, video)
        return payload

    def small_requests(self, count: int) -> bytes:
        with open(self.sealed(1000, "small.json"), encoding="ascii") as file:
            result = {"isSuccess": True, "orderNo": "ord1", "simpleModeResult": json.load(file)}
        inline = base64.b64encode(json.dumps(result).encode()).decode()
        return b"".join(json.dumps({"id": number, "inline": inline, "order": "ord1"}).encode() + b"\n" for number in range(count))

    def check_rate(self, requests: bytes, *more: str, cores: str | None = None) -> tuple[float, float]:
        """Records in a second of the clock, and of processor time."""
        words = [self.tool, "batch", "check", "--key", self.key, "--require", "result,order,video", *more]
        begun = processor_time()
        done = subprocess.run((["taskset", "-c", cores] if cores else []) + words, input=requests, check=True, capture_output=True)
        busy = processor_time() - begun
        end = json.loads(done.stderr.splitlines()[-1])
        assert end["lines"] == end["ok"] == requests.count(b"\n"), end
        # Its own clock, from the first line on: a process of a billion records starts once.
        return end["lines"] / (end["milliseconds"] / 1000), end["lines"] / busy

    def rsa_rate(self, cores: str | None = None) -> float:
        words = ["openssl", "speed", "-seconds", str(max(1, round(self.seconds))), "-mr", f"rsa{self.bits}"]
        done = subprocess.run((["taskset", "-c", cores] if cores else []) + words, check=True, capture_output=True, text=True)
        [rate] = [float(found[1]) for found in re.finditer(rf"^\+F2:\d+:{self.bits}:([0-9.]+):", done.stdout, re.M)]
        return rate


def processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def median(values: list[float]) -> str:
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def small(bench: Bench, rounds: int) -> None:
    count = max(50, int(bench.rsa_rate() * bench.seconds))
    requests = bench.small_requests(count)
    one, two, together, rates, raw = [], [], [], [], []
    for _ in range(rounds):
        before = bench.rsa_rate("0")
        rate, busy = bench.check_rate(requests, cores="0")
        after = bench.rsa_rate("0")
        rates.append(rate)
        raw.append((before + after) / 2)
        one.append(busy / raw[-1])
        if os.cpu_count() and os.cpu_count() > 1:
            both, both_busy = bench.check_rate(requests, "--jobs", "2")
            alone, alone_busy = bench.check_rate(requests, cores="0")
            two.append(both / alone)
            together.append(both_busy / alone_busy)
    print(f"check of inline results with 1,000 bytes of video, RSA-{bench.bits}: {statistics.median(rates):.0f} a second of the clock on one core")
    print(f"  to raw RSA private operations ({statistics.median(raw):.0f} a second): {median(one)} in processor time, the start included; at least 0.93 is wanted")
    if two:
        print(f"  two jobs to one: {median(two)} by the clock; at least 1.8 is wanted")
        print(f"  a record of two jobs to one of one job, in processor time: {median(together)}")
    part = requests.split(b"\n", 200)
    few = b"\n".join(part[:200]) + b"\n" if len(part) > 200 else requests
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", PYTHON_WORKER, bench.key], input=few, check=True, capture_output=True)
    python = few.count(b"\n") / (time.monotonic() - begun)
    print(f"  a Python worker that only unwraps and digests: {python:.0f} a second, its start included")
    document = bench.path("one.json")
    with open(document, "wb") as file:
        file.write(base64.b64decode(json.loads(few.split(b"\n")[0])["inline"]))
    begun, alone = time.monotonic(), 30
    for _ in range(alone):
        subprocess.run([bench.tool, "check", "--key", bench.key, "--require", "result,order,video", "--order-no", "ord1", document],
                       check=True, capture_output=True)
    print(f"  a process for each result: {alone / (time.monotonic() - begun):.0f} a second")


def durable(bench: Bench, rounds: int) -> None:
    count, size = 40, 1 << 20
    for number in range(count):
        bench.sealed(size, f"d{number}.json")
    ratios, rates = [], []
    requests = b"".join(b'{"in":"d%d.json","out":"d%d.mp4"}\n' % (number, number) for number in range(count))
    copies = bench.path("copies")
    for _ in range(rounds):
        shutil.rmtree(copies, ignore_errors=True)
        os.mkdir(copies)
        os.sync()
        begun = time.monotonic()
        # The same number of bytes, a file at a time, each on the disk before the next.
        for number in range(count):
            target = os.path.join(copies, f"d{number}")
            subprocess.run(["cp", os.path.join(bench.root, f"d{number}.json"), target], check=True)
            subprocess.run(["sync", target, copies], check=True)
        copying = time.monotonic() - begun
        for number in range(count):
            if os.path.exists(os.path.join(bench.root, f"d{number}.mp4")):
                os.remove(os.path.join(bench.root, f"d{number}.mp4"))
        os.sync()
        begun = time.monotonic()
        bench.run("batch", "open", "--key", bench.key, "--root", bench.root, input=requests)
        opening = time.monotonic() - begun
        ratios.append(copying / opening)
        rates.append(count / opening)
    print(f"open of 1 MiB to durable files: {statistics.median(rates):.0f} a second; to cp and sync of the payload, a file at a time: {median(ratios)}")


def large(bench: Bench, rounds: int) -> None:
    size = 256 << 20
    payload = bench.sealed(size, "large.json")

    def busy(*words: str, **more) -> float:
        before = processor_time()
        subprocess.run(words, check=True, capture_output=True, **more)
        return processor_time() - before

    ratios, beside, rates = [], [], []
    for _ in range(rounds):
        for name in ("alone.mp4", "large.mp4"):
            if os.path.exists(os.path.join(bench.root, name)):
                os.remove(os.path.join(bench.root, name))
        target = os.path.join(bench.root, "alone.mp4")
        alone = busy(bench.tool, "decrypt", "--key", bench.key, "--threads", "1", "-o", target, payload)
        digest = busy("openssl", "dgst", "-sha256", target)
        opening = busy(bench.tool, "batch", "open", "--key", bench.key, "--root", bench.root,
                       input=b'{"in":"large.json","out":"large.mp4"}\n')
        ratios.append(alone / opening)
        beside.append((alone + digest) / opening)
        rates.append(size / opening / 1e9)
    print(f"open of 256 MiB, one thread: {statistics.median(rates):.2f} GB for each second of processor time; to decrypt: {median(ratios)}; "
          f"to decrypt and openssl dgst -sha256, since its answer has the digest: {median(beside)}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        bench = Bench(os.environ["EVIDENCE_TOOL"], folder, arguments.seconds)
        print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        small(bench, arguments.rounds)
        durable(bench, arguments.rounds)
        large(bench, arguments.rounds)


if __name__ == "__main__":
    main()
