# SPDX-License-Identifier: Apache-2.0
"""The command against Python, in both directions, and its peak memory at two sizes."""

import os
import resource
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON_TOOLS = {
    profile: [sys.executable, os.path.join(ROOT, "TestVectors", "generate", profile.replace("-", "_") + ".py")]
    for profile in ("evidence-v2", "evidence-v1")
}
PYTHON_RESULTS = [sys.executable, os.path.join(ROOT, "TestVectors", "generate", "statement.py")]
PHOTO = os.path.join(ROOT, "TestVectors", "media", "photo.jpg")
MIB = 1 << 20


def run(command: list, **options) -> None:
    subprocess.run(command, check=True, **options)


def same(left: str, right: str) -> bool:
    return subprocess.run(["cmp", left, right]).returncode == 0


def interoperate(tool: str) -> None:
    """A payload sealed on either side opens on the other, at sizes around every boundary."""
    run([tool, "keygen", "-o", "key.pem", "--public", "pub.pem", "--bits", "2048"], stderr=subprocess.DEVNULL)
    sizes = [0, 1, 2, 3, 11, 12, 13, 15, 16, 17, 4096, 16_383, 16_384, 16_385, 131_072, 196_607, 196_608, 262_143, 262_144, 262_145, 3 * MIB + 1]
    for size in sizes:
        with open("video", "wb") as video:
            video.write(os.urandom(size))
        for profile, python in PYTHON_TOOLS.items():
            by = [] if profile == "evidence-v2" else ["--profile", profile]
            run([tool, "encrypt", "--public", "pub.pem", "--order-no", "ord1", *by, "-o", "ours.json", "--force", "video"])
            with open("ours.json", "rb") as payload, open("opened", "wb") as opened:
                run(python + ["open", "--key", "key.pem"], stdin=payload, stdout=opened)
            assert same("video", "opened"), f"Python opens ours, {profile}, {size} bytes"
            with open("video", "rb") as video, open("theirs.json", "wb") as payload:
                run(python + ["seal", "--public", "pub.pem", "--order-no", "ord1"], stdin=video, stdout=payload)
            # The default is evidence-v2 alone.
            for which in [["--profile", profile]] + ([[]] if not by else []):
                run([tool, "decrypt", "--key", "key.pem", *which, "-o", "opened", "--force", "theirs.json"])
                assert same("video", "opened"), f"ours opens Python's, {profile}, {size} bytes"
    print(f"{5 * len(sizes)} payloads opened by the other side")


def exchange_results(tool: str) -> None:
    """A whole result assembled on either side holds on the other, for any user and scores."""
    run([tool, "keygen", "-o", "compare.pem", "--public", "compare-pub.pem", "--bits", "3072"], stderr=subprocess.DEVNULL)
    with open("ticket.txt", "w") as ticket:
        ticket.write("XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS\n")
    count = 0
    for user in ["u1", "张三 \U0001f600", 'e\u0301 "\\/\x1f\x7f']:
        for size, photo in [(0, []), (1, ["--image", PHOTO]), (262_145, ["--image", PHOTO])]:
            with open("video", "wb") as video:
                video.write(os.urandom(size))
            ids = ["--order-no", "ord1", "--app-id", "IDAXXXXX", "--ticket-file", "ticket.txt", "--user-id", user]
            keys = ["--public", "pub.pem", "--compare-public", "compare-pub.pem"]
            making = ["assemble", *keys, *ids, "--video", "video", *photo]
            checking = ["check", "--key", "key.pem", "--compare-key", "compare.pem", *ids]
            ours = [*making, "--live-rate", "99.1", "--risk-info-tag", "02_é", "-o", "ours.json", "--force"]
            run([tool, *ours])
            with open("ours.json", "rb") as result:
                run([*PYTHON_RESULTS, *checking], stdin=result, stdout=subprocess.DEVNULL)
            scores = ["--scores", '{"liveRate": "99.1", "riskInfo": {"riskInfoTag": "02_é"}}']
            with open("theirs.json", "wb") as result:
                run([*PYTHON_RESULTS, *making, *scores], stdout=result)
            run([tool, *checking, "theirs.json"], stdout=subprocess.DEVNULL)
            count += 2
    print(f"{count} whole results checked by the other side")


def peak(command: list, **options) -> int:
    """The peak memory of one command in KiB: measured in a child of our own, which has no other children."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        run(command, **options)
        os.write(writer, str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as result:
        text = result.read()
    os.wait()
    assert text, f"failed: {command}"
    return int(text)


def memory(tool: str) -> None:
    """No verb takes more memory for a large payload than for a small one, whatever comes in and goes out."""
    # About 15 MiB of it are pages of the program itself, more of them if the page cache has it all.
    bound = 28 * 1024
    # Each thread takes memory: the page speaks of two.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    with open("video", "wb") as video:
        for _ in range(256):
            video.write(os.urandom(MIB))
    run([tool, "encrypt", "--public", "pub.pem", "--order-no", "ord1", "-o", "large.json", "video"])
    # The same with the fields the other way round, as the vendor has them.
    with open("large.json", "rb") as payload:
        head = payload.read(1000)
    start = head.index(b'"userVideoString"')
    with open("large.json", "rb") as payload, open("vendor.json", "wb") as other:
        payload.seek(start)
        other.write(b"{")
        while piece := payload.read(MIB):
            other.write(piece.replace(b"}\n", b""))
        other.write(b"," + head[1 : start - 1] + b"}")
    keys = ["--public", "pub.pem", "--compare-public", "pub.pem"]
    ids = ["--order-no", "ord1", "--app-id", "IDAXXXXX", "--user-id", "u1"]
    ids += ["--ticket-file", "ticket.txt"]
    assemble = [tool, "assemble", *keys, *ids, "--video", "video", "-o", "result.json"]
    check = [tool, "check", "--key", "key.pem", "--compare-key", "key.pem", *ids, "result.json"]
    with open("large.json", "rb") as stdin, open(os.devnull, "wb") as null:
        figures = {
            "encrypt to a file": peak([tool, "encrypt", "--public", "pub.pem", "--order-no", "o", "-o", "x", "video"]),
            "decrypt to a file": peak([tool, "decrypt", "--key", "key.pem", "-o", "y", "large.json"]),
            "decrypt, wrapped key last": peak([tool, "decrypt", "--key", "key.pem", "-o", "z", "vendor.json"]),
            "decrypt to a pipe": peak([tool, "decrypt", "--key", "key.pem", "large.json"], stdout=null),
            "decrypt from a pipe": peak(["sh", "-c", f"cat large.json | '{tool}' decrypt --key key.pem > /dev/null"]),
            "assemble": peak(assemble),
            "check": peak(check, stdout=null),
            "check from a pipe": peak(["sh", "-c", f"cat result.json | {shlex.join(check[:-1])} > /dev/null"]),
            "inspect": peak([tool, "inspect", "large.json"], stdout=null),
            "inspect from a pipe": peak(["sh", "-c", f"cat large.json | '{tool}' inspect > /dev/null"]),
            "diagnose": peak([tool, "diagnose", "--key", "key.pem", "large.json"], stdout=null),
            "diagnose, wrapped key last": peak([tool, "diagnose", "--key", "key.pem", "vendor.json"], stdout=null),
            "rewrap": peak([tool, "rewrap", "--order-no", "ord1", "--key", "key.pem", "--public", "pub.pem", "-o", "w",
                            "large.json"]),
        }
    assert same("video", "y") and same("video", "z")
    for name, kib in figures.items():
        print(f"{name}, 256 MiB: {kib / 1024:.1f} MiB of memory")
        assert kib < bound, f"{name} took {bound // 1024} MiB or more"
    # What an encrypted key takes: as keygen makes it, and with as much as OpenSSL gives to scrypt.
    with open("passphrase", "w", encoding="ascii") as file:
        # Twice, since openssl takes the second line for the new key.
        file.write("correct horse\n" * 2)
    run([tool, "keygen", "-o", "locked.pem", "--public", "locked-pub.pem", "--bits", "2048", "--passphrase-file", "passphrase"],
        stderr=subprocess.DEVNULL)
    run(["openssl", "pkcs8", "-topk8", "-in", "locked.pem", "-passin", "file:passphrase", "-passout", "file:passphrase", "-scrypt",
         "-scrypt_N", "1024", "-scrypt_r", "255", "-scrypt_p", "1", "-out", "costly.pem"])
    run([tool, "encrypt", "--public", "locked-pub.pem", "--order-no", "o", "-o", "large.json", "--force", "video"])
    for name, more in (("locked.pem", 9), ("costly.pem", 32)):
        kib = peak([tool, "decrypt", "--key", name, "--passphrase-file", "passphrase", "-o", "y", "--force", "large.json"])
        print(f"decrypt with {name}: {kib / 1024:.1f} MiB of memory")
        assert kib < bound + more * 1024, f"{name} took {more} MiB more"


def main() -> None:
    tool = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        interoperate(tool)
        exchange_results(tool)
        memory(tool)
        os.chdir("/")


if __name__ == "__main__":
    main()
