# SPDX-License-Identifier: Apache-2.0
"""What the product is meant to reach, each as a ratio between figures of one run, and whether it does."""

import statistics
from typing import Optional

OURS = "evidence-tool"


def judge(results: dict) -> list[dict]:
    main, largest = results["main_size"], results["largest_size"]
    groups = {(group["job"], group["size"]): group["contestants"] for group in results["groups"]}
    rows: list[dict] = []

    def value(job: str, size: int, name: str, figure: str = "median"):
        return groups.get((job, size), {}).get(name, {}).get(figure)

    def quotient(job: str, size: int, ours: str, theirs: str) -> Optional[float]:
        """Of each round, and of these the median: what slows down a whole round falls out."""
        pairs = list(zip(value(job, size, ours, "values") or [], value(job, size, theirs, "values") or []))
        return statistics.median(left / right for left, right in pairs) if pairs else None

    def quotient_of_best(job: str, size: int, ours: str, theirs: str) -> Optional[float]:
        left, right = value(job, size, ours, "max"), value(job, size, theirs, "max")
        return left / right if left and right else None

    def add(
        row: str, against: str, measured: Optional[float], best: Optional[float], bar: float, unit: str = "×",
        at_most: bool = False,
    ):
        met = None if measured is None else measured <= bar if at_most else measured >= bar
        rows.append({
            "row": row, "against": against, "target": bar, "at_most": at_most, "unit": unit, "measured": measured,
            "best": best, "met": met})

    def ratio(row: str, job: str, size: int, ours: str, theirs: str, bar: float, against: str = ""):
        pair = job, size, ours, theirs
        add(row, against or theirs, quotient(*pair), quotient_of_best(*pair), bar)

    def time(row: str, name: str, bar: float):
        system = value("start", 4096, "/bin/true")
        add(
            row, f"(/bin/true takes {system:.2g} ms)" if system else "", value("start", 4096, name),
            value("start", 4096, name, "min"), bar, "ms", at_most=True)

    opening = "open, discarding"
    ratio(f"{opening}, {name(main)}", "open and discard", main, "EvidenceKit", "C reference", 0.95)
    if largest:
        ratio(f"{opening}, {name(largest)}", "open and discard", largest, "EvidenceKit", "C reference", 0.95)
        raw = "openssl speed aes-256-gcm"
        ratio(f"{opening}, {name(largest)}", "open and discard", largest, "EvidenceKit", raw, 0.85)
    one = f"{OURS}, 1 thread"
    ratio("decrypt to a file, one thread", "decrypt", main, one, "C reference", 0.95)
    ratio("decrypt to a file, one thread", "decrypt", main, one, "openssl enc", 1.7)
    ratio("decrypt to a file, two threads", "decrypt", main, OURS, "C reference, 2 threads", 0.95)
    ratio("decrypt to a file, two threads", "decrypt", main, OURS, "openssl enc", 2.5)
    for peer, bar in ("age", 1.3), ("age, armoured", 6):
        ratio("decrypt to a file", "decrypt", main, OURS, peer, bar)
    # What reading and writing alone leave room for: 15 to 25 times the rate of Python or Node.
    ratio("decrypt to a file", "decrypt", main, OURS, "cp of the video", 1)
    for peer in "Python", "Node":
        ratio("decrypt to a file", "decrypt", main, OURS, peer, 12)
    ratio("fields in the vendor's order", "decrypt", main, f"{OURS}, vendor's order", OURS, 0.75, "keys first")
    ratio("slashes escaped", "decrypt", main, f"{OURS}, slashes escaped", OURS, 0.8, "not escaped")
    ratio("decrypt to a pipe", "decrypt", main, f"{OURS}, to a pipe", OURS, 0.3, "to a file")
    ratio("encrypt to a file, one thread", "encrypt", main, one, "C reference", 0.95)
    ratio("encrypt to a file, two threads", "encrypt", main, OURS, "C reference, 2 threads", 0.95)

    chunks(results["chunks_size"], ratio, add, value)

    add("peak memory of these jobs, any size", "", memory(results["groups"]), None, 24, "MiB", at_most=True)

    small, speed = "small payloads", "openssl speed rsa2048"
    one_opened = "EvidenceKit, 1 thread"
    ratio(f"{small}, one thread", small, 4096, one_opened, speed, 0.93)
    ratio(f"{small}, refused for their tag", small, 4096, "EvidenceKit, wrong tag, 1 thread", one_opened, 0.5, "opened")
    one_checked = "EvidenceKit check, 1 thread"
    ratio("small results checked, one thread", small, 4096, one_checked, speed, 0.95)
    longer = "EvidenceKit check, 12 more members, 1 thread"
    ratio("small results to which the app added 12 members", small, 4096, longer, one_checked, 0.7, "without them")
    # What the machine had to give: two cores are not always two.
    scaling = quotient(small, 4096, f"{speed}, 2 processes", speed)
    ratio(
        f"{small}, two threads", small, 4096, "EvidenceKit, 2 threads", "EvidenceKit, 1 thread", 1.9,
        f"one thread (for comparison: {speed} reaches {scaling:.3g}×)" if scaling else "one thread")
    time("start: --version", "evidence-tool --version", 5)
    time("start: decrypt 4 KiB", "evidence-tool decrypt, 4 KiB", 12)
    for verb in "decode", "encode":
        ratio(f"base64 {verb}, 64 KiB hot", "base64", 65536, verb, f"{verb} pybase64", 0.9, "pybase64")
        ratio(f"base64 {verb}, 64 KiB hot", "base64", 65536, verb, f"{verb} Foundation", 5, "Foundation")
        portable = f"{verb}, portable kernel"
        ratio(f"base64 {portable}", "base64", 65536, portable, f"{verb} Foundation", 1, "Foundation")
    sha256 = "openssl speed sha256"
    row = "assemble (SHA-256 of the video), discarding"
    ratio(row, "assemble and check", main, "EvidenceKit assemble", sha256, 0.9)
    # Base64 is a third longer than the video: a check digests 2.3 bytes for each of the video's, on two threads.
    row = "check (SHA-256 of document and video), discarding"
    ratio(row, "assemble and check", main, "EvidenceKit check", sha256, 0.6)
    # The same text once more, as the field's.
    row = "check with the digests of all fields"
    ratio(row, "assemble and check", main, "EvidenceKit check, all digests", sha256, 0.25)
    return rows


def chunks(size: int, ratio, add, value) -> None:
    """evidence-v2 beside evidence-v1."""
    if not size:
        return
    raw, at = "openssl speed aes-256-gcm", f"v2, {name(size)}"
    old, new = "chunks, discarding, OpenSSL 3.0", "chunks, discarding, OpenSSL 3.5"
    ratio(f"{at}, one thread, discarding", old, size, "v2, 1 thread", "v1, 1 thread", 0.95, "v1")
    ratio(f"{at}, one thread, discarding, OpenSSL 3.5", new, size, "v2, 1 thread", "v1, 1 thread", 0.95, "v1")
    ratio(f"{at}, two threads, discarding", old, size, "v2, 2 threads", "v2, 1 thread", 1.8, "one thread")
    ratio(
        f"{at}, two threads, discarding, OpenSSL 3.5", new, size, "v2, 2 threads", raw, 0.75, f"{raw} of 3.5, one core")
    ratio(
        f"{at}, to a file, two threads", "chunks, to a file", size, "evidence-tool, v2, 2 threads",
        "evidence-tool, v1, 2 threads", 1.1, "v1, two threads")
    waiting, piping = "chunks, waiting", "chunks, pipe to pipe"
    for row, contestant, bar in (
        (f"{at}, pipe to pipe with --stream: first byte", "--stream, first byte", 10),
        (f"1 MiB out of {name(size)}, the first part, with an index", "1 MiB of it, the first part, with an index", 2),
        (f"1 MiB out of {name(size)}, a further part", "1 MiB of it, a further part", 2),
    ):
        measured, best = value(waiting, size, contestant), value(waiting, size, contestant, "min")
        add(row, "", measured, best, bar, "ms", at_most=True)
    peak = value(piping, size, "evidence-tool, --stream", "peak_kib")
    least = value("start", 4096, "evidence-tool decrypt, 4 KiB", "peak_kib")
    add(
        f"{at}, pipe to pipe with --stream: memory", "above that of decrypt, 4 KiB",
        (peak - least) / 1024 if peak and least else None, None, 4, "MiB", at_most=True)
    ratio(
        f"v1, {name(size)}, two threads, discarding, OpenSSL 3.5", new, size, "v1, 2 threads", "C, v1, 2 threads",
        0.95, "C reference")


def memory(groups: list[dict]) -> Optional[float]:
    """The most that any run of the command took, in MiB."""
    peaks = [
        figures["peak_kib"] for group in groups for name, figures in group["contestants"].items()
        if name.startswith(OURS) and figures["peak_kib"]]
    return max(peaks) / 1024 if peaks else None


def name(size: int) -> str:
    for unit, letter in (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"):
        if size >= unit:
            return f"{size / unit:.3g} {letter}"
    return f"{size} B"
