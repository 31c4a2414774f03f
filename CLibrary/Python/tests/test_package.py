# SPDX-License-Identifier: Apache-2.0
"""The package itself: files, threads, errors, what is left behind."""

import gc
import io
import os
import pathlib
import shutil
import threading

import evidence_kit
import pytest
from conftest import VECTORS, private_key
from evidence_kit import DeviceKey, Opening, PrivateKey, PublicKey, errors


def payload_of(video: bytes, key: PrivateKey) -> bytes:
    return evidence_kit.seal(video, key, order="ord1").read()


def test_a_payload_from_every_kind_of_source(key: PrivateKey, video: bytes, tmp_path: pathlib.Path) -> None:
    payload = payload_of(video, key)
    path = tmp_path / "payload.json"
    path.write_bytes(payload)
    sources: list[evidence_kit.Source] = [str(path), path, payload, bytearray(payload), memoryview(payload), io.BytesIO(payload),
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
    assert "keyHolderAlone" in (oracle.value.hint or "")
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
    with pytest.raises(errors.SignDoesNotHold):
        evidence_kit.verify("front-end-result", {**values, "code": "1"}, ticket, sign)


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
