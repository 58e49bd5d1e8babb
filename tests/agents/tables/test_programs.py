"""Python programs in worker processes: results as rows, errors with their lines, and limits."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest

from sage_ld.agents.tables import TableWorkers, catalogue, program_process
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot


@pytest.fixture(scope="module")
def programs() -> Any:
    limits = replace(
        Settings(), table_timeout=60.0, queue_timeout=120.0, table_workers=1, max_table_bytes=20_000
    )
    with TableWorkers(limits) as made:
        yield made


def test_a_table_is_a_frame_whose_rows_keep_their_chunks(programs: TableWorkers, snapshot: Snapshot) -> None:
    answer = programs.run(snapshot, "data_films[data_films.year > 1986]", language="python")
    assert answer.columns == (
        ("film", "str"),
        ("year", "int64"),
        ("rating", "float64"),
        ("shown", "datetime64[us]"),
        ("restored", "boolean"),
        ("code", "str"),
    )
    assert answer.rows == (
        ("Night Bus to Hask", 1987, 8.0, "1987-10-12", False, "12"),
        ("The Lamplighter", 1988, None, "1988-01-30", None, "1"),
    )
    assert answer.chunks == (catalogue(snapshot)["data_films"].chunks,) * 2
    assert (answer.language, [table.name for table in answer.tables]) == ("python", ["data_films"])


@pytest.mark.parametrize(
    ("program", "names", "rows"),
    [
        ("result = towns.people.sum()", ["result"], ((15400,),)),
        ("result = towns.set_index('name').people", ["name", "people"], (("Sennet", 12000), ("Hask", 3400))),
        (
            "result = {'people': towns.people.sum(), '_chunk': list(towns._chunk)}",
            ["people"],
            ((15400,),),
        ),
        (
            "print(len(towns))\nprint(towns.people.max())",
            ["result"],
            (("2",), ("12000",)),
        ),
        ("result = tables['towns'].merge(songs, how='cross')[['name', 'title']][:1]", ["name", "title"],
         (("Sennet", "Ferry Song"),)),
        ("result = [np.float64(1.5), float('nan'), pd.NA, 10**50, float('inf')]", ["result"],
         ((1.5,), (None,), (None,), (str(10**50),), ("inf",))),
        ("import math, statistics, datetime\ndatetime.date(2001, 2, 3)", ["result"], (("2001-02-03",),)),
        ("result = '\\ud800'", ["result"], (("?",),)),
        ("result = data_films.pivot_table(index='year', values='rating', aggfunc=['min', 'max'])[:1]",
         ["year", "min rating", "max rating"], ((1986, 7.5, 7.5),)),
    ],
)  # fmt: skip
def test_results_of_each_kind_are_rows(
    programs: TableWorkers, snapshot: Snapshot, program: str, names: list[str], rows: Any
) -> None:
    answer = programs.run(snapshot, program, language="python")
    assert [name for name, _ in answer.columns] == names
    assert answer.rows == rows


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("", "set no `result`"),
        ("x = 1", "set no `result`"),
        ("result = lambda: 1", "of the type function"),
        ("result = towns.groupby('name')", "DataFrameGroupBy"),
        ("x = 1\ny = towns['folk']", "line 2: KeyError: 'folk'"),
        ("def f(:", "line 1: SyntaxError"),
        ("def f():\n    raise ValueError('a\\nb')\n\nf()", "line 2: ValueError: a b"),
        ("raise SystemExit(0)", "line 1: SystemExit"),
        ("raise type('E', (BaseException,), {'__str__': lambda self: 1})", "an error without a message"),
        ("import scipy", "line 1: ModuleNotFoundError"),
        ("pd.read_csv('towns.csv')", "they are there as DataFrames"),
        ("result = 'x' * 30_000", "max_table_bytes"),
        ("(" * 300, "SyntaxError"),
    ],
)
def test_an_error_says_its_line_and_the_next_program_runs(
    programs: TableWorkers, snapshot: Snapshot, program: str, message: str
) -> None:
    with pytest.raises((InputError, LimitError)) as caught:
        programs.run(snapshot, program, language="python")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_rows_and_print_have_limits(programs: TableWorkers, snapshot: Snapshot) -> None:
    answer = programs.run(snapshot, "range(10)\nresult = list(range(10))", language="python", max_rows=3)
    assert (answer.rows, answer.complete) == (((0,), (1,), (2,)), False)
    answer = programs.run(snapshot, "print('x' * 10**6)\nresult = 1", language="python")
    assert (len(answer.printed), answer.rows) == (16_001, ((1,),))


def test_without_a_lock_a_program_is_refused_with_the_reason(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    sent: list[bytes] = []

    class Peer:
        def recv(self, count: int, /) -> bytes:
            return b""

        def sendall(self, data: bytes, /) -> None:
            sent.append(data)

    job = {"code": "1", "tables": [], "max_rows": 1, "max_bytes": 1000}
    program_process._answer(job, io.BytesIO(), Peer(), "the kernel has no Landlock")
    (end,) = sent
    assert b"UnavailableError" in end
    assert b"the kernel has no Landlock; use SQL" in end
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "it takes Linux" in program_process._shut_in(3)


def test_without_pandas_the_extra_is_named(
    programs: TableWorkers, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UnavailableError, match=r"sage-ld\[python\]"):
        programs.run(snapshot, "1", language="python")
