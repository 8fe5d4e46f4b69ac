"""What nobody used or named is the company's: no reader of some workloads is told $0 of it.

Of a plan $70 were used by a run of the reader's workload, and $30 by nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from dashboard.address.view import View
from dashboard.pages.decide.buying import queries
from dashboard.pages.decide.buying.assumptions import PurchaseAssumptions
from dashboard.pages.decide.buying.purchase_options import purchase_options
from dashboard.pages.decide.buying.wording import hidden_costs, use_note
from dashboard.pages.rates.page import draw_purchase_options
from dashboard.snapshot.context import attach_data
from dashboard.snapshot.rows_behind import clusters, rates, spend
from dashboard.snapshot.rows_behind.source_rows import inputs
from models.access.acting import Actor, acting
from models.access.person import Grant, Person
from models.config.loading import validated_settings
from tests.support.dashboard import world
from tests.support.dashboard.days import Row
from tests.support.dashboard.text import text

ADA = Actor(Person("ada", (Grant("viewer", ("atlas-*",)),)), "")
MACHINE = {"instance_type": "p4d.24xlarge", "region": "us-east-1"}
IDLE = "Idle commitment, $"


def charge(attribution: str, cost: int, **columns: object) -> Row:
    known: dict[str, Any] = {
        "date": world.SETTLED, "billing_period": f"{world.SETTLED:%Y-%m}", "settled": True,
        "component": "accelerator", "purchase_option": "committed", "platform": "p4d",
        "hardware": "gpu", "attribution": attribution, "unpriced": False,
        "effective_cost": Decimal(cost),
    }  # fmt: skip
    return known | MACHINE | columns


USED = charge(
    "direct", 70, workload="atlas-7b", run="g", instance_hours=Decimal(7),
    accelerator_hours=Decimal(56),
)  # fmt: skip


@pytest.fixture
def server(tmp_path: Path) -> Iterator[None]:
    def edit(tables: dict[str, list[Row]]) -> None:
        day = {"date": world.SETTLED, "workload": "atlas-7b", "settled": True}
        tables |= {"spend_daily": [USED, charge("idle_commitment", 30)], "savings_daily": [day]}

    world.publish(tmp_path, (), edit=edit)
    app = Flask("scoped")
    settings = validated_settings({"warehouse": {"path": str(tmp_path / "w")}}, home=tmp_path)
    attach_data(app, settings)
    with app.app_context():
        yield


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    ("scoped", "used", "said", "term"),
    [
        (
            False,
            {"committed": Decimal("0.7")},
            "What was used of the commitments on the bill in",
            "No rate of this term is known: add the sources",
        ),
        (
            True,
            {},
            "What was used of the commitments on the bill is unknown: one instance would",
            "Committed rates are the company's: they are shown to those who see all workloads.",
        ),
    ],
)
def test_the_used_share_of_commitments_is_the_companys(
    scoped: bool, used: dict[str, Decimal], said: str, term: str
) -> None:
    with acting(ADA) if scoped else nullcontext():
        (machine,) = [row for row in queries.machines("atlas-7b") if row["own"]]
        found = queries.machine("atlas-7b", machine)
        shown, behind = text(draw_purchase_options(View())), inputs(rates.COVERAGE, View())
    assert (found.used, found.paid) == (used, 10)
    assert use_note(found, assumed=False).startswith(said)
    ways = {way.name: way for way in purchase_options(found, PurchaseAssumptions())}
    assert hidden_costs(ways["1 yr"], found)[0].startswith(term)
    assert (IDLE in shown, behind[IDLE]) == ((False, None) if scoped else (True, 30))


def held(holding: str, hours: int, workload: str | None = None) -> Row:
    return {
        "date": world.SETTLED, "cluster": "hpc", "instance_type": "trn1.32xlarge",
        "holding": holding, "workload": workload, "accelerator_hours": Decimal(hours),
        "cost": Decimal(hours) * 2, "settled": True, "delivered": True,
    }  # fmt: skip


@pytest.mark.parametrize(("scoped", "unknown_hours", "idle", "untagged"), [
    (False, 5, 14, 30), (True, None, None, None),
])  # fmt: skip
def test_behind_a_number_what_is_nobodys_is_the_companys(
    scoped: bool,
    unknown_hours: int | None,
    idle: int | None,
    untagged: int | None,
    tmp_path: Path,
) -> None:
    """Of a pool a job of the reader held 4 hours, an unknown job 5 and nobody 7, at $2 each."""

    def edit(tables: dict[str, list[Row]]) -> None:
        tables["pool_use"] = [held("held", 4, "atlas-7b"), held("unknown", 5), held("idle", 7)]
        tables["spend_daily"] = [USED, charge("untagged", 30)]

    world.publish(tmp_path, (), edit=edit)
    app = Flask("scoped")
    settings = validated_settings({"warehouse": {"path": str(tmp_path / "w")}}, home=tmp_path)
    attach_data(app, settings)
    with app.app_context(), acting(ADA) if scoped else nullcontext():
        pool, left_out = inputs(clusters.ALL_POOLS, View()), inputs(spend.LEFT_OUT, View())
        assert inputs(spend.UNTAGGED_SPEND, View())["Untagged, $"] == untagged
    assert pool["Held by known workloads, hours"] == 4
    assert (pool["Held by unknown jobs, hours"], pool["Idle, $"]) == (unknown_hours, idle)
    assert left_out["Untagged, $"] == untagged
