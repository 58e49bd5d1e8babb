"""The data of the search page: the parameters of a question, and the values that recipes give them.

A client finds the same in `/openapi.json` and in the recipes.
"""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.recipes import PRESETS, Retrieval, load_recipe
from sage_ld.graph import Snapshot
from sage_ld.retrieval.rankings.table import client_rankings
from sage_ld.service.api import retrieval
from sage_ld.service.context import service
from sage_ld.service.views.media_names import MEDIA_NAMES
from sage_ld.service.views.naming import naming
from sage_ld.service.views.page_counts import page_counts

_SHAPE: Final = ("frame", "context", "highlight", "labels")
_KEPT: Final = (
    *("type", "enum", "minimum", "maximum", "maxLength", "default", "description", "items", "properties"),
)


def search_data(snapshot: Snapshot | None) -> dict[str, Any]:
    """The data of the page; without a revision there are no counts."""
    here = service()
    properties = retrieval.schema(here.settings)["properties"]
    recipes = {name: load_recipe(name).retrieval for name in PRESETS}
    weights = list(properties["weights"]["properties"])
    return {
        **naming(),
        "parameters": {name: _short(each) for name, each in properties.items() if name not in _SHAPE},
        "recipes": {
            name: _values(each, weights)
            for name, each in {retrieval.OWN: here.graph.recipe.retrieval, **recipes}.items()
        },
        "rankingParameters": {
            str(ranking): [name for name, each in parameters(Retrieval).items() if ranking in each.rankings]
            for ranking in client_rankings(here.settings)
        },
        "formats": MEDIA_NAMES,
        "keeping": here.keeper.is_keeping,
        "counts": {} if snapshot is None else snapshot.derived(page_counts),
    }


def _short(schema: dict[str, Any]) -> dict[str, Any]:
    """The part of a parameter's schema that a form needs."""
    return {name: schema[name] for name in _KEPT if name in schema}


def _values(of: Retrieval, weights: list[str]) -> dict[str, Any]:
    return {
        "channels": list(of.channels),
        "hops": of.hops,
        "ranking": str(of.ranking),
        "fusion": str(of.fusion),
        "deduplicate": of.deduplicate,
        "decompose": of.decompose,
        "weights": {name: getattr(of, name) for name in weights},
    }
