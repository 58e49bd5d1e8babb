"""The state of the routes for agents in a web process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from sage_ld.agents.tables import TableWorkers
from sage_ld.agents.tools.policy import ToolPolicy, load_policy
from sage_ld.service.context import Service
from sage_ld.service.extensions import ExtensionState
from sage_ld.service.http import metrics

NAME: Final = "agents"


@dataclass(frozen=True, slots=True)
class AgentsState(ExtensionState):
    """The workers of tables, and the policy of tools."""

    tables: TableWorkers
    """Run SQL over the graph's tables; none is started before the first statement."""
    tool_policy: ToolPolicy
    """Which calls of tools wait for a person."""

    @classmethod
    def of(cls, here: Service) -> AgentsState:
        """The state of a service that starts. Raises InputError for a policy that cannot be read."""
        settings = here.settings
        return cls(
            TableWorkers(settings, metrics.PoolObserver("tables"), metrics.PoolObserver("programs")),
            load_policy(settings.tool_policy) if settings.tool_policy else ToolPolicy(),
        )

    def close(self) -> None:
        """Ends the workers."""
        self.tables.close()


def agents_of(here: Service) -> AgentsState:
    """The state of the service for agents."""
    return cast(AgentsState, here.states[NAME])
