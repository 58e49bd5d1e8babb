"""The members of a zipped document, expanded and parsed within the limits."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from typing import IO, Final

from lxml import etree

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import content_hash
from sage_ld.build.readers.source import Source
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

_OLE: Final = (
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # [MS-CFB] §2.2: the container of encrypted and of old files
)
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")  # [MS-OFFCRYPTO] §1.3.2
_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    LZMAError,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,  # zipfile's error for a compression method or a version of zip that it lacks
)


class Package:
    """A zipped document: OPC (`.docx`), ODF (`.odt`) or EPUB.

    Raises LimitError where its members expand to more than `max_expanded_bytes`, InputError where it is
    encrypted, an old office format, or no zip archive.
    """

    def __init__(self, source: Source, settings: Settings) -> None:
        data = source.read(settings)
        self.name = source.identifier
        self.content_hash = content_hash(data)
        self._limit = self._left = settings.max_expanded_bytes
        _check_container(data, self.name)
        with self._problems("its archive"):
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        self._members = {each.filename: each for each in self._archive.infolist()}
        if sum(each.file_size for each in self._members.values()) > self._limit:
            raise self._too_large()

    def __contains__(self, member: str) -> bool:
        return member in self._members

    def read(self, member: str) -> bytes:
        """A member's bytes. Raises InputError where it is missing or damaged."""
        with self.open(member) as stream, self._problems(member):
            data = stream.read(self._left + 1)
        self._count(len(data))
        return data

    @contextmanager
    def open(self, member: str) -> Iterator[IO[bytes]]:
        """A member as a stream, for one that is read bit by bit; no more than its declared size comes."""
        if member not in self._members:
            raise InputError(f"{self.name}: {member} is missing in its archive; save the file again")
        if self._members[member].flag_bits & 1:
            raise InputError(f"{self.name}: needs a password; save it without one")
        with self._problems(member), self._archive.open(self._members[member]) as stream:
            yield stream

    def xml(self, member: str) -> etree._Element:
        """A member's root element. Raises InputError where it is no XML, or declares entities."""
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
        )
        data = self.read(member)
        with self._problems(member):
            root = etree.fromstring(data, parser)
        check_entities(root, f"{self.name}: {member}")
        return root

    def elements(self, member: str, *names: str) -> Iterator[etree._Element]:
        """The elements of these local names as they end, each of which is emptied after its turn."""
        tags = [f"{{*}}{name}" for name in names]
        with self.open(member) as stream, self._problems(member):
            events = etree.iterparse(
                stream,
                tag=tags,
                resolve_entities=False,
                no_network=True,
                remove_comments=True,
                remove_pis=True,
            )
            for number, (_, element) in enumerate(events):
                if not number:
                    check_entities(element, f"{self.name}: {member}")
                yield element
                element.clear(keep_tail=False)
                while (before := element.getprevious()) is not None and before.tag == element.tag:
                    before.getparent().remove(before)

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise self._too_large()

    def _too_large(self) -> LimitError:
        return LimitError(
            f"{self.name}: expands to more than {self._limit:,} bytes; "
            "split it or raise the setting max_expanded_bytes"
        )

    @contextmanager
    def _problems(self, member: str) -> Iterator[None]:
        """Says of what libraries raise which member is damaged."""
        try:
            yield
        except etree.XMLSyntaxError as error:
            reason = one_line(str(error.msg or error))
            if "depth" in reason:
                raise LimitError(
                    f"{self.name}: {member} is nested deeper than 256 levels; flatten it"
                ) from None
            raise InputError(
                f"{self.name}: {member} is not valid XML ({reason}); save the file again"
            ) from None
        except RuntimeError as error:
            raise InputError(
                f"{self.name}: {member} cannot be read ({one_line(str(error))}); save it again"
            ) from None
        except _DAMAGED as error:
            reason = one_line(str(error)) or type(error).__name__
            raise InputError(f"{self.name}: {member} is damaged ({reason}); save the file again") from None


def check_entities(root: etree._Element, what: str) -> None:
    """Raises InputError where a document declares entities of its own, which would not be in its text."""
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and list(dtd.entities()):  # type: ignore[attr-defined]  # the stubs lack it
        raise InputError(f"{what} declares an entity; write the text in its place")


def _check_container(data: bytes, name: str) -> None:
    if not data.startswith(_OLE):
        return
    if _ENCRYPTED in data:
        raise InputError(f"{name}: needs a password; save it without one")
    raise InputError(f"{name}: an old office format (Office 97–2003); save it as .docx, .xlsx or .pptx")
