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
    lines = ["| job | compared with | target | measured | of the best runs | |", "| --- | --- | --- | --- | --- | --- |"]
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
        TEXT["head"], "## Targets\n", f"{summary}\n\n{TEXT['targets']}", table(results["targets"]), TEXT["plots"],
        "## Where\n\n| | |\n| --- | --- |", "\n".join(f"| {key} | {value} |" for key, value in machine.items()),
        TEXT["how"], TEXT["service"], TEXT["model"], costs(), TEXT["figures"]]
    for group in groups:
        if group["job"] in ("decrypt", "encrypt") and group["size"] < 64 << 20:
            continue
        title = f"{group['job']}, {size(group['size'])}"
        parts.append(f"\n### {title[0].upper()}{title[1:]}\n\n{group_table(group)}")
    with open(os.path.join(DOCS, "PERFORMANCE.md"), "w") as file:
        file.write("\n".join(parts) + "\n")


TEXT = {
    "head": """# Performance

`scripts/bench --report` writes this page. Most targets are ratios between figures of one run, because absolute figures
of one machine mean little on another machine. The remaining targets are absolute times and amounts of memory. GB/s are
10^9 bytes of plaintext per second. """, "targets": """*Measured* is the median of the ratios of single rounds, and must
reach the target. If other work on the machine slowed one contestant more than the other, the ratio of the best runs is
closer to the truth. [How](#how) describes each contestant. """, "plots": """
## By size

![Rate by size](performance-rate.svg)

![Memory by size](performance-memory.svg)

![Rates of all contestants](performance-peers.svg)
""",
    "how": """
## How

- **Rounds.** Every contestant runs once in every round, in turn, so that other load on the machine affects all of them.
  Figures are medians, with minimum and maximum. Python and Node, which are slow, run in the first three rounds only.
- **Load.** A load average far above two means that other work used the machine: two threads had less than two cores,
  and processes waited. The targets for two threads and for starting then say more about the machine than about the
  product. Measure again.
- ***v1*, *v2*** are the formats `evidence-v1` and `evidence-v2`. Where a row names neither, the payload is
  `evidence-v1`. ***Discarding***: the opened video is not written.
- **Commands** are timed from outside, including their start. All files are in memory (tmpfs). Memory is the peak that
  the system reports for the process. Figures that are measured inside a process leave out the start of the process and
  the reading of keys.
- ***C reference*** is [Benchmarks/reference](../Benchmarks/reference/reference.c): one thread unless stated, libcrypto,
  vectorised base64. It writes a file in the same steps as the product: it writes an unnamed file, syncs it, gives it
  its name, and syncs the folder. The reference searches for the fields and does not check the JSON. Each run checks
  that the reference opens what the product sealed, that the product opens what the reference sealed, and that the
  reference refuses a damaged payload.
- ***openssl enc*** decrypts as many bytes under AES-256-CBC from one line of base64, without checking or syncing.
  ***age*** opens its own binary or armoured file. ***Python*** (json, base64, cryptography) and ***Node*** open the
  same payload with a program such as an integrator would write. ***cp of the video*** only copies the bytes. ***openssl
  speed*** measures the cipher, the digest or the RSA operation alone, in the same run.
- ***Assemble* and *check*** run inside a process: the video is digested while it is sealed or opened, and the result is
  discarded. A check also digests the document and the text of each field: in all, it digests 3.7 bytes for each byte of
  the video.
- ***Vendor's order*** (of the fields): the video stands before its wrapped key. ***Slashes escaped***: each `/` of the
  base64 is `\\/`.
- ***1 MiB out of 1 GiB*** includes the creation of a `SealedVideoReader`, which reads the whole document, since nothing
  sealed shows where the video ends ([FORMATS §8.5](FORMATS.md#85-ranges)). *A further part* is the part that the same
  reader opens next, without reading the document again. Only further parts can meet the target of 2 ms.
- ***--stream: memory*** includes the program's own pages. In the middle of a stream the process used 15.2 MB: 2.0 MB
  for its own data, 7.5 MB for pages of the program, 3.7 MB for pages of OpenSSL's library, and the rest for pages of
  other libraries. The target of 12 MiB is less than the program needs to start and read a key.
- ***v2, one thread***: for each chunk, a nonce is set and a tag is checked. This costs the C reference time as well: it
  opens v2 at 0.92 to 0.96 of the rate at which it opens v1.
- ***To a file***: two runs on one quiet day gave medians of 0.79 and 1.32 for *v2, two threads* compared with *v1, two
  threads*. Single rounds differ by a factor of four, so neither median says much.
- **Base64** figures count characters of text. The kernels are measured by themselves, with each set of vector
  instructions that the machine has.
- **To repeat**: `scripts/bench`, or `scripts/bench --quick` for a first impression.
""",
    "service": """## Small payloads through the service

4 KiB over 8 connections to `evidence-service`, compared with calls in one process on the same two cores
(`Benchmarks/service.py`, 22 November 2026, medians of five rounds on a quiet machine). The load comes from a small C
program on the same cores (`reference/requests.c`).

- **Rate**: 7,320 requests a second through the service, 8,730 calls a second in one process: 0.84. The goal is 0.7.
- **Processor time per request**: 227 µs in one process; 271 µs through the service, of which 260 µs are the service's
  and 11 µs the load's. """, "model": """## More than two cores (a model)

The machine has two cores. The figures for more cores are **computed, not measured**. They are computed from the time of
each step alone, in nanoseconds per KiB of plaintext. These times were measured with prototypes in C (192 MiB), on one
thread of two shared cores with OpenSSL 3.0.19. To open `evidence-v2` from a file on N threads takes the larger of two
times: the sum of all steps divided by N, and the sum of the serial steps.

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

So if the output is not one file, more cores help, up to the memory bandwidth: 42 ns/KiB are 24 GB/s. If it is one file,
the rate is 2.3 GB/s (440 ns/KiB) whatever the number of cores. (The machine of the figures below was quieter, and wrote
up to 3 GB/s.) Digesting in parallel would need a hash tree, which would be a different format. By default there are at
most 16 threads. """, "costs": """## Cost of each stage

The table has instructions per byte of plaintext, counted by callgrind (`scripts/bench --cost`) on one thread. The
counts are nearly the same in every run, whatever the load. Valgrind does not support AVX-512, so the AVX2 kernels are
counted. Instructions of the system inside a system call are not counted. `Benchmarks/costs.json` keeps the figures, and
`scripts/bench --cost` fails if one has grown by more than 5 %. """, "figures": """## All figures

For decrypting and encrypting, the tables begin at 64 MiB; [the plots](#by-size) show the smaller sizes.""", }
