# SPDX-License-Identifier: Apache-2.0
"""Opens, checks, inspects and seals the payloads of face verification. docs/C-LIBRARY.md has examples.

Every call releases Python's lock. Any number of threads may use a key at the same time; a job, and each file that is
read from it, is for one thread at a time.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import io
import json
import os
import stat
import threading
from types import TracebackType
from typing import Any, BinaryIO, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

from . import _library, errors
from .errors import EvidenceError

__all__ = [
    "Checking", "Content", "DeviceKey", "EvidenceError", "Inspecting", "Opening", "PrivateKey", "PublicKey", "Ranges",
    "ReadAt", "Report", "Rewrapping", "Sealing", "Streaming", "check", "errors", "inspect", "open_ranges", "open_video",
    "rewrap", "seal", "sign", "stream_video", "take_photo", "take_plain_video", "verify", "version",
]

Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, BinaryIO, Iterable[bytes]]
"""A source of bytes: the path of a file, bytes, an open file, or an iterable of pieces of bytes."""


class ReadAt(NamedTuple):
    """A document that is elsewhere, such as in an object store, for `open_ranges` and `rewrap`."""

    read: Callable[[int, int], Union[bytes, bytearray, memoryview]]
    """`read(offset, count)` returns 1 to `count` bytes. It is called on the thread that opens or reads; what it raises
    is raised there."""
    size: int
    """How many bytes the document has."""


_PIECE = 256 << 10
_CHUNK = 16 << 10  # of evidence-v2 (docs/FORMATS.md, section 8): damage in one does not affect the others
_Self = TypeVar("_Self", bound="_Owner")

Secret = Union[bytes, bytearray, memoryview]
"""The bytes of a key, passphrase or ticket."""


def version() -> dict[str, str]:
    """The versions of evidence-kit and of the OpenSSL that it uses."""
    found: dict[str, str] = json.loads(_library.version_json())
    return found


class _Owner:
    """Owns a handle of the library, and frees it when it is closed or deleted."""

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        # Two copies would free the same handle.
        raise TypeError(f"{type(self).__name__} can be neither copied nor pickled")

    def close(self) -> None:
        """Frees it. Closing twice does nothing."""
        raise NotImplementedError


class _Key(_Owner):
    _kind: bytes

    def __init__(self, encoded: Secret, passphrase: Optional[Secret] = None) -> None:
        key = _bytes(encoded, "a key")
        phrase = None if passphrase is None else _bytes(passphrase, "a passphrase")
        self._handle = ctypes.c_void_p()
        _library.key_load(self._kind, key, len(key), phrase, len(phrase or b""), ctypes.byref(self._handle))

    def close(self) -> None:
        """Frees the key. Jobs that already use it keep it until they end."""
        if handle := self.__dict__.pop("_handle", None):
            _library.key_free(handle)


class PrivateKey(_Key):
    """A private RSA key, which opens: PEM, DER, or base64 of either. The library wipes its copy of the bytes; Python does
    not wipe its own."""

    _kind = b"private"

    @classmethod
    def from_file(cls, path: Union[str, "os.PathLike[str]"], passphrase: Optional[Secret] = None) -> "PrivateKey":
        """Reads a key from a file."""
        with open(path, "rb") as file:
            return cls(file.read(), passphrase)

    @classmethod
    def from_uri(cls, uri: str, pin: Optional[Secret] = None) -> "PrivateKey":
        """Finds a key by its URI: "pkcs11:token=…;object=…" (RFC 7512) on a token, where it stays, or "file:/…".

        The URI must not contain the PIN. A wheel that includes its libcrypto reaches no token (docs/C-LIBRARY.md).
        """
        key = cls.__new__(cls)
        key._handle = ctypes.c_void_p()
        given = None if pin is None else _bytes(pin, "a PIN")
        _library.key_find(_library.text(uri), given, len(given or b""), ctypes.byref(key._handle))
        return key


_Keys = Union[PrivateKey, Sequence[PrivateKey]]
"""One key or several; the one that fits opens."""


def _several(keys: _Keys) -> Sequence[PrivateKey]:
    return [keys] if isinstance(keys, PrivateKey) else keys


class PublicKey(_Key):
    """A public RSA key, or a certificate with one, which seals."""

    _kind = b"public"

    def __init__(self, encoded: Secret) -> None:
        super().__init__(encoded)


class DeviceKey(_Key):
    """The P-256 public key that is registered for a device."""

    _kind = b"device"

    def __init__(self, encoded: Secret) -> None:
        super().__init__(encoded)


class _Job(_Owner):
    """Processes one document: write its bytes in pieces, then finish. Use it in a `with` statement, so that it is closed
    if something fails."""

    _reader: Optional["_Reader"] = None

    def __init__(self, operation: str, options: bytes, keys: Iterable[tuple[bytes, _Key]] = ()) -> None:
        self._job = ctypes.c_void_p()
        _library.job_new[operation](options, ctypes.byref(self._job))
        for use, key in keys:
            if not isinstance(key, _Key):
                raise TypeError(f"a key must be a PrivateKey, a PublicKey or a DeviceKey, not {type(key).__name__}")
            _library.job_add_key(self._job, use, getattr(key, "_handle", None))

    def close(self) -> None:
        """Ends the job. What it returned when it was finished can still be read."""
        if job := self.__dict__.pop("_job", None):
            _library.job_free(job)

    def write(self, piece: Union[bytes, bytearray, memoryview]) -> None:
        """Takes the next bytes."""
        try:
            taken = _bytes(piece)
        except TypeError:
            # As the library does after a refusal: a job that lacks a piece must not be finished.
            self.close()
            raise
        _library.job_append(self._handle, taken, len(taken))

    def _write_all(self, source: Source) -> None:
        for piece in _pieces(source):
            self.write(piece)

    def _use_file(self, descriptor: int) -> None:
        _library.job_use_file(self._handle, descriptor)

    def _use_reader(self, source: ReadAt) -> None:
        self._reader = _Reader(source)
        _library.job_use_reader(self._handle, self._reader.function, None, source.size)

    def _use(self, source: Union[Source, ReadAt]) -> None:
        """A plain file and a reader are read where they are; anything else is written."""
        if isinstance(source, ReadAt):
            self._use_reader(source)
        elif isinstance(source, (str, os.PathLike)):
            with _opened(source) as file:
                if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    self._use_file(file.fileno())
                else:
                    self._write_all(file)
        else:
            self._write_all(source)

    @property
    def _handle(self) -> ctypes.c_void_p:
        if (job := self.__dict__.get("_job")) is None:
            raise ValueError("the job is closed or was finished")
        found: ctypes.c_void_p = job
        return found

    def _finish(self) -> tuple["_Finished", dict[str, Any]]:
        report = ctypes.c_char_p()
        with _Reader.raising(self._reader):
            _library.job_finish(self._handle, ctypes.byref(report))
        found: dict[str, Any] = json.loads(report.value or b"{}")
        return _Finished(self.__dict__.pop("_job"), self._reader), found


class _Reader:
    """A function of the caller's as the library calls it. It must live as long as the job."""

    def __init__(self, source: ReadAt) -> None:
        self._source = source
        self._raised: Optional[BaseException] = None
        self.function = _library.READ_AT(self._read)

    def _read(self, context: Any, offset: int, buffer: int, room: int, got: Any) -> int:
        try:
            piece = _bytes(self._source.read(offset, room))
            if len(piece) > room:
                raise ValueError(f"the reader returned {len(piece)} bytes, of which {room} were asked for")
            ctypes.memmove(buffer, piece, len(piece))
            got[0] = len(piece)
            return 0
        except BaseException as error:
            self._raised = error
            return -1

    @staticmethod
    @contextlib.contextmanager
    def raising(reader: Optional["_Reader"]) -> Iterator[None]:
        """Raises what the caller's function raised, instead of what the library made of it."""
        try:
            yield
        except EvidenceError:
            raised = None
            if reader is not None:
                raised, reader._raised = reader._raised, None
            if raised is None:
                raise
            raise raised from None


class _Finished(_Owner):
    """A finished job, whose parts can be read. It is freed with its last reader."""

    def __init__(self, job: ctypes.c_void_p, reader: Optional[_Reader]) -> None:
        self.job = job
        self.reader = reader
        # Seeking and reading are two calls, and several files may read from one job.
        self.lock = threading.Lock()

    def close(self) -> None:
        if job := self.__dict__.pop("job", None):
            _library.job_free(job)


class _Part(io.RawIOBase):
    """Reads a part from the library."""

    def __init__(self, finished: _Finished, name: bytes, chunk: Optional[int], seeks: bool) -> None:
        super().__init__()
        self._finished = finished
        self._name = name
        self._chunk = chunk
        self._seeks = seeks
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._seeks

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if not self._seeks:
            raise io.UnsupportedOperation("a stream is read once, from front to back")
        if whence == io.SEEK_CUR:
            offset += self._position
        elif whence == io.SEEK_END:
            size = ctypes.c_uint64()
            with self._finished.lock:
                _library.job_size(self._finished.job, self._name, ctypes.byref(size))
            offset += size.value
        if not 0 <= offset < 1 << 63:
            raise ValueError("the position is negative, or too large for a file")
        self._position = offset
        return offset

    def readinto(self, buffer: Any) -> int:
        room = memoryview(buffer).cast("B")
        if not room:
            return 0
        try:
            return self._read(room)
        except EvidenceError:
            # The buffer asks for more than the caller does: the damage may be in a later chunk than this one.
            left = len(room) if self._chunk is None else self._chunk - self._position % self._chunk
            if left >= len(room):
                raise
            return self._read(room[:left])

    def _read(self, room: memoryview) -> int:
        got = ctypes.c_size_t()
        place = (ctypes.c_char * len(room)).from_buffer(room)
        with self._finished.lock, _Reader.raising(self._finished.reader):
            if self._seeks:
                _library.job_seek(self._finished.job, self._name, self._position)
            _library.job_read(self._finished.job, self._name, place, len(room), ctypes.byref(got))
        self._position += got.value
        return got.value

    def close(self) -> None:
        self.__dict__.pop("_finished", None)
        super().close()


class Content(io.BufferedReader):
    """The output of a job: a file open for reading."""

    def __init__(
        self, finished: _Finished, part: bytes, report: Mapping[str, Any], piece: int = _PIECE,
        chunk: Optional[int] = None, seeks: bool = True,
    ) -> None:
        super().__init__(_Part(finished, part, chunk, seeks), piece)
        self.report = report
        """The library's report: docs/JSON.md."""

    def __enter__(self) -> "Content":
        return self


class Opening(_Job):
    """Opens a payload that arrives in pieces.

    `field` is "video", "photo" or "plain-video". With `order`, a payload for another order, or without one, is refused.
    `profile` is the name of a built-in profile or the text of a profile's file. A profile that makes an oracle of its
    outcomes (no tag, or not OAEP) needs `key_holder_alone=True`: set it only if no stranger sees an outcome, or how
    long it took. `repair` names what else is read that a wrapper or a transport changed (docs/JSON.md); `strict`
    refuses the names, too, that the vendor documents for one platform.
    """

    def __init__(
        self, keys: _Keys = (), *, order: Optional[str] = None, field: str = "video",
        profile: Optional[str] = None, iv: Optional[str] = None, key_holder_alone: bool = False,
        repair: Sequence[str] = (), strict: bool = False,
    ) -> None:
        options = _library.options(
            order=order, field=field, profile=profile, iv=iv, keyHolderAlone=key_holder_alone, repair=_library.names(repair),
            strict=strict)
        super().__init__("open", options, [(b"video", key) for key in _several(keys)])
        self._field = field.encode()

    def finish(self) -> Content:
        """Call it after the last byte. Returns the complete content, proven as far as `report["tag"]` says."""
        finished, report = self._finish()
        return Content(finished, self._field, report)


def open_video(
    payload: Source, keys: _Keys, *, order: Optional[str] = None,
    profile: Optional[str] = None, iv: Optional[str] = None, key_holder_alone: bool = False,
    repair: Sequence[str] = (), strict: bool = False,
) -> Content:
    """Opens the sealed video of a payload: all of it, or raises an error."""
    job = Opening(
        keys, order=order, profile=profile, iv=iv, key_holder_alone=key_holder_alone, repair=repair, strict=strict)
    with job:
        job._write_all(payload)
        return job.finish()


class Streaming(_Job):
    """Opens an evidence-v2 video while it arrives: after each `write`, `read` returns what was verified until then.

    What was read when something is raised is an intact beginning, and not the whole: only `finish` says that it was.
    Where the wrapped key or the order comes after the video, nothing is released before `finish`.
    """

    def __init__(self, keys: _Keys, *, order: Optional[str] = None, repair: Sequence[str] = (), strict: bool = False) -> None:
        options = _library.options(order=order, repair=_library.names(repair), strict=strict)
        super().__init__("stream", options, [(b"video", key) for key in _several(keys)])

    def read(self) -> bytes:
        """The next verified bytes that were not read yet; none if there are no more as yet."""
        got = ctypes.c_size_t()
        place = ctypes.create_string_buffer(_PIECE)
        _library.job_read(self._handle, b"video", place, _PIECE, ctypes.byref(got))
        return place.raw[:got.value]

    def finish(self) -> Content:
        """Call it after the last byte. Returns the rest of the video, with the report."""
        finished, report = self._finish()
        return Content(finished, b"video", report, seeks=False)


def stream_video(
    payload: Source, keys: _Keys, *, order: Optional[str] = None, repair: Sequence[str] = (), strict: bool = False,
) -> Iterator[bytes]:
    """Opens an evidence-v2 video piece by piece, each as soon as it is verified and before the rest was read.

    It ends normally only if all of the payload was right. If it raises, what came until then is an intact beginning,
    and not the whole.
    """
    with Streaming(keys, order=order, repair=repair, strict=strict) as job:
        for piece in _pieces(payload):
            job.write(piece)
            while part := job.read():
                yield part
        with job.finish() as rest:
            while part := rest.read(_PIECE):
                yield part


class Ranges(_Job):
    """Opens parts of an evidence-v2 video whose payload is in a file, elsewhere, or arrives in pieces; see `open_ranges`."""

    def __init__(self, keys: _Keys, *, order: Optional[str] = None, repair: Sequence[str] = (), strict: bool = False) -> None:
        options = _library.options(order=order, repair=_library.names(repair), strict=strict)
        super().__init__("ranges", options, [(b"video", key) for key in _several(keys)])

    def use_file(self, descriptor: int) -> None:
        """Instead of pieces, and once: a regular file, from its first byte. The descriptor may be closed afterwards."""
        self._use_file(descriptor)

    def use_reader(self, source: ReadAt) -> None:
        """Instead of pieces, and once: a document that is elsewhere."""
        self._use_reader(source)

    def finish(self) -> Content:
        """Call it after the last byte. The content opens each part when it is read, or raises an error then."""
        finished, report = self._finish()
        return Content(finished, b"video", report, 4 * _CHUNK, _CHUNK)


def open_ranges(
    payload: Union[Source, ReadAt], keys: _Keys, *, order: Optional[str] = None, repair: Sequence[str] = (), strict: bool = False,
) -> Content:
    """Opens parts of an evidence-v2 video: `seek` and `read` open only what they need.

    A file that is given by its path, and a `ReadAt`, are not copied, and must not change. Any other source is held,
    sealed. What is read is intact and in its place; parts that were not read may be damaged.
    """
    with Ranges(keys, order=order, repair=repair, strict=strict) as job:
        job._use(payload)
        return job.finish()


class Rewrapping(_Job):
    """Makes a payload that arrives in pieces open with another key; see `rewrap`."""

    def __init__(
        self, keys: _Keys, recipient: Union[PublicKey, PrivateKey], *, order: str, verify: bool = False,
        repair: Sequence[str] = (), strict: bool = False,
    ) -> None:
        uses: list[tuple[bytes, _Key]] = [(b"video", key) for key in _several(keys)]
        options = _library.options(order=order, verify=verify, repair=_library.names(repair), strict=strict)
        super().__init__("rewrap", options, [*uses, (b"recipient", recipient)])

    def finish(self) -> Content:
        """Call it after the last byte. Returns the new payload."""
        finished, report = self._finish()
        return Content(finished, b"payload", report)


def rewrap(
    payload: Union[Source, ReadAt], keys: _Keys, recipient: Union[PublicKey, PrivateKey], *, order: str,
    verify: bool = False, repair: Sequence[str] = (), strict: bool = False,
) -> Content:
    """Makes an evidence-v2 payload open with another key, as when keys are rotated. `keys` open it now; `order` comes
    from your own records. Of the video only the beginning is looked at, which commits to its key; with `verify` all of it is.

    A file that is given by its path, and a `ReadAt`, are not copied, and must not change.
    """
    with Rewrapping(keys, recipient, order=order, verify=verify, repair=repair, strict=strict) as job:
        job._use(payload)
        return job.finish()


def take_photo(
    payload: Source, *, order: Optional[str] = None, repair: Sequence[str] = (), strict: bool = False,
) -> Content:
    """Extracts the photo, which is never sealed: nothing proves that it was not replaced."""
    return _take("photo", payload, order, repair, strict)


def take_plain_video(
    payload: Source, *, order: Optional[str] = None, repair: Sequence[str] = (), strict: bool = False,
) -> Content:
    """Extracts a video that was never sealed: nothing proves that it was not replaced. A sealed one is refused."""
    return _take("plain-video", payload, order, repair, strict)


def _take(field: str, payload: Source, order: Optional[str], repair: Sequence[str], strict: bool) -> Content:
    with Opening(field=field, order=order, repair=repair, strict=strict) as job:
        job._write_all(payload)
        return job.finish()


class Report:
    """What a check found: docs/REPORT.md. True only if everything required holds."""

    def __init__(self, finished: _Finished, found: dict[str, Any]) -> None:
        self._finished = finished
        self.json: dict[str, Any] = found
        """The whole report."""

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
        """The names of the required items that do not hold, or not as strongly as required."""
        return [str(each["item"]) for each in self.json["requirements"] if not each["met"]]

    def __bool__(self) -> bool:
        return self.verdict == "holds"

    def __repr__(self) -> str:
        return f"<Report: {self.verdict}>"

    def part(self, name: str) -> Content:
        """A part that was to be kept: `video`, `photo`, `statement` or `result`. Raises `errors.Misuse` unless the report
        is true and the result has the part. Each call returns a separate file, from its beginning."""
        content = Content(self._finished, name.encode(), self.json)
        content.peek(1)
        return content


class Checking(_Job):
    """Checks a result that arrives in pieces; see `check`."""

    def __init__(
        self, *, order: str, app: Optional[str] = None, user: Optional[str] = None,
        video_keys: _Keys = (), statement_keys: _Keys = (),
        tickets: Sequence[Secret] = (), device_keys: Sequence[DeviceKey] = (), challenge: Optional[str] = None,
        max_age: Optional[int] = None, device_max_age: Optional[int] = None, require: Optional[str] = None,
        repair: Sequence[str] = (), at: Optional[str] = None, keep: Sequence[str] = (), profile: Optional[str] = None,
        iv: Optional[str] = None, key_holder_alone: bool = False, strict: bool = False,
        report_digests: Optional[str] = None,
    ) -> None:
        options = _library.options(
            order=order, app=app, user=user, maxAge=max_age, deviceMaxAge=device_max_age, require=require,
            repair=_library.names(repair), at=at, keep=_library.names(keep), challenge=challenge, profile=profile, iv=iv,
            keyHolderAlone=key_holder_alone, strict=strict, reportDigests=report_digests)
        uses: list[tuple[bytes, Sequence[_Key]]] = [
            (b"video", _several(video_keys)), (b"statement", _several(statement_keys)), (b"device", device_keys)]
        super().__init__("check", options, [(use, key) for use, keys in uses for key in keys])
        for ticket in _tickets(tickets):
            _library.job_add_ticket(self._handle, ticket, len(ticket))

    def finish(self) -> Report:
        """Call it after the last byte."""
        return Report(*self._finish())


def check(
    result: Source, *, order: str, app: Optional[str] = None, user: Optional[str] = None, video_keys: _Keys = (),
    statement_keys: _Keys = (), tickets: Sequence[Secret] = (), device_keys: Sequence[DeviceKey] = (),
    challenge: Optional[str] = None, max_age: Optional[int] = None, device_max_age: Optional[int] = None,
    require: Optional[str] = None, repair: Sequence[str] = (), at: Optional[str] = None, keep: Sequence[str] = (),
    profile: Optional[str] = None, iv: Optional[str] = None, key_holder_alone: bool = False, strict: bool = False,
    report_digests: Optional[str] = None,
) -> Report:
    """Checks a whole result. `order` and the other expected values come from your own records, never from the result.

    `tickets` are SIGN tickets, the current one first; `max_age` is in seconds. An expectation is refused without the key
    that shows it: `max_age` needs `statement_keys`, `challenge` `device_keys`, `user` one of both. `require` names what must hold
    ("default,photo:bound"), `repair` the spellings of wrappers that are accepted, `keep` the parts that can be read
    afterwards. With `report_digests="all"` the report also has the digests of the fields that are too long to be held,
    which takes longer. The report says what is wrong with the result; an error is raised only if the check could not be done.
    The report is for the holder of the keys, never for the sender of the result.
    """
    job = Checking(
        order=order, app=app, user=user, video_keys=video_keys, statement_keys=statement_keys, tickets=tickets,
        device_keys=device_keys, challenge=challenge, max_age=max_age, device_max_age=device_max_age, require=require,
        repair=repair, at=at, keep=keep, profile=profile, iv=iv, key_holder_alone=key_holder_alone, strict=strict,
        report_digests=report_digests)
    with job:
        job._write_all(result)
        return job.finish()


class Inspecting(_Job):
    """Inspects a document that arrives in pieces; see `inspect`."""

    def __init__(self, *, strict: bool = False) -> None:
        super().__init__("inspect", _library.options(strict=strict))

    def finish(self) -> dict[str, Any]:
        """Call it after the last byte."""
        return self._finish()[1]


def inspect(document: Source, *, strict: bool = False) -> dict[str, Any]:
    """Reports what is in a payload, a result or an answer, without keys: `evidence-inspection-1` of docs/JSON.md."""
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
        """Call it after the last byte. Returns the payload."""
        finished, report = self._finish()
        return Content(finished, b"payload", report)


def seal(
    video: Source, key: Union[PublicKey, PrivateKey], *, order: str, profile: Optional[str] = None,
    iv: Optional[str] = None, key_holder_alone: bool = False,
) -> Content:
    """Seals a video into a payload, as evidence-v2 unless another profile is named."""
    with Sealing(key, order=order, profile=profile, iv=iv, key_holder_alone=key_holder_alone) as job:
        job._write_all(video)
        return job.finish()


def sign(recipe: str, values: Mapping[str, str], ticket: Secret) -> str:
    """The sign of a call, a launch or a result: docs/SIGN-RECIPES.md."""
    digits = ctypes.create_string_buffer(41)
    given = _bytes(ticket, "a ticket")
    _library.sign(_library.text(recipe), json.dumps(dict(values)).encode(), given, len(given), digits, 41)
    return digits.value.decode()


def verify(
    recipe: str, values: Mapping[str, str], ticket: Union[Secret, Sequence[Secret]], sign: str
) -> dict[str, Any]:
    """Returns if the sign is right for these values, which must come from your own records. Otherwise it raises
    `errors.SignDoesNotHold`, or `errors.NotASign` if it is not 40 hexadecimal digits, or `errors.BadValue` if one of
    your values cannot be right.

    Of several tickets any may fit: such as the current one, and for a minute the previous one. The value that is
    returned is `evidence-sign-verification-1` of docs/JSON.md: its `warnings` name other values that have the same sign.
    """
    tickets = _tickets([ticket] if isinstance(ticket, (bytes, bytearray, memoryview)) else ticket)
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
        with _opened(source) as file:
            yield from _read(file)
    elif hasattr(source, "read"):
        yield from _read(source)
    elif (view := _view(source)) is not None:
        for start in range(0, len(view), _PIECE):
            yield view[start:start + _PIECE].tobytes()
    else:
        yield from source


def _opened(path: Union[str, "os.PathLike[str]"]) -> io.FileIO:
    # An error with the path would show it.
    if isinstance(path, str) and (len(path) > 4096 or path.lstrip("\ufeff \t\r\n")[:1] in ("{", "[", '"')):
        raise TypeError("a str is the path of a file, and this one is a document: pass its bytes, document.encode()")
    return open(path, "rb", buffering=0)


def _tickets(tickets: Iterable[Secret]) -> list[bytes]:
    if isinstance(tickets, str):
        raise TypeError("a ticket must be bytes, not str")
    return [_bytes(ticket, "a ticket") for ticket in tickets]


def _read(file: Any) -> Iterator[bytes]:
    while True:
        if (piece := file.read(_PIECE)) is None:
            raise BlockingIOError(
                errno.EAGAIN, "the file is non-blocking and has no bytes yet: make it blocking")
        if not (taken := _bytes(piece)):
            return
        yield taken


def _bytes(value: Any, what: str = "a piece") -> bytes:
    if isinstance(value, bytes):
        return value
    if (view := _view(value)) is None:
        raise TypeError(f"{what} must be bytes, not {type(value).__name__}")
    return view.tobytes()


def _view(value: Any) -> Optional[memoryview]:
    """The bytes of a value; `None` if it is not a buffer. Elements of another size than a byte are refused."""
    try:
        view = memoryview(value)
    except TypeError:
        return None
    if view.ndim != 1 or view.format not in ("B", "c") or not view.c_contiguous:
        raise TypeError(f"the elements of this {type(value).__name__} are not contiguous bytes")
    return view
