# SPDX-License-Identifier: Apache-2.0
"""Two kinds of plot as SVG, readable on light and dark pages."""

import math

from targets import name

WIDTH, LEFT, RIGHT, TOP = 720, 62, 150, 40
COLOURS = ["#0a84c6", "#8a8f98", "#e07b00", "#2f9e44", "#b5459b", "#c92a2a"]
STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #444 }
.title { font-weight: 600; font-size: 14px }
.grid { stroke: #8884; stroke-width: 1 }
@media (prefers-color-scheme: dark) { text { fill: #ccc } }
</style>"""


def document(height: int, title: str, body: list[str]) -> str:
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{title}">',
        STYLE, f'<text class="title" x="{LEFT}" y="20">{title}</text>', *body, "</svg>", ""])


def text(x: float, y: float, content: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{content}</text>'


def curves(title: str, series: dict[str, list[tuple[float, float]]]) -> str:
    """Both axes logarithmic: sizes by powers of two, values by powers of ten."""
    height, bottom = 360, 320
    series = {label: points for label, points in series.items() if points}
    xs = [math.log2(x) for points in series.values() for x, _ in points]
    ys = [math.log10(y) for points in series.values() for _, y in points]
    low_x, high_x = min(xs), max(max(xs), min(xs) + 1)
    low_y, high_y = math.floor(min(ys)), max(math.ceil(max(ys)), math.floor(min(ys)) + 1)

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            LEFT + (math.log2(x) - low_x) / (high_x - low_x) * (WIDTH - LEFT - RIGHT),
            bottom - (math.log10(y) - low_y) / (high_y - low_y) * (bottom - TOP))

    body = []
    for power in range(low_y, high_y + 1):
        _, y = place(2**low_x, 10.0**power)
        body.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        body.append(text(LEFT - 8, y + 4, f"{10.0**power:g}", "end"))
    for x in sorted({x for points in series.values() for x, _ in points}):
        body.append(text(place(x, 10.0**low_y)[0], bottom + 20, name(int(x)), "middle"))
    # Labels stand beside the ends of their curves, pushed apart where these are close.
    free = TOP
    ends = sorted(series, key=lambda label: -place(*series[label][-1])[1], reverse=True)
    colours = dict(zip(series, COLOURS))
    for label in ends:
        points = [place(x, y) for x, y in series[label]]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        body.append(f'<polyline points="{line}" fill="none" stroke="{colours[label]}" stroke-width="2.5"/>')
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colours[label]}"/>' for x, y in points]
        y = max(points[-1][1] + 4, free)
        free = y + 16
        body.append(f'<rect x="{WIDTH - RIGHT + 12}" y="{y - 9:.1f}" width="10" height="10" fill="{colours[label]}"/>')
        body.append(text(WIDTH - RIGHT + 28, y, label))
    return document(height, title, body)


def bars(title: str, values: dict[str, float], ours: str) -> str:
    left, step = 210, 26
    height = TOP + step * len(values) + 10
    widest = max(values.values())
    body = []
    for row, (label, value) in enumerate(values.items()):
        y = TOP + step * row
        width = value / widest * (WIDTH - left - 70)
        colour = COLOURS[0] if label.startswith(ours) else COLOURS[1]
        body.append(text(left - 8, y + 14, label, "end"))
        body.append(f'<rect x="{left}" y="{y}" width="{max(width, 1):.1f}" height="18" fill="{colour}"/>')
        body.append(text(left + width + 6, y + 14, f"{value:.2f}"))
    return document(height, title, body)
