"""What the tests of the readers share: one file written, read, and checked against the model's invariants."""

from __future__ import annotations

from pathlib import Path

from sage_ld.build.readers import FileResult, Source, read_file, read_paths
from sage_ld.build.readers.tables import cells, row_text
from sage_ld.foundation.model import Document, Prose, Record, Table
from sage_ld.foundation.settings import Settings


def read(folder: Path, name: str, content: str | bytes, settings: Settings | None = None) -> Document:
    """The one document of a file with this content."""
    [document] = read_all(folder, name, content, settings)
    return document


def read_all(
    folder: Path, name: str, content: str | bytes, settings: Settings | None = None
) -> tuple[Document, ...]:
    """All documents of a file with this content, checked."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    documents = read_file(Source(path, name), settings or Settings())
    for document in documents:
        check(document)
    return documents


def results(*paths: Path) -> dict[str, FileResult]:
    """What came of each file, by identifier; of two files with one identifier, the second."""
    return {each.identifier: each for each in read_paths(paths, Settings())}


HELVETICA = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def pdf(*pages: str, information: str = "", xfa: str = "", font: str = HELVETICA) -> bytes:
    """A PDF with one line of text a page, an information dictionary, and the data of an XFA form."""
    kids = [4 + 2 * n for n in range(len(pages))]
    form = f"/AcroForm<</XFA[(datasets) {4 + 2 * len(pages)} 0 R]/Fields[]>>" if xfa else ""
    objects = [
        f"<</Type/Catalog/Pages 2 0 R{form}>>",
        f"<</Type/Pages/Count {len(pages)}/Kids[{' '.join(f'{n} 0 R' for n in kids)}]>>",
        font,
    ]
    for n, text in zip(kids, pages, strict=True):
        content = f"BT /F 9 Tf 9 9 Td ({text}) Tj ET" if text else ""
        page = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents {n + 1} 0 R"
        objects.append(page + "/Resources<</Font<</F 3 0 R>>>>>>")
        objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
    if xfa:
        objects.append(f"<</Length {len(xfa)}>>stream\n{xfa}\nendstream")
    objects.append(f"<<{information}>>")
    out, places = "%PDF-1.4\n", []
    for n, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{n} 0 obj{body}endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in [0, *places])
    trailer = f"<</Size {len(places) + 1}/Root 1 0 R/Info {len(places)} 0 R>>"
    return f"{out}xref\n0 {len(places) + 1}\n{table}trailer{trailer}\nstartxref\n{len(out)}\n%%EOF".encode()


def check(document: Document) -> None:
    """The invariants of the model: blocks in order and apart, lines as their values say, links in place."""
    end = 0
    for block in document.blocks:
        assert end <= block.begin < block.end <= len(document.text)
        end = block.end
        section = None if block.section is None else document.sections[block.section]
        assert section is None or section.begin <= block.begin <= block.end <= section.end
        _check_block(document, block)
    for link in document.links:
        assert document.text[link.begin : link.end] == link.text
    for number, section in enumerate(document.sections):
        assert document.text.startswith(section.name, section.begin)
        assert section.parent is None or section.parent < number


def _check_block(document: Document, block: Prose | Table | Record) -> None:
    text = document.text[block.begin : block.end]
    if isinstance(block, Table):
        lines = [document.text[begin:end] for begin, end in block.row_spans]
        assert text.split("\n") == lines == [row_text(block.columns, row) for row in block.rows]
        for line, row in zip(lines, block.rows, strict=True):
            found = {column: line[begin:end] for column, begin, end in cells(block.columns, line)}
            assert found == {column: value for column, value in zip(block.columns, row, strict=True) if value}
    elif isinstance(block, Record):
        assert text == "\n".join(f"{field}: {value}" for field, value in block.fields)
    else:
        assert text.strip()
