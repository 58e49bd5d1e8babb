"""The state of the laboratory's routes in a web process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from sage_ld.foundation.deadline import deadline
from sage_ld.foundation.errors import SageError
from sage_ld.lab.inspection.overview import GraphOverview
from sage_ld.service.background import Latest
from sage_ld.service.context import Service, most_waiting
from sage_ld.service.extensions import ExtensionState

NAME: Final = "lab"


@dataclass(frozen=True, slots=True)
class LabState(ExtensionState):
    """The overview of the whole graph."""

    overviews: Latest[GraphOverview | SageError]
    """The communities of the newest revision, or why there are none; found in the background."""

    @classmethod
    def of(cls, here: Service) -> LabState:
        """The state of a service that starts."""
        return cls(Latest(lambda: _overviewed(here), most_waiting=most_waiting(here.settings)))

    def begin(self, number: int) -> None:
        """Has the communities found."""
        self.overviews.begin(number)

    def renew(self, number: int) -> None:
        """Has the communities found again."""
        self.overviews.renew(number)


def lab_of(here: Service) -> LabState:
    """The state of the service for the laboratory."""
    return cast(LabState, here.states[NAME])


def _overviewed(here: Service) -> tuple[int, GraphOverview | SageError]:
    check = deadline(here.settings.overview_timeout, "overview_timeout")
    with here.snapshots.use() as snapshot:
        try:
            return snapshot.number, GraphOverview.of(snapshot, here.settings, check)
        except SageError as error:
            return snapshot.number, error
