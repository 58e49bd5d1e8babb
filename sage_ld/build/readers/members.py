"""Files inside other files, in archives and mails: what each gives, and what bounds them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sage_ld.build.readers.characters import printable
from sage_ld.build.readers.identifiers import check_identifier
from sage_ld.build.readers.source import Contents, LeftOut, Source
from sage_ld.foundation.errors import ConflictError, LimitError, MissingContextError, SageError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

ReadMember = Callable[[Source, Settings], Iterator[Document | LeftOut]]
"""Reads a file of any kind; the table of readers gives it to those of archives and mails."""


def contents_of(source: Source, settings: Settings) -> Contents:
    """The limits that the files inside a file share: with those around it, if it is inside another one."""
    return source.contents or Contents(settings.max_expanded_bytes, settings.max_archive_files)


def check_depth(source: Source, what: str, settings: Settings) -> None:
    """Checks that a file may have files inside it. Raises LimitError deeper than `max_nested_files`."""
    if source.depth >= (limit := settings.max_nested_files):
        subject, depth = f"{source.identifier}: its {what}", source.depth + 1
        raise LimitError.of(subject, depth, limit, "levels of files", "max_nested_files", "unpack it")


def member_documents(
    source: Source, settings: Settings, read_member: ReadMember
) -> Iterator[Document | LeftOut]:
    """The result of one file inside another: all its documents, or the reason why there are none.

    So one that cannot be read, or repeats an identifier, loses nothing but its own documents. Raises
    MissingContextError, upon which the whole file is read again.
    """
    contents = contents_of(source, settings)
    before = len(contents.taken)
    try:
        parts = list(read_member(source, settings))
        for each in parts:
            if isinstance(each, Document):
                _take(each.identifier, source, contents, settings)
        yield from parts
    except MissingContextError:
        raise
    except SageError as error:
        while len(contents.taken) > before:
            contents.taken.popitem()
        yield left_out(source, printable(str(error)), settings, failed=True)


def left_out(source: Source, reason: str, settings: Settings, *, failed: bool = False) -> LeftOut:
    """A file that gives no document, under a name that can be shown."""
    return LeftOut(printable(source.identifier[: settings.max_identifier_length]), reason, failed)


def _take(identifier: str, source: Source, contents: Contents, settings: Settings) -> None:
    """Notes the identifier of a document of `source`. Raises ConflictError if another file has it."""
    check_identifier(identifier, source.identifier, settings)
    other = contents.taken.setdefault(identifier, source.identifier)
    if other != source.identifier and not other.startswith(f"{source.identifier}/"):
        raise ConflictError(
            f"{source.identifier}: {other} has the same identifier, {identifier!r}; rename one of the records"
        )
