"""Extracted answers: what they say, where that stands, and that they say nothing where the graph does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from service.web import fits

from sage_ld.agents.answering import CitedAnswer, answer_question
from sage_ld.agents.answering.forms import cited_answer_jsonld, events, plain_cited_answer
from sage_ld.agents.answering.question_parts import AskedKind, asked_kind, clauses, holds
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.stored_documents import document_text
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import triples


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was Mira Tolland born?", "born 1968"),
        ("How many seats does the Regent in Tarrow have?", "612"),
        ("Who directed Night Bus to Hask?", "Isolde Brack"),
        ("In which town is the cinema Salt Cellar?", "Town: Sennet"),
        ("Who published the book that The Glass Orchard is based on?", "Tamarisk House"),
    ],
)
def test_an_answer_says_what_is_asked(retriever: Retriever, question: str, answer: str) -> None:
    assert answer in answer_question(retriever, question).text


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many seats does the Regent have, and who composed The Ninth Ferry?", ("612", "Tobias Wren")),
        ("Who published Saltings? When did the Regent open?", ("Chandler & Sons", "1926")),
        ("When was Mira Tolland born and who composed The Ninth Ferry?", ("1968", "Tobias Wren")),
    ],
)  # fmt: skip
def test_each_of_several_questions_is_answered(
    retriever: Retriever, question: str, answers: tuple[str, ...]
) -> None:
    answer = answer_question(retriever, question)
    assert all(
        each in sentence.text
        for each, sentence in zip(answers, answer.sentences[: len(answers)], strict=True)
    ), answer.text


def test_the_one_of_two_questions_that_the_graph_does_not_answer_is_named(retriever: Retriever) -> None:
    answer = answer_question(retriever, "Who directed Night Bus to Hask? What is the wavelength of a photon?")
    assert "Isolde Brack" in answer.text
    assert answer.note == "the graph does not say: What is the wavelength of a photon?"


def test_no_more_questions_are_searched_than_sentences_are_asked_for(retriever: Retriever) -> None:
    question = "Who directed Night Bus to Hask? When did the Regent open?"
    answer = answer_question(retriever, question, sentences=1)
    assert len(answer.sentences) == 1
    assert answer.note == "ask by itself: When did the Regent open?"


@pytest.mark.parametrize(
    "question",
    [
        "Who directed the film that was shot in Hask and who wrote its music?",
        "Which player was born in Oslo and which played for Brann?",
        "Where is it, and what?",
        "and" + " " * 5000 + "what",
    ],
)
def test_a_relative_clause_is_no_question_of_its_own(question: str) -> None:
    assert clauses(question) == [question]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which instrument did the composer of The Ninth Ferry play?", "hurdy-gurdy"),
        ("Where did the cinematographer honoured at the Fog Gala grow up?", "Lower Vey"),
        ("Who was the composer of The Ninth Ferry?", "The composer was Tobias Wren"),
    ],
)
def test_the_questions_of_the_readme_are_answered_along_the_path(
    tmp_path: Path, question: str, answer: str
) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph")
    graph.ingest([Path(__file__).parents[3] / "examples" / "films"])
    assert answer in answer_question(Retriever(graph), question).text
    graph.close()


DEVICES = "device,kind,room\nAN-08,red analyser,room 2.07\nAN-07,analyser,hall\nAN-11,analyser,room 2.07\n"
CODES = "code,meaning\nE-218,clot in the probe\nE-305,lamp too old\nE-217,slope of electrode too low\n"
MAIL = (
    "From: Ward 5B <ward@clinic.example>\nTo: Lab <lab@clinic.example>\n"
    "Date: Mon, 3 Mar 2025 09:00:00 +0000\n"
    "Subject: hemolytic sample\n\nThe hemolytic sample must be drawn again.\n"
)


@pytest.fixture
def laboratory(tmp_path: Path) -> Iterator[Retriever]:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.add(DEVICES, identifier="devices.csv", media_type="text/csv")
    graph.add(CODES, identifier="codes.csv", media_type="text/csv")
    graph.add("AN07 shows E217 in the morning. The electrode was changed.", identifier="ticket")
    graph.add(MAIL, identifier="mail.eml", media_type="message/rfc822")
    yield Retriever(graph)
    graph.close()


@pytest.mark.parametrize(
    ("question", "holders", "other"),
    [
        ("In which room is the red analyser AN-07?", ["AN-07", "AN07"], "AN"),
        ("In which room is the red analyser an07?", ["AN-07", "AN07"], "AN"),
        ("What does E-305 mean?", ["E-305"], "E-"),
        ("What does E217 mean?", ["E-217", "E217"], "E-"),
    ],
)
def test_what_has_another_identifier_comes_after_what_has_that_which_is_asked_for(
    laboratory: Retriever, question: str, holders: list[str], other: str
) -> None:
    texts = [each.text for each in answer_question(laboratory, question, sentences=5).sentences]
    assert holders[0] in " ".join(texts)
    holds = [any(each in text for each in holders) for text in texts if other in text]
    assert holds[0]
    assert holds == sorted(holds, reverse=True)


def test_an_identifier_that_no_chunk_has_is_not_in_the_graph(laboratory: Retriever) -> None:
    found = answer_question(laboratory, "What is the room of LC-4410?")
    assert not found.in_graph
    assert found.note == "not in the graph: LC-4410"
    both = answer_question(laboratory, "In which room are AN-07 and AN-99?")
    assert both.in_graph
    assert both.note.startswith("not in the graph: AN-99")


def test_the_head_of_a_mail_is_a_sentence_only_where_it_may_answer(laboratory: Retriever) -> None:
    done = answer_question(laboratory, "What must be done with the hemolytic sample?", sentences=5)
    assert done.sentences[0].text == "The hemolytic sample must be drawn again."
    assert not any("From: Ward" in each.text for each in done.sentences)
    sent = answer_question(
        laboratory, "When was the mail of the hemolytic sample of Ward 5B sent?", sentences=5
    )
    assert any("2025" in each.text for each in sent.sentences)


ITEMS = ("(a) the tenant pays late", "(b) the roof leaks", "(c) the landlord sells")


@pytest.mark.parametrize(
    ("media_type", "text"),
    [
        ("text/plain", "The lease ends if\n\n" + "\n".join(ITEMS)),
        ("text/html", "<p>The lease ends if<p>" + "<br>".join(ITEMS)),
    ],
)
def test_an_item_is_named_by_its_letter(tmp_path: Path, media_type: str, text: str) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.add(text, identifier="lease", media_type=media_type)
    retriever = Retriever(graph)
    for question, item in (("What happens in case (b)?", ITEMS[1]), ("And (c)?", ITEMS[2])):
        assert answer_question(retriever, question).text.startswith(item)
    assert "does not say" in answer_question(retriever, "What happens in case (d)?").text
    graph.add("Of a loan:\n\n(a) the rate\n(b) the term", identifier="loan")
    assert "does not say" in answer_question(Retriever(graph), "What happens in case (b)?").text
    graph.close()


@pytest.mark.parametrize("question", ["How heavy is the Evita V600?", "How much does the Evita V600 weigh?"])
def test_a_weight_is_a_number_with_a_unit(tmp_path: Path, question: str) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    sheet = "# Evita V600\n\nThe Evita V600 is a ventilator. It was bought in 2020. It weighs 31.5 kg."
    rows = "incident,device,reported\n4,Evita V600,2025-02-27\n5,Evita V600,2024-01-15\n"
    graph.add(sheet, identifier="evita.md", media_type="text/markdown")
    graph.add(rows, identifier="incidents.csv", media_type="text/csv")
    for number in range(5):
        graph.add(f"Room {number} has a heavy door.", identifier=f"room-{number}")
    answer = answer_question(Retriever(graph), question, sentences=3)
    assert "It weighs 31.5 kg." in [each.text for each in answer.sentences]
    graph.close()


@pytest.mark.parametrize(
    "question",
    [
        "What is the boiling point of tungsten?",
        "Which enzyme unwinds double-stranded DNA?",
        "How do I renew my passport abroad?",
    ],
)
def test_what_the_graph_does_not_have_is_said(retriever: Retriever, question: str) -> None:
    answer = answer_question(retriever, question)
    assert not answer.in_graph
    assert answer.text == "The graph does not say."
    assert answer.retrieval.results


def test_each_quotation_stands_where_it_says(films: KnowledgeGraph, retriever: Retriever) -> None:
    store = films.snapshot().stores.named
    for question in ("Which cinema in Tarrow has how many seats?", "Who directed Night Bus to Hask?"):
        answer = answer_question(retriever, question, sentences=10)
        assert len(answer.sentences) == 10
        for sentence in answer.sentences:
            for each in sentence.citations:
                text = document_text(store, films.iris, each.chunk.document, limit=10**6, setting="")
                assert text[each.begin : each.end] == each.quote
                assert each.quote in each.chunk.text


def test_a_row_comes_with_its_cells(retriever: Retriever) -> None:
    answer = answer_question(retriever, "How many seats does the cinema Salt Cellar have?")
    row = next(each for each in answer.sentences if each.cells)
    assert dict(row.cells)["Seats"] == "60"
    assert row.text == "; ".join(f"{column}: {value}" for column, value in row.cells)


def test_nothing_is_said_twice(tmp_path_factory: pytest.TempPathFactory) -> None:
    graph = KnowledgeGraph.create(tmp_path_factory.mktemp("twice") / "graph", encoder="jaccard")
    for name in ("a", "b"):
        graph.add("The Salt Cellar in Sennet has sixty red seats.", identifier=name)
    graph.add("The Salt Cellar in Sennet opened in 1980.", identifier="c")
    said = [each.text for each in answer_question(Retriever(graph), "Salt Cellar in Sennet").sentences]
    graph.close()
    assert sorted(said) == [
        "The Salt Cellar in Sennet has sixty red seats.",
        "The Salt Cellar in Sennet opened in 1980.",
    ]


def test_the_number_of_sentences_is_bounded(films: KnowledgeGraph, retriever: Retriever) -> None:
    assert len(answer_question(retriever, "Who directed Night Bus to Hask?", sentences=1).sentences) == 1
    with pytest.raises(InputError, match="sentences is 0"):
        answer_question(retriever, "Who?", sentences=0)
    with pytest.raises(LimitError, match="max_answer_sentences"):
        answer_question(retriever, "Who?", sentences=films.settings.max_answer_sentences + 1)


def test_only_what_the_filter_allows_is_quoted(retriever: Retriever) -> None:
    from sage_ld.foundation.question import Filter

    answer = answer_question(
        retriever, "How many seats does the Regent have?", only=Filter(documents=("regent.html",))
    )
    assert {each.chunk.identifier for one in answer.sentences for each in one.citations} == {"regent.html"}


@pytest.fixture(scope="module")
def answer(retriever: Retriever) -> CitedAnswer:
    return answer_question(retriever, "How many seats does the Regent in Tarrow have?")


def test_its_forms_fit_their_descriptions(answer: CitedAnswer) -> None:
    document = cited_answer_jsonld(answer)
    fits(document, "CitedAnswer")
    fits(plain_cited_answer(answer), "PlainCitedAnswer")
    quoted = {each.predicate.value for each in triples(document)}
    assert {
        "https://schema.org/citation",
        "https://w3id.org/sage-ld#isInGraph",
        "http://www.w3.org/ns/prov#wasGeneratedBy",
        "https://w3id.org/sage-ld#beginIndex",
    } <= quoted


def test_every_name_of_the_document_is_a_term_of_its_context(answer: CitedAnswer) -> None:
    document = json.loads(json.dumps(cited_answer_jsonld(answer)))
    context = document.pop("@context")

    def names(value: object) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(names, value.values()))
        return set().union(*map(names, value)) if isinstance(value, list) else set()

    assert names(document) <= set(context)


def test_events_are_its_sentences_and_then_the_whole(answer: CitedAnswer) -> None:
    *sentences, last = events((*answer.sentences, answer))
    assert [each.name for each in sentences] == ["sentence"] * len(answer.sentences)
    assert last.name == "answer"
    assert last.data["hasPart"] == [each.data for each in sentences]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who wrote it?", AskedKind.NAME),
        ("Where was it filmed?", AskedKind.PLACE),
        ("When did it open?", AskedKind.DATE),
        ("How many seats are there?", AskedKind.NUMBER),
        ("Tell me about it", None),
    ],
)
def test_the_kind_that_is_asked_for(question: str, kind: AskedKind | None) -> None:
    assert asked_kind(question) is kind


def test_what_the_question_says_is_no_answer() -> None:
    text = "In 1931 the film was shown to Maud Ferrant."
    assert holds(AskedKind.DATE, text, {"1926"})
    assert not holds(AskedKind.DATE, text, {"1931"})
    assert not holds(AskedKind.NAME, text, {"maud", "ferrant"})


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("When did Mira Tolland sing in the choir?", "a date"),
        ("How many cats did the woman who directed Night Bus to Hask have?", "a number"),
        ("Who directed Night Bus to Hask?", ""),
        ("When was Mira Tolland born?", ""),
    ],
)
def test_what_no_sentence_has_is_said(tmp_path: Path, question: str, missing: str) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.add("Mira Tolland was born in 1968.", identifier="born")
    graph.add("Mira Tolland sang in the choir of Hask.", identifier="choir")
    graph.add("Night Bus to Hask was directed by Isolde Brack, a woman with cats.", identifier="bus")
    found = answer_question(Retriever(graph), question, sentences=1)
    assert found.note == (
        f"none of these sentences has {missing}, which the question asks for" if missing else ""
    )
    assert plain_cited_answer(found)["note"] == found.note
    graph.close()
