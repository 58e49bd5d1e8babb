"""Documents made by hand: paragraphs, tables and records, laid out as the readers do."""

from sage_ld.foundation.model import Document, Hyperlink, Prose, Record, Section, Table


def document(*blocks, title="Abbey Road", sections=(), links=()):
    """A document of these blocks: a text, ("heading", text), ("table", columns, rows) or ("record", fields).

    A block in a section is given as (number of the section, block).
    """
    text, made = "", []
    for given in blocks:
        section, block = given if isinstance(given[0], int) else (None, given)
        begin = len(text)
        if isinstance(block, str):
            text += block
            made.append(Prose(begin, len(text), section))
        elif block[0] == "heading":
            text += block[1]
        elif block[0] == "record":
            text += "\n".join(f"{field}: {value}" for field, value in block[1])
            made.append(Record(begin, len(text), block[1][0][1], tuple(block[1]), "urn:x", section))
        else:
            text, table = _table(text, *block[1:], section=section)
            made.append(table)
        text += "\n\n"
    return Document(
        "a", title, text, tuple(made), "text/plain", "", sections=tuple(sections), links=tuple(links)
    )


def _table(text, columns, rows, caption="", section=None):
    begin, spans = len(text), []
    for row in rows:
        start = len(text)
        text += "; ".join(f"{column}: {value}" for column, value in zip(columns, row, strict=True) if value)
        spans.append((start, len(text)))
        text += "\n"
    end = spans[-1][1] if spans else begin
    return text, Table(begin, end, tuple(columns), tuple(rows), tuple(spans), caption, section)


def section(name, level=1, parent=None):
    return Section(name, level, parent, 0, 0)


def link(begin, end=None, **place):
    return Hyperlink("/there", "", begin, begin if end is None else end, **place)
