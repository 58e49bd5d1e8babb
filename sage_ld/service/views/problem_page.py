"""The page of a problem document, for people whose browser asked for what cannot be shown.

It needs no request of the framework, since some are answered before they come that far.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, Template

from sage_ld.service.http.addresses import PREFIX


def problem_page(problem: dict[str, Any], root: str) -> str:
    """The page as HTML; `root` is the path below which the service is reached."""
    return _template().render(problem=problem, root=root if PREFIX.fullmatch(root) else "")


@cache
def _template() -> Template:
    views = Environment(loader=PackageLoader("sage_ld.service.views"), autoescape=True)
    return views.get_template("problem.html")
