"""What a judge has said of groups of terms, kept so that it need not be asked again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sage_ld.concepts.grouping import Judge


class AliasJudgement(NamedTuple):
    """What a judge said of one group of terms."""

    asked: tuple[str, ...]
    aliases: tuple[tuple[str, ...], ...]
    """The groups of aliases among them, each sorted."""

    def to_json(self) -> str:
        """It as text, which `from_json` reads."""
        return json.dumps(self._asdict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> AliasJudgement:
        """The judgement that a text is. Raises ValueError for one that is none.

        >>> AliasJudgement.from_json('{"asked": ["car", "auto"], "aliases": [["auto", "car"]]}').asked
        ('car', 'auto')
        """
        try:
            read = json.loads(text)
            found = cls(tuple(read["asked"]), tuple(map(tuple, read["aliases"])))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ValueError(f"no judgement: {text[:100]!r}") from None
        if not all(isinstance(term, str) for group in (found.asked, *found.aliases) for term in group):
            raise ValueError(f"a judgement of what is no term: {text[:100]!r}")
        return found


class RememberingJudge:
    """A judge that asks another one only about groups of which nothing is known.

    >>> judge = RememberingJudge(lambda groups: groups, [AliasJudgement(("opera", "operetta"), ())])
    >>> judge([["opera", "operetta"]])
    [()]
    """

    def __init__(self, judge: Judge, known: Iterable[AliasJudgement]) -> None:
        self._judge = judge
        self._known = {each.asked: each for each in known}
        self.given: list[AliasJudgement] = []
        """The judgements that were asked for, in order."""

    def __call__(self, groups: Sequence[Sequence[str]]) -> list[Sequence[Sequence[str]]]:
        """For each group the groups of aliases among its terms."""
        new = [group for group in groups if tuple(group) not in self._known]
        for group, answer in zip(new, self._judge(new) if new else (), strict=True):
            among = (tuple(sorted(set(aliases) & set(group))) for aliases in answer)
            aliases = tuple(sorted(each for each in among if len(each) > 1))
            self._known[tuple(group)] = AliasJudgement(tuple(group), aliases)
        found = [self._known[tuple(group)] for group in groups]
        self.given += found
        return [each.aliases for each in found]
