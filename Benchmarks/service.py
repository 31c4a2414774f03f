#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small payloads through the service, over 8 connections, beside calls in one process on the same cores.

    service.py SERVICE BENCHMARK TOOL [ROUNDS]

SERVICE and BENCHMARK (EvidenceBenchmark) are release builds. The load comes from a program in C on the same cores
(reference/requests.c). Each round measures both for about two seconds, in turn. Prints the medians, their quotient, of
which 0.7 is the target, and the processor time of a request: in the process, in the service, in the load.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Packages", "Service", "Tests", "drive"))

from harness import Service, key, running, tool  # noqa: E402  pylint: disable=wrong-import-position

CONNECTIONS = 8
SECONDS = 2.0


def processor_time(service: Service) -> float:
    """Seconds, of all threads that there are and were."""
    with open(f"/proc/{service.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(*words: str) -> tuple[str, float]:
    """What a program says, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    service_program, benchmark, evidence_tool = (os.path.abspath(path) for path in sys.argv[1:4])
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    cores = len(os.sched_getaffinity(0))
    payload = tool(evidence_tool, "encrypt", "--public", key("rsa2048.public.pem"), "--order-no", "ord1", data=os.urandom(4096))
    request = (b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: evidence\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n" % len(payload) + payload)
    measured: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory() as folder, running(service_program, "--key", key("rsa2048.pem")) as service:
        load, path, request_path = (os.path.join(folder, name) for name in ("requests", "payload.json", "request"))
        source = os.path.join(ROOT, "Benchmarks", "reference", "requests.c")
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", load, source], check=True)
        for name, content in ((path, payload), (request_path, request)):
            with open(name, "wb") as file:
                file.write(content)
        assert service.ask("POST", "/v1/open?orderNo=ord1", payload)[0] == 200
        count = 2000
        for _ in range(rounds):
            said, own_time = run(benchmark, "small", key("rsa2048.pem"), path, str(count), str(cores))
            own = float(said.split("\t")[1])
            before = processor_time(service)
            said, load_time = run(load, service.socket, request_path, str(CONNECTIONS), str(SECONDS))
            served, answers = (float(word) for word in said.split())
            times = own_time / count, (processor_time(service) - before) / answers, load_time / answers
            measured.append((own, served, *(time * 1e6 for time in times)))
            count = int(own * SECONDS)
        service.stop()
    # The first one was there to learn how many calls take that long.
    own, served, *times = (statistics.median(values) for values in zip(*measured[1:]))
    print(f"in process, {cores} threads: {own:.0f} a second; service, {CONNECTIONS} connections: {served:.0f}; {served / own:.2f}")
    print("microseconds of processor a request: {:.0f} in process; {:.0f} in the service, {:.0f} in the load".format(*times))


if __name__ == "__main__":
    main()
