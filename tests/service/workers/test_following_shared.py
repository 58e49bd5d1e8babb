"""After each update it is known which statements several graphs make, without a pass over the store."""

from __future__ import annotations

import pytest
from pyoxigraph import Store

from sage_ld.foundation.errors import InputError
from sage_ld.graph.store.shared_statements import SharedStatements, TouchedStatements, everywhere, followed
from sage_ld.service.workers import updates
from sage_ld.service.workers.effects import Touched as TouchedNodes
from sage_ld.service.workers.effects import takes_effect
from sage_ld.service.workers.update_text import operations, using

PREFIX = "PREFIX : <http://x/>\n"
UPDATES = (
    "INSERT DATA { GRAPH :a { :s :p 1, 2 ; :q :t } GRAPH :b { :s :p 2 ; :q :t } :s :q :t }",
    "DELETE DATA { GRAPH :b { :s :q :t } }",
    "INSERT DATA { GRAPH :a { _:x :p _:y . _:x :q 1 } GRAPH :b { _:x :p _:y } _:x :q 1 }",
    "INSERT { GRAPH :c { ?s ?p ?o } } WHERE { GRAPH :a { ?s ?p ?o } }",
    "INSERT { GRAPH ?g { [] :p ?o } } WHERE { GRAPH ?g { ?s :q ?o } }",
    "INSERT { GRAPH :a { _:n :r ?o } GRAPH :d { _:n :r ?o } } WHERE { GRAPH :c { ?s :p ?o } }",
    "INSERT DATA { GRAPH :a { :s :p :o ~ :e {| :w 1 |} } GRAPH :b { :s :p :o ~ :e } }",
    "INSERT DATA { GRAPH :a { :e2 :says <<( :s :p _:z )>> } GRAPH :b { :e2 :says <<( :s :p _:z )>> } }",
    "WITH :a DELETE { ?s :p ?o } INSERT { ?s :p2 ?o } WHERE { ?s :p ?o }",
    "DELETE WHERE { GRAPH :d { ?s ?p ?o } }",
    "COPY :a TO :d ; ADD :b TO DEFAULT",
    "MOVE :d TO :b ; DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
    "CLEAR GRAPH :a ; INSERT DATA { GRAPH :a { :s :p 1 } }",
    "DROP NAMED",
)


def test_an_update_is_followed() -> None:
    store, known = Store(), SharedStatements()
    sizes = set()
    for update in UPDATES:
        touched = TouchedStatements()

        def note(statements: object, touched: TouchedStatements = touched) -> None:
            list(touched.add(statements))  # type: ignore[type-var]

        for operation in operations(PREFIX + update):
            takes_effect(store, operation, "http://base/", TouchedNodes(note))
            store.update(operation.text)
        known = followed(known, store, touched)
        assert known == everywhere(store), update
        sizes.add(len(known.graphs))
    assert len(sizes) > 5
    assert not known


COUNTS = "INSERT { GRAPH :r { :r :sum ?n } } USING :a USING :b WHERE { SELECT (SUM(?o) AS ?n) { ?s :p ?o } }"


def test_an_update_that_would_count_twice_is_refused() -> None:
    for text in (COUNTS, "INSERT { GRAPH :r { [] :of ?o } } USING :a USING :b WHERE { ?s :p ?o }"):
        [operation] = operations(PREFIX + text)
        with pytest.raises(InputError, match="count twice"):
            updates.merged(operation, "http://base/", Store(), lambda graphs: True)
        assert updates.merged(operation, "http://base/", Store(), lambda graphs: False).using


def test_a_graph_that_is_named_twice_counts_once() -> None:
    store = Store()
    store.update(PREFIX + "INSERT DATA { GRAPH :a { :s :p 10 } }")
    [written] = operations(PREFIX + COUNTS.replace(":b", "<http://x/a>"))
    [plain] = operations(PREFIX + COUNTS.replace("USING :a USING :b", ""))
    for operation in (written, using(plain, ["http://x/a", "http://x/a"], [])):
        store.update("CLEAR SILENT GRAPH <http://x/r>")
        store.update(updates.merged(operation, "http://base/", store, lambda graphs: len(graphs) > 1).text)
        assert store.query(PREFIX + "ASK { GRAPH :r { :r :sum 10 } }")
