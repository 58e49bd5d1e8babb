"""IRIs for a page's script: how they are shortened, and where their pages are."""

from __future__ import annotations

from typing import Any

from sage_ld.foundation.vocabulary import PREFIXES
from sage_ld.service.context import local_path, service


def naming() -> dict[str, Any]:
    """The base of the graph's own IRIs, the path of their pages, and prefixes: `Naming` in `web/src`.

    The path is null where the base ends in `#`: what follows it is not sent to a server.
    """
    here = service()
    base = here.configuration.base_iri
    return {
        "base": base,
        "basePath": None if base.endswith("#") else local_path(here, base),
        "prefixes": PREFIXES,
    }
