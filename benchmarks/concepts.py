"""Quality of the grouping of terms: precision and recall on pairs that were labelled by hand.

    python benchmarks/concepts.py              the tables of docs/structure.md
    python benchmarks/concepts.py --encode     computes the cosines in `concept_pairs.tsv` again

The cosines are those of all-MiniLM-L6-v2. Thresholds are chosen on every other pair of each kind, and the
figures are of the rest. Pairs whose kind begins with `found:` were drawn from what the rules joined in a
quarter of OTT-QA and in the names of the music graph before there were thresholds; the others were
thought up.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sage_ld.build.concepts.grouping import LEAST
from sage_ld.build.concepts.rules import Decision, compare
from sage_ld.build.concepts.terms import term_form

FILE = Path(__file__).parent / "concept_pairs.tsv"
LEAST_PRECISION = 0.95


class LabelledPair(NamedTuple):
    """Two terms, and whether they name one thing."""

    same: bool
    kind: str
    domain: str
    left: str
    right: str
    cosine: float


class Quality(NamedTuple):
    """Precision and recall of the pairs that were joined."""

    joined: int
    precision: float
    recall: float


def labelled_pairs() -> list[LabelledPair]:
    """The pairs of the file, in its order."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            LabelledPair(
                row["same"] == "1",
                row["kind"],
                row["domain"],
                row["left"],
                row["right"],
                float(row["cosine"]),
            )
            for row in rows
        ]


def halves(pairs: Sequence[LabelledPair]) -> tuple[list[LabelledPair], list[LabelledPair]]:
    """Every other pair of each kind and label, and the rest."""
    seen: dict[tuple[bool, str], int] = {}
    parts: tuple[list[LabelledPair], list[LabelledPair]] = ([], [])
    for pair in pairs:
        place = seen[pair.same, pair.kind] = seen.get((pair.same, pair.kind), -1) + 1
        parts[place % 2].append(pair)
    return parts


def quality(pairs: Iterable[LabelledPair], joined: Iterable[bool]) -> Quality:
    """How many of some pairs were joined, the share of those that are aliases, and the share of aliases."""
    labels = np.array([pair.same for pair in pairs])
    chosen = np.array(list(joined))
    right = int((labels & chosen).sum())
    return Quality(int(chosen.sum()), right / max(int(chosen.sum()), 1), right / max(int(labels.sum()), 1))


def by_rules(pairs: Iterable[LabelledPair], least: Mapping[str, float]) -> list[bool]:
    """Whether the rules join each pair, where each rule asks for its least cosine."""
    return [pair.cosine >= least.get(_rule(pair), np.inf) for pair in pairs]


def _rule(pair: LabelledPair) -> str:
    verdict = compare(term_form(pair.left), term_form(pair.right))
    return verdict.reason if verdict.decision is Decision.SAME else ""


def fitted(pairs: Sequence[LabelledPair]) -> dict[str, float]:
    """For each rule the lowest multiple of 0.05 from which it is right in at least 19 of 20 cases."""
    result = {}
    rules = [_rule(pair) for pair in pairs]
    for rule in sorted(set(rules) - {""}):
        own = [pair for pair, name in zip(pairs, rules, strict=True) if name == rule]
        cuts = [
            cut / 100
            for cut in range(0, 100, 5)
            if quality(own, [pair.cosine >= cut / 100 for pair in own]).precision >= LEAST_PRECISION
        ]
        result[rule] = cuts[0] if cuts else 1.0
    return result


def by_cosine(pairs: Sequence[LabelledPair]) -> tuple[float, Quality]:
    """The lowest threshold at which cosine alone is precise enough, and what it gives there."""
    for cut in np.arange(0, 1, 0.01):
        result = quality(pairs, [pair.cosine >= cut for pair in pairs])
        if result.precision >= LEAST_PRECISION:
            return float(cut), result
    return 1.0, Quality(0, 0.0, 0.0)


def _encode() -> None:
    from sage_ld.build.encoders import load_encoder

    pairs = labelled_pairs()
    encoder = load_encoder("minilm:fp32")
    left, right = (encoder.encode([getattr(pair, side) for pair in pairs]) for side in ("left", "right"))
    with FILE.open("w", encoding="utf-8") as file:
        file.write("same\tkind\tdomain\tleft\tright\tcosine\n")
        for pair, cosine in zip(pairs, np.einsum("ij,ij->i", left, right), strict=True):
            file.write("\t".join((str(int(pair.same)), *pair[1:5], f"{cosine:.3f}")) + "\n")


def _row(name: str, result: Quality) -> str:
    return f"{name:44} {result.joined:6} {result.precision:10.3f} {result.recall:8.3f}"


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description="Quality of the grouping of terms.")
    parser.add_argument("--encode", action="store_true", help="compute the cosines again")
    if parser.parse_args().encode:
        _encode()
    pairs = labelled_pairs()
    chosen_on, rest = halves(pairs)
    least = fitted(chosen_on)
    print(f"{len(pairs)} pairs, {sum(pair.same for pair in pairs)} of them aliases")
    print("least cosines chosen on one half:", least)
    print(f"{'':44} {'joined':>6} {'precision':>10} {'recall':>8}")
    cut, own = by_cosine(chosen_on)
    print(_row(f"cosine alone, at {cut:.2f}, half it was chosen on", own))
    print(_row("cosine alone, other half", quality(rest, [pair.cosine >= cut for pair in rest])))
    print(_row("rules without cosine, other half", quality(rest, by_rules(rest, dict.fromkeys(LEAST, -1.0)))))
    for name, part in (("half chosen on", chosen_on), ("other half", rest)):
        print(_row(f"rules with cosines chosen on one half, {name}", quality(part, by_rules(part, least))))
    print(_row("rules as in the package, other half", quality(rest, by_rules(rest, LEAST))))
    for origin in (True, False):
        part = [pair for pair in rest if pair.kind.startswith("found:") is origin]
        name = "found in graphs" if origin else "thought up"
        print(_row(f"  of these, {name}", quality(part, by_rules(part, LEAST))))
    for kind in sorted({(not pair.same, pair.kind) for pair in rest}):
        part = [pair for pair in rest if (not pair.same, pair.kind) == kind]
        joined = sum(by_rules(part, LEAST))
        print(f"  {'trap ' if kind[0] else 'alias'} {kind[1]:24} {joined:3} of {len(part):3} joined")


if __name__ == "__main__":
    main()
