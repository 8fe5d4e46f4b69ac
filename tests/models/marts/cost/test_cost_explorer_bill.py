"""A bill that Cost Explorer told: commitments, a block, gross figures, corrected tags."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from models.config.loading import validated_settings
from tests.support.bills.cost_explorer_bill import COLUMNS, laid
from tests.support.some_marts import some_marts
from tests.support.world import ACCOUNT, Marts, World

TRN1, P5, P4D = "trn1.32xlarge", "p5.48xlarge", "p4d.24xlarge"
BLOCK = {
    "instance_type": P5,
    "instances": 1,
    "start": datetime(2026, 9, 5, 11, 30, tzinfo=UTC),
    "end": datetime(2026, 9, 6, 11, 30, tzinfo=UTC),
    "fee": 1200,
}


def line(
    meter: str | None, amortized: str, unblended: str, **other: str | None
) -> dict[str, str | None]:
    """One group of one day; no net figures."""
    return {
        **dict.fromkeys(COLUMNS),
        "account": ACCOUNT,
        "month": "2026-09-01",
        "request": "run" if meter else "record_type",
        "day": "2026-09-05",
        "estimated": "false",
        "tag_key": "run",
        "usage_type": meter,
        "currency": "USD",
        "usage_quantity": "0",
        "amortized": amortized,
        "unblended": unblended,
        **other,
    }


LINES = [
    # covered by a Savings Plan: usage and negation under one tag, then the negation untagged
    line(f"BoxUsage:{TRN1}", "160", "0", run="t1", usage_quantity="10"),
    line(f"BoxUsage:{TRN1}", "48", "64.5", run="t2", usage_quantity="3"),
    line("EBS:VolumeUsage.gp3", "2", "2", run="t2"),
    line(f"BoxUsage:{TRN1}", "0", "-64.5", usage_quantity="3"),
    line(f"BoxUsage:{TRN1}", "43", "43", usage_quantity="2"),
    line("ComputeSP:1yrNoUpfront", "30", "238"),
    line("ComputeSP:3yrPartialUpfront", "0", "5000"),
    # covered by a reservation
    line(f"USW2-BoxUsage:{P4D}", "90", "0", run="g1", usage_quantity="6"),
    line(f"USW2-HeavyUsage:{P4D}", "15", "105"),
    # an unused capacity reservation
    line(f"UnusedBox:{TRN1}", "21.5", "21.5", usage_quantity="1"),
    # a Capacity Block, of which half was used
    line(f"CapacityBlockFee:{P5}", "1200", "1200"),
    line(f"BoxUsage:{P5}", "0", "0", run="g2-wrong", usage_quantity="12"),
    line(None, "-9", "-9", record_type="Refund", service="EC2 - Other"),
    line(None, "-8", "-8", record_type="Credit", service="EC2 - Other"),
    line(None, "7", "7", record_type="Tax", service="EC2 - Other"),
    line("Requests-Tier1", "1", "1", day="2026-09-20"),
]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """One month, as `ingest` would have laid it down."""
    folder: Path = tmp_path_factory.mktemp("told")
    names = ("t1", "t2", "g1", "g2")
    settings = validated_settings(
        {
            "as_of": "2026-10-31",
            "cost": {"source": "cost_explorer"},
            "runs": [{"run": name, "workload": "atlas-7b"} for name in names],
            "capacity_blocks": [BLOCK],
            "tag_rules": [{"match": {"run": "*-wrong"}, "run": "g2"}],
        },
        home=folder,
    )
    laid(settings, LINES)
    return some_marts(settings, "spend_daily", "runs", "tie_out")


def values(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in rows]


def test_covered_hours_cost_what_the_commitment_cost_them(told: Marts) -> None:
    rows = told.rows("SELECT run, cost, accelerator_hours AS h, flags FROM runs ORDER BY run")
    assert [(row["run"], row["cost"], row["h"]) for row in rows] == [
        ("g1", 90, 48),
        ("g2", 600, 96),
        ("t1", 160, 160),
        ("t2", 48 + 2, 48),
    ]
    assert all("gross_cost" in row["flags"] for row in rows)


def test_an_untagged_negation_brings_no_hours_and_no_cost(told: Marts) -> None:
    """Nor takes it any: of two hours that nobody tagged on the same day both are known."""
    rows = told.rows(
        "SELECT unpriced, sum(billed_cost) AS billed, sum(effective_cost) AS effective, "
        "sum(instance_hours) AS h FROM spend_daily WHERE attribution = 'untagged' GROUP BY ALL"
    )
    assert values(rows) == [(False, Decimal("-64.5") + 43, 43, 2)]
    total = told.row(
        f"SELECT sum(instance_hours) AS h FROM spend_daily WHERE instance_type = '{TRN1}' "
        "AND attribution = 'direct'"
    )
    assert total == {"h": 13}


def test_a_refund_of_a_gpu_run_lowers_its_price_and_leaves_its_hours_known(tmp_path: Path) -> None:
    """METHOD §8 A, of which $50 came back: 10.5 hours an epoch × 21.957642 × 5,200 ÷ 6,882.246.

    With hours that nobody knows, nothing could be repriced, and 260.00 would count.
    """
    world, lines = World(tmp_path), []
    for run, first, hours in (("g1", 2, 100), ("g2", 12, 110)):
        for day in range(first, first + 10):
            used = {"run": run, "day": f"2025-05-{day:02}", "usage_quantity": f"{hours / 10}"}
            cost = f"{hours * 2.5}"
            lines.append(line(f"BoxUsage:{P4D}", cost, cost, **used, month="2025-05-01"))
        for day, epoch in ((first, 0), (first + 9, 10)):
            world.sample(f"2025-05-{day:02}T20:00:00", run, epoch)
    back = {"record_type": "Refund", "run": "g1", "day": "2025-06-05", "month": "2025-06-01"}
    lines.append(line(f"BoxUsage:{P4D}", "-50", "-50", **back))
    lines.append(line("Requests-Tier1", "1", "1", day="2025-06-30", month="2025-06-01"))
    settings = world.pulled(
        sources=[{"kind": "progress_file", "location": "progress.csv"}],
        cost={"source": "cost_explorer"},
        runs=[{"run": name, "workload": "atlas-7b"} for name in ("g1", "g2")],
    )
    laid(settings, lines)
    marts = some_marts(settings, "baselines")
    newest = marts.rows(
        "SELECT measured, repriced, value FROM baselines ORDER BY date DESC LIMIT 1"
    )
    assert list(newest[0].values()) == [260, Decimal("174.2"), Decimal("174.2")]


def test_what_nobody_used_of_each_commitment_is_idle(told: Marts) -> None:
    rows = told.rows(
        "SELECT instance_type, effective_cost AS idle FROM spend_daily "
        "WHERE attribution = 'idle_commitment' AND effective_cost <> 0 ORDER BY ALL"
    )
    assert values(rows) == [
        (P4D, 15),
        (P5, Decimal("25")),
        (P5, Decimal("575")),
        (TRN1, Decimal("21.5")),
        (None, 30),
    ]


def test_it_ties_out_with_every_fee_in_its_place(told: Marts) -> None:
    rows = told.rows(
        "SELECT basis, direct, idle_commitment AS idle, purchase, credit, refund, tax, bridge, "
        "block_spread AS spread, bill_total AS total, remainder FROM tie_out ORDER BY basis"
    )
    billed = Decimal("6557.5") + 43
    effective = Decimal("1557.5") + 43
    assert values(rows) == [
        ("billed", Decimal("66.5"), Decimal("21.5"), 6543, -8, -9, 7, 0, 0, billed, 0),
        ("effective", 900, Decimal("666.5"), 0, -8, -9, 7, effective - billed, 0, effective, 0),
    ]


def test_a_block_of_a_member_is_paid_on_the_bill_of_its_payer(tmp_path: Path) -> None:
    """EC2 names the block's owner; Cost Explorer's bill names the payer alone."""
    told = {
        "as_of": "2026-10-31",
        "cost": {"source": "cost_explorer"},
        "runs": [{"run": "g1", "workload": "atlas-7b"}],
        "capacity_blocks": [BLOCK | {"account": "999900000002"}],
    }
    settings = validated_settings(told, home=tmp_path)
    hours = line(f"BoxUsage:{P5}", "0", "0", run="g1", usage_quantity="12")
    last = line("Requests-Tier1", "1", "1", day="2026-09-20")
    laid(settings, [line(f"CapacityBlockFee:{P5}", "1200", "1200"), hours, last])
    rows = some_marts(settings, "spend_daily").rows(
        "SELECT attribution, sum(effective_cost) AS cost FROM spend_daily "
        f"WHERE instance_type = '{P5}' GROUP BY ALL ORDER BY ALL"
    )
    assert values(rows) == [("direct", 600), ("idle_commitment", 600), ("purchase", 0)]


def test_a_refund_of_a_usage_type_is_the_run_s_that_alone_used_it(tmp_path: Path) -> None:
    """On the 5th t1 alone; on the 6th another workload's run as well."""
    owners = [{"run": "t1", "workload": "atlas-7b"}, {"run": "b1", "workload": "borea"}]
    told = {"as_of": "2026-10-31", "cost": {"source": "cost_explorer"}, "runs": owners}
    settings = validated_settings(told, home=tmp_path)
    box, sixth, back = f"BoxUsage:{TRN1}", {"day": "2026-09-06"}, {"record_type": "Refund"}
    own = {"run": "t1", "usage_quantity": "10"}
    lines = [
        line(box, "160", "160", **own),
        line(box, "-32", "-32", **back),
        line(box, "160", "160", **own, **sixth),
        line(box, "16", "16", run="b1", usage_quantity="1", **sixth),
        line(box, "-8", "-8", **back, **sixth),
    ]
    laid(settings, lines)
    rows = some_marts(settings, "spend_daily").rows(
        "SELECT attribution, run, sum(effective_cost) AS cost FROM spend_daily "
        "GROUP BY ALL ORDER BY ALL"
    )
    assert values(rows) == [
        ("direct", "b1", 16), ("direct", "t1", 160 - 32 + 160), ("untagged", None, -8),
    ]  # fmt: skip


def test_idle_of_a_kind_falls_on_the_runs_of_its_payer_that_the_kind_covered(
    tmp_path: Path,
) -> None:
    """Two plans, $48 idle: atlas has 30 of 40 covered hours, borea 10. $15 of a reservation of p4d
    and $20 of the SageMaker plans covered nothing; on demand, sigma bears no idle.
    """
    owners = {"t1": "atlas", "b1": "borea", "s1": "sigma", "g1": "atlas"}
    runs = [{"run": run, "workload": workload} for run, workload in owners.items()]
    told = {"as_of": "2026-10-31", "cost": {"source": "cost_explorer"}, "runs": runs}
    settings = validated_settings(told, home=tmp_path)
    box, covered = f"BoxUsage:{TRN1}", {"record_class": "covered"}
    laid(
        settings,
        [
            line(box, "480", "645", run="t1", usage_quantity="30", **covered),
            line(box, "160", "215", run="b1", usage_quantity="10", **covered),
            line(box, "215", "215", run="s1", usage_quantity="10"),
            line("ComputeSP:1yrNoUpfront", "30", "238"),
            line("EC2InstanceSP:trn1.3yrNoUpfront", "18", "100"),
            line(f"HeavyUsage:{P4D}", "15", "105"),
            line("MachineLearningSP:1yrNoUpfront", "20", "50"),
        ],
        classes=True,
    )
    marts = some_marts(settings, "commitments", "break_even")
    rows = marts.rows(
        "SELECT workload, kind, sum(amount) AS idle FROM commitments GROUP BY ALL ORDER BY ALL"
    )
    assert values(rows) == [
        ("atlas", "trainium", 36), ("borea", "trainium", 12), (None, "uncovered", 15),
    ]  # fmt: skip
    words = (
        " of idle commitment is shared by hours among workloads, because the bill names kinds of "
        "commitment only and not which one was idle"
    )
    reasons = {who: marts.standing(who)["reason"] for who in ("atlas", "borea", "sigma")}
    assert f"; $36.00{words}" in reasons["atlas"]
    assert f"; $12.00{words}" in reasons["borea"]
    assert words not in reasons["sigma"]
