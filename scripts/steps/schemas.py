# SPDX-License-Identifier: Apache-2.0
"""The schemas of docs/schemas, as published and as strict as this version can be."""

import json
import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "schemas")


def load(name: str) -> dict:
    """A schema as it is published: it admits members that a later version adds."""
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def closed(schema):
    """The schema without members that it does not name, so that a check sees one that no page describes.

    An object whose members are not all named here (a profile, say, which has a schema of its own) says so by
    "additionalProperties": true.
    """
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: closed(part) for name, part in schema.items()}
    if result.get("type") == "object" and "properties" in result:
        result.setdefault("additionalProperties", False)
    return result
