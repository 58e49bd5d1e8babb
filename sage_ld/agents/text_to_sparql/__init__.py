"""Questions in English as queries of the graph: SPARQL over its RDF, SQL over its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sage_ld.foundation.lazy_imports import lazy_names

if TYPE_CHECKING:
    from sage_ld.agents.text_to_sparql.answers import GraphAnswer
    from sage_ld.agents.text_to_sparql.asking import GraphQuestions

__all__ = ["GraphAnswer", "GraphQuestions"]

__getattr__ = lazy_names(globals(), {"GraphAnswer": "answers", "GraphQuestions": "asking"})
