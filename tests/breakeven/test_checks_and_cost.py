"""Before the first build the browser says what `breakeven init` says: what is missing, the cost."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from breakeven.checks_and_cost import checks_and_cost
from dashboard.wording.setup_steps import request_cost
from models.config.loading import validated_settings
from tests.support.dashboard import world
from tests.support.dashboard.server import Tab, served

CONFIG = """
cost.source = "cost_explorer"
[[sources]]
kind = "cost_explorer"
[[sources]]
kind = "progress_file"
location = "epochs.csv"
"""


def looked(folder: Path, **config: object) -> dict[str, tuple[str, str]]:
    steps = checks_and_cost(validated_settings(config, home=folder))
    return {step.title: (step.state, step.detail) for step in steps}


def test_it_says_what_is_missing_and_what_to_do(tmp_path: Path) -> None:
    found = looked(tmp_path, sources=[{"kind": "focus", "location": "bill"}])
    state, detail = found["Checks"]
    assert (state, "Mend what blocks. " in detail) == ("failed", True)
    state, detail = found["focus"]
    assert state == "blocks"
    assert detail.startswith("no export found: ")
    assert ". What to do: check `location`; a new export arrives within a day" in detail
    assert found["progress"][0] == "warning"
    assert found["What AWS will bill for being asked"] == ("known", "Nothing.")


def test_a_config_that_no_source_can_have_is_named_in_place_of_its_cost(tmp_path: Path) -> None:
    found = looked(tmp_path, sources=[{"kind": "focus", "location": "ftp://bill"}, {"kind": "fox"}])
    assert found["breakeven.toml"][0] == "blocks"
    assert "What AWS will bill for being asked" not in found


def test_nothing_is_looked_for_once_something_is_published(tmp_path: Path) -> None:
    settings = validated_settings({"sources": [{"kind": "cost_explorer"}]}, home=tmp_path)
    assert checks_and_cost(settings)
    world.publish(tmp_path)
    snapshots = validated_settings(
        {"warehouse": {"path": "warehouse.duckdb"}, "sources": [{"kind": "cost_explorer"}]},
        home=tmp_path,
    )
    assert checks_and_cost(snapshots) == ()


def test_an_upper_bound_is_rounded_up() -> None:
    assert "At most $0.01 a month on the schedule of the config. " in request_cost(
        Decimal("0.0002"), Decimal(0)
    )


def test_every_worker_says_the_same(tmp_path: Path) -> None:
    """It is found once, before the workers start: none of them may look or estimate by itself."""
    with served(tmp_path, CONFIG, "--workers", "3") as running:
        told = {_first_page(running.url) for _ in range(9)}
    assert len(told) == 1
    (page,) = told
    assert "At most $" in page
    assert "all of history once $" in page
    assert "no progress file found: " in page


def _first_page(url: str) -> str:
    tab = Tab(url)
    inputs = tab.body("_pages_content")["inputs"]
    for each in inputs:
        each["value"] = {"pathname": "/", "search": ""}.get(each["property"])
    return tab.call("_pages_content", {"inputs": inputs}).text
