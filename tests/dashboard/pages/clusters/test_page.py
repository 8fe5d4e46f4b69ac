"""What Clusters says and draws, from hand-made rows and from the world's two pools."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from dashboard.address.view import View
from dashboard.pages.clusters import page, sections
from dashboard.pages.clusters.states import NO_CLUSTER, NOT_YOURS, no_clusters, notices
from dashboard.pages.clusters.tables import months_table, runs_table
from dashboard.pages.clusters.use_chart import areas, use_chart
from dashboard.pages.clusters.wording import clusters_sentence
from dashboard.server import downloads
from dashboard.wording.format import cents
from models.access.acting import Actor, acting
from models.access.person import Grant, Person
from tests.dashboard.conftest import World
from tests.support.dashboard.text import text

D = Decimal
POOL: dict[str, Any] = {
    "cluster": "hpc", "instance_type": "trn1.32xlarge", "platform": "trn1", "hardware": "trainium",
    "hours": D(1000), "held_hours": D(700), "unknown_hours": D(50), "idle_hours": D(250),
    "cost": D(2000), "held_cost": D(1400), "unknown_cost": D(100), "idle_cost": D(500),
    "over_allocated_hours": D(0), "daily_hours": D(0), "unsettled_hours": D(0),
    "unsettled_cost": D(0),
    "first_day": date(2026, 8, 3), "last_day": date(2026, 10, 28),
    "month": "2026-10",
}  # fmt: skip
SMALL = POOL | {"cluster": "lab", "cost": D(1000), "idle_cost": D(100), "idle_hours": D(50)}
IDLE = [{"holding": "idle", "hours": D(200)}, {"holding": "drained", "hours": D(50)}]
WHEN = "From 3 Aug 2026 to 28 Oct 2026"


@pytest.mark.parametrize(
    ("pools", "reasons", "whole", "said"),
    [
        (
            [POOL],
            IDLE,
            True,
            f"{WHEN}, $500 of the $2,000 that hpc · trn1.32xlarge cost stood idle (25\u00a0%), "
            "mostly because no job held them.",
        ),
        (
            [POOL, SMALL],
            IDLE[1:],
            True,
            f"{WHEN}, $600 of the $3,000 that all 2 shared pools cost stood idle (20\u00a0%), $500 "
            "of it hpc · trn1.32xlarge, because they were drained.",
        ),
        (
            [POOL | {"cost": None, "idle_cost": None}],
            IDLE,
            True,
            f"{WHEN}, 250 of 1,000 accelerator-hours of hpc · trn1.32xlarge stood idle "
            "(25\u00a0%), mostly because no job held them; what they cost is unknown.",
        ),
        (
            [POOL | {"idle_hours": D(0), "idle_cost": D(0)}],
            [],
            True,
            f"{WHEN}, jobs held hpc · trn1.32xlarge all the time; nothing stood idle.",
        ),
        (
            [POOL | {"first_day": None, "last_day": None}],
            IDLE,
            True,
            "No day of a shared machine has settled in this range.",
        ),
        (
            [POOL | {"hours": D(700), "cost": D(1400)}],
            [],
            False,
            f"{WHEN}, your workloads held 700 accelerator-hours of 1 shared pool; they cost "
            "$1,400.",
        ),
    ],
)
def test_one_sentence_says_how_much_stood_idle_where_and_why(
    pools: list[dict[str, Any]], reasons: list[dict[str, Any]], whole: bool, said: str
) -> None:
    assert clusters_sentence(pools, reasons, whole) == said


def use(day: int, holding: str, hours: int, workload: str | None = None) -> dict[str, Any]:
    begins = date(2026, 8, day)
    return {"begins": begins, "holding": holding, "workload": workload, "hours": D(hours)}


def test_areas_stack_workloads_then_strangers_then_idle_by_reason() -> None:
    rows = [use(1, "held", n, f"w{n}") for n in range(1, 9)]
    rows += [use(1, "drained", 4), use(1, "idle", 9), use(1, "unknown", 3)]
    rows += [use(2, "undelivered", 5), use(2, "held", 50, "w1")]
    names = [area.name for area in areas(rows)]
    assert names == [
        "w1", "w8", "w7", "w6", "w5", "w4", "2 other workloads", "Unknown jobs",
        "Idle: no job held it", "Idle: drained", "Not known yet: allocations are missing",
    ]  # fmt: skip
    drawn = use_chart(rows, "day", date(2026, 8, 1))["data"]
    totals = [sum(dict(zip(t["x"], t["y"], strict=True)).get("2026-08-01", 0) for t in drawn)]
    assert totals == [sum(range(1, 9)) + 16]
    looks = {(t["fillcolor"], t["fillpattern"]["shape"]) for t in drawn}
    assert len(looks) == len(drawn), "two areas look alike"


def test_days_that_are_not_settled_are_marked() -> None:
    rows = [use(day, "held", 5, "w") for day in (1, 2, 3)]
    figure = use_chart(rows, "day", date(2026, 8, 2))
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == ["2026-08-03"]
    assert figure["layout"]["annotations"][0]["text"] == "settled through 2 Aug 2026"
    assert use_chart(rows, "day", date(2026, 8, 3))["layout"]["shapes"] == []


@pytest.mark.parametrize(
    ("until", "tick"), [(date(2026, 8, 7), 86_400_000), (date(2026, 8, 8), None)]
)
def test_a_few_days_are_written_once_each(until: date, tick: int | None) -> None:
    held = {"holding": "held", "workload": "atlas-7b", "hours": D(8)}
    rows = [held | {"begins": begins} for begins in (date(2026, 8, 1), until)]
    assert use_chart(rows, "day", until)["layout"]["xaxis"].get("dtick") == tick


def test_what_is_unknown_is_said_and_never_0() -> None:
    unsettled = POOL | {"first_day": None, "hours": D(0), "held_hours": D(0), "idle_hours": D(0),
                        "cost": D(0), "idle_cost": D(0), "unsettled_hours": D(320),
                        "unsettled_cost": D("430.00")}  # fmt: skip
    line = text(months_table([unsettled], {}, View(), whole=True))
    assert line.endswith(" ".join(["unknown"] * 8 + ["320.0", "430.00"]))
    run = {"run": None, "workload": "w", "jobs": None, "names": None, "waited": None, "cost": None,
           "first_day": date(2026, 8, 3), "last_day": date(2026, 8, 4), "hours": D(5),
           "found": 30}  # fmt: skip
    assert "without a run w – 3 Aug 2026 4 Aug 2026 5.0 unknown unknown" in text(runs_table([run]))
    assert "The 25 costliest of 30" in text(runs_table([run]))


def test_warnings_say_what_is_missing_and_the_remedy() -> None:
    worse = POOL | {"daily_hours": D(30), "over_allocated_hours": D(7)}
    missing = {"cost": None, "days": 2, "early_days": 3}
    shown = text(notices([worse], missing, whole=True))
    assert "who held an unknown cost of its machines then is unknown" in shown
    assert "Of 3 days before a cluster's first allocations its machines' own tags say" in shown
    assert "30 accelerator-hours are on the bill by day" in shown
    assert "They held 50 accelerator-hours for $100." in shown
    assert "In 7 accelerator-hours jobs held more than the machine had" in shown
    assert "docs/schedulers.md" in shown
    assert "allocations" not in text(notices([worse], missing, whole=False))


def test_without_a_cluster_the_page_says_how_to_bring_one() -> None:
    shown = text(no_clusters("?", whole=True))
    assert NO_CLUSTER in shown
    assert 'kind = "slurm"' in shown
    assert "docs/schedulers.md" in shown
    assert text(no_clusters("?", whole=False)) == f"? {NOT_YOURS}"


def test_a_link_shows_the_pool_and_the_workload_that_it_names(serving: World) -> None:
    shown = text(page.layout(pool="eks-research/p4d.24xlarge", workload="lyra-vit"))
    assert "Who held eks-research · p4d.24xlarge" in shown
    assert "Runs and their jobs: lyra-vit" in shown
    assert "lyra-vit-g1" in shown
    assert "atlas-7b-t30" not in shown
    assert "Who held hpc · trn1.32xlarge" in text(page.layout())
    elsewhere = text(page.layout(pool="gone/trn1.32xlarge"))
    assert "No hour of this pool in this range" in elsewhere


def test_a_scope_sees_what_its_workloads_held_and_nothing_that_stood_idle(serving: World) -> None:
    everything = text(page.layout())
    assert "Idle: no job held it" in everything
    with acting(Actor(Person("viv", (Grant("viewer", ("vega-*",)),)), "10.0.0.7")):
        own = text(page.layout())
        held = sum(
            row["accelerator_hours"]
            for row in serving["pool_use"]
            if row["workload"] == "vega-bert" and row["settled"]
        )
        assert f"your workloads held {held:,.0f} accelerator-hours of 1 shared pool" in own
        for others in (
            "atlas-7b",
            "eks-research",
            "Idle:",
            "990.72",
            "Over-allocated, h",
        ):
            assert others not in own
        csv = "".join(f"{cell}" for line in downloads.pools(View()) for cell in line)
        assert "idle" not in csv
    with acting(Actor(Person("viv", (Grant("viewer", ("draco-*",)),)), "10.0.0.7")):
        assert NOT_YOURS in text(page.layout())


def test_the_chosen_pool_has_a_sentence_of_its_own_and_what_is_of_all_pools_says_so(
    serving: World,
) -> None:
    view = View(pool="eks-research/p4d.24xlarge")
    assert "all 2 shared pools" in text(sections.draw_headline(view))
    own = text(sections.draw_use(view))
    assert "that eks-research · p4d.24xlarge cost stood idle (12" in own
    assert "hpc" not in own
    assert text(sections.draw_months(view)).startswith("All pools by month")
    assert text(sections.draw_waits(view)).startswith("Queue wait by chip, all pools")


def test_what_was_held_on_days_not_settled_has_its_dollars(serving: World) -> None:
    pool = ("hpc", "trn1.32xlarge")
    held = [
        row
        for row in serving["pool_use"]
        if (row["cluster"], row["instance_type"]) == pool and not row["settled"]
    ]
    of_month = sum((row["cost"] for row in held), D(0))
    of_atlas = sum((row["cost"] for row in held if row["workload"] == "atlas-7b"), D(0))
    assert of_month > of_atlas > 0
    view = View(pool="/".join(pool))
    assert cents(of_month) in text(sections.draw_months(view))
    assert cents(of_atlas) in text(sections.draw_holders(view))
