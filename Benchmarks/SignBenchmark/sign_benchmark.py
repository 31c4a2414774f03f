# SPDX-License-Identifier: Apache-2.0
"""Verifications of a front-end result in a second: what an integrator writes in Python."""

import hashlib
import hmac
import re
import time

TICKET = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe"
APP, ORDER, CODE = (re.compile(p) for p in (r"[0-9A-Za-z]{1,8}", r"[0-9A-Za-z]{1,32}", r"0|-?[1-9][0-9]{0,9}"))
SIGN = re.compile(r"[0-9A-Fa-f]{40}")


def digest(app: str, order: str, code: str) -> bytes:
    # ASCII, after the forms: Python's order and that of UTF-16 code units are the same.
    return hashlib.sha1("".join(sorted((app, order, code, TICKET))).encode("utf-8")).digest()


def verify(app: str, order: str, code: str, sign: str) -> bool:
    if not (APP.fullmatch(app) and ORDER.fullmatch(order) and CODE.fullmatch(code) and SIGN.fullmatch(sign)):
        return False
    return hmac.compare_digest(digest(app, order, code), bytes.fromhex(sign))


orders = [f"test{1480921551481 + i}" for i in range(1000)]
signs = [digest("appId001", order, "0").hex().upper() for order in orders]
best = 1e9
for _ in range(200):
    start = time.perf_counter()
    assert sum(verify("appId001", order, "0", sign) for order, sign in zip(orders, signs)) == len(orders)
    best = min(best, time.perf_counter() - start)
print(f"python\t{int(len(orders) / best)}")
