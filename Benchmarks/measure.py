# SPDX-License-Identifier: Apache-2.0
"""Runs contestants in turn and keeps what each took."""

import dataclasses
import os
import statistics
import subprocess
import time
from typing import Callable, Optional


@dataclasses.dataclass
class Sample:
    """One run: a rate or a time, in the unit of its group, and the peak memory where it is known."""

    value: float
    peak_kib: Optional[int] = None


@dataclasses.dataclass
class Contestant:
    name: str
    run: Callable[[], Sample]
    rounds: Optional[int] = None  # fewer than the others have, for who is slow


class Failed(Exception):
    pass


def output_of(command: list[str]) -> str:
    """What a command prints, if it succeeds."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise Failed(f"{' '.join(command[:4])} …: {result.stderr.strip()[-300:]}")
    return result.stdout


def process(launcher: str, command: list[str], into: str = "null") -> tuple[float, int]:
    """Seconds and peak KiB of one process. `into`: its standard output goes to `null` or through a `pipe` to cat."""
    reader, writer = os.pipe()
    sink = None
    stdout: int = subprocess.DEVNULL
    if into == "pipe":
        sink = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        stdout = sink.stdin.fileno()
    result = subprocess.run(
        [launcher, str(writer), *command], pass_fds=[writer], stdout=stdout, stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    os.close(writer)
    if sink:
        sink.stdin.close()
        sink.wait()
    with os.fdopen(reader) as figures:
        fields = figures.read().split()
    if len(fields) != 3 or fields[2] != "0":
        raise Failed(f"{' '.join(command[:2])} …: {result.stderr.decode(errors='replace').strip()[-300:]}")
    return float(fields[0]), int(fields[1])


def first_byte(command: list[str], source: str) -> tuple[float, int]:
    """Milliseconds until a process that reads a file through a pipe gives its first byte, and what it gives in all."""
    with subprocess.Popen(["cat", source], stdout=subprocess.PIPE) as feeder:
        start = time.perf_counter()
        with subprocess.Popen(command, stdin=feeder.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tool:
            feeder.stdout.close()
            count = len(os.read(tool.stdout.fileno(), 1))
            waited = time.perf_counter() - start
            while piece := os.read(tool.stdout.fileno(), 1 << 16):
                count += len(piece)
            why = tool.stderr.read()
        if tool.returncode != 0:
            raise Failed(f"{' '.join(command[:2])} …: {why.decode(errors='replace').strip()[-300:]}")
    return waited * 1000, count


def in_turn(contestants: list[Contestant], rounds: int) -> dict[str, list[Sample]]:
    """Every contestant once in every round, so that what else the machine does falls on all of them."""
    samples: dict[str, list[Sample]] = {contestant.name: [] for contestant in contestants}
    for turn in range(rounds):
        for contestant in contestants:
            if turn < (contestant.rounds or rounds):
                samples[contestant.name].append(contestant.run())
    return samples


def summary(samples: list[Sample]) -> dict:
    values = [sample.value for sample in samples]
    peaks = [sample.peak_kib for sample in samples if sample.peak_kib is not None]
    return {
        "values": values, "median": statistics.median(values), "min": min(values), "max": max(values),
        "runs": len(values),
        "peak_kib": max(peaks) if peaks else None,
    }
