"""Reading of documents that other people made: what of a folder is read, refused or passed over.

    python benchmarks/public_documents.py FOLDER [--text OUT]

Each file below FOLDER is read by itself, in the process in which an ingest reads files. The report has for
each format: files, those read, refused and without a chunk, documents, chunks, what was passed over by kind,
pages or slides a second, and the slowest files; then each file that was refused, with the error. A file that
ends the process is counted as a crash, apart from those that were refused. With --text, the text that
was read of each file is written to the folder OUT, to be compared with the document on a screen.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from _report import write as write_report

from sage_ld.build.chunkers import Chunking, chunk
from sage_ld.build.encoders import Encoder, load_encoder
from sage_ld.build.readers import FileReader, LeftOut, Source, file_reader
from sage_ld.build.readers.registry import reader_for, unknown_kind
from sage_ld.foundation.errors import SageError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

PAGED = ("page", "slide")
SLOWEST = 3
"""How many of the slowest files of a format are named."""
CRASH = "ended the process that read it"
"""Words of the error of a file that ended the process."""


@dataclass(frozen=True)
class FileReport:
    """What became of one file."""

    name: str
    suffix: str
    seconds: float
    error: str = ""
    documents: int = 0
    chunks: int = 0
    characters: int = 0
    pages: int = 0
    passed_over: tuple[tuple[str, int], ...] = ()
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def main() -> None:
    """Reads and reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--text", type=Path, help="write what was read of each file below this folder")
    options = parser.parse_args()
    files = sorted(each for each in options.folder.rglob("*") if each.is_file())
    with closing(file_reader(Settings())) as reader:
        encoder = load_encoder("jaccard")
        reports = [read(each, options.folder, reader, encoder, options.text) for each in files]
    figures = {suffix: told(_of(reports, suffix)) for suffix in sorted({each.suffix for each in reports})}
    for suffix, counts in figures.items():
        print(suffix or "(no suffix)", flush=True)
        for name, value in counts.items():
            print(f"    {name}: {value}", flush=True)
    write_report("public_documents", figures)


def read(
    path: Path, folder: Path, reader: FileReader, encoder: Encoder, texts: Path | None = None
) -> FileReport:
    """What becomes of a file that is read by itself."""
    source = Source(path, path.relative_to(folder).as_posix())
    begin = time.perf_counter()
    if reader_for(source) is None:
        return FileReport(source.identifier, source.suffix, 0.0, unknown_kind(source))
    try:
        parts = reader.read(source)
    except SageError as error:
        return FileReport(source.identifier, source.suffix, time.perf_counter() - begin, str(error))
    seconds = time.perf_counter() - begin
    documents = [each for each in parts if isinstance(each, Document)]
    if texts is not None:
        _write_texts(documents, texts)
    passed: Counter[str] = Counter()
    for document in documents:
        passed.update(dict(document.passed_over))
    return FileReport(
        source.identifier,
        source.suffix,
        seconds,
        documents=len(documents),
        chunks=sum(len(chunk(each, Chunking(), encoder)) for each in documents),
        characters=sum(len(each.text) for each in documents),
        pages=sum(_pages(each) for each in documents),
        passed_over=tuple(sorted(passed.items())),
        left_out=tuple(each.reason for each in parts if isinstance(each, LeftOut)),
        warnings=tuple(warning for each in documents for warning in each.warnings),
    )


def told(reports: Sequence[FileReport]) -> dict[str, object]:
    """The figures of the files of one format."""
    good = [each for each in reports if not each.error]
    passed: Counter[str] = Counter()
    for each in good:
        passed.update(dict(each.passed_over))
    pages, seconds = sum(each.pages for each in good), sum(each.seconds for each in reports)
    crashed = [each for each in reports if CRASH in each.error]
    slowest = sorted(reports, key=lambda each: -each.seconds)[:SLOWEST]
    return {
        "files": len(reports),
        "read": len(good),
        "refused": len(reports) - len(good) - len(crashed),
        "crashed": len(crashed),
        "without a chunk": [each.name for each in good if not each.chunks],
        "documents": sum(each.documents for each in good),
        "chunks": sum(each.chunks for each in good),
        "characters": sum(each.characters for each in good),
        "passed over": dict(passed.most_common()),
        "left out": dict(Counter(reason for each in good for reason in each.left_out).most_common()),
        "warnings": sum(len(each.warnings) for each in good),
        "pages": pages,
        "pages a second": round(pages / seconds, 1) if pages and seconds else None,
        "seconds": round(seconds, 1),
        "slowest": [f"{each.name} {each.seconds:.1f} s" for each in slowest],
        "errors": [each.error for each in reports if each.error],
    }


def _of(reports: Sequence[FileReport], suffix: str) -> list[FileReport]:
    return [each for each in reports if each.suffix == suffix]


def _pages(document: Document) -> int:
    return max((each.last for each in document.places if each.kind in PAGED), default=0)


def _write_texts(documents: Sequence[Document], folder: Path) -> None:
    for document in documents:
        target = folder / f"{document.identifier.replace('/', '__')}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(document.text, "utf-8")


if __name__ == "__main__":
    main()
