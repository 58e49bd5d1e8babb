"""`POST /v1/evaluate`: measures the graph on a data set of the server, or on questions of the client."""

from __future__ import annotations

import json
import threading
from math import inf
from pathlib import Path
from typing import Any, Final

from flask import Response, request

from sage_ld.foundation.deadline import deadline
from sage_ld.foundation.errors import BusyError, InputError, LimitError, NotFoundError
from sage_ld.graph import Snapshot
from sage_ld.lab.evaluation import (
    Dataset,
    as_json,
    evaluate,
    known_documents,
    load_dataset,
    searcher,
    sent_dataset,
    systems,
)
from sage_ld.lab.http import evaluation_schemas, examples
from sage_ld.retrieval import Mode
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.context import service
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.openapi.parts import JSON
from sage_ld.service.requests import held
from sage_ld.service.route import RouteReply, Surface

_ONE: Final = threading.Lock()

surface = Surface("evaluating", tag="retrieval")


@surface.post(
    "/v1/evaluate",
    "evaluate",
    "Measure recall at equal budget on a data set",
    role=AccessRole.READ,
    body=evaluation_schemas.parameters,
    examples=examples.EVALUATION,
    reply=RouteReply("The measures.", {JSON: "Evaluation"}),
)
def evaluate_dataset(asked: dict[str, Any]) -> Response:
    """Recall at equal budget. One at a time: it asks every question of the data set in every mode.

    It ends when its client disconnects.
    """
    if "questions" in asked:
        dataset = sent_dataset(asked["questions"])
    else:
        dataset = _dataset(asked["dataset"], asked.get("qrels"))
    if not _ONE.acquire(blocking=False):
        raise BusyError("another evaluation is running; try again later")
    try:
        with held() as snapshot:
            report = _report(snapshot, dataset, asked)
    finally:
        _ONE.release()
    return Response(json.dumps(report, ensure_ascii=False) + "\n", content_type="application/json")


def _dataset(name: str, qrels: str | None) -> Dataset:
    """Raises NotFoundError if there is none of that name, LimitError if it is too large."""
    settings = service().settings
    folder = Path(settings.evaluation_dir) / name
    if not settings.evaluation_dir or not folder.is_dir():
        raise NotFoundError(f"no data set {name!r}; it is a folder of the setting evaluation_dir")
    try:
        dataset = load_dataset(folder, qrels, settings)
    except (InputError, NotFoundError) as error:
        raise type(error)(str(error).replace(f"{folder.parent}/", "")) from None
    if (size := len(dataset.questions)) > (most := settings.max_evaluation_questions):
        raise LimitError.of(f"data set {name}", size, most, "questions", "max_evaluation_questions")
    return dataset


def _report(snapshot: Snapshot, dataset: Dataset, asked: dict[str, Any]) -> dict[str, Any]:
    """The report that `sage-ld eval` would give, on the revision that the request holds."""
    graph = service().graph
    modes = [Mode(mode) for mode in asked.get("modes", evaluation_schemas.EVALUATED_MODES)]
    named = systems(graph, modes, asked.get("recipes", ()), asked.get("relations"), asked.get("as_of"))
    split = [name for name, system in named.items() if system.split]
    budgets = asked.get("budgets", evaluation_schemas.EVALUATED_BUDGETS)
    known = known_documents(named, snapshot)
    waiting = deadline(inf, "", request.environ.get(CLIENT_GONE))
    search = searcher(named, snapshot, waiting)
    found = evaluate(dataset, search, list(named), budgets, per_budget=split, known=known)
    return as_json(found)
