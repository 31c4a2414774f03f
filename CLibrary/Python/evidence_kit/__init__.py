# SPDX-License-Identifier: Apache-2.0
"""Opens, checks, inspects and makes the sealed payloads of face verification. docs/C-LIBRARY.md has examples.

Every call lets other Python threads run. A key may be used by any number of threads at a time; a job, and each file
that is read out of it, by one.
"""

from __future__ import annotations

import ctypes
import errno
import io
import json
import os
import threading
from types import TracebackType
from typing import Any, BinaryIO, Iterable, Iterator, Mapping, Optional, Sequence, TypeVar, Union

from . import _library, errors
from .errors import EvidenceError

__all__ = [
    "Checking", "Content", "DeviceKey", "EvidenceError", "Inspecting", "Opening", "PrivateKey", "PublicKey", "Ranges",
    "Report", "Sealing", "check", "errors", "inspect", "open_ranges", "open_video", "seal", "sign", "take_photo", "take_plain_video", "verify",
    "version",
]

Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, BinaryIO, Iterable[bytes]]
"""Where bytes come from: the path of a file, bytes, a file that is open, or pieces of bytes."""

_PIECE = 256 << 10
_CHUNK = 16 << 10  # of evidence-v2 (docs/FORMATS.md, section 8): damage in one spoils no other
_Self = TypeVar("_Self", bound="_Owner")


def version() -> dict[str, str]:
    """The versions of evidence-kit and of the OpenSSL that is inside."""
    found: dict[str, str] = json.loads(_library.version_json())
    return found


class _Owner:
    """Something in the library that goes when this goes."""

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        # A copy would free what it shares.
        raise TypeError(f"{type(self).__name__} can be neither copied nor pickled")

    def close(self) -> None:
        """Gives it up. Twice does nothing."""
        raise NotImplementedError


class _Key(_Owner):
    _kind: bytes

    def __init__(self, encoded: bytes, passphrase: Optional[bytes] = None) -> None:
        self._handle = ctypes.c_void_p()
        phrase = (None, 0) if passphrase is None else (passphrase, len(passphrase))
        _library.key_load(self._kind, encoded, len(encoded), *phrase, ctypes.byref(self._handle))

    def close(self) -> None:
        """Forgets the key. Jobs that use it keep it until they end."""
        if handle := self.__dict__.pop("_handle", None):
            _library.key_free(handle)


class PrivateKey(_Key):
    """An RSA key that opens: PEM, DER, or base64 of either. Inside the library its bytes are wiped; Python's copy of
    them is not."""

    _kind = b"private"

    @classmethod
    def from_file(cls, path: Union[str, "os.PathLike[str]"], passphrase: Optional[bytes] = None) -> "PrivateKey":
        """Reads a key from a file."""
        with open(path, "rb") as file:
            return cls(file.read(), passphrase)


_Keys = Union[PrivateKey, Sequence[PrivateKey]]
"""One key or several, of which the one that fits opens."""


def _several(keys: _Keys) -> Sequence[PrivateKey]:
    return [keys] if isinstance(keys, PrivateKey) else keys


class PublicKey(_Key):
    """An RSA key, or a certificate of one, that seals."""

    _kind = b"public"

    def __init__(self, encoded: bytes) -> None:
        super().__init__(encoded)


class DeviceKey(_Key):
    """The P-256 public key that is registered for a device."""

    _kind = b"device"

    def __init__(self, encoded: bytes) -> None:
        super().__init__(encoded)


class _Job(_Owner):
    """One document: bytes in pieces, then the end. Use it with `with`, so that it is given up where something fails."""

    def __init__(self, operation: str, options: bytes, keys: Iterable[tuple[bytes, _Key]] = ()) -> None:
        self._job = ctypes.c_void_p()
        _library.job_new[operation](options, ctypes.byref(self._job))
        for use, key in keys:
            if not isinstance(key, _Key):
                raise TypeError(f"a key is a PrivateKey, a PublicKey or a DeviceKey, not {type(key).__name__}")
            _library.job_add_key(self._job, use, getattr(key, "_handle", None))

    def close(self) -> None:
        """Gives the job up. What was finished can still be read."""
        if job := self.__dict__.pop("_job", None):
            _library.job_free(job)

    def write(self, piece: Union[bytes, bytearray, memoryview]) -> None:
        """Takes the next bytes."""
        try:
            taken = _bytes(piece)
        except TypeError:
            # As the library does with what it refuses: a job that lacks a piece must not be finished.
            self.close()
            raise
        _library.job_append(self._handle, taken, len(taken))

    def _write_all(self, source: Source) -> None:
        for piece in _pieces(source):
            self.write(piece)

    @property
    def _handle(self) -> ctypes.c_void_p:
        if (job := self.__dict__.get("_job")) is None:
            raise ValueError("the job is closed, or was finished")
        found: ctypes.c_void_p = job
        return found

    def _finish(self) -> tuple["_Finished", dict[str, Any]]:
        report = ctypes.c_char_p()
        _library.job_finish(self._handle, ctypes.byref(report))
        found: dict[str, Any] = json.loads(report.value or b"{}")
        return _Finished(self.__dict__.pop("_job")), found


class _Finished(_Owner):
    """A job whose parts can be read: it goes with the last of those who read."""

    def __init__(self, job: ctypes.c_void_p) -> None:
        self.job = job
        # A place and what is read there are two calls, and several files may read from one job.
        self.lock = threading.Lock()

    def close(self) -> None:
        if job := self.__dict__.pop("job", None):
            _library.job_free(job)


class _Part(io.RawIOBase):
    """The bytes of a part, as they come out of the library."""

    def __init__(self, finished: _Finished, name: bytes, chunk: Optional[int]) -> None:
        super().__init__()
        self._finished = finished
        self._name = name
        self._chunk = chunk
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_CUR:
            offset += self._position
        elif whence == io.SEEK_END:
            size = ctypes.c_uint64()
            with self._finished.lock:
                _library.job_size(self._finished.job, self._name, ctypes.byref(size))
            offset += size.value
        if not 0 <= offset < 1 << 63:
            raise ValueError("a place before the front, or farther than there can be one")
        self._position = offset
        return offset

    def readinto(self, buffer: Any) -> int:
        room = memoryview(buffer).cast("B")
        if not room:
            return 0
        try:
            return self._read(room)
        except EvidenceError:
            # More is asked for than is wanted: what was read ahead may be damaged, and this chunk whole.
            left = len(room) if self._chunk is None else self._chunk - self._position % self._chunk
            if left >= len(room):
                raise
            return self._read(room[:left])

    def _read(self, room: memoryview) -> int:
        got = ctypes.c_size_t()
        place = (ctypes.c_char * len(room)).from_buffer(room)
        with self._finished.lock:
            _library.job_seek(self._finished.job, self._name, self._position)
            _library.job_read(self._finished.job, self._name, place, len(room), ctypes.byref(got))
        self._position += got.value
        return got.value

    def close(self) -> None:
        self.__dict__.pop("_finished", None)
        super().close()


class Content(io.BufferedReader):
    """What came out: a file that is open for reading."""

    def __init__(
        self, finished: _Finished, part: bytes, report: Mapping[str, Any], piece: int = _PIECE,
        chunk: Optional[int] = None,
    ) -> None:
        super().__init__(_Part(finished, part, chunk), piece)
        self.report = report
        """What the library says of it: docs/JSON.md."""

    def __enter__(self) -> "Content":
        return self


class Opening(_Job):
    """Opens a payload that arrives in pieces.

    `field` is "video", "photo" or "plain-video"; `order` refuses any other order's; `profile` is the name of a
    built-in profile or the text of a profile's file. A profile whose answers are a decryption oracle (no tag, or not
    OAEP) needs `key_holder_alone=True`, which says that no stranger sees them, or how long they take.
    """

    def __init__(
        self, keys: _Keys = (), *, order: Optional[str] = None, field: str = "video",
        profile: Optional[str] = None, iv: Optional[str] = None, key_holder_alone: bool = False,
    ) -> None:
        options = _library.options(order=order, field=field, profile=profile, iv=iv, keyHolderAlone=key_holder_alone)
        super().__init__("open", options, [(b"video", key) for key in _several(keys)])
        self._field = field.encode()

    def finish(self) -> Content:
        """There are no more bytes. What is returned is all of it, and proved as far as its `report["tag"]` says."""
        finished, report = self._finish()
        return Content(finished, self._field, report)


def open_video(
    payload: Source, keys: _Keys, *, order: Optional[str] = None,
    profile: Optional[str] = None, iv: Optional[str] = None, key_holder_alone: bool = False,
) -> Content:
    """Opens the sealed video of a payload: whole, or an error."""
    with Opening(keys, order=order, profile=profile, iv=iv, key_holder_alone=key_holder_alone) as job:
        job._write_all(payload)
        return job.finish()


class Ranges(_Job):
    """Opens parts of a video of evidence-v2 whose payload is in a file, or arrives in pieces; see `open_ranges`."""

    def __init__(self, keys: _Keys, *, order: Optional[str] = None) -> None:
        super().__init__("ranges", _library.options(order=order), [(b"video", key) for key in _several(keys)])

    def use_file(self, descriptor: int) -> None:
        """In the place of pieces: a regular file, from its first byte. The descriptor may be closed afterwards."""
        _library.job_use_file(self._handle, descriptor)

    def finish(self) -> Content:
        """There are no more bytes. What is read of the content is opened then, or an error."""
        finished, report = self._finish()
        return Content(finished, b"video", report, 4 * _CHUNK, _CHUNK)


def open_ranges(payload: Source, keys: _Keys, *, order: Optional[str] = None) -> Content:
    """Opens a video of evidence-v2 without reading it: `seek` and `read` open what they need, and no more.

    Of a path nothing is copied, and the file must stay as it is; any other source is held, sealed. What is read is
    authentic and in its place; parts that were not read may be damaged.
    """
    with Ranges(keys, order=order) as job:
        if isinstance(payload, (str, os.PathLike)):
            with open(payload, "rb", buffering=0) as file:
                job.use_file(file.fileno())
        else:
            job._write_all(payload)
        return job.finish()


def take_photo(payload: Source, *, order: Optional[str] = None) -> Content:
    """Takes out the photo, which is never sealed: nothing proves that it was not replaced."""
    return _take("photo", payload, order)


def take_plain_video(payload: Source, *, order: Optional[str] = None) -> Content:
    """Takes out a video that was never sealed: nothing proves that it was not replaced. A sealed one is refused."""
    return _take("plain-video", payload, order)


def _take(field: str, payload: Source, order: Optional[str]) -> Content:
    with Opening(field=field, order=order) as job:
        job._write_all(payload)
        return job.finish()


class Report:
    """What a check found: docs/REPORT.md. True only where all that is required holds."""

    def __init__(self, finished: _Finished, found: dict[str, Any]) -> None:
        self._finished = finished
        self.json: dict[str, Any] = found
        """The report as it is."""

    @property
    def verdict(self) -> str:
        """`holds`, `fails` or `unchecked`."""
        return str(self.json["verdict"])

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The items that fail, each with its `name`, its `code` and a `sentence`."""
        return [item for item in self.json["items"] if item["state"] == "fails"]

    @property
    def unmet(self) -> list[str]:
        """The names of what is required and does not hold, or not as strongly as required."""
        return [str(each["item"]) for each in self.json["requirements"] if not each["met"]]

    def __bool__(self) -> bool:
        return self.verdict == "holds"

    def __repr__(self) -> str:
        return f"<Report: {self.verdict}>"

    def part(self, name: str) -> Content:
        """A part that was to be kept: `video`, `photo`, `statement`, `result`. There is none unless the report is true
        and the result has it (`errors.Misuse`). Each call gives one of its own, from the front."""
        content = Content(self._finished, name.encode(), self.json)
        content.peek(1)
        return content


class Checking(_Job):
    """Checks a result that arrives in pieces; see `check`."""

    def __init__(
        self, *, order: str, app: Optional[str] = None, user: Optional[str] = None,
        video_keys: _Keys = (), statement_keys: _Keys = (),
        tickets: Sequence[bytes] = (), device_keys: Sequence[DeviceKey] = (), challenge: Optional[str] = None,
        max_age: Optional[int] = None, device_max_age: Optional[int] = None, require: Optional[str] = None,
        repair: Sequence[str] = (), at: Optional[str] = None, keep: Sequence[str] = (), profile: Optional[str] = None,
        iv: Optional[str] = None, key_holder_alone: bool = False,
    ) -> None:
        options = _library.options(
            order=order, app=app, user=user, maxAge=max_age, deviceMaxAge=device_max_age, require=require,
            repair=tuple(repair), at=at, keep=tuple(keep), challenge=challenge, profile=profile, iv=iv,
            keyHolderAlone=key_holder_alone)
        uses: list[tuple[bytes, Sequence[_Key]]] = [
            (b"video", _several(video_keys)), (b"statement", _several(statement_keys)), (b"device", device_keys)]
        super().__init__("check", options, [(use, key) for use, keys in uses for key in keys])
        for ticket in tickets:
            _library.job_add_ticket(self._handle, ticket, len(ticket))

    def finish(self) -> Report:
        """There are no more bytes."""
        return Report(*self._finish())


def check(
    result: Source, *, order: str, app: Optional[str] = None, user: Optional[str] = None, video_keys: _Keys = (),
    statement_keys: _Keys = (), tickets: Sequence[bytes] = (), device_keys: Sequence[DeviceKey] = (),
    challenge: Optional[str] = None, max_age: Optional[int] = None, device_max_age: Optional[int] = None,
    require: Optional[str] = None, repair: Sequence[str] = (), at: Optional[str] = None, keep: Sequence[str] = (),
    profile: Optional[str] = None, iv: Optional[str] = None, key_holder_alone: bool = False,
) -> Report:
    """Checks a whole result for the `order` that you wait for, from your own records, as all that is expected.

    `tickets` are SIGN tickets, the current one first; `max_age` is in seconds; `require` says what must hold
    ("default,photo:bound"), `repair` which spellings of wrappers are read, `keep` which parts can be read afterwards.
    Whatever is wrong with the result is in the report; only where there is no answer is there an error. The report is
    for the holder of the keys, never for the sender of the result.
    """
    job = Checking(
        order=order, app=app, user=user, video_keys=video_keys, statement_keys=statement_keys, tickets=tickets,
        device_keys=device_keys, challenge=challenge, max_age=max_age, device_max_age=device_max_age, require=require,
        repair=repair, at=at, keep=keep, profile=profile, iv=iv, key_holder_alone=key_holder_alone)
    with job:
        job._write_all(result)
        return job.finish()


class Inspecting(_Job):
    """Looks at a document that arrives in pieces; see `inspect`."""

    def __init__(self, *, strict: bool = False) -> None:
        super().__init__("inspect", _library.options(strict=strict))

    def finish(self) -> dict[str, Any]:
        """There are no more bytes."""
        return self._finish()[1]


def inspect(document: Source, *, strict: bool = False) -> dict[str, Any]:
    """What is in a payload, a result or an answer, without keys: `evidence-inspection-1` of docs/JSON.md."""
    with Inspecting(strict=strict) as job:
        job._write_all(document)
        return job.finish()


class Sealing(_Job):
    """Seals a video that arrives in pieces; see `seal`."""

    def __init__(
        self, key: Union[PublicKey, PrivateKey], *, order: str, profile: Optional[str] = None,
        iv: Optional[str] = None, key_holder_alone: bool = False,
    ) -> None:
        options = _library.options(order=order, profile=profile, iv=iv, keyHolderAlone=key_holder_alone)
        super().__init__("seal", options, [(b"recipient", key)])

    def finish(self) -> Content:
        """There are no more bytes: the payload."""
        finished, report = self._finish()
        return Content(finished, b"payload", report)


def seal(
    video: Source, key: Union[PublicKey, PrivateKey], *, order: str, profile: Optional[str] = None,
    iv: Optional[str] = None, key_holder_alone: bool = False,
) -> Content:
    """Seals a video into a payload, for tests and for apps: as evidence-v2 unless another profile is named."""
    with Sealing(key, order=order, profile=profile, iv=iv, key_holder_alone=key_holder_alone) as job:
        job._write_all(video)
        return job.finish()


def sign(recipe: str, values: Mapping[str, str], ticket: bytes) -> str:
    """The sign of a call, a launch or a result: docs/SIGN-RECIPES.md."""
    digits = ctypes.create_string_buffer(41)
    _library.sign(_library.text(recipe), json.dumps(dict(values)).encode(), ticket, len(ticket), digits, 41)
    return digits.value.decode()


def verify(recipe: str, values: Mapping[str, str], ticket: Union[bytes, Sequence[bytes]], sign: str) -> dict[str, Any]:
    """Returns where the sign is that of these values, which must be your own records'. Else `errors.SignDoesNotHold`,
    or `errors.NotASign` where it is not 40 digits, or `errors.BadValue` where a value of yours cannot be one.

    Of several tickets one fits: the current one, and for a minute the one before. What is returned is
    `evidence-sign-verification-1` of docs/JSON.md: its `warnings` name other values that have the same sign.
    """
    tickets = [ticket] if isinstance(ticket, bytes) else list(ticket)
    given = (ctypes.c_char_p * len(tickets))(*tickets)
    counts = (ctypes.c_size_t * len(tickets))(*map(len, tickets))
    report = ctypes.c_char_p()
    try:
        _library.verify_any(
            _library.text(recipe), json.dumps(dict(values)).encode(), given, counts, len(tickets), _library.text(sign),
            ctypes.byref(report))
    except EvidenceError as error:
        error.report = json.loads(report.value) if report.value else None
        raise
    found: dict[str, Any] = json.loads(report.value or b"{}")
    return found


def _pieces(source: Source) -> Iterator[Any]:
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb", buffering=0) as file:
            yield from _read(file)
    elif hasattr(source, "read"):
        yield from _read(source)
    elif (view := _view(source)) is not None:
        for start in range(0, len(view), _PIECE):
            yield view[start:start + _PIECE].tobytes()
    else:
        yield from source


def _read(file: Any) -> Iterator[bytes]:
    while True:
        if (piece := file.read(_PIECE)) is None:
            raise BlockingIOError(
                errno.EAGAIN, "the file does not wait for its bytes, and this is not its end: make it blocking")
        if not (taken := _bytes(piece)):
            return
        yield taken


def _bytes(piece: Any) -> bytes:
    if isinstance(piece, bytes):
        return piece
    if (view := _view(piece)) is None:
        raise TypeError(f"a piece is bytes, not {type(piece).__name__}")
    return view.tobytes()


def _view(value: Any) -> Optional[memoryview]:
    """The bytes of a value; `None` where it has none. Numbers of another size are not taken for bytes."""
    try:
        view = memoryview(value)
    except TypeError:
        return None
    if view.ndim != 1 or view.format not in ("B", "c") or not view.c_contiguous:
        raise TypeError(f"the elements of this {type(value).__name__} are not bytes, one behind the other")
    return view
