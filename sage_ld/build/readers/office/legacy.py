"""Texts and slides from before 2007 (`.doc`, `.ppt`), which LibreOffice turns into today's formats.

It works in a process of its own (`office_kit`), in a folder of its own, without a network, macros and files
that the document names, within the limits of time and memory of the process that reads files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sage_ld.build.readers.content import content_hash
from sage_ld.build.readers.office.docx import DOCX
from sage_ld.build.readers.office.pptx import PPTX
from sage_ld.build.readers.office.rtf import RTF
from sage_ld.build.readers.source import LeftOut, Reader, Source
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {
    ".doc": "application/msword",
    ".ppt": "application/vnd.ms-powerpoint",
}
_PROGRAM: Final = Path(__file__).with_name("office_kit.py")
_COMPOUND_FILE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_READERS: Final = {".doc": (DOCX, ".docx"), ".ppt": (PPTX, ".pptx")}
_SHARE_OF_TIME: Final = 0.9  # so that its folder is removed before this process is ended
_FOLDERS: Final = (
    "/usr/lib/libreoffice/program",
    "/usr/lib64/libreoffice/program",
    "/opt/libreoffice/program",
    "/Applications/LibreOffice.app/Contents/MacOS",
)
_LIBRARIES: Final = (
    "libsofficeapp.so",
    "libmergedlo.so",
    "../Frameworks/libsofficeapp.dylib",
    "../Frameworks/libmergedlo.dylib",
)


@dataclass(frozen=True, slots=True)
class LibreOffice:
    """LibreOffice, as it is installed."""

    programs: Path
    library: Path


def find_libreoffice(settings: Settings) -> LibreOffice | None:
    """LibreOffice, where the setting `libreoffice` says; None where there is none."""
    if settings.libreoffice == "none" or os.name != "posix":
        return None
    folders: tuple[str, ...] = (settings.libreoffice,)
    if settings.libreoffice == "auto":
        command = shutil.which("soffice") or shutil.which("libreoffice")
        folders = (*([os.path.dirname(os.path.realpath(command))] if command else []), *_FOLDERS)
    for folder in map(Path, folders):
        for name in _LIBRARIES:
            if (library := folder / name).is_file():
                return LibreOffice(folder, library)
    return None


def read_legacy(source: Source, settings: Settings) -> Iterator[Document | LeftOut]:
    """The document of a file, read like the one in today's format that LibreOffice makes of it.

    A file of another format under this name, as programs write them, is read as what it is. Raises
    UnavailableError where LibreOffice is not installed, InputError for a file that it cannot read, LimitError
    over `reader_timeout`.
    """
    data = source.read(settings)
    (reader, suffix), content = _READERS[source.suffix], data
    if data.startswith(b"{\\rtf"):
        reader, suffix = RTF, ".rtf"
    elif not data.startswith(b"PK"):
        content = _converted(data, source, settings)
    for each in reader.read(replace(source, path=Path(source.stem + suffix), data=content), settings):
        if isinstance(each, Document):
            media_type = _MEDIA_TYPES[source.suffix]
            yield replace(each, media_type=media_type, content_hash=content_hash(data))
        else:
            yield each


def _converted(data: bytes, source: Source, settings: Settings) -> bytes:
    """The file in today's format."""
    remedy = f"save it as {source.suffix}x"
    if not data.startswith(_COMPOUND_FILE):
        raise InputError(f"{source.identifier}: no file of Office 97–2003; check its format")
    if (office := find_libreoffice(settings)) is None:
        raise UnavailableError(
            f"{source.identifier}: a file of Office 97–2003 is read by LibreOffice, which is not installed; "
            "install it (Debian: apt install libreoffice-writer-nogui libreoffice-impress-nogui), "
            f"or {remedy}"
        )
    with TemporaryDirectory(prefix="sage-ld-office-") as folder:
        target = Path(folder, f"file{source.suffix}x")
        Path(folder, f"file{source.suffix}").write_bytes(data)
        status = _run(office, folder, f"file{source.suffix}", target.name, source, settings)
        if status == 0 and target.is_file():
            return _bounded(target, source, settings)
    raise InputError(f"{source.identifier}: LibreOffice cannot read it (it ended with {status}); {remedy}")


def _run(office: LibreOffice, folder: str, name: str, target: str, source: Source, settings: Settings) -> int:
    """The status with which LibreOffice ended. Raises LimitError where it took too long."""
    seconds = settings.reader_timeout * _SHARE_OF_TIME
    paths = [str(office.library), str(office.programs), folder, name, target]
    limits = [str(settings.reader_memory), str(settings.max_expanded_bytes)]
    try:
        return subprocess.run(
            [sys.executable, "-I", "-S", str(_PROGRAM), *paths, *limits],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={"HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8", "SAL_USE_VCLPLUGIN": "svp"},
            timeout=seconds,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        raise LimitError(
            f"{source.identifier}: stopped after {seconds:g} s of reading; split it or raise the setting "
            "reader_timeout"
        ) from None


def _bounded(target: Path, source: Source, settings: Settings) -> bytes:
    """The bytes of what was written. Raises LimitError over `max_expanded_bytes`."""
    if (size := target.stat().st_size) > (limit := settings.max_expanded_bytes):
        raise LimitError.of(source.identifier, size, limit, "bytes", "max_expanded_bytes", "split it")
    return target.read_bytes()


LEGACY = Reader("texts and slides from before 2007", _MEDIA_TYPES, read_legacy, packed=True)
