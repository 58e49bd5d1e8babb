"""The options of a question, which several commands take: one for each field that has an option."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import typer

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.parameters import Parameter, parameters
from sage_ld.foundation.question import RENAMED, Filter, Question, with_new_names
from sage_ld.foundation.recipes import Retrieval

if TYPE_CHECKING:
    from sage_ld.retrieval import Retriever

_TEXT: Final = Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")]
_RECIPE: Final = Annotated[
    str | None, typer.Option(help="A preset or a recipe file to use instead of the graph's recipe.")
]
_RENAMED: Final = Annotated[int | None, typer.Option(hidden=True)]


class AnswerFormat(StrEnum):
    """The formats in which `search` prints an answer."""

    TABLE = "table"
    JSONLD = "jsonld"
    JSON = "json"
    TURTLE = "turtle"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The search that the options of a command ask for: a question, and how it is answered."""

    question: Question
    recipe: str | None
    changes: Mapping[str, Any]
    """The parameters in place of those of the recipe."""

    def retriever(self, graph: Path) -> tuple[Retriever, str | None]:
        """The retriever, and the name of the recipe that replaces the graph's, if there is one."""
        from sage_ld.foundation.recipes import adjusted, load_recipe
        from sage_ld.graph import KnowledgeGraph
        from sage_ld.retrieval import Retriever

        used = None if self.recipe is None else load_recipe(self.recipe)
        knowledge = KnowledgeGraph.open(graph)
        retrieval = (used or knowledge.recipe).retrieval
        return Retriever(knowledge, adjusted(retrieval, self.changes)), None if used is None else used.name


def asks(
    only: Collection[str] | None = None, without: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command the options of a question, in the place of its parameter `search`.

    `only` and `without` name fields of `Question`, `Filter` and `Retrieval`: no others than those, and all
    but those.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        taken = [
            each for each in _OPTIONS if each.field not in without and (only is None or each.field in only)
        ]

        @wraps(command)
        def run(**given: Any) -> None:
            text, recipe = given.pop("question"), given.pop("recipe")
            values = {each.field: each.value(given.pop(each.name)) for each in taken}
            if "from_graph" in values and (neighbours := given.pop("neighbours")) is not None:
                typer.echo(f"{RENAMED} (--from-graph)", err=True)
                values |= with_new_names({"k": values["k"], "neighbours": neighbours})
            command(**given, search=_search(text, recipe, values))

        added = [
            _keyword("question", _TEXT),
            *(each.signature() for each in taken),
            *(_keyword("neighbours", _RENAMED, None) for each in taken if each.field == "from_graph"),
            _keyword("recipe", _RECIPE, None),
        ]
        own = inspect.signature(command, eval_str=True).parameters.values()
        places = [
            place.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for each in own
            for place in (added if each.name == "search" else [each])
        ]
        run.__signature__ = inspect.Signature(places)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in places}
        return run

    return decorate


def _keyword(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


@dataclass(frozen=True, slots=True)
class _FieldOption:
    """The option of a field."""

    field: str
    name: str
    """Of the command's parameter."""
    type: Any
    info: Any
    default: Any
    with_commas: bool
    """Whether it takes a list as one text."""

    def signature(self) -> inspect.Parameter:
        """The parameter of the command."""
        annotation: Any = Annotated.__class_getitem__((self.type, self.info))  # type: ignore[attr-defined]
        return _keyword(self.name, annotation, self.default)

    def value(self, given: Any) -> Any:
        """The value for the field."""
        if self.with_commas and given is not None:
            return [each.strip() for each in given.split(",") if each.strip()]
        return members(given) if self.field == "members" else given


def option(given: Parameter, more: str = "") -> Any:
    """The option of a parameter, as typer takes it, with the sentence `more` at the end of its help."""
    choices = f" With commas: {', '.join(given.choices)}." if given.choices and not given.option else ""
    names = [given.option] if given.option else []
    return typer.Option(*names, help=given.help + choices + more, metavar=given.metavar)


def _type_of(hint: Any) -> Any:
    """The type of a field's values, without None: of several, the one that holds others.

    >>> _type_of(str | None), _type_of(tuple[str, ...] | None)
    (<class 'str'>, tuple[str, ...])
    """
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    given = [part for part in parts if part is not NoneType]
    return next((part for part in given if get_origin(part)), given[0])


def _field_options(record: type[Any], *, has_defaults: bool) -> Iterator[_FieldOption]:
    """The options of a record's fields; without defaults, what is not given is left to the recipe."""
    hints, given = get_type_hints(record), parameters(record)
    for each in fields(record):
        parameter = given[each.name]
        if parameter.option is None:
            continue
        kind = _type_of(hints[each.name])
        is_list = get_origin(kind) is not None
        with_commas = is_list and not parameter.option
        default = each.default if has_defaults and not is_list else None
        item = StrEnum(each.name, list(parameter.choices)) if parameter.choices else str
        plain = (str if with_commas else list[item]) if is_list else kind  # type: ignore[valid-type]
        more = " May be repeated." if is_list and not with_commas else ""
        yield _FieldOption(
            each.name,
            parameter.option.lstrip("-").replace("-", "_") or each.name,
            plain if default is not None else plain | None,
            option(parameter, more if has_defaults else f"{more} By default as the recipe says."),
            default,
            with_commas,
        )


_OPTIONS: Final = (
    *_field_options(Question, has_defaults=True),
    *_field_options(Retrieval, has_defaults=False),
    *_field_options(Filter, has_defaults=True),
)


def _search(text: str, recipe: str | None, values: Mapping[str, Any]) -> SearchOptions:
    """The search of the values that options give, by the names of the fields."""

    def of(record: type[Any]) -> dict[str, Any]:
        known = parameters(record)
        return {name: each for name, each in values.items() if name in known and each is not None}

    question = Question(text, **of(Question), only=Filter(**of(Filter)))
    return SearchOptions(question, recipe, of(Retrieval))


def members(given: Sequence[str] | None) -> dict[str, float] | None:
    """The members of an ensemble and their weights, from texts as `bfs=0.5`; None where there is none.

    Raises InputError for a weight that is not a number, and for a member that comes twice.

    >>> members(["learned", "bfs=0.5"])
    {'learned': 1.0, 'bfs': 0.5}
    """
    weights: dict[str, float] = {}
    for name, sign, weight in (each.partition("=") for each in given or ()):
        if name in weights:
            raise InputError(f"--member: {name[:40]!r} is given twice; give it once, as in {name[:40]}=2")
        try:
            weights[name] = float(weight) if sign else 1.0
        except ValueError:
            raise InputError(
                f"--member: {weight[:40]!r} is not a weight; give a number, as in bfs=0.5"
            ) from None
    return weights or None
