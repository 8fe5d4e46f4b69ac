"""Comparisons over marts that were really built: METHOD §8 A, and a run in two regions."""

from __future__ import annotations

from decimal import Decimal

from flask import Flask

from dashboard.address.view import View
from dashboard.pages.trust import page
from dashboard.pages.trust import queries as trust_queries
from dashboard.pages.trust.audit_log import SHOWN
from dashboard.pages.trust.cluster_coverage import coverage_list
from dashboard.pages.trust.tables import left_out_list, restatement_list
from dashboard.snapshot.context import data_context
from models.access.acting import Actor, acting
from models.access.person import Grant, Person
from models.records import audit
from tests.support.dashboard.text import text
from tests.support.world import Marts


def test_the_tie_out_of_a_month_is_the_sum_of_its_accounts(built: Marts, server: Flask) -> None:
    (may,) = (row for row in trust_queries.tie_out(View()) if row["month"] == "2025-05")
    assert (may["direct"], may["bill_total"], may["remainder"]) == (5250, 5250, 0)
    assert (may["unheld"], may["sources"]) == (0, ["self_check"])
    assert trust_queries.untagged_share() == {"untagged": 0, "cost": Decimal(7270)}


def test_only_an_admin_reads_the_audit_log_its_newest_lines_first(server: Flask) -> None:
    data = data_context().settings.data
    for number in range(SHOWN + 5):
        audit.record(data, "send", "refused: <b>no</b>", {"month": "2025-05", "try": number})
    with acting(Actor(Person("viv", (Grant("finance"),)), "10.0.0.7")):
        assert page.draw_audit() is None
    with acting(Actor(Person("ada", (Grant("admin"),)), "10.0.0.8")):
        shown = text(page.draw_audit())
    assert shown.count("month=2025-05") == SHOWN
    assert shown.index(f"try={SHOWN + 4}") < shown.index("try=5")
    assert "try=4 " not in shown
    assert "refused: <b>no</b>" in shown


def test_a_range_without_a_restatement_says_nothing_of_other_days() -> None:
    assert text(restatement_list([])) == (
        "AWS has changed nothing in this range No bill delivered on these days differs from what "
        "was delivered before."
    )


def test_coverage_of_a_cluster_that_is_unknown_is_never_0() -> None:
    hours = ("known", "unknown", "idle", "undelivered", "over_allocated", "daily", "accelerator")
    row = {f"{name}_hours": Decimal(place) for place, name in enumerate(hours)}
    row |= {"cluster": "hpc", "month": "2026-10", "days": 31, "undelivered_days": 2}
    known = text(coverage_list([row | {"coverage": Decimal("0.6541")}]))
    assert known.endswith("hpc Oct 2026 65.4 % 6.0 0.0 1.0 2.0 3.0 4.0 5.0 31 2")
    assert "hpc Oct 2026 unknown" in text(coverage_list([row | {"coverage": None}]))
    assert "docs/schedulers.md" in text(coverage_list([]))


def test_what_compares_with_nothing_is_told_by_its_cost_and_not_as_a_saving() -> None:
    amounts = {"not_comparable": Decimal("6706.77"), "unsettled": Decimal("1316.94")}
    flagged = {"price_unavailable": Decimal("-3.5")}
    shown = text(left_out_list([{"workload": "harbor", "left_out": amounts, "flagged": flagged}]))
    assert "left out harbor cost 6,706.77" in shown
    assert "left out harbor +1,316.94" in shown
    assert "counted, flagged harbor −3.50" in shown
