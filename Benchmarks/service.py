#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small payloads through the service, over 8 connections, beside calls in one process on the same cores.

    service.py SERVICE BENCHMARK TOOL [ROUNDS]

SERVICE and BENCHMARK (EvidenceBenchmark) are release builds. The clients take their part of the same cores: they are
processes of their own, in Python. Prints the median of the rounds; the target is 0.7 of the rate in process.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pool

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Service", "Tests", "drive"))

from harness import key, running, tool  # noqa: E402  pylint: disable=wrong-import-position
import socket  # noqa: E402  pylint: disable=wrong-import-position,wrong-import-order

CONNECTIONS = 8
REQUESTS = 250


def client(given: tuple[str, bytes]) -> None:
    path, request = given
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    rest = b""
    for _ in range(REQUESTS):
        connection.sendall(request)
        # Read as fast as Python can: a head, then as much as it says.
        while b"\r\n\r\n" not in rest:
            rest += connection.recv(1 << 16)
        head, rest = rest.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 200 "), head
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r")[0])
        while len(rest) < length:
            rest += connection.recv(1 << 16)
        rest = rest[length:]
    connection.close()


def main() -> None:
    service_program, benchmark, evidence_tool = (os.path.abspath(path) for path in sys.argv[1:4])
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    cores = len(os.sched_getaffinity(0))
    payload = tool(evidence_tool, "encrypt", "--public", key("rsa2048.public.pem"), "--order-no", "ord1", data=os.urandom(4096))
    request = (b"POST /v1/open?orderNo=ord1 HTTP/1.1\r\nHost: evidence\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n" % len(payload) + payload)
    own, served = [], []
    with tempfile.TemporaryDirectory() as folder, running(service_program, "--key", key("rsa2048.pem")) as service:
        path = os.path.join(folder, "payload.json")
        with open(path, "wb") as file:
            file.write(payload)
        assert service.ask("POST", "/v1/open?orderNo=ord1", payload)[0] == 200
        with Pool(CONNECTIONS) as pool:
            for _ in range(rounds):
                count = CONNECTIONS * REQUESTS
                words = [benchmark, "small", key("rsa2048.pem"), path, str(count), str(cores)]
                own.append(float(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout.split(b"\t")[1]))
                begun = time.monotonic()
                pool.map(client, [(service.socket, request)] * CONNECTIONS, chunksize=1)
                served.append(count / (time.monotonic() - begun))
        service.stop()
    rates = statistics.median(own), statistics.median(served)
    print(f"in process, {cores} threads: {rates[0]:.0f} a second; service, {CONNECTIONS} connections: {rates[1]:.0f}; {rates[1] / rates[0]:.2f}")


if __name__ == "__main__":
    main()
