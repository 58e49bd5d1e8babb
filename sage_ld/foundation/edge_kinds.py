"""The table of the kinds of similarity edge: what each joins, compares, and is kept by.

A kind is a name in `model.EdgeKind` and a row of `EDGE_KINDS`. `docs/architecture.md` says how to add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import ChunkKind, EdgeKind
from sage_ld.foundation.parameters import parameter

CONTENT: Final = "contentSimilarity"
TOPIC: Final = "topicSimilarity"
COLUMN: Final = "columnSimilarity"
TITLE: Final = "titleSimilarity"
DESCRIPTION: Final = "descriptionSimilarity"
ENTITY: Final = "entitySimilarity"
SKELETON: Final = "skeletonSimilarity"
"""The signal of analogies; no kind of similarity edge compares it."""
ANALOGOUS: Final = "Analogous"
"""The name of the kind of edge that analogies are, which are no similarity edges (`edges/analogies.py`)."""
SIGNALS: Final = (TOPIC, CONTENT, COLUMN, TITLE, DESCRIPTION, ENTITY)
EVIDENT: Final = frozenset({v.NEXT, v.LINKS_TO, v.SIMILAR_TO, v.ANALOGOUS_TO})
"""The properties whose statements have an edge as evidence."""
WEIGHT: Final = "weight"
"""The name under which the threshold of a weighted sum of signals is given."""


class AspectName(StrEnum):
    """The aspects of a chunk that are encoded, one vector each."""

    CONTENT = "content"
    """Heading and text: the vector that retrieval uses."""
    TOPIC = "topic"
    """What the chunk is about, in a few words."""
    COLUMNS = "columns"
    """A table's column names."""
    TITLE = "title"
    """A table's title."""
    DESCRIPTION = "description"
    """What stands around a table: caption, section, introduction."""
    SKELETON = "skeleton"
    """What a text says without the words of its domain, where the recipe asks for analogies."""


class Rule(StrEnum):
    """A rule that joins a pair of chunks by a similarity edge."""

    ALL = "all"
    """Each signal reaches its own threshold (the paper, section 2.1B)."""
    WEIGHTED = "weighted"
    """The weighted sum of the signals reaches its threshold."""


class Cut(StrEnum):
    """The source of the thresholds of a rule."""

    PERCENTILE = "percentile"
    """The values at a percentile of the pairs that are compared."""
    THRESHOLD = "threshold"
    """One value that the rule itself gives."""


class Population(StrEnum):
    """Over which pairs a percentile is taken."""

    CANDIDATES = "candidates"
    """The pairs of each chunk with its nearest ones: the authors' code."""
    PAIRS = "pairs"
    """All pairs of the kind."""


@dataclass(frozen=True, slots=True)
class EdgeRule:
    """The rule by which edges of one kind are found."""

    signals: Mapping[str, float]
    """What is compared, and its share in the edge's weight."""
    percentile: float = parameter(
        95.0, "The percentile of the compared pairs at which the thresholds are.", most=100
    )
    rule: Rule = Rule.ALL
    population: Population = Population.CANDIDATES
    max_edges: int = parameter(8, "Most edges of this kind that a chunk has.", least=0)
    keep_shared_entity: bool = True
    """Whether two chunks that name the same rare entity are joined whatever the similarity."""
    cut: Cut = Cut.PERCENTILE
    threshold: float = 0.5
    """`cut = "threshold"`: the least value of each signal, or of their weighted sum, in 0..1."""


@dataclass(frozen=True, slots=True)
class EdgeKindRow:
    """One kind of similarity edge: its class, its ends, its signals, its rule."""

    edge_class: str
    """The IRI of the class of its edges."""
    left: ChunkKind | None
    """Of which kind the one chunk is; None: of any."""
    right: ChunkKind | None
    """Of which kind the other is; None: of any."""
    compared: Mapping[str, tuple[AspectName, AspectName]]
    """Signal -> which aspects of the left and of the right chunk it compares."""
    rule: EdgeRule
    """By which its edges are found where a recipe says nothing else."""


def _even(*signals: str) -> EdgeRule:
    return EdgeRule({name: round(1 / len(signals), 6) for name in signals})


_TEXT: Final = {
    TOPIC: (AspectName.TOPIC, AspectName.TOPIC),
    CONTENT: (AspectName.CONTENT, AspectName.CONTENT),
}
_TABLES: Final = {
    COLUMN: (AspectName.COLUMNS, AspectName.COLUMNS),
    TITLE: (AspectName.TITLE, AspectName.TITLE),
    DESCRIPTION: (AspectName.DESCRIPTION, AspectName.DESCRIPTION),
    **_TEXT,
}
_TO_TABLE: Final = {
    COLUMN: (AspectName.CONTENT, AspectName.COLUMNS),
    TITLE: (AspectName.TOPIC, AspectName.TITLE),
    DESCRIPTION: (AspectName.TOPIC, AspectName.DESCRIPTION),
    **_TEXT,
}
"""Text or record against table: its content against the columns, its topic against what the table is."""
_BY_TEXT: Final = _even(TOPIC, CONTENT)
_BY_TABLE: Final = _even(COLUMN, TITLE, DESCRIPTION)
_PROSE, _TABLE, _RECORD = ChunkKind.TEXT, ChunkKind.TABLE, ChunkKind.RECORD

EDGE_KINDS: Final[Mapping[EdgeKind, EdgeKindRow]] = {
    EdgeKind.DOCUMENT_DOCUMENT: EdgeKindRow(v.DOCUMENT_DOCUMENT_EDGE, _PROSE, _PROSE, _TEXT, _BY_TEXT),
    EdgeKind.TABLE_TABLE: EdgeKindRow(v.TABLE_TABLE_EDGE, _TABLE, _TABLE, _TABLES, _BY_TABLE),
    EdgeKind.TABLE_DOCUMENT: EdgeKindRow(v.TABLE_DOCUMENT_EDGE, _PROSE, _TABLE, _TO_TABLE, _BY_TABLE),
    EdgeKind.RECORD_RECORD: EdgeKindRow(v.RECORD_RECORD_EDGE, _RECORD, _RECORD, _TEXT, _BY_TEXT),
    EdgeKind.RECORD_DOCUMENT: EdgeKindRow(v.RECORD_DOCUMENT_EDGE, _RECORD, _PROSE, _TEXT, _BY_TEXT),
    EdgeKind.RECORD_TABLE: EdgeKindRow(v.RECORD_TABLE_EDGE, _RECORD, _TABLE, _TO_TABLE, _BY_TABLE),
}
"""In the order in which edges are built. What is compared and the signals of the rules are the paper's
(section 2.1B, and the authors' code), with topic and content for every kind; records, which it compares field
by field, are read as text."""
