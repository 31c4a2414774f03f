# SPDX-License-Identifier: Apache-2.0
"""The package itself: files, threads, errors, what is left behind."""

import array
import concurrent.futures
import copy
import gc
import io
import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
from typing import Any

import evidence_kit
import pytest
from conftest import VECTORS, private_key
from evidence_kit import DeviceKey, Opening, PrivateKey, PublicKey, Ranges, ReadAt, Sealing, Streaming, errors


def payload_of(video: bytes, key: PrivateKey) -> bytes:
    return evidence_kit.seal(video, key, order="ord1").read()


def test_a_payload_from_every_kind_of_source(key: PrivateKey, video: bytes, tmp_path: pathlib.Path) -> None:
    payload = payload_of(video, key)
    path = tmp_path / "payload.json"
    path.write_bytes(payload)

    class Upload:
        """As a framework has it: without a descriptor, without a length."""

        left = payload

        def read(self, count: int) -> bytes:
            taken, self.left = self.left[:min(count, 1000)], self.left[min(count, 1000):]
            return taken

    spooled = tempfile.SpooledTemporaryFile(1 << 20)
    spooled.write(payload)
    spooled.seek(0)
    sources: list[Any] = [str(path), path, payload, bytearray(payload), memoryview(payload), io.BytesIO(payload), Upload(), spooled,
                          iter([payload[:9], payload[9:]])]
    for source in sources:
        with evidence_kit.open_video(source, key, order="ord1") as opened:
            assert opened.report["order"] == "ord1" and opened.report["tag"] == "order"
            assert opened.read() == video
    with evidence_kit.open_video(path, key) as opened, open(tmp_path / "video.mp4", "wb") as file:
        shutil.copyfileobj(opened, file)
    assert (tmp_path / "video.mp4").read_bytes() == video


def test_large_content_waits_on_the_disk_and_comes_out_whole(key: PrivateKey) -> None:
    video = os.urandom(1 << 20) * 9
    payload = payload_of(video, key)
    opened = evidence_kit.open_video(payload, [private_key("other3072.pem"), key])
    assert opened.read(1000) == video[:1000]
    assert opened.read() == video[1000:]
    assert opened.read() == b""
    opened.close()
    with pytest.raises(ValueError):
        opened.read()


def test_a_part_of_a_video_is_opened_alone(key: PrivateKey, tmp_path: pathlib.Path) -> None:
    video = os.urandom(300_001)
    payload = payload_of(video, key)
    path = tmp_path / "payload.json"
    path.write_bytes(payload)
    before = len(os.listdir("/proc/self/fd"))
    sources: list[evidence_kit.Source] = [str(path), path, payload, io.BytesIO(payload), iter([payload[:9], payload[9:]])]
    for source in sources:
        with evidence_kit.open_ranges(source, [private_key("other3072.pem"), key], order="ord1") as content:
            assert content.report == {"schema": "evidence-ranges-1", "order": "ord1", "byteCount": len(video)}
            for start, end in ((0, 10), (16_383, 16_385), (131_072, 262_144), (299_999, 300_001), (5, 300_001), (3, 3)):
                assert content.seek(start) == start and content.read(end - start) == video[start:end]
            assert content.seek(-7, io.SEEK_END) == len(video) - 7 and content.read() == video[-7:]
            assert content.seek(len(video) + 5) and content.read() == b""
    assert len(os.listdir("/proc/self/fd")) == before

    # A byte in the middle is another one: the parts around it open, and nothing of its own comes out.
    middle = payload.index(b'"userVideoString"') + 250_000
    damaged = payload[:middle] + (b"A" if payload[middle:middle + 1] != b"A" else b"B") + payload[middle + 1:]
    with evidence_kit.open_ranges(damaged, key) as content:
        assert content.read(100_000) == video[:100_000]
        with pytest.raises((errors.CannotOpen, errors.InvalidBase64)):
            content.seek(180_000)
            content.read(20_000)
        assert content.seek(250_000) and content.read() == video[250_000:]
    # What is whole opens, however near the damage is.
    broken = {chunk for chunk in range(len(video) // 16_384 + 1) if not _opens(damaged, key, chunk * 16_384)}
    assert 1 <= len(broken) <= 2
    for start in range(150_000, 220_000, 1_024):
        if broken.isdisjoint({start // 16_384, (start + 49) // 16_384}):
            with evidence_kit.open_ranges(damaged, key) as content:
                content.seek(start)
                assert content.read(50) == video[start:start + 50]

    with pytest.raises(errors.OtherOrder):
        evidence_kit.open_ranges(path, key, order="ord2")
    with pytest.raises(errors.CannotOpen):
        evidence_kit.open_ranges(path, private_key("other3072.pem"))
    with pytest.raises(errors.CannotOpen):
        evidence_kit.open_ranges(evidence_kit.seal(video, key, order="ord1", profile="evidence-v1").read(), key)
    with pytest.raises(errors.NoRanges):
        evidence_kit.open_ranges(payload.replace(b"/", b"\\/"), key)
    with pytest.raises(errors.CannotRead):
        Ranges(key).use_file(-1)
    ends = os.pipe()
    with pytest.raises(errors.NoRanges), Ranges(key) as job:
        job.use_file(ends[0])
        job.finish()
    for end in ends:
        os.close(end)


def test_a_video_is_opened_while_it_arrives(key: PrivateKey, tmp_path: pathlib.Path) -> None:
    video = os.urandom(600_001)
    payload = payload_of(video, key)
    path = tmp_path / "payload.json"
    path.write_bytes(payload)
    sources: list[evidence_kit.Source] = [path, payload, memoryview(payload), io.BytesIO(payload), [payload[:9], payload[9:]]]
    for source in sources:
        assert b"".join(evidence_kit.stream_video(source, [private_key("other3072.pem"), key], order="ord1")) == video

    taken, came = 0, b""
    with Streaming(key, order="ord1") as job:
        for start in range(0, len(payload), 1000):
            job.write(payload[start:start + 1000])
            came += job.read()
            assert video.startswith(came) and len(came) > start * 3 // 4 - 40_000
        with job.finish() as rest:
            assert rest.report["schema"] == "evidence-opening-1" and rest.report["byteCount"] == len(video)
            assert not rest.seekable() and came + rest.read() == video
            with pytest.raises(io.UnsupportedOperation):
                rest.seek(0)

    # Where the order and the key come last, so does everything.
    fields = json.loads(payload)
    later = json.dumps({name: fields[name] for name in sorted(fields, key=lambda name: name != "userVideoString")}).encode()
    with Streaming(key, order="ord1") as job:
        job.write(later)
        assert job.read() == b""
        assert job.finish().read() == video

    # What comes before damage, or an end, is intact, and the error comes after it.
    middle = payload.index(b'"userVideoString"') + 400_000
    damaged = payload[:middle] + (b"A" if payload[middle:middle + 1] != b"A" else b"B") + payload[middle + 1:]
    for broken, kind in ((damaged, errors.CannotOpen), (payload[:middle], errors.InvalidJson)):
        beginning = b""
        with pytest.raises(kind):
            for piece in evidence_kit.stream_video([broken[start:start + 999] for start in range(0, len(broken), 999)], key):
                beginning += piece
        assert len(beginning) == 400_000 * 3 // 4 // 16_400 * 16_384 and video.startswith(beginning)
    with pytest.raises(errors.CannotOpen):
        next(evidence_kit.stream_video(payload, private_key("other3072.pem")))
    with pytest.raises(errors.OtherOrder):
        next(evidence_kit.stream_video(payload, key, order="ord2"))
    # One that is given up leaves nothing.
    before = len(os.listdir("/proc/self/fd"))
    stream = evidence_kit.stream_video(payload, key)
    assert video.startswith(next(stream))
    del stream
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_payload_is_rewrapped_for_another_key(key: PrivateKey, video: bytes, tmp_path: pathlib.Path) -> None:
    payload = payload_of(video, key)
    path, fifo = tmp_path / "payload.json", tmp_path / "fifo"
    path.write_bytes(payload)
    os.mkfifo(fifo)
    threading.Thread(target=lambda: fifo.write_bytes(payload)).start()
    new = private_key("other3072.pem")
    elsewhere = ReadAt(lambda offset, count: payload[offset:offset + count], len(payload))
    sources: list[Any] = [path, str(path), payload, io.BytesIO(payload), iter([payload[:9], payload[9:]]), elsewhere, fifo]
    for source in sources:
        with evidence_kit.rewrap(source, key, new, order="ord1") as rewrapped:
            report, found = rewrapped.report, rewrapped.read()
            assert report == {"schema": "evidence-rewrapping-1", "order": "ord1", "byteCount": len(found)}
        assert evidence_kit.open_video(found, new, order="ord1").read() == video
        with pytest.raises(errors.CannotOpen):
            evidence_kit.open_video(found, key)
    with pytest.raises(errors.CannotOpen):
        evidence_kit.rewrap(payload, new, key, order="ord1")
    with pytest.raises(errors.OtherOrder):
        evidence_kit.rewrap(payload, key, new, order="ord2")
    end = len(payload) - 40
    damaged = payload[:end] + (b"A" if payload[end:end + 1] != b"A" else b"B") + payload[end + 1:]
    assert evidence_kit.rewrap(damaged, key, new, order="ord1").read()
    with pytest.raises(errors.CannotOpen):
        evidence_kit.rewrap(damaged, key, new, order="ord1", verify=True)


@pytest.mark.parametrize("expected", [{"user": "u1"}, {"max_age": 600}, {"challenge": "x" * 32}, {"device_max_age": 1}])
def test_an_expectation_without_its_key_is_refused(expected: dict[str, Any], key: PrivateKey, video: bytes) -> None:
    with pytest.raises((errors.BadValue, errors.Misuse)):
        evidence_kit.check(payload_of(video, key), order="ord1", video_keys=[key], **expected)


def test_a_part_is_opened_from_a_document_elsewhere(key: PrivateKey) -> None:
    video = os.urandom(300_001)
    payload = payload_of(video, key)
    asked = 0

    def read(offset: int, count: int) -> memoryview:
        nonlocal asked
        asked += count
        return memoryview(payload)[offset:offset + min(count, 100_000)]

    content = evidence_kit.open_ranges(ReadAt(read, len(payload)), key, order="ord1")
    gc.collect()
    asked = 0
    assert content.seek(150_000) and content.read(50) == video[150_000:150_050]
    assert 0 < asked < len(payload) // 2
    assert content.seek(0) == 0 and content.read() == video

    class Gone(Exception):
        pass

    def gone(offset: int, count: int) -> bytes:
        raise Gone

    # What the function raises is raised, from finish and from read.
    with pytest.raises(Gone):
        evidence_kit.open_ranges(ReadAt(gone, len(payload)), key)
    reader: list[Any] = [read]
    content = evidence_kit.open_ranges(ReadAt(lambda offset, count: reader[0](offset, count), len(payload)), key)
    reader[0] = gone
    with pytest.raises(Gone):
        content.read(10)
    reader[0] = read
    assert content.read(10) == video[:10]
    for wrong, kind in (
        (lambda offset, count: b"", errors.ChangedWhileRead), (lambda offset, count: b"a" * (count + 1), ValueError),
        (lambda offset, count: "text", TypeError),
    ):
        with pytest.raises(kind):
            evidence_kit.open_ranges(ReadAt(wrong, len(payload)), key)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidJson):
        evidence_kit.open_ranges(ReadAt(read, 1_000), key)


def _opens(payload: bytes, key: PrivateKey, start: int) -> bool:
    with evidence_kit.open_ranges(payload, key) as content:
        content.seek(start)
        try:
            return len(content.read(1)) == 1
        except (errors.CannotOpen, errors.InvalidBase64):
            return False


def test_what_was_opened_can_be_read_again(key: PrivateKey, video: bytes) -> None:
    with evidence_kit.open_video(payload_of(video, key), key) as opened:
        assert opened.read() == video
        assert opened.seek(-9, io.SEEK_END) == len(video) - 9 and opened.read(4) == video[-9:-5]
        assert opened.tell() == len(video) - 5
        with pytest.raises(ValueError):
            opened.seek(-len(video) - 1, io.SEEK_END)


def test_sources_that_are_none_are_refused(key: PrivateKey, video: bytes) -> None:
    refused: list[Any] = [
        array.array("H", [1, 2]), memoryview(video)[::2], memoryview(video[:8]).cast("B", (2, 4)), [array.array("I", [7])],
        [3, 2], ["text"], [b"bytes", None], io.StringIO("text"), io.StringIO(), 5, None,
    ]
    for source in refused:
        with pytest.raises(TypeError):
            evidence_kit.seal(source, key, order="ord1")
    with Sealing(key, order="ord1") as job:
        for piece in (5, "text", None, array.array("d", [0.5]), memoryview(b"abcd")[::2]):
            with pytest.raises(TypeError):
                job.write(piece)  # type: ignore[arg-type]
    # A job that lacks a piece is not finished as if it had all.
    with Sealing(key, order="ord1") as job:
        job.write(b"first ")
        with pytest.raises(TypeError):
            job.write("second ")  # type: ignore[arg-type]
        with pytest.raises(ValueError):
            job.write(b"third")
        with pytest.raises(ValueError):
            job.finish()
    taken: list[Any] = [array.array("B", video), [bytearray(video[:9]), memoryview(video[9:]).cast("c")]]
    for source in taken:
        assert evidence_kit.open_video(payload_of(source, key), key).read() == video
    empty: list[Any] = [b"", bytearray(), array.array("B"), io.BytesIO(), []]
    for source in empty:
        assert evidence_kit.open_video(payload_of(source, key), key).read() == b""
    # What is not there as yet is no end.
    for buffering in (0, -1):
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.write(writing, video[:100])
        with os.fdopen(reading, "rb", buffering=buffering) as file, pytest.raises(BlockingIOError):
            evidence_kit.seal(file, key, order="ord1")
        os.close(writing)
    with pytest.raises(TypeError):
        evidence_kit.open_video(payload_of(video, key), "key.pem")  # type: ignore[arg-type]


def test_errors_go_from_one_process_to_another(key: PrivateKey) -> None:
    with pytest.raises(errors.InvalidJson) as caught:
        evidence_kit.open_video(b"{", key)
    for found in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert type(found) is errors.InvalidJson and str(found) == str(caught.value)
        assert vars(found) == {**vars(caught.value), "report": None}
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        for _ in range(2):
            with pytest.raises(errors.InvalidJson):
                pool.submit(evidence_kit.inspect, b"{").result(timeout=60)


def test_handles_are_not_copied(key: PrivateKey, video: bytes) -> None:
    with Opening(key) as job:
        for owner in (key, job):
            for way in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(TypeError):
                    way(owner)
    assert evidence_kit.open_video(payload_of(video, key), key).read() == video


def test_the_system_s_configuration_stays_outside(tmp_path: pathlib.Path) -> None:
    (tmp_path / "openssl.cnf").write_text(
        "openssl_conf = a\n[a]\nproviders = b\n[b]\nmissing = c\n[c]\nmodule = /nowhere/missing.so\nactivate = 1\n")
    key = VECTORS / "keys/rsa3072.pem"
    program = f"from evidence_kit import PrivateKey; PrivateKey.from_file({str(key)!r})"
    subprocess.run(
        [sys.executable, "-c", program], check=True, env={**os.environ, "OPENSSL_CONF": str(tmp_path / "openssl.cnf")})


def test_keys(key: PrivateKey, video: bytes) -> None:
    keys = VECTORS / "keys"
    passphrase = (keys / "passphrase.txt").read_bytes().rstrip(b"\n")
    encrypted = PrivateKey.from_file(keys / "rsa3072.scrypt.pem", passphrase)
    payload = evidence_kit.seal(video, PublicKey((keys / "rsa3072.certificate.pem").read_bytes()), order="ord1").read()
    assert evidence_kit.open_video(payload, encrypted).read() == video
    with pytest.raises(errors.PassphraseNeeded):
        PrivateKey.from_file(keys / "rsa3072.scrypt.pem")
    with pytest.raises(errors.WrongPassphrase):
        PrivateKey.from_file(keys / "rsa3072.scrypt.pem", b"wrong")
    with pytest.raises(errors.UnreadableKey):
        PrivateKey(b"")
    with pytest.raises(errors.WrongKindOfKey):
        PublicKey((keys / "rsa3072.pem").read_bytes())
    with DeviceKey((keys / "ec-p256.public.pem").read_bytes()) as device:
        with pytest.raises(errors.WrongKindOfKey):
            evidence_kit.seal(video, device, order="ord1")  # type: ignore[arg-type]
    found = PrivateKey.from_uri(f"file:{keys / 'rsa3072.scrypt.pem'}", passphrase)
    assert evidence_kit.open_video(payload, found).read() == video
    with pytest.raises(errors.KeyUnavailable):
        PrivateKey.from_uri("file:/nowhere")
    with pytest.raises(TypeError):
        PrivateKey.from_uri("file:/nowhere", "1234")  # type: ignore[arg-type]
    with PrivateKey.from_file(keys / "rsa3072.pem") as closed:
        pass
    with pytest.raises(errors.Misuse):
        evidence_kit.open_video(payload, closed)


def test_errors_say_what_to_compare_and_what_to_do(key: PrivateKey, video: bytes) -> None:
    payload = payload_of(video, key)
    with pytest.raises(errors.CannotOpen) as caught:
        evidence_kit.open_video(payload, private_key("other3072.pem"))
    assert (caught.value.number, caught.value.code) == (101, "cannot-open")
    assert caught.value.hint and caught.value.title in str(caught.value)
    with pytest.raises(errors.OtherOrder):
        evidence_kit.open_video(payload, key, order="ord2")
    with pytest.raises(errors.BadProfile) as oracle:
        evidence_kit.open_video(payload, key, profile="wbface-simple", iv="0123456789abcdef")
    assert "key_holder_alone=True" in (oracle.value.hint or "")
    with pytest.raises(errors.Misuse):
        evidence_kit.check(payload, order="ord1", keep=["report"])
    with pytest.raises(errors.Misuse):
        evidence_kit.open_video(payload, [])
    with Opening(key) as job:
        job.write(payload)
        job.finish()
        with pytest.raises(ValueError):
            job.write(b" ")


def test_a_check_of_less_than_is_required_is_not_true(key: PrivateKey, video: bytes) -> None:
    report = evidence_kit.check(payload_of(video, key), order="ord1", video_keys=key)
    assert not report and report.verdict == "fails" and report.failed[0]["name"] == "result"
    assert "sign" in report.unmet
    assert evidence_kit.inspect(payload_of(video, key))["schema"] == "evidence-inspection-1"


def test_signs() -> None:
    values = {"appId": "appId001", "orderNo": "test1480921551481", "code": "0"}
    ticket = b"duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe"
    sign = evidence_kit.sign("front-end-result", values, ticket)
    evidence_kit.verify("front-end-result", values, ticket, sign)
    for same in (bytearray(ticket), memoryview(ticket), [bytearray(ticket)], (b"other", memoryview(ticket))):
        evidence_kit.verify("front-end-result", values, same, sign)
    assert evidence_kit.sign("front-end-result", values, bytearray(ticket)) == sign
    for no_bytes in (ticket.decode(), [ticket.decode()], [1], list(ticket)):
        with pytest.raises(TypeError, match="a ticket must be bytes, not"):
            evidence_kit.verify("front-end-result", values, no_bytes, sign)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a ticket must be bytes, not str"):
        evidence_kit.Checking(order="ord1", tickets=["abc"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a key must be bytes, not str"):
        PrivateKey("key.pem")  # type: ignore[arg-type]
    with pytest.raises(errors.Misuse, match="1 to 1000 tickets"):
        evidence_kit.verify("front-end-result", values, [], sign)
    with pytest.raises(errors.SignDoesNotHold) as caught:
        evidence_kit.verify("front-end-result", {**values, "code": "1"}, ticket, sign)
    assert caught.value.report and [reason["name"] for reason in caught.value.report["reasons"]] == ["mismatch"]
    with pytest.raises(errors.NotASign):
        evidence_kit.verify("front-end-result", values, ticket, "abc")
    with pytest.raises(errors.BadValue):
        evidence_kit.verify("front-end-result", {"appId": "appId001"}, ticket, sign)
    joined = evidence_kit.sign("front-end-result", {**values, "orderNo": "0", "code": "1"}, ticket)
    found = evidence_kit.verify("front-end-result", {**values, "orderNo": "1", "code": "0"}, ticket, joined)
    assert [warning["name"] for warning in found["warnings"]] == ["other-reading"]
    # While the token service replaces a ticket there are two.
    assert evidence_kit.verify("front-end-result", values, [b"new", ticket], sign)["ticket"] == 1
    with pytest.raises(errors.SignDoesNotHold):
        evidence_kit.verify("front-end-result", values, [b"new", b"old"], sign)
    with pytest.raises(errors.NotATicket):
        evidence_kit.verify("front-end-result", values, [ticket, b"two words"], sign)
    with pytest.raises(errors.Misuse):
        evidence_kit.verify("front-end-result", values, [], sign)


def test_threads_share_a_key(key: PrivateKey, video: bytes) -> None:
    payload = payload_of(video, key)
    other = private_key("other3072.pem")
    wrong = []

    def work(number: int) -> None:
        for _ in range(5):
            if number % 2:
                if evidence_kit.open_video(payload, key).read() != video:
                    wrong.append(number)
            else:
                try:
                    evidence_kit.open_video(payload, other)
                    wrong.append(number)
                except errors.CannotOpen:
                    pass

    threads = [threading.Thread(target=work, args=[number]) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_document_as_text_is_no_path(key: PrivateKey, video: bytes) -> None:
    text = payload_of(video, key).decode()
    for given in (text, "\n " + text, "\ufeff" + text, "[]", '"{}"', "xyz" * 9_000):
        for opening in (evidence_kit.open_video, evidence_kit.open_ranges):
            with pytest.raises(TypeError, match="document.encode"):
                opening(given, key)
        with pytest.raises(TypeError, match="document.encode"):
            evidence_kit.inspect(given)


def test_a_child_goes_on_with_the_keys(key: PrivateKey, video: bytes) -> None:
    payload = payload_of(video, key)
    with Opening(key) as begun:
        begun.write(payload[:9])
        child = os.fork()
        if child == 0:
            status = 1
            try:
                assert evidence_kit.open_video(payload, key).read() == video
                try:
                    begun.write(payload[9:])
                except errors.Misuse:
                    status = 0
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        begun.write(payload[9:])
        assert begun.finish().read() == video


def test_threads_read_files_of_one_report(key: PrivateKey, video: bytes) -> None:
    # It is longer than what a file reads at once.
    large = video * (600_000 // len(video))
    with Opening(key, order="ord1") as job:
        job._write_all(payload_of(large, key))
        finished, report = job._finish()
    wrong = []

    def work(number: int) -> None:
        for round in range(200):
            content = evidence_kit.Content(finished, b"video", report, 8_192)
            place = (number * 7_919 + round * 104_729) % (len(large) - 50_000)
            content.seek(place)
            if content.read(40_000) != large[place:place + 40_000]:
                wrong.append(number)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert wrong == []


def test_what_is_given_up_leaves_no_descriptor(key: PrivateKey, video: bytes) -> None:
    payload = payload_of(os.urandom(9 << 20), key)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        job = Opening(key)
        job.write(payload[:8 << 20])
        content = evidence_kit.open_video(payload, key)
        content.read(10)
    del job, content
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_version_is_that_of_what_is_inside() -> None:
    version = evidence_kit.version()
    assert version["openSSL"].startswith("3.")
    assert version["evidenceKit"]


def test_other_spellings_are_read_where_they_are_named(key: PrivateKey, video: bytes) -> None:
    payload = payload_of(video, key)
    android = payload.replace(b"videoEncryptAESKey", b"userEncryptKey")
    with evidence_kit.open_video(android, key, order="ord1") as opened:
        assert opened.read() == video and [found["name"] for found in opened.report["repairs"]] == ["android-key-name"]
    wrapped = b'{"scene":"x","res":' + android + b"}"
    ways: list[Any] = [
        lambda document, **reading: evidence_kit.open_video(document, key, order="ord1", **reading).read(),
        lambda document, **reading: evidence_kit.open_ranges(document, key, order="ord1", **reading).read(),
        lambda document, **reading: b"".join(evidence_kit.stream_video(document, key, order="ord1", **reading)),
        lambda document, **reading: evidence_kit.open_video(
            evidence_kit.rewrap(document, key, key, order="ord1", **reading).read(), key, **reading).read(),
    ]
    for way in ways:
        assert way(android) == way(wrapped, repair=["wrapper"]) == way(wrapped, repair="wrapper") == video
        with pytest.raises(errors.NeedsRepair):
            way(android, strict=True)
        with pytest.raises(errors.EvidenceError):
            way(wrapped)
        with pytest.raises(errors.Misuse):
            way(wrapped, repair=["wrapper"], strict=True)
