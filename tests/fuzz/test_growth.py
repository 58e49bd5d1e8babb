"""The measure of growth itself: it passes what is linear, and catches what usually is not."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from fuzz.growth import assert_linear

UNCLOSED = re.compile("<[^>]*>")


def sought_from_every_place(size: int) -> None:
    UNCLOSED.sub("", "<" * size)


def put_together_again_and_again(size: int) -> None:
    text: tuple[int, ...] = ()
    for number in range(size):
        text = (*text, number)


def looked_up_in_a_list(size: int) -> None:
    seen: list[int] = []
    for number in range(size):
        if number not in seen:
            seen.append(number)


@pytest.mark.parametrize(
    "run",
    [sought_from_every_place, put_together_again_and_again, looked_up_in_a_list],
    ids=lambda run: run.__name__,
)
def test_quadratic_work_is_caught(run: Callable[[int], None]) -> None:
    with pytest.raises(AssertionError, match="only"):
        assert_linear(run, 2**14)


@pytest.mark.parametrize(
    "run",
    [
        lambda size: None,
        lambda size: sum(range(size)),
        lambda size: re.sub("<[^<>]*>", "", "<" * size),
        lambda size: set(range(size)),
    ],
)
def test_linear_work_is_not(run: Callable[[int], object]) -> None:
    assert_linear(run, 2**14)
