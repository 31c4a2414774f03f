# SPDX-License-Identifier: Apache-2.0
"""The file of an index, read and written from docs/ARCHIVE-INDEX.md alone."""

from __future__ import annotations

import hashlib
import hmac
import sqlite3

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

SEAL = b"evidence-archive-index-1 sha256 "
TABLES = (
    "CREATE TABLE about(archive TEXT NOT NULL, key_id TEXT NOT NULL, wrapped_key BLOB NOT NULL, bag INTEGER NOT NULL, bag_sha256 TEXT "
    "NOT NULL, waiting_sha256 TEXT NOT NULL) STRICT",
    "CREATE TABLE record(time INTEGER NOT NULL, id BLOB NOT NULL, code BLOB, verdict TEXT, bag INTEGER, PRIMARY KEY(time, id)) STRICT, "
    "WITHOUT ROWID",
    "CREATE TABLE unread(id BLOB NOT NULL PRIMARY KEY, bag INTEGER) STRICT, WITHOUT ROWID",
    "CREATE INDEX record_by_code ON record(code, time, id)",
    "CREATE INDEX record_by_verdict ON record(verdict, time, id)",
)


def read(path: str) -> sqlite3.Connection:
    """The database, whose file is as it must be."""
    with open(path, "rb") as file:
        data = file.read()
    content, line = data[:-97], data[-97:]
    assert line == SEAL + hashlib.sha256(content).hexdigest().encode() + b"\n"
    database = sqlite3.connect(":memory:")
    database.deserialize(content)
    assert database.execute("PRAGMA application_id").fetchone() == (0x45414958,)
    assert database.execute("PRAGMA user_version").fetchone() == (1,)
    assert sorted(row[0] for row in database.execute("SELECT sql FROM sqlite_schema")) == sorted(TABLES)
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert database.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert len(content) == database.execute("PRAGMA page_count").fetchone()[0] * database.execute("PRAGMA page_size").fetchone()[0]
    return database


def write(database: sqlite3.Connection, path: str) -> None:
    content = database.serialize()
    with open(path, "wb") as file:
        file.write(content + SEAL + hashlib.sha256(content).hexdigest().encode() + b"\n")


class Codes:
    """The codes of order numbers, with the archive's private key."""

    def __init__(self, database: sqlite3.Connection, archive: str, key_path: str) -> None:
        with open(f"{archive}/archive.txt", "rb") as file:
            description = file.read()
        with open(key_path, "rb") as file:
            key = serialization.load_pem_private_key(file.read(), None)
        lines = description.decode().splitlines()
        archive_name, key_id, wrapped = database.execute("SELECT archive, key_id, wrapped_key FROM about").fetchone()
        assert archive_name == " ".join(line.split(" ", 1)[1] for line in lines[1:4])
        public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        assert key_id == hashlib.sha256(public).hexdigest()
        message = key.decrypt(wrapped, padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None))
        head = b"evidence-archive-index-1\n" + hashlib.sha256(description).hexdigest().encode() + b"\n"
        assert message.startswith(head) and len(message) == len(head) + 32
        self.key = message[len(head):]

    def of(self, order: str) -> bytes:
        return hmac.new(self.key, b"order\n" + order.encode(), "sha256").digest()[:16]
