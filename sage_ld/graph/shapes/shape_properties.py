"""The properties that the shapes look at, read without the libraries that check shapes."""

from __future__ import annotations

from functools import cache

from pyoxigraph import NamedNode, RdfFormat, parse

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v


@cache
def relevant_properties() -> frozenset[str]:
    """The IRIs of the properties that some shape looks at: a statement with another one breaks none.

    >>> {v.NAME, v.TYPE} <= relevant_properties()
    True
    """
    quads = parse(package_files.read_text(package_files.SHAPES), RdfFormat.TURTLE)
    return frozenset(each.object.value for each in quads if isinstance(each.object, NamedNode)) | {v.TYPE}
