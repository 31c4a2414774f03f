# SPDX-License-Identifier: Apache-2.0
# The rows of client-behaviour.ndjson in Python: main.py CLIENTS FOLDER.
import array, gzip, io, os, pathlib, pickle, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, sys.argv[1])
from evidence_client import EvidenceProblem, EvidenceService

os.chdir(sys.argv[2])
data = pathlib.Path("result.json").read_bytes()


def at(name, seconds=20):
    return EvidenceService(name + ".sock", seconds)


def check(body, name="evidence", **query):
    return at(name).check(body, **{"order": "ord1", **query})["verdict"]


def busy(carry=lambda error: error):
    try:
        return check(data, "busy")
    except EvidenceProblem as error:
        error = carry(error)
        return f"{error.code} {error.retry_after}"


def opened(name):
    at("evidence").open("payload.json", name, "ord1")
    return "opened"


def exists():
    pathlib.Path("taken").write_text("before")
    try:
        return opened("taken")
    except FileExistsError:
        return "kept" if pathlib.Path("taken").read_text() == "before" else "lost"


def refusal(body):
    try:
        return check(body)
    except TypeError as error:
        return f"refused: {error}"


def prefixed():
    file = open("prefixed.json", "rb")
    file.read(10)
    return file


def pipe():
    reading, writing = os.pipe()
    if os.fork() == 0:
        with os.fdopen(writing, "wb") as file:
            file.write(data)
        os._exit(0)
    os.close(writing)
    return os.fdopen(reading, "rb")


def spooled():
    for file in (tempfile.SpooledTemporaryFile(1 << 20), tempfile.NamedTemporaryFile()):
        file.write(data)
        file.seek(0)
        verdict = check(file)
    return verdict


def dying():
    yield data[:5]
    raise OSError("the disk is gone")


def read_before():
    file = open("result.json", "rb")
    file.read()
    return file


class Upload:
    """As Starlette has it."""

    async def read(self, count):
        return data


async def arriving():
    yield data


def many():
    service = at("evidence")
    with ThreadPoolExecutor(20) as pool:
        verdicts = list(pool.map(lambda _: service.check(data, "ord1")["verdict"], range(20)))
    return f"holds {verdicts.count('holds')}"


def long():
    for _ in range(400):
        yield bytes(50_000)


ROWS = {
    "bytes": lambda: check(data), "mutable-bytes": lambda: check(bytearray(data)),
    "view": lambda: check(array.array("B", data)) and check(memoryview(bytes(byte for one in data for byte in (one, 0)))[::2]),
    "path-text": lambda: check("result.json"), "path-object": lambda: check(pathlib.Path("result.json")),
    "file": lambda: check(open("result.json", "rb")) and check(open("result.json", "rb", buffering=0)),
    "file-in-the-middle": lambda: check(prefixed()), "temporary-file": spooled, "stream": lambda: check(io.BytesIO(data)),
    "pieces": lambda: check(data[start:start + 999] for start in range(0, len(data), 999)),
    "gzip": lambda: check(gzip.open("result.json.gz")), "pipe": lambda: check(pipe()),
    "text-document": lambda: check(data.decode()), "long-text": lambda: check("xyz" * 9_000),
    "asynchronous": lambda: [one for body in (Upload(), arriving()) for one in [refusal(body)]][-1],
    "absent-text": lambda: check(data, userId=str(None)), "text-mode": lambda: check(open("result.json")),
    "nothing": lambda: check(None), "other-type": lambda: check(5), "other-piece": lambda: check(["a"]),
    "no-file": lambda: check("absent.json"), "consumed": lambda: check(read_before()), "empty": lambda: check(b""),
    "given-length": lambda: check(io.BytesIO(data + b"more"), length=len(data)) and check([data[:9], data[9:] + b"more"], length=len(data)),
    "given-length-sent": lambda: check(io.BytesIO(data), "echo", length=len(data)),
    "given-too-much": lambda: check(io.BytesIO(data), "echo", length=len(data) + 1),
    "given-nothing": lambda: check(io.BytesIO(data), length=0), "not-a-length": lambda: check(data, length=-1),
    "half": lambda: check(data[:len(data) // 2]), "length": lambda: check("result.json", "echo"),
    "chunks": lambda: check(io.BytesIO(data), "echo"), "absent": lambda: check(data, "echo", userId=None),
    "number": lambda: check(data, "echo", maxAge=600, plain=True), "characters": lambda: check(data, "echo", order="a b+c&d=é%"),
    "iv": lambda: check(data, "echo", iv="30aB"), "not-an-iv": lambda: check(data, "echo", iv="30\r\nA: b"),
    "not-utf8": lambda: check(data, userId="\udc80"), "other-parameter": lambda: check(data, userId=["a"]),
    "retry-after": busy, "carried": lambda: busy(lambda error: pickle.loads(pickle.dumps(error))),
    "html": lambda: check(data, "html"), "early": lambda: check(long(), "early"), "leftover": lambda: opened("left"), "exists": exists,
    "dead-source": lambda: check(dying()), "shrinks": lambda: check("shrinks", "shrinks"), "grows": lambda: check("grows", "grows"),
    "no-socket": lambda: check(data, "nobody"), "no-listener": lambda: check(data, "dead"), "many-at-once": many,
    "verify-not-utf8": lambda: at("evidence").verify("front-end-result", "x", {"orderNo": "\udc80"}), "no-folder": lambda: opened("nowhere/video"),
    "long-socket": lambda: check(data, "/long" * 40), "silent": lambda: at("silent", 1).check(data, "ord1"),
}
for name, row in ROWS.items():
    begun = time.monotonic()
    try:
        outcome = row()
    except EvidenceProblem as error:
        outcome = error.code or error.status
    except Exception as error:
        outcome = f"refused: {error}"
    print(name, outcome if time.monotonic() - begun < 60 else "late")
