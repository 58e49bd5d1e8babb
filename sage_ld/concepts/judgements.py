"""Judgements of groups of terms, kept so that the judge need not be asked again."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from sage_ld.concepts.grouping import Judge
from sage_ld.errors import InputError


class AliasJudgement(NamedTuple):
    """A judge's word on one group of terms."""

    asked: tuple[str, ...]
    aliases: tuple[tuple[str, ...], ...]
    """The groups of aliases among them, each sorted."""

    def to_json(self) -> str:
        """The judgement as text, which `from_json` reads."""
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
        answers = _checked(self._judge(new), len(new)) if new else []
        for group, answer in zip(new, answers, strict=True):
            among = (tuple(sorted(set(aliases) & set(group))) for aliases in answer)
            aliases = tuple(sorted(each for each in among if len(each) > 1))
            self._known[tuple(group)] = AliasJudgement(tuple(group), aliases)
        found = [self._known[tuple(group)] for group in groups]
        self.given += found
        return [each.aliases for each in found]


def _checked(answers: object, count: int) -> list[list[list[str]]]:
    """What a judge has answered about so many lists of terms; raises InputError for what is no such answer.

    >>> _checked([[("car", "auto")], []], 2)
    [[['car', 'auto']], []]
    """
    if not _is_list(answers):
        raise InputError(
            f"judge: {_shown(answers)} is no list of answers; return one, with an answer for each list"
        )
    if len(answers) != count:
        raise InputError(
            f"judge: {len(answers)} answers about {count} lists of terms; return one for each, [] where none "
            "of its terms are aliases"
        )
    for answer in answers:
        for group in answer if _is_list(answer) else [answer]:
            if not _is_list(group) or not all(isinstance(term, str) for term in group):
                raise InputError(
                    f"judge: {_shown(group)} is no group of terms; return for each list the groups "
                    "among its terms"
                )
    return [[list(group) for group in answer] for answer in answers]


def _is_list(value: object) -> TypeGuard[Collection[Any]]:
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)


def _shown(value: object) -> str:
    return repr(value)[:60]
