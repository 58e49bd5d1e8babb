"""Texts and files that a program hands over: read by the reader of their kind, as files in a folder are.

Plain text needs no parser, and is read in this process; all else is read by a process for files
(`readers.isolation`), from a temporary folder of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final

from sage_ld.build.readers.characters import one_line, printable
from sage_ld.build.readers.identifiers import check_identifier
from sage_ld.build.readers.isolation import DirectReader, FileReader, file_reader
from sage_ld.build.readers.metadata.sidecar import ENCODING, HEADER
from sage_ld.build.readers.plain import MEDIA_TYPE as PLAIN_TYPE
from sage_ld.build.readers.registry import READERS, SUFFIXES
from sage_ld.build.readers.source import LeftOut, Source, reason_unread
from sage_ld.foundation.errors import InputError, LimitError, SageError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings
from sage_ld.foundation.temporary_folders import temporary_folder

SHOWN: Final = 200
"""Characters of an upload's name in a report."""
_LONGEST_NAME: Final = 50  # characters of the name that the file has while it is read
_LONGEST_TITLE: Final = 80
_MINTED: Final = 24  # hexadecimal digits of an identifier that is made of the content
_BINARY: Final = "application/octet-stream"


_OF_READING: Final = (ENCODING, HEADER)
"""The keys of metadata that say how a file is read."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A text or a file that a program hands over, and what the program says of it."""

    content: bytes = field(repr=False)
    identifier: str = ""
    """Of its document; empty: the file's name, or else one that follows from the content."""
    file_name: str = ""
    media_type: str = ""
    name: str = ""
    """The title, in place of the one that the reader finds."""
    metadata: Mapping[str, object] = field(default_factory=dict)
    content_identifier: str = ""
    """The identifier that follows from the content, where the content itself is no longer at hand."""

    @property
    def of_document(self) -> dict[str, object]:
        """The metadata but what it says of how to read the file, as a sidecar may say it, too."""
        return {key: value for key, value in self.metadata.items() if key not in _OF_READING}

    @property
    def minted(self) -> bool:
        """Whether the identifier follows from the content."""
        return not (self.identifier or self.file_name)

    @property
    def own_identifier(self) -> str:
        """The identifier of its document.

        >>> Upload(b"", file_name="notes.md").own_identifier
        'notes.md'
        """
        if not self.minted:
            return self.identifier or self.file_name
        if self.content_identifier:
            return self.content_identifier
        stated = json.dumps([self.media_type, self.name, self.metadata], sort_keys=True, default=str)
        return hashlib.sha256(stated.encode() + b"\0" + self.content).hexdigest()[:_MINTED]


def of_unicode(metadata: Mapping[str, object]) -> Mapping[str, object]:
    """The metadata of a content that is a text, and not bytes: it has no coding but ours.

    >>> of_unicode({"encoding": "windows-1252", "year": 1987})
    {'encoding': 'utf-8', 'year': 1987}
    """
    return {**metadata, ENCODING: "utf-8"} if ENCODING in metadata else metadata


@dataclass(frozen=True, slots=True)
class ReadUpload:
    """The result of reading one upload: its documents, or the error for which there are none."""

    upload: Upload
    documents: tuple[Document, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """Files in it (it is an archive, a mail) that give no document."""
    error: SageError | None = None

    @property
    def name(self) -> str:
        """The name of the upload in a report: the first characters of its identifier."""
        return self.upload.own_identifier[:SHOWN]


class UploadReader:
    """Reads uploads one after the other. The process for formats with a parser starts with the first one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._isolated: FileReader | None = None

    def read(self, upload: Upload) -> ReadUpload:
        """The documents of an upload, or the error that it gives."""
        try:
            return read_upload(upload, self._parts(upload))
        except SageError as error:
            return ReadUpload(upload, error=error)

    def close(self) -> None:
        """Ends the process that reads files."""
        if self._isolated is not None:
            self._isolated.close()
            self._isolated = None

    def _parts(self, upload: Upload) -> tuple[Document | LeftOut, ...]:
        with temporary_folder("upload") as folder:
            source = upload_source(upload, folder, self._settings)
            if source.suffix == ".txt" and not source.path.name.lower().endswith(".gz"):
                return DirectReader(self._settings).read(source)
            self._isolated = self._isolated or file_reader(self._settings)
            return self._isolated.read(source)


def upload_source(upload: Upload, folder: Path, settings: Settings) -> Source:
    """The content of an upload as a file in a folder. Raises InputError and LimitError."""
    identifier, limit = upload.own_identifier, settings.max_file_bytes
    check_identifier(identifier, identifier, settings)
    if (size := len(upload.content)) > limit:
        raise LimitError.of(identifier, size, limit, "bytes", "max_file_bytes")
    path = folder / _file_name(upload)
    path.write_bytes(upload.content)
    if stated := {key: value for key, value in upload.metadata.items() if key in _OF_READING}:
        path.with_name(f"{path.name}.meta.json").write_text(json.dumps(stated), "utf-8")
    return Source(path, identifier, folder)


def read_upload(upload: Upload, parts: Sequence[Document | LeftOut]) -> ReadUpload:
    """The documents of an upload, under the identifier and the title that the program gives it.

    Raises InputError for a picture whose text is not to be read.
    """
    if (reason := reason_unread(parts, upload.own_identifier)) is not None:
        raise InputError(f"{upload.own_identifier}: {reason} or the setting ocr")
    documents = tuple(_titled(each, upload) for each in parts if isinstance(each, Document))
    if upload.identifier and len(documents) == 1:
        documents = (replace(documents[0], identifier=upload.identifier),)
    return ReadUpload(upload, documents, tuple(each for each in parts if isinstance(each, LeftOut)))


def media_types() -> dict[str, list[str]]:
    """Each media type that is read, with its suffixes, those of the first readers first."""
    table: dict[str, list[str]] = {}
    for reader in READERS:
        for suffix, media_type in reader.media_types.items():
            table.setdefault(media_type, []).append(suffix)
    return table


def _file_name(upload: Upload) -> str:
    """The name under which the content is read: its suffix says the format.

    Raises InputError for a media type that no reader takes, where no file name says more.

    >>> _file_name(Upload(b"", "reports/2024", media_type="text/markdown"))
    '2024.md'
    """
    last = PurePosixPath((upload.file_name or upload.identifier).replace("\\", "/")).name
    name = "".join(sign for sign in printable(last) if sign not in '<>:"|?*')[-_LONGEST_NAME:].strip(". ")
    if upload.file_name and Source(Path(name or "text"), "").suffix in SUFFIXES:
        return name
    media_type = upload.media_type.partition(";")[0].strip().lower()
    if suffixes := media_types().get(media_type):
        return (name or "text") + suffixes[0]
    if not upload.media_type or (upload.file_name and media_type == _BINARY):
        return name if upload.file_name and name else (name or "text") + ".txt"
    raise InputError(
        f"{upload.own_identifier[:80]}: no reader takes the media type {media_type[:60]!r}; send JSON "
        "(Content-Type: application/json), or one of the types that docs/reading.md and "
        "/v1/ingest/supported-types list"
    )


def _titled(document: Document, upload: Upload) -> Document:
    """A text that has no name gets its first line for a title."""
    if upload.file_name or upload.name or document.media_type != PLAIN_TYPE:
        return document
    first = one_line(document.text.lstrip().partition("\n")[0][: 4 * _LONGEST_TITLE])
    title = first if len(first) <= _LONGEST_TITLE else first[:_LONGEST_TITLE].rpartition(" ")[0] + " …"
    return replace(document, title=title)
