"""XML parsed with nothing fetched, nothing expanded without end, and no deeper than a limit."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings


class _Guard:
    """Passes events on to a tree builder, or drops them, within limits of depth and attributes."""

    def __init__(self, data: bytes, name: str, settings: Settings, target: TreeBuilder | None) -> None:
        self._name, self._limit, self._target = name, settings.max_json_depth, target
        self._depth = 0
        self._most = self._left = settings.max_text_ratio * len(data) + (1 << 20)
        """Characters that attributes may have: a declaration gives them to all elements of a name."""

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > self._limit:
            raise LimitError(
                f"{self._name}: nested deeper than {self._limit:,} levels; "
                "flatten it or raise the setting max_json_depth"
            )
        self._left -= sum(map(len, attrs.values()))
        if self._left < 0:
            raise LimitError(
                f"{self._name}: attributes of more than {self._most:,} characters, those that "
                "declarations add counted at each element; leave out the declarations or raise the setting "
                "max_text_ratio"
            )
        if self._target is not None:
            self._target.start(tag, attrs)

    def end(self, tag: str) -> None:
        self._depth -= 1
        if self._target is not None:
            self._target.end(tag)

    def data(self, data: str) -> None:
        if self._target is not None:
            self._target.data(data)

    def close(self) -> Element | None:
        return None if self._target is None else self._target.close()


def parse_xml(data: bytes, name: str, settings: Settings) -> Element:
    """The root element. Entities that the document declares, and anything outside it, are refused.

    Raises InputError that names the line, LimitError if it is nested deeper than `max_json_depth`.
    """
    root = _feed(data, name, _Guard(data, name, settings, TreeBuilder()), forbid_entities=True)
    assert root is not None
    return root


def check_xml(data: bytes, name: str, settings: Settings) -> None:
    """Checks XML before another parser gets it: OWL files declare entities for their namespaces.

    Those stay allowed; expat stops where they expand to more than a hundred times the file.
    """
    _feed(data, name, _Guard(data, name, settings, None), forbid_entities=False)


def _feed(data: bytes, name: str, guard: _Guard, *, forbid_entities: bool) -> Element | None:
    parser = DefusedXMLParser(
        target=guard, forbid_dtd=False, forbid_entities=forbid_entities, forbid_external=True
    )
    try:
        parser.feed(data)
        return parser.close()  # type: ignore[no-any-return]  # defusedxml has no annotations
    except DefusedXmlException as error:
        kind = type(error).__name__
        raise InputError(
            f"{name}: declares an entity or refers to another file ({kind}); write the text in its place"
        ) from None
    except ParseError as error:
        line, column = error.position
        what = str(error).partition(":")[0]
        raise InputError(
            f"{name}: not valid XML: {what} (line {line}, column {column + 1}); correct it there"
        ) from None
    except (ValueError, LookupError) as error:
        raise InputError(f"{name}: the encoding is unknown ({error}); convert the file to UTF-8") from None
