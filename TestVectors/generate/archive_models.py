# SPDX-License-Identifier: Apache-2.0
"""Small models of docs/ARCHIVE.md: what bags of few records may say against a writer that does one thing after the other, and how
many steps lead from each bag to each earlier one."""

from __future__ import annotations

import itertools
from array import array
from typing import Callable, Iterator, Optional

from archive import skipped
from archive_rules import ADDITIONS, History, Statement

BAGS = 43_800
FACTS, FACE, NOTE = {"report.json": (1, "")}, {"result.json": (1, "")}, {"note.txt": (1, "")}


def said(record: str, kind: str = "", target: str = "", parts: Optional[dict[str, tuple[int, str]]] = None, **more: object) -> Statement:
    return Statement(record, parts or {}, kind, [target] if target else [], **more)  # type: ignore[arg-type]


def past() -> History:
    """Two bags: a record in each state that one may be in."""
    history = History(current_key="k1")
    evidence = ("whole", "erased", "reduced", "both")
    first = {name: said(name, parts=FACTS | FACE) for name in evidence} | {
        "faceless": said("faceless", parts=FACTS), "addition": said("addition", "adds", "whole", NOTE),
        "hold": said("hold", "holds", "whole", NOTE), "bare": said("bare", "holds", "whole")}
    second = {"e1": said("e1", "erases", "erased"), "r1": said("r1", "reduces", "reduced"),
              "r2": said("r2", "reduces", "both"), "e2": said("e2", "erases", "both")}
    for number, bag in enumerate((first, second), start=1):
        found = history.take_bag(number, bag, True, None)
        assert not found, found
    return history


TARGETS = ("whole", "erased", "reduced", "both", "faceless", "addition", "hold", "bare", "e1", "unknown", "p0", "p1", "p2")


def candidates(name: str) -> Iterator[Statement]:
    """Every kind against every target, with and without parts."""
    for target in TARGETS:
        for kind in ("erases", "reduces", "exports", "opens", "holds", "releases", "keeps"):
            yield said(name, kind, target, NOTE if kind in ("erases", "opens", "keeps") else {})
        yield said(name, "erases", target)
        yield said(name, "keeps", target, is_face=True)
        yield said(name, "adds", target, NOTE)
        yield said(name, "adds", target, FACE)
    yield said(name, parts=FACTS | FACE)
    yield said(name, parts=FACTS)
    for kind, key in (("rotates", "k1"), ("rotates", "k2"), ("rotates", "k3"), ("signs", "s")):
        yield Statement(name, {}, kind, key_ids=[key])


class Writer:
    """Does one thing after the other, and refuses what it must not do then."""

    def __init__(self, history: History) -> None:
        self.known = dict(history.statements)
        self.earlier = set(self.known)
        self.erased, self.reduced = set(history.erased), set(history.reduced)
        self.added = dict(history.additions)
        self.keys: set[str] = set()
        self.signs = 0

    def accepts(self, one: Statement) -> bool:
        target = one.targets[0] if one.targets else ""
        other = self.known.get(target)
        if one.targets and other is None:
            return False
        assert other or not one.targets
        if one.kind in ("adds", "reduces", "holds"):
            assert other
            if other.kind or target in self.erased:
                return False
        if one.kind == "adds" and one.has_face and target in self.reduced:
            return False
        if one.kind == "reduces" and not any(self.known[name].has_face for name in (target, *(a for a, of in self.added.items() if of == target))):
            return False
        if one.kind in ("erases", "opens") and other and not other.parts:
            return False
        if one.kind == "exports" and target not in self.earlier:
            return False
        if one.kind == "releases" and other and other.kind != "holds":
            return False
        if one.kind == "keeps" and other and (other.kind == "adds" or one.is_face and other.kind):
            return False
        if one.kind == "rotates":
            self.keys.add(one.key_ids[0])
            if self.keys != {one.key_ids[0]} or one.key_ids == ["k1"]:
                return False
        self.signs += one.kind == "signs"
        if self.signs > 1:
            return False
        self.known[one.record] = one
        if one.kind == "adds":
            self.added[one.record] = target
        if one.kind == "erases":
            self.erased.add(target)
        if one.kind == "reduces":
            self.reduced.add(target)
        return True


def can_be_written(history: History, bag: list[Statement], there: list[Statement]) -> bool:
    """In some order; what else is there has no effect."""
    for order in itertools.permutations(bag):
        writer = Writer(history)
        writer.known |= {one.record: one for one in there}
        if all(writer.accepts(one) for one in order):
            return True
    return False


def failing(history: History, bag: list[Statement]) -> set[str]:
    found = history.copy().take_bag(3, {one.record: one for one in bag}, True, None)
    return {record for record, state, name, _ in found if name == "statement" and state == "fails"}


def check_rules() -> int:
    """How many bags were tried: none fails that some order of the work could write, each other one does."""
    history, count = past(), 0
    one, two, three = (list(candidates(f"p{number}")) for number in range(3))
    # Of three, what can depend on each other.
    short: Callable[[list[Statement]], list[Statement]] = lambda all_: [
        s for s in all_ if not s.targets or s.targets[0] in ("whole", "p0", "p1", "p2")
        if s.kind in ("", "adds", "erases", "reduces", "opens", "keeps", "holds")]
    groups: list[list[list[Statement]]] = [[one], [one, two], [short(one)[::2], short(two)[::3], short(three)[::3]]]
    for group in groups:
        for bag in itertools.product(*group):
            count += 1
            found = failing(history, list(bag))
            rest = [statement for statement in bag if statement.record not in found]
            assert bool(found) != can_be_written(history, list(bag), []), (bag, found)
            assert can_be_written(history, rest, [one for one in bag if one.record in found]), (bag, found)
    return count


def check_additions() -> None:
    """The last one that there may be, and one more, in one bag and in two."""
    for earlier in (0, 1, ADDITIONS - 1, ADDITIONS):
        for more in (0, 1):
            history = History(current_key="k1")
            first = {"r": said("r", parts=FACTS), **{f"a{n}": said(f"a{n}", "adds", "r", NOTE) for n in range(earlier)}}
            assert not history.take_bag(1, first, True, None)
            second = {f"b{n}": said(f"b{n}", "adds", "r", NOTE) for n in range(ADDITIONS - earlier + more)}
            found = history.take_bag(2, second, True, None)
            assert len(found) == (len(second) if more else 0), (earlier, more)


def check_retention() -> None:
    """An erasure in each bag, with a hold, its release and days in each: named where it was held or early in every order."""
    for hold, release, erase in itertools.product(range(4), range(4), range(1, 4)):
        for covered in (True, False):
            history = History(current_key="k1")
            named = False
            for number in range(1, 4):
                bag = {"r": said("r", parts=FACTS)} if number == 1 else {"x": said(f"x{number}", parts=FACTS)}
                bag = {one.record: one for one in bag.values()}
                if hold == number:
                    bag["h"] = said("h", "holds", "r")
                if release == number and 0 < hold <= release:
                    bag["l"] = said("l", "releases", "h")
                if erase == number:
                    bag["e"] = said("e", "erases", "r")
                found = history.take_bag(number, bag, covered, "2030-01-01")
                named |= any(name == "retention" for _, _, name, _ in found)
            is_held = 0 < hold <= erase and not (covered and hold <= release <= erase)
            assert named == is_held, (hold, release, erase, covered)
    days = ("", "2029-01-01", "2031-01-01")
    for own, first, second, covered in itertools.product(days, days, days, (True, False)):
        history = History(current_key="k1")
        history.take_bag(1, {"r": said("r", parts=FACTS, until=own)}, True, "2030-01-01")
        bag = {name: said(name, "keeps", "r", day=day) for name, day in (("a", first), ("b", second)) if day}
        bag["e"] = said("e", "erases", "r")
        found = history.take_bag(2, bag, covered, "2030-01-01")
        latest = max(first, second)
        counts = latest and (covered or own and latest >= own)
        day = latest if counts else own
        assert bool(found) == (day > "2030-01-01"), (own, first, second, covered, found)


def check_ways() -> tuple[int, int]:
    """The most steps from any bag to any earlier one through the bag after it, and by way of a covering bag."""
    skips = [0, *(skipped(number) or 0 for number in range(1, BAGS + 1))]
    farthest, by_way = 0, 0
    from_above = array("B", bytes(BAGS + 1))  # to each bag, from the worst later one
    from_bag = array("B", bytes(BAGS + 1))  # from each bag, to the worst target's next one
    # Not every target, which takes long: it was done once, with the same result.
    for target in [*range(1, 70), *range(70, BAGS, 997), 16_383, 16_384, 32_766, 32_767]:
        steps = array("B", bytes(BAGS + 1))
        worst = 0
        for number in range(target + 1, BAGS + 1):
            skip = skips[number]
            steps[number] = 1 + steps[skip if skip >= target else number - 1]
            if steps[number] > worst:
                worst = steps[number]
            if target > 1 and steps[number] > from_bag[number]:
                from_bag[number] = steps[number]
        from_above[target] = worst
        farthest = max(farthest, worst)
    for number in range(2, BAGS + 1):
        by_way = max(by_way, (from_above[number] if number < BAGS else 0) + from_bag[number] + 1)
    return farthest, by_way


def main() -> None:
    check_additions()
    check_retention()
    count = check_rules()
    farthest, by_way = check_ways()
    assert farthest <= 41 and by_way <= 67, (farthest, by_way)
    print(f"archive: {count} bags of one to three records; at most {farthest} steps of {BAGS} bags, {by_way} by way of another bag")


if __name__ == "__main__":
    main()
