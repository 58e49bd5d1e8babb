"""The sandbox of a worker process: limits of memory, no core dumps, no network, no files.

Texts with SERVICE and LOAD are refused (`sage_ld.service.workers.outbound_calls`), and this is the second
lock on the same door: the kernel refuses the thread any new socket, so that no error in that check reaches a
host. It is a seccomp filter (https://docs.kernel.org/userspace-api/seccomp_filter.html), which needs no
privilege. Where the platform has none, `no_network` says so and the check of the text stands alone.

A process that runs programs of clients may do less: `only_computing` leaves it memory, time and the files
that it has open, by a list of the system calls that remain, and `no_files` shuts the file system by Landlock
(https://docs.kernel.org/userspace-api/landlock.html) below that. Either alone refuses `open`. Where such a
program could change the process itself, `keep_alarm` takes away what would put off its end.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import signal
import struct
import sys
import traceback
from collections.abc import Sequence
from typing import Final, NoReturn

_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER, _SET_DEATH_SIGNAL = 38, 22, 2, 1  # prctl(2)
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF: load a word, jump if equal, return
_AT_SYSCALL, _AT_ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
_ARCHITECTURES = {  # AUDIT_ARCH_…, socket(2), io_uring_setup(2): the ways to a new socket
    "x86_64": (0xC000003E, 41, 425),
    "aarch64": (0xC00000B7, 198, 425),
}
_PRCTL: Final = {"x86_64": 157, "aarch64": 167}
_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # landlock_create_ruleset(2), landlock_restrict_self(2)
_FILE_RIGHTS: Final = ((5, 0xFFFF), (3, 0x7FFF), (2, 0x3FFF), (1, 0x1FFF))
"""LANDLOCK_ACCESS_FS_…: the least version of Landlock, and all rights to files that it knows."""
_COMPUTING: Final = {  # name: number on x86_64, on aarch64; None where it has none
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "poll": (7, None),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "nanosleep": (35, 101),
    "setitimer": (38, 103),
    "getpid": (39, 172),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "exit": (60, 93),
    "uname": (63, 160),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "ppoll": (271, 73),
    "getcpu": (309, 168),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "rseq": (334, 293),
}
COMPUTING: Final = {
    "x86_64": tuple(each for each, _ in _COMPUTING.values()),
    "aarch64": tuple(each for _, each in _COMPUTING.values() if each is not None),
}
"""The numbers of the system calls that a process which only computes may make, by machine."""
_UNTIMELY: Final = ("setitimer", "rt_sigaction", "rt_sigprocmask", "sigaltstack", "uname")
"""Calls that could put off or catch an alarm, and the one that tells the name of the machine."""


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
    return _install(_program(*numbers))


def only_computing(*, then_keep_alarm: bool = False) -> bool:
    """From now on this thread, the only one, has memory, clocks and its open files, and nothing else.

    No file is opened, no process or thread started, no signal sent, no socket made: the kernel refuses every
    system call but those in `COMPUTING`. With `then_keep_alarm`, that function can be called later. Gives
    False as `no_network` does.
    """
    machine = platform.machine()
    numbers = COMPUTING.get(machine) if sys.platform == "linux" else None
    if numbers is None:
        return False
    more = (_PRCTL[machine],) if then_keep_alarm else ()
    return _install(_allowing(_ARCHITECTURES[machine][0], (*numbers, *more)))


def keep_alarm(machine: str) -> bool:
    """From now on an alarm that was set ends this thread, whatever it does; to be called once.

    It changes no timer, no signal's handler or mask, and no filter such as this one. Gives False if the
    kernel refuses. `machine` is `platform.machine()`, which is not to be asked in the sandbox.
    """
    numbers = [_COMPUTING[name][machine == "aarch64"] for name in _UNTIMELY]
    refused = [number for number in (*numbers, _PRCTL[machine]) if number is not None]
    return _install(_program(_ARCHITECTURES[machine][0], *refused))


def is_alone() -> bool:
    """Whether this thread is the only one of its process, so that a filter of it is one of the process."""
    return len(os.listdir("/proc/self/task")) == 1


def close_files_but(kept: int) -> None:
    """Closes all open files but the first three and one more."""
    os.closerange(3, kept)
    os.closerange(kept + 1, max(map(int, os.listdir("/proc/self/fd"))) + 1)


def no_files() -> bool:
    """From now on neither this thread nor one that it starts opens, makes or removes a file.

    Nor does it list a folder. Files that are open stay so. By Landlock, with every right handled that the
    kernel knows and no rule. Gives False if the kernel has no Landlock.
    """
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if version < 1:
        return False
    rights = next(number for least, number in _FILE_RIGHTS if version >= least)
    attributes = struct.pack("Q", rights)
    ruleset = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    if ruleset < 0:
        return False
    try:
        return _no_new_privileges() and libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0)) == 0
    finally:
        os.close(ruleset)


def end_with_parent() -> bool:
    """Has the system kill this process as soon as the thread that started it ends, whatever it does then.

    False where the system cannot: there it ends when it next waits for its parent. A parent that has ended
    before has closed the connection, by which the process learns of it.
    """
    if not sys.platform.startswith("linux"):
        return False
    zero = ctypes.c_ulong(0)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return bool(prctl(_SET_DEATH_SIGNAL, ctypes.c_ulong(signal.SIGKILL), zero, zero, zero) == 0)


def _no_new_privileges() -> bool:
    zero = ctypes.c_ulong(0)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    return bool(prctl(_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero) == 0)


def _install(program: bytes) -> bool:
    """Makes a seccomp filter of a BPF program, for this thread and those that it starts."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    zero = ctypes.c_ulong(0)
    if not _no_new_privileges():
        return False
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    status: int = prctl(_SET_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.c_char_p(header), zero, zero)
    return status == 0


def _allowing(architecture: int, allowed: Sequence[int]) -> bytes:
    """Refuses all system calls but those in `allowed` with EACCES, and every call in another numbering."""
    count = len(allowed)
    body = [(_EQUAL, count - index, 0, number) for index, number in enumerate(allowed)]
    return _packed(
        [
            (_LOAD, 0, 0, _AT_ARCHITECTURE),
            (_EQUAL, 0, count + 1, architecture),
            (_LOAD, 0, 0, _AT_SYSCALL),
            *body,
            (_RETURN, 0, 0, _ERRNO | errno.EACCES),
            (_RETURN, 0, 0, _ALLOW),
        ]
    )


def _program(architecture: int, *refused: int) -> bytes:
    """Refuses the system calls `refused` with EACCES, and every call in another architecture's numbering."""
    body = [(_EQUAL, len(refused) - index, 0, number) for index, number in enumerate(refused)]
    return _packed(
        [
            (_LOAD, 0, 0, _AT_ARCHITECTURE),
            (_EQUAL, 0, len(refused) + 2, architecture),
            (_LOAD, 0, 0, _AT_SYSCALL),
            *body,
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _ERRNO | errno.EACCES),
        ]
    )


def _packed(instructions: Sequence[tuple[int, int, int, int]]) -> bytes:
    return b"".join(struct.pack("HBBI", *each) for each in instructions)
