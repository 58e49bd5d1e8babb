"""The description of a table: what its metadata says, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sage_ld.build.readers.data.json_values import Json

UNDETERMINED = "und"
"""The language of text of which the metadata states none."""


@dataclass(frozen=True, slots=True)
class Datatype:
    """A datatype description (Tabular Metadata, section 5.11.2), less the constraints on values."""

    base: str = "string"
    iri: str | None = None
    """The datatype's own IRI (`@id`)."""
    format: str | None = None
    """Of a date, time or Boolean: how it is written. Patterns of other values are not checked."""
    decimal: str = "."
    group: str | None = None
    """The characters that stand before the decimals, and between groups of digits, in numbers."""


@dataclass(frozen=True, slots=True)
class CellRules:
    """The rules that turn the cells of a column into values: the inherited properties (section 5.7)."""

    about: str | None = None
    property: str | None = None
    value: str | None = None
    """URI templates (RFC 6570): subject, predicate, and object where that is a resource."""
    datatype: Datatype = field(default_factory=Datatype)
    default: str = ""
    language: str = UNDETERMINED
    null: tuple[str, ...] = ("",)
    ordered: bool = False
    separator: str | None = None


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """A column: its name in templates, what people call it, and its rules."""

    name: str
    titles: tuple[str, ...]
    """The titles, those in the table's own language first."""
    rules: CellRules
    description: str = ""
    virtual: bool = False
    suppressed: bool = False


@dataclass(frozen=True, slots=True)
class Dialect:
    """The rules that cut a file into cells (section 5.9)."""

    delimiter: str = ","
    header_rows: int = 1
    quote: str | None = '"'
    double_quote: bool = True
    encoding: str = "utf-8"
    comment: str | None = None
    """What a comment's line begins with. Without a statement no line is one, so that no row is lost."""
    skip_rows: int = 0
    skip_columns: int = 0
    skip_initial_space: bool = False
    trim: str = "false"


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns whose values name rows of another table."""

    columns: tuple[str, ...]
    resource: str
    """The other table's URL, as the metadata has it."""


@dataclass(frozen=True, slots=True)
class TableDescription:
    """The description of one table by its metadata."""

    url: str
    """The table's URL, which relative references in it are relative to."""
    columns: tuple[ColumnDescription, ...]
    """Empty where the metadata names none: then they are those of the file."""
    rules: CellRules
    """The rules of columns that are not described."""
    dialect: Dialect | None = None
    """None where it is to be guessed."""
    foreign_keys: tuple[ForeignKey, ...] = ()
    suppressed: bool = False
    language: str = UNDETERMINED
    annotations: Mapping[str, Json] = field(default_factory=dict)
    """Common properties of the table: prefixed names or IRIs to values (section 5.8)."""

    def first(self, *names: str) -> str:
        """The first text that the table's annotations give under one of these names."""
        return next((text for name in names for text in texts(self.annotations.get(name), self.language)), "")


def texts(value: Json, language: str = UNDETERMINED) -> list[str]:
    """The strings of a natural language property or a common property, those in `language` first.

    >>> texts({"de": "Name", "en": ["name", "label"]}, "en"), texts([{"@value": "Heat"}, "Blow"])
    (['name', 'label', 'Name'], ['Heat', 'Blow'])
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for each in value for text in texts(each, language)]
    if not isinstance(value, dict):
        return []
    if "@value" in value:
        return texts(value["@value"])
    languages = sorted(value, key=lambda each: each != language)
    return [text for each in languages if not each.startswith("@") for text in texts(value[each])]
