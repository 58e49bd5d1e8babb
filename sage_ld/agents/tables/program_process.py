"""The process of one Python program: `python -m sage_ld.agents.tables.program_process SOCKET MEMORY`.

It loads pandas, shuts itself in (`sage_ld.foundation.processes.sandbox`), reads one job from the socket it
was started with, and answers it (`sage_ld.foundation.processes.messages`). A job brings the tables that its
program names. The program is Python, so it can change all that the process does from then on, to its last
byte; what keeps it in is the kernel, its parent trusts nothing that comes from it, and it is never given a
second job. Where the kernel lacks a lock, the job is refused.
"""

from __future__ import annotations

import io
import json
import os
import platform
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

from sage_ld.agents.tables import frames, program
from sage_ld.foundation.errors import UnavailableError
from sage_ld.foundation.processes import messages, sandbox
from sage_ld.foundation.processes.failures import failure
from sage_ld.foundation.processes.parent import GRACE, connection_to_parent

_ONE_THREAD: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_WITHOUT: Final = ("pyarrow", "numexpr", "bottleneck", "numba", "matplotlib")
"""Libraries that pandas would use, with threads and files of their own."""
_LOADED: Final = (
    "pandas.core.methods.select pandas.core.methods.to_dict pandas.core.reshape.reshape pandas.io.json "
    "pandas.io.formats.csvs pandas.io.formats.html pandas.io.formats.string pandas.tseries.holiday "
    "numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random bisect calendar collections copy "
    "dataclasses datetime decimal difflib enum fractions functools hashlib heapq itertools json math "
    "operator random re statistics string textwrap time typing unicodedata _strptime encodings.ascii "
    "encodings.latin_1 encodings.utf_16 encodings.cp1252 encodings.idna"
)
"""Modules that a program may import, or cause to be."""
_WARM: Final = """
frame = pd.DataFrame({"k": ["a", "b", "a"], "n": [1, 2, 3], "d": pd.to_datetime(["2000-01-01"] * 3)})
frame["m"] = pd.array([1, None, 3], dtype="Int64")
print(frame, frame.to_string(), frame.groupby("k").agg({"n": ["sum", "mean"], "m": "median"}))
frame.merge(frame, on="k").pivot_table(index="k", columns="n_x", values="n_y", aggfunc="sum").corr()
frame.query("n > 1").sort_values("n").describe(include="all").round(2).T.to_csv()
frame.set_index("d").resample("YE")["n"].sum().rolling(2).mean().rank().cumsum().diff()
frame["k"].str.extract("(a)").value_counts(), frame["d"].dt.strftime("%Y %B"), frame["k"].astype("category")
pd.cut(frame["n"], 2), pd.qcut(frame["n"], 2), pd.get_dummies(frame["k"]), pd.crosstab(frame["k"], frame["n"])
pd.to_numeric(pd.Series(["1", "x"]), errors="coerce"), pd.concat([frame, frame]).drop_duplicates("k")
pd.date_range("2000-01-01", periods=3, freq="ME").tz_localize("UTC"), f"{frame.n.mean():,.2f}"
frame.melt("k", ["n", "m"]).stack().unstack(), frame.nlargest(1, "n")
frame.apply(lambda row: row["n"], axis=1)
np.polyfit([1, 2, 3], [1, 2, 3], 1), np.percentile([1, 2], 50), frame.sample(2, random_state=1)
import datetime; datetime.datetime.strptime("2000-01-01", "%Y-%m-%d")
result = frame
"""
"""A program with most of what programs do, so that what it needs is loaded before files are shut."""
Job = dict[str, Any]


def main() -> None:
    """Answers one job, or ends where the parent closes its end."""
    number, memory = sys.argv[1], int(sys.argv[2])
    with connection_to_parent(number) as connection:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sandbox.limit_memory(memory)
        os.environ.clear()
        os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
        os.chdir("/")
        _load()
        machine = platform.machine()
        reason = _shut_in(connection.fileno())
        peer = messages.BufferedPeer(connection)
        messages.send_end(peer, {})
        body = io.BytesIO()
        job = messages.receive_message(peer, body)
        signal.setitimer(signal.ITIMER_REAL, job["seconds"] + GRACE)
        if not reason and not sandbox.keep_alarm(machine):
            reason = "the kernel has refused to lock its timer"
        body.seek(0)
        _answer(job, body, peer, reason)
        os._exit(0)


def _load() -> None:
    """Loads what programs may need."""
    sys.modules.update(dict.fromkeys(_WITHOUT))  # type: ignore[arg-type]  # None: is not to be imported
    import numpy as np
    import pandas as pd

    from sage_ld.agents.tables import program_results

    for name in _LOADED.split():
        with suppress(ImportError):  # another version of pandas
            import_module(name)
    value, printed = program.run(_WARM, {"pd": pd, "np": np})
    program_results.answer_of(value, printed, 10, 1 << 20)


def _shut_in(connection: int) -> str:
    """Gives up all but memory, time and the connection. Gives the reason where that cannot be done."""
    if sys.platform != "linux" or platform.machine() not in sandbox.COMPUTING:
        return f"it takes Linux on x86-64 or ARM64, and this is {sys.platform} on {platform.machine()}"
    sandbox.close_files_but(connection)
    if not sandbox.is_alone():
        return "a library has started a thread"
    if not sandbox.no_files():
        return "the kernel has no Landlock"
    if not sandbox.only_computing(then_keep_alarm=True):
        return "the kernel has no seccomp filters"
    try:
        os.close(os.open("/", os.O_RDONLY))
    except PermissionError:
        return ""
    return "the kernel does not keep to its seccomp filters"


def _answer(job: Job, body: io.BytesIO, peer: messages.Peer, reason: str) -> None:
    """Does the job, and sends its answer and how it ended."""
    try:
        if reason:
            raise UnavailableError(f"Python programs cannot be locked in here: {reason}; use SQL")
        content = run(job, body)
    except BaseException as error:
        messages.send_end(peer, failure(program.told(error), "table_worker_memory"))
        return
    for start in range(0, len(content), messages.BLOCK):
        messages.send_data(peer, content[start : start + messages.BLOCK])
    messages.send_end(peer, {})


def run(job: Job, body: io.BytesIO) -> bytes:
    """The answer to `job["code"]` over the tables of the job, as JSON.

    `body` has a line of JSON for each column of each table: its values, in order.
    """
    import numpy as np
    import pandas as pd

    from sage_ld.agents.tables import program_results

    tables = {}
    for table in job["tables"]:
        columns = {name: _column(json.loads(body.readline()), kind) for name, kind in table["columns"]}
        tables[table["name"]] = pd.DataFrame(columns)
    body.truncate(0)
    named = {name: frame for name, frame in tables.items() if frames.is_variable(name)}
    variables = {"__name__": "__main__", **named, "pd": pd, "np": np, "tables": tables}
    value, printed = program.run(job["code"], variables)
    try:
        return program_results.answer_of(value, printed, job["max_rows"], job["max_bytes"])
    except BaseException as error:  # values may be of the program's own classes
        raise program.told(error) from None


def _column(values: list[str | None], kind: str) -> Any:
    """The values of a column, texts or None, as those of a type (`frames.frame_type`)."""
    import numpy as np
    import pandas as pd

    if kind.startswith("datetime64"):
        return pd.Series(np.array(["NaT" if each is None else each for each in values], dtype=kind))
    if kind in {"int64", "Int64"}:
        return pd.Series([None if each is None else int(each) for each in values], dtype=kind)
    if kind == "float64":
        return pd.Series([None if each is None else float(each) for each in values], dtype=kind)
    if kind in {"bool", "boolean"}:
        return pd.Series([None if each is None else each.lower() == "true" for each in values], dtype=kind)
    return pd.Series(values, dtype=kind)


if __name__ == "__main__":
    main()
