"""The check of the address at which a graph is served: whether clients can look its IRIs up there."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from sage_ld.foundation.errors import InputError
from sage_ld.service.access.hosts import is_loopback


def check_base(graph: str, base_iri: str, host: str, port: int, *, confirmed: str | None) -> None:
    """Raises InputError for a graph with IRIs on this machine's own name that is served to other machines.

    Not where the user has `confirmed` the base IRI: a proxy or a container may map the address. Raises
    InputError, too, for a base IRI that is confirmed and not the graph's.
    """
    if confirmed is not None and confirmed != base_iri:
        raise InputError(
            f"--base-iri {confirmed} is not that of {graph}, which is {base_iri}; move the graph there: "
            f"sage-ld rebase {graph} {confirmed}"
        )
    if confirmed is None and not is_loopback(host) and is_loopback(urlsplit(base_iri).hostname or ""):
        raise InputError(
            f"host {host} serves other machines, which would look up the graph's IRIs ({base_iri}) on "
            "themselves; "
            f"move the graph: sage-ld rebase {graph} http://NAME:{port}/id/ (or, if clients do reach it at "
            f"that address, such as that of a container: --base-iri {base_iri})"
        )


def other_address(base_iri: str, host: str, port: int) -> bool:
    """Whether the IRIs below `base_iri` cannot lead to a service that listens on `host` and `port`.

    >>> other_address("http://localhost:8000/id/", "127.0.0.1", 8000)
    False
    >>> other_address("http://localhost:8000/id/", "127.0.0.1", 8080)
    True
    >>> other_address("http://graph.example.org/id/", "0.0.0.0", 80)
    False
    """
    base = urlsplit(base_iri)
    if is_loopback(host) and not is_loopback(base.hostname or ""):
        return True
    return base.scheme != "http" or _port(base) != port


def _port(base: SplitResult) -> int | None:
    try:
        return base.port or 80
    except ValueError:
        return None
