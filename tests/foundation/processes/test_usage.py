"""The processor time of a process, as its clock has it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from waiting import waited_for

from sage_ld.foundation.processes.usage import anonymous_memory, processor_time


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems may have no such clock")
def test_a_process_that_works_uses_processor_time_and_memory() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as child:
        assert waited_for(lambda: processor_time(child.pid) > 0.2)
        assert anonymous_memory(child.pid) > 100_000
        child.kill()
    assert (processor_time(child.pid), anonymous_memory(child.pid)) == (0, 0)
