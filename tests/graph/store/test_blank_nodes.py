"""Blank nodes by what is said of them: the same in each reading, whatever else a graph says."""

from __future__ import annotations

import random
import time

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, parse

from sage_ld.graph.store.blank_nodes import named_as, named_by_content

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


def test_long_lists_and_rings_are_told_apart() -> None:
    """In seconds: work in proportion to the square would take minutes."""
    values = " ".join(str(number % 7) for number in range(2_000))
    ring = " ".join(f"_:n{number} :next _:n{(number + 1) % 2_000} ." for number in range(2_000))
    text = f"@prefix : <urn:x:> . :a :list ({values}) . {ring}"
    begin = time.process_time()
    first, second = (set(named_by_content(read(text), "urn:g")) for _ in range(2))
    assert first == second
    assert len(first) == 4_001 + 2_000
    assert time.process_time() - begin < 10


def test_what_stands_keeps_its_names() -> None:
    standing = read(TURTLE)
    assert set(named_as(standing, read(TURTLE))) == set(standing)
    assert len(set(named_as(standing, read(TURTLE + "[] :new 1 ."))) - set(standing)) == 1


def test_a_name_in_use_is_taken_by_no_other_node() -> None:
    """A node keeps the name of its former content when an update says more of it."""
    [former] = named_as([], read("@prefix : <urn:x:> . [] :p 1 ."))
    more = Quad(former.subject, NamedNode("urn:x:q"), Literal("2"), former.graph_name)
    again = named_as([former, more], read('@prefix : <urn:x:> . [] :p 1 . [] :p 1 ; :q "2" .'))
    assert {former, more} < set(again)
    assert len({each.subject for each in again}) == 2
