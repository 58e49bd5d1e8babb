"""Languages: their tags, which of them a text is in, and how its words are analysed."""

from __future__ import annotations

from sage_ld.build.languages.tags import ENGLISH, checked_tag, indexed_language, normalised_tag

__all__ = ["ENGLISH", "checked_tag", "indexed_language", "normalised_tag"]
