#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw docs/journey.svg and docs/journey.zh-CN.svg: the way from the phone to the court, and what each step proves.

    scripts/steps/journey.py            writes them
    scripts/steps/journey.py --check    fails where a committed file is not what is drawn
"""

from __future__ import annotations

import html
import pathlib
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parents[2]

WIDTH, MARGIN = 1000, 24
BOX, BOX_HEIGHT, BOX_TOP = 132, 46, 70
CARD_GAP, CARD_TOP, PAD = 12, 152, 12
# Of the cards, by how much each has to say.
SHARES = [6, 10, 8, 9, 8]
SIZE, LINE = 13, 18

# From where to where each arrow goes (places by their number), and of each language: the picture's name, the places, and
# of each arrow what goes, what that proves, and what it does not prove.
ARROWS = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]
WORDS = {
    "docs/journey.svg": (
        "From the phone to the court: what each step proves",
        ["Phone", "Vendor", "Your backend", "Archive", "Court"],
        [
            ("The scan", "Only the vendor sees it, and judges it.", "To you: nothing."),
            (
                "The result: sign, sealed video",
                "By its sign, to you: the vendor passed this order. By a tag: the video is as it was sealed. By a device "
                "key: which installation sent it.",
                "Not who sealed the video.",
            ),
            (
                "The answer to your query", "What the vendor says of this order.",
                "To others it is your word: nobody signed it.",
            ),
            (
                "What you checked",
                "By signature and time stamp: it existed by then, and has not changed since.",
                "Not that it was true.",
            ),
            (
                "A proof pack",
                "The record is whole, signed and time-stamped: anyone can verify that with openssl.",
                "Not who stood before the camera.",
            ),
        ],
    ),
    "docs/journey.zh-CN.svg": (
        "从手机到法院：每一步能证明什么",
        ["手机", "厂商", "你的后端", "归档", "法院"],
        [
            ("扫脸", "只有厂商看得到，由厂商判定。", "对你：什么也证明不了。"),
            (
                "结果：sign 与加密视频",
                "sign 向你证明：厂商判定该订单通过。认证标签证明：视频与加密时一致。设备签名证明：结果出自哪个安装实例。",
                "不能证明视频是谁加密的。",
            ),
            ("查询的应答", "厂商对该订单的说法。", "没有人签名，对外只是你的一面之词。"),
            ("检查过的内容", "签名和时间戳证明：当时已经存在，此后没有改动。", "不能证明内容真实。"),
            ("证明包", "记录完整、已签名、有时间戳：任何人用 openssl 就能验证。", "不能证明镜头前是谁。"),
        ],
    ),
}

STYLE = """
text { font-family: system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", sans-serif; font-size: 13px; fill: #1f2328 }
.place { font-size: 15px; font-weight: 600 }
.what { font-weight: 600 }
.not { fill: #59636e }
.number { font-size: 12px; font-weight: 700; fill: #ffffff }
.box { fill: #ddf4ff; stroke: #54aeff }
.others { fill: #eaeef2; stroke: #afb8c1 }
.card { fill: #f6f8fa; stroke: #d1d9e0 }
.badge { fill: #0969da }
.arrow { fill: none; stroke: #656c76; stroke-width: 1.6 }
.head { fill: #656c76 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.not { fill: #9198a1 }
.number { fill: #ffffff }
.box { fill: #0c2d6b; stroke: #388bfd }
.others { fill: #262c36; stroke: #656c76 }
.card { fill: #151b23; stroke: #3d444d }
.badge { fill: #1f6feb }
.arrow { stroke: #9198a1 }
.head { fill: #9198a1 }
}
"""


def width(text: str) -> float:
    """In pixels; generous, since the reader's font is not known."""
    return sum(SIZE * (1 if unicodedata.east_asian_width(each) in "WF" else 0.56) for each in text)


def lines(text: str, room: float) -> list[str]:
    """Broken between words, and between any two Chinese characters, but for a mark that must not begin a line."""
    pieces: list[str] = []
    for each in text:
        wide = unicodedata.east_asian_width(each) in "WF"
        joins = pieces and (each in "，。：；、" or not wide and each != " " and pieces[-1].isascii() and pieces[-1] != " ")
        if joins:
            pieces[-1] += each
        else:
            pieces.append(each)
    found = [""]
    for piece in pieces:
        if width((found[-1] + piece).rstrip()) > room:
            found.append("")
        found[-1] += piece if found[-1] or piece != " " else ""
    return [line.rstrip() for line in found]


def draw(name: str) -> str:
    label, places, arrows = WORDS[name]
    out: list[str] = []
    wide = [(WIDTH - 2 * MARGIN - CARD_GAP * (len(arrows) - 1)) * share / sum(SHARES) for share in SHARES]
    left = [MARGIN + sum(wide[:k]) + CARD_GAP * k for k in range(len(arrows))]
    step = (WIDTH - 2 * MARGIN - BOX) / (len(places) - 1)
    middle = [MARGIN + BOX / 2 + step * k for k in range(len(places))]
    axis = BOX_TOP + BOX_HEIGHT / 2

    def text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> None:
        out.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(words)}</text>')

    def badge(x: float, y: float, number: int) -> None:
        out.append(f'<circle class="badge" cx="{x:.1f}" cy="{y:.1f}" r="10"/>')
        text(x, y + 4.3, str(number), "number", "middle")

    for number, (start, end) in enumerate(ARROWS, 1):
        if end == start + 1:
            tail, head = middle[start] + BOX / 2 + 4, middle[end] - BOX / 2 - 4
            out.append(f'<path class="arrow" d="M{tail:.1f} {axis:.1f}H{head - 7:.1f}"/>')
            out.append(f'<path class="head" d="M{head:.1f} {axis:.1f}l-9 -5v10z"/>')
            badge((tail + head) / 2 - 3, axis, number)
        else:
            top, down = BOX_TOP - 44, BOX_TOP - 4
            out.append(
                f'<path class="arrow" d="M{middle[start]:.1f} {down}V{top + 10}q0 -10 10 -10H{middle[end] - 10:.1f}'
                f'q10 0 10 10V{down - 7}"/>')
            out.append(f'<path class="head" d="M{middle[end]:.1f} {down}l-5 -9h10z"/>')
            badge((middle[start] + middle[end]) / 2, top, number)
    for k, place in enumerate(places):
        kind = "box" if place in places[2:4] else "others"
        out.append(
            f'<rect class="{kind}" x="{middle[k] - BOX / 2:.1f}" y="{BOX_TOP}" width="{BOX}" height="{BOX_HEIGHT}" rx="8"/>')
        text(middle[k], axis + 5, place, "place", "middle")

    bottoms = []
    under = len(out)
    for k, (what, proves, does_not) in enumerate(arrows):
        x, y, room = left[k] + PAD, CARD_TOP + PAD + 10, wide[k] - 2 * PAD
        badge(x + 10, y, k + 1)
        # Bold is wider.
        for line in lines(what, (room - 28) / 1.1):
            text(x + 28, y + 4.5, line, "what")
            y += LINE
        y += 16
        for kind, words in (("", proves), ("not", does_not)):
            for line in lines(words, room):
                text(x, y, line, kind)
                y += LINE
            y += 5
        bottoms.append(y)
    height = max(bottoms) - LINE + PAD - CARD_TOP
    for k in range(len(arrows)):
        out.insert(
            under,
            f'<rect class="card" x="{left[k]:.1f}" y="{CARD_TOP}" width="{wide[k]:.1f}" height="{height:.0f}" rx="8"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {CARD_TOP + height + MARGIN:.0f}" role="img" '
        f'aria-label="{html.escape(label)}">\n<style>{STYLE}</style>\n' + "\n".join(out) + "\n</svg>\n")


if __name__ == "__main__":
    for name in WORDS:
        picture = draw(name)
        if sys.argv[1:] == ["--check"]:
            if not (ROOT / name).exists() or (ROOT / name).read_text("utf-8") != picture:
                sys.exit(f"{name} is not what scripts/steps/journey.py draws: run it")
        else:
            (ROOT / name).write_text(picture, "utf-8")
