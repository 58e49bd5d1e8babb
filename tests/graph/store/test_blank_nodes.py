"""Blank nodes by what is said of them: the same in each reading, whatever else a graph says."""

from __future__ import annotations

import random

from pyoxigraph import Quad, RdfFormat, parse

from sage_ld.graph.store.blank_nodes import named_by_content

TURTLE = """@prefix : <urn:x:> .
:a :l (1 2 (3 3) 1 1 1 1) . [] :p [ :q [] ], [ :q [] ] . [] :p [ :q [] ], [ :q [] ] . [] :p <<( _:t :p 1 )>> .
_:a :k _:b . _:b :k _:c . _:c :k _:a . _:x :k _:y . _:y :k _:x .
"""


def read(text: str) -> list[Quad]:
    quads = [*parse(text, RdfFormat.TURTLE, rename_blank_nodes=True)]
    random.shuffle(quads)
    return quads


def test_two_readings_are_the_same() -> None:
    first, second = (set(named_by_content(read(TURTLE), "urn:g")) for _ in range(2))
    assert first == second
    assert len(first) == len(read(TURTLE))
    assert not first & set(named_by_content(read(TURTLE), "urn:h")), "no node is in two graphs"


def test_a_change_elsewhere_renames_nothing() -> None:
    before, after = (set(named_by_content(read(TURTLE + end), "urn:g")) for end in ("", "[] :new 1 ."))
    assert len(after - before) == 1
    assert before < after


def test_what_differs_is_never_the_same() -> None:
    six = "_:a :k _:b . _:b :k _:c . _:c :k _:d . _:d :k _:e . _:e :k _:f . _:f :k _:a ."
    twice_three = "_:a :k _:b . _:b :k _:c . _:c :k _:a . _:d :k _:e . _:e :k _:f . _:f :k _:d ."
    first, second = (
        set(named_by_content(read(f"@prefix : <urn:x:> . {text}"), "urn:g")) for text in (six, twice_three)
    )
    assert first != second
