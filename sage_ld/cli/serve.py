"""Commands of the service: serve, and token, which makes its access tokens."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.foundation.errors import InputError

tokens = typer.Typer(help="Manage the access tokens of the service.", no_args_is_help=True)
app.add_typer(tokens, name="token")


@app.command()
def serve(
    graph: GRAPH,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 8000,
    processes: Annotated[int, typer.Option(help="Number of web processes.", min=1, max=256)] = 1,
    base_iri: Annotated[
        str | None,
        typer.Option(
            help="The graph's base IRI, to confirm that clients reach it there; sage-ld rebase changes it."
        ),
    ] = None,
) -> None:
    """Serve search, SPARQL, linked data and exports over HTTP.

    A graph whose IRIs are on localhost is served to other machines only with --base-iri.

    Example: sage-ld serve films --port 8000
    """
    if os.name == "nt":
        raise InputError("sage-ld serve runs on Linux and macOS only; on Windows, run it in WSL")
    from sage_ld.service.server import serve as run

    run(graph, host, port, processes=processes, base_iri=base_iri)


@tokens.command()
def create(
    graph: GRAPH,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of its owner.")],
    role: Annotated[str, typer.Option(help="read, write or admin.")] = "read",
) -> None:
    """Create a token and print it once; only its hash is stored.

    Example: sage-ld token create films alice --role write
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.service.access.tokens import AccessRole, create_token

    KnowledgeGraph.open(graph).close()
    typer.echo(create_token(graph, name, AccessRole.named(role), datetime.now(UTC).date().isoformat()))


@tokens.command("list")
def list_tokens(graph: GRAPH) -> None:
    """List the names of the tokens with their roles and days; the tokens themselves are not kept.

    Example: sage-ld token list films
    """
    from sage_ld.foundation.shown_text import harmless
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.service.access.tokens import FILE, read_tokens

    KnowledgeGraph.open(graph).close()
    for each in read_tokens(graph / FILE):
        typer.echo(f"{each.role.name.lower():5}  {each.created}  {harmless(each.name)}")


@tokens.command()
def revoke(
    graph: GRAPH, name: Annotated[str, typer.Argument(metavar="NAME", help="The name of its owner.")]
) -> None:
    """Revoke a token; a service that runs refuses it at once.

    Example: sage-ld token revoke films alice
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.service.access.tokens import revoke_token

    KnowledgeGraph.open(graph).close()
    revoke_token(graph, name)
