# SPDX-License-Identifier: Apache-2.0
"""Changed results, and what statement.py finds in each, for every other reader to find the same.

    changed.py COUNT SEED FILE

A line of JSON for each: `text`, or `base64` where it is not UTF-8; `expect` has the verdict and each item's state. All are asked for the same order, app and ticket, with both keys, and for no user.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from typing import Any

import evidence_v1
import packed
import result_vectors
import statement
from kit import MEDIA
from rsa_by_hand import private_key

# What stands in for a value, and what else a result might have.
VALUES = [None, True, False, 0, 1, -1, "", "0", "true", "false", "null", [], {}, "失败", "pass", "Success", "66660004", 41000, "通过", "N/A"]
MEMBERS = ["isSuccess", "success", "code", "errorCode", "error", "msg", "errMsg", "result", "faceResult", "data", "status", "liveRate",
           "similarity", "orderNo", "order_no", "sign", "riskInfo", "verified", "reason", "ret", "orderno", "userVideoString"]
TOKENS = ['"', ",", ":", "{", "}", "[", "]", "\\", " ", "\n", "\\u0000", "\\/", "e", "1", "true", "null", "\x00", "=", "A", "-", "é"]


def places(value: Any, path: tuple = ()) -> list[tuple]:
    """The paths of all members and elements."""
    found = []
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in pairs:
        found += [(*path, name), *places(inner, (*path, name))]
    return found


def holder(value: Any, path: tuple) -> Any:
    for name in path[:-1]:
        value = value[name]
    return value


def change_value(chance: random.Random, value: Any, other: Any) -> None:
    """One member or element in another shape; now and then as it is in another result."""
    paths = places(value)
    if not paths:
        return
    path = chance.choice(paths)
    inside, name = holder(value, path), path[-1]
    kind = chance.randrange(9)
    if kind == 0:
        inside[name] = chance.choice(VALUES)
    elif kind == 1:
        del inside[name]
    elif kind == 2:
        try:
            inside[name] = copy.deepcopy(holder(other, path)[name])
        except (KeyError, IndexError, TypeError):
            inside[name] = None
    elif kind == 3:
        inside[name] = chance.choice([json.dumps(inside[name]), [inside[name]], {"result": inside[name]}, str(inside[name])])
    elif kind == 4 and isinstance(inside, dict):
        inside[chance.choice(MEMBERS)] = chance.choice([*VALUES, inside[name]])
    elif kind == 5 and isinstance(inside, dict):
        inside[chance.choice([name.upper(), name + "s", name[:-1], f"_{name}", chance.choice(MEMBERS)])] = inside.pop(name)
    elif kind == 6 and isinstance(inside[name], str) and inside[name]:
        text = inside[name]
        place = chance.randrange(len(text))
        inside[name] = text[:place] + chance.choice(["", "A", "0", "=", text[place].swapcase(), " "]) + text[place + 1 :]
    elif kind == 7 and isinstance(value, dict):
        value[chance.choice(MEMBERS)] = inside[name]
    elif isinstance(value, dict):
        value["simpleModeResult"] = {**copy.deepcopy(value), "x": 1} if chance.random() < 0.2 else value.get("simpleModeResult")


def change_text(chance: random.Random, text: bytes) -> bytes:
    place = chance.randrange(len(text) + 1)
    kind = chance.randrange(4)
    if kind == 0:
        return text[:place] + chance.choice(TOKENS).encode() + text[place:]
    if kind == 1:
        return text[:place] + text[min(len(text), place + chance.choice((1, 1, 2, 50))) :]
    if kind == 2:
        return text[:place] + bytes([chance.randrange(256)]) + text[place + 1 :]
    return text[:place]


def expected(data: bytes) -> Any:
    now = statement.moment(result_vectors.NOW)
    assert now
    try:
        found = statement.check(data, statement.Expected(
            order_no=result_vectors.ORDER, now=now, app_id=result_vectors.APP, ticket=result_vectors.TICKET,
            video_key=private_key(result_vectors.INTEGRATOR), compare_key=private_key(result_vectors.COMPARING)))
    except evidence_v1.Refused:
        # Of what is no document, only that is asked.
        return {"verdict": "fails", "items": {}}
    return {"verdict": found["verdict"], "items": found["items"]}


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    count, seed, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    chance = random.Random(seed)
    with open(f"{MEDIA}/../identify/results.ndjson", "rb") as packet:
        # A base is a document.
        bases = [data for data in packed.unpack(packet.read()).values() if len(data) < 20_000 and data.lstrip()[:1] == b"{"]
    values = []
    for data in bases:
        try:
            values.append(json.loads(data))
        except ValueError:
            values.append(None)
    readable = [value for value in values if value is not None]
    # Most of them fail already: half of the time one that does not is changed.
    good = [base for base, data in enumerate(bases) if expected(data)["verdict"] == "holds"]
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(count):
            base = chance.choice(good) if chance.random() < 0.5 else chance.randrange(len(bases))
            data, value = bases[base], values[base]
            if value is not None and chance.random() < 0.8:
                value = copy.deepcopy(value)
                for _ in range(chance.choice((1, 1, 1, 2, 3))):
                    change_value(chance, value, chance.choice(readable))
                data = json.dumps(value, ensure_ascii=chance.random() < 0.5, separators=(",", ":")).encode("utf-8", "surrogatepass")
            if chance.random() < 0.25:
                data = change_text(chance, data)
            entry = json.loads(packed.pack({"": data}))
            del entry["name"]
            file.write(json.dumps(entry | {"expect": expected(data)}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
