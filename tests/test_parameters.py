"""The parameters of retrieval: documentation and vocabulary follow from their fields."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from pyoxigraph import NamedNode, RdfFormat, Store

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.parameters import Parameter, parameters
from sage_ld.foundation.recipes import Retrieval

PAGE = Path(__file__).parents[1] / "docs" / "ranking.md"
MARK = "<!-- table -->\n"
USUAL = Retrieval()
DATATYPES = {bool: "boolean", int: "integer", float: "double"}


def test_the_page_is_what_the_fields_say() -> None:
    assert PAGE.read_text(encoding="utf-8").partition(MARK)[2] == table()


def table() -> str:
    """The table of docs/ranking.md; to rewrite it: PYTHONPATH=. python tests/test_parameters.py."""
    head = "| key | default | range | read by | clients | term | meaning |\n|---|---|---|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(cells(each))} |\n" for each in parameters(Retrieval).values())


def cells(each: Parameter) -> list[str]:
    value = getattr(USUAL, each.name)
    read_by = ", ".join(f"`{name}`" for name in each.rankings) or "all"
    if each.switch not in ("", each.name):
        read_by += f"; with `{each.switch}`"
    return [
        f"`{each.name}`",
        f"`{shown(value)}`",
        range_of(each, value),
        read_by,
        "yes" if each.client else "",
        f"`{each.term}`" if each.term else "",
        each.help,
    ]


def shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {weight}" for name, weight in value.items())
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def range_of(each: Parameter, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ", ".join(f"`{name}`" for name in type(value)) if isinstance(value, StrEnum) else ""
    least, most = each.range_of(value)
    limit = "" if each.client_most is None else f" (clients: {each.client_most:,g})"
    return f"{least:g}..{most:,g}{limit}" if most < 1_000_000 else f"from {least:g}"


def test_the_ontology_has_each_term_with_its_type() -> None:
    ontology = Store()
    ontology.load(package_files.read_text(package_files.ONTOLOGY), RdfFormat.TURTLE)
    wrong = []
    for each in parameters(Retrieval).values():
        if not each.term:
            continue
        datatype = NamedNode(v.XSD + DATATYPES.get(type(getattr(USUAL, each.name)), "string"))
        stated = ontology.quads_for_pattern(NamedNode(v.SAGE + each.term), NamedNode(f"{v.RDFS}range"), None)
        if [quad.object for quad in stated] != [datatype]:
            wrong.append(each.name)
    assert wrong == []


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    PAGE.write_text(text + MARK + table(), encoding="utf-8")
