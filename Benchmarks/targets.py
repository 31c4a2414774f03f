"""What the product is meant to reach, each as a ratio between figures of one run, and whether it does."""

from typing import Optional

OURS = "evidence-tool"


def judge(results: dict) -> list[dict]:
    main, largest = results["main_size"], results["largest_size"]
    groups = {(group["job"], group["size"]): group["contestants"] for group in results["groups"]}
    rows: list[dict] = []

    def value(job: str, size: int, name: str) -> Optional[float]:
        return groups.get((job, size), {}).get(name, {}).get("median")

    def add(row: str, against: str, measured: Optional[float], bar: float, unit: str = "×", at_most: bool = False):
        met = None if measured is None else measured <= bar if at_most else measured >= bar
        rows.append({
            "row": row, "against": against, "target": bar, "at_most": at_most, "unit": unit, "measured": measured,
            "met": met})

    def ratio(row: str, job: str, size: int, ours: str, theirs: str, bar: float, against: str = ""):
        left, right = value(job, size, ours), value(job, size, theirs)
        add(row, against or theirs, left / right if left and right else None, bar)

    opening = "open, discarding"
    ratio(f"{opening}, {name(main)}", "open and discard", main, "EvidenceKit", "C reference", 0.95)
    if largest:
        ratio(f"{opening}, {name(largest)}", "open and discard", largest, "EvidenceKit", "C reference", 0.95)
        ratio(
            f"{opening}, {name(largest)}", "open and discard", largest, "EvidenceKit", "openssl speed aes-256-gcm", 0.85)
    one = f"{OURS}, 1 thread"
    ratio("decrypt to a file, one thread", "decrypt", main, one, "C reference", 0.95)
    ratio("decrypt to a file, one thread", "decrypt", main, one, "openssl enc", 1.7)
    ratio("decrypt to a file, two threads", "decrypt", main, OURS, "C reference, 2 threads", 0.95)
    ratio("decrypt to a file, two threads", "decrypt", main, OURS, "openssl enc", 2.5)
    for peer, bar in ("age", 1.3), ("age, armoured", 6), ("Python", 20), ("Node", 20):
        ratio("decrypt to a file", "decrypt", main, OURS, peer, bar)
    ratio("fields in the vendor's order", "decrypt", main, "vendor's order", OURS, 0.75, "keys first")
    ratio("slashes escaped", "decrypt", main, "escaped slashes", OURS, 0.8, "not escaped")
    ratio("decrypt to a pipe", "decrypt", main, "to a pipe", OURS, 0.3, "to a file")
    ratio("encrypt to a file, one thread", "encrypt", main, one, "C reference", 0.95)
    ratio("encrypt to a file", "encrypt", main, OURS, "C reference", 0.95)

    add("peak memory, any job, any size", "", memory(results["groups"]), 24, "MiB", at_most=True)

    ratio("small payloads, one thread", "small payloads", 4096, "EvidenceKit, 1 thread", "openssl speed rsa2048", 0.93)
    ratio(
        "small payloads, two threads", "small payloads", 4096, "EvidenceKit, 2 threads", "EvidenceKit, 1 thread", 1.9,
        "one thread")
    add("start: --version", "", value("start", 4096, "evidence-tool --version"), 5, "ms", at_most=True)
    add("start: decrypt 4 KiB", "", value("start", 4096, "evidence-tool decrypt, 4 KiB"), 12, "ms", at_most=True)
    for verb in "decode", "encode":
        ratio(f"base64 {verb}, 64 KiB hot", "base64", 65536, verb, f"{verb} pybase64", 0.9, "pybase64")
        ratio(f"base64 {verb}, 64 KiB hot", "base64", 65536, verb, f"{verb} Foundation", 5, "Foundation")
    ratio("seal with a SHA-256 of the video", "seal with SHA-256", main, "EvidenceKit", "openssl speed sha256", 0.9)
    return rows


def memory(groups: list[dict]) -> Optional[float]:
    """The most that any run of the command took, in MiB."""
    ours = {OURS, f"{OURS}, 1 thread", "vendor's order", "escaped slashes", "to a pipe"}
    peaks = [
        figures["peak_kib"] for group in groups for name, figures in group["contestants"].items()
        if name in ours and figures["peak_kib"]]
    return max(peaks) / 1024 if peaks else None


def name(size: int) -> str:
    for unit, letter in (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"):
        if size >= unit:
            return f"{size / unit:.3g} {letter}"
    return f"{size} B"
