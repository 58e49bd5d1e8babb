"""The sandbox of a worker process: limits of memory, no core dumps, no network.

Texts with SERVICE and LOAD are refused (`sage_ld.sparql.outbound_calls`), and this is the second lock on the
same door: the kernel refuses the thread any new socket, so that no error in that check reaches a host. It is
a seccomp filter (https://docs.kernel.org/userspace-api/seccomp_filter.html), which needs no privilege. Where
the platform has none, `no_network` says so and the check of the text stands alone.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import struct
import sys
import traceback
from typing import NoReturn

_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2  # prctl(2)
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF: load a word, jump if equal, return
_AT_SYSCALL, _AT_ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ARCHITECTURES = {  # AUDIT_ARCH_…, socket(2), io_uring_setup(2): the ways to a new socket
    "x86_64": (0xC000003E, 41, 425),
    "aarch64": (0xC00000B7, 198, 425),
}


def limit_memory(count: int) -> bool:
    """At most `count` bytes of address space, and no core dump when it is exceeded.

    Gives False if the platform does not limit address space (macOS).
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = count if hard == resource.RLIM_INFINITY else min(count, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (OSError, ValueError):
        return False
    return True


def end_at_once() -> NoReturn:
    """Ends the process without clearing up, which takes seconds where it holds much; its error is logged."""
    try:
        traceback.print_exc()
        sys.stderr.flush()
    finally:  # there may be no memory for it
        os._exit(1)


def no_network() -> bool:
    """From now on neither this thread nor one that it starts can make a socket; those it has stay open.

    Gives False if the platform offers no way: other systems than Linux, other processors than the two
    above.
    """
    numbers = _ARCHITECTURES.get(platform.machine()) if sys.platform == "linux" else None
    if numbers is None:
        return False
    program = _program(*numbers)
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    zero = ctypes.c_ulong(0)
    if prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero) != 0:
        return False
    status: int = prctl(_SET_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.c_char_p(header), zero, zero)
    return status == 0


def _program(architecture: int, *refused: int) -> bytes:
    """Refuses the system calls `refused` with EACCES, and every call in another architecture's numbering."""
    body = [(_EQUAL, len(refused) - index, 0, number) for index, number in enumerate(refused)]
    instructions = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_EQUAL, 0, len(refused) + 2, architecture),
        (_LOAD, 0, 0, _AT_SYSCALL),
        *body,
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | errno.EACCES),
    ]
    return b"".join(struct.pack("HBBI", *each) for each in instructions)
