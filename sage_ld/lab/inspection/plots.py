"""The distributions of an inspection as a picture, SVG or PNG, by matplotlib (the extra `plots`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sage_ld.foundation import extras
from sage_ld.foundation.errors import InputError
from sage_ld.lab.inspection.distributions import CountDistribution
from sage_ld.lab.inspection.inspect import GraphInspection
from sage_ld.lab.inspection.question_reach import Reached

FORMATS: Final = ("svg", "png")
_WIDTH, _HEIGHT = 9.0, 3.2
"""Of one panel, in inches."""


def check_picture(file: Path) -> None:
    """Raises InputError for another suffix than .svg and .png, UnavailableError without matplotlib."""
    if file.suffix[1:].lower() not in FORMATS:
        raise InputError(f"--plot {file}: the name must end in .svg or .png")
    extras.load("matplotlib", extras.PLOTS)


def plot(inspection: GraphInspection, file: Path, reached: Reached | None = None) -> None:
    """Writes a picture with one panel for each distribution; its format follows from the suffix.

    Raises what `check_picture` raises, and InputError for a file that cannot be written.
    """
    check_picture(file)
    extras.load("matplotlib", extras.PLOTS).rcParams["svg.hashsalt"] = "sage-ld"
    figure_class = extras.load("matplotlib.figure", extras.PLOTS).Figure
    panels = {
        "edges of a node": dict(inspection.degrees),
        "nodes of a connected component": {"components": inspection.components},
        "chunks that mention an entity": {"entities": inspection.mentions},
    }
    if inspection.concepts.count:
        panels["terms of a concept"] = {"concepts": inspection.concepts}
    count = len(panels) + (reached is not None)
    figure = figure_class(figsize=(_WIDTH, _HEIGHT * count), layout="constrained")
    axes = figure.subplots(count, squeeze=False)[:, 0]
    for (title, lines), axis in zip(panels.items(), axes, strict=False):
        _draw(axis, title, lines)
    if reached is not None:
        values = [each.starts + each.reached for each in reached.questions]
        axes[-1].hist(values, bins=30, color="#0072b2")
        axes[-1].set(xlabel="chunks that a question reaches", ylabel="questions")
    try:
        figure.savefig(file, metadata={"Date": None} if file.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror}); name another file") from None


def _draw(axis: Any, title: str, lines: dict[str, CountDistribution]) -> None:
    """A line for each distribution: the counts in each bin, by its least; both axes are logarithmic."""
    for name, each in lines.items():
        axis.plot([one.least for one in each.bins], [one.number for one in each.bins], marker="o", label=name)
    axis.set_xscale("symlog", base=2, linthresh=1)
    axis.set_yscale("log")
    axis.set(xlabel=title, ylabel="how many")
    if lines:
        axis.legend(fontsize="small")
