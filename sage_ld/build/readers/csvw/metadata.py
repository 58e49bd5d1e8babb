"""A metadata file to the description of the table that it is read for.

What a file says that is no metadata is an error that names the file and the property. A property that the
vocabulary does not have is ignored, as it asks.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Final
from urllib.parse import quote, unquote, urljoin, urlsplit

from pyoxigraph import Literal, NamedNode

from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.csvw.description import (
    UNDETERMINED,
    CellRules,
    ColumnDescription,
    Datatype,
    Dialect,
    ForeignKey,
    TableDescription,
    texts,
)
from sage_ld.build.readers.csvw.values import DATATYPES, wrong_format
from sage_ld.build.readers.data.json_values import Json, JsonObject, Number, parse_json
from sage_ld.build.readers.source import Companion, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings

_CONTEXT: Final = v.CSVW.rstrip("#")
_DESCRIPTIONS: Final = ("dc:description", "dcterms:description", "schema:description", "rdfs:comment")
_ENCODINGS: Final = re.compile(r"utf|ascii|iso8859|cp\d|koi8|mac|shift|euc|gb|big5|hz|tis|johab")
_SHARED: Final = "csv-metadata.json"


def table_description(source: Source, companion: Companion, settings: Settings) -> TableDescription | None:
    """The description of the table in `source` by its metadata; None if it is about other tables only.

    Raises InputError for anything that is not metadata, or for a file named after the table that describes
    another.
    """
    name = source.beside(companion.name).identifier
    return _metadata(name, companion.data, settings).table(source, companion.name == _SHARED)


@lru_cache(maxsize=4)
def _metadata(name: str, data: bytes, settings: Settings) -> _Metadata:
    """A metadata file: read once for all the tables that it describes, which are read one after the other."""
    content = parse_json(decode(data, name), name, settings)
    if not isinstance(content, dict):
        raise InputError(f"{name}: the metadata of a table is an object; see www.w3.org/TR/tabular-metadata")
    return _Metadata(name, content)


class _Metadata:
    """A metadata file and its name, which its errors begin with."""

    def __init__(self, name: str, content: JsonObject) -> None:
        self.name = name
        self.content = content
        context = content.get("@context")
        *_, last = context if isinstance(context, list) and context else [context]
        local = last if isinstance(last, dict) else {}
        first = context[0] if isinstance(context, list) and context else context
        if first is not None and first != _CONTEXT:
            raise self.error(f"@context {str(first)[:80]!r} is not {_CONTEXT!r}")
        self.base = self.text(local, "@base") or ""
        self.language = self.text(local, "@language") or UNDETERMINED

    def error(self, what: str) -> InputError:
        return InputError(f"{self.name}: {what}; correct it, or take the file away")

    def text(self, where: JsonObject, key: str) -> str | None:
        value = where.get(key)
        if value is not None and (not isinstance(value, str) or isinstance(value, Number)):
            raise self.error(f"{key} is not a string")
        return value

    def truth(self, where: JsonObject, key: str, default: bool = False) -> bool:
        value = where.get(key, default)
        if not isinstance(value, bool):
            raise self.error(f"{key} is neither true nor false")
        return value

    def count(self, where: JsonObject, key: str, default: int = 0) -> int:
        value = where.get(key)
        if value is None:
            return default
        if not isinstance(value, Number) or not re.fullmatch("[0-9]{1,6}", value):
            raise self.error(f"{key} is not a number of rows or columns")
        return int(value)

    def inner(self, where: JsonObject, key: str) -> JsonObject:
        value = where.get(key, {})
        if isinstance(value, str):
            raise self.error(
                f"{key} refers to another file, {value[:80]!r}, which is not read: include it here"
            )
        if not isinstance(value, dict):
            raise self.error(f"{key} is not an object")
        return value

    def objects(self, where: JsonObject, key: str) -> list[JsonObject]:
        value = where.get(key, [])
        if not isinstance(value, list):
            raise self.error(f"{key} is not an array")
        if not all(isinstance(each, dict) for each in value):
            raise self.error(f"{key} may contain only objects")
        return [each for each in value if isinstance(each, dict)]

    def table(self, source: Source, shared: bool) -> TableDescription | None:
        """The description of the table in `source`."""
        here = urljoin("file:///" + quote(source.identifier), self.base)
        if (only := self._only) is not None and not shared and self.text(only, "url") is None:
            return self.described(only, urljoin(here, quote(source.names[0])))
        places = (self._by_name[name] for name in source.names if name in self._by_name)
        if (place := min(places, default=None)) is not None:
            table = self._tables[place]
            return self.described(table, urljoin(here, self.text(table, "url") or ""))
        if shared:
            return None
        raise self.error(f"no table in it has the url {source.names[0]!r}")

    @cached_property
    def _tables(self) -> list[JsonObject]:
        return self.objects(self.content, "tables") if "tables" in self.content else [self.content]

    @property
    def _only(self) -> JsonObject | None:
        return self._tables[0] if len(self._tables) == 1 else None

    @cached_property
    def _by_name(self) -> dict[str, int]:
        """The place of the first table of each file name."""
        urls = [self.text(each, "url") for each in self._tables]
        names = [None if url is None else unquote(urlsplit(url).path).rpartition("/")[2] for url in urls]
        return {name: place for place, name in reversed([*enumerate(names)]) if name is not None}

    def described(self, table: JsonObject, url: str) -> TableDescription:
        rules = CellRules(language=self.language)
        for each in (self.content, table) if table is not self.content else (table,):
            rules = self.rules(each, rules)
        schema = self.inner(table if "tableSchema" in table else self.content, "tableSchema")
        rules = self.rules(schema, rules)
        dialect = table if "dialect" in table else self.content
        described = self.objects(schema, "columns")
        columns = tuple(self.column(each, number, rules) for number, each in enumerate(described, 1))
        if len({each.name for each in columns}) < len(columns):
            raise self.error("two columns have the same name")
        return TableDescription(
            url,
            columns,
            rules,
            self.dialect(self.inner(dialect, "dialect")) if dialect.get("dialect") else None,
            tuple(self.foreign_key(each) for each in self.objects(schema, "foreignKeys")),
            self.truth(table, "suppressOutput"),
            rules.language,
            {key: value for key, value in table.items() if ":" in key},
        )

    def column(self, where: JsonObject, number: int, rules: CellRules) -> ColumnDescription:
        own = self.rules(where, rules)
        titles = tuple(texts(where.get("titles"), own.language))
        name = self.text(where, "name") or (quote(titles[0], safe="") if titles else f"_col.{number}")
        return ColumnDescription(
            name,
            titles,
            own,
            next((text for key in _DESCRIPTIONS for text in texts(where.get(key), own.language)), ""),
            self.truth(where, "virtual"),
            self.truth(where, "suppressOutput"),
        )

    def rules(self, where: JsonObject, outer: CellRules) -> CellRules:
        """The inherited properties at one place, those around it filling what it leaves out."""

        def text(key: str, default: str | None) -> str | None:
            return default if key not in where else self.text(where, key)

        null = where.get("null")
        language = text("lang", outer.language) or UNDETERMINED
        self.made(lambda: Literal("", language=language), f"lang {language[:40]!r} is no language tag")
        return CellRules(
            text("aboutUrl", outer.about),
            text("propertyUrl", outer.property),
            text("valueUrl", outer.value),
            self.datatype(where["datatype"]) if "datatype" in where else outer.datatype,
            text("default", outer.default) or "",
            language,
            outer.null if null is None else tuple(texts(null)),
            self.truth(where, "ordered", outer.ordered),
            text("separator", outer.separator) or None,
        )

    def datatype(self, value: Json) -> Datatype:
        if isinstance(value, str):
            value = {"base": value}
        if not isinstance(value, dict):
            raise self.error("datatype is neither a name nor an object")
        form = value.get("format")
        number = form if isinstance(form, dict) else {}
        datatype = Datatype(
            self.text(value, "base") or "string",
            self.text(value, "@id"),
            form if isinstance(form, str) else None,
            self.text(number, "decimalChar") or ".",
            self.text(number, "groupChar"),
        )
        if datatype.base not in DATATYPES:
            raise self.error(f"datatype {datatype.base[:60]!r} is not one of CSV on the Web")
        if (remedy := wrong_format(datatype)) is not None:
            raise self.error(f"format {str(form)[:60]!r} is not valid for a {datatype.base}: {remedy}")
        if datatype.iri is not None:
            self.made(lambda: NamedNode(datatype.iri or ""), f"@id {datatype.iri[:80]!r} is no IRI")
        return datatype

    def made(self, make: Callable[[], object], otherwise: str) -> None:
        try:
            make()
        except ValueError:
            raise self.error(otherwise) from None

    def foreign_key(self, where: JsonObject) -> ForeignKey:
        resource = self.text(self.inner(where, "reference"), "resource")
        columns = tuple(texts(where.get("columnReference")))
        if not columns or not resource:
            raise self.error("a foreign key has no columnReference, or no resource in its reference")
        return ForeignKey(columns, resource)

    def dialect(self, where: JsonObject) -> Dialect:
        trim = where.get("trim", False)
        header = 1 if self.truth(where, "header", True) else 0
        return Dialect(
            self.sign(where, "delimiter", ","),
            self.count(where, "headerRowCount", header),
            None
            if "quoteChar" in where and where["quoteChar"] is None
            else self.sign(where, "quoteChar", '"'),
            self.truth(where, "doubleQuote", True),
            self.encoding(self.text(where, "encoding") or "utf-8"),
            self.text(where, "commentPrefix"),
            self.count(where, "skipRows"),
            self.count(where, "skipColumns"),
            self.truth(where, "skipInitialSpace"),
            str(trim).lower(),
        )

    def sign(self, where: JsonObject, key: str, default: str) -> str:
        value = self.text(where, key) or default
        if len(value) != 1 or value in "\r\n":
            raise self.error(f"{key} {value[:20]!r} is not one character")
        return value

    def encoding(self, name: str) -> str:
        try:
            known = codecs.lookup(name).name
        except (LookupError, ValueError):
            known = ""
        if not _ENCODINGS.match(known):
            raise self.error(f"encoding {name[:40]!r} is unknown")
        return known
