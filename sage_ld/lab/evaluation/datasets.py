"""Data sets in the layout of BEIR (Thakur et al. 2021): `queries.jsonl` and `qrels/NAME.tsv`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sage_ld.foundation.errors import InputError, LimitError, NotFoundError
from sage_ld.foundation.settings import Settings

QUERIES = "queries.jsonl"
QRELS = "qrels"
HEADER = ("query-id", "corpus-id", "score")
_NAMES = ", ".join(HEADER)
HIGHEST_GRADE = 1_000_000
"""Of a judgement: trec_eval takes memory in proportion to the highest."""

_UNFIT = re.compile("[\0\ud800-\udfff]")
"""NUL, at which trec_eval ends an identifier, and surrogates, which UTF-8 does not have."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set: questions, and for each the documents that ought to be found."""

    name: str
    """The folder's name."""
    qrels: str
    """Which file of judgements: `NAME` of `qrels/NAME.tsv`."""
    questions: Mapping[str, str]
    """Identifier to text, in the file's order; only questions with a relevant document."""
    judgements: Mapping[str, Mapping[str, int]]
    """Question identifier to document identifier to grade, above 0."""
    unjudged: int = 0
    """How many questions of the file were left out because no document is judged relevant to them."""

    def relevant(self, question: str) -> frozenset[str]:
        """The documents that are relevant to the question with this identifier."""
        return frozenset(self.judgements[question])

    def unknown(self, known: Collection[str]) -> tuple[str, ...]:
        """The judged documents that are not among the `known` ones of a graph, sorted.

        Raises InputError if none of them is: identifiers of another kind, or of another graph.
        """
        judged = {document for grades in self.judgements.values() for document in grades}
        unknown = sorted(judged.difference(known))
        if len(unknown) == len(judged):
            where = f" where the graph has {min(known)!r}" if known else "; the graph has no document"
            raise InputError(
                f"none of the {len(judged):,} documents that {self.name} judges is in the graph, such as "
                f"{unknown[0]!r}{where}; judge by the identifiers that sage-ld search shows, or ingest the "
                "documents"
            )
        return tuple(unknown)


def qrels_names(folder: Path) -> list[str]:
    """The names that `qrels` may take, sorted. Raises NotFoundError if the folder holds no judgements."""
    names = sorted(each.stem for each in (folder / QRELS).glob("*.tsv"))
    if not names:
        raise NotFoundError(
            f"{folder}: no {QRELS}/*.tsv; a data set is a folder with {QUERIES} and {QRELS}/NAME.tsv"
        )
    return names


def load_dataset(folder: Path, qrels: str | None = None, settings: Settings | None = None) -> Dataset:
    """Read the data set in `folder`; `qrels` may be left out where there is only one file of judgements.

    Raises NotFoundError for a missing file, InputError (with the line) for a malformed one, LimitError for
    one larger than `max_file_bytes` or a question longer than `max_question_length`.
    """
    settings = settings or Settings()
    name = _choose(folder, qrels)
    texts = dict(_questions(folder / QUERIES, settings))
    path = folder / QRELS / f"{name}.tsv"
    judgements = _judgements(path, settings)
    if stray := sorted(judgements.keys() - texts.keys()):
        raise InputError(
            f"{path}: question {stray[0]!r} is not in {QUERIES}; the two files must belong together"
        )
    questions = {each: text for each, text in texts.items() if each in judgements}
    if not questions:
        raise InputError(
            f"{path}: no document is judged relevant; nothing can be measured, give some a score above 0"
        )
    ordered = {each: judgements[each] for each in questions}
    return Dataset(folder.resolve().name, name, questions, ordered, len(texts) - len(questions))


def sent_dataset(questions: Sequence[Mapping[str, Any]]) -> Dataset:
    """The data set of questions that a client sends: each with `q` and, in `relevant`, documents by grade.

    Raises InputError.
    """
    texts, judgements = dict[str, str](), dict[str, dict[str, int]]()
    for number, each in enumerate(questions, start=1):
        where = f"questions/{number - 1}"
        if not each["q"].strip():
            raise InputError(f"{where}: the question is blank; give one, or leave it out")
        for member in (each["q"], *each["relevant"]):
            _check_characters(member, "q" if member is each["q"] else "relevant", where)
        texts[str(number)], judgements[str(number)] = each["q"], dict(each["relevant"])
    return Dataset("questions", "sent", texts, judgements)


def _choose(folder: Path, qrels: str | None) -> str:
    names = qrels_names(folder)
    if qrels is None:
        if len(names) > 1:
            raise InputError(f"{folder}: several judgements ({', '.join(names)}); choose one with --qrels")
        return names[0]
    if qrels not in names:
        raise NotFoundError(f"{folder}: no judgements {qrels!r}; there is {', '.join(names)}")
    return qrels


def _lines(path: Path, settings: Settings) -> Iterator[tuple[int, str]]:
    """Each line that is not blank, with its number counted from 1."""
    if not path.is_file():
        raise NotFoundError(f"{path}: no such file; a data set needs {QUERIES} and {QRELS}/NAME.tsv")
    if (size := path.stat().st_size) > settings.max_file_bytes:
        raise LimitError.of(str(path), size, settings.max_file_bytes, "bytes", "max_file_bytes")
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None


def _questions(path: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for number, line in _lines(path, settings):
        identifier, text = _question(line, f"{path}:{number}")
        if (length := len(text)) > (limit := settings.max_question_length):
            what = f"{path}:{number}: question {identifier!r}"
            raise LimitError.of(what, length, limit, "characters", "max_question_length")
        if identifier in seen:
            raise InputError(
                f"{path}:{number}: question {identifier!r} a second time; identifiers are unique"
            )
        seen.add(identifier)
        yield identifier, text


def _question(line: str, where: str) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{where}: not a JSON object: {line[:40]!r}; one object a line") from None
    if not isinstance(record, dict):
        raise InputError(f"{where}: not a JSON object: {line[:40]!r}; one object a line")
    identifier, text = record.get("_id"), record.get("text")
    if not isinstance(identifier, str) or not isinstance(text, str) or not identifier or not text.strip():
        raise InputError(f'{where}: a question needs "_id" and "text", both strings and not empty')
    _check_characters(identifier, "_id", where)
    _check_characters(text, "text", where)
    return identifier, text


def _check_characters(value: str, member: str, where: str) -> None:
    if stray := _UNFIT.search(value):
        raise InputError(f'{where}: "{member}" holds {stray[0]!r}, which is not a character; leave it out')


def _judgements(path: Path, settings: Settings) -> dict[str, dict[str, int]]:
    """Question to document to grade, above 0."""
    lines: dict[tuple[str, str], int] = {}
    grades: dict[str, dict[str, int]] = {}
    for place, (number, line) in enumerate(_lines(path, settings)):
        fields = line.split("\t")
        if place == 0 and fields[0] == HEADER[0]:
            continue
        question, document, grade = _judgement(fields, f"{path}:{number}", header=place == 0)
        if (before := lines.setdefault((question, document), number)) != number:
            raise InputError(
                f"{path}:{number}: question {question!r} and document {document!r} are already judged in "
                f"line {before}; leave one of the two lines out"
            )
        if grade > 0:
            grades.setdefault(question, {})[document] = grade
    return grades


def _judgement(fields: list[str], where: str, header: bool) -> tuple[str, str, int]:
    """`header`: whether it is the first line, which may be meant for one."""
    if len(fields) != 3:
        raise InputError(f"{where}: {len(fields)} fields; three are needed, set apart by tabs: {_NAMES}")
    if not fields[0].strip() or not fields[1].strip():
        raise InputError(f"{where}: an empty identifier; each line needs {_NAMES}, or leave it out")
    _check_characters(fields[1], HEADER[1], where)
    try:
        grade = int(fields[2])
    except ValueError:
        remedy = f"; a header line is {_NAMES}" if header else "; 0 is not relevant, 1 or more is"
        raise InputError(f"{where}: score {fields[2][:40]!r} is not a whole number{remedy}") from None
    if grade > HIGHEST_GRADE:
        raise InputError(
            f"{where}: score {fields[2][:40]}, the limit is {HIGHEST_GRADE:,}; grade on a smaller scale, "
            "such as 1 to 3"
        )
    return fields[0], fields[1], grade
