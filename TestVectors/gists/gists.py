# SPDX-License-Identifier: Apache-2.0
"""python gists.py, beside clip.mp4 and pub.pem: PyCryptodome, and the command openssl with xxd."""
import base64
import json
import os
import subprocess

from Crypto.Cipher import AES, PKCS1_OAEP
from Crypto.PublicKey import RSA


def write(name, **fields):
    with open(name + ".json", "w") as file:
        json.dump({"orderNo": "o1", **fields}, file)


def b64(data):
    return base64.b64encode(data).decode()


with open("clip.mp4", "rb") as file:
    video = file.read()
with open("pub.pem") as file:
    public = RSA.import_key(file.read())
key = os.urandom(32)
cipher = AES.new(key, AES.MODE_GCM)
ciphertext, tag = cipher.encrypt_and_digest(video)
wrapped = b64(PKCS1_OAEP.new(public).encrypt(key))
write("py-eax-style", videoEncryptAESKey=wrapped, nonce=b64(cipher.nonce), tag=b64(tag), userVideoString=b64(ciphertext))
write("py-example", videoEncryptAESKey=wrapped, userVideoString=b64(cipher.nonce + tag + ciphertext))


def shell(command, **others):
    return subprocess.run(["sh", "-c", command], check=True, capture_output=True, **others).stdout


iv = "0123456789abcdef"
wrapped = shell(
    "openssl pkeyutl -encrypt -pubin -inkey pub.pem -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256 | xxd -p", input=key)
sealed = shell(f"openssl enc -aes-256-ctr -K {key.hex()} -iv {iv.encode().hex()} -in clip.mp4 | openssl base64")
write("openssl-ctr", aesIV=iv, videoEncryptAESKey=wrapped.decode(), userVideoString=sealed.decode())
