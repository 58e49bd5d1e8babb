"""Charts: the curve of a measure over the budget, one line for each mode, as plain SVG 1.1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from sage_ld.foundation.errors import InputError
from sage_ld.lab.evaluation.evaluate import Evaluation
from sage_ld.lab.evaluation.measures import AT_BUDGET

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 150, 50, 50
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
"""Okabe and Ito's palette, which colour-blind readers can tell apart."""
LABEL_GAP = 15
"""Least distance between two labels at the right, in pixels."""


def chart_svg(evaluation: Evaluation, family: str = "success") -> str:
    """The chart of `family` (`success`, `recall` or `all`); budgets on a logarithmic axis, per cent upwards.

    Raises InputError for another family.
    """
    if family not in AT_BUDGET:
        raise InputError(f"no chart of {family!r}; choose one of {', '.join(AT_BUDGET)}")
    title = f"{evaluation.dataset.name} · {evaluation.dataset.qrels}: {family}@k, per cent"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="15">{escape(title)}</text>',
        *_axes(evaluation.budgets),
        *_curves(evaluation, family),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _x(k: int, budgets: tuple[int, ...]) -> float:
    span = math.log(budgets[-1] / budgets[0]) or 1.0
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log(k / budgets[0]) / span


def _y(value: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value


def _axes(budgets: tuple[int, ...]) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for percent in range(0, 101, 20):
        y = _y(percent / 100)
        yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#dddddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>'
    for k in budgets:
        x = _x(k, budgets)
        yield f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 5}" stroke="#333333"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{k}</text>'
    middle = (LEFT + right) / 2
    yield f'<text x="{middle:.1f}" y="{HEIGHT - 10}" text-anchor="middle">budget k + k\'</text>'


def _curves(evaluation: Evaluation, family: str) -> Iterator[str]:
    budgets = evaluation.budgets
    ends = {mode: _y(result.mean(f"{family}@{budgets[-1]}")) for mode, result in evaluation.modes.items()}
    labels = _spread(ends)
    for number, (mode, result) in enumerate(evaluation.modes.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = [(_x(k, budgets), _y(result.mean(f"{family}@{k}")), k) for k in budgets]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for x, y, k in points:
            value = 100 * result.mean(f"{family}@{k}")
            yield (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}">'
                f"<title>{escape(mode)} @{k}: {value:.1f}</title></circle>"
            )
        yield (
            f'<text x="{WIDTH - RIGHT + 10}" y="{labels[mode] + 4:.1f}" fill="{colour}">'
            f"{escape(mode)} {100 * result.mean(f'{family}@{budgets[-1]}'):.1f}</text>"
        )


def _spread(ends: dict[str, float]) -> dict[str, float]:
    """Heights of the labels, from the top, pushed apart so that none covers another."""
    placed: dict[str, float] = {}
    lowest = -math.inf
    for mode in sorted(ends, key=lambda each: ends[each]):
        lowest = max(ends[mode], lowest + LABEL_GAP)
        placed[mode] = lowest
    return placed
