"""Graphs that CONSTRUCT queries make elsewhere, page by page, and the pages that are kept meanwhile."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pyoxigraph import BlankNode, RdfFormat, parse, serialize

from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.remote.remote_store import (
    ACCEPTED,
    PulledGraph,
    RemoteContent,
    RemoteStore,
    quads_of_answer,
    shown,
)
from sage_ld.graph.store.durable_files import remove, replace_file
from sage_ld.graph.store.tokenizer import outer_tokens, tokens

_ROWS: Final = "application/sparql-results+json"


@dataclass(frozen=True, slots=True)
class PagedQuery:
    """A CONSTRUCT query that is asked page by page, ordered by what its template has."""

    text: str
    begin: int
    """Where CONSTRUCT begins."""
    pattern: int
    """Where what follows the template begins."""
    end: int
    """Where LIMIT is put: at the end, or before VALUES behind the pattern."""
    variables: tuple[str, ...]
    is_ordered: bool
    is_whole: bool
    """Whether it is asked once: it has a LIMIT of its own, or no variables."""

    @classmethod
    def of(cls, text: str) -> PagedQuery:
        """The query in a text. Raises InputError for one that is no CONSTRUCT query."""
        found = list(tokens(text))
        at = next((number for number, each in enumerate(found) if each.keyword == "CONSTRUCT"), None)
        if at is None:
            raise InputError("the query of a pull is a CONSTRUCT query; write CONSTRUCT { … } WHERE { … }")
        short = found[at + 1].keyword in ("WHERE", "FROM") if at + 1 < len(found) else True
        outer = list(outer_tokens(found[at + 1 :]))
        opening = next((each.begin for each in outer if each.text == "{"), len(text))
        closing = next((each.end for each in outer if each.text == "}"), len(text))
        words = {each.keyword: each.begin for each in outer}
        names = (each.text for each in found if each.kind == "variable" and opening < each.begin < closing)
        variables = tuple(dict.fromkeys(name.replace("$", "?") for name in names))
        return cls(
            text,
            found[at].begin,
            found[at].end if short else closing,
            words["VALUES"] if words.get("VALUES", -1) > closing else len(text),
            variables,
            "ORDER" in words,
            not variables or "LIMIT" in words or "OFFSET" in words,
        )

    def page(self, size: int, begin: int) -> str:
        """The query for one page of solutions."""
        if self.is_whole:
            return self.text
        return f"{self.text[: self.end]}\n{self._order()}LIMIT {size} OFFSET {begin}\n{self.text[self.end :]}"

    def rest(self, begin: int) -> str:
        """The query for the first solution from `begin` on: a page may have solutions and no statements."""
        return (
            f"{self.text[: self.begin]}SELECT * {self.text[self.pattern : self.end]}\n"
            f"{self._order()}LIMIT 1 OFFSET {begin}\n{self.text[self.end :]}"
        )

    def _order(self) -> str:
        return "" if self.is_ordered else f"ORDER BY {' '.join(self.variables)} "


def graph_of_query(endpoint: str, text: str, folder: Path, settings: Settings) -> PulledGraph:
    """The graph that a CONSTRUCT query makes, page by page.

    Each page is kept in `folder` as it comes, and used again by a pull that follows one that ended early. The
    caller removes the folder once the graph is written. Raises InputError, LimitError, UnavailableError.
    """
    query, store = PagedQuery.of(text), RemoteStore(endpoint, settings)
    size, parts = settings.remote_page, list[RemoteContent]()
    pages = PageFolder(folder, f"{endpoint}\n{size}\n{text}", settings)
    while True:
        if len(parts) >= settings.max_remote_pages:
            what, most = f"the query at {shown(endpoint)}", settings.max_remote_pages
            remedy = "raise remote_page"
            raise LimitError.of(what, most + 1, most, "pages", "max_remote_pages", remedy)
        kept = pages.get(str(len(parts)))
        if kept is None:
            kept = _page(store, query.page(size, len(parts) * size))
            if kept:  # one without statements may be half an answer, and costs little to ask for again
                pages.keep(str(len(parts)), kept)
        else:
            store.take(len(kept))
        page = kept.encode()
        parts.append(RemoteContent("ntriples", page))
        if query.is_whole or (not page and not _has_more(store, query.rest(len(parts) * size - size))):
            break
    if len(parts) > 2:  # the last is empty
        _check_joined(parts, endpoint)
    return PulledGraph(endpoint, tuple(parts))


def _page(store: RemoteStore, query: str) -> str:
    """The statements of one page as N-Triples."""
    quads = quads_of_answer(store.ask(query, ACCEPTED), store.settings)
    return (serialize((each.triple for each in quads), format=RdfFormat.N_TRIPLES) or b"").decode()


def _has_more(store: RemoteStore, query: str) -> bool:
    answer = store.ask(query, _ROWS)
    try:
        return bool(json.loads(answer.content)["results"]["bindings"])
    except (ValueError, KeyError, TypeError):
        raise UnavailableError(
            f"{shown(store.address)} gives no SPARQL results in JSON ({answer.media_type[:100]}); try again"
        ) from None


def _check_joined(parts: list[RemoteContent], endpoint: str) -> None:
    """Raises InputError for blank nodes in pages: no page says which of them is one of another page."""
    for part in parts:
        for each in parse(part.content, RdfFormat.N_TRIPLES):
            if isinstance(each.subject, BlankNode) or isinstance(each.object, BlankNode):
                raise InputError(
                    f"the query at {shown(endpoint)} gives blank nodes in several pages, which cannot be "
                    "joined; raise the setting remote_page above the number of solutions, or pull by --store"
                )


class PageFolder:
    """The pages of a pull that have come, as files: a pull that follows one that ended early uses them again.

    What was kept for another request, or longer ago than `remote_resume`, is dropped.
    """

    def __init__(self, folder: Path, request: str, settings: Settings) -> None:
        self._folder = folder
        self._stamp = hashlib.sha256(request.encode()).hexdigest()
        mark = folder / "request"
        age = time.time() - mark.stat().st_mtime if mark.is_file() else None
        if age is None or age > settings.remote_resume or mark.read_text("utf-8") != self._stamp:
            remove(folder)
            folder.mkdir(parents=True)
            replace_file(mark, self._stamp)

    def get(self, name: str) -> str | None:
        """The page with a name, if it has come."""
        path = self._path(name)
        return path.read_text("utf-8") if path.is_file() else None

    def keep(self, name: str, page: str) -> None:
        """Keeps a page, unless another pull of the graph has taken the folder away."""
        if self._folder.is_dir():
            replace_file(self._path(name), page)

    def _path(self, name: str) -> Path:
        return self._folder / hashlib.sha256(f"{self._stamp}\n{name}".encode()).hexdigest()[:32]
