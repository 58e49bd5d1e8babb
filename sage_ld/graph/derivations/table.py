"""The table of derivations: what follows from several documents, in the order in which it is derived.

The identity of entities comes first: similarity and labels look at what chunks mention. Then come
labels, with how many chunks mention an entity: similarity looks at that, and concepts at the labels.
`docs/architecture.md` says how to add one.
"""

from __future__ import annotations

from typing import Final

from sage_ld.graph.derivations.builds import BUILDS
from sage_ld.graph.derivations.concepts import CONCEPTS
from sage_ld.graph.derivations.derivation import Derivation
from sage_ld.graph.derivations.entities import ENTITIES, IDENTITY
from sage_ld.graph.derivations.links import LINKS
from sage_ld.graph.derivations.properties import PROPERTIES
from sage_ld.graph.derivations.similarity import ANALOGIES, SIMILARITY

DERIVATIONS: Final[tuple[Derivation, ...]] = (
    IDENTITY,
    PROPERTIES,
    ENTITIES,
    SIMILARITY,
    ANALOGIES,
    LINKS,
    CONCEPTS,
    BUILDS,
)
