"""Commands that write, killed at random moments and run again."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from durability.clients import IS, PATIENCE, Clients
from durability.ledger import Outcome
from durability.writing import check_whole

_TAKEN = "is being written by process"
_MADE = "is already a graph"
_IMPORTS = 0.3
"""The share of a command's time that passes before it can have written anything."""


@dataclass(frozen=True)
class Trial:
    """A command that is going to be killed, and run again."""

    arguments: list[str]
    done: Callable[[], None] = lambda: None
    """Is called when it has ended well: what it did has to be there."""
    was_done: str = "(?!)"
    """What it says, as a pattern, where the killed one had done all that it was asked."""


@dataclass
class CommandLine:
    """`sage-ld`, run on the graph in `graph`, which is served, and on graphs of its own in `folder`."""

    shared: Clients
    graph: Path
    folder: Path
    chance: random.Random
    seconds: float = 1.0
    """What the last command took that was not killed."""
    numbers: Iterator[int] = field(default_factory=count)
    killed: Counter[str] = field(default_factory=Counter)

    def kill_one(self) -> float:
        """Kills a command at a random moment, and runs it again; returns the seconds that it took then."""
        name = self.chance.choice(sorted(_TRIALS))
        with ExitStack() as stack:
            if self.chance.random() < 0.7:  # else it may find the graph's lock taken
                stack.enter_context(self.shared.resting())
            trial = _TRIALS[name](self)
            while (ended := self._killed(trial)) is not None:
                trial = _TRIALS[name](self) if ended else trial
        self.killed[name] += 1
        return self.run(trial)

    def run(self, trial: Trial) -> float:
        """Runs a command until it has found the graph's lock free; returns the seconds of the last run."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            begun = time.monotonic()
            with self._started(trial) as process:
                said, _ = process.communicate()
            if self._has_ended(trial, process.returncode, said):
                self.seconds = time.monotonic() - begun
                return self.seconds
        raise AssertionError(f"{trial.arguments}: {said}")

    def _killed(self, trial: Trial) -> bool | None:
        """None for a command that was killed; else whether it had done its work before."""
        begun = time.monotonic()
        with self._started(trial) as process:
            try:
                said, _ = process.communicate(timeout=self.chance.uniform(_IMPORTS, 1) * self.seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                return None
        taken = time.monotonic() - begun
        if done := self._has_ended(trial, process.returncode, said):
            self.seconds = taken  # else one that is quicker than most is never killed
        return done

    def _started(self, trial: Trial) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "sage_ld.cli", *trial.arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def _has_ended(self, trial: Trial, status: int, said: str) -> bool:
        """Whether it did its work; False where another process had the graph's lock."""
        if status == 0 or re.search(trial.was_done, said):
            trial.done()
            return True
        assert _TAKEN in said, f"{trial.arguments}: status {status}, {said}"
        return False


def _checked(folder: Path) -> None:
    """Holds a graph to what is true of every one that nobody uses, and removes it."""
    check_whole(folder)
    shutil.rmtree(folder)
    assert not list(folder.parent.glob(f"{folder.name}*"))


# --- the commands ------------------------------------------------------------------------------------


def _ingest(line: CommandLine) -> Trial:
    number = line.shared.ledger.begin_adding("document")
    arguments = ["ingest", str(line.graph), str(_source(line, number))]
    return Trial(arguments, lambda: line.shared.ledger.added(number, Outcome.DONE))


def _delete(line: CommandLine) -> Trial:
    chosen = line.shared.ledger.begin_removing(line.chance, {"document"})
    if chosen is None:
        return _ingest(line)
    number, _ = chosen
    arguments = ["delete", str(line.graph), f"note-{number}.md", f"note-{number}.ttl"]
    return Trial(arguments, lambda: line.shared.ledger.removed(number, Outcome.DONE), "no document")


def _relink(line: CommandLine) -> Trial:
    return Trial(["relink", str(line.graph)])


def _make(line: CommandLine) -> Trial:
    made = line.folder / f"new-{next(line.numbers)}"
    arguments = ["ingest", str(made), str(_source(line, -1)), "--encoder", "jaccard"]
    return Trial(arguments, lambda: _checked(made))


def _backup(line: CommandLine) -> Trial:
    copy = line.folder / f"copy-{next(line.numbers)}"
    return Trial(["backup", str(line.graph), str(copy)], lambda: _checked(copy), _MADE)


def _restore(line: CommandLine) -> Trial:
    source, restored = line.folder / "backup", line.folder / f"restored-{next(line.numbers)}"
    if not source.exists():
        line.run(Trial(["backup", str(line.graph), str(source)]))
    return Trial(["restore", str(source), str(restored)], lambda: _checked(restored), _MADE)


def _create_token(line: CommandLine) -> Trial:
    name = f"name-{next(line.numbers)}"
    return Trial(["token", "create", str(line.graph), name], was_done="exists in")


def _source(line: CommandLine, number: int) -> Path:
    """A folder with two files, of which one is RDF that holds the number."""
    folder = line.folder / f"source-{number}"
    folder.mkdir(exist_ok=True)
    (folder / f"note-{number}.md").write_text(f"# Note\n\nThis is note {number}, of several.\n")
    (folder / f"note-{number}.ttl").write_text(f"<urn:x:note> <{IS}> {number} .\n")
    return folder


_TRIALS: dict[str, Callable[[CommandLine], Trial]] = {
    "backup": _backup,
    "delete": _delete,
    "ingest": _ingest,
    "ingest into a new graph": _make,
    "relink": _relink,
    "restore": _restore,
    "token create": _create_token,
}
