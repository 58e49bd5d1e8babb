"""Previews of entities: a few lines of HTML without styles or scripts, which other pages show."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode

from markupsafe import Markup


def preview_html(view: str, iri: str, name: str, types: Iterable[str], description: str) -> str:
    """The lines about an entity, class or property, whose page is at `view`.

    >>> preview_html("/describe", "x:1", "A & B", ["Person"], "")
    '<p><a href="/describe?iri=x%3A1" target="_blank" rel="noopener">A &amp; B</a></p><p>Person</p>'
    """
    link = Markup('<p><a href="{}?{}" target="_blank" rel="noopener">{}</a></p>')
    lines = [link.format(view, urlencode({"iri": iri}), name)]
    lines += [Markup("<p>{}</p>").format(each) for each in (", ".join(types), description) if each]
    return str(Markup("").join(lines))


def preview_page(content: str) -> str:
    """The lines as a page."""
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Preview</title>{content}</html>'
