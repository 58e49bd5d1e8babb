"""The documents of a graph as a program sees them: one by identifier, with its metadata by key, or all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Final, TypeAlias

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.metadata_terms import MetadataTerms, key_of
from sage_ld.foundation.rdf_values import number_of, text_of
from sage_ld.graph.open_graph import Snapshot
from sage_ld.graph.store import reading
from sage_ld.graph.store.digests import content_tag
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.stored_documents import document_text, stored_document
from sage_ld.graph.store.terms import node

Value: TypeAlias = str | int | float | bool
_FIELDS: Final = frozenset(
    {v.TYPE, v.IDENTIFIER, v.NAME, v.ENCODING_FORMAT, v.CONTENT_HASH, v.FILE_PATH, v.FILE_ROOT}
    | {v.IN_LANGUAGE, v.URL}
)
"""Properties of a document that are no metadata, or have a field of their own."""
_NUMBERS: Final = frozenset(v.XSD + name for name in ("integer", "decimal", "double", "float"))


_LONGEST_NUMBER: Final = 100
"""Characters of a number; a longer one stays a text."""
_ALL_WHOLE: Final = 2.0**53
"""Below it, a double has each whole number."""


@dataclass(frozen=True, slots=True)
class DescribedDocument:
    """A document with its metadata."""

    stored: StoredDocument
    metadata: Mapping[str, Value | list[Value]]
    """Values by key; the key is the shortest that means the property, or the property's IRI."""
    patched: tuple[str, ...]
    """The keys of metadata that patches have set or removed, sorted: those of a file do not count."""
    chunks: int
    tag: str
    """A digest of all that the graph says of the document, by which a writer knows it again."""
    read_text: Callable[[], str] = field(repr=False, compare=False)
    """Reads the text from the revision that this was read from."""

    @property
    def text(self) -> str:
        """The text that the document was cut into chunks from, with a line break for each blank between them.

        Read again each time. Raises LimitError above the setting max_text_length.
        """
        return self.read_text()

    @property
    def identifier(self) -> str:
        """The identifier."""
        return self.stored.identifier

    @property
    def iri(self) -> str:
        """The IRI."""
        return self.stored.iri

    @property
    def name(self) -> str:
        """The title."""
        return self.stored.name


class DocumentsView(Mapping[str, DescribedDocument]):
    """The documents of a graph by identifier, read when they are asked for, from the newest revision."""

    def __init__(
        self, newest: Callable[[], Snapshot | None], terms: Callable[[], MetadataTerms], longest_text: int
    ) -> None:
        self._newest = newest
        self._terms = terms
        self._longest_text = longest_text

    def __getitem__(self, identifier: str) -> DescribedDocument:
        """The document with an identifier. Raises KeyError if there is none."""
        snapshot = self._newest()
        document = None
        if snapshot is not None and isinstance(identifier, str):
            document = described_document(snapshot, identifier, self._terms(), self._longest_text)
        if document is None:
            raise KeyError(identifier)
        return document

    def __iter__(self) -> Iterator[str]:
        """The identifiers, sorted."""
        snapshot = self._newest()
        return iter([] if snapshot is None else snapshot.derived(_identifiers))

    def __len__(self) -> int:
        snapshot = self._newest()
        return 0 if snapshot is None else len(snapshot.derived(_identifiers))


def described_document(
    snapshot: Snapshot, identifier: str, terms: MetadataTerms, longest_text: int
) -> DescribedDocument | None:
    """The document of a revision with an identifier; None where there is none.

    Its text is read if it has at most `longest_text` characters (the setting max_text_length).
    """
    store, iris = snapshot.stores.named, Iris(snapshot.configuration.base_iri)
    if (stored := stored_document(store, iris, identifier)) is None:
        return None
    graph = NamedNode(iris.document_graph(stored.iri))
    quads = statements(store, iris, stored.iri)
    chunks = sum(1 for _ in store.quads_for_pattern(None, node(v.TYPE), node(v.CHUNK), graph))

    def read_text() -> str:
        return document_text(
            snapshot.stores.named, iris, stored.iri, limit=longest_text, setting="max_text_length"
        )

    metadata, keys = _metadata(quads, terms, iris.base), tuple(sorted(patched_keys(quads)))
    return DescribedDocument(stored, metadata, keys, chunks, _tag(quads), read_text)


def document_tag(store: Store, iris: Iris, iri: str) -> str:
    """The digest of all that the graph of a document (an IRI) says of it; empty where there is none."""
    quads = statements(store, iris, iri)
    return _tag(quads) if quads else ""


def statements(store: Store, iris: Iris, iri: str) -> list[Quad]:
    """The statements about a document (an IRI) in its own graph."""
    graph = NamedNode(iris.document_graph(iri))
    return list(store.quads_for_pattern(NamedNode(iri), None, None, graph))


def is_metadata(quad: Quad) -> bool:
    """Whether a statement about a document is metadata that a program may change."""
    return quad.predicate.value not in _FIELDS and not quad.predicate.value.startswith(v.SAGE)


def patched_keys(about: Iterable[Quad]) -> set[str]:
    """The keys of metadata that the statements about a document name as patched."""
    return {text_of(each.object) for each in about if each.predicate.value == v.PATCHED_KEY}


def key_for(iri: str, terms: MetadataTerms, base: str) -> str:
    """The shortest key that means a property: its local name, with a prefix, or the IRI itself.

    >>> from sage_ld.foundation.metadata_terms import builtin_terms
    >>> key_for("https://schema.org/author", builtin_terms(), "http://localhost:8000/id/")
    'author'
    """
    candidates = [key_of(iri, base), iri.replace("#", "/").rpartition("/")[2]]
    for prefix, start in v.PREFIXES.items():
        if iri.startswith(start):
            candidates.append(f"{prefix}:{iri.removeprefix(start)}")
    return next((each for each in candidates if each and terms.property(each, base) == iri), iri)


def keyed_values(
    pairs: Iterable[tuple[str, Literal | NamedNode]], terms: MetadataTerms, base: str
) -> dict[str, Value | list[Value]]:
    """Values of metadata by key, from pairs of a property and a value; several of one key are a list."""
    values: dict[str, list[Value]] = {}
    for iri, term in pairs:
        values.setdefault(key_for(iri, terms, base), []).append(_value(term))
    return {key: each[0] if len(each) == 1 else each for key, each in sorted(values.items())}


# --- inside ---


def _identifiers(snapshot: Snapshot) -> list[str]:
    return [each.identifier for each in reading.documents(snapshot.store)]


def _tag(quads: list[Quad]) -> str:
    return content_tag("\n".join(sorted(f"{each.predicate} {each.object}" for each in quads)))


def _metadata(quads: list[Quad], terms: MetadataTerms, base: str) -> dict[str, Value | list[Value]]:
    metadata = sorted((each for each in quads if is_metadata(each)), key=str)
    pairs = (
        (each.predicate.value, each.object)
        for each in metadata
        if isinstance(each.object, Literal | NamedNode)
    )
    return keyed_values(pairs, terms, base)


def _value(term: Literal | NamedNode) -> Value:
    """A value as JSON has it: a number, a boolean or a text; a number that JSON would change is a text."""
    if isinstance(term, NamedNode):
        return term.value
    if term.datatype.value == v.XSD + "boolean":
        return term.value in ("true", "1")
    number = _exact_number(term)
    return term.value if number is None else number


def _exact_number(term: Literal) -> int | float | None:
    """The number that a literal says, if a number of Python or JSON is neither more nor less than it."""
    kind, text = term.datatype.value, term.value
    if kind not in _NUMBERS or len(text) > _LONGEST_NUMBER or (number := number_of(term)) is None:
        return None
    try:
        if kind == v.XSD + "integer":
            return int(text)
        if kind == v.XSD + "decimal" and Decimal(text) != Decimal(repr(number)):
            return None
    except (ValueError, InvalidOperation):  # the text is no number of its datatype
        return None
    is_whole = number.is_integer() and abs(number) < _ALL_WHOLE and "e" not in text.lower()
    return int(number) if is_whole else number
