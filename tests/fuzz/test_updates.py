"""An update taken apart does what it does as a whole, or is refused."""

from __future__ import annotations

from fuzz.corpus import seeds
from hypothesis import assume, given
from hypothesis import strategies as st
from pyoxigraph import CanonicalizationAlgorithm, Dataset, Literal, NamedNode, Quad, Store

from sage_ld.foundation.errors import InputError
from sage_ld.service.workers.update_text import operations
from sage_ld.service.workers.updates import checked_operations

BASE = "http://example.org/"
NODES = [NamedNode(f"x:{name}") for name in "abcd"]
QUADS = [
    *(Quad(one, NODES[1], two, NODES[2]) for one in NODES for two in NODES),
    *(Quad(one, NODES[3], Literal(text)) for one in NODES for text in ("", ";", "}", "a")),
]
GLUE = st.sampled_from(["", "", " ", "\n", " # ; DROP ALL\n", "#'\n", '#"""\n'])
TERMS = st.sampled_from(
    ["<x:a>", ":b", "''", "';'", '"}"', "'''a;'b'''", "1", "true", "[]", ":a\\;b", "'a'@en", "( 1 2 )"]
)
GRAPHS = st.sampled_from(["<x:c>", ":c", "<c>", ":"])
AMBIGUOUS = ("'a'<'>'", "?s<?p||?o>?s", "1<<x#>", "SILENTALL")
"""What pyoxigraph reads otherwise than the grammar has it."""
TESTS = st.sampled_from([*AMBIGUOUS[:3], "1<2", "?o = ';'", "1 < 2", "EXISTS { ?s ?p 1 }"])


def glued(*parts: str | st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The parts with something between each two."""
    each = [part if isinstance(part, st.SearchStrategy) else st.just(part) for part in parts]
    return st.builds("".join, st.tuples(*(piece for part in each for piece in (part, GLUE))))


TRIPLES = glued(
    st.sampled_from(["<x:a>", ":b", "[]"]), "<x:p>", TERMS, st.sampled_from([".", "; :q ';' .", ""])
)
NAMED = glued("GRAPH ", GRAPHS, "{", TRIPLES, "}")
PATTERN = st.one_of(
    st.just("?s ?p ?o"),
    glued("?s ?p ?o", "FILTER", "(", TESTS, ")"),
    glued("{", "?s ?p ?o", "}", "UNION", "{ GRAPH ?g { ?s ?p ?o } }"),
    glued("GRAPH ", GRAPHS, "{", "?s ?p ?o", "}", "FILTER", "(", TESTS, ")"),
)
TEMPLATE = st.sampled_from(
    ["?s ?p ';'", "?o <x:p> ?s", "GRAPH <x:d> { ?s ?p ?o }", "?s ?p 1 . GRAPH :c { ?s ?p 2 } ?s ?p 3", ""]
)
WHERE = glued("WHERE", "{", PATTERN, "}")
DELETE = glued("DELETE", "{", TEMPLATE, "}")
INSERT = glued("INSERT", "{", TEMPLATE, "}")
SILENT = st.sampled_from(["SILENT", " SILENT ", " "])
OPERATIONS = st.one_of(
    glued("INSERT", " DATA", "{", st.one_of(TRIPLES, NAMED, glued(TRIPLES, NAMED)), "}"),
    glued("DELETE", " DATA", "{", "<x:a> <x:d> ';' .", "}"),
    glued("DELETE", " WHERE", "{", "?s ?p ';'", "}"),
    glued(INSERT, WHERE),
    glued(DELETE, INSERT, "USING ", GRAPHS, WHERE),
    glued("WITH ", GRAPHS, DELETE, WHERE),
    glued("CLEAR ", SILENT, st.sampled_from([" DEFAULT", " NAMED", " GRAPH <x:c>", "ALL"])),
    glued(st.sampled_from(["COPY ", "ADD ", "MOVE "]), SILENT, GRAPHS, "TO", "<x:d>"),
)
UPDATES = st.builds(";".join, st.lists(OPERATIONS, min_size=1, max_size=4)).map(
    lambda text: f"BASE <x:> PREFIX : <x:>{text}"
)


def filled() -> Store:
    store = Store()
    store.extend(QUADS)
    return store


def content(store: Store) -> set[Quad]:
    dataset = Dataset(store)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return set(dataset)


def check(text: str) -> bool:
    """Whether the update is carried out; fails where that has another effect than it has as a whole."""
    whole, parts = filled(), filled()
    try:
        whole.update(text, base_iri=BASE)
    except (SyntaxError, RuntimeError):
        assume(False)
    try:
        found = checked_operations(text, BASE, 1000)
    except InputError:
        return False
    for operation in found:
        parts.update(operation.text, base_iri=BASE)
    assert content(parts) == content(whole)
    return True


@given(UPDATES)
def test_the_parts_of_an_update_do_what_the_whole_does(text: str) -> None:
    assert check(text) or any(each in text for each in AMBIGUOUS)


@given(st.sampled_from(seeds("sparql")), st.data())
def test_a_text_cut_and_joined_anywhere_is_taken_apart_or_refused(seed: bytes, data: st.DataObject) -> None:
    whole = seed.decode()
    begin, end = sorted(data.draw(st.tuples(*2 * [st.integers(0, len(whole))])))
    text = whole[:begin] + whole[end:]
    try:
        found = operations(text)
    except InputError:
        return
    assert all(operation.source and operation.source in text for operation in found)
