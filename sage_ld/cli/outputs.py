"""The outputs of commands: JSON on standard output, and files, which are checked before the work begins."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from sage_ld.foundation.errors import InputError


def print_json(value: object) -> None:
    """Prints a value as indented JSON."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def check_output(file: Path | None, option: str, suffix: str | None = None) -> None:
    """Raises InputError, naming the option, where `file` cannot be written or has another suffix."""
    if file is None:
        return
    if suffix is not None and file.suffix.lower() != suffix:
        raise InputError(f"{option} {file}: the name must end in {suffix}; name the file {file.stem}{suffix}")
    if os.path.isdir(file):
        raise InputError(f"{option} {file} is a folder; name a file in it")
    if not os.path.isdir(file.parent):
        raise InputError(
            f"{option} {file}: the folder {file.parent} does not exist; create it, or name another file"
        )
    if not os.access(file if os.path.exists(file) else file.parent, os.W_OK):
        raise InputError(f"{option} {file}: cannot be written; change its permissions, or name another file")


def write_output(file: Path, text: str, option: str) -> None:
    """Writes the file. Raises InputError if that fails, as on a full disk."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{option} {file}: cannot be written ({error.strerror}); name another file"
        ) from None
