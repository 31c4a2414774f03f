# SPDX-License-Identifier: Apache-2.0
"""What README and guide open first: a result as an app in simple mode uploads it. It is ours, and says so: how the vendor's
SDK seals is not published."""

from __future__ import annotations

import base64
import json

from profiles import Profile, fields, media
from statement import front_end_sign

ORDER, APP_ID, IV = "ord1", "IDAXXXXX", b"0123456789abcdef"
TICKET = "SampleTicketOfNoVendor" + "0" * 42
# One way of many that Java code seals: an IV that the app gives to the SDK, and no tag.
SEALED = Profile(None, mode="cbc", iv="caller")


def files() -> dict[str, bytes]:
    """The result, and the SIGN ticket of its sign."""
    video = fields(SEALED, media("clip.mp4"), "rsa3072.pem", "sample", caller_iv=IV)
    # For the comparing service, whose key nobody here has.
    identity = fields(SEALED, b"what the comparing service reads", "other3072.pem", "sample", caller_iv=IV)
    result = {
        "note": "a sample made by evidence-kit: no vendor's result, and no person is in it",
        "isSuccess": True,
        "orderNo": ORDER,
        "sign": front_end_sign(APP_ID, ORDER, "0", TICKET),
        "liveRate": "99",
        "similarity": "88.01",
        "userImageString": base64.b64encode(media("photo.jpg")).decode("ascii"),
        "simpleModeResult": {
            "encryptAESKey": identity["videoEncryptAESKey"],
            "videoEncryptAESKey": video["videoEncryptAESKey"],
            "userVideoString": video["userVideoString"],
            "identifyStr": identity["userVideoString"],
        },
    }
    return {
        "media/result.json": (json.dumps(result) + "\n").encode("ascii"),
        "media/ticket.txt": f"{TICKET}\n".encode("ascii"),
    }
