"""RDF that another server answers with, within the limits that files have."""

from __future__ import annotations

import httpx2
import pytest
from build.readers.test_bad_input import DEEP
from pyoxigraph import Literal

from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.remote.remote_store import RemoteAnswer, quads_of_answer

TYPES = {"ttl": "text/turtle", "jsonld": "application/ld+json", "rdf": "application/rdf+xml"}


def answer(kind: str, content: str) -> RemoteAnswer:
    response = httpx2.Response(200, headers={"content-type": TYPES[kind]})
    return RemoteAnswer("http://x/", response, content.encode())


@pytest.mark.parametrize("name", ["a.ttl", "a.jsonld", "a.rdf"])
def test_an_answer_that_is_nested_deep_is_over_a_limit(name: str) -> None:
    with pytest.raises(LimitError, match="max_json_depth"):
        quads_of_answer(answer(name[2:], DEEP[name]), Settings())


READ = {
    "rdf": '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/" xml:lang="en">'
    '<r:Description r:about="http://x/a"><e:name xml:lang="">Anna</e:name></r:Description></r:RDF>',
    "jsonld": '{"@context": "https://schema.org", "@id": "http://x/a", "name": "Anna"}',
}


@pytest.mark.parametrize("kind", READ)
def test_an_answer_is_read_as_a_file_is(kind: str) -> None:
    [quad] = quads_of_answer(answer(kind, READ[kind]), Settings())
    assert quad.object == Literal("Anna")
