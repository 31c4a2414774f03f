# SPDX-License-Identifier: Apache-2.0
"""The cases of the test kit: payloads that open, and payloads with one fault each."""

from __future__ import annotations

from cases_reading import json_layer, payload_layer
from cases_sealing import base64_layer, length_layer, open_layer
from cases_success import success
import cases_v2
from kit import Kit


def cases() -> dict[str, bytes]:
    """File name and contents of every case."""
    kit = Kit()
    for layer in (success, json_layer, payload_layer, base64_layer, length_layer, open_layer, cases_v2.success, cases_v2.refused):
        layer(kit)
    return kit.cases
