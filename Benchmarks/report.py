# SPDX-License-Identifier: Apache-2.0
"""docs/PERFORMANCE.md and its plots, from the figures of one run."""

import json
import os

import plot
from targets import OURS, name as size

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCS = os.path.join(ROOT, "docs")


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def figure(result: dict, unit: str) -> str:
    text = f"{number(result['median'])} {unit} ({number(result['min'])}–{number(result['max'])})"
    return text + (f", {result['peak_kib'] / 1024:.1f} MiB" if result["peak_kib"] else "")


def table(rows: list[dict]) -> str:
    lines = ["| job | compared with | target | measured (best runs) |", "| --- | --- | --- | --- |"]
    for row in rows:
        unit = row["unit"] if row["unit"] == "×" else " " + row["unit"]
        measured = "not measured" if row["measured"] is None else f"{row['measured']:.3g}{unit}"
        if row["best"] is not None:
            measured += f" ({row['best']:.3g}{unit})"
        if row["met"] is False:
            measured += " **not met**"
        bar = f"{'≤' if row['at_most'] else '≥'}{row['target']:g}{unit}"
        lines.append(f"| {row['row']} | {row['against'] or '–'} | {bar} | {measured} |")
    return "\n".join(lines)


def group_table(group: dict) -> str:
    has_memory = any(result["peak_kib"] for result in group["contestants"].values())
    lines = [f"| | {group['unit']} |", "| --- | --- |"]
    if has_memory:
        lines = [f"| | {group['unit']} | peak MiB |", "| --- | --- | --- |"]
    for contestant, result in group["contestants"].items():
        line = f"| {contestant} | {number(result['median'])} ({number(result['min'])}–{number(result['max'])}) |"
        if has_memory:
            line += f" {result['peak_kib'] / 1024:.1f} |" if result["peak_kib"] else " – |"
        lines.append(line)
    return "\n".join(lines)


def costs() -> str:
    path = os.path.join(ROOT, "Benchmarks", "costs.json")
    if not os.path.exists(path):
        return ""
    with open(path) as file:
        recorded = json.load(file)
    stages = list(next(iter(recorded["jobs"].values())))
    lines = ["| job | " + " | ".join(stages) + " |", "| --- |" + " --- |" * len(stages)]
    for job, figures in recorded["jobs"].items():
        lines.append(f"| {job} | " + " | ".join(f"{figures.get(stage, 0):.3f}" for stage in stages) + " |")
    return TEXT["costs"] + "\n" + "\n".join(lines) + "\n"


def beside(section: str, variable: str) -> str:
    """What another script measured in the same run; nothing where it did not."""
    path = os.environ.get(variable)
    if path is None:
        return ""
    with open(path) as file:
        return TEXT[section] + "\n" + file.read()


def write(results: dict) -> None:
    groups = results["groups"]
    main = results["main_size"]

    def curve(contestant: str, figure: str, job: str = "decrypt") -> list[tuple[float, float]]:
        points = [
            (group["size"], group["contestants"][contestant][figure]) for group in groups
            if group["job"] == job and contestant in group["contestants"]]
        return sorted((x, y / 1024 if figure == "peak_kib" else y) for x, y in points if y)

    names = [OURS, "C reference", "openssl enc", "age", "Python", "Node"]
    rate = {contestant: curve(contestant, "median") for contestant in names}
    memory = {contestant: curve(contestant, "peak_kib") for contestant in names}
    at_main = next(group for group in groups if group["job"] == "decrypt" and group["size"] == main)
    peers = {contestant: result["median"] for contestant, result in at_main["contestants"].items()}
    plots = {
        "performance-rate.svg": plot.curves("Decrypting to a file, GB/s by size of the video", rate),
        "performance-memory.svg": plot.curves("Decrypting, peak MiB by size of the video", memory),
        "performance-peers.svg": plot.bars(f"Decrypting {size(main)} to a file, GB/s", peers, OURS),
    }
    for file_name, svg in plots.items():
        with open(os.path.join(DOCS, file_name), "w") as file:
            file.write(svg)

    machine = {"commit": results["commit"], "date": results["date"], **results["machine"]}
    unmet = sum(row["met"] is False for row in results["targets"])
    summary = "All targets are met." if not unmet else f"{unmet} of {len(results['targets'])} targets are not met."
    parts = [
        TEXT["head"], "## Targets\n", f"{summary}\n\n{TEXT['targets']}", table(results["targets"]), TEXT["plots"],
        "## Where\n", "\n".join(f"- {key}: {value}" for key, value in machine.items()),
        TEXT["how"], beside("service", "SERVICE_TABLE"), beside("archive", "ARCHIVE_TABLE"), costs(), TEXT["figures"]]
    for group in groups:
        if group["job"] in ("open and discard", "decrypt", "encrypt") and group["size"] != main:
            continue
        runs = max(result["runs"] for result in group["contestants"].values())
        title = f"{group['job']}, {size(group['size'])}, {runs} runs"
        parts.append(f"\n### {title[0].upper()}{title[1:]}\n\n{group_table(group)}")
    with open(os.path.join(DOCS, "PERFORMANCE.md"), "w") as file:
        file.write("\n".join(parts) + "\n")


TEXT = {
    "head": """# Performance

`scripts/bench --report` writes this page. Most targets are ratios within one run: figures of one machine mean
little on another. GB/s are 10^9 bytes of plaintext per second.
""", "targets": """*Measured* is the median of the ratios of single rounds, and must reach the target. The ratio of the *best runs* is closer
to the truth if other work slowed one contestant more. See [How](#how).
""", "plots": """
## By size

![Rate by size](performance-rate.svg)

![Memory by size](performance-memory.svg)

![Rates of all contestants](performance-peers.svg)
""",
    "how": """
## How

- **Rounds.** Every contestant runs once in every round, in turn (Python and Node in the first three). Commands are timed
  from outside, including their start. All files are in memory (tmpfs).
- ***v1*, *v2*** are `evidence-v1` and `evidence-v2`; a row that names neither is about `evidence-v1`. ***Discarding***:
  the opened video is not written. ***Vendor's order***: the video stands before its wrapped key. ***Slashes escaped***:
  each `/` of the base64 is `\/`.
- ***C reference*** is [Benchmarks/reference](../Benchmarks/reference/reference.c): libcrypto, vectorised base64, and the
  steps by which the product writes a file, without checking the JSON. ***openssl enc*** decrypts as many bytes under
  AES-256-CBC from one line of base64, without checking or syncing. ***age*** opens its own file, ***Python***
  and ***Node*** the same payload. ***openssl speed*** is the cipher, the digest or the RSA operation alone.
- **Threads.** A row that names no number of threads uses both cores; its *C reference* and *openssl speed* use one.
- ***Check*** digests the video and the whole document on a thread each, 2.3 bytes for each byte of the video; with the
  digests of all fields, 3.7. With the cipher, that fills two cores at 0.53, with AVX-512 at 0.64 (computed). Of the
  instructions of a small check, 78 % are RSA's, the rest many small steps.
- ***1 MiB out of 1 GiB***: the first part includes an RSA operation and, without an index, reading the whole document
  ([FORMATS §8.4](FORMATS.md#84-ranges)).
- ***Memory***: about 15 MiB are pages of the program. ***Start***: half is the loader's, for 5,771 symbols and 51,118
  addresses.
- **Another processor**, with AVX-512, missed 10 of 42 targets on 29 November 2026, none for starting or the first byte.
  RSA takes 0.25 ms there, not 0.82; on OpenSSL 3.5, two threads reached 0.68 of the cipher in *v2* (C reference: 0.73).
""",
    "service": """## Payloads through the service

`Benchmarks/service.py`, medians of five rounds: payloads opened by `evidence-service` on the same two cores as the load
generator, beside calls in one process. *Share* is of these calls; the goal for 4 KiB over 8 connections is 0.7. The time
of a request is that from its first byte sent to its last byte received, while all connections are busy.
""", "archive": """## An archive

`Benchmarks/archive.py`, rates in records a second: the commands that sync for each record, `append` of a list, which
shares the syncs, and `verify` beside `sha256sum` of the same files. The goals are in brackets.
""", "costs": """## Cost of each stage

Instructions per byte of plaintext on one thread with the AVX2 kernels, counted by callgrind. `scripts/bench --cost`
fails if a figure has grown by more than 5 % over `Benchmarks/costs.json`.
""", "figures": """## All figures

Medians, with minimum and maximum. [The plots](#by-size) show other sizes.""", }
