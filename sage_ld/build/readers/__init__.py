"""Files to documents: the formats are one module each, the table of them is in `registry`.

A file gives all its documents or none; one that cannot be read gives an error and does not stop the others.
Files are read in a process of their own (`reader_process`), which a hostile one may crash, fill or stall.

Each name here is imported when it is first used: a search needs none of the formats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sage_ld.foundation.lazy_imports import lazy_names

if TYPE_CHECKING:
    from sage_ld.build.readers.discovery import DiscoveredFile, Discovery, discover
    from sage_ld.build.readers.files import read_file
    from sage_ld.build.readers.isolation import FileReader, file_reader
    from sage_ld.build.readers.reading import FileResult, read_paths, read_with
    from sage_ld.build.readers.registry import READERS, reader_for
    from sage_ld.build.readers.source import LeftOut, Reader, Source

__all__ = [
    "READERS",
    "DiscoveredFile",
    "Discovery",
    "FileReader",
    "FileResult",
    "LeftOut",
    "Reader",
    "Source",
    "discover",
    "file_reader",
    "read_file",
    "read_paths",
    "read_with",
    "reader_for",
]

__getattr__ = lazy_names(
    globals(),
    {
        "READERS": "registry",
        "DiscoveredFile": "discovery",
        "Discovery": "discovery",
        "FileReader": "isolation",
        "FileResult": "reading",
        "LeftOut": "source",
        "Reader": "source",
        "Source": "source",
        "discover": "discovery",
        "file_reader": "isolation",
        "read_file": "files",
        "read_paths": "reading",
        "read_with": "reading",
        "reader_for": "registry",
    },
)
