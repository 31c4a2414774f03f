# SPDX-License-Identifier: Apache-2.0
"""Payloads under the built-in profiles, sealed here and opened by the other side's own runtime, and the other way round.

Java, Node, Go, PHP and the openssl command are used where they are installed; Go and PHP only seal. With --record FOLDER, what they seal for the key
rsa2048 of the vectors is kept there.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VECTORS = os.path.join(ROOT, "TestVectors")
KEY = os.path.join(VECTORS, "keys", "rsa2048.pem")
PUBLIC = os.path.join(VECTORS, "keys", "rsa2048.public.pem")
VIDEO = os.path.join(VECTORS, "media", "clip.mp4")
IV = b"0123456789abcdef"
ALL = ["evidence-v1", "java-default", "zoloz", "tencent-faceid", "wbface-simple"]
GENERATE = os.path.join(VECTORS, "generate")

# Runtime: its command, what it can seal, what it can open.
PROGRAMS = {
    "java": (["java", os.path.join(GENERATE, "Envelope.java")], ALL, ALL),
    "node": (["node", os.path.join(GENERATE, "envelope.js")], [ALL[0], *ALL[2:]], [ALL[0]]),
    "go": (["go", "run", os.path.join(GENERATE, "envelope.go")], [ALL[0], *ALL[2:]], []),
    "php": (["php", os.path.join(GENERATE, "envelope.php")], ALL[2:], []),
}
SEALERS = [*PROGRAMS, "openssl"]


def openssl(*words: str, data: bytes) -> bytes:
    return subprocess.run(["openssl", *words], input=data, check=True, stdout=subprocess.PIPE).stdout


def aes(profile: str, direction: str, key: bytes, iv: bytes, data: bytes) -> bytes:
    cipher = ["-aes-256-ecb"] if profile == "zoloz" else ["-aes-256-cbc", "-iv", iv.hex()]
    return openssl("enc", direction, *cipher, "-K", key.hex(), data=data)


def openssl_seal(profile: str, folder: str) -> None:
    key = base64.b64encode(os.urandom(24)) if profile != "zoloz" else os.urandom(32)
    iv = IV if profile == "wbface-simple" else os.urandom(16)
    with open(VIDEO, "rb") as video:
        sealed = aes(profile, "-e", key, iv, video.read())
    wrapped = openssl("pkeyutl", "-encrypt", "-pubin", "-inkey", PUBLIC, data=key)
    payload = {"videoEncryptAESKey": wrapped, "userVideoString": sealed}
    if profile == "tencent-faceid":
        payload["Iv"] = iv
    with open(os.path.join(folder, f"{profile}.json"), "w", encoding="ascii") as file:
        json.dump({name: base64.b64encode(value).decode() for name, value in payload.items()}, file)


def openssl_open(profile: str, folder: str) -> None:
    with open(os.path.join(folder, f"{profile}.json"), "rb") as file:
        payload = json.load(file)
    field = {name: base64.b64decode(value) for name, value in payload.items() if name != "orderNo"}
    key = openssl("pkeyutl", "-decrypt", "-inkey", KEY, data=field["videoEncryptAESKey"])
    with open(os.path.join(folder, f"{profile}.out"), "wb") as file:
        file.write(aes(profile, "-d", key, field.get("Iv", IV), field["userVideoString"]))


def seal(runtime: str, folder: str) -> list:
    if runtime == "openssl":
        for profile in ALL[2:]:
            openssl_seal(profile, folder)
        return ALL[2:]
    command, profiles, _ = PROGRAMS[runtime]
    subprocess.run([*command, "seal", PUBLIC, VIDEO, folder, *profiles], check=True)
    return profiles


def open_there(runtime: str, folder: str) -> list:
    if runtime == "openssl":
        for profile in ALL[2:]:
            openssl_open(profile, folder)
        return ALL[2:]
    command, _, profiles = PROGRAMS[runtime]
    if profiles:
        subprocess.run([*command, "open", KEY, folder, *profiles], check=True)
    return profiles


def ours(tool: str, verb: list, profile: str) -> None:
    iv = ["--iv", IV.decode()] if profile == "wbface-simple" else []
    subprocess.run([tool, *verb, "--profile", profile, *iv], check=True, stderr=subprocess.DEVNULL)


def check(tool: str, runtime: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        profiles = seal(runtime, folder)
        for profile in profiles:
            payload, out = (os.path.join(folder, profile + end) for end in (".json", ".opened"))
            ours(tool, ["decrypt", "--key", KEY, "-o", out, payload], profile)
            subprocess.run(["cmp", out, VIDEO], check=True)
    with tempfile.TemporaryDirectory() as folder:
        for profile in ALL:
            payload = os.path.join(folder, profile + ".json")
            ours(tool, ["encrypt", "--public", PUBLIC, "--order-no", "ord1", "-o", payload, VIDEO], profile)
        opened = open_there(runtime, folder)
        for profile in opened:
            subprocess.run(["cmp", os.path.join(folder, profile + ".out"), VIDEO], check=True)
    return len(profiles) + len(opened)


def main() -> None:
    runtimes = [name for name in SEALERS if shutil.which(name)]
    if sys.argv[1] == "--record":
        for runtime in runtimes:
            with tempfile.TemporaryDirectory() as folder:
                for profile in seal(runtime, folder):
                    shutil.copy(os.path.join(folder, f"{profile}.json"), os.path.join(sys.argv[2], f"{runtime}_{profile}.json"))
        return
    for runtime in runtimes:
        print(f"{runtime}: {check(sys.argv[1], runtime)} payloads opened by the other side")
    for runtime in sorted(set(SEALERS) - set(runtimes)):
        print(f"{runtime}: not installed, not tried")


if __name__ == "__main__":
    main()
