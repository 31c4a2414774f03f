# SPDX-License-Identifier: Apache-2.0
"""pybase64 on 64 KiB of text, hot: GB of text in a second, the median of many rounds."""

import os
import statistics
import time

import pybase64

BYTES = os.urandom(49_152)
TEXT = pybase64.b64encode(BYTES)
REPETITIONS = 200


def rate(function, *arguments, **options) -> float:
    start = time.perf_counter()
    for _ in range(REPETITIONS):
        function(*arguments, **options)
    return REPETITIONS * len(TEXT) / (time.perf_counter() - start) / 1e9


rounds = [(rate(pybase64.b64decode, TEXT, validate=True), rate(pybase64.b64encode, BYTES)) for _ in range(31)]
print(f"decode pybase64\t{statistics.median(decode for decode, _ in rounds)}")
print(f"encode pybase64\t{statistics.median(encode for _, encode in rounds)}")
