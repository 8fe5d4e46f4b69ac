"""METHOD §2.5: what pages sum over charges is unknown where one is, never the known part alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.decide.buying import queries as buying
from dashboard.pages.decide.buying.machine import machine_facts
from dashboard.pages.overview import queries as overview
from dashboard.pages.overview.nothing_tagged import nothing_tagged
from dashboard.pages.overview.tiles import training_share
from dashboard.pages.rates import queries as rates
from dashboard.pages.rates.purchases import coverage_table
from dashboard.pages.runs import queries as runs
from dashboard.pages.trust import queries as trust
from dashboard.pages.trust.tiles import tiles
from dashboard.pages.workload import queries as workload
from dashboard.pages.workload.cost_breakdown import unknown_note
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows import read_rows
from dashboard.snapshot.rows_behind import rates as behind_rates
from dashboard.snapshot.rows_behind import savings as behind_savings
from dashboard.snapshot.rows_behind import spend as behind_spend
from dashboard.snapshot.rows_behind import work as behind_work
from dashboard.snapshot.rows_behind.source_rows import inputs
from models.config.loading import validated_settings
from tests.support.dashboard import world
from tests.support.dashboard.days import Row
from tests.support.dashboard.text import text

WHOLE = View()
T1, T2 = "t1", "t2"


def charge(attribution: str, cost: object, **columns: object) -> Row:
    """Eight hours on the last settled day, of run `t1` if it is one's; no cost is unknown."""
    amount = None if cost is None else Decimal(str(cost))
    own = {"workload": "w", "run": T1} if attribution == "direct" else {}
    kind = {"instance_type": "trn1.32xlarge", "platform": "trn1", "hardware": "trainium"}
    about = {
        "date": world.SETTLED, "billing_period": f"{world.SETTLED:%Y-%m}", "settled": True,
        "component": "accelerator", "purchase_option": "capacity_block", "unpriced": False,
        "region": "us-east-1", "accelerator_hours": Decimal(8), "attribution": attribution,
        "list_cost": amount, "effective_cost": amount, "billed_cost": Decimal(0),
    }  # fmt: skip
    return about | kind | own | columns


UNPRICED = {"unpriced": True}
IDLE = {"component": "other", "accelerator_hours": None}
CHARGES = [
    charge("direct", 10), charge("direct", None, **UNPRICED),
    charge("untagged", 4), charge("untagged", None),
    charge("idle_commitment", 3, **IDLE), charge("idle_commitment", None, **IDLE),
    charge("untagged", 7, hardware="gpu", platform="p4d", instance_type="p4d.24xlarge"),
]  # fmt: skip
RUN = {
    "workload": "w", "hardware": "trainium", "started_at": datetime.fromisoformat("2026-09-01"),
    "purpose": "production", "accelerator_hours": Decimal(8), "epochs": Decimal(1),
}  # fmt: skip


def costs(amount: object, unsettled: object) -> Row:
    names = ("cost", "idle_cost", "repeated_cost")
    known = {name: None if amount is None else Decimal(str(amount)) for name in names}
    return known | {"unsettled": None if unsettled is None else Decimal(str(unsettled))}


DAY = {"date": world.SETTLED, "workload": "w", "settled": True}
RUNS = [
    RUN | {"run": T1} | costs(5, None),
    RUN | {"run": T2} | costs(2, 1),
    RUN | {"run": "t3"} | costs(None, 1),
]


@pytest.fixture(scope="module")
def unknown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Each sum has a part that is known and one that is not."""
    folder = tmp_path_factory.mktemp("unknown")

    def edit(tables: dict[str, list[Row]]) -> None:
        tables |= {"spend_daily": CHARGES, "runs": RUNS, "savings_daily": [DAY]}
        judged = [(4, 9), (None, None)]
        tables["judged_daily"] = [
            {"date": world.SETTLED, "workload": "w", "judged_cost": part, "trn_cost": whole}
            for part, whole in judged
        ]

    world.publish(folder, (), edit=edit)
    app = Flask("unknown")
    attach_data(app, validated_settings({"warehouse": {"path": str(folder / "w")}}, home=folder))
    with app.app_context():
        yield


@pytest.mark.usefixtures("unknown")
def test_untagged_spend_of_which_a_part_is_unknown_is_unknown() -> None:
    assert overview.untagged() == {"cost": None}
    found = {row["hardware"]: row["cost"] for row in overview.untagged_hardware()}
    assert found == {"gpu": 7, "trainium": None}
    shown = text(nothing_tagged("?", ("a", "b"), overview.untagged_hardware(), None))
    assert "An unknown amount of GPU and Trainium spend belongs to no workload" in shown
    share = trust.untagged_share()
    assert share == {"untagged": None, "cost": None}
    shown = text(tiles({"settled_through": world.SETTLED}, [], [], share))
    assert "– unknown of accelerator spend" in shown
    assert inputs(behind_spend.UNTAGGED_SPEND, WHOLE)["Untagged, $"] is None
    assert inputs(behind_spend.LEFT_OUT, WHOLE)["Untagged, $"] is None


@pytest.mark.usefixtures("unknown")
def test_a_share_of_cost_is_unknown_where_a_cost_is() -> None:
    (row,) = overview.training_share()
    assert (row["hours"], row["cost"]) == (16, None)
    assert "unknown of their cost" in text(training_share([row]))
    known = [row | {"cost": Decimal(3)}, row | {"hardware": "gpu", "cost": Decimal(1)}]
    assert "75 % of their cost" in text(training_share(known))
    assert inputs(behind_spend.SHARE, WHOLE)["Trainium cost, $"] is None
    judged: dict[str, Any] = inputs(behind_savings.JUDGED, WHOLE)
    assert set(judged.values()) == {None}


@pytest.mark.usefixtures("unknown")
def test_idle_commitment_of_which_a_part_is_unknown_is_unknown() -> None:
    (month,) = rates.coverage(WHOLE)
    assert month["idle"] is None
    assert "100.0 % unknown" in text(coverage_table([month]))
    assert inputs(behind_rates.COVERAGE, WHOLE)["Idle commitment, $"] is None
    (blocks,) = read_rows(buying.COMMITTED_USE, workload="w", whole=True)
    assert (blocks["used"], blocks["idle"]) == (None, None)
    assert machine_facts([], [], [blocks], None, [], None, world.AS_OF, None).used == {}


@pytest.mark.usefixtures("unknown")
def test_hours_of_unknown_cost_are_in_no_rate() -> None:
    """Cost by hours that have one; at list prices it is unknown where a price is."""
    found = {row["platform"]: row for row in rates.rates(WHOLE)}["trn1"]
    assert [found[name] for name in ("cost", "hours", "unpriced")] == [14, 16, 16]


@pytest.mark.usefixtures("unknown")
def test_charges_and_days_of_a_run_are_unknown_where_a_part_is() -> None:
    (of_run,) = runs.run_charges("w", T1)
    assert [of_run[name] for name in ("list", "effective", "billed")] == [None, None, 0]
    (of_day,) = runs.run_days("w", T1, "epoch")
    assert of_day["cost"] is None


@pytest.mark.usefixtures("unknown")
def test_runs_without_a_known_cost_are_counted_beside_the_sums() -> None:
    totals = runs.chosen_totals(WHOLE)
    assert [totals[name] for name in ("runs", "unknown", "cost", "unsettled")] == [3, 1, 7, None]
    (spent,) = workload.spending("w", WHOLE)
    assert (spent["unknown"], spent["cost"]) == (1, 7)
    assert text(unknown_note([spent])[0]) == "Left out: 1 run without a known cost."
    assert unknown_note([spent | {"unknown": 0}]) == []
    behind = inputs(behind_work.RUNS, WHOLE)
    assert (behind["Of unknown cost, in no sum"], behind["Not settled, $"]) == (1, None)
