"""The text of a document, put together from what the store keeps of it: its chunks and its headings.

Each character that is not blank is in one chunk, or in the heading of a section. The blanks between these are
not stored: each is given as a line break, so that the offsets of chunks, mentions and links fit the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.rdf_values import integer_of, text_of
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node

_PARTS = ((v.CHUNK, v.TEXT), (v.SECTION, v.NAME))
"""The classes of what a text is made of, each with the property that has its words."""


def document_text(
    store: Store, iris: Iris, document: str, *, limit: int, setting: str, check: Check = unchecked
) -> str:
    """The text of a document (an IRI), from a store that has each named graph; without blanks at its end.

    `check` is called before each part is read. Raises LimitError for a text of more than `limit` characters,
    the value of `setting`.
    """
    graph = NamedNode(iris.document_graph(document))
    parts = []
    for begin, text in _parts(store, graph, check):
        if begin + len(text) > limit:
            raise LimitError(
                f"the document's text: more than {limit:,} characters, the limit of the setting {setting}; "
                "read its chunks page by page"
            )
        parts.append((begin, text))
    pieces, length = [], 0
    for begin, text in sorted(parts, key=itemgetter(0)):
        if begin < length:
            continue  # an update has stated another chunk over this place
        pieces += ["\n" * (begin - length), text]
        length = begin + len(text)
    return "".join(pieces)


def _parts(store: Store, graph: NamedNode, check: Check) -> Iterator[tuple[int, str]]:
    """The begin and the text of each chunk and each heading of a document."""
    for class_iri, words in _PARTS:
        for quad in store.quads_for_pattern(None, node(v.TYPE), node(class_iri), graph):
            check()
            begins = store.quads_for_pattern(quad.subject, node(v.BEGIN_INDEX), None, graph)
            texts = store.quads_for_pattern(quad.subject, node(words), None, graph)
            begin = next((integer_of(each.object) for each in begins), None)
            if begin is not None:
                yield begin, next((text_of(each.object) for each in texts), "")
