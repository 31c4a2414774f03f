# SPDX-License-Identifier: Apache-2.0
"""For scripts/steps/check-packages: the wheel that was installed opens the sealed sample in the folder VECTORS."""

import pathlib
import sys

import evidence_kit

vectors = pathlib.Path(sys.argv[1])
key = evidence_kit.PrivateKey.from_file(vectors / "rsa3072.pem")
with evidence_kit.open_video(vectors / "payload.json", key, order="order20250001") as video:
    assert video.read() == (vectors / "clip.mp4").read_bytes()
