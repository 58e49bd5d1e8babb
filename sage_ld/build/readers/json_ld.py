"""The text of JSON-LD as pyoxigraph takes it, which loads no contexts and reads those inside terms again."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from sage_ld.build.readers.contexts import ContextLoader
from sage_ld.foundation.errors import InputError, LimitError, SageError

_PROCESSED: Final[dict[str, Any]] = {}
"""The contexts of the package and the folder as pyld has processed them; those of files are not kept."""
_NAMED_CONTEXT: Final = re.compile(rb'"@context"\s*:\s*[\["]|"@import"')


def with_contexts(data: bytes, base: str, loader: ContextLoader) -> bytes:
    """JSON-LD in which no context is named by its address: expanded (JSON-LD 1.1 API, §5.1) where one was.

    Raises InputError, LimitError, and MissingContextError where a context is to be fetched.
    """
    if _NAMED_CONTEXT.search(data) is None:
        return data
    try:
        value = json.loads(data)
    except ValueError:
        return data  # whose parser says where it is wrong
    return json.dumps(expanded(value, base, loader)).encode()


def expanded(value: Any, base: str, loader: ContextLoader) -> Any:
    """The same for a value of JSON, which stays as it is without such a context."""
    named, inline = _contexts(value)
    if not named:
        return value
    from pyld import jsonld
    from pyld.context_resolver import ContextResolver

    options = {
        "base": base,
        "documentLoader": loader,
        "contextResolver": ContextResolver({} if inline else _PROCESSED, loader),
        "processingMode": "json-ld-1.1",
    }
    try:
        return jsonld.expand(value, options)
    except (MemoryError, SageError):
        raise
    except RecursionError:
        limit = loader.settings.max_json_depth
        raise LimitError(
            f"{loader.name}: nests too deeply for its contexts to be applied, within the {limit:,} levels of "
            "the setting max_json_depth; flatten it"
        ) from None
    except Exception as error:  # pyld's own, and others for what it does not expect
        raise _reason(error, loader.name) from None


def _reason(error: BaseException, name: str) -> SageError:
    """The error of the loader that pyld has wrapped, or the place in the standard that pyld names."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, SageError):
            return cause
        cause = cause.__cause__ or cause.__context__
    code = getattr(error, "code", None)
    reason = getattr(error, "message", None) or (error.args[0] if error.args else type(error).__name__)
    said = " ".join(f"{reason} ({code})".split()) if code else " ".join(str(reason).split())
    return InputError(f"{name}: no JSON-LD: {said[:300]}; correct it there")


def _contexts(value: Any) -> tuple[bool, bool]:
    """Whether a value of JSON names contexts by their addresses, and whether it has some of its own."""
    named = inline = False
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            context = each.get("@context")
            kinds = [type(one) for one in (context if isinstance(context, list) else [context])]
            named = named or str in kinds or "@import" in each
            inline = inline or dict in kinds
            waiting += each.values()
    return named, inline


def check_scoped_contexts(data: bytes, name: str, limit: int) -> None:
    """Raises LimitError where contexts inside terms (JSON-LD 1.1, §4.1.8) make a parser read too many terms.

    Such a context is read again wherever its term is used: the terms that it has, times these places.
    """
    if data.count(b'"@context"') < 2:
        return
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return  # whose parser says where it is wrong
    sizes, uses = Counter[str](), Counter[str]()
    for key, item, in_context in _members(value):
        if in_context and isinstance(item, dict) and "@context" in item:
            sizes[key] += _entries(item["@context"])
        elif not in_context:
            uses.update([key, *(_types(item) if key == "@type" else ())])
    if (read := sum(size * uses[term] for term, size in sizes.items())) > limit:
        what = f"{name}: terms of contexts inside terms, each time that they are read"
        raise LimitError.of(what, read, limit, "terms", "max_json_values", remedy="put them into one context")


def _members(value: Any) -> Iterator[tuple[str, Any, bool]]:
    """The members of all objects in a value of JSON, and whether each stands in a context."""
    waiting: list[tuple[Any, bool]] = [(value, False)]
    while waiting:
        each, in_context = waiting.pop()
        if isinstance(each, list):
            waiting += [(item, in_context) for item in each]
        elif isinstance(each, dict):
            for key, item in each.items():
                yield key, item, in_context
                waiting.append((item, in_context or key == "@context"))


def _entries(context: Any) -> int:
    """The number of terms of a context, and of those inside it."""
    count, waiting = 0, [context]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            count += len(each)
            waiting += each.values()
    return count


def _types(value: Any) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]
