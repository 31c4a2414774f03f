# SPDX-License-Identifier: Apache-2.0
"""open_payload.py KEY PAYLOAD OUTPUT: what an integrator writes in Python."""

import base64
import json
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

with open(sys.argv[1], "rb") as file:
    private_key = serialization.load_pem_private_key(file.read(), None)
with open(sys.argv[2], "rb") as file:
    payload = json.load(file)
oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
key = private_key.decrypt(base64.b64decode(payload["videoEncryptAESKey"]), oaep)
sealed = base64.b64decode(payload["userVideoString"])
aad = f"evidence-v1\nuserVideoString\n{payload['orderNo']}\n".encode()
video = AESGCM(key).decrypt(sealed[:12], sealed[12:], aad)
with open(sys.argv[3], "wb") as file:
    file.write(video)
