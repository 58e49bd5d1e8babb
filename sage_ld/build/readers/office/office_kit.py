"""A program that has LibreOffice convert one file, by LibreOfficeKit; it imports nothing of this package.

`soffice --convert-to` opens a socket, which the process that reads files may not. LibreOfficeKit is the same
code as a library, without one (https://wiki.documentfoundation.org/Development/LibreOfficeKit).

The arguments: the library, the folder of LibreOffice's programs, a folder of its own with the file, the name
of the file, the name of what it becomes, the most bytes of memory and of a written file.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

_SET_DEATH_SIGNAL: Final = 1  # prctl(2)
_PROFILE: Final = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop>
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop>
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update">
<prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""
"""The profile, by which no macro runs and no file that a document names is opened."""


class _Object(ctypes.Structure):
    """A LibreOfficeKit, or a document of it: its table of functions (LibreOfficeKit.h)."""


_POINTER = ctypes.POINTER(_Object)


class _Functions(ctypes.Structure):
    """The first functions of both tables, which later versions only add to."""

    _fields_ = (("size", ctypes.c_size_t), ("destroy", ctypes.c_void_p), ("first", ctypes.c_void_p))


_Object._fields_ = (("functions", ctypes.POINTER(_Functions)),)
_LOAD: Final = ctypes.CFUNCTYPE(_POINTER, _POINTER, ctypes.c_char_p)
_SAVE: Final = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)


def main(arguments: list[str]) -> NoReturn:
    """Converts the file; the status is 0 if it has been written."""
    library, programs, folder, name, target, memory, written = arguments
    _limit(int(memory), int(written))
    profile = Path(folder, "profile")
    Path(profile, "user").mkdir(parents=True)
    Path(profile, "user", "registrymodifications.xcu").write_text(_PROFILE, "utf-8")
    kit = _kit(library, programs, profile)
    document = _LOAD(kit.contents.functions.contents.first)(kit, Path(folder, name).as_uri().encode())
    done = bool(document) and _SAVE(document.contents.functions.contents.first)(
        document, Path(folder, target).as_uri().encode(), Path(target).suffix[1:].encode(), None
    )
    os._exit(0 if done else 1)  # its threads are not waited for


def _limit(memory: int, written: int) -> None:
    """Limits what the process may take, and has it end with the one that waits for it."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, ctypes.c_ulong(signal.SIGKILL))
        _lower(resource.RLIMIT_AS, memory)
    _lower(resource.RLIMIT_FSIZE, written)
    _lower(resource.RLIMIT_CORE, 0)


def _lower(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def _kit(library: str, programs: str, profile: Path) -> Any:
    hook = ctypes.CDLL(library, ctypes.RTLD_GLOBAL).libreofficekit_hook_2
    hook.restype, hook.argtypes = _POINTER, [ctypes.c_char_p, ctypes.c_char_p]
    kit = hook(programs.encode(), profile.as_uri().encode())
    if not kit:
        os._exit(2)
    return kit


if __name__ == "__main__":
    main(sys.argv[1:])
