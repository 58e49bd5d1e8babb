"""Questions over a column that shows percentages, whose values are shares of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from sage_ld.agents.text_to_sparql import GraphQuestions

FILES = {"dams.csv": "Dam,Filling,Height\nOskel,12%,30 m\nTarrow,45.5%,41 m\nHolm,80%,22 m\n"}


@pytest.fixture(scope="module")
def asking(
    tmp_path_factory: pytest.TempPathFactory,
    asking_of: Callable[[Mapping[str, str], Path], AbstractContextManager[GraphQuestions]],
) -> Iterator[GraphQuestions]:
    with asking_of(FILES, tmp_path_factory.mktemp("percentages")) as made:
        yield made


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Which dams have a filling above 40%?", {"Tarrow", "Holm"}),
        ("Which dams have a filling above 40 percent?", {"Tarrow", "Holm"}),
        ("Which dams have a filling above 40?", {"Tarrow", "Holm"}),
        ("Which dams have a filling below 12.5%?", {"Oskel"}),
        ("Which dam has the highest filling?", {"Holm"}),
        ("Which dams have a height above 25?", {"Oskel", "Tarrow"}),
    ],
)
def test_a_percentage_is_compared_as_it_is_shown(
    asking: GraphQuestions, question: str, wanted: set[str]
) -> None:
    answer = asking.ask(question)
    assert {str(row[0].value) for row in answer.rows} == wanted, answer.query
