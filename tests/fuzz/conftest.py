"""Profiles of the fuzz targets: `short` in the tests, `long` for `make fuzz` (HYPOTHESIS_PROFILE=long).

A target has no `@settings` of its own: it takes those of the profile. The other tests keep Hypothesis's
default, so a profile is loaded for the modules of this folder alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from fuzz.application import Application, Place, prepared
from hypothesis import HealthCheck, settings

_SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)
settings.register_profile(
    "short", max_examples=30, derandomize=True, database=None, deadline=None, suppress_health_check=_SLOW
)
settings.register_profile(
    "long", max_examples=2000, deadline=None, print_blob=True, suppress_health_check=_SLOW
)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """A target takes the profile that is loaded while its module is imported."""
    before = settings.get_current_profile_name()
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))
    try:
        return (yield)
    finally:
        settings.load_profile(before)


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A small graph with a token, and a data set to measure it on."""
    return prepared(tmp_path_factory.mktemp("asked"))


@pytest.fixture(scope="session")
def application(place: Place) -> Iterator[Application]:
    """The application of the small graph, with the limits that it has by default."""
    opened = Application(place)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def roomy(place: Place) -> Iterator[Application]:
    """The same for heads of any size, to measure how time grows."""
    opened = Application(place, max_header_bytes=2**20, max_header_fields=2**14, max_request_line=2**20)
    yield opened
    opened.close()
