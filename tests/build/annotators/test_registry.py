"""The table of annotators: one for each field, which looks at what it says and at nothing else."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from build.annotators.corpus import prose, record, table

from sage_ld.build.annotators import ANNOTATORS, FieldAnnotator, RuleAnnotator
from sage_ld.foundation.model import Annotation, Chunk, Document
from sage_ld.foundation.settings import Settings

ROWS = [["12 May", "Buffalo"]]
CORPUS = (
    prose("a", "Mercury (planet)", "Mercury is the planet nearest to the Sun."),
    prose("b", "Temo Kasara", "Kasara was born in Kutaisi."),
    record("c", "Respect", {"artist": "Aretha Franklin", "year": "1967"}),
    table("d", "1911", ["Date", "Site"], ROWS, section="Season", hrefs={(0, "Site"): "buffalo.md"}),
)


class Watched:
    """A document or chunk that notes which of its fields are read."""

    def __init__(self, inner: Document | Chunk, name: str, read: set[str]) -> None:
        self._inner, self._name, self._read = inner, name, read

    def __getattr__(self, field: str) -> Any:
        self._read.add(f"{self._name}.{field}")
        return getattr(self._inner, field)


def test_each_field_of_an_annotation_has_one_annotator() -> None:
    assert [each.gives for each in ANNOTATORS] == [each.name for each in fields(Annotation)]


@pytest.mark.parametrize("annotator", ANNOTATORS, ids=lambda each: each.gives)
def test_an_annotator_reads_what_it_says(annotator: FieldAnnotator) -> None:
    read: set[str] = set()
    for document, chunks in CORPUS:
        for chunk in chunks:
            watched: Any = Watched(document, "document", read), Watched(chunk, "chunk", read)
            plain = annotator.annotate(document, chunk, Settings())
            assert annotator.annotate(*watched, Settings()) == plain
    assert read == annotator.reads


def test_another_annotator_of_a_field_takes_the_place_of_the_first() -> None:
    (document, chunks), *_ = CORPUS
    (topic, *others) = ANNOTATORS
    shouted = replace(topic, annotate=lambda *given: str(topic.annotate(*given)).upper())
    (plain,) = RuleAnnotator().annotate(document, chunks)
    (changed,) = RuleAnnotator(annotators=(shouted, *others)).annotate(document, chunks)
    assert changed == replace(plain, topic=plain.topic.upper())


def test_the_names_of_fields_are_no_keywords_of_a_record() -> None:
    document, chunks = record("c", "Respect", {"artist": "Aretha Franklin", "recorded at": "Muscle Shoals"})
    [note] = RuleAnnotator().annotate(document, chunks)
    assert set(note.keywords) == {"aretha franklin", "muscle shoals"}
