"""RDF in a request's body, within the limits that files have."""

from __future__ import annotations

import pytest
from build.readers.test_bad_input import DEEP

from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.service.workers.graph_writes import parsed

FORMATS = {"ttl": "turtle", "jsonld": "jsonld", "rdf": "rdfxml"}


@pytest.mark.parametrize("name", [name for name in DEEP if name.rpartition(".")[2] in FORMATS])
def test_what_is_nested_deep_is_over_a_limit(name: str) -> None:
    content = DEEP[name].encode()
    job = {"parts": [[FORMATS[name.rpartition(".")[2]], len(content)]], "base": "http://x/"}
    with pytest.raises(LimitError, match="max_json_depth"):
        list(parsed(job, content, Settings()))
