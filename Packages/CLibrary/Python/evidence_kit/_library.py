# SPDX-License-Identifier: Apache-2.0
"""The functions of evidence.h; their return values become exceptions."""

from __future__ import annotations

import ctypes
import json
import pathlib
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Iterable, Optional, Union

from .errors import error_class

_ABI = 1
# Beside this file: the library in the wheel, not another one on the machine.
_library = ctypes.CDLL(str(pathlib.Path(__file__).with_name("libevidence.so.1")))


def _function(name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


_last_error = _function("evidence_last_error", c_char_p)
version_json = _function("evidence_version", c_char_p)
key_free = _function("evidence_key_free", None, c_void_p)
job_free = _function("evidence_job_free", None, c_void_p)
if _function("evidence_abi", c_uint32)() < _ABI:
    raise ImportError("libevidence.so.1 is older than this Python package: reinstall the wheel")


def _checked(name: str, *arguments: Any, verdicts: tuple[int, ...] = (0,)) -> Any:
    function = _function(name, c_int32, *arguments)

    def call(*values: Any) -> int:
        answer: int = function(*values)
        if answer not in verdicts:
            raise last_error(answer)
        return answer

    return call


def last_error(answer: int) -> Exception:
    """The error of this thread's last failed call."""
    found = json.loads(_last_error())
    title, hint = found.get("title", "no message"), found.get("hint")
    if hint:
        # As Python spells it.
        hint = hint.replace('"keyHolderAlone": true', "key_holder_alone=True")
    return error_class(answer)(title, answer, found.get("code", "unknown"), hint, found.get("errno"))


key_load = _checked("evidence_key_load", c_char_p, c_char_p, c_size_t, c_char_p, c_size_t, POINTER(c_void_p))
key_find = _checked("evidence_key_find", c_char_p, c_char_p, c_size_t, POINTER(c_void_p))
job_new = {
    name: _checked(f"evidence_{name}_new", c_char_p, POINTER(c_void_p))
    for name in ("open", "stream", "check", "ranges", "rewrap", "inspect", "seal")
}
job_add_key = _checked("evidence_job_add_key", c_void_p, c_char_p, c_void_p)
job_add_ticket = _checked("evidence_job_add_ticket", c_void_p, c_char_p, c_size_t)
job_use_file = _checked("evidence_job_use_file", c_void_p, c_int)
READ_AT = CFUNCTYPE(c_int32, c_void_p, c_uint64, c_void_p, c_size_t, POINTER(c_size_t))
job_use_reader = _checked("evidence_job_use_reader", c_void_p, READ_AT, c_void_p, c_uint64)
job_append = _checked("evidence_job_append", c_void_p, c_char_p, c_size_t)
# Verdicts 1 and 4 come with a report, too.
job_finish = _checked("evidence_job_finish", c_void_p, POINTER(c_char_p), verdicts=(0, 1, 4))
job_read = _checked("evidence_job_read", c_void_p, c_char_p, c_void_p, c_size_t, POINTER(c_size_t))
job_seek = _checked("evidence_job_seek", c_void_p, c_char_p, c_uint64)
job_size = _checked("evidence_job_size", c_void_p, c_char_p, POINTER(c_uint64))
sign = _checked("evidence_sign", c_char_p, c_char_p, c_char_p, c_size_t, c_char_p, c_size_t)
verify_any = _checked(
    "evidence_verify_any", c_char_p, c_char_p, POINTER(c_char_p), POINTER(c_size_t), c_size_t, c_char_p, POINTER(c_char_p))


def options(**members: Any) -> bytes:
    """Options as JSON, without those that were not set."""
    said = {name: value for name, value in members.items() if value is not None and value is not False and value != ()}
    return json.dumps(said).encode()


def names(words: Union[str, Iterable[str]]) -> tuple[str, ...]:
    """One name or several: a text alone is not its letters."""
    return (words,) if isinstance(words, str) else tuple(words)


def text(value: Optional[str]) -> Optional[bytes]:
    """Text for C, which ends at the first NUL: it must not contain one."""
    if value is None:
        return None
    if "\0" in value:
        raise ValueError("the text contains a NUL character")
    return value.encode()
