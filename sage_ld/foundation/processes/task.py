"""A job for a pool of workers, and how long a worker has been at it."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import IO, Any, Final, TypeAlias

from sage_ld.foundation.errors import AbandonedError
from sage_ld.foundation.processes.places import Places
from sage_ld.foundation.processes.usage import processor_time
from sage_ld.foundation.processes.worker_process import WorkerProcess

Gone: TypeAlias = Callable[[], bool]
"""Says whether the answer is no longer needed."""
LONG: Final = 0.25
"""Seconds of processor time after which a job counts as long. On a busy machine they take longer to pass."""
LONGEST: Final = 8 * LONG
"""Seconds after which it does in any case: it may wait for a disk."""


@dataclass(slots=True)
class Task:
    """A job, and what is to become of it."""

    job: dict[str, Any]
    seconds: float
    """All the time it has, once it has a worker."""
    max_wait: float
    """Seconds after its begin until which it may wait for a worker, and for its turn as a long job."""
    body: IO[bytes] | None
    gone: Gone | None
    output: IO[bytes] | None
    client: Hashable | None = None
    """For whom it is done; None: for nobody with whom others share."""
    place: Places = field(init=False)
    """The place that it holds, as a job of one kind; there is none before it may begin."""
    successor: WorkerProcess | None = None
    """The worker that was started where the job ended its own."""
    begin: float = field(default_factory=time.monotonic)

    def time_to_wait(self) -> float:
        """Seconds for which it may still wait; 0 or less where it may not."""
        return self.begin + self.max_wait - time.monotonic()

    def time_to_run(self) -> float:
        """Seconds that it has on a worker that takes it now, however often it was begun before."""
        return min(self.seconds, self.begin + self.max_wait + self.seconds - time.monotonic())

    def rewind(self) -> None:
        """Makes it ready to begin again."""
        if self.body is not None:
            self.body.seek(0)
        if self.output is not None:
            self.output.seek(0)
            self.output.truncate()

    def check_client(self) -> None:
        """Raises AbandonedError if the answer is no longer needed."""
        if self.gone is not None and self.gone():
            raise AbandonedError("the client has disconnected; the answer is no longer needed")


class Effort:
    """The effort that a process has put into a job, measured from now on."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._begin = time.monotonic()
        self._used = processor_time(process)

    def has_taken(self, seconds: float) -> bool:
        """Whether the job has had so much processor time; by the clock where the system does not tell."""
        used = processor_time(self._process)
        return (used - self._used if used else time.monotonic() - self._begin) >= seconds

    def is_long(self) -> bool:
        """Whether the job counts as a long one."""
        used = processor_time(self._process) - self._used  # 0 if the system does not tell
        return used > LONG or time.monotonic() - self._begin > LONGEST
