"""Calls of a toolbox's tools as frameworks make them: the result as text, for a language model to read."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from typing import Any

from sage_ld.agents import Toolbox
from sage_ld.agents.tools.backend import Gone
from sage_ld.agents.tools.tool import waiting


def call(toolbox: Toolbox, name: str, arguments: Mapping[str, Any], gone: Gone = waiting) -> str:
    """The result of a tool as JSON. Raises what `Toolbox.call` raises."""
    return json.dumps(toolbox.call(name, arguments, gone=gone), ensure_ascii=False)


async def acall(toolbox: Toolbox, name: str, arguments: Mapping[str, Any]) -> str:
    """The same, from a thread; the work ends at its next step where the task is cancelled."""
    cancelled = threading.Event()
    try:
        return await asyncio.to_thread(call, toolbox, name, arguments, cancelled.is_set)
    except asyncio.CancelledError:
        cancelled.set()
        raise
