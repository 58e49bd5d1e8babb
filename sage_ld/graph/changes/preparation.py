"""Preparation of documents for the store, their chunks, annotations and vectors, and the storing of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from sage_ld.build.annotators import RuleAnnotator, annotators
from sage_ld.build.annotators.abstracts import Summarise, abstracts
from sage_ld.build.annotators.skeletons import MakeSkeleton, skeletons
from sage_ld.build.chunkers import chunk_all, encoding_text
from sage_ld.build.edges import next_weights
from sage_ld.build.encoders import Encoder
from sage_ld.build.languages import ENGLISH, indexed_language, normalised_tag
from sage_ld.build.languages.analysis import SAMPLE, detected_language
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.caches import cache_folder
from sage_ld.foundation.model import WHOLE_DOCUMENT, Annotation, Chunk, Document, FloatArray, Prose, Record
from sage_ld.foundation.package_files import version
from sage_ld.foundation.recipes import Analogies, Recipe, Summaries
from sage_ld.foundation.settings import Settings
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.derivations.deriver import Deriver
from sage_ld.graph.store.documents import PreparedDocument
from sage_ld.graph.store.reading import StoredDocument

_LEAST_SHARE: Final = 0.01
"""Share of an ingest's documents in other languages than English at which its encoder is worth a warning: a
text that is mostly a foreign title may be taken for one."""
_LISTED: Final = 5
"""Languages that the warning names."""
BATCH_DOCUMENTS: Final = 5_000
"""How many documents are prepared at once: bounds memory, and keeps encoding batches full."""
BATCH_RECORDS: Final = 5_000
"""How many resources of one RDF file are."""


def with_language(document: Document, settings: Settings) -> Document:
    """The document with the tag of the language that its file names, or else of the one that is detected."""
    if (stated := normalised_tag(document.language or "")) is not None:
        return replace(document, language=stated, stated_language=stated)
    prose = "\n".join(_prose(document))
    certainty, letters = settings.min_language_certainty, settings.min_detected_letters
    detected = detected_language(prose, certainty, letters, cache_folder(settings))
    return document if detected == document.language else replace(document, language=detected)


def _prose(document: Document) -> Iterator[str]:
    """The paragraphs from which the language is detected; tables and records are made of names."""
    length = 0
    for block in document.blocks:
        if isinstance(block, Prose) and length < SAMPLE:
            length += block.end - block.begin
            yield document.text[block.begin : min(block.end, block.begin + SAMPLE)]


@dataclass(slots=True)
class _Chunks:
    """The chunks of a document that have been prepared."""

    count: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    """How many have the same text, by the IRI of the first."""


@dataclass(frozen=True, slots=True)
class _DocumentPart:
    """A document, or some of the resources of a large one; the first part has what its file states."""

    document: Document
    before: _Chunks = field(default_factory=_Chunks)
    """Those of the parts before it, which takes its own."""


def _groups(documents: Iterable[Document], recipe: Recipe) -> Iterator[list[_DocumentPart]]:
    """The documents in groups that are prepared at once: the large ones in parts, the others together."""
    together = []
    for each in documents:
        if recipe.summaries.derive or not _is_large(each):
            together.append(_DocumentPart(each))
            continue
        before = _Chunks()
        for begin in range(0, len(each.blocks), BATCH_RECORDS):
            part = replace(each, blocks=each.blocks[begin : begin + BATCH_RECORDS])
            yield [
                _DocumentPart(replace(part, statements=(), named_statements=()) if begin else part, before)
            ]
    if together:
        yield together


def _is_large(document: Document) -> bool:
    """Whether a document can be cut, and is worth it: no chunk of a resource depends on another's."""
    return (
        len(document.blocks) > BATCH_RECORDS
        and not (document.links or document.places)
        and all(isinstance(each, Record) and each.subject for each in document.blocks)
    )


def _prepare(
    parts: Sequence[_DocumentPart], deriver: Deriver
) -> tuple[list[PreparedDocument], list[FloatArray]]:
    """Chunks, annotates and encodes documents: for each what is stored, and its chunks' vectors (n, d).

    The deriver's functions make the abstracts and skeletons for which the recipe asks, in place of the rules.
    """
    recipe, settings, iris = deriver.recipe, deriver.writer.settings, deriver.writer.iris
    encoder = deriver.writer.encoder
    annotator = RuleAnnotator(settings, annotators(recipe.entities))
    documents = [with_language(each.document, settings) for each in parts]
    chunks = [
        _numbered(each, part.before.count)
        for part, each in zip(parts, chunk_all(documents, recipe.chunking, encoder), strict=True)
    ]
    annotations = [tuple(annotator.annotate(*each)) for each in zip(documents, chunks, strict=True)]
    texts = [encoding_text(chunk) for each in chunks for chunk in each]
    matrix = encoder.encode(texts, lambda done, total: deriver.progress("encoding", done, total))
    ends = np.cumsum([len(each) for each in chunks])
    vectors = np.split(matrix, ends[:-1]) if len(documents) else []
    prepared = [
        PreparedDocument(
            document,
            tuple(each),
            tuple(iris.chunks(each, part.before.seen)),
            notes,
            tuple(next_weights(rows, encoder.similarity).tolist()),
            _abstracts(document, each, notes, recipe.summaries, deriver.summarise),
            _skeletons(document, each, recipe.analogies, settings, deriver.make_skeleton),
            iris.build(encoder.name, recipe.name, version()),
            goes_on=part.before.count > 0,
        )
        for part, document, each, notes, rows in zip(
            parts, documents, chunks, annotations, vectors, strict=True
        )
    ]
    for part, each in zip(parts, chunks, strict=True):
        part.before.count += len(each)
    return prepared, vectors


def _numbered(chunks: list[Chunk], before: int) -> list[Chunk]:
    return [replace(each, position=before + each.position) for each in chunks] if before else chunks


def _abstracts(
    document: Document,
    chunks: Sequence[Chunk],
    annotations: Sequence[Annotation],
    wanted: Summaries,
    summarise: Summarise | None,
) -> dict[int, str]:
    """The abstracts of a document and its sections, without one that the document has by its metadata."""
    if not wanted.derive:
        return {}
    found = abstracts(document.title, document.sections, chunks, annotations, wanted.max_words, summarise)
    if any(each.key == v.ABSTRACT for each in document.metadata):
        found.pop(WHOLE_DOCUMENT, None)
    return found


def _skeletons(
    document: Document,
    chunks: Sequence[Chunk],
    wanted: Analogies,
    settings: Settings,
    make_skeleton: MakeSkeleton | None,
) -> dict[int, str]:
    if not wanted.derive:
        return {}
    language = indexed_language(document.language, settings.default_language)
    return skeletons(chunks, language, make_skeleton)


def store_documents(
    documents: Sequence[Document], stored: Mapping[str, StoredDocument], deriver: Deriver, changes: Changes
) -> int:
    """Stores documents in place of those in `stored` (by identifier); returns how many chunks they have."""
    writer, iris = deriver.writer, deriver.writer.iris
    changes.remove(
        writer, (iris.document(each.identifier) for each in documents if each.identifier in stored)
    )
    chunks = 0
    for parts in _groups(documents, deriver.recipe):
        prepared, vectors = _prepare(parts, deriver)
        writer.add(prepared, vectors)
        for each in prepared:
            changes.documents.add(iris.document(each.document.identifier))
            language = indexed_language(each.document.language, writer.settings.default_language)
            changes.languages[language] += not each.goes_on
            changes.chunks.update(each.iris)
            mentions = (mention for note in each.annotations for mention in note.mentions)
            changes.entities.update(iris.entity(mention.label) for mention in mentions)
            chunks += len(each.chunks)
    return chunks


def language_warnings(changes: Changes, encoder: Encoder) -> list[str]:
    """A warning where new documents are in languages of which the encoder knows next to nothing."""
    others = Counter(
        {language: count for language, count in changes.languages.items() if language != ENGLISH}
    )
    if others.total() <= _LEAST_SHARE * changes.languages.total() or encoder.crosses_languages:
        return []
    listed = ", ".join(f"{language} {count:,}" for language, count in others.most_common(_LISTED))
    return [
        f"{others.total():,} of {changes.languages.total():,} documents are not in English ({listed}), and "
        f"the encoder {encoder.name} does not know their languages: questions find them by their own words "
        "alone, and not from another language; for an encoder of a hundred languages: pip install "
        "'sage-ld[e5]', then sage-ld reencode GRAPH --encoder e5"
    ]
