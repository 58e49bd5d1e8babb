"""Libraries that only an extra of the package installs, such as `pip install 'sage-ld[evaluation]'`."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from sage_ld.errors import UnavailableError

EVALUATION: Final = "evaluation"
"""The extra of `sage-ld eval`: ir-measures, whose pytrec-eval-terrier has no wheel for Linux on ARM."""
DATA: Final = "data"
"""The extra for data files: Parquet and Arrow."""
CODE: Final = "code"
"""The extra for programs, and for reStructuredText."""
WEB: Final = "web"
"""The extra for microdata and RDFa in web pages."""
PLOTS: Final = "plots"
"""The extra of `sage-ld inspect --plot`: matplotlib."""
TABLES: Final = "tables"
"""The extra for SQL over the tables of a graph: DuckDB."""
TUNING: Final = "tuning"
"""The extra of `sage-ld tune`: the libraries of `evaluation`, and LightGBM."""


def load(module: str, extra: str) -> Any:
    """The module of a library. Raises UnavailableError, naming the extra, where it is not installed.

    >>> load("ir_measures_of_tomorrow", EVALUATION)
    Traceback (most recent call last):
    sage_ld.errors.UnavailableError: ir_measures_of_tomorrow is not installed; install it with the extra \
evaluation: pip install 'sage-ld[evaluation]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        missing = error.name or module
        raise UnavailableError(
            f"{missing} is not installed; install it with the extra {extra}: pip install 'sage-ld[{extra}]'"
        ) from None
    except OSError as error:
        raise UnavailableError(
            f"{module} cannot be loaded ({error}); install the library of the system that it names, such as "
            "OpenMP for lightgbm (Debian: apt install libgomp1)"
        ) from None


def check_tuning() -> None:
    """Raises UnavailableError if a library of the extra `tuning` is missing."""
    for module in ("ir_measures", "lightgbm"):
        load(module, TUNING)
