from build.readers.reading import read

from sage_ld.foundation.model import Prose, Table

PAGE = """<!doctype html><html lang="en-GB"><head><title>Heat - Films</title>
<link rel="canonical" href="https://example.org/heat"><meta name="description" content="A  film.">
<meta name="keywords" content="heist, Los Angeles">
<meta property="article:modified_time" content="2024-05-01T10:00:00Z">
<style>p {}</style></head><body><nav><a href="/">Home</a></nav><h1>Heat</h1>
<p>A <b>film</b> by <a href="mann.html">Michael
Mann</a>.<!-- no --> It won<br>nothing.</p><script>var x = "no";</script>
<h2>Cast</h2><ul><li>Al Pacino<li>Robert <a href="dn.html">De Niro</a><ul><li>as McCauley</ul></ul>
<pre>  two
    lines</pre><div>Loose <p>inner</p> text</div>
<h2>Awards</h2>
</body></html>"""


def texts(document):
    return [document.text[b.begin : b.end] for b in document.blocks if isinstance(b, Prose)]


def table_of(tmp_path, markup):
    document = read(tmp_path, "a.html", f"<h1>T</h1><table>{markup}</table>")
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    return document, table


def test_headings_paragraphs_lists_and_code(tmp_path):
    document = read(tmp_path, "a.html", PAGE)
    assert [(s.name, s.level, s.parent) for s in document.sections] == [
        ("Heat", 1, None),
        ("Cast", 2, 0),
        ("Awards", 2, 0),
    ]
    assert texts(document) == [
        "A film by Michael Mann. It won\nnothing.",
        "Al Pacino\nRobert De Niro\nas McCauley",
        "  two\n    lines",
        "Loose",
        "inner",
        "text",
    ]


def test_what_the_page_says_of_itself(tmp_path):
    document = read(tmp_path, "a.html", PAGE)
    assert (document.title, document.url) == ("Heat", "https://example.org/heat")
    assert (document.language, document.modified) == ("en-GB", "2024-05-01T10:00:00Z")
    assert (document.description, document.keywords) == ("A film.", ("heist", "Los Angeles"))


def test_the_title_is_that_of_the_head_where_there_is_no_heading(tmp_path):
    assert read(tmp_path, "a.html", "<title>Name</title><p>x").title == "Name"
    assert read(tmp_path, "stem.html", "<p>x").title == "stem"


def test_links_keep_their_place(tmp_path):
    document = read(tmp_path, "a.html", PAGE)
    assert [(x.target, x.text) for x in document.links] == [
        ("mann.html", "Michael Mann"),
        ("dn.html", "De Niro"),
    ]


def test_a_link_around_blocks_is_a_link_in_each(tmp_path):
    document = read(tmp_path, "a.html", '<a href="x"><h2>One</h2><p>two</p></a> three')
    assert [(link.target, link.text) for link in document.links] == [("x", "One"), ("x", "two")]


def test_a_cell_with_several_links_some_without_text(tmp_path):
    document, table = table_of(
        tmp_path,
        '<thead><tr><th>Pos<th>Rider</thead><tr><td>1<td><a href="flag"><img src=x></a> '
        '<a href="a">A. B</a>, <a href="c">C</a><tr><td>2<td><a href="none"></a>',
    )
    assert table.rows == (("1", "A. B, C"), ("2", ""))
    assert [(link.target, link.text, link.row, link.column) for link in document.links] == [
        ("flag", "", 0, "Rider"),
        ("a", "A. B", 0, "Rider"),
        ("c", "C", 0, "Rider"),
        ("none", "", 1, "Rider"),
    ]


def test_spans_are_filled_and_headers_joined(tmp_path):
    _, table = table_of(
        tmp_path,
        "<caption>Results</caption><thead><tr><th rowspan=2>Year<th colspan=2>Place<tr>"
        "<th>Men<th>Women</thead><tbody>"
        "<tr><td rowspan=2>1999<td>1<td>2<tr><td colspan=2>none<tr><td>2000<td>3</tbody>",
    )
    assert table.caption == "Results"
    assert table.columns == ("Year", "Place Men", "Place Women")
    assert table.rows == (("1999", "1", "2"), ("1999", "none", ""), ("2000", "3", ""))


def test_a_first_row_of_headers_needs_no_thead(tmp_path):
    _, table = table_of(tmp_path, "<tr><th>A<th>B<tr><th>x<td>1")
    assert (table.columns, table.rows) == (("A", "B"), (("x", "1"),))


def test_a_table_without_headers_numbers_its_columns(tmp_path):
    _, table = table_of(tmp_path, "<tr><td>a<td><td>b<tr><td>c<td><td>d")
    assert (table.columns, table.rows) == (("column 1", "column 2"), (("a", "b"), ("c", "d")))


def test_tables_inside_cells_are_text(tmp_path):
    inner = "<table><tr><th>K</th><td>v</td></tr></table>"
    _, table = table_of(tmp_path, f"<tr><th>A<th>B</tr><tr><td>{inner}</td><td>{inner}{inner}</td></tr>")
    assert table.rows == (("K v", "K v K v"),)


def test_absurd_spans_do_no_harm(tmp_path):
    _, table = table_of(tmp_path, "<tr><td rowspan=999999999>a<td colspan=x>b<tr><td>c")
    assert table.rows == (("a", "b"), ("a", "c"))


def test_an_encoding_that_the_page_names_is_believed(tmp_path):
    page = '<meta charset="windows-1252"><p>Café “x”'.encode("cp1252")
    assert read(tmp_path, "a.html", page).text == "Café “x”"


def test_an_encoding_that_is_no_encoding_of_text_is_not(tmp_path):
    assert read(tmp_path, "a.html", '<meta charset="latin-99"><p>Café').text == "Café"
