# SPDX-License-Identifier: Apache-2.0
"""No verb leaves a secret in memory: neither in a block that it frees, nor, when it ends, anywhere that is writable.

`secrets.py TOOL` runs each verb with `secrets.c` loaded and looks for pieces of the private numbers (as a key file has
them, and as OpenSSL computes with them), of the text of an unencrypted key file, of content keys (raw, hex, base64), of
passphrases and tickets. 23 bytes in a row are enough to be found. With `--verbose`, who freed what.

Each verb runs twice. As it is: nothing may be found. And as a program would that only links the library, whose OpenSSL
frees some blocks as they are: the table says how many, and none of them may be freed by our own code.
"""

import base64
import collections
import fcntl
import json
import os
import select
import subprocess
import sys
import tempfile
import termios

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
KEYS = os.path.join(ROOT, "TestVectors", "keys")
MASK, LENGTH, STEP = 0xA7, 16, 8
PASSPHRASE, TICKET, ORDER = b"correct horse", b"MARKEDTICKET" + b"7q" * 26, "ord1"
# What only our own code handles; the rest are numbers of private keys.
OURS = ("content key", "passphrase", "ticket", "wrong answer")
LONG_PASSPHRASE = b"correct horse battery staple, and then some more of it"


def pieces(secret: bytes) -> list:
    assert len(secret) >= LENGTH
    return [secret[at : at + LENGTH] for at in range(0, len(secret) - LENGTH + 1, STEP)]


def of_key(path: str) -> dict:
    """Pieces of the private numbers of a key file, and of the private part of its text."""
    with open(path, "rb") as file:
        data = file.read()
    pem = base64.b64decode(data) if path.endswith(".pem.base64") else data
    is_locked = b"ENCRYPTED" in pem or "pbkdf2" in path
    load = serialization.load_pem_private_key
    if b"-----BEGIN" not in pem:
        load = serialization.load_der_private_key
        pem = base64.b64decode(pem) if b"\x00" not in pem else pem
    key = load(pem, PASSPHRASE if is_locked else None)
    numbers = key.private_numbers()
    found = {}
    for name, number in (("d", numbers.d), ("p", numbers.p), ("q", numbers.q), ("dP", numbers.dmp1),
                         ("dQ", numbers.dmq1), ("qInv", numbers.iqmp)):
        size = (number.bit_length() + 7) // 8
        for piece in pieces(number.to_bytes(size, "big")):
            found[piece] = f"{name} in DER"
        for piece in pieces(number.to_bytes(size, "little")):
            found[piece] = f"{name} in limbs"
    if not is_locked and b"\x00" not in data:
        # Behind the modulus, which is public and as long as the key: the rest is d and the primes.
        for line in data.split(b"\n"):
            start = (key.key_size // 8 + 64) * 4 // 3 if len(line) > 80 else 0
            number = data.index(line) * 3 // 4
            if line.startswith(b"-") or len(line) < LENGTH or (not start and number < key.key_size // 8 + 128):
                continue
            for piece in pieces(line[start:]):
                found[piece] = "text of the key file"
    return found


def of_content_key(key: bytes) -> dict:
    found = {}
    for name, text in (("raw", key), ("hex", key.hex().encode()), ("HEX", key.hex().upper().encode()),
                       ("base64", base64.b64encode(key))):
        found |= {piece: f"content key, {name}" for piece in pieces(text)}
    return found


def unwrapped(payload: bytes, path: str, profile: dict) -> bytes:
    """The content key of a payload, by independent code."""
    with open(path, "rb") as file:
        key = serialization.load_pem_private_key(file.read(), None)
    wrapped = base64.b64decode(find(json.loads(payload), "videoEncryptAESKey"))
    message = key.decrypt(wrapped, padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None))
    match profile.get("wrappedKey", "raw"):
        case "hex": return bytes.fromhex(message.decode())
        case "base64": return base64.b64decode(message)
    return message.removeprefix(b"evidence-v2\n")


def find(document: dict, name: str) -> str:
    return document[name] if name in document else document["simpleModeResult"][name]


def masked(found: dict) -> bytes:
    return b"".join(bytes(byte ^ MASK for byte in piece) for piece in found)


class Bench:
    def __init__(self, tool: str, folder: str, is_verbose: bool):
        self.tool, self.folder, self.is_verbose = tool, folder, is_verbose
        self.library = os.path.join(folder, "secrets.so")
        source = os.path.join(ROOT, "scripts", "steps", "faults", "secrets.c")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", self.library, source, "-ldl"], check=True)
        self.failures, self.finds_in_hosts = [], 0
        store(self.file("passphrase"), PASSPHRASE + b"\n")
        store(self.file("long-passphrase"), LONG_PASSPHRASE + b"\n")
        store(self.file("ticket"), TICKET + b"\n")
        store(self.file("video"), os.urandom(3_000_000))
        store(self.file("small"), os.urandom(2_000))
        with open(os.path.join(KEYS, "rsa3072.pem"), "rb") as file:
            pem = file.read()
        store(self.file("long.pem"), serialization.load_pem_private_key(pem, None).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(LONG_PASSPHRASE)))
        body = pem.split(b"\n")
        # Base64 that is whole but for its last character; PEM in an environment variable; a key that fails late.
        text = b"".join(body[1:-2])
        store(self.file("late.base64"), text[:-6] + b"!" + text[-5:])
        store(self.file("one-line.pem"), pem.replace(b"\n", b"\\n"))
        der = bytearray(base64.b64decode(text))
        der[-20] ^= 1
        store(self.file("late.der"), bytes(der))
        store(self.file("late.pem"), b"\n".join([*body[:20], b"!!!!", *body[20:]]))
        # The same in short pieces, which are recognised by no line of their length.
        short = [text[at : at + 20] for at in range(0, len(text), 20)]
        store(self.file("late-short.pem"), b"\n".join([body[0], *short[:90], b"!!!!", *short[90:], *body[-2:]]))
        store(self.file("late-hex"), bytes(der).hex(":").encode() + b"\n")

    def file(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def run(self, name: str, arguments: tuple, needles: dict, *, status: int = 0, standard_input: str = "",
            prepare: tuple = (), command: tuple = (), made: tuple = (), typed: tuple = (), is_host: bool = False) -> list:
        """What is found of the needles when the verb has run: kind, place and name of each. Each of `typed` answers a
        question at a terminal of the run's own."""
        needles = dict(sorted(needles.items(), key=lambda needle: not needle[1].startswith(OURS)))
        ours = sum(name.startswith(OURS) for name in needles.values())
        needle_file, log = self.file("needles"), self.file("log")
        store(needle_file, masked(needles))
        names = self.file("names")
        store(names, json.dumps(list(needles.values())).encode())
        for path in (log, *made):
            if os.path.exists(path):
                os.remove(path)
        environment = {"LD_PRELOAD": self.library, "SECRETS_NEEDLES": needle_file, "SECRETS_OURS": str(ours), "SECRETS_LOG": log,
                       "TMPDIR": self.folder, "PATH": os.environ["PATH"]}
        if is_host:
            environment["SECRETS_HOST"] = "1"
        if prepare:
            environment["SECRETS_PREPARE"] = " ".join((sys.executable, os.path.abspath(__file__), "--prepare", needle_file,
                                                       names, *prepare))
        opened = open(standard_input, "rb") if standard_input else None
        line = [*(command or (self.tool,)), *arguments]
        if typed:
            run = at_terminal(line, environment, self.folder, typed)
        else:
            run = subprocess.run(line, env=environment, cwd=self.folder, stdin=opened or subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if opened:
            opened.close()
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        with open(names, encoding="utf-8") as file:
            known = json.load(file)
        if run.returncode != status or lines[-1] != "ended" or "not prepared" in lines:
            self.failures.append(f"{name}: ended with {run.returncode}, {lines[-1]}: {run.stderr.decode()[-400:]}")
        found = []
        for line in lines:
            kind, _, rest = line.partition(" ")
            if kind in ("freed", "left", "register"):
                number, _, where = rest.partition(" ")
                found.append((kind, known[int(number)], where))
        return found

    def row(self, name: str, arguments: tuple, needles: dict, **options: object) -> None:
        found = self.run(name, arguments, needles, **options)
        in_host = self.run(f"{name}, as a library", arguments, needles, is_host=True, **options)
        # Who calls free: OpenSSL for itself, or our code, directly or through OpenSSL's own name for it.
        ours = [(kind, what, where) for kind, what, where in in_host
                if kind == "freed" and not where.partition(": ")[2].startswith("libcrypto")]
        self.finds_in_hosts += len(in_host)
        print(f"| {name} | {len(needles)} | {summary(found)} | {summary(in_host)} |", flush=True)
        if found:
            self.failures.append(f"{name}: {summary(found)}")
        if ours:
            self.failures.append(f"{name}, as a library, by our own code: {summary(ours)}")
        if self.is_verbose:
            for place in dict.fromkeys(f"    {kind} {what}: {where}" for kind, what, where in found + ours):
                print(place)


def at_terminal(line: list, environment: dict, folder: str, typed: tuple) -> subprocess.CompletedProcess:
    """Runs a command on a terminal, also as its standard input, and types each answer when it is asked for."""
    master, slave = os.openpty()

    def take() -> None:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    with open(os.path.join(folder, "said"), "w+b") as said:
        run = subprocess.Popen(line, env=environment, cwd=folder, stdin=slave, stdout=subprocess.DEVNULL, stderr=said,
                               preexec_fn=take)
        for answer in typed:
            seen = b""
            while not seen.endswith(b": ") and run.poll() is None:
                if select.select([master], [], [], 0.1)[0]:
                    seen += os.read(master, 4096)
            os.write(master, answer + b"\n")
        status = run.wait()
        said.seek(0)
        errors = said.read()
    os.close(master)
    os.close(slave)
    return subprocess.CompletedProcess(line, status, b"", errors)


def summary(found: list) -> str:
    """How many places, by what was there and whether it was freed or left."""
    kinds = collections.Counter((kind, what.split(" in ")[0] if " in " in what else what) for kind, what, _ in found)
    return ", ".join(f"{count} × {kind} {what}" for (kind, what), count in kinds.items()) or "nothing"


def control(bench: Bench) -> None:
    """The search finds what is freed and what is left."""
    secret = os.urandom(64)
    store(bench.file("secret"), secret)
    program = ("import ctypes; c = ctypes.CDLL(None); c.malloc.restype = ctypes.c_void_p; "
               "data = open('secret', 'rb').read(); block = c.malloc(500); "
               "ctypes.memmove(block + 100, data, 64); c.free(ctypes.c_void_p(block)); "
               "kept = c.malloc(500); ctypes.memmove(kept + 100, data, 64)")
    found = bench.run("control", ("-c", program), {piece: "secret" for piece in pieces(secret)},
                      command=(sys.executable,))
    assert {kind for kind, _, _ in found} == {"freed", "left"}, "the search finds nothing"


def keys_in_every_form(bench: Bench) -> None:
    phrase = {piece: "passphrase" for piece in pieces(LONG_PASSPHRASE)}
    bench.row("public-key, a long passphrase", ("public-key", "--passphrase-file", bench.file("long-passphrase"),
                                                bench.file("long.pem")), of_key(os.path.join(KEYS, "rsa3072.pem")) | phrase)
    bench.row("public-key, a long passphrase that is wrong",
              ("public-key", "--passphrase-file", bench.file("long-passphrase"), os.path.join(KEYS, "rsa3072.scrypt.pem")),
              phrase, status=2)
    wrong = LONG_PASSPHRASE[::-1]
    typed = phrase | {piece: "wrong answer" for piece in pieces(wrong)}
    bench.row("public-key, a passphrase at the terminal, once wrong", ("public-key", bench.file("long.pem")),
              of_key(os.path.join(KEYS, "rsa3072.pem")) | typed, typed=(wrong, LONG_PASSPHRASE))
    bench.row("public-key, three wrong ones", ("public-key", bench.file("long.pem")), typed, typed=(wrong,) * 3, status=2)
    bench.row("public-key, standard input is the terminal", ("public-key", "--passphrase-file", "-", bench.file("long.pem")),
              of_key(os.path.join(KEYS, "rsa3072.pem")) | phrase, typed=(LONG_PASSPHRASE,))
    for file in ("rsa3072.pem", "rsa3072.pkcs1.pem", "rsa3072.pkcs8.der", "rsa3072.pkcs1.der", "rsa3072.pkcs8.base64",
                 "rsa3072.pkcs8.base64-lines", "rsa3072.pem.base64", "rsa3072.pbkdf2.pem", "rsa3072.scrypt.pem",
                 "rsa3072.pbkdf2.der", "rsa3072.legacy.pem"):
        path = os.path.join(KEYS, file)
        is_locked = any(word in file for word in ("pbkdf2", "scrypt", "legacy"))
        locked = ("--passphrase-file", bench.file("passphrase")) if is_locked else ()
        bench.row(f"public-key, {file}", ("public-key", *locked, path), of_key(path))
    # What is too long for a passphrase or a ticket may be another secret.
    bench.row("public-key, a key in the place of its passphrase",
              ("public-key", "--passphrase-file", os.path.join(KEYS, "rsa3072.pem"), os.path.join(KEYS, "rsa3072.scrypt.pem")),
              of_key(os.path.join(KEYS, "rsa3072.pem")), status=2)
    store(bench.file("tickets"), (TICKET + b"\n") * 100)
    bench.row("sign, a file of many tickets", ("sign", "front-end-result", "--ticket-file", bench.file("tickets"),
                                               "appId=IDAXXXXX", "orderNo=ord1", "code=0"),
              {piece: "ticket" for piece in pieces(TICKET)}, status=2)
    needles = of_key(os.path.join(KEYS, "rsa3072.pem")) | of_key(os.path.join(KEYS, "rsa3072.pkcs8.base64"))
    for file in ("late.base64", "late.pem", "late.der"):
        bench.row(f"public-key, a key that fails late: {file}", ("public-key", bench.file(file)), needles, status=2)
    for file in ("late-short.pem", "late-hex"):
        with open(bench.file(file), "rb") as opened:
            content = opened.read()
        # Behind the modulus.
        needles_of_file = {piece: "text of the key file" for piece in pieces(content[len(content) // 3 : -60])}
        bench.row(f"public-key, a key that fails late: {file}", ("public-key", bench.file(file)), needles_of_file, status=2)
    bench.row("public-key, a PEM on one line", ("public-key", bench.file("one-line.pem")), needles)


def payloads(bench: Bench) -> None:
    key, other = os.path.join(KEYS, "rsa3072.pem"), os.path.join(KEYS, "other3072.public.pem")
    public = os.path.join(KEYS, "rsa3072.public.pem")
    numbers = of_key(key)
    for form in ("raw", "hex", "base64"):
        profile = json.load(open(os.path.join(ROOT, "Sources/EvidencePayload/Profiles/BuiltIn/java-default.json")))
        profile |= {"name": form, "mgf1Hash": "SHA-256", "wrappedKey": form}
        store(bench.file(f"{form}.profile"), json.dumps(profile).encode())
        # What is sealed without a profile is evidence-v2.
        by = ("--profile", bench.file(f"{form}.profile")) if form != "raw" else ()
        for video in ("video", "small"):
            payload = bench.file(f"{form}.{video}.json")
            prepare = ("payload", payload, key, bench.file(f"{form}.profile"))
            for threads in ("1", "2"):
                bench.row(f"encrypt, {form}, {video}, {threads} threads",
                          ("encrypt", "--public", public, "--order-no", ORDER, *by, "--threads", threads, "--force", "-o",
                           payload, bench.file(video)), {}, prepare=prepare)
            with open(payload, "rb") as file:
                contents = file.read()
            content_key = of_content_key(unwrapped(contents, key, profile))
            opening = ("decrypt", "--key", key, *by, "--force", "-o", bench.file("out"))
            for threads in ("1", "2"):
                bench.row(f"decrypt, {form}, {video}, {threads} threads", (*opening, "--threads", threads, payload),
                          numbers | content_key)
            bench.row(f"decrypt, {form}, {video}, a pipe", opening, numbers | content_key, standard_input=payload)
            changed = bytearray(contents)
            changed[-100 if changed[-100] != ord("A") else -101] = ord("A")
            store(bench.file("changed.json"), bytes(changed))
            bench.row(f"decrypt, {form}, {video}, changed", (*opening, "--threads", "2", bench.file("changed.json")),
                      numbers | content_key, status=1)
            bench.row(f"diagnose, {form}, {video}", ("diagnose", "--key", key, payload), numbers | content_key)
        if form == "raw":
            bench.row("rewrap", ("rewrap", "--order-no", ORDER, "--key", key, "--public", other, "--force", "-o",
                                 bench.file("out"), payload), numbers | content_key)
    bench.row("diagnose, another key", ("diagnose", "--key", os.path.join(KEYS, "other3072.pem"), payload),
              of_key(os.path.join(KEYS, "other3072.pem")), status=1)


def results(bench: Bench) -> None:
    key, compare = os.path.join(KEYS, "rsa3072.pem"), os.path.join(KEYS, "other3072.pem")
    ticket = {piece: "ticket" for piece in pieces(TICKET)}
    result = bench.file("result.json")
    bench.row("assemble", (
        "assemble", "--public", key.replace(".pem", ".public.pem"), "--compare-public",
        compare.replace(".pem", ".public.pem"), "--order-no", ORDER, "--app-id", "IDAXXXXX", "--user-id", "u1",
        "--ticket-file", bench.file("ticket"), "--video", os.path.join(ROOT, "TestVectors", "media", "clip.mp4"),
        "--image", os.path.join(ROOT, "TestVectors", "media", "photo.jpg"), "--captured-at", "2026-11-21T08:30:00.000Z",
        "-o", result), ticket, prepare=("payload", result, key, bench.file("raw.profile")), made=(result,))
    with open(result, "rb") as file:
        content_key = of_content_key(unwrapped(file.read(), key, {}))
    bench.row("check", ("check", "--key", key, "--compare-key", compare, "--ticket-file", bench.file("ticket"), "--app-id",
                        "IDAXXXXX", "--order-no", ORDER, "--at", "2026-11-21T08:31:00.000Z", result),
              of_key(key) | of_key(compare) | content_key | ticket)
    values = ("front-end-result", "--ticket-file", bench.file("ticket"), "appId=IDAXXXXX", "orderNo=ord1", "code=0")
    bench.row("sign", ("sign", *values), ticket)
    bench.row("verify, another sign", ("verify", "--sign", "A" * 40, *values), ticket, status=1)


def keygen(bench: Bench) -> None:
    for bits in ("2048", "3072"):
        name = bench.file(f"new{bits}.pem")
        bench.row(f"keygen, {bits} bits", ("keygen", "-o", name, "--bits", bits), {}, prepare=("key", name), made=(name,))
    name = bench.file("locked.pem")
    bench.row("keygen, with a passphrase", ("keygen", "-o", name, "--passphrase-file", bench.file("passphrase")), {},
              prepare=("key", name), made=(name,))
    bench.row("keygen, two different passphrases at the terminal", ("keygen", "-o", name, "--passphrase-file", "-"),
              {piece: "passphrase" for piece in pieces(LONG_PASSPHRASE) + pieces(LONG_PASSPHRASE[::-1])},
              typed=(LONG_PASSPHRASE, LONG_PASSPHRASE[::-1]), status=2)


def prepare(needle_file: str, names: str, kind: str, *arguments: str) -> None:
    """Called when a verb ends, for secrets that it made."""
    if kind == "key":
        found = of_key(arguments[0])
    else:
        payload, key, profile = arguments
        with open(payload, "rb") as file, open(profile, "rb") as opened:
            found = of_content_key(unwrapped(file.read(), key, json.load(opened)))
    with open(names, encoding="utf-8") as file:
        before = json.load(file)
    with open(needle_file, "ab") as file:
        file.write(masked(found))
    store(names, json.dumps(before + list(found.values())).encode())


def store(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


def main() -> int:
    if sys.argv[1] == "--prepare":
        prepare(*sys.argv[2:])
        return 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(sys.argv[1]), folder, "--verbose" in sys.argv)
        control(bench)
        print("| verb | pieces looked for | found | where only the library is linked |\n| --- | --- | --- | --- |")
        for rows in (keys_in_every_form, payloads, results, keygen):
            rows(bench)
        assert bench.finds_in_hosts > 0, "OpenSSL wipes all by itself, or the search does not find"
    for failure in bench.failures:
        print(failure, file=sys.stderr)
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
