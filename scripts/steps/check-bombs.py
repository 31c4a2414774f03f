# SPDX-License-Identifier: Apache-2.0
"""Small or endless inputs that cost a careless reader its time or memory, thrown at the release build.

`check-bombs.py TOOL` takes a minute; with `--long` the sizes are those that only a stream can have (10 GiB). Each bomb
is handled or refused with the status that is expected, within its time, and within the memory any payload gets. Input
is generated while it is read; only key files are files.
"""

import base64
import os
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KEYS = os.path.join(ROOT, "TestVectors", "keys")
KEY = os.path.join(KEYS, "rsa2048.pem")
MIB = 1 << 20
# As check-python.py has it. This process itself counts for its children, so it must stay small.
MEMORY_MIB = 28
HANDLED, REFUSED, USAGE = 0, 1, 2


class Bombs:
    def __init__(self, tool: str, is_long: bool):
        self.tool = tool
        self.is_long = is_long

    def throw(self, name: str, status: int, arguments: list, pieces, seconds: float, says: str = "",
              mib: int = MEMORY_MIB) -> None:
        """Runs the tool on a stream and holds it to status, seconds of the processor, memory and a word of its message."""
        with tempfile.TemporaryFile() as messages:
            child = subprocess.Popen(
                [self.tool, *arguments], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=messages)
            feeder = threading.Thread(target=self.feed, args=(child.stdin, pieces), daemon=True)
            feeder.start()
            watchdog = threading.Timer(120 + 10 * seconds, child.kill)
            watchdog.start()
            _, code, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(code)
            watchdog.cancel()
            feeder.join(10)
            messages.seek(0)
            text = messages.read().decode()
        took = usage.ru_utime + usage.ru_stime
        assert child.returncode == status, f"{name}: status {child.returncode} after {took:.1f} s, {text[-400:]}"
        assert took <= seconds, f"{name}: {took:.1f} s of the processor"
        assert says in text, f"{name}: {text[-400:]}"
        assert usage.ru_maxrss <= mib << 10, f"{name}: {usage.ru_maxrss} KiB of memory"
        print(f"| {name} | {'handled' if status == 0 else 'refused'} | {took:.1f} | {usage.ru_maxrss / 1024:.0f} |")

    @staticmethod
    def feed(pipe, pieces) -> None:
        try:
            for piece in pieces:
                pipe.write(piece)
            pipe.close()
        except OSError:
            # The tool has seen enough.
            pass

    def file(self, name: str, status: int, arguments: list, content: bytes, says: str) -> None:
        """The same for what is handed over as a file: a key, a profile."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            self.throw(name, status, [word.replace("FILE", file.name) for word in arguments], [], 10, says)


def repeat(pattern: bytes, count: int):
    """`count` bytes of a pattern, in pieces."""
    block = pattern * (MIB // len(pattern))
    for _ in range(count // len(block)):
        yield block
    yield block[: count % len(block) // len(pattern) * len(pattern)]


def around(before: bytes, middle, after: bytes):
    yield before
    yield from middle
    yield after


def documents(bombs: Bombs) -> None:
    mib = 10 * 1024 if bombs.is_long else 64
    seconds = 1200 if bombs.is_long else 60
    size = mib * MIB
    string = size * 2 // 5 if bombs.is_long else size
    plain = b'"orderNo":"o1","userVideoString":"aGk="}'
    name = f"{mib} MiB of white space"
    bombs.throw(f"{name} before a payload", HANDLED, ["extract", "--field", "userVideoString"],
                around(b"", repeat(b" \n\t ", size), b"{" + plain), seconds)
    bombs.throw(f"{name} in it, inspected", HANDLED, ["inspect"],
                around(b'{"isSuccess":true,', repeat(b" ", size), plain), seconds)
    bombs.throw(f"{name} alone", REFUSED, ["extract", "--field", "userVideoString"], repeat(b" ", size), seconds, "nothing but white space")
    bombs.throw(f"{mib} MiB of texts that may hold words and JSON", REFUSED, ["inspect"],
                around(b'{"isSuccess":true,"x":[', repeat(b'"' + b"passpassx {" * 5_000 + b'",', size), b"1]," + plain), seconds, "texts")

    name = f"a string of {string // MIB} MiB"
    for verb in (["extract", "--field", "userVideoString"], ["inspect"], ["decrypt", "--key", KEY]):
        bombs.throw(f"{name} in an unknown field, {verb[0]}", REFUSED if "--key" in verb else HANDLED, verb,
                    around(b'{"isSuccess":true,"x":"', repeat(b"x", string), b'",' + plain), seconds)
    bombs.throw(f"{name} as orderNo", REFUSED, ["extract", "--field", "userVideoString"],
                around(b'{"orderNo":"', repeat(b"x", string), b'"}'), seconds, "orderNo")
    bombs.throw(f"{name} as a name", REFUSED, ["inspect"], around(b'{"', repeat(b"x", string), b'":1}'), seconds, "name")
    bombs.throw(f"{name} of escapes", HANDLED, ["extract", "--field", "userVideoString"],
                around(b'{"x":"', repeat(b"\\u002f\\/", string), b'",' + plain), seconds)
    bombs.throw(f"a number of {string // MIB} MiB", REFUSED, ["inspect"],
                around(b'{"code":1', repeat(b"1", string), b"}"), seconds, "number")
    wrapped = base64.b64encode(bytes(256))
    zeros = around(b'{"orderNo":"o1","videoEncryptAESKey":"' + wrapped + b'","userVideoString":"',
                   repeat(b"AAAA", string), b'"}')
    with tempfile.TemporaryDirectory() as folder:
        bombs.throw(f"{string // MIB} MiB of base64 of zeros, sealed", REFUSED,
                    ["decrypt", "--key", KEY, "-o", os.path.join(folder, "video")], zeros, seconds, "cannot open")
        assert os.listdir(folder) == [], "a refused payload leaves nothing"
    bombs.throw(f"{string // MIB} MiB of base64 of zeros, plain", HANDLED, ["extract", "--field", "userVideoString"],
                around(b'{"userVideoString":"', repeat(b"AAAA", string), b'"}'), seconds)

    for verb in (["extract", "--field", "userVideoString"], ["inspect"], ["diagnose", "--key", KEY]):
        bombs.throw(f"a million nested arrays, {verb[0]}", REFUSED, verb, around(b'{"a":', repeat(b"[", MIB), b""), 10)
        bombs.throw(f"a million nested objects, {verb[0]}", REFUSED, verb, repeat(b'{"a":', 5 * MIB), 10)
        bombs.throw(f"100,000 duplicate names, {verb[0]}", REFUSED, verb,
                    around(b'{"a":0', (b',"a":1' for _ in range(100_000)), b"}"), 10, "twice")
        bombs.throw(f"100,000 names, {verb[0]}", REFUSED, verb,
                    around(b'{"a":0', (b',"%d":1' % i for i in range(100_000)), b"}"), 10, "more than 4096 names")
    bombs.throw("16,300 values, inspect", HANDLED, ["inspect"],
                around(b'{"isSuccess":true,"orderNo":"ord1","data":[""', repeat(b',"abc"', 6 * 16_300), b"]}"), 10, mib=44)
    words = b'"' + b"a:" * 2_000 + b'",'
    bombs.throw("64,000 words, inspect", HANDLED, ["inspect"],
                around(b'{"isSuccess":true,"orderNo":"ord1","data":[', [words * 32], b'""]}'), 10)
    bombs.throw("a million words, inspect", REFUSED, ["inspect"],
                around(b'{"isSuccess":true,"orderNo":"ord1","data":[', [words * 500], b'""]}'), 10, "words")
    bombs.throw("ten million values, inspect", REFUSED, ["inspect"],
                around(b'{"isSuccess":[0', repeat(b",0", 20_000_000), b"]}"), 10, "values")


# DER (X.690), as much as keys need.

def tagged(tag: int, content: bytes) -> bytes:
    count = len(content)
    length = bytes([count]) if count < 128 else b""
    if not length:
        digits = count.to_bytes((count.bit_length() + 7) // 8, "big")
        length = bytes([0x80 | len(digits)]) + digits
    return bytes([tag]) + length + content


def sequence(*parts: bytes) -> bytes:
    return tagged(0x30, b"".join(parts))


def integer(value: int) -> bytes:
    return tagged(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def octets(content: bytes) -> bytes:
    return tagged(4, content)


def oid(digits: str) -> bytes:
    return tagged(6, bytes.fromhex(digits))


RSA = sequence(oid("2a864886f70d010101"), tagged(5, b""))
PBES2, PBKDF2, SCRYPT = oid("2a864886f70d01050d"), oid("2a864886f70d01050c"), oid("2b06010401da47040b")
PKCS12_3DES, AES_256_CBC = oid("2a864886f70d010c0103"), oid("60864801650304012a")


def encrypted(function: bytes) -> bytes:
    """An encrypted private key under PBES2 (RFC 8018) whose key derivation is that one."""
    cipher = sequence(AES_256_CBC, octets(bytes(16)))
    return sequence(sequence(PBES2, sequence(function, cipher)), octets(bytes(64)))


def keys(bombs: Bombs) -> None:
    public = ["public-key", "FILE"]
    with open(os.path.join(KEYS, "rsa3072.certificate.pem"), "rb") as file:
        certificate = file.read()
    number = (1 << 16383) + 1
    spki = sequence(RSA, tagged(3, b"\0" + sequence(integer(number), integer(65537))))
    bombs.file("an RSA-16384 public key", USAGE, ["encrypt", "--public", "FILE", "--order-no", "o1"], spki, "16384")
    private = sequence(*(integer(value) for value in (0, number, 65537, number - 2, 3, 5, 1, 1, 1)))
    bombs.file("an RSA-16384 private key", USAGE, public, private, "16384")
    bombs.file("1,000 certificates", USAGE, public, certificate * 1000, "too large for a file of this kind")
    count = (1 << 18) // len(certificate)
    bombs.file(f"{count} certificates where a private key is needed", USAGE, ["decrypt", "--key", "FILE"], certificate * count, "public key")
    block = b"-----BEGIN X-----\nMAA=\n-----END X-----\n"
    bombs.file("6,000 empty PEM blocks", USAGE, public, block * 6000, "PEM blocks")
    # OpenSSL would compute the public half: with numbers a ninth as long that took 90 seconds.
    size = 1 << 19
    parameters = sequence(integer((1 << size) - 1), integer((1 << size) - 3), integer(3))
    dsa = sequence(integer(0), sequence(oid("2a8648ce380401"), parameters), octets(integer((1 << size) - 9)))
    bombs.file("a DSA key of half a million bits", USAGE, public, dsa, "DSA")
    # Numbers of the right size and no more: nothing is computed with them before they are refused.
    modulus, prime = (1 << 2047) + 1, (1 << 1023) + 1
    own = (0, modulus, 65537, modulus - 2, prime, prime, (1 << 500_000) + 1, 3, 3)
    bombs.file("an RSA key with an exponent of half a million bits", USAGE, public,
               sequence(*(integer(value) for value in own)), "longer than its modulus")
    passphrase = ["public-key", "--passphrase-file", os.path.join(KEYS, "passphrase.txt"), "FILE"]
    salt = octets(bytes(8))
    for count in (2**31 - 1, 2**62, 2**200):
        name = f"PBKDF2 with 2^{count.bit_length() - (count & (count - 1) == 0)} iterations"
        bombs.file(name, USAGE, passphrase, encrypted(sequence(PBKDF2, sequence(salt, integer(count)))), "more than is done here")
    for cost, size, parallel in ((2**14, 8, 2**20), (2, 1, 2**30), (2**40, 8, 1), (2**62, 2**62, 2**62)):
        function = sequence(SCRYPT, sequence(salt, integer(cost), integer(size), integer(parallel)))
        name = f"scrypt with N = {cost}, r = {size}, p = {parallel}"
        bombs.file(name, USAGE, passphrase, encrypted(function), "more than is done here")
    # Work that is allowed, but more memory than OpenSSL gives: what it says then is that the passphrase does not fit.
    for cost, size in ((2**15, 8), (2**20, 8), (2, 2**16)):
        function = sequence(SCRYPT, sequence(salt, integer(cost), integer(size), integer(1)))
        bombs.file(f"scrypt with N = {cost}, r = {size}", USAGE, passphrase, encrypted(function), "passphrase")
    older = sequence(sequence(PKCS12_3DES, sequence(salt, integer(2**31 - 1))), octets(bytes(64)))
    bombs.file("PKCS#12's derivation with 2^31 iterations", USAGE, passphrase, older, "more than is done here")
    profile = ["decrypt", "--key", KEY, "--profile", "FILE"]
    bombs.file("a profile of 1 MiB", USAGE, profile, b" " * MIB, "too large for a file of this kind")
    bombs.file("a profile of nested arrays", USAGE, profile, b"[" * 200_000, "profile")


def main() -> None:
    bombs = Bombs(os.path.abspath(sys.argv[1]), "--long" in sys.argv)
    print("| bomb | outcome | s | MiB |\n| --- | --- | --- | --- |")
    keys(bombs)
    documents(bombs)


if __name__ == "__main__":
    main()
