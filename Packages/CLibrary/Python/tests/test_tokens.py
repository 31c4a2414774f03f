# SPDX-License-Identifier: Apache-2.0
"""Keys on a token: where the wheel uses the system's libcrypto, the token that EVIDENCE_TOKEN names opens; else none does."""

import os

import evidence_kit
import pytest
from conftest import private_key
from evidence_kit import PrivateKey, errors

TOKEN = os.environ.get("EVIDENCE_TOKEN")
PIN = b"1234"


def test_a_key_on_a_token(video: bytes) -> None:
    uri = TOKEN or "pkcs11:token=evidence;object=payload"
    if TOKEN is None:
        with pytest.raises(errors.KeyUnavailable, match="includes its libcrypto") as caught:
            PrivateKey.from_uri(uri, PIN)
        assert "--system-libcrypto" in (caught.value.hint or "")
        return
    with pytest.raises(errors.PassphraseNeeded):
        PrivateKey.from_uri(uri)
    with pytest.raises(errors.KeyUnavailable):
        PrivateKey.from_uri(uri, b"99999")
    key, copy, new = PrivateKey.from_uri(uri, PIN), private_key("rsa3072.pem"), private_key("other3072.pem")
    payload = evidence_kit.seal(video, key, order="ord1").read()
    assert evidence_kit.open_video(payload, key, order="ord1").read() == video
    assert evidence_kit.open_video(payload, copy).read() == video
    assert b"".join(evidence_kit.stream_video(payload, key)) == video
    assert evidence_kit.open_ranges(payload, key).read() == video
    assert evidence_kit.open_video(evidence_kit.rewrap(payload, key, new, order="ord1"), new).read() == video
    with pytest.raises(errors.CannotOpen):
        evidence_kit.open_video(evidence_kit.seal(video, new, order="ord1"), key)


def test_a_uri_with_its_pin_is_refused() -> None:
    with pytest.raises(errors.KeyUnavailable) as caught:
        PrivateKey.from_uri("pkcs11:object=payload?pin-value=1234")
    assert "1234" not in str(caught.value)
