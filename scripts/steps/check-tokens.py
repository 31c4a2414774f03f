#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command with keys on a token that cannot leave it, found by OpenSSL through a provider, which is configured as
docs/LIMITATIONS.md prints it. The token is SoftHSM's.

    check-tokens.py BUILT CHECK    BUILT has the commands, CHECK is Packages/CLibrary/Tests/check.c as a program"""

import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEYS, MEDIA = ROOT / "TestVectors/keys", ROOT / "TestVectors/media"
MODULE = "/usr/lib/softhsm/libsofthsm2.so"
TICKET = "XO99Qfxlti9iTVgHAjwvJdAZKN3nMuUhrsPdPlPVKlcyS50N6tlLnfuFBPIucaMS"
PIN = ("--passphrase-file", "pin")
BUILT, CHECK = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
VIDEO = (MEDIA / "clip.mp4").read_bytes()
done = 0


def uri(label: str, token: str = "evidence") -> str:
    return f"pkcs11:token={token};object={label}"


def fail(what: str) -> None:
    sys.exit(f"check-tokens: {what}")


def run(*words: object, status: int = 0, says: str = "", given: bytes = b"", conf: str = "openssl.cnf") -> bytes:
    """Runs a command, which must end so and say so, and must never ask by OpenSSL's own prompt; what it printed."""
    global done
    words = tuple(map(str, words))
    program = BUILT / words[0]
    command = [str(program) if program.exists() else words[0], *words[1:]]
    ended = subprocess.run(command, input=given, capture_output=True, timeout=120, env=os.environ | {"OPENSSL_CONF": conf})
    text = ended.stderr.decode() + ("" if program.exists() else ended.stdout.decode())
    if ended.returncode != status or says not in text or program.exists() and "Enter PIN" in text:
        fail(f"{' '.join(words)}\n  status {ended.returncode}, not {status}, or it does not say {says!r}:\n{text}\n{ended.stdout[:4000].decode(errors='replace')}")
    done += 1
    return ended.stdout


def same(one: bytes, other: bytes, what: str) -> None:
    global done
    if one != other:
        fail(f"{what}: other bytes than expected")
    done += 1


def pkcs11(*words: str) -> None:
    run("pkcs11-tool", "--module", MODULE, "--token-label", "evidence", "--login", "--pin", "1234", *words)


def initialise(label: str) -> None:
    run("softhsm2-util", "--init-token", "--free", "--label", label, "--pin", "1234", "--so-pin", "5678")


def put(name: str, label: str, number: str, token: str = "evidence") -> None:
    run("softhsm2-util", "--import", KEYS / name, "--token", token, "--label", label, "--id", number, "--pin", "1234")


def prepare() -> None:
    """A token with keys that were made there and such as we have copies of, and configurations, good and bad."""
    os.mkdir("tokens")
    pathlib.Path("softhsm2.conf").write_text(f"directories.tokendir = {os.getcwd()}/tokens\nlog.level = ERROR\n")
    os.environ["SOFTHSM2_CONF"] = os.path.abspath("softhsm2.conf")
    page = (ROOT / "docs/LIMITATIONS.md").read_text("utf-8")
    block = re.search(r"^```ini\n(.*?)^```$", page, re.M | re.S)
    if not block:
        fail("docs/LIMITATIONS.md has no configuration")
    system = pathlib.Path("/etc/ssl/openssl.cnf").read_text()
    good, count = re.subn(r"(?m)^(pkcs11-module-path *= *).*$", rf"\g<1>{MODULE}", system + block[1])
    if count != 1:
        fail("the configuration of docs/LIMITATIONS.md names no module")
    for name, text in {
        "openssl.cnf": good,
        "pin.cnf": good + f"pkcs11-module-token-pin = file:{os.getcwd()}/pin\n",
        "missing.cnf": good.replace(MODULE, "/nowhere/module.so"),
        "none.cnf": system,
    }.items():
        pathlib.Path(name).write_text(text)
    for name, text in {"pin": "1234\n", "wrong": "9999\n", "long": "1" * 40, "ticket.txt": TICKET + "\n"}.items():
        pathlib.Path(name).write_text(text)
    initialise("evidence")
    put("rsa3072.pem", "payload", "01")
    put("rsa2048.pem", "twice", "04")
    put("other3072.pem", "twice", "05")
    put("rsa3072.pem", "public", "06")
    pkcs11("--delete-object", "--type", "privkey", "--id", "06")
    for label, kind, number in (("signer", "EC:prime256v1", "02"), ("rsasigner", "rsa:2048", "03"), ("archive", "rsa:3072", "07"),
                                ("small", "rsa:1024", "08"), ("curve", "EC:secp384r1", "09")):
        pkcs11("--keypairgen", "--key-type", kind, "--label", label, "--id", number)


def command() -> None:
    """evidence-tool: each verb that opens, and where its PIN comes from."""
    key, public = uri("payload"), KEYS / "rsa3072.public.pem"
    same(run("evidence-tool", "public-key", *PIN, key), public.read_bytes(), "public-key")
    run("evidence-tool", "encrypt", "--public", public, "--order-no", "ord1", "-o", "payload.json", MEDIA / "clip.mp4")
    opened = ("evidence-tool", "decrypt", "--key", key, "payload.json")
    same(run(*opened, *PIN), VIDEO, "decrypt")
    same(run(*opened, "--passphrase-file", "-", given=b"1234\n"), VIDEO, "decrypt with the PIN on standard input")
    same(run(*opened, conf="pin.cnf"), VIDEO, "decrypt with the PIN of the configuration")
    same(run("evidence-tool", "decrypt", "--key", key + ";type=private", *PIN, "payload.json"), VIDEO, "decrypt, type=private")
    same(run("evidence-tool", "decrypt", "--key", "pkcs11:token=evidence;id=%01", *PIN, "payload.json"), VIDEO, "decrypt, id=")
    terminal = f"script -qec \"{BUILT}/evidence-tool decrypt --key '{key}' -o typed.mp4 payload.json\" /dev/null"
    told = run("bash", "-c", f"(sleep 2; echo 1234; sleep 1) | {terminal}", says="PIN of the token").decode()
    same(pathlib.Path("typed.mp4").read_bytes(), VIDEO, "decrypt with a PIN that was typed")
    if "PKCS#11 Token" in told:
        fail(f"the provider asked on the terminal:\n{told}")
    run("evidence-tool", "rewrap", "--key", key, *PIN, "--public", KEYS / "rsa2048.public.pem", "--order-no", "ord1", "-o", "other.json", "payload.json")
    same(run("evidence-tool", "decrypt", "--key", KEYS / "rsa2048.pem", "other.json"), VIDEO, "rewrap")
    request = b'{"id":1,"in":"payload.json","out":"batch.mp4","order":"ord1"}\n'
    run("evidence-tool", "batch", "open", "--root", ".", "--key", key, *PIN, given=request * 20)
    same(pathlib.Path("batch.mp4").read_bytes(), VIDEO, "batch open")
    if b"opens with" not in run("evidence-tool", "diagnose", "--key", key, *PIN, "payload.json"):
        fail("diagnose does not open")
    for order in ("ord1", "ord2"):
        run("evidence-tool", "assemble", "--public", public, "--compare-public", KEYS / "other3072.public.pem", "--order-no", order,
            "--app-id", "IDAXXXXX", "--user-id", "u-1", "--video", MEDIA / "clip.mp4", "--image", MEDIA / "photo.jpg",
            "--ticket-file", "ticket.txt", "-o", f"{order}.json")
    run("evidence-tool", "check", "--order-no", "ord1", "--key", key, "--compare-key", "pkcs11:token=evidence;id=%05", *PIN, "--app-id",
        "IDAXXXXX", "--ticket-file", "ticket.txt", "ord1.json")


def failures() -> None:
    """What is wrong is said, with the status of a mistake, and OpenSSL asks nobody by itself."""
    def refused(key: str, says: str, *more: str, conf: str = "openssl.cnf") -> None:
        run("evidence-tool", "decrypt", "--key", key, *more, "payload.json", status=2, says=says, conf=conf)

    key, nothing = uri("payload"), "no private key was found at the URI"
    refused(key, "the key needs a PIN")
    refused(key, nothing, "--passphrase-file", "wrong")
    refused(key, nothing, "--passphrase-file", "long")
    refused(uri("nothing"), nothing, *PIN)
    refused(uri("payload", token="nothing"), nothing, *PIN)
    refused(uri("public"), nothing, *PIN)
    refused(uri("twice"), "more than one private key", *PIN)
    refused("pkcs11:token=evidence", "more than one private key", *PIN)
    refused("pkcs11:object=%zz", nothing, *PIN)
    refused(uri("signer"), "expected an RSA key, found an EC key", *PIN)
    refused(uri("small"), "RSA-1024 is too weak", *PIN)
    refused(key + "?pin-value=1234", "contains a PIN")
    refused(key, nothing, *PIN, conf="missing.cnf")
    refused(key, "neither a provider nor an engine", *PIN, conf="none.cnf")
    # A file of that name is not a key on a token.
    shutil.copy(KEYS / "rsa3072.pem", "pkcs11:object=payload")
    refused("pkcs11:object=payload", "neither a provider nor an engine", *PIN, conf="none.cnf")
    os.remove("pkcs11:object=payload")
    # The right one, after all that; and the same key twice, on two tokens, is one key.
    initialise("copy")
    put("rsa3072.pem", "payload", "01", token="copy")
    same(run("evidence-tool", "decrypt", "--key", "pkcs11:object=payload", *PIN, "payload.json"), VIDEO, "one key on two tokens")
    if os.path.exists("video.mp4"):
        fail("a refusal left a file")


def archive() -> None:
    """evidence-archive: the archive's key and the signers' on the token."""
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key.pem", "-out", "ca.pem", "-days", "9", "-subj", "/CN=CA")
    pathlib.Path("ext").write_text("keyUsage=critical,digitalSignature\nextendedKeyUsage=emailProtection\n")
    for label in ("signer", "rsasigner", "curve"):
        run("openssl", "req", "-new", "-key", uri(label), "-passin", "file:pin", "-subj", f"/CN={label}", "-out", "csr")
        run("openssl", "x509", "-req", "-in", "csr", "-CA", "ca.pem", "-CAkey", "ca.key.pem", "-days", "9", "-extfile", "ext", "-out", f"{label}.pem")
    run("evidence-tool", "public-key", *PIN, "-o", "archive.pub.pem", uri("archive"))
    run("evidence-archive", "init", "A", "--origin", "example.com/kyc", "--public", "archive.pub.pem", "--signer", "signer.pem",
        "--signer", "rsasigner.pem")
    key = ("--key", uri("archive"), *PIN)
    ids = []
    for order, signer in (("ord1", "signer"), ("ord2", "rsasigner")):
        ids.append(run("evidence-archive", "append", "A", "--order-no", order, "--key", uri("payload"), *PIN, "--app-id", "IDAXXXXX",
                       "--compare-key", KEYS / "other3072.pem", "--ticket-file", "ticket.txt", f"{order}.json").decode().strip())
        close = ("evidence-archive", "close", "A", "--certificate", f"{signer}.pem", "--signer")
        run(*close, uri(signer), "--passphrase-file", "wrong", status=2, says="no private key was found at the URI")
        run(*close, uri("signer" if signer != "signer" else "rsasigner"), *PIN, status=2, says="certificate")
        run(*close, uri("public"), *PIN, status=2)
        run(*close, uri("curve"), *PIN, status=2)
        run(*close, uri(signer), *PIN)
    verify = ("evidence-archive", "verify", "A", "--signer", "signer.pem", "--signer", "rsasigner.pem", "--signer-ca", "ca.pem",
              "--require", "signature,parts")
    run(*verify, *key)
    for bag in sorted(pathlib.Path("A/bags").iterdir()):
        for signature in bag.rglob("*.p7s"):
            run("openssl", "cms", "-verify", "-binary", "-cades", "-inform", "DER", "-in", signature, "-content", bag / signature.stem,
                "-CAfile", "ca.pem", "-out", "/dev/null")
    run("evidence-archive", "extract", "A", "--record", ids[0], *key, "-o", "opened")
    same(pathlib.Path("opened/video.mp4").read_bytes(), VIDEO, "extract")
    run("evidence-archive", "export", "A", "--record", ids[1], *key, "--signer-ca", "ca.pem", "-o", "packs")
    run("evidence-archive", "index", "build", "A", "--index", "I", *key)
    if ids[0].encode() not in run("evidence-archive", "find", "A", "--index", "I", "--order-no", "ord1", *key):
        fail("find does not find")
    run("evidence-archive", "erase", "A", "--record", ids[0], "--reason", "a test")
    run("evidence-archive", "index", "update", "A", "--index", "I", *key)
    run("evidence-archive", "close", "A", "--certificate", "signer.pem", "--signer", uri("signer"), *PIN)
    run("evidence-archive", "rotate", "A", "--key", uri("archive"), "--passphrase-file", "wrong", "--public",
        KEYS / "rsa3072.public.pem", status=2)
    run("evidence-archive", "rotate", "A", *key, "--public", KEYS / "rsa3072.public.pem")
    run("evidence-archive", "close", "A", "--certificate", "signer.pem", "--signer", uri("signer"), *PIN)
    run(*verify, "--key", uri("payload"), *PIN)
    run("evidence-archive", "extract", "A", "--record", ids[1], "--key", uri("payload"), *PIN, "-o", "again")
    same(pathlib.Path("again/video.mp4").read_bytes(), VIDEO, "extract after rotate")


def ask(path: str, body: bytes) -> tuple[int, bytes]:
    link = http.client.HTTPConnection("evidence", timeout=60)
    link.sock = socket.socket(socket.AF_UNIX)
    link.sock.connect("service.sock")
    link.request("POST", path, body, {"Content-Type": "application/json"})
    answer = link.getresponse()
    return answer.status, answer.read()


def service() -> None:
    """evidence-service: many requests at a time, keys read again, and a token that goes away."""
    words = (BUILT / "evidence-service", "--socket", "service.sock", "--key", uri("payload"), "--compare-key", uri("archive"))
    run(*words, "--passphrase-file", "wrong", status=2, says="no private key was found at the URI")
    run(*words, status=2, says="needs a PIN")
    with open("service.log", "wb") as log:
        process = subprocess.Popen([*words, *PIN], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ | {"OPENSSL_CONF": "openssl.cnf"})
    try:
        for _ in range(200):
            if os.path.exists("service.sock") or process.poll() is not None:
                break
            time.sleep(0.05)
        body = pathlib.Path("payload.json").read_bytes()
        for _ in range(2):
            with concurrent.futures.ThreadPoolExecutor(8) as threads:
                for status, answer in threads.map(lambda _: ask("/v1/open?orderNo=ord1", body), range(100)):
                    if status != 200:
                        fail(f"the service answers {status}: {answer!r}")
                    same(answer, VIDEO, "the service's video")
            process.send_signal(signal.SIGHUP)
            time.sleep(1)
        os.rename("tokens", "gone")
        status, answer = ask("/v1/open?orderNo=ord1", body)
        if status < 500 or json.loads(answer).get("code") != "key-failed":
            fail(f"without its token the service answers {status}: {answer!r}")
        # Keys that cannot be read again stay as they were.
        process.send_signal(signal.SIGHUP)
        time.sleep(1)
        os.rename("gone", "tokens")
        # SoftHSM knows it only in a new process.
        same(run("evidence-tool", "decrypt", "--key", uri("payload"), *PIN, "payload.json"), VIDEO, "decrypt, once the token is back")
    finally:
        process.terminate()
        ended = process.wait(60)
        said = pathlib.Path("service.log").read_text()
    if "no private key was found at the URI" not in said:
        fail(f"the service does not say that its keys are gone:\n{said}")
    if ended != 0 or "Enter PIN" in said or "PKCS#11" in said:
        fail(f"the service ended with {ended}:\n{said}")


def libraries() -> None:
    """The C library, and Python by its wheel."""
    run(CHECK, "token", uri("payload"), "1234", KEYS / "rsa3072.pem")
    os.environ["EVIDENCE_TOKEN"] = uri("payload")
    run("python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "Packages/CLibrary/Python/tests/test_tokens.py", says="passed")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        for part in (command, failures, archive, service, libraries):
            before = done
            part()
            print(f"{part.__name__}: {done - before} checks", flush=True)
    print(f"check-tokens: {done} checks")
    return 0


sys.exit(main())
