#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw docs/architecture.svg: the modules of Package.swift on one another, its products, and the packages around it.

    scripts/steps/architecture.py            writes it
    scripts/steps/architecture.py --check    fails where the committed file is not what is drawn

Groups are the headings (comments) of Package.swift; lint compares its modules with the table of docs/ARCHITECTURE.md.
"""

from __future__ import annotations

import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs/architecture.svg"

WIDTH, MARGIN = 1000, 24
BOX, BOX_GAP, ROW = 36, 26, 64
# Characters of the monospaced names, in pixels: generous, since the reader's font is not known.
LETTER = 8.8


def modules(package: str) -> dict[str, tuple[str, list[str]]]:
    """Each module of Sources, with its group and what it imports."""
    names = {folder.name for folder in (ROOT / "Sources").iterdir() if folder.is_dir()}
    found: dict[str, tuple[str, list[str]]] = {}
    group = "base"
    targets = package[package.index("    targets: [") :]
    statement = re.compile(
        r"// (The vendor's data|The payload)\."
        r'|\.systemLibrary\(\s*name: "(\w+)"|\.target\(name: "(C\w+)"[,)]'
        r'|module\(\s*"([\w-]+)"((?:,\s*"\w+")*)|\.executableTarget\(\s*name: "([\w-]+)", dependencies: \[([^\]]*)\]'
    )
    for match in statement.finditer(targets):
        heading, system, plain, name, imports, command, uses = match.groups()
        if heading:
            group = heading
        elif system or plain:
            found[system or plain] = ("C", [])
        elif name in names:
            found[name] = (group, re.findall(r'"(\w+)"', imports))
        elif command in names:
            found[command] = ("command", re.findall(r'"(\w+)"', uses))
    if set(found) != names:
        sys.exit(f"architecture: Package.swift was not understood: {sorted(names ^ set(found))}")
    for name in ("CommandSyntax", "CommandInputs", "EvidenceToolCommands"):
        found[name] = ("command", found[name][1])
    return found


def direct(graph: dict[str, list[str]]) -> dict[str, list[str]]:
    """What each imports and nothing that it imports already brings: the lines that are worth drawing."""
    below: dict[str, set[str]] = {}

    def reach(name: str) -> set[str]:
        if name not in below:
            below[name] = {x for each in graph[name] for x in reach(each) | {each}}
        return below[name]

    return {
        name: [each for each in uses if not any(each in reach(other) for other in uses if other != each)]
        for name, uses in graph.items()
    }


def layered(lines: dict[str, list[str]], level: dict[str, int]) -> tuple[list[list[str]], dict[str, list[str]]]:
    """Modules by layer, the lowest first, with a bend ("from>to@layer") wherever a line passes a layer."""
    layers: list[list[str]] = [[] for _ in range(1 + max(level.values()))]
    below: dict[str, list[str]] = {}
    for name, uses in lines.items():
        layers[level[name]].append(name)
        below.setdefault(name, [])
        for each in uses:
            last = name
            for k in range(level[name] - 1, level[each], -1):
                bend = f"{name}>{each}@{k}"
                layers[k].append(bend)
                below.setdefault(last, []).append(bend)
                last = bend
            below.setdefault(last, []).append(each)
    return layers, below


def heights(graph: dict[str, list[str]]) -> dict[str, int]:
    """How high each stands: just above the highest that it imports."""
    level: dict[str, int] = {}

    def height(name: str) -> int:
        if name not in level:
            level[name] = 1 + max((height(each) for each in graph[name]), default=-1)
        return level[name]

    for name in graph:
        height(name)
    return level


def places(layers: list[list[str]], below: dict[str, list[str]], size: dict[str, float]) -> dict[str, float]:
    """Where the middle of each is, from the left: near what it is joined to, and never on another (Sugiyama's method)."""
    above: dict[str, list[str]] = {}
    for name, uses in below.items():
        for each in uses:
            above.setdefault(each, []).append(name)
    x = {name: 90.0 * (i - (len(layer) - 1) / 2) for layer in layers for i, name in enumerate(layer)}

    def mean(name: str, near: dict[str, list[str]]) -> float:
        return sum(x[each] for each in near[name]) / len(near[name]) if near.get(name) else x[name]

    def settle(layer: list[str], near: dict[str, list[str]], reorder: bool) -> None:
        wanted = {name: mean(name, near) for name in layer}
        if reorder:
            layer.sort(key=lambda name: (wanted[name], name))
        # The nearest places that keep order and distance: neighbours that would overlap are moved as one.
        offset, at = [0.0], 0.0
        for left, right in zip(layer, layer[1:]):
            at += (size[left] + size[right]) / 2 + (BOX_GAP if "@" not in left + right else 12)
            offset.append(at)
        blocks: list[list[float]] = []
        for name, shift in zip(layer, offset):
            blocks.append([wanted[name] - shift, 1])
            while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
                (m, k), (n, j) = blocks[-2], blocks[-1]
                blocks[-2:] = [[(m * k + n * j) / (k + j), k + j]]
        moved = [m for m, k in blocks for _ in range(int(k))]
        for name, base, shift in zip(layer, moved, offset):
            x[name] = base + shift

    for turn in range(40):
        for layer in layers[1:]:
            settle(layer, below, turn < 24)
        for layer in layers[-2::-1]:
            settle(layer, above, turn < 24)
    left = min(x[name] - size[name] / 2 for name in x)
    right = max(x[name] + size[name] / 2 for name in x)
    return {name: value + WIDTH / 2 - (left + right) / 2 for name, value in x.items()}


def nested(products: list[str]) -> list[tuple[str, str, list[str]]]:
    """The packages beside this one: folder, what they are, and which products they use."""
    about = {
        "Packages/CLibrary": "C and Python", "Packages/Service": "HTTP", "Packages/Vendor": "client, sandbox",
        "Packages/Archive": "SQLite index", "Fuzz": "libFuzzer", "Benchmarks": "measurements",
        "Examples/Backend": "an example", "Examples/Client": "an example",
    }
    found = []
    for manifest in [*sorted(ROOT.glob("*/Package.swift")), *sorted(ROOT.glob("[PE]*s/*/Package.swift"))]:
        text = manifest.read_text()
        folder = str(manifest.parent.relative_to(ROOT))
        uses = [p for p in products if f'.product(name: "{p}"' in text]
        found.append((folder, about.get(folder, ""), uses))
    return found


def draw() -> str:
    package = (ROOT / "Package.swift").read_text()
    known = modules(package)
    graph = {name: uses for name, (_, uses) in known.items()}
    products = re.findall(r'^        \.(?:library|executable)\(name: "([\w-]+)"', package, re.M)
    lines, level = direct(graph), heights(graph)
    layers, below = layered(lines, level)
    size = {name: 14.0 if "@" in name else max(96, LETTER * len(name) + 24) for layer in layers for name in layer}
    middle = places(layers, below, size)
    around = nested(products)

    top = MARGIN + 46
    chip = 20
    tall = 58 + chip * max(len(uses) for _, _, uses in around)
    inner = top + tall + 22
    bottom = inner + 22 + ROW * len(layers)
    height = bottom + MARGIN + 30
    out: list[str] = []

    def text(x: float, y: float, words: str, kind: str, anchor: str = "middle") -> None:
        out.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>')

    def box(x: float, y: float, w: float, h: float, kind: str, radius: int = 7) -> None:
        out.append(f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{radius}"/>')

    text(MARGIN, MARGIN + 14, "evidence-kit", "title", "start")
    text(MARGIN + 136, MARGIN + 14, "each module imports only what is below it", "note", "start")

    # The packages around it, each with the products that it builds on.
    wide = (WIDTH - 2 * MARGIN - 10 * (len(around) - 1)) / len(around)
    for i, (folder, what, uses) in enumerate(around):
        x = MARGIN + i * (wide + 10)
        box(x, top, wide, tall, "package")
        text(x + wide / 2, top + 21, folder, "folder")
        text(x + wide / 2, top + 37, what, "small")
        for k, product in enumerate(uses or []):
            y = top + 48 + chip * k
            box(x + 8, y, wide - 16, chip - 4, "chip", 8)
            text(x + wide / 2, y + 12, product, "chiptext")
        if not uses:
            text(x + wide / 2, top + 60, "FuzzTargets", "small")
    box(MARGIN, inner, WIDTH - 2 * MARGIN, bottom - inner, "frame", 12)

    def row(k: int) -> float:
        return bottom - 26 - BOX - k * ROW

    # A line goes down from box to bend to box, straight beside the boxes that it passes.
    for name, uses in lines.items():
        for first in below[name]:
            step, y, path = first, row(level[name]) + BOX, f"M{middle[name]:.1f} {row(level[name]) + BOX:.1f}"
            x, k = middle[name], level[name] - 1
            while True:
                gap = (row(k) - y) / 2
                path += f"C{x:.1f} {y + gap:.1f} {middle[step]:.1f} {row(k) - gap:.1f} {middle[step]:.1f} {row(k):.1f}"
                if "@" not in step:
                    break
                x, y, k = middle[step], row(k) + BOX, k - 1
                path += f"V{y:.1f}"
                step = below[step][0]
            out.append(f'<path class="line" d="{path}"/>')
    kinds = {"C": "c", "base": "base", "The vendor's data": "vendor", "The payload": "payload", "command": "command"}
    for name in graph:
        x, y, wide = middle[name], row(level[name]), size[name]
        is_product = name in products
        box(x - wide / 2, y, wide, BOX, kinds[known[name][0]] + (" product" if is_product else ""))
        text(x, y + 23, name, "name strong" if is_product else "name")

    legend = [("c", "C"), ("base", "bytes and keys"), ("vendor", "the vendor's data"), ("payload", "the payload"),
              ("command", "the command"), ("base product", "a product: what other packages import")]
    x = MARGIN + 4
    for kind, words in legend:
        box(x, bottom + 16, 16, 16, kind, 4)
        text(x + 22, bottom + 28, words, "small", "start")
        x += 40 + 6.6 * len(words)

    style = """
text { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-size: 18px; font-weight: 600 }
.note { font-size: 13px; fill: #59636e }
.name { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 14px }
.folder { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12px; font-weight: 600 }
.strong { font-weight: 700 }
.small { font-size: 11.5px; fill: #59636e }
.chiptext { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 9.5px; fill: #0a3069 }
.frame { fill: #f6f8fa; stroke: #d1d9e0 }
.package { fill: none; stroke: #8c959f; stroke-dasharray: 5 3 }
.chip { fill: #ddf4ff; stroke: #54aeff }
.line { fill: none; stroke: #8c959f; stroke-opacity: .7; stroke-width: 1.3 }
.c { fill: #eaeef2; stroke: #afb8c1 }
.base { fill: #fff8c5; stroke: #d4a72c }
.vendor { fill: #dafbe1; stroke: #4ac26b }
.payload { fill: #fbefff; stroke: #c297ff }
.command { fill: #ffebe9; stroke: #ff8182 }
.product { stroke: #0969da; stroke-width: 3 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.note, .small { fill: #9198a1 }
.chiptext { fill: #c2e1ff }
.frame { fill: #151b23; stroke: #3d444d }
.package { stroke: #656c76 }
.chip { fill: #0c2d6b; stroke: #388bfd }
.line { stroke: #656c76; stroke-opacity: .8 }
.c { fill: #262c36; stroke: #656c76 }
.base { fill: #3b2f0b; stroke: #9e6a03 }
.vendor { fill: #12361f; stroke: #2ea043 }
.payload { fill: #2c1f47; stroke: #8957e5 }
.command { fill: #46191c; stroke: #da3633 }
.product { stroke: #58a6ff }
}
"""
    label = "The modules of evidence-kit on one another, its products, and the packages around it"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{label}">\n'
        f"<style>{style}</style>\n" + "\n".join(out) + "\n</svg>\n"
    )


if __name__ == "__main__":
    picture = draw()
    if sys.argv[1:] == ["--check"]:
        if not PICTURE.exists() or PICTURE.read_text() != picture:
            sys.exit("docs/architecture.svg is not what scripts/steps/architecture.py draws: run it")
    else:
        PICTURE.write_text(picture)
