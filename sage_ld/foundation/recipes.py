"""Recipes: the parameters by which a graph is built and searched, as a preset or a TOML file.

    [edges.DocumentDocument]
    signals = { topicSimilarity = 0.5, contentSimilarity = 0.5 }
    percentile = 95.0

A file names only what differs from the preset that its `base` names (`default` where it names none).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any, Final

from sage_ld.foundation import arguments
from sage_ld.foundation.channels import CHANNELS, Hubs
from sage_ld.foundation.edge_kinds import (
    CONTENT,
    EDGE_KINDS,
    ENTITY,
    SIGNALS,
    TOPIC,
    EdgeRule,
    Population,
    Rule,
)
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.foundation.model import EdgeKind
from sage_ld.foundation.parameters import Parameter, check_range, parameter, parameters


class Strategy(StrEnum):
    """The strategy for cutting prose; tables and records are cut alike in both."""

    DEFAULT = "default"
    """A text that fits stays whole; a longer one is packed from its sentences, section by section."""
    PAPER = "paper"
    """Where neighbouring sentence windows differ most (section 2.1A)."""


@dataclass(frozen=True, slots=True)
class Chunking:
    """The parameters of cutting documents into chunks; the defaults are the best that we know.

    >>> Chunking(Strategy.PAPER).percentile
    80.0
    """

    strategy: Strategy = Strategy.DEFAULT
    rows: int = 10
    """Rows of a table in a chunk (SAGE paper)."""
    least_rows: int = 5
    """A table's last chunk of fewer rows joins the one before (SAGE paper)."""
    target_tokens: int = 190
    """Word pieces that a piece of a long text should have; a text that fits whole stays whole."""
    max_tokens: int = parameter(
        254, "The most word pieces of a chunk where the encoder knows no limit.", least=16
    )
    heading_tokens: int = 64
    """The most word pieces of a chunk's heading; a quarter of the encoder's limit where that is less."""
    percentile: float = parameter(
        80.0, "`paper`: a break is where the distance of two windows is above this percentile.", most=100
    )
    window: int = parameter(1, "`paper`: neighbouring sentences on each side in a window.", least=0)
    least_sentences: int = 3
    """`paper`: a piece of fewer sentences joins the neighbour that it is nearer to."""


class NameFinder(StrEnum):
    """The finder of names in running text (`docs/annotation.md`)."""

    RULES = "rules"
    """How names are written, in each language."""
    SPACY = "spacy"
    """And in English texts what spaCy's named entity recognition finds."""


class Reasoning(StrEnum):
    """The entailment regime by which statements are inferred from those of users (`docs/own-rdf.md`)."""

    NONE = "none"
    RDFS = "rdfs"
    """Subclasses, subproperties, domains and ranges: https://www.w3.org/TR/rdf11-mt/#rdfs-entailment"""
    OWL_RL = "owl-rl"
    """And inverse, transitive, symmetric, equivalent and the same: https://www.w3.org/TR/owl2-profiles/#OWL_2_RL"""


@dataclass(frozen=True, slots=True)
class Edges:
    """The parameters of similarity edges between chunks."""

    rules: Mapping[EdgeKind, EdgeRule] = field(default_factory=dict)
    """A kind without a rule has no edges."""
    candidates: int = 50
    """How many of its nearest chunks each chunk is compared with, a kind."""
    exact_chunks: int = 100_000
    """Chunks of a kind up to which the nearest are found exactly; beyond, by an index (`docs/edges.md`)."""
    entity_hub: int = parameter(
        20,
        "Chunks that may name an entity for it to be rare: only a rare one exempts from the percentile.",
        least=0,
    )
    within_documents: bool = False
    """Whether chunks of one document are joined too; they are its neighbours by structure already."""


@dataclass(frozen=True, slots=True)
class Concepts:
    """The parameters of grouping keywords and names of entities into concepts (`docs/structure.md`)."""

    derive: bool = False
    """Whether there are concepts."""
    least_chunks: int = 2
    """Chunks that must have a keyword, unless it is the name of an entity too: most keywords of a single
    chunk are pieces of its sentences."""
    judge_threshold: float = 0.75
    """Cosine of two terms from which a judge is asked about them, where there is one, in 0..1."""
    near_threshold: float = 0.8
    """Cosine of the preferred labels from which two concepts are related (near misses), in 0..1."""
    max_group_size: int = 20
    """Terms of a concept at most."""


@dataclass(frozen=True, slots=True)
class Summaries:
    """The parameters of abstracts of documents and sections, made by an ingest (`docs/structure.md`)."""

    derive: bool = False
    """Whether there are abstracts."""
    max_words: int = 60
    """Words of an abstract at most."""


@dataclass(frozen=True, slots=True)
class Analogies:
    """The parameters of edges between chunks with more similar skeletons than texts (`docs/structure.md`)."""

    derive: bool = False
    """Whether there are such edges."""
    candidates: int = 20
    """Pairs of the highest delta that each chunk is compared by."""
    percentile: float = parameter(
        90.0, "The percentile of these pairs at which both thresholds are.", most=100
    )
    max_edges: int = parameter(4, "Most such edges that a chunk has.", least=0)


class Fusion(StrEnum):
    """The fusion of BM25 and dense scores into one."""

    CONVEX = "convex"
    """The weighted sum of both, each brought to 0..1 over all chunks."""
    RRF = "rrf"
    """The weighted sum of reciprocal ranks."""


class Ranking(StrEnum):
    """The ranking that makes one list of seeds and neighbours."""

    LEARNED = "learned"
    """All candidates are ranked by one model over their evidence; seeds and neighbours share one budget."""
    SHARED = "shared"
    """The seeds, then the neighbours by own score and a share of the seed's (the paper, section 2.2)."""
    PAGERANK = "pagerank"
    """All chunks by own score and personalised PageRank from the seeds."""
    SAGEDB = "sagedb"
    """SageDB's hybrid search: vector seeds and what the graph leads to, by cosine and a graph score."""
    SAGEDB_LEGACY = "sagedb-legacy"
    """Its search before: the vector seeds alone, in a new order; the graph finds none."""
    SAGEDB_VECTOR = "sagedb-vector"
    """Its vector search: by cosine alone, as the mode `dense`."""
    SAGEDB_GRAPH = "sagedb-graph"
    """Its graph search: the candidates of `sagedb` by their graph scores alone."""
    SECTIONS = "sections"
    """All chunks by how well the sections in which they stand fit the question."""
    SUMMARIES = "summaries"
    """All chunks by their own text, and by the abstracts of the sections and documents around them."""
    BFS = "bfs"
    """All chunks by the entities that the question names, and what the graph leads to from their chunks."""
    ENSEMBLE = "ensemble"
    """Other rankings, fused: the `members`."""


class Centrality(StrEnum):
    """The measure of a chunk's importance in the graph; the highest is 1."""

    DEGREE = "degree"
    """Its edges, in and out."""
    PAGERANK = "pagerank"
    """PageRank over all edges, whatever is asked."""
    PERSONALISED = "personalised"
    """PageRank that restarts at the seeds, in proportion to their scores."""


_SAGEDB: Final = (Ranking.SAGEDB, Ranking.SAGEDB_GRAPH, Ranking.SAGEDB_LEGACY)
_EXPANDED: Final = (Ranking.SAGEDB, Ranking.SAGEDB_GRAPH)
_FUSED: Final = (Ranking.SAGEDB, Ranking.SAGEDB_LEGACY)
_BY_SECTIONS: Final = (
    *(Ranking.LEARNED, Ranking.SHARED, Ranking.PAGERANK, *_SAGEDB, Ranking.SUMMARIES, Ranking.BFS),
)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The way of answering a question. `docs/ranking.md` lists the parameters."""

    bm25_weight: float = parameter(
        0.5, "Share of BM25 in the fused score; the rest is the cosine.", client=True, always=True
    )
    fusion: Fusion = parameter(
        Fusion.CONVEX, "How BM25 and dense scores become one.", client=True, always=True
    )
    channels: tuple[str, ...] = parameter(
        ("link", "entity", "statement", "relation"), "The channels that are followed.", told=False
    )
    seed_share: float = parameter(
        0.5,
        "Share of the best seed's score that a neighbour gains.",
        client=True,
        rankings=(Ranking.SHARED,),
        always=True,
    )
    entity_hub: int = parameter(
        10,
        "Chunks that may name an entity, or be about a concept, for the channels `entity` and `concept` to "
        "go through it.",
        least=0,
        told=False,
    )
    statement_hub: int = parameter(
        50,
        "Nodes to which one property may lead from a node, in one direction, for the channel `statement` to "
        "follow it.",
        least=0,
        told=False,
    )
    relation_hub: int = parameter(
        50,
        "Nodes to which relations of one type may lead from a node, in one direction, for the channel "
        "`relation` to follow them; chunks of a document, and chunks that mention an entity, to which it "
        "leads.",
        least=0,
        told=False,
    )
    link_hub: int = parameter(
        200, "Links that may lead to a document for the channel `link` to go back over them.", told=False
    )
    hub_sample: int = parameter(
        0,
        "Chunks to which a node over `entity_hub` or `statement_hub` leads, at most: those that fit the "
        "question best; 0: such nodes are not gone over.",
        least=0,
        rankings=(Ranking.LEARNED, Ranking.SHARED),
        switch="hub_sample",
    )
    ranking: Ranking = parameter(
        Ranking.LEARNED, "How seeds and neighbours become one list.", client=True, always=True, option=""
    )
    pool: int = parameter(
        30,
        "Chunks, the first of the flat ranking, that are expanded or at which a walk starts; the most that a "
        "later hop starts from.",
        rankings=(Ranking.LEARNED, Ranking.PAGERANK),
        told=False,
    )
    tie_pool: int = parameter(
        3,
        "Of those, the first whose other channels than `link` are followed.",
        rankings=(Ranking.LEARNED,),
        told=False,
    )
    max_links: int = parameter(
        200,
        "Links of a hop that are looked at closely: those whose ends promise most.",
        rankings=(Ranking.LEARNED,),
        told=False,
    )
    hops: int = parameter(
        1,
        "Maximum number of edges between a seed and a result.",
        most=10,
        setting="max_hops",
        client=True,
        always=True,
        option="",
    )
    decay: float = parameter(
        0.5,
        "Share of its strength that is left to a chunk from which the next hop starts.",
        client=True,
        always=True,
    )
    damping: float = parameter(
        0.6,
        "Share of a walk that goes on over an edge; the rest restarts at a seed.",
        client=True,
        rankings=(Ranking.PAGERANK,),
    )
    restart_power: float = parameter(
        5.0,
        "Seeds are started at in proportion to this power of their fused scores; 0 for all alike.",
        most=100,
        client=True,
        client_most=10,
        rankings=(Ranking.PAGERANK,),
    )
    walk_share: float = parameter(
        0.8,
        "Share of the walk in the score; the rest is the chunk's own.",
        client=True,
        rankings=(Ranking.PAGERANK,),
    )
    global_share: float = parameter(
        0.0,
        "Share of the chunk's PageRank whatever is asked; the rest is the score as above.",
        client=True,
        rankings=(Ranking.PAGERANK,),
        switch="global_share",
    )
    vector_seeds: int = parameter(
        50,
        "Chunks, the first by cosine, that are candidates; at least `k`. (The numbers of `sagedb…` are those "
        "of SageDB.)",
        most=1_000,
        rankings=_SAGEDB,
    )
    expanded_seeds: int = parameter(
        20, "Of those, the first from which the graph is followed.", most=1_000, rankings=_EXPANDED
    )
    expansion_depth: int = parameter(
        2, "Edges that may lie between a seed and a candidate.", most=4, rankings=_SAGEDB
    )
    vector_weight: float = parameter(
        0.7,
        "Weight of the cosine, brought to 0..1, in the score (α); divided by the sum of both.",
        client=True,
        rankings=_FUSED,
    )
    graph_weight: float = parameter(
        0.3, "Weight of the graph score (β), likewise.", client=True, rankings=_FUSED
    )
    connectivity_weight: float = parameter(
        0.5, "Weight of the nearness to the seeds in the graph score.", client=True, rankings=_EXPANDED
    )
    centrality_weight: float = parameter(
        0.3, "Weight of the importance in the graph score.", client=True, rankings=_EXPANDED
    )
    relationship_weight: float = parameter(
        0.2, "Weight of the strongest edge to a seed in the graph score.", client=True, rankings=_EXPANDED
    )
    centrality: Centrality = parameter(
        Centrality.PAGERANK,
        "What the importance of a chunk is measured by.",
        client=True,
        rankings=_SAGEDB,
    )
    centrality_damping: float = parameter(
        0.85, "Share of PageRank's walk that goes on over an edge, also for `global_share`.", rankings=_SAGEDB
    )
    legacy_connectivity: float = parameter(
        0.7,
        "Weight of the nearness to the nearest other seed; the rest is the importance.",
        client=True,
        rankings=(Ranking.SAGEDB_LEGACY,),
    )
    section_weight: float = parameter(
        0.0,
        "Weight of a chunk's section in its score (β); 0 leaves sections out, and reads nothing of them.",
        client=True,
        rankings=_BY_SECTIONS,
        switch="section_weight",
        option="",
    )
    coverage_share: float = parameter(
        0.5,
        "Weight of the question's words that a section has (α); the rest is that of the section's words that "
        "the question has.",
        client=True,
        rankings=(Ranking.SECTIONS,),
        switch="section_weight",
    )
    heading_share: float = parameter(
        0.5,
        "Share of the section's heading in the section's score; the rest is its keywords.",
        client=True,
        rankings=(Ranking.SECTIONS,),
        switch="section_weight",
    )
    inheritance_decay: float = parameter(
        0.5,
        "Share of the score of the section around it that a section inherits.",
        client=True,
        rankings=(Ranking.SECTIONS,),
        switch="section_weight",
    )
    summary_weight: float = parameter(
        0.1,
        "Weight of the nearest abstract above a chunk in its score; the rest is its own text.",
        client=True,
        rankings=(Ranking.SUMMARIES,),
    )
    neighbour_weight: float = parameter(
        0.5,
        "What a chunk gains over an edge, relative to one that refers to a node which the question names; "
        "over each further edge again as much of that.",
        client=True,
        rankings=(Ranking.BFS,),
    )
    nearest_entities: int = parameter(
        0,
        "Entities nearest to the question by vector that are entries beside those that it names.",
        least=0,
        rankings=(Ranking.BFS,),
    )
    members: Mapping[str, float] = parameter(
        text="The rankings that are fused, and the weight of each.",
        factory=lambda: {Ranking.LEARNED: 1.0, Ranking.BFS: 1.0, Ranking.SECTIONS: 1.0},
        term="ensembleMembers",
        client=True,
        rankings=(Ranking.ENSEMBLE,),
        option="--member",
        metavar="NAME[=WEIGHT]",
    )
    member_fusion: Fusion = parameter(
        Fusion.RRF,
        "How the members become one: by reciprocal ranks, or by the weighted mean of their scores, each "
        "brought to 0..1 over its list.",
        client=True,
        rankings=(Ranking.ENSEMBLE,),
    )
    deduplicate: bool = parameter(
        False,
        "Whether results that nearly repeat one before them make room for the next candidates.",
        client=True,
        switch="deduplicate",
        option="",
    )
    duplicate_threshold: float = parameter(
        0.95,
        "Similarity of two chunks' vectors from which the second is a near-duplicate.",
        client=True,
        switch="deduplicate",
    )
    decompose: bool = parameter(
        False,
        "Whether a question that compares two things, or asks twice, is asked part by part.",
        client=True,
        switch="decompose",
        option="",
    )
    rrf_constant: int = parameter(
        60,
        "The constant of the reciprocal rank fusion of several rankings.",
        rankings=(Ranking.ENSEMBLE,),
        switch="decompose",
    )
    model: str = parameter(
        "default",
        "The learned model: `default`, which the package brings, or the whole of one from `sage-ld tune`.",
        told=False,
        rankings=(Ranking.LEARNED,),
    )

    @property
    def hubs(self) -> Hubs:
        """The hubs that channels do not go over."""
        return Hubs(self.entity_hub, self.statement_hub, self.relation_hub)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a preset names.

    >>> load_recipe("java").edges.rules[EdgeKind.DOCUMENT_DOCUMENT].signals["topicSimilarity"]
    0.4
    """

    name: str
    chunking: Chunking = field(default_factory=Chunking)
    edges: Edges = field(default_factory=Edges)
    retrieval: Retrieval = field(default_factory=Retrieval)
    concepts: Concepts = field(default_factory=Concepts)
    summaries: Summaries = field(default_factory=Summaries)
    analogies: Analogies = field(default_factory=Analogies)
    entities: NameFinder = NameFinder.RULES
    """The finder of the names in running text that become entities."""
    reason: Reasoning = Reasoning.NONE
    """The regime by which statements are inferred from users'."""


def _default() -> Recipe:
    return Recipe("default", edges=Edges({kind: row.rule for kind, row in EDGE_KINDS.items()}))


def _paper() -> Recipe:
    # The paper's text says 95, the authors' code for OTT-QA takes 99.
    rules = {kind: replace(row.rule, percentile=99.0, max_edges=100) for kind, row in EDGE_KINDS.items()}
    edges = Edges(rules, candidates=200, entity_hub=100, within_documents=True)
    retrieval = Retrieval(channels=("similarity", "link"), ranking=Ranking.SHARED)
    return Recipe("paper", Chunking(Strategy.PAPER), edges, retrieval)


def _java() -> Recipe:
    rule = EdgeRule(
        {TOPIC: 0.4, ENTITY: 0.35, CONTENT: 0.25},
        rule=Rule.WEIGHTED,
        population=Population.PAIRS,
        max_edges=50,
        keep_shared_entity=False,
    )
    edges = Edges(dict.fromkeys(EDGE_KINDS, rule), within_documents=True)
    return Recipe(
        "java",
        edges=edges,
        retrieval=Retrieval(channels=("similarity", "statement"), seed_share=0.0, ranking=Ranking.SHARED),
    )


DEFAULT_ENCODER: Final = "minilm"
"""The encoder of a new graph, in the precision that suits the machine."""
LEAST_MEMBER: Final = 0.001
"""The least weight of a member of an ensemble."""
MOST_MEMBER: Final = 100
"""The highest weight of one."""
PRESETS: Final = {"default": _default, "paper": _paper, "java": _java}


def load_recipe(name: str | Path) -> Recipe:
    """The preset `name`, or the recipe in the TOML file `name`.

    Raises InputError for an unknown key or a value of the wrong kind, NotFoundError if there is neither.
    """
    if str(name) in PRESETS:
        return PRESETS[str(name)]()
    path = Path(name)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(PRESETS)
        raise NotFoundError(
            f"recipe {name} is neither a preset ({known}) nor a readable file ({error})"
        ) from None
    try:
        return parse_recipe(text, path.stem)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def parse_recipe(text: str, name: str = "custom") -> Recipe:
    r"""The recipe that a TOML text describes; `name` is its name where it gives none.

    >>> parse_recipe('base = "paper"\n[chunking]\nrows = 5').chunking.rows
    5
    """
    table = _table(text)
    base = table.pop("base", "default")
    if base not in PRESETS:
        raise InputError(f"base: {base!r} is not a preset; choose one of {', '.join(PRESETS)}")
    return _with_table(replace(PRESETS[base](), name=name), table)


def changed_recipe(recipe: Recipe, file: str | Path) -> Recipe:
    """The recipe of a graph that is built, with what a TOML file names in place of its own values.

    Raises InputError for what can only be made when files are read, and NotFoundError, InputError as
    `load_recipe` does.
    """
    path = Path(file)
    try:
        changed = _with_table(replace(recipe, name=path.stem), _table(path.read_text("utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise NotFoundError(f"recipe {file} is not a readable file ({error})") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    for name, value, own in (
        ("entities", changed.entities, recipe.entities),
        ("[chunking]", changed.chunking, recipe.chunking),
        ("[summaries]", changed.summaries, recipe.summaries),
        ("[analogies] derive", changed.analogies.derive, recipe.analogies.derive),
    ):
        if value != own:
            raise InputError(f"{path}: {name} takes effect when files are read; ingest them into a new graph")
    return changed


def _table(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"not valid TOML ({error}); correct the file") from None


def _with_table(recipe: Recipe, table: dict[str, Any]) -> Recipe:
    """A recipe with the values that a table of TOML names. Raises InputError."""
    edges = table.pop("edges", {})
    if not isinstance(edges, dict):
        raise InputError(f"edges: {edges!r} is not a table; give keys and values")
    kinds = {kind: edges.pop(kind) for kind in EDGE_KINDS if kind in edges}
    recipe = _recipe(recipe, {**table, "edges": edges})
    rules = {**recipe.edges.rules, **{kind: _rule(recipe, kind, given) for kind, given in kinds.items()}}
    return replace(recipe, edges=replace(recipe.edges, rules=rules))


def write_recipe(recipe: Recipe) -> str:
    """The whole recipe as TOML: `parse_recipe` reads it back."""
    lines = [f"{key} = {toml_value(getattr(recipe, key))}" for key in ("name", "entities", "reason")]
    for part in ("chunking", "edges", "concepts", "summaries", "analogies", "retrieval"):
        lines += ["", f"[{part}]", *_lines(getattr(recipe, part))]
    for kind, rule in recipe.edges.rules.items():
        lines += ["", f"[edges.{kind}]", *_lines(rule)]
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=8)
def named_model(model: str) -> str:
    """The name of a ranking's model: a shipped one by its name, one learned from judgements by its digest."""
    return f"sha256:{sha256(model.encode()).hexdigest()}" if model.startswith("{") else model


def adjusted(retrieval: Retrieval, changes: Mapping[str, object]) -> Retrieval:
    """`retrieval` with the values that `changes` names. Raises InputError for one that does not fit.

    >>> adjusted(Retrieval(), {"bm25_weight": 0.25}).bm25_weight
    0.25
    """
    if not changes:
        return retrieval
    changed: Retrieval = _merged(retrieval, changes, "")
    if "members" in changes and changed.ranking != Ranking.ENSEMBLE:
        raise InputError(
            f"members: the ranking {changed.ranking} takes no members; ask for the ranking ensemble, or "
            "leave members out"
        )
    return changed


def checked_retrieval(retrieval: Retrieval) -> Retrieval:
    """`retrieval`, if each of its values is within its range. Raises InputError.

    >>> checked_retrieval(Retrieval(decay=float("nan")))
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: decay: nan is outside 0..1; give a number such as 0.5
    """
    if not isinstance(retrieval, Retrieval):
        raise InputError(
            f"parameters: a value of type {type(retrieval).__name__}; give a "
            "sage_ld.foundation.recipes.Retrieval, such as load_recipe('paper').retrieval"
        )
    values = {each.name: getattr(retrieval, each.name) for each in fields(retrieval)}
    channels = list(arguments.texts(retrieval.channels, "channels"))
    checked: Retrieval = _merged(Retrieval(), values | {"channels": channels}, "")
    return checked


def _recipe(base: Recipe, given: Mapping[str, object]) -> Recipe:
    merged: Recipe = _merged(base, given, "")
    return merged


def _rule(recipe: Recipe, kind: EdgeKind, given: object) -> EdgeRule:
    base = recipe.edges.rules.get(kind, EDGE_KINDS[kind].rule)
    rule: EdgeRule = _merged(base, given, f"edges.{kind}.")
    _check_weights(rule.signals, list(SIGNALS), "signal", f"edges.{kind}.signals")
    return rule


def _merged(base: Any, given: object, place: str) -> Any:
    """`base` with the fields that `given` names replaced. Raises InputError, naming the key."""
    if not isinstance(given, Mapping):
        raise InputError(f"{place.rstrip('.')}: {given!r} is not a table; give keys and values")
    table = parameters(type(base))
    known = [name for name in table if name != "rules"]
    changed = {}
    for key, value in given.items():
        if key not in known:
            raise InputError(f"{place}{key}: unknown key; the keys are {', '.join(known)}")
        changed[key] = _value(table[key], getattr(base, key), value, f"{place}{key}")
        if key == "members":
            changed[key] = _members(changed[key], f"{place}{key}")
    return replace(base, **changed)


def _value(given: Parameter, old: Any, new: Any, place: str) -> Any:
    """`new` as the kind of value that `old` is."""
    if is_dataclass(old):
        return _merged(old, new, f"{place}.")
    if isinstance(old, StrEnum):
        if new not in list(type(old)):
            raise InputError(f"{place}: {new!r} is not one of its values; choose from {', '.join(type(old))}")
        return type(old)(new)
    if isinstance(old, tuple) and isinstance(new, list) and all(isinstance(each, str) for each in new):
        return checked_channels(new)
    if isinstance(old, float) and isinstance(new, int) and not isinstance(new, bool):
        new = float(new)
    if not isinstance(new, dict if isinstance(old, Mapping) else type(old)) or isinstance(
        new, bool
    ) != isinstance(old, bool):
        raise InputError(f"{place}: {new!r} is of the wrong type; give {_KINDS.get(type(old), 'a table')}")
    check_range(given, new, place)
    return new


def _members(given: Mapping[str, Any], place: str) -> dict[str, float]:
    """The members of an ensemble. Raises InputError."""
    known = [str(each) for each in Ranking if each is not Ranking.ENSEMBLE]
    _check_weights(given, known, "member of an ensemble", place)
    for name, weight in given.items():
        if not LEAST_MEMBER <= weight <= MOST_MEMBER:
            limits = f"{LEAST_MEMBER}..{MOST_MEMBER}"
            raise InputError(f"{place}.{name}: {weight!r} is outside {limits}; give a number such as 0.5")
    return {str(name): float(weight) for name, weight in given.items()}


def _check_weights(given: Mapping[str, Any], known: Sequence[str], kind: str, place: str) -> None:
    """Raises InputError for a table of weights that is empty, names none of a kind, or has no weight."""
    if not given:
        raise InputError(f"{place} is empty; name one or more of {', '.join(known)}")
    for name, weight in given.items():
        if name not in known:
            raise InputError(f"{place}: {name!r} is not a {kind}; choose from {', '.join(known)}")
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < inf:
            raise InputError(f"{place}.{name}: {weight!r} is not a weight; give a number above 0")


def checked_channels(channels: Sequence[str]) -> tuple[str, ...]:
    """`channels`, if each is one. Raises InputError."""
    for channel in channels:
        if channel not in CHANNELS:
            raise InputError(f"unknown channel {channel!r}; the channels are {', '.join(CHANNELS)}")
    return tuple(channels)


_KINDS: Final = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
    tuple: "a list of strings",
}


def _lines(part: Any) -> list[str]:
    names = (each.name for each in fields(part) if each.name != "rules")
    return [f"{name} = {toml_value(getattr(part, name))}" for name in names]


def toml_value(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, tuple):
        return "[" + ", ".join(toml_value(each) for each in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
