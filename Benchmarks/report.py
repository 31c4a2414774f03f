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
    lines = ["| job | beside | target | measured | of the best runs | |", "| --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        unit = row["unit"] if row["unit"] == "×" else " " + row["unit"]
        measured = "not measured" if row["measured"] is None else f"{row['measured']:.3g}{unit}"
        best = "–" if row["best"] is None else f"{row['best']:.3g}{unit}"
        verdict = {True: "met", False: "**not met**", None: ""}[row["met"]]
        bar = f"{'≤' if row['at_most'] else '≥'} {row['target']:g}{unit}"
        lines.append(f"| {row['row']} | {row['against'] or '–'} | {bar} | {measured} | {best} | {verdict} |")
    return "\n".join(lines)


def group_table(group: dict) -> str:
    unit = group["unit"]
    lines = [f"| | {unit} | min–max | peak memory | runs |", "| --- | --- | --- | --- | --- |"]
    for contestant, result in group["contestants"].items():
        peak = f"{result['peak_kib'] / 1024:.1f} MiB" if result["peak_kib"] else "–"
        lines.append(
            f"| {contestant} | {number(result['median'])} | {number(result['min'])}–{number(result['max'])} "
            f"| {peak} | {result['runs']} |")
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
        TEXT["head"], "## Targets\n", f"{summary} {TEXT['targets']}", table(results["targets"]), TEXT["plots"],
        "## Where\n\n| | |\n| --- | --- |", "\n".join(f"| {key} | {value} |" for key, value in machine.items()),
        TEXT["how"], TEXT["model"], costs(), "## All figures"]
    for group in groups:
        title = f"{group['job']}, {size(group['size'])}"
        parts.append(f"\n### {title[0].upper()}{title[1:]}\n\n{group_table(group)}")
    with open(os.path.join(DOCS, "PERFORMANCE.md"), "w") as file:
        file.write("\n".join(parts) + "\n")


TEXT = {
    "head": """# Performance

`scripts/bench --report` writes this page. Each target is a ratio between figures of one run, because absolute figures of
one machine mean little on another. GB/s are 10^9 bytes of plaintext per second.
""",
    "targets": """[How](#how) describes each contestant. *Measured* is
the median of the ratios of single rounds, and must reach the target. If other work on the machine slowed one contestant
more than another, the ratio of the best runs is closer to the truth.
""",
    "plots": """
## By size

![Rate by size](performance-rate.svg)

![Memory by size](performance-memory.svg)

![Contestants side by side](performance-peers.svg)
""",
    "how": """
## How

- **Rounds.** Every contestant runs once in every round, in turn, so that other load on the machine affects all of them.
  Figures are medians, with minimum and maximum. Python and Node, which are slow, run in the first three rounds only.
- **Load.** A load average far above two means that others used the machine: two threads had less than two cores, and
  processes waited. The targets of scaling and of start then say more about the machine than about the product. Measure
  again.
- **Commands** are timed from outside, including their start. All files are in memory (tmpfs). Memory is the peak that the
  system reports for the process. In-process figures leave out start and key parsing.
- ***C reference*** is [Benchmarks/reference](../Benchmarks/reference/reference.c): one thread unless stated, libcrypto,
  vectorised base64. For a file it takes the product's steps: a nameless file, sync, a name, sync of the folder. It finds
  its fields by searching, so it does not check the JSON. The same run checks that it opens what the product sealed and
  the reverse, and that it refuses a damaged payload.
- ***openssl enc*** decrypts as many bytes under AES-256-CBC from one line of base64; it checks and syncs nothing. ***age***
  opens its own binary or armoured file. ***Python*** (json, base64, cryptography) and ***Node*** open the same payload as
  an integrator would write it. ***cp of the video*** only moves the bytes. ***openssl speed*** is the cipher, the digest
  or the RSA operation alone, in the same run.
- ***Assemble* and *check*** run in process: the video is digested while it is sealed or opened, and the result is
  discarded. A check also digests the document and the text of each field, 3.7 bytes for each byte of the video.
- ***1 MiB out of 1 GiB*** begins by reading the whole document, since nothing sealed shows where the video ends
  ([FORMATS](FORMATS.md), section 8.5). A `SealedVideoReader` does that once; *the head known* is a further part of the
  same reader. By the model below the reading takes 95 ns per KiB, so 0.1 s per GiB in the page cache. Counted for 256 MiB
  on a very busy machine it took 0.05 s of processor time, so 0.2 s per GiB. Only further parts meet the target of 2 ms.
  (Runs of commits before 295f28e omitted the reading: their 2.4 ms were an error.)
- ***--stream: memory*** is what the system reports, including the program's own pages. In the middle of a stream (22
  November 2026, 15.2 MB in all), 2.0 MB were the process's own, 7.5 MB pages of the program, 3.7 MB of OpenSSL's library,
  the rest of other libraries. Opening 4 KiB to a file has the same peak. The target of 12 MiB is below what the program
  needs to start and read a key.
- ***v2, one thread***: each chunk sets a nonce and checks a tag. The C reference pays for that as well (its own v2 to v1 is
  0.92 to 0.96 in these runs).
- ***To a file***: two runs on one quiet day gave medians of 0.79 and 1.32 for *v2, two threads* against *v1*. Single rounds
  differ by a factor of four, so neither says much.
- **Base64** figures count characters of text. The kernels are measured by themselves, at every level the machine has.
- **Repeat it**: `scripts/bench`; a quick look: `scripts/bench --quick`.
""",
    "model": """## More than two cores (a model)

The machine has two cores. What follows is **computed, not measured**. The input is the time of each step alone, in
nanoseconds per KiB of plaintext, on one thread of two shared cores with OpenSSL 3.0.19, taken from prototypes in C (192
MiB). `evidence-v2` from a file on N threads takes the larger of two times: the sum of the shared steps divided by N, and
the time of the serial steps.

| step | ns/KiB | on N threads |
| --- | --- | --- |
| reading the text out of the page cache | 80 | shared |
| base64, with the remaining checks of JSON | 15 | shared |
| AES-256-GCM in chunks of 16 KiB | 243 | shared |
| writing into one file | 360 beside other work, 440 alone | **serial**: one lock for each file |
| SHA-256 of the plaintext (`assemble`, `check`) | 582 | **serial**: one digest |
| unescaping `\\/` | 110 | **serial**: places in the text are lost |
| reading a pipe | 80 | **serial** |

| job | 1 thread | 2 | 4 | 8 |
| --- | --- | --- | --- | --- |
| open, discarding, or to many places | 338 | 169 | 85 | 42 |
| open into one file | 698 | 440 | 440 | 440 |
| `check` | 920 | 582 | 582 | 582 |
| `evidence-v1`, discarding (two threads at most: its cipher is serial) | 338 | 243 | 243 | 243 |

So more cores help if the output is not one file, up to the memory bandwidth: 42 ns/KiB are 24 GB/s. Into one file, 440
ns/KiB are 2.3 GB/s whatever the number of cores. (On the quieter machine of the figures below, writing was faster: up to
3 GB/s.) Digesting in parallel would need a hash tree, which would be another format. By default there are at most 16
threads.
""",
    "costs": """## Cost of each stage

Instructions per byte of plaintext, counted by callgrind (`scripts/bench --cost`). The counts are nearly the same in every
run, whatever the load. Valgrind does not support AVX-512, so the AVX2 kernels are counted, on one thread; work of the
system inside a call is not counted. `Benchmarks/costs.json` keeps the figures, and `scripts/bench --cost` fails if one
has grown by more than 5 %.
""",
}
