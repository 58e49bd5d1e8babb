"""The check of identifiers: of a file's path, a record, or a name inside an archive."""

from __future__ import annotations

import re
from typing import Final

from sage_ld.build.readers.characters import one_line
from sage_ld.foundation.arguments import has_half_of_a_pair
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

_SHOWN: Final = 200  # characters of a name in a message
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")


def check_identifier(identifier: str, name: str, settings: Settings) -> None:
    """Checks the identifier of a document of the file `name`.

    Raises LimitError over `max_identifier_length`, InputError for one with a control character or a part that
    is not UTF-8.
    """
    if len(identifier) > settings.max_identifier_length:
        raise LimitError.of(
            f"{one_line(name[:_SHOWN])}: an identifier",
            len(identifier),
            settings.max_identifier_length,
            "characters",
            "max_identifier_length",
            "shorten it",
        )
    if has_half_of_a_pair(identifier):
        raise InputError(f"{name[:_SHOWN]!a}: a name that is not UTF-8; rename the file")
    if _CONTROL.search(identifier):
        raise InputError(
            f"{name[:_SHOWN]!a}: an identifier has a control character; rename the file or the record"
        )
