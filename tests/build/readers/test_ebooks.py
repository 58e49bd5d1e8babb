"""E-books: chapters in the order of the spine, named by the table of contents."""

from __future__ import annotations

import pytest
from build.readers.office_files import book
from build.readers.reading import read

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Property

CHAPTERS = {
    "two.xhtml": "<h1>Second</h1><p>See <a href='one.xhtml#x'>the first</a> and <a href='https://e.org/'>e</a>.</p>",
    "one.xhtml": "<p>Once&nbsp;upon a time.</p><table><tr><th>Year</th></tr><tr><td>1949</td></tr></table>",
}
METADATA = (
    "<dc:title>The book</dc:title><dc:creator>Ann</dc:creator><dc:language>en</dc:language>"
    "<dc:subject>noir</dc:subject><dc:subject>film</dc:subject>"
    '<meta property="dcterms:modified">2024-05-01T12:00:00Z</meta>'
)
CONTENTS = '<li><a href="two.xhtml">Second</a></li><li><a href="one.xhtml">The beginning</a></li>'


def test_an_e_book_has_its_chapters_in_the_order_of_the_spine(tmp_path):
    document = read(tmp_path, "a.epub", book(CHAPTERS, metadata=METADATA, contents=CONTENTS))
    assert document.text.split("\n\n") == [
        "Second",
        "See the first and e.",
        "The beginning",
        "Once upon a time.",
        "Year: 1949",
    ]
    assert [each.name for each in document.sections] == ["Second", "The beginning"]
    assert [each.target for each in document.links] == ["#x", "https://e.org/"]
    assert (document.title, document.language, document.keywords) == ("The book", "en", ("noir", "film"))
    assert document.modified == "2024-05-01T12:00:00Z"
    assert document.metadata == (Property("creator", "Ann"),)


def test_an_e_book_that_is_copy_protected_is_refused(tmp_path):
    protected = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData><CipherData>'
        '<CipherReference URI="OEBPS/one.xhtml"/></CipherData></EncryptedData></encryption>'
    )
    content = book(CHAPTERS, **{"META-INF/encryption.xml": protected})
    with pytest.raises(InputError, match=r"a\.epub: is copy-protected; get a copy without protection"):
        read(tmp_path, "a.epub", content)
