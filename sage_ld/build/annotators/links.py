"""Links between documents: the hyperlinks that files carry, and titles found in prose, cells and fields.

A chunk's links follow from the chunk and the targets alone, so they are the same whether it is linked alone
or with all others; a change of the targets may change the links of every chunk.
"""

from __future__ import annotations

from collections.abc import Sequence

from sage_ld.build.annotators.cell_links import cell_links
from sage_ld.build.annotators.hyperlinks import resolve_hyperlinks, resolved
from sage_ld.build.annotators.link_selection import PossibleLink, select_links
from sage_ld.build.annotators.prose_links import prose_links
from sage_ld.build.annotators.targets import Target, TargetIndex, TargetVectors, index_targets
from sage_ld.foundation.model import Chunk, ChunkKind, FloatArray, Link, LinkKind
from sage_ld.foundation.settings import Settings

__all__ = ["Target", "TargetIndex", "find_links", "find_title_links", "index_targets", "resolve_hyperlinks"]


def find_links(
    chunks: Sequence[Chunk],
    targets: Sequence[Target] | TargetIndex,
    *,
    chunk_vectors: FloatArray | None = None,
    target_vectors: TargetVectors | None = None,
    settings: Settings | None = None,
) -> list[Link]:
    """All links of `chunks` to `targets`, in the order of chunks, places and targets.

    Vectors have unit length: (n, d) for the chunks, (m, d) for the targets; without both, only words tell
    which of several documents is meant. A target that a hyperlink of the same row leads to gets no link by
    title beside it.

    >>> text = "Opponent: Bath; Ground: The Rec"
    >>> from sage_ld.foundation.model import TablePart
    >>> part = TablePart(0, ("Opponent", "Ground"), 0, 0)
    >>> chunk = Chunk("a", ChunkKind.TABLE, 0, "", "Rugby season", text, 0, len(text), table=part)
    >>> [link.document for link in find_links([chunk], [Target("b", "Bath Rugby"), Target("c", "Bathurst")])]
    [0]
    """
    index = targets if isinstance(targets, TargetIndex) else index_targets(targets)
    carried = resolved(chunks, index.targets, index.places, index.numbers)
    taken = {(link.chunk, link.row, link.document) for link in carried}
    named = find_title_links(
        chunks, index, chunk_vectors=chunk_vectors, target_vectors=target_vectors, settings=settings
    )
    links = carried + [link for link in named if (link.chunk, link.row, link.document) not in taken]
    return sorted(links, key=lambda link: (link.chunk, link.begin, link.end, link.document, link.kind))


def find_title_links(
    chunks: Sequence[Chunk],
    index: TargetIndex,
    *,
    chunk_vectors: FloatArray | None = None,
    target_vectors: TargetVectors | None = None,
    settings: Settings | None = None,
) -> list[Link]:
    """The links of `chunks` by name alone, whatever links the files carry."""
    limits = settings or Settings()
    links: list[Link] = []
    for number, chunk in enumerate(chunks):
        vector = None if chunk_vectors is None else chunk_vectors[number]
        find = prose_links if chunk.kind is ChunkKind.TEXT else cell_links
        places = find(index, chunk, vector, target_vectors)
        settled = select_links(places, limits.min_link_confidence, limits.max_links_per_name)
        links.extend(_link(number, chunk, each) for each in settled)
    return links


def _link(number: int, chunk: Chunk, place: PossibleLink) -> Link:
    anchor = chunk.text[place.begin - chunk.begin : place.end - chunk.begin]
    return Link(
        number,
        place.target,
        LinkKind.TITLE,
        anchor,
        round(place.confidence, 6),
        place.begin,
        place.end,
        place.row,
        place.column,
    )
