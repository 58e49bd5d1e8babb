from __future__ import annotations

import numpy as np
import pytest

from sage_ld.foundation.errors import InputError
from sage_ld.lab.evaluation import paired_bootstrap


def columns(*values):
    return np.array(values, dtype=float).T


def test_a_constant_difference_has_an_interval_of_no_width():
    base = columns([0.0, 0.5, 0.25, 0.75, 0.1] * 2)
    (interval,) = paired_bootstrap(base, base + 0.5)
    assert (interval.difference, interval.low, interval.high) == pytest.approx((0.5, 0.5, 0.5))
    assert interval.significant


def test_the_interval_agrees_with_the_normal_approximation():
    """Differences of 400 questions: mean 0.1, standard deviation 0.7; 1.96 standard errors either side."""
    base = columns([0.0] * 400)
    system = columns([1.0] * 120 + [-1.0] * 80 + [0.0] * 200)
    (interval,) = paired_bootstrap(base, system)
    error = 1.96 * np.sqrt((0.5 - 0.01) / 400)
    assert interval.difference == pytest.approx(0.1)
    assert interval.low == pytest.approx(0.1 - error, abs=0.005)
    assert interval.high == pytest.approx(0.1 + error, abs=0.005)


def test_pairing_narrows_the_interval():
    generator = np.random.default_rng(1)
    base = generator.random((200, 1))
    (paired,) = paired_bootstrap(base, base + 0.01)
    (shuffled,) = paired_bootstrap(base, generator.permutation(base) + 0.01)
    assert paired.high - paired.low < (shuffled.high - shuffled.low) / 10


def test_the_same_values_give_the_same_interval_in_any_company():
    base, system = columns([0, 1, 0, 1, 1.0]), columns([1, 1, 0, 1, 0.0])
    alone = paired_bootstrap(base, system)[0]
    among = paired_bootstrap(np.hstack([system, base]), np.hstack([base, system]))[1]
    assert alone == among


def test_no_change_is_not_significant():
    base = columns([0, 1, 0, 1.0])
    assert not paired_bootstrap(base, base)[0].significant


@pytest.mark.parametrize(
    ("base", "system", "confidence"),
    [
        (columns([1.0]), columns([1.0, 2.0]), 0.95),
        (np.zeros((0, 1)), np.zeros((0, 1)), 0.95),
        (columns([1.0]),) * 2 + (95,),
    ],
)
def test_bad_input_is_named(base, system, confidence):
    with pytest.raises(InputError):
        paired_bootstrap(base, system, confidence=confidence)


@pytest.mark.parametrize(("questions", "significant"), [(1, False), (9, False), (10, True)])
def test_few_questions_are_never_significant(questions, significant):
    (interval,) = paired_bootstrap(np.zeros((questions, 1)), np.ones((questions, 1)))
    assert (interval.low, interval.high) == pytest.approx((1, 1))
    assert interval.significant is significant
