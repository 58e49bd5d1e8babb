import pytest
from build.readers.reading import read
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse, serialize

from sage_ld.foundation.model import Record

TURTLE = """\
@prefix : <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sage: <https://w3id.org/sage-ld#> .
:Let_It_Be a :StudioAlbum ; :description "%s" ; :releaseDate "1970-05-08" ;
    :artist :b, <http://e.org/No%%20One_(band)>, [ :name "Session" ], [ :role "drums" ] ;
    :name "Let It Be", "Lass es"@de .
:b rdfs:label "Die Käfer"@de, "The Beatles"@en .
:n :count 7 .
:x sage:similarTo :y . :x a sage:Chunk . :r rdfs:comment "kept" .
:r <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( :x sage:similarTo :y )>>, <<( :x :knows :y )>> .
""" % ("A long description. " * 20)


def test_a_resource_with_words_is_a_record_and_what_it_points_to_has_its_label(tmp_path):
    document = read(tmp_path, "a.ttl", TURTLE)
    album, band, reifier = document.blocks
    assert isinstance(album, Record)
    assert (album.name, album.subject) == ("Let It Be", "http://e.org/Let_It_Be")
    assert album.fields == (
        ("name", "Let It Be; Lass es"),
        ("type", "StudioAlbum"),
        ("release date", "1970-05-08"),
        ("artist", "The Beatles; No One (band); Session; role: drums"),
        ("description", ("A long description. " * 20).strip()),
    )
    assert (band.name, band.subject) == ("The Beatles", "http://e.org/b")
    assert reifier.fields == (("comment", "kept"),)


def test_our_own_vocabulary_is_reserved(tmp_path):
    document = read(tmp_path, "a.ttl", TURTLE)
    assert "sage-ld#" not in " ".join(str(term) for statement in document.statements for term in statement)
    knows = Triple(NamedNode("http://e.org/x"), NamedNode("http://e.org/knows"), NamedNode("http://e.org/y"))
    assert knows in {statement[2] for statement in document.statements}
    assert len(document.statements) == len(list(parse(TURTLE, RdfFormat.TURTLE))) - 3


@pytest.mark.parametrize("suffix", [".nt", ".trig", ".nq", ".rdf", ".owl", ".jsonld"])
def test_every_syntax_says_the_same(tmp_path, suffix):
    simple = '<http://e.org/a> <http://e.org/name> "A" ; <http://e.org/knows> [ <http://e.org/name> "B" ] .'
    quads = list(parse(simple, RdfFormat.TURTLE))
    media_type = read(tmp_path, "a.ttl", simple).media_type
    form = RdfFormat.RDF_XML if suffix == ".owl" else RdfFormat.from_extension(suffix[1:])
    document = read(tmp_path, f"a{suffix}", serialize(quads, format=form))
    assert document.text == "name: A\nknows: B"
    assert len(document.statements) == 3
    assert document.media_type == form.media_type != media_type


def test_named_graphs_keep_their_names(tmp_path):
    document = read(
        tmp_path, "a.trig", '<http://e/g> { <http://e/a> <http://e/b> "c" } <http://e/a> <http://e/b> "c" .'
    )
    statement = NamedNode("http://e/a"), NamedNode("http://e/b"), Literal("c")
    assert document.statements == (statement,)
    assert document.named_statements == ((*statement, NamedNode("http://e/g")),)
    assert document.text == "b: c"


def test_blank_nodes_are_the_same_in_two_reads_and_in_no_two_files(tmp_path):
    content = '_:x <http://e/b> "c" . <http://e/r> <http://e/s> <<( _:x <http://e/b> "c" )>> .'

    def nodes(name):
        statements = read(tmp_path, name, content).statements
        found = [term for statement in statements for term in statement if isinstance(term, BlankNode)]
        found += [term.subject for *_, term in statements if isinstance(term, Triple)]
        return set(found)

    assert len(nodes("a.ttl")) == 1
    assert nodes("a.ttl") == nodes("a.ttl")
    assert not nodes("a.ttl") & nodes("b.ttl")


def test_relative_iris_are_resolved_below_the_ingested_folder(tmp_path):
    document = read(tmp_path, "films/a b.ttl", '<#me> <http://e/b> <other.ttl#x> ; <http://e/name> "Me" .')
    assert [str(term) for term in document.statements[0]] == [
        "<file:///films/a%20b.ttl#me>",
        "<http://e/b>",
        "<file:///films/other.ttl#x>",
    ]


def test_a_file_that_says_nothing_in_words_keeps_its_triples(tmp_path):
    document = read(tmp_path, "a.ttl", "<http://e/a> <http://e/b> 1 .")
    assert (document.text, document.blocks) == ("", ())
    assert len(document.statements) == 1


def test_owl_files_may_declare_their_namespaces_as_entities(tmp_path):
    content = (
        '<!DOCTYPE rdf:RDF [<!ENTITY e "http://e.org/">]>'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">'
        '<rdf:Description rdf:about="&e;a"><e:name>A</e:name></rdf:Description></rdf:RDF>'
    )
    [record] = read(tmp_path, "a.owl", content).blocks
    assert record.subject == "http://e.org/a"
