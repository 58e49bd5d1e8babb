"""JSON-LD whose context is an address: contexts of the package, of a folder, and of other hosts."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from build.readers.reading import read
from context_host import CONTEXT, REPLIES, Host, context_host, given
from pyld import BUNDLED_CONTEXTS, jsonld
from waiting import PATIENCE

from sage_ld.build.readers import read_paths
from sage_ld.build.readers.contexts import PACKAGED, ContextLoader, packaged, place_of
from sage_ld.foundation.errors import InputError, LimitError, SageError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph

EXAMPLES = Path(__file__).parent / "linked_data"
CRM, LA = "http://www.cidoc-crm.org/cidoc-crm/", "https://linked.art/ns/terms/"
OA, AS = "http://www.w3.org/ns/oa#", "https://www.w3.org/ns/activitystreams#"
XSD, DCT = "http://www.w3.org/2001/XMLSchema#", "http://purl.org/dc/terms/"
PREZI_2, PREZI_3 = "http://iiif.io/api/presentation/2#", "http://iiif.io/api/presentation/3#"
STATED = {
    "linked_art": [
        f"<https://example.org/object/1> <{CRM}P108i_was_produced_by> _:b",
        f'_:b <{CRM}P82a_begin_of_the_begin> "1866-01-01T00:00:00Z"^^<{XSD}dateTime>',
        f"_:b <{CRM}P14_carried_out_by> <https://example.org/person/1>",
        f"<https://example.org/object/1> <{CRM}P46_is_composed_of> <https://example.org/object/1/frame>",
        f'_:b <{CRM}P190_has_symbolic_content> "OS-1867"',
        f'_:b <{CRM}P90_has_value> "8.45E1"^^<{XSD}double>',
    ],
    "iiif_2": [
        f"<https://example.org/iiif/book1/manifest> <{PREZI_2}hasSequences> _:b",
        f"<https://example.org/iiif/book1/manifest> <{DCT}rights> <https://example.org/license.html>",
        f"_:b <{OA}hasTarget> <https://example.org/iiif/book1/canvas/p1>",
        "<https://example.org/images/book1-page1> <http://usefulinc.com/ns/doap#implements> "
        "<http://iiif.io/api/image/2/level1.json>",
    ],
    "iiif_3": [
        '<https://example.org/iiif/book1/manifest> <http://www.w3.org/2000/01/rdf-schema#label> "Book 1"@en',
        '<https://example.org/iiif/book1/manifest> <http://www.w3.org/2000/01/rdf-schema#label> "OS 12"',
        f"<https://example.org/iiif/book1/annotation/p1> <{OA}hasBody> "
        "<https://example.org/iiif/book1/page1.jpg>",
        f"<https://example.org/iiif/book1/annotation/p1> <{OA}motivatedBy> <{PREZI_3}painting>",
        f"<https://example.org/iiif/book1/manifest> <{PREZI_3}behavior> <{PREZI_3}pagedHint>",
        f"<https://example.org/iiif/3/page1> <{DCT}conformsTo> <http://iiif.io/api/image/3/level1.json>",
        "<https://example.org/iiif/2/page1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
        "<http://iiif.io/api/image/2#ImageService>",
    ],
    "web_annotation": [
        f"<http://example.org/anno1> <{OA}motivatedBy> <{OA}tagging>",
        f'<http://example.org/anno1> <{DCT}created> "2015-01-31T12:03:45Z"^^<{XSD}dateTime>',
        f'_:b <{OA}start> "412"^^<{XSD}nonNegativeInteger>',
        f"_:b <{OA}hasSource> <http://example.org/page1>",
        '<http://example.org/user1> <http://xmlns.com/foaf/0.1/nick> "pseudo"',
    ],
    "activitystreams": [
        f"<http://example.org/act/1> <{AS}actor> <http://www.test.example/martin>",
        f'<http://www.test.example/blog/abc123/xyz> <{AS}content> "Mi perro tiene pulgas."@es',
        '<http://example.org/act/1> <https://canine-extension.example/terms/smelt> "of rain"',
    ],
    "credential": [
        "<http://university.example/credentials/3732> <https://www.w3.org/2018/credentials#issuer> "
        "<did:example:76e12ec712ebc6f1c221ebfeb1f>",
        '<did:example:ebfeb1f712ebc6f1c276e12ec21> <https://schema.org/alumniOf> "Example University"',
    ],
    "did": ["<did:example:123> <https://w3id.org/security#controller> <did:example:456>"],
    "dcat_ap": [
        f'<http://data.example.org/bees> <{DCT}title> "Bee population"@en',
        f"<http://data.example.org/bees.csv> <http://www.w3.org/ns/dcat#byteSize> "
        f'"120"^^<{XSD}nonNegativeInteger>',
        "<http://data.example.org/bees> <http://www.w3.org/ns/dcat#distribution> "
        "<http://data.example.org/bees.csv>",
        '<http://data.example.org/agent> <http://xmlns.com/foaf/0.1/name> "Apiary"',
    ],
    "csvw": [
        "<http://example.org/tables> <http://www.w3.org/ns/csvw#table> <http://example.org/t.csv>",
        f"_:b <http://www.w3.org/ns/csvw#datatype> <{XSD}string>",
        '_:b <http://www.w3.org/ns/csvw#aboutUrl> "http://example.org/{id}"'
        "^^<http://www.w3.org/ns/csvw#uriTemplate>",
    ],
    "geojson": [
        "<http://example.org/f/1> <https://purl.org/geojson/vocab#geometry> _:b",
        f'_:b <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> "1.25E1"^^<{XSD}double>',
    ],
    "schema_org": [
        '<https://example.org/#org> <https://schema.org/name> "Museum of Osmere"',
        "<https://example.org/#org> <https://schema.org/url> <https://example.org/>",
    ],
}


def lines(statements: Any) -> set[str]:
    """Statements as lines in which all blank nodes have one name."""
    return {
        " ".join("_:b" if str(term).startswith("_:") else str(term) for term in each) for each in statements
    }


def test_each_example_has_what_it_must_state() -> None:
    assert {each.stem for each in EXAMPLES.iterdir()} == set(STATED)


@pytest.mark.parametrize("name", STATED)
def test_linked_data_of_well_known_kinds_is_read_without_a_network(tmp_path: Path, name: str) -> None:
    text = (EXAMPLES / f"{name}.json").read_text()
    document = read(tmp_path, f"{name}.jsonld", text)
    missing = set(STATED[name]) - lines(document.statements)
    assert not missing, f"of {lines(document.statements)}"
    assert document.warnings == ()


@pytest.mark.parametrize("address", [*PACKAGED, *BUNDLED_CONTEXTS])
def test_each_context_of_the_package_is_valid(address: str) -> None:
    address = address if "://" in address else f"http://{address}"
    value = {"@context": address, "@id": "urn:a", "http://e.org/p": "x"}
    loader = ContextLoader("a", Settings())
    assert jsonld.expand(value, {"documentLoader": loader}) == [
        {"@id": "urn:a", "http://e.org/p": [{"@value": "x"}]}
    ]
    assert packaged(address.replace("https:", "http:")) == packaged(address)


def test_the_page_about_contexts_lists_each() -> None:
    page = (Path(__file__).parents[3] / "docs" / "contexts.md").read_text("utf-8")
    table = page.partition("## Contexts of the package")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = [address for row in rows for address in re.findall(r"`([^`]+)`", row)]
    assert sorted(listed) == sorted(
        [*PACKAGED, *(each.removeprefix("https://") for each in BUNDLED_CONTEXTS)]
    )


def test_places_in_the_folder() -> None:
    for address in (
        "https://example.org/a/../b",
        "file:///etc/passwd",
        "https://example.org/a%2F..\\b\0",
        "https:///a",
        "https://example.org/" + "a" * 300,
        "https://[::1/a",
    ):
        assert place_of(address) is None, address
    assert str(place_of("HTTPS://Example.org/ns#t")).lower() == "example.org/ns.jsonld"
    assert str(place_of("http://[::1]:80/ns.json")) == "..1+80/ns.json"


def data(*contexts: object) -> str:
    return json.dumps({"@context": list(contexts), "@id": "urn:a", "name": "x"})


NAME = '<urn:a> <http://v.example/name> "x"'


def test_a_context_of_the_folder_is_used_before_that_of_the_package(tmp_path: Path) -> None:
    place = tmp_path / "contexts" / "schema.org" / "index.jsonld"
    place.parent.mkdir(parents=True)
    settings = Settings(contexts=str(tmp_path / "contexts"))
    before = read(tmp_path, "a.jsonld", data("https://schema.org"), settings)
    place.write_text(CONTEXT.decode())
    document = read(tmp_path, "a.jsonld", data("https://schema.org"), settings)
    assert NAME in lines(document.statements)
    assert document.content_hash != before.content_hash, "what it says depends on the folder"
    place.write_text("x" * 2000)
    with pytest.raises(InputError, match="is no JSON"):
        read(tmp_path, "a.jsonld", data("https://schema.org"), settings)
    limited = Settings(contexts=settings.contexts, max_context_bytes=1000)
    with pytest.raises(LimitError, match=r"2,000 bytes.*max_context_bytes"):
        read(tmp_path, "a.jsonld", data("https://schema.org"), limited)


def test_contexts_name_contexts(tmp_path: Path) -> None:
    folder = tmp_path / "contexts" / "e.example"
    folder.mkdir(parents=True)
    (folder / "a.jsonld").write_text('{"@context": ["b.jsonld", {"more": "http://v.example/more"}]}')
    (folder / "b.jsonld").write_text('{"@context": {"@import": "c.jsonld", "name": "v:name"}}')
    (folder / "c.jsonld").write_text('{"@context": {"v": "http://v.example/"}}')
    (folder / "loop.jsonld").write_text('{"@context": "loop.jsonld"}')
    settings = Settings(contexts=str(tmp_path / "contexts"))
    assert lines(read(tmp_path, "a.jsonld", data("https://e.example/a.jsonld"), settings).statements) == {
        NAME
    }
    with pytest.raises(InputError, match=r"no JSON-LD: .*context overflow"):
        read(tmp_path, "a.jsonld", data("https://e.example/loop.jsonld"), settings)
    with pytest.raises(InputError, match=r"contexts as e\.example/d\.jsonld, list its address"):
        read(tmp_path, "a.jsonld", data("https://e.example/d"), settings)


def test_what_is_too_deep_for_a_context_is_an_error(tmp_path: Path) -> None:
    deep = '{"@type": "Person", "knows": ' * 199 + "{}" + "}" * 199
    text = '{"@context": "https://schema.org", ' + deep[1:]
    document = read(tmp_path, "a.jsonld", text)
    assert len(document.statements) >= 199


# --- fetching ------------------------------------------------------------------------------------------


@pytest.fixture
def host() -> Iterator[Host]:
    with context_host() as found:
        yield found


def outcome(folder: Path, text: str, settings: Settings, name: str = "a.jsonld") -> Any:
    """The document of a file, or its error, read as an ingest does: by a process without a network."""
    source = folder / "files"
    source.mkdir(exist_ok=True)
    (source / name).write_text(text)
    [found] = read_paths([source], settings)
    return found.error or found.documents[0]


def allowing(folder: Path, host: Host, **more: Any) -> Settings:
    return Settings(contexts=str(folder / "contexts"), context_addresses=f"{host.address}/", **more)


def test_nothing_is_fetched_by_default(tmp_path: Path, host: Host) -> None:
    (tmp_path / "contexts").mkdir()
    for settings in (
        Settings(),
        Settings(contexts=str(tmp_path / "contexts")),
        Settings(context_addresses=f"{host.address}/"),  # it would have no place
        Settings(
            contexts=str(tmp_path / "contexts"), context_addresses="http://127.0.0.1:1/,http://127.0.0.1"
        ),
        Settings(contexts=str(tmp_path / "contexts"), context_addresses=f"{host.address}/other"),
    ):
        error = outcome(tmp_path, data(f"{host.address}/ns"), settings)
        assert isinstance(error, InputError)
        assert "not fetched; put it into the folder of the setting contexts as 127.0.0.1+" in str(error)
    assert host.asked == []


def test_a_context_is_fetched_once_and_kept_with_its_hash(tmp_path: Path, host: Host) -> None:
    settings = allowing(tmp_path, host)
    for _ in range(2):
        document = outcome(tmp_path, data(f"{host.address}/ns"), settings)
        assert NAME in lines(document.statements)
    assert host.asked == ["/ns"]
    kept = tmp_path / "contexts" / f"127.0.0.1+{host.port}" / "ns.jsonld"
    assert kept.read_bytes() == CONTEXT
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=tmp_path / "contexts", check=True)
    kept.write_bytes(CONTEXT.replace(b"v.example", b"w.example"))
    assert "is not what was fetched" in str(outcome(tmp_path, data(f"{host.address}/ns"), settings))
    assert hashlib.sha256(CONTEXT).hexdigest() in (tmp_path / "contexts" / "SHA256SUMS").read_text()


@pytest.mark.parametrize("path", ["/moved", "/page"])
def test_a_context_is_followed_to_where_it_lies(tmp_path: Path, host: Host, path: str) -> None:
    document = outcome(tmp_path, data(f"{host.address}{path}"), allowing(tmp_path, host))
    assert NAME in lines(document.statements)
    assert host.asked == [path, "/ns"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/away", "which leads to http://169.254.169.254/latest, is not in the list"),
        ("/loop", "3 redirects, the limit is 2; .*max_context_redirects"),
        ("/large", "the limit is 1,000; .*max_context_bytes"),
        ("/packed", "is compressed"),
        ("/gone", "status 404"),
        ("/text", "is no JSON-LD context"),
        ("/slow", "context_timeout"),
    ],
)
def test_what_cannot_be_fetched_is_an_error_of_the_file(
    tmp_path: Path, host: Host, path: str, reason: str
) -> None:
    seconds = 0.5 if reason == "context_timeout" else PATIENCE
    limits = {"max_context_bytes": 1000, "max_context_redirects": 2, "context_timeout": seconds}
    error = outcome(tmp_path, data(f"{host.address}{path}"), allowing(tmp_path, host, **limits))
    assert isinstance(error, SageError)
    assert str(error).startswith(f"a.jsonld: the context {host.address}{path}")
    with pytest.raises(InputError, match=reason):
        raise error
    assert not list((tmp_path / "contexts").rglob("*.jsonld"))


def test_a_private_address_behind_a_name_is_refused_unless_it_is_listed(tmp_path: Path, host: Host) -> None:
    address = f"http://localhost:{host.port}"
    settings = Settings(contexts=str(tmp_path / "contexts"), context_addresses=address)
    error = outcome(tmp_path, data(f"{address}/ns"), settings)
    assert "lies at the private address 127.0.0.1" in str(error).replace("::1, ", "")
    assert host.asked == []
    settings = Settings(contexts=settings.contexts, context_addresses=f"{address}, 127.0.0.0/8")
    assert NAME in lines(outcome(tmp_path, data(f"{address}/ns"), settings).statements)


def test_a_file_does_not_have_contexts_fetched_without_end(tmp_path: Path, host: Host) -> None:
    REPLIES.update({f"/n{number}": given(CONTEXT) for number in range(4)})
    named = [f"{host.address}/n{number}" for number in range(4)]
    error = outcome(tmp_path, data(*named), allowing(tmp_path, host, max_contexts=3))
    assert "4 contexts, the limit is 3" in str(error)
    assert len(host.asked) == 3


def test_a_page_and_an_archive_have_their_contexts_fetched_too(tmp_path: Path, host: Host) -> None:
    script = f'<script type="application/ld+json">{data(f"{host.address}/ns")}</script>'
    page = f"<html><head><title>Quay</title>{script}</head><body><p>A quay of stone.</p></body></html>"
    refused = outcome(tmp_path, page, Settings(), "a.html")
    assert dict(refused.passed_over) == {"unreadable data block": 1}
    assert f"its context {host.address}/ns does not come with sage-ld" in refused.warnings[0]
    assert not refused.statements
    document = outcome(tmp_path, page, allowing(tmp_path, host), "a.html")
    assert NAME in lines(document.statements)
    assert document.passed_over == ()
    assert document.warnings == ()


def everything(graph: KnowledgeGraph) -> str:
    with graph.writer() as writer:
        return "\n".join(map(str, writer.store.quads_for_pattern(None, None, None, None)))


def test_what_a_context_says_goes_with_its_file(tmp_path: Path) -> None:
    """Deletion is exact: nothing that came by a context is left."""
    for name in ("linked_art", "schema_org"):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{name}.jsonld").write_bytes((EXAMPLES / f"{name}.json").read_bytes())
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    graph.ingest([tmp_path / "in"])
    assert "P108i_was_produced_by" in everything(graph)
    graph.delete(["linked_art.jsonld"])
    left = everything(graph)
    assert "cidoc-crm" not in left
    assert "Museum of Osmere" in left
