# SPDX-License-Identifier: Apache-2.0
"""What `diagnose` says of payloads of which it is known how they were sealed.

- Every variation that a profile can say, sealed by the Python of TestVectors/generate: which profile is named.
- The built-in profiles, sealed by the runtimes that are installed.
- Payloads whose wrapped key is another than the one they were sealed with: nothing may be called proved or likely.

With --long, as many as docs/PROFILES.md gives figures for; else a sample. Prints the tables of that page.
"""

import collections
import concurrent.futures
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GENERATE = os.path.join(ROOT, "TestVectors", "generate")
sys.path[:0] = [GENERATE, os.path.join(ROOT, "scripts", "steps")]

import diagnosis  # noqa: E402
from profiles import CALLER_IV, PRESETS, Profile, fields, media, packed, text, wrap  # noqa: E402
from rsa_by_hand import Stream  # noqa: E402

KEY = os.path.join(ROOT, "TestVectors", "keys", "rsa2048.pem")
TOOL = os.path.abspath(sys.argv[1])
LONG = "--long" in sys.argv

PADDINGS = [None, ("SHA-1", "SHA-1"), ("SHA-256", "SHA-1"), ("SHA-256", "SHA-256")]
ENCODINGS = ["base64", "base64-url", "base64-lines", "hex"]
# Mode, where the IV is, where the tag is.
LAYOUTS = [
    *(("gcm", iv, tag) for iv in ("prefix", "field", "caller", "zero") for tag in ("appended", "field")),
    *(("cbc", iv, "none") for iv in ("prefix", "field", "caller", "zero")),
    ("ecb", "none", "none"),
]


def say(payload: dict, iv: "bytes | None") -> dict:
    given = ["--iv", "hex:" + iv.hex()] if iv else []
    done = subprocess.run(
        [TOOL, "diagnose", "--json", "--key", KEY, *given], input=json.dumps(payload).encode(), capture_output=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"status {done.returncode}: {done.stderr!r}")
    return json.loads(done.stdout)


def content(number: int) -> bytes:
    """A file of a kind that payloads carry, of some size."""
    chance = random.Random(number)
    noise = chance.randbytes(chance.choice([20, 700, 5_000, 90_000]))
    head = chance.choice([
        diagnosis.ftyp(b"mp42", 1, b"mp41", b"mp42", b"isom"), diagnosis.ftyp(b"qt  ", 0, b"qt  "),
        diagnosis.ftyp(b"mp42", 0, b"isom", b"mp42"), diagnosis.ftyp(b"isom", 512, b"isom", b"iso2", b"avc1", b"mp41")])
    video = head + diagnosis.box(b"mdat", noise) + diagnosis.movie(str(number))
    return [video, video, media("photo.jpg"), json.dumps({"a": noise[:200].hex()}).encode()][number % 4]


def expected(profile: Profile, sealed: dict) -> dict:
    """What docs/PROFILES.md says a profile's members are."""
    bits = {"gcm": "gcm", "cbc": "cbc", "ecb": "ecb"}[profile.mode]
    members = {
        "rsaPadding": "oaep" if profile.oaep else "pkcs1-v1.5", "cipher": f"aes-{profile.bits}-{bits}",
        "iv": profile.iv, "tag": profile.tag, "aad": "evidence-v1" if profile.aad else "none",
        "encoding": profile.encoding, "wrappedKey": profile.form,
    }
    if profile.oaep:
        members["oaepHash"], members["mgf1Hash"] = profile.oaep
    return members


def named(verdict: dict, wanted: dict) -> str:
    """In what the answer differs."""
    if "opens" not in verdict:
        return "unproven" if "unproven" in verdict else verdict["closed"]["cause"]
    found = verdict["opens"]["profile"]
    wrong = [
        name for name, value in wanted.items()
        # Letters and digits may be the key as it is, and may be drawn by chance.
        if found.get(name) != value and not (name == "wrappedKey" and {found[name], value} == {"raw", "ascii"})
    ]
    return "itself" if not wrong else "another " + ", ".join(wrong)


def variation(job: tuple) -> tuple:
    number, (padding, form, bits, encoding, (mode, iv, tag), aad) = job
    profile = Profile(padding, form, bits, mode, iv, "Iv", tag, aad, encoding)
    payload = fields(profile, content(number), label=str(number))
    known = CALLER_IV[: 12 if mode == "gcm" else 16] if iv == "caller" else None
    row = f"{mode.upper()}, IV {iv}" + (f", tag {tag}" if mode == "gcm" else "")
    yield_rows = [(row, named(say(payload, known), expected(profile, payload)), job)]
    if mode == "cbc" and iv == "caller":
        verdict = say(payload, None)
        ivs = [found["iv"] for found in verdict.get("unproven", {}).get("ivs", [])]
        true = "reconstructed:" + CALLER_IV.hex()
        place = "IV first" if ivs[:1] == [true] else "IV among them" if true in ivs else "IV missing" if ivs else "no IV"
        kind = "video" if number % 4 < 2 else ["picture", "JSON"][number % 4 - 2]
        yield_rows.append((f"CBC, IV caller, not given, {kind}", f"{named(verdict, {})}: {place}", job))
    return tuple(yield_rows)


def wrong_key(number: int) -> str:
    chance = random.Random(number)
    mode, iv, tag = chance.choice(LAYOUTS)
    profile = Profile(chance.choice(PADDINGS), chance.choice(["raw", "ascii"]), chance.choice([128, 192, 256]), mode, iv, "Iv", tag)
    payload = fields(profile, content(number), label=f"wrong {number}")
    other = chance.randbytes(profile.bits // 8)
    if profile.form == "ascii":
        other = bytes(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[byte % 62] for byte in other)
    payload["videoEncryptAESKey"] = text(wrap(packed(other, "raw"), profile, "rsa2048.pem", Stream(str(number))), "base64")
    verdict = say(payload, CALLER_IV if iv == "caller" and mode != "gcm" else None)
    return named(verdict, {}) if "opens" not in verdict else f"opens ({verdict['opens']['proof']})"


# What recorders begin with that the diagnosis has no table of: brands and minor versions as they are published.
OTHER_HEADS = [
    (b"isom", 1, b"isom", b"avc1"), (b"3gp5", 0x100, b"3gp5", b"3gp4"), (b"mp42", 0, b"mp42", b"isom", b"avc1"),
    (b"iso5", 512, b"iso5", b"iso6", b"mp41"), (b"M4V ", 1, b"M4V ", b"mp42", b"isom"), (b"qt  ", 0x20050300, b"qt  "),
]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def unknown_iv(number: int) -> tuple:
    """A video under an IV that is configured and not given: where the true one is among those that are found."""
    chance = random.Random(number)
    iv = "".join(chance.choice(LETTERS if number % 2 else LETTERS + "-_.+/=!@#$%&*") for _ in range(16)).encode()
    key = chance.randbytes(32)
    known = number % 4 < 2
    video = content(4 * number) if known else (
        diagnosis.ftyp(*chance.choice(OTHER_HEADS)) + diagnosis.box(b"mdat", chance.randbytes(900)) + diagnosis.movie("x"))
    filled = video + bytes([16 - len(video) % 16]) * (16 - len(video) % 16)
    verdict = say(diagnosis.payload(key, diagnosis.cbc(key, iv, filled), str(number)), None)
    ivs = [found["iv"] for found in verdict.get("unproven", {}).get("ivs", [])]
    true = "reconstructed:" + iv.hex()
    row = ("a recorder in the table" if known else "another recorder") + (", letters and digits" if number % 2 else ", any text")
    return row, ivs.index(true) + 1 if true in ivs else 0, len(ivs)


def unknown_ivs(pool) -> None:
    print("\n| begins like | payloads | the IV is first | among the first six | among all | candidates |\n|" + " --- |" * 6)
    places: dict = {}
    for row, place, count in pool.map(unknown_iv, range(1_000 if LONG else 60)):
        places.setdefault(row, []).append((place, count))
    for row, found in sorted(places.items()):
        ranks = [place for place, _ in found]
        counts = [count for _, count in found]
        print(
            f"| {row} | {len(found)} | {ranks.count(1)} | {sum(1 <= rank <= 6 for rank in ranks)} | "
            f"{sum(rank > 0 for rank in ranks)} | {min(counts)} to {max(counts)} |")
        if 0 in ranks:
            raise SystemExit("the true IV is missing")


def python_seals(folder: str) -> list:
    for name, profile in PRESETS.items():
        with open(os.path.join(folder, name + ".json"), "w", encoding="ascii") as file:
            json.dump(fields(profile, media("clip.mp4"), label="matrix"), file)
    return list(PRESETS)


def runtimes() -> None:
    profiles = __import__("check-profiles")
    print("\n| sealed by | " + " | ".join(profiles.ALL) + " |\n|" + " --- |" * (len(profiles.ALL) + 1))
    for runtime in ["python", *profiles.SEALERS]:
        if runtime != "python" and not shutil.which(runtime):
            print(f"{runtime}: not installed, not tried")
            continue
        with tempfile.TemporaryDirectory() as folder:
            cells = dict.fromkeys(profiles.ALL, "–")
            for profile in python_seals(folder) if runtime == "python" else profiles.seal(runtime, folder):
                with open(os.path.join(folder, profile + ".json"), "rb") as file:
                    payload = json.load(file)
                verdict = say(payload, CALLER_IV if profile == "wbface-simple" else None)
                match = verdict.get("opens", {})
                cells[profile] = {"tag": "proved", "structure": "likely"}.get(match.get("proof"), "no")
                found = match.get("profile", {})
                # A key of base64 characters is letters and digits or not, by chance.
                if found.get("name") != profile and not (found.get("name") == "found" and found["wrappedKey"] == "raw"):
                    raise SystemExit(f"{runtime}, {profile}: {verdict}")
            print(f"| {runtime} | " + " | ".join(cells.values()) + " |")


def main() -> None:
    every = [
        (padding, form, bits, encoding, layout, aad)
        for padding, form, bits, encoding, layout, aad in itertools.product(
            PADDINGS, ["raw", "ascii", "hex", "base64"], [128, 192, 256], ENCODINGS, LAYOUTS, [False, True])
        if not aad or layout[0] == "gcm"
    ]
    jobs = list(enumerate(every))
    if not LONG:
        jobs = random.Random(1).sample(jobs, 150)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        counts: dict = {}
        bad = []
        for results in pool.map(variation, jobs):
            for row, column, job in results:
                counts.setdefault(row, collections.Counter())[column] += 1
                if column != "itself" and "not given" not in row:
                    bad.append((column, job))
        columns = sorted({column for row in counts.values() for column in row})
        print("| sealed as | " + " | ".join(columns) + " |\n|" + " --- |" * (len(columns) + 1))
        for row in sorted(counts):
            print(f"| {row} | " + " | ".join(str(counts[row][column] or "") for column in columns) + " |")
        for column, job in bad[:20]:
            print("   ", column, job)
        runtimes()
        unknown_ivs(pool)
        verdicts = collections.Counter(pool.map(wrong_key, range(10_000 if LONG else 300)))
    print(f"\nunder a wrong key: {dict(verdicts.most_common())}")
    if bad or any(verdict.startswith("opens") for verdict in verdicts):
        raise SystemExit("something was named wrongly")


if __name__ == "__main__":
    main()
