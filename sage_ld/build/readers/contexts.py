"""JSON-LD contexts by their addresses: those of the package, and of the folder of the setting `contexts`.

Reading opens no connection: pyld's document loader is `ContextLoader`, which gives what lies there. One that
may be fetched ends the reading with MissingContextError; the process that asked for it fetches the context
(`context_fetching`), and asks again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from sage_ld.build.readers.source import Companion
from sage_ld.foundation import package_files
from sage_ld.foundation.errors import InputError, LimitError, MissingContextError
from sage_ld.foundation.outbound import entries
from sage_ld.foundation.settings import Settings

PACKAGED: Final[Mapping[str, str]] = {
    "schema.org": "schema-org",
    "schema.org/docs/jsonldcontext.json": "schema-org",
    "schema.org/docs/jsonldcontext.jsonld": "schema-org",
    "linked.art/ns/v1/linked-art.json": "linked-art",
    "iiif.io/api/presentation/2/context.json": "iiif-presentation-2",
    "www.shared-canvas.org/ns/context.json": "iiif-presentation-2",
    "iiif.io/api/presentation/3/context.json": "iiif-presentation-3",
    "iiif.io/api/image/1/context.json": "iiif-image-1",
    "library.stanford.edu/iiif/image-api/1.1/context.json": "iiif-image-1",
    "iiif.io/api/image/2/context.json": "iiif-image-2",
    "iiif.io/api/image/3/context.json": "iiif-presentation-3",
    "www.w3.org/ns/anno.jsonld": "web-annotation",
    "www.w3.org/ns/csvw": "csvw",
    "www.w3.org/ns/csvw.jsonld": "csvw",
    "geojson.org/geojson-ld/geojson-context.jsonld": "geojson",
    "semiceu.github.io/DCAT-AP/releases/3.0.0/context/dcat-ap.jsonld": "dcat-ap",
    "semiceu.github.io/DCAT-AP/releases/3.0.1/context/dcat-ap.jsonld": "dcat-ap",
}
"""The files of the package by address, without its scheme and a slash at its end; pyld has others."""
HASHES: Final = "SHA256SUMS"
"""The file that lists what was fetched into the folder, as sha256sum(1) writes and checks it."""
_SEGMENT: Final = re.compile(r"[\w.~!$&'()+,;=@%-]{1,200}")
_LISTED: Final = re.compile(r"([0-9a-f]{64}) [ *](.+)")


class ContextError(InputError):
    """A context that cannot be had; the message says how it can."""


class ContextLoader:
    """The document loader of one file (JSON-LD 1.1 API, §9.4): it opens no connection.

    `companions` are the contexts that it has read from the folder, since what the file says depends on them.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self.settings = settings
        self.companions: dict[str, Companion] = {}

    def __call__(self, address: str, options: object = None) -> dict[str, Any]:
        """The context with an address, as pyld takes it.

        Raises ContextError, LimitError, and MissingContextError for one that may be fetched.
        """
        address = address.partition("#")[0]
        data = self._in_folder(address)
        document = _parsed(data, f"{self.name}: its context {address}") if data else packaged(address)
        if document is None:
            raise self._missing(address)
        return {
            "contentType": "application/ld+json",
            "contextUrl": None,
            "documentUrl": address,
            "document": _with_absolute_imports(document, address),
        }

    def _in_folder(self, address: str) -> bytes | None:
        try:
            found = stored(address, self.settings)
        except InputError as error:
            raise type(error)(f"{self.name}: {error}") from None
        if found is not None:
            self.companions[address] = Companion("context", address, found)
        return found

    def _missing(self, address: str) -> ContextError | MissingContextError:
        subject = f"{self.name}: its context {address[:200]}"
        if is_allowed(address, self.settings):
            return MissingContextError(f"{subject} is to be fetched first", address)
        return ContextError(f"{subject} does not come with sage-ld, and it is not fetched; {remedy(address)}")


def _with_absolute_imports(document: Any, address: str) -> Any:
    """The context with absolute addresses in `@import`: pyld takes them as relative to the file."""
    contexts = document.get("@context") if isinstance(document, dict) else None
    for each in contexts if isinstance(contexts, list) else [contexts]:
        if isinstance(each, dict) and isinstance(each.get("@import"), str):
            each["@import"] = urljoin(address, each["@import"])
    return document


def remedy(address: str) -> str:
    """The ways to give a context that is not there, for an error."""
    place = place_of(address)
    inline = "inline it in the file"
    if place is None:
        return inline
    return (
        f"put it into the folder of the setting contexts as {place}, list its address in the setting "
        f"context_addresses, or {inline}"
    )


def packaged(address: str) -> Any:
    """The context with an address that comes with sage-ld or pyld, or None.

    >>> packaged("http://schema.org")["@context"]["@vocab"]
    'https://schema.org/'
    """
    name = PACKAGED.get(_key(address).removeprefix("www.")) or PACKAGED.get(_key(address))
    text = package_files.read_text(f"{package_files.CONTEXTS}/{name}.jsonld") if name else _bundled(address)
    return None if text is None else json.loads(text)


@cache
def _bundled(address: str) -> str | None:
    from pyld import BUNDLED_CONTEXTS

    paths = {_key(each): path for each, path in BUNDLED_CONTEXTS.items()}
    path = paths.get(_key(address))
    return None if path is None else path.read_text("utf-8")


def _key(address: str) -> str:
    return re.sub(r"^https?://|/$", "", address)


def place_of(address: str) -> PurePosixPath | None:
    """The path of a context in the folder, as `wget --force-directories` has it; None for no such address.

    >>> place_of("https://example.org:8080/ns/a?v=2").as_posix()
    'example.org+8080/ns/a@v=2.jsonld'
    >>> place_of("https://example.org/../a") is None
    True
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    host = host.replace(":", ".") + (f"+{port}" if port else "")
    last = f"@{parts.query}" if parts.query else ""
    segments = [host, *filter(None, f"{parts.path.rstrip('/') or '/index'}{last}".split("/"))]
    if parts.scheme not in ("http", "https") or any(
        set(each) <= {"."} or not _SEGMENT.fullmatch(each) for each in segments
    ):
        return None
    if not segments[-1].endswith((".jsonld", ".json")):
        segments[-1] += ".jsonld"
    return PurePosixPath(*segments)


def stored(address: str, settings: Settings) -> bytes | None:
    """The content of a context in the folder, or None.

    Raises LimitError, and ContextError where it was fetched and has been changed, or cannot be read.
    """
    place = place_of(address)
    if not settings.contexts or place is None or not (path := Path(settings.contexts, place)).is_file():
        return None
    subject = f"the context {address}, which is {path}"
    try:
        with path.open("rb") as file:
            data = file.read(settings.max_context_bytes + 1)
        listed = {digest for digest, name in _listed(settings.contexts) if name == place.as_posix()}
    except OSError as error:
        raise ContextError(f"{subject}, cannot be read: {error.strerror}") from None
    if len(data) > (limit := settings.max_context_bytes):
        raise LimitError.of(subject, path.stat().st_size, limit, "bytes", "max_context_bytes")
    if listed and hashlib.sha256(data).hexdigest() not in listed:
        raise ContextError(f"{subject}, is not what was fetched; delete it, or its line in {HASHES}")
    return data


def _listed(folder: str) -> Iterator[tuple[str, str]]:
    path = Path(folder, HASHES)
    if path.is_file():
        for line in path.read_text("utf-8", "replace").splitlines():
            if match := _LISTED.fullmatch(line):
                yield match[1], match[2]


def _parsed(data: bytes, subject: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ContextError(
            f"{subject} is no JSON; correct it in the folder of the setting contexts"
        ) from None


def is_allowed(address: str, settings: Settings) -> bool:
    """Whether the setting `context_addresses` lists an address, by its beginning.

    >>> is_allowed("https://example.org.evil/ns", Settings(context_addresses="https://example.org"))
    False
    """
    if not settings.contexts or place_of(address) is None:
        return False
    parts = urlsplit(address)
    for each in entries(settings.context_addresses):
        allowed = urlsplit(each)
        same_host = (allowed.scheme, allowed.netloc) == (parts.scheme, parts.netloc)
        if same_host and parts.path.startswith(allowed.path):
            return True
    return False
