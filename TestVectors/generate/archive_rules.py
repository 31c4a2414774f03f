# SPDX-License-Identifier: Apache-2.0
"""What records may say of each other: docs/ARCHIVE.md §1.2. Nothing here opens a file."""

from __future__ import annotations

import collections
import copy
import datetime
import re
from dataclasses import dataclass, field
from typing import Iterable, Optional

from archive_text import DAY, HEX32, HEX64, MOMENT, NUMBER, PART, lines_of, need

NN = [f"{number:02d}" for number in range(1, 17)]
FACE_PARTS = {"result.json", "answer.json", "video.mp4", "photo.jpg", "video.key", "statement.key", *(f"face-{n}" for n in NN)}
ATTACHED = {f"attached-{n}" for n in NN}
FACTS = {"outline.json", "answer-outline.json", "statement.json", "device.json", "device-key.der", "about.json", *ATTACHED}
EVIDENCE = FACE_PARTS | FACTS | {"report.json"}
ADDITION = FACE_PARTS | FACTS | {"note.txt"}
ACT = {"about.json", "note.txt", *ATTACHED}
NEEDED = {"outline.json", "result.json", "answer.json"}
PARTS, PART_BYTES, STATEMENT_BYTES, OPENS, ADDITIONS, SIGNERS = 64, 2**32, 16_384, 128, 256, 4
WITH_RECORD = ("adds", "erases", "reduces", "exports", "opens", "holds", "releases")


@dataclass
class Statement:
    record: str
    parts: dict[str, tuple[int, str]] = field(default_factory=dict)
    kind: str = ""  # "" is evidence
    targets: list[str] = field(default_factory=list)
    key_ids: list[str] = field(default_factory=list)
    day: str = ""
    is_face: bool = False  # of `keeps`
    until: str = ""
    face_until: str = ""
    line: Optional[str] = None
    time: str = ""

    @property
    def has_face(self) -> bool:
        return bool(FACE_PARTS & set(self.parts))

    @property
    def is_act(self) -> bool:
        return self.kind not in ("", "adds")


def is_day(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return bool(re.fullmatch(DAY, text))


def is_moment(text: str) -> bool:
    try:
        datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    except ValueError:
        return False
    return text[17:19] < "60"


def read_statement(data: bytes, record: str) -> Statement:
    lines = lines_of(data, f"{record}/statement", STATEMENT_BYTES)
    need(lines[:2] == ["evidence-statement 1", f"record {record}"] and len(lines) > 3, f"{record}: not its statement")
    need(re.fullmatch(f"time {MOMENT}", lines[2]) and is_moment(lines[2][5:]), f"{record}: no time")
    said = Statement(record, time=lines[2][5:])
    rest = lines[3:]
    while rest and rest[0].startswith("part "):
        part = re.fullmatch(f"part ({PART}) ({NUMBER}) ({HEX64})", rest.pop(0))
        need(part, f"{record}: a part is not as it must be")
        assert part
        need(not said.parts or part[1] > max(said.parts), f"{record}: parts are not in order")
        need(int(part[2]) <= PART_BYTES and len(said.parts) < PARTS, f"{record}: too many or too large parts")
        said.parts[part[1]] = (int(part[2]), part[3])
    said.line = "\n".join(rest) or None
    first = rest[0].split(" ")[0] if rest else ""
    if first == "opens":
        need(len(rest) <= OPENS and rest == sorted(set(rest)) and all(re.fullmatch(f"opens {HEX32}", line) for line in rest),
             f"{record}: lines of opens")
        said.kind, said.targets = "opens", [line.split(" ")[1] for line in rest]
    elif first in WITH_RECORD:
        need(len(rest) == 1 and re.fullmatch(f"{first} {HEX32}", rest[0]), f"{record}: line of {first}")
        said.kind, said.targets = first, [rest[0].split(" ")[1]]
    elif first == "keeps":
        found = re.fullmatch(f"keeps ({HEX32})( face)? ({DAY})", rest[0])
        need(len(rest) == 1 and found and is_day(found[3]), f"{record}: line of keeps")
        assert found
        said.kind, said.targets, said.is_face, said.day = "keeps", [found[1]], bool(found[2]), found[3]
    elif first == "rotates":
        need(len(rest) == 1 and re.fullmatch(f"rotates {HEX64}", rest[0]), f"{record}: line of rotates")
        said.kind, said.key_ids = "rotates", rest[0].split(" ")[1:]
    elif first == "signs":
        said.kind, said.key_ids = "signs", rest[0].split(" ")[1:]
        need(len(rest) == 1 and re.fullmatch(f"signs( {HEX64}){{1,{SIGNERS}}}", rest[0])
             and said.key_ids == sorted(set(said.key_ids)), f"{record}: line of signs")
    else:
        for word in ("until", "face-until"):
            if rest and rest[0].startswith(f"{word} "):
                day = rest.pop(0)[len(word) + 1:]
                need(is_day(day), f"{record}: no day")
                said.until, said.face_until = (day, said.face_until) if word == "until" else (said.until, day)
        need(not rest, f"{record}: unknown line")
    names = set(said.parts)
    if said.kind == "":
        need("report.json" in names and names & NEEDED and names <= EVIDENCE, f"{record}: other parts than evidence has")
    elif said.kind == "adds":
        need(names and names <= ADDITION, f"{record}: other parts than an addition has")
    else:
        need(names <= ACT, f"{record}: other parts than an act has")
    return said


def circles(edges: dict[str, set[str]]) -> set[str]:
    """Whatever lies on a circle."""
    def reached(start: str) -> set[str]:
        found: set[str] = set()
        ways = list(edges.get(start, ()))
        while ways:
            current = ways.pop()
            if current not in found:
                found.add(current)
                ways += edges.get(current, ())
        return found

    return {start for start in edges if start in reached(start)}


@dataclass
class History:
    """What all bags so far came to."""

    current_key: Optional[str] = ""
    can_continue: bool = False
    statements: dict[str, Statement] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    gaps: set[int] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)  # records of which nobody knows what they are
    additions: dict[str, str] = field(default_factory=dict)  # of each valid addition, its evidence
    erased: dict[str, int] = field(default_factory=dict)
    reduced: dict[str, int] = field(default_factory=dict)
    holds: dict[str, str] = field(default_factory=dict)  # of each valid hold, its evidence
    released: set[str] = field(default_factory=set)  # where it counts
    releases: set[str] = field(default_factory=set)  # whether it counts or not
    days: dict[str, str] = field(default_factory=dict)
    face_days: dict[str, str] = field(default_factory=dict)
    rotation: Optional[str] = None
    signs: dict[int, list[str]] = field(default_factory=dict)

    def copy(self) -> History:
        return History(**{name: copy.copy(value) for name, value in vars(self).items()})

    def gap(self, number: int) -> None:
        """A bag that is missing, newer or unreadable."""
        self.gaps.add(number)
        self.current_key = None

    def take_continued(self, other: History) -> None:
        """What an earlier archive came to. Its records count as of a bag before the first one."""
        self.can_continue = bool(other.gaps)
        self.statements |= other.statements
        self.places |= dict.fromkeys(other.places, 0)
        self.additions |= other.additions
        self.erased |= dict.fromkeys(other.erased, 0)
        self.reduced |= dict.fromkeys(other.reduced, 0)

    def signs_of(self, number: int) -> Optional[list[str]]:
        return self.signs.get(number)

    def fault(self, number: int, said: Statement) -> Optional[tuple[str, str]]:
        """What is wrong with a record of a bag by itself, where the bag's statements are known."""
        for target in said.targets:
            other = self.statements.get(target)
            if target == said.record:
                return "fails", "names itself"
            if other is None or (said.kind == "exports" and self.places[target] >= number):
                if other is None and (self.can_continue or target in self.unread or any(gap <= number for gap in self.gaps)):
                    return "unchecked", f"names {target}, which is not here"
                return "fails", f"names {target}, which is in no bag that it may be in"
            if said.kind in ("erases", "opens") and not other.parts:
                return "fails", f"names {target}, which has no parts"
            if said.kind in ("adds", "reduces", "holds") and other.kind:
                return "fails", f"names {target}, which is no evidence"
            if said.kind == "releases" and other.kind != "holds":
                return "fails", f"names {target}, which is no hold"
            if said.kind == "keeps" and (other.kind == "adds" or said.is_face and other.kind):
                return "fails", f"names {target}, which has no day of its own"
            if said.kind in ("adds", "reduces", "holds") and self.erased.get(target, number) < number:
                return "fails", f"names {target}, which was erased"
            if said.kind == "adds" and said.has_face and self.reduced.get(target, number) < number:
                return "fails", f"adds a face to {target}, which was reduced"
        return None

    def take_bag(self, number: int, bag: dict[str, Statement], is_covered: bool, closed: Optional[str]
                 ) -> list[tuple[str, str, str, str]]:
        """Each fault: the record, the state, the finding, and why. Then the bag's records count."""
        self.statements |= bag
        self.places |= {record: number for record in bag}
        found: dict[str, tuple[str, str]] = {}
        for record, said in bag.items():
            if fault := self.fault(number, said):
                found[record] = fault
        for record in circles({record: {target for target in said.targets if target in bag} for record, said in bag.items()}):
            found.setdefault(record, ("fails", "names records that name it"))
        valid = {record: said for record, said in sorted(bag.items()) if record not in found}
        added: dict[str, list[str]] = {}
        for record, said in valid.items():
            if said.kind == "adds":
                added.setdefault(said.targets[0], []).append(record)
        for target, records in added.items():
            if len(records) + sum(other == target for other in self.additions.values()) > ADDITIONS:
                found |= {record: ("fails", "is an addition too many") for record in records}
            else:
                self.additions |= {record: target for record in records}
        for record, said in valid.items():
            if said.kind == "reduces" and not any(self.statements[name].has_face for name in self.group(said.targets[0])):
                found[record] = ("fails", f"names {said.targets[0]}, which has no face")
        for kind in ("rotates", "signs"):
            mine = [record for record, said in valid.items() if said.kind == kind]
            if kind == "signs":
                if len(mine) > 1:
                    found |= {record: ("fails", "is one of two that name signers") for record in mine}
                elif mine:
                    self.signs[number] = valid[mine[0]].key_ids
                continue
            named = {valid[record].key_ids[0] for record in mine}
            for record in mine:
                if len(named) > 1:
                    found[record] = ("fails", "is one of two that name another archive key")
                elif self.current_key is None:
                    found[record] = ("unchecked", "rotates from a key that is not known")
                elif named == {self.current_key}:
                    found[record] = ("fails", "rotates to the key that is current")
            if len(named) == 1 and not any(found.get(record, ("",))[0] == "fails" for record in mine):
                self.rotation = self.current_key = named.pop()
        valid = {record: said for record, said in valid.items() if record not in found}
        notes = self.count(number, valid, is_covered, closed)
        return [(record, state, "statement", why) for record, (state, why) in sorted(found.items())] + [
            (record, "unchecked", "retention", why) for record, why in notes]

    def group(self, record: str) -> list[str]:
        return [record, *(name for name, target in self.additions.items() if target == record)]

    def count(self, number: int, valid: dict[str, Statement], is_covered: bool, closed: Optional[str]) -> list[tuple[str, str]]:
        notes: list[tuple[str, str]] = []
        days: dict[tuple[str, bool], str] = {}
        for record, said in valid.items():
            target = said.targets[0] if said.targets else record
            if said.kind == "holds":
                self.holds[record] = target
            elif said.kind == "keeps":
                days[target, said.is_face] = max(said.day, days.get((target, said.is_face), ""))
            elif said.kind == "":
                for is_face, day in ((False, said.until), (True, said.face_until)):
                    if day:
                        days[record, is_face] = max(day, days.get((record, is_face), ""))
        for (target, is_face), day in days.items():
            known = self.face_days if is_face else self.days
            shortens = day < known[target] if target in known else self.places[target] != number
            if is_covered or not shortens:
                known[target] = day
        for record, said in valid.items():
            if said.kind == "releases":
                if said.targets[0] in self.releases:
                    notes.append((record, "the hold was released before"))
                self.releases.add(said.targets[0])
                if is_covered:
                    self.released.add(said.targets[0])
        for record, said in valid.items():
            if said.kind in ("erases", "reduces"):
                target = said.targets[0]
                owner = self.additions.get(target, target)
                if any(held == owner and hold not in self.released for hold, held in self.holds.items()):
                    notes.append((record, "it was held"))
                else:
                    dates = [self.days.get(owner), self.face_days.get(owner) if said.kind == "reduces" else None]
                    first = min((date for date in dates if date), default="")
                    if closed is not None and closed < first:
                        notes.append((record, "its day had not come"))
                gone = self.erased if said.kind == "erases" else self.reduced
                names = self.group(target) if not self.statements[target].kind else [target]
                for name in names:
                    gone.setdefault(name, number)
        return notes


def shortening(history: History, waiting: Iterable[Statement], today: str) -> dict[str, int]:
    """How many of what waits shorten a record's life, by kind: what `close` is told, section 5."""
    limit = (datetime.date.fromisoformat(today[:10]) + datetime.timedelta(days=30)).isoformat()
    found: collections.Counter[str] = collections.Counter()
    waiting = list(waiting)
    waits: dict[str, str] = {}
    for said in waiting:
        for target, day in ((said.record, said.until), *([(said.targets[0], said.day)] if said.kind == "keeps" and not said.is_face else [])):
            if day:
                waits[target] = max(day, waits.get(target, ""))
    for said in waiting:
        if said.kind == "releases":
            found["releases"] += 1
        elif said.kind == "adds" and said.targets[0] in history.places:
            found["additions"] += 1
        days = [(said.record, said.until, False), (said.record, said.face_until, True)] if not said.kind else [
            (said.targets[0], said.day, said.is_face)] if said.kind == "keeps" else []
        for target, day, is_face in days:
            # The face goes with the rest, if not before.
            known = history.face_days.get(target) if is_face else history.days.get(target)
            if is_face and not known and target != said.record:
                known = history.days.get(target) or waits.get(target)
            if day and day < known if known else day and day <= limit:
                found[f"{'earlier' if known else 'first'}{'-face' if is_face else ''}-days"] += 1
    return dict(found)
