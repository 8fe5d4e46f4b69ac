"""Fixtures that every test may use.

What they need is imported where it is used: the process that hands out tests needs none of it, and
the others start only after it.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.chromium import chromium as chromium

if TYPE_CHECKING:
    from tests.support.world import World

MEMORY, MEMORY_NEEDED = Path("/dev/shm"), 4 * 2**30
BROWSER = Path(__file__).parent / "browser"
SEARCHED_EVERY = 50_000
"""New objects between two searches for cycles: of Ibis's expressions there are thousands a test."""
LONG = ("browser", "spark", "office", "kill", "pages", "systems", "slow")


def pytest_configure(config: pytest.Config) -> None:
    """Where memory can hold them, worlds are built there: each waits for the disk eighty times."""
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > MEMORY_NEEDED:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    _give_examples_time()


def _give_examples_time() -> None:
    """Lets an example of Hypothesis take any time: how long says only how busy the machine is."""
    from hypothesis import HealthCheck, settings

    slow = [HealthCheck.too_slow]
    settings.register_profile("any machine", deadline=None, suppress_health_check=slow)
    settings.load_profile("any machine")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks tests; files that take a minute begin first, else one worker ends with them, alone."""
    for item in items:
        if BROWSER in item.path.parents:
            item.add_marker("browser")
    mark_sample(items)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
    gc.freeze()  # what was imported stays: no search for cycles has to walk it again
    gc.set_threshold(SEARCHED_EVERY)


def pytest_unconfigure() -> None:
    """Closes and thaws: DuckDB warns at exit of its objects that no search has freed."""
    if compiled_once := sys.modules.get("tests.support.marts.compiled_once"):
        compiled_once.close()
    gc.unfreeze()


def mark_sample(items: list[pytest.Item]) -> None:
    """One quick test of each folder, as the folders mirror the packages.

    The first of those with the fewest fixtures: what needs none builds nothing.
    """
    quick = (item for item in items if not any(map(item.get_closest_marker, LONG)))
    by_folder: dict[Path, pytest.Item] = {}
    for item in sorted(quick, key=_fixtures):
        by_folder.setdefault(item.path.parent, item)
    for item in by_folder.values():
        item.add_marker("sample")


def _fixtures(item: pytest.Item) -> int:
    return len(getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session", autouse=True)
def compiled_sql(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """SQL is compiled once for all test processes, and kept for the next run."""
    from tests.support.shared_sql import shared_sql

    kept = pytestconfig.pluginmanager.hasplugin("cacheprovider")
    make = pytestconfig.cache.mkdir if kept and pytestconfig.cache else tmp_path_factory.mktemp
    with shared_sql(make("compiled_sql")):
        yield


@pytest.fixture(scope="session", autouse=True)
def computed_marts(pytestconfig: pytest.Config) -> Iterator[None]:
    """Marts are computed once for all test processes and for the next run."""
    from tests.support import shared_marts

    if not pytestconfig.pluginmanager.hasplugin("cacheprovider") or not pytestconfig.cache:
        yield
        return
    with shared_marts.shared_marts(pytestconfig.cache.mkdir("computed_marts")):
        yield


@pytest.fixture(scope="session", autouse=True)
def kept_worlds(pytestconfig: pytest.Config) -> Iterator[None]:
    """The same bill is pulled and built once for all test processes and for a run soon after."""
    from tests.support import shared_worlds

    if not pytestconfig.pluginmanager.hasplugin("cacheprovider") or not pytestconfig.cache:
        yield
        return
    with shared_worlds.shared_worlds(pytestconfig.cache.mkdir("worlds")):
        yield


@pytest.fixture(scope="session", autouse=True)
def no_pause_before_aws_is_asked_again() -> Iterator[None]:
    """An AWS that is not there is asked four times, as ever, but at once."""
    from botocore.retries.standard import ExponentialBackoff

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ExponentialBackoff, "delay_amount", lambda *_: 0)
        yield


@pytest.fixture(scope="session", autouse=True)
def scratch_databases() -> Iterator[None]:
    """DuckDB stays open between the pulls of all tests."""
    from models.engine.warehouse import scratch

    with scratch.keeping():
        yield


@pytest.fixture(scope="module")
def computed_anew() -> Iterator[None]:
    """For tests of whether the same comes out twice, or that replace a function of the product.

    Each pull and each build does all of its work.
    """
    from tests.support import shared_marts, shared_worlds

    with shared_marts.computed_anew(), shared_worlds.computed_anew():
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An empty world."""
    from tests.support.world import World

    return World(tmp_path)


@pytest.fixture
def atlas(world: World) -> World:
    """METHOD §8 A."""
    return migrated(world)


def migrated(world: World, workload: str = "atlas-7b") -> World:
    """METHOD §8 A: two GPU runs in May 2025, three Trainium runs in September, one investment."""
    for run, machine, start, hours, rate, epochs in (
        ("g1", "p4d.24xlarge", "2025-05-02", 100, 25, 10),
        ("g2", "p4d.24xlarge", "2025-05-12", 110, 25, 10),
        ("t1", "trn1.32xlarge", "2025-09-02", 25, 16, 4),
        ("t2", "trn1.32xlarge", "2025-09-08", "32.5", 16, 5),
        ("t3", "trn1.32xlarge", "2025-09-15", "36.25", 16, 6),
    ):
        world.run(run, machine, f"{start}T00:00:00", hours, rate, epochs, workload=workload)
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    world.config.setdefault("investments", []).append(
        {
            "workload": workload,
            "date": date(2025, 8, 15),
            "kind": "engineering",
            "days": 10,
            "day_rate": 1000,
        }
    )
    return world
