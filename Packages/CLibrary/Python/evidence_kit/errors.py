# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the library: a class for each code of docs/ERRORS.md."""

from __future__ import annotations

from typing import Any, Optional


class EvidenceError(Exception):
    """A refusal or a failure. `number` and `code` (the name) never change their meaning; the sentence may."""

    number: int = 0
    report: Optional[dict[str, Any]] = None
    """For a refused sign: the reasons, docs/JSON.md."""

    def __init__(self, title: str, number: int, code: str, hint: Optional[str] = None, errno: Optional[int] = None):
        super().__init__(f"{title} ({code})" if not hint else f"{title} ({code}): {hint}")
        self.title = title
        self.number = number
        self.code = code
        self.hint = hint
        self.errno = errno

    def __reduce__(self) -> tuple[Any, ...]:
        # From one process to another, as pools do.
        return type(self), (self.title, self.number, self.code, self.hint, self.errno), {"report": self.report}


class Misuse(EvidenceError):
    """A call that is wrong whatever the data is: a mistake in the calling program."""


# codes


class SealedContentError(EvidenceError):
    """Codes 1xx of docs/ERRORS.md."""


class CannotOpen(SealedContentError):
    """Wrong key, bad padding or bad tag; it does not say which."""

    number = 101


class WrongLength(SealedContentError):
    """A key, a sealed field, a nonce or a tag has an impossible length."""

    number = 102


class TextError(EvidenceError):
    """Codes 2xx of docs/ERRORS.md."""


class InvalidJson(TextError):
    """Not one well-formed JSON document (RFC 8259), or a name twice in one object."""

    number = 201


class OverLimit(TextError):
    """Exceeds a bound of Limits."""

    number = 202


class InvalidBase64(TextError):
    """Not strict, canonical base64 (RFC 4648 §4), or not the encoding that a profile names."""

    number = 203


class InvalidHex(TextError):
    """Not an even number of hexadecimal digits."""

    number = 204


class DocumentsError(EvidenceError):
    """Codes 3xx of docs/ERRORS.md."""


class UnknownDocument(DocumentsError):
    """JSON, but none of the documents known here."""

    number = 301


class MissingField(DocumentsError):
    """A field that the request needs is absent."""

    number = 302


class WrongType(DocumentsError):
    """A field has the wrong type, or a value that it cannot have."""

    number = 303


class AmbiguousDocument(DocumentsError):
    """Two readers could see two different documents: two fields contradict each other, or one appears twice or under two names."""

    number = 304


class NeedsRepair(DocumentsError):
    """The document needs a repair, but strict reading was asked for."""

    number = 305


class NotSealed(DocumentsError):
    """The field was to be opened, but is not sealed."""

    number = 306


class Sealed(DocumentsError):
    """The field was expected to be plain, but is sealed."""

    number = 307


class OtherOrder(DocumentsError):
    """The payload or result is for a different order than expected."""

    number = 308


class NotAnImage(DocumentsError):
    """A photo is not a complete JPEG or PNG."""

    number = 309


class NotAStatement(DocumentsError):
    """identifyStr opens, but its content is not a statement."""

    number = 310


class ChangedWhileRead(DocumentsError):
    """The document changed between two readings."""

    number = 311


class UndecidedVerdict(DocumentsError):
    """A pass is claimed, and nobody can tell whether another member of the document contradicts it."""

    number = 313


class UnknownMember(DocumentsError):
    """An object of options, or a request, has an unknown member."""

    number = 312


class NoRanges(DocumentsError):
    """The way the document is written does not let a part of the field be read alone."""

    number = 320


class KeysError(EvidenceError):
    """Codes 4xx of docs/ERRORS.md."""


class NotAKey(KeysError):
    """A file that should hold a key holds none."""

    number = 401


class WrongKindOfKey(KeysError):
    """A public key where a private one is needed, the reverse, or another object that is not a key."""

    number = 402


class NotRsa(KeysError):
    """A key of an algorithm other than RSA."""

    number = 403


class PassphraseNeeded(KeysError):
    """The private key is encrypted and no passphrase was given."""

    number = 404


class WrongPassphrase(KeysError):
    """The passphrase does not open the private key."""

    number = 405


class WeakKey(KeysError):
    """An RSA key that is too small, too large or otherwise unfit."""

    number = 406


class UnsuitableKey(KeysError):
    """A key that cannot or must not be used for this: one on a token for content under PKCS#1 v1.5 without a tag, for instance."""

    number = 407


class KeyUnavailable(KeysError):
    """The store of a URI hands out no key: no such key, no token, a wrong PIN."""

    number = 408


class UnreadableKey(KeysError):
    """What should hold a key is damaged, cut off, empty, not valid DER, or in an unsupported form."""

    number = 409


class ProfilesError(EvidenceError):
    """Codes 5xx of docs/ERRORS.md."""


class BadProfile(ProfilesError):
    """Not a profile, or one that cannot be used as requested."""

    number = 501


class IvNeeded(ProfilesError):
    """The profile takes its IV from the caller, but none was given."""

    number = 502


class SignsError(EvidenceError):
    """Codes 6xx of docs/ERRORS.md."""


class UnknownRecipe(SignsError):
    """The recipe is unknown."""

    number = 601


class UnknownParameter(SignsError):
    """The recipe has no parameter of that name."""

    number = 602


class DuplicateParameter(SignsError):
    """A parameter was given twice, perhaps under two of its names."""

    number = 603


class NotAnAssignment(SignsError):
    """Not name=value."""

    number = 604


class BadValue(SignsError):
    """A value is missing or breaks the rule of its field."""

    number = 605


class NotASign(SignsError):
    """The text is not 40 hexadecimal digits."""

    number = 606


class SignDoesNotHold(SignsError):
    """A claimed success has no sign, or an invalid one."""

    number = 607


class NotATicket(SignsError):
    """The text is not a ticket."""

    number = 608


class WrongTicketKind(SignsError):
    """The recipe needs the other kind of ticket."""

    number = 609


class TicketExpired(SignsError):
    """The ticket has expired."""

    number = 610


class TicketUsed(SignsError):
    """A NONCE ticket was used, or handed out, a second time."""

    number = 611


class NotACallback(SignsError):
    """Not a callback of a published form."""

    number = 612


class VendorsServerError(EvidenceError):
    """Codes 7xx of docs/ERRORS.md."""


class AnswerToAnotherCall(VendorsServerError):
    """An answer to a different call than the one that was made, or for another integrator."""

    number = 701


class RefusedByTheVendor(VendorsServerError):
    """The vendor's server refused a call."""

    number = 702


class NotAVideo(VendorsServerError):
    """A video in an answer is not a complete MP4."""

    number = 703


class NotALaunchBundle(VendorsServerError):
    """Not a launch bundle."""

    number = 704


class DeviceSignaturesAndArchivesError(EvidenceError):
    """Codes 8xx of docs/ERRORS.md."""


class NotADeviceSignature(DeviceSignaturesAndArchivesError):
    """Not a device's signature, not something that a device signs, or not made by the device's key."""

    number = 801


class SignatureDoesNotHold(DeviceSignaturesAndArchivesError):
    """A detached signature does not verify: other bytes, another key, or a certificate that leads to none of the trusted ones."""

    number = 811


class TimeStampDoesNotHold(DeviceSignaturesAndArchivesError):
    """A time-stamp reply or token does not verify, or does not answer the query."""

    number = 812


class UnsuitableCertificate(DeviceSignaturesAndArchivesError):
    """Not a certificate, or one that cannot be used for this signature."""

    number = 813


class NotAnArchive(DeviceSignaturesAndArchivesError):
    """A folder is not an archive, or the archive's own files are invalid."""

    number = 821


class DamagedBag(DeviceSignaturesAndArchivesError):
    """A bag or a record has changed, or is not as the format requires."""

    number = 822


class NoSuchRecord(DeviceSignaturesAndArchivesError):
    """The archive has no such record or bag, or nothing that the request could apply to."""

    number = 823


class RecordErased(DeviceSignaturesAndArchivesError):
    """The record was erased, whether or not its key was put back, or its key is missing."""

    number = 824


class NotAnIndex(DeviceSignaturesAndArchivesError):
    """Not an index of this archive: damaged, another archive's, or with a newest bag that is not the archive's."""

    number = 825


class StaleIndex(DeviceSignaturesAndArchivesError):
    """The archive has records, or a damaged record, that the index does not list: update the index."""

    number = 826


class NewerFormat(DeviceSignaturesAndArchivesError):
    """A bag, a record or an archive was written by a newer version: it is not judged, and not changed."""

    number = 827


class SystemError(EvidenceError):
    """Codes 9xx of docs/ERRORS.md."""


class CannotRead(SystemError):
    """A source could not be opened or read."""

    number = 901


class CannotWrite(SystemError):
    """A destination could not be created, written, synced or given its name."""

    number = 902


class Exists(SystemError):
    """A file with the destination's name exists, and replacing it was not asked for."""

    number = 903


class DestinationSpent(SystemError):
    """A destination that was finished or abandoned was used again."""

    number = 904


class TooLarge(SystemError):
    """A file that is read whole (a key, a passphrase), a part of a record, or the number of waiting records is too large."""

    number = 905


class OpensslFailed(SystemError):
    """OpenSSL failed where it should not: no memory, no randomness, a disabled algorithm."""

    number = 906


class TicketFetchFailed(SystemError):
    """The caller's own code that fetches tickets failed; see underlying."""

    number = 907


class Cancelled(SystemError):
    """The caller cancelled the work."""

    number = 908


class ForeignLink(SystemError):
    """The destination's name is a symbolic link that another user created."""

    number = 909


class KeyFailed(SystemError):
    """The token or the service that holds a key failed to use it."""

    number = 910


class NonceStoreFailed(SystemError):
    """The caller's own store of nonces or challenges failed; see underlying."""

    number = 911


class NoAnswer(SystemError):
    """The vendor's server was not reached, did not answer in time, or answered with an HTTP error alone."""

    number = 912


class TicketStoreFailed(SystemError):
    """The store of tokens and tickets failed, or another process holds it."""

    number = 913


class ArchiveInUse(SystemError):
    """Another process writes to the archive."""

    number = 914


# end of codes


def _subclasses(base: type[EvidenceError]) -> dict[int, type[EvidenceError]]:
    found = {}
    for each in base.__subclasses__():
        if each.number:
            found[each.number] = each
        found.update(_subclasses(each))
    return found


_by_number = _subclasses(EvidenceError)


def error_class(number: int) -> type[EvidenceError]:
    """The class of a code; `EvidenceError` for one that is newer than this file."""
    return Misuse if number < 0 else _by_number.get(number, EvidenceError)
