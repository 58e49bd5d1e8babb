"""Detection of a text's language, offline and always with the same result.

py3langid counts byte sequences and knows some hundred languages; a list of cities or a chemical formula is
the likeliest in one of them, too. So a second witness is asked: the function words of that language, without
which nobody writes a paragraph (and more of them than of English, which quotes foreign titles), or its
script.
"""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final
from zipfile import BadZipFile

import numpy as np

from sage_ld.build.languages.function_words import has_function_words, is_function_word
from sage_ld.build.languages.tags import ENGLISH, indexed_language
from sage_ld.foundation.disk_cache import keep

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier

SAMPLE: Final = 600
"""Characters of a text that are looked at."""
_LEAST_SHARE: Final = 0.15
"""Of the words of a text that are function words of its language; of real paragraphs it is 0.3 to 0.5."""
_FORMS: Final = 4
"""Of the likeliest languages, those among which another written form of the first one is looked for."""
_LAST_LATIN: Final = "\u024f"
_WORD: Final = re.compile(r"[^\W\d_]+")


def detected_language(text: str, certainty: float, letters: int, folder: Path | None = None) -> str | None:
    """The language of a text, if its sample has so many letters and the language so high a probability.

    The model is kept in the cache folder `folder`, unpacked.

    >>> detected_language("Die Brücke über den Fluss wurde aus Stein gebaut, und sie steht noch.", 0.9, 40)
    'de'
    >>> detected_language("Hamburg; Berlin; Bremen; Lübeck; Kiel; Flensburg; Schwerin", 0.9, 40)
    """
    sample = text[:SAMPLE]
    words = [word.casefold() for word in _WORD.findall(sample)]
    if sum(map(len, words)) < letters:
        return None
    first = _identifier(folder).rank(sample)[:_FORMS]
    best = indexed_language(first[0][0])
    share = sum(share for tag, share in first if indexed_language(tag) == best)
    return best if share >= certainty and _is_confirmed(best, words) else None


def detected_question_language(
    question: str, languages: Mapping[str, int], certainty: float, folder: Path | None = None
) -> str:
    """The language of a question, of those of a graph's chunks (and how many are in each).

    Where no language is certain enough, it is the first one, which most chunks are in. That of a question of
    one word is never certain. The model is kept in the cache folder `folder`, unpacked.
    """
    main = next(iter(languages))
    if len(languages) == 1 or len(_WORD.findall(question)) < 2:
        return main
    shares = _shares(_identifier(folder), question, languages)
    best = max(sorted(shares), key=shares.__getitem__, default=main)
    return best if shares.get(best, 0.0) >= certainty else main


@cache
def _identifier(folder: Path | None) -> LanguageIdentifier:
    """py3langid's model. Unpacking it takes 0.35 s, and reading it unpacked from the cache 0.04 s."""
    from py3langid import __version__
    from py3langid.langid import LanguageIdentifier

    path = None if folder is None else folder / f"py3langid-{__version__}.npz"
    arrays = None if path is None else _kept_arrays(path)
    if arrays is None:
        unpacked = _unpacked()
        arrays = _arrays(io.BytesIO(unpacked))
        if path is not None:
            keep(path, unpacked)
    return LanguageIdentifier(
        arrays["ptc"],
        arrays["pc"],
        arrays["classes"].tolist(),
        _flat(arrays["nextmove"]),
        arrays["out_feat"].tolist(),
        norm_probs=True,
        tk_row=_flat(arrays["nextmove_row"]),
    )


def _unpacked() -> bytes:
    """The model's arrays as an `.npz` file (68 MB)."""
    import lzma

    from py3langid.langid import MODEL_DIR, MODEL_FILE

    with lzma.open(MODEL_DIR / MODEL_FILE) as file:
        return file.read()


def _arrays(file: IO[bytes]) -> dict[str, NDArray[np.generic]]:
    with np.load(file, allow_pickle=False) as arrays:
        return dict(arrays)


def _kept_arrays(path: Path) -> dict[str, NDArray[np.generic]] | None:
    """The model's arrays from the cache; None where they are not there, or the file is damaged."""
    try:
        with path.open("rb") as file:
            return _arrays(file)
    except (OSError, ValueError, EOFError, BadZipFile):
        return None


def _flat(numbers: NDArray[np.generic]) -> array[int]:
    """The numbers in the type whose elements Python reads fastest."""
    flat = array(numbers.dtype.char)
    flat.frombytes(numbers.tobytes())
    return flat


def _shares(identifier: LanguageIdentifier, text: str, among: Collection[str]) -> dict[str, float]:
    """The probability of each language, of those that the model knows and that are `among` the candidates."""
    shares: dict[str, float] = {}
    for tag, share in identifier.rank(text):
        if (language := indexed_language(tag)) in among:
            shares[language] = shares.get(language, 0.0) + share
    total = sum(shares.values())
    return {language: share / total for language, share in shares.items()} if total else {}


def _function_words(words: Collection[str], language: str) -> int:
    return sum(is_function_word(word, language) for word in words)


def _is_confirmed(language: str, words: Collection[str]) -> bool:
    if has_function_words(language):
        count = _function_words(words, language)
        enough = count >= _LEAST_SHARE * len(words)
        return enough and (language == ENGLISH or count > _function_words(words, ENGLISH))
    letters = "".join(words)
    return 2 * sum(letter > _LAST_LATIN for letter in letters) > len(letters)
