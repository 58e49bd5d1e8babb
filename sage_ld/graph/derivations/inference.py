"""Inferred statements: what follows from users' statements by the regime that the recipe names.

They stand in a graph of their own, and are recomputed when a change has touched users' statements, in a
process with limits of time and memory. Where a limit is exceeded, nothing is inferred, and the graph says so:
nothing in it may rest on a statement that has gone.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import IO, Final

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple, serialize

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.recipes import Reasoning
from sage_ld.foundation.settings import Settings
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, DerivationResult
from sage_ld.graph.derivations.reasoner import Entailment, ReasoningLimits, entailed, read_triples
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import in_graph, node
from sage_ld.graph.store.user_statements import users_graphs
from sage_ld.graph.writing.writer import Writer

REGIMES: Final = {
    Reasoning.RDFS: "http://www.w3.org/ns/entailment/RDFS",
    Reasoning.OWL_RL: "http://www.w3.org/ns/entailment/OWL-RDF-Based",
}
"""The names of entailment regimes: https://www.w3.org/TR/sparql11-entailment/"""
ENTAILMENT_REGIME: Final = v.SD + "entailmentRegime"
_SAME_AS: Final = v.OWL + "sameAs"
_BATCH: Final = 20_000
_log = logging.getLogger(__name__)


def regime_of(store: Store, iris: Iris) -> str | None:
    """The IRI of the regime by which the inferred statements of a store follow; None where there are none."""
    graph = node(iris.inferred_graph)
    said = store.quads_for_pattern(graph, NamedNode(ENTAILMENT_REGIME), None, graph)
    return next((each.object.value for each in said if isinstance(each.object, NamedNode)), None)


def _derive(corpus: Corpus, _before: Mapping[str, DerivationResult]) -> DerivationResult:
    _bring(corpus.writer, corpus.recipe.reason)
    return DerivationResult(None)


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    """Infers again if users' statements have changed; has labels and joining properties follow."""
    if corpus.recipe.reason is not Reasoning.NONE and corpus.writer.restated:
        for quad in _bring(corpus.writer, corpus.recipe.reason):
            is_of_label = isinstance(quad.object, Literal) or quad.predicate.value in (v.TYPE, _SAME_AS)
            if is_of_label and isinstance(quad.subject, NamedNode):
                changes.resources.add(quad.subject.value)
    return {}


def _bring(writer: Writer, regime: Reasoning) -> list[Quad]:
    """Writes the difference between what is inferred now and what stands; returns it."""
    graph = node(writer.iris.inferred_graph)
    before = set(writer.store.quads_for_pattern(None, None, None, graph))
    after = set() if regime is Reasoning.NONE else set(_quads(writer, regime, graph))
    removed, added = (sorted(each, key=str) for each in (before - after, after - before))
    for begin in range(0, len(removed), _BATCH):
        writer.exchange(removed[begin : begin + _BATCH], ())
    for begin in range(0, len(added), _BATCH):
        writer.exchange((), added[begin : begin + _BATCH])
    writer.touch(each.triple for each in added)
    if removed and not after:
        writer.change(told=True).remove_graph(graph)
    return removed + added


def _quads(writer: Writer, regime: Reasoning, graph: NamedNode) -> Iterator[Quad]:
    """The statements of the graph: those that follow, and by which regime; or why there are none."""
    try:
        found = _entailed(writer, regime)
    except LimitError as error:
        _warn(writer, f"nothing is inferred: {error}")
        yield Quad(graph, NamedNode(v.RDFS + "comment"), Literal(f"empty: {error}"), graph)
        return
    if found.unmerged:
        most = writer.settings.max_same_resources
        _warn(
            writer,
            f"resources with more than {most:,} names (owl:sameAs): {found.unmerged:,}; each name counts as "
            "a different resource; correct them, or raise the setting max_same_resources",
        )
    yield Quad(graph, NamedNode(ENTAILMENT_REGIME), NamedNode(REGIMES[regime]), graph)
    for each in found.statements:
        yield in_graph(each, graph)


def _warn(writer: Writer, message: str) -> None:
    _log.warning("%s", message)
    writer.warnings.append(message)


def _entailed(writer: Writer, regime: Reasoning) -> Entailment:
    """The entailment of users' statements. Raises LimitError."""
    settings = writer.settings
    limits = ReasoningLimits(settings.max_inferred_statements, settings.max_same_resources)
    stated = _stated(writer)
    if os.name != "posix":
        return entailed(stated, regime, limits)
    with writer.scratch_file() as body:
        serialize(stated, body, RdfFormat.N_TRIPLES)
        body.seek(0)
        with _answer(body, {"regime": str(regime), **asdict(limits)}, settings) as answer:
            return Entailment(unmerged=int(answer.readline()), statements=tuple(read_triples(answer)))


def _stated(writer: Writer) -> Iterator[Triple]:
    """The statements in users' graphs. Raises LimitError over `max_reasoning_statements`."""
    most, number = writer.settings.max_reasoning_statements, 0
    for graph in (DefaultGraph(), *users_graphs(writer.store, writer.iris.base)):
        for quad in writer.store.quads_for_pattern(None, None, None, graph):
            number += 1
            if number > most:
                raise LimitError(
                    f"users' graphs have more than {most:,} statements, the limit; raise the setting "
                    "max_reasoning_statements"
                )
            yield quad.triple


def _answer(body: IO[bytes], job: Mapping[str, object], settings: Settings) -> IO[bytes]:
    """The answer of the process that infers. Raises LimitError where it takes too long, or much memory."""
    from sage_ld.foundation.processes.messages import ConnectionClosed
    from sage_ld.foundation.processes.worker_process import WorkerProcess

    seconds = settings.reasoning_timeout
    worker = WorkerProcess("sage_ld.graph.derivations.reasoner", [str(settings.reasoning_memory)])
    try:
        return worker.call(dict(job), body, seconds)
    except TimeoutError:
        raise LimitError(
            f"stopped after {seconds:g} s, the limit; raise the setting reasoning_timeout"
        ) from None
    except (ConnectionClosed, ConnectionError):
        memory = settings.reasoning_memory
        raise LimitError(
            f"the process ended: it needs more than {memory:,} bytes of memory, the limit, or met a fault of "
            "the library; raise the setting reasoning_memory"
        ) from None
    finally:
        worker.kill()


INFERENCE = Derivation("inference", lambda iris: iris.inferred_graph, _derive, _follow)
