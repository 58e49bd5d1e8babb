"""The table of readers, to which a new format's reader is added, and its suffixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from sage_ld.build.readers.archive import archive_reader
from sage_ld.build.readers.calendar import CALENDAR
from sage_ld.build.readers.characters import printable
from sage_ld.build.readers.data.delimited import DELIMITED
from sage_ld.build.readers.data.json_lines import JSON_LINES
from sage_ld.build.readers.data.json_objects import JSON, TOML, YAML
from sage_ld.build.readers.data.parquet import PARQUET
from sage_ld.build.readers.html import HTML
from sage_ld.build.readers.mail.mbox import mailbox_reader
from sage_ld.build.readers.mail.message import mail_reader
from sage_ld.build.readers.mail.outlook import outlook_reader
from sage_ld.build.readers.markdown import MARKDOWN
from sage_ld.build.readers.members import left_out
from sage_ld.build.readers.metadata.sidecar import read_described
from sage_ld.build.readers.notebook import NOTEBOOK
from sage_ld.build.readers.office.docx import DOCX
from sage_ld.build.readers.office.epub import EPUB
from sage_ld.build.readers.office.legacy import LEGACY
from sage_ld.build.readers.office.opendocument import ODP, ODS, ODT
from sage_ld.build.readers.office.pptx import PPTX
from sage_ld.build.readers.office.rtf import RTF
from sage_ld.build.readers.office.xls import XLS
from sage_ld.build.readers.office.xlsx import XLSX
from sage_ld.build.readers.pdf.document import PDF
from sage_ld.build.readers.picture import PICTURE
from sage_ld.build.readers.plain import MEDIA_TYPE, PLAIN, is_text
from sage_ld.build.readers.rdf import RDF
from sage_ld.build.readers.restructured_text import RESTRUCTURED_TEXT
from sage_ld.build.readers.source import LeftOut, Reader, Source
from sage_ld.build.readers.source_code import SOURCE_CODE
from sage_ld.build.readers.tex import TEX
from sage_ld.build.readers.xml import XML
from sage_ld.foundation.errors import UnavailableError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

ENTRY_POINTS: Final = "sage_ld.readers"
"""The group of entry points by which other packages add a `Reader` each."""


def unknown_kind(source: Source) -> str:
    """The reason why a file is skipped whose name has no suffix of ours, and which is no text."""
    return f"unknown kind {source.suffix}" if source.suffix else "unknown kind (no suffix)"


def read_member(source: Source, settings: Settings) -> Iterator[Document | LeftOut]:
    """The documents of a file inside another one, by the reader of its kind, with its companions."""
    if (reader := reader_for(source)) is None:
        yield left_out(source, printable(unknown_kind(source)), settings)
    else:
        yield from read_described(reader, source, settings)


OWN_READERS: Final[tuple[Reader, ...]] = (
    MARKDOWN,
    HTML,
    PLAIN,
    RESTRUCTURED_TEXT,
    TEX,
    NOTEBOOK,
    SOURCE_CODE,
    DELIMITED,
    PARQUET,
    JSON,
    JSON_LINES,
    YAML,
    TOML,
    XML,
    PDF,
    PICTURE,
    RDF,
    archive_reader(read_member),
    DOCX,
    XLSX,
    PPTX,
    ODT,
    ODS,
    ODP,
    LEGACY,
    XLS,
    RTF,
    CALENDAR,
    EPUB,
    mail_reader(read_member),
    mailbox_reader(read_member),
    outlook_reader(read_member),
)


def by_suffix(readers: Iterable[Reader]) -> Mapping[str, Reader]:
    """Suffix -> reader. Raises ValueError for a suffix that two readers claim."""
    table: dict[str, Reader] = {}
    for reader in readers:
        for suffix in reader.media_types:
            if suffix in table:
                raise ValueError(f"{table[suffix].name} and {reader.name} both read {suffix}; keep one")
            table[suffix] = reader
    return table


def added_readers() -> tuple[Reader, ...]:
    """The readers that other packages add, by the names of their entry points.

    Raises UnavailableError for one that cannot be loaded, or is no `Reader`.
    """
    return tuple(
        _loaded(each) for each in sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.name)
    )


def _loaded(entry_point: EntryPoint) -> Reader:
    try:
        reader = entry_point.load()
    except Exception as error:  # another package's code may fail in any way
        reason = f"{type(error).__name__}: {error}"
    else:
        if isinstance(reader, Reader):
            return reader
        reason = f"it is no Reader but a {type(reader).__name__}"
    raise UnavailableError(
        f"the entry point {entry_point.name} ({entry_point.value}) of {ENTRY_POINTS} provides no reader: "
        f"{reason}; fix or uninstall its package"
    )


READERS: Final = (*OWN_READERS, *added_readers())
_BY_SUFFIX: Final = by_suffix(READERS)
SUFFIXES: Final = tuple(_BY_SUFFIX)
"""All suffixes that are read, those of the first readers first."""


def is_made_of_its_file(identifier: str, media_type: str) -> bool:
    """Whether a document has the identifier and the media type of a file of that name.

    >>> is_made_of_its_file("people/wren.md", "text/markdown"), is_made_of_its_file("d42", "text/markdown")
    (True, False)
    >>> is_made_of_its_file("build.log", "text/plain")
    True
    """
    source = Source(Path(identifier), identifier)
    reader = _BY_SUFFIX.get(source.suffix, PLAIN)
    return reader.media_types.get(source.suffix, MEDIA_TYPE) == media_type


def reader_for(source: Source) -> Reader | None:
    """The reader of a file, by its suffix; of a file of another kind the plain one, if it begins with text.

    >>> reader_for(Source(Path("notes.md"), "notes.md")).name
    'Markdown'
    """
    known = _BY_SUFFIX.get(source.suffix)
    return known if known is not None or not is_text(source) else PLAIN
