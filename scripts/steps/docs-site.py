#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of this repository as one static site, which loads nothing from elsewhere.

docs-site.py DIR          writes it: the pages in both languages, the manual pages, the schemas, each file or folder that
                          a page links to, and a search; scripts/docs --site DIR adds the reference of the Swift modules
                          as DIR/api
docs-site.py --check DIR  fails if a link of it leads nowhere, or if a page would load something from elsewhere

Needs markdown-it-py, and mandoc for the manual pages.
"""

from __future__ import annotations

import html
import json
import os
import pathlib
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent / "site"
CHINESE = ".zh-CN"
WORDS = {
    "en": {"search": "Search", "pages": "Pages", "api": "Swift reference", "schemas": "JSON schemas", "none": "Nothing found"},
    "zh-CN": {"search": "搜索", "pages": "页面", "api": "Swift 参考", "schemas": "JSON schema", "none": "没有结果"},
}


def slug(heading: str) -> str:
    """What a heading is called in a link, as Tests/PublicAPITests has it."""
    return "".join(c for c in heading.lower() if c.isalnum() or c in " -_").replace(" ", "-")


class Site:
    def __init__(self, target: pathlib.Path) -> None:
        from markdown_it import MarkdownIt
        self.markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
        self.target = target
        # In the order of docs/README.md, which says what is for whom.
        order = re.findall(r"\]\((\w[\w.-]*\.md)\)", (ROOT / "docs/README.md").read_text())
        self.pages = [ROOT / "README.md", ROOT / "README.zh-CN.md", ROOT / "docs/README.md"]
        self.pages += sorted(set((ROOT / "docs").glob("*.md")) - {ROOT / "docs/README.md"}, key=lambda page: ((order + [page.name]).index(page.name), page.name))
        self.pages += [ROOT / name for name in ("CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "TestVectors/README.md")]
        self.schemas = sorted((ROOT / "docs/schemas").glob("*.json"))
        self.index: list[dict] = []
        # What pages link to and is no page.
        self.linked: set[pathlib.Path] = set()
        self.done: set[pathlib.Path] = set()

    def place(self, path: pathlib.Path) -> str:
        """Where the site has what the repository has at `path`."""
        name = path.relative_to(ROOT).as_posix()
        if path == ROOT / "README.md":
            return "index.html"
        if path.is_dir():
            return f"{name}/index.html"
        if path.suffix == ".md":
            return name[:-3] + ".html"
        return name if path.suffix in (".svg", ".gz", ".jpg", ".png", ".mp4") else name + ".html"

    def link(self, page: pathlib.Path, href: str) -> str:
        if re.match(r"[a-z]+:|#", href):
            return href
        path, anchor = urldefrag(href)
        found = (page.parent / unquote(path)).resolve()
        if not found.exists() or not found.is_relative_to(ROOT):
            sys.exit(f"{page.relative_to(ROOT)} links to {href}")
        if found not in self.pages:
            self.linked.add(found)
        here = os.path.dirname(self.place(page)) or "."
        return os.path.relpath(self.place(found), here) + (f"#{anchor}" if anchor else "")

    def render(self, page: pathlib.Path) -> tuple[str, str, list[str]]:
        """A page's title, its HTML, and its headings."""
        tokens = self.markdown.parse(page.read_text())
        headings, taken = [], set()
        for token, after in zip(tokens, tokens[1:] + tokens[-1:]):
            if token.type == "heading_open":
                text = "".join(part.content for part in after.children if part.type in ("text", "code_inline"))
                headings.append(text)
                if slug(text) not in taken:
                    token.attrSet("id", slug(text))
                taken.add(slug(text))
            for part in token.children or []:
                name = {"link_open": "href", "image": "src"}.get(part.type)
                if name:
                    part.attrSet(name, self.link(page, part.attrGet(name)))
        body = self.markdown.renderer.render(tokens, self.markdown.options, {})
        return (headings or [page.name])[0], body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>"), headings

    def write(self, place: str, title: str, body: str, language: str = "en", other: str = "", headings: list[str] = ()) -> None:
        up = "../" * place.count("/")
        words = WORDS[language]
        text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())
        self.index.append({"title": title, "place": place, "language": language, "headings": list(headings), "text": text})
        items = []
        for page in self.pages:
            name = page.name.removesuffix(".md").removesuffix(CHINESE)
            there = page.with_name(f"{name}{CHINESE}.md")
            if page.name.endswith(f"{CHINESE}.md") or page.parent.name == "TestVectors":
                continue
            of = there if language != "en" and there.exists() else page
            current = ' aria-current="page"' if self.place(of) == place else ""
            label = "docs" if page == ROOT / "docs/README.md" else "evidence-kit" if page == ROOT / "README.md" else name
            items.append(f'<li><a href="{up}{self.place(of)}"{current}>{label}</a></li>')
        items += [f'<li><a href="{up}docs/schemas/index.html">{words["schemas"]}</a></li>',
                  f'<li><a href="{up}api/documentation/evidencekit/">{words["api"]}</a></li>']
        switch = f'<a class="language" href="{html.escape(other)}">{"中文" if language == "en" else "English"}</a>' if other else ""
        file = self.target / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"""<!DOCTYPE html>
<html lang="{language}" data-up="{up}" data-none="{words['none']}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{html.escape(title)} – evidence-kit</title>
<link rel="stylesheet" href="{up}site.css"><link rel="icon" href="data:,">
<script defer src="{up}index.js"></script><script defer src="{up}search.js"></script></head>
<body>
<header><a class="home" href="{up}index.html">evidence-kit</a>
<input type="search" id="search" placeholder="{words['search']}" aria-label="{words['search']}" autocomplete="off">{switch}</header>
<nav aria-label="{words['pages']}"><ul>{''.join(items)}</ul></nav>
<main><ol id="found" hidden></ol><article>{body}</article></main>
</body></html>
""")

    def write_page(self, page: pathlib.Path) -> None:
        title, body, headings = self.render(page)
        chinese = page.name.endswith(f"{CHINESE}.md")
        other = page.with_name(page.name.replace(f"{CHINESE}.md", ".md") if chinese else page.name.replace(".md", f"{CHINESE}.md"))
        there = self.link(page, other.name) if other.exists() else ""
        self.write(self.place(page), title, body, "zh-CN" if chinese else "en", there, headings)

    def write_linked(self, path: pathlib.Path) -> None:
        """A file or a folder of the repository, so that a link to it leads somewhere."""
        if path in self.done or path in self.pages:
            return
        self.done.add(path)
        name = path.relative_to(ROOT).as_posix()
        place = self.place(path)
        if path.is_dir():
            tracked = subprocess.run(["git", "ls-files", "-z", "--", name], cwd=ROOT, check=True, capture_output=True, text=True).stdout
            inside = sorted({file.removeprefix(name + "/").split("/")[0] for file in tracked.split("\0") if file})
            for part in inside:
                self.write_linked(path / part)
            items = "".join(f'<li><a href="{os.path.relpath(self.place(path / part), name)}">{html.escape(part)}</a></li>' for part in inside)
            self.write(place, name, f"<h1>{name}</h1><ul>{items}</ul>")
        elif place == name:
            (self.target / place).parent.mkdir(parents=True, exist_ok=True)
            (self.target / place).write_bytes(path.read_bytes())
        elif path.suffix == ".1":
            body = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", path], check=True, capture_output=True, text=True).stdout
            self.write(place, path.name.removesuffix(".1"), body)
        else:
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                text = "This file is not a text."
            # Of a large one, the beginning.
            shown = text if len(text) < 300_000 else text[:300_000] + "\n…"
            self.write(place, name, f"<h1>{name}</h1><pre><code>{html.escape(shown)}</code></pre>")

    def make(self) -> None:
        for page in self.pages:
            self.write_page(page)
        for schema in self.schemas:  # As a program loads it, too.
            (self.target / "docs/schemas").mkdir(parents=True, exist_ok=True)
            (self.target / "docs/schemas" / schema.name).write_bytes(schema.read_bytes())
        self.linked.add(ROOT / "docs/schemas")
        for path in sorted(self.linked):
            self.write_linked(path)
        for entry in self.index:  # Vectors and sources are found by their names alone.
            if not entry["headings"] and not entry["place"].startswith("docs/"):
                entry["text"] = ""
        (self.target / "index.js").write_text("const pages = " + json.dumps(self.index, ensure_ascii=False) + ";\n")
        for name in ("site.css", "search.js"):
            (self.target / name).write_bytes((HERE / name).read_bytes())
        print(f"site: {len(self.index)} pages")


class Links(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list) -> None:
        values = dict(attributes)
        if values.get("id"):
            self.anchors.add(values["id"])
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag in ("link", "script", "img", "iframe") and (found := values.get("href") or values.get("src")):
            self.loads.append(found)


def check(target: pathlib.Path) -> int:
    faults, count, read = [], 0, {}

    def parsed(file: pathlib.Path) -> Links:
        if file not in read:
            read[file] = Links(file.read_text())
        return read[file]

    for file in sorted(target.rglob("*.html")):
        if (target / "api") in file.parents:  # DocC's own, which scripts/docs checks.
            continue
        page = parsed(file)
        faults += [f"{file.relative_to(target)} loads {load}" for load in page.loads if re.match(r"[a-z]+:|//", load) and load != "data:,"]
        for link in page.links + [load for load in page.loads if ":" not in load]:
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            path, anchor = urldefrag(link)
            found = (file.parent / unquote(path)).resolve() if path else file
            if path.endswith("/"):  # DocC knows its pages by their folders alone.
                found /= "index.html"
            if not found.is_file():
                faults.append(f"{file.relative_to(target)} links to {link}")
            elif anchor and found.suffix == ".html" and unquote(anchor) not in parsed(found).anchors:
                faults.append(f"{file.relative_to(target)} links to {link}, which has no such heading")
    for fault in faults[:40]:
        print(fault, file=sys.stderr)
    if faults or count < 1000:
        print(f"site: {len(faults)} of {count} links lead nowhere", file=sys.stderr)
        return 1
    print(f"site: {count} links of {len(read)} pages, none dead; nothing is loaded from elsewhere")
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        sys.exit(check(pathlib.Path(sys.argv[2]).resolve()))
    Site(pathlib.Path(sys.argv[1]).resolve()).make()
