"""METHOD §2.10.6: how much of GPU pools stood idle over the baseline's window, counted nowhere."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

from models.config.loading import validated_settings
from models.contract.portfolio import PORTFOLIO
from models.contract.schema import MONEY
from models.marts.savings.results.gpu_idle_shares import gpu_idle_shares
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

D = Decimal
SETTINGS = validated_settings({"as_of": "2026-12-31"}, home=Path())
RESULTS = {"workload": "string", "lineage": "string", "hardware": "string"}
FACTS = {"workload": "string", "lineage": "string", "first_day": "date", "last_day": "date"}
DAYS = {
    "date": "date", "cluster": "string", "cluster_place": "string", "instance_type": "string",
    "hardware": "string",
    "holding": "string", "workload": "string", "effective_cost": MONEY, "unpriced": "boolean",
    "settled": "boolean",
}  # fmt: skip


def day(text: str) -> date:
    return date.fromisoformat(f"2026-{text}")


def part(on: str, holding: str, cost: object, **columns: object) -> dict[str, object]:
    """A part of the GPU pool `hpc`, settled, unless said otherwise."""
    return {
        "date": day(on), "cluster": "hpc", "cluster_place": "", "instance_type": "p5.48xlarge",
        "hardware": "gpu",
        "holding": holding, "effective_cost": D(str(cost)), "unpriced": False, "settled": True,
        **columns,
    }  # fmt: skip


def shares(*parts: dict[str, object]) -> list[tuple[object, ...]]:
    """Lineage `g` of atlas-7b ran from 1 to 10 March on GPU, `t` on Trainium since.

    That of lumen-7b ran on GPU from 10 to 11 March.
    """
    lines = (
        ("atlas-7b", "g", "gpu", "03-01", "03-10"),
        ("atlas-7b", "t", "trainium", "04-01", "04-10"),
        ("lumen-7b", "l", "gpu", "03-10", "03-11"),
    )
    results = [
        {"workload": workload, "lineage": name, "hardware": hardware}
        for workload, name, hardware, *_ in lines
    ]
    facts = [
        {"workload": workload, "lineage": name, "first_day": day(first), "last_day": day(last)}
        for workload, name, _, first, last in lines
    ]
    found = applied(
        gpu_idle_shares,
        table(RESULTS, *results),
        table(FACTS, *facts),
        table(DAYS, *parts),
        SETTINGS,
    )
    return rows(found, "workload", "gpu_idle_share")


def test_idle_dollars_are_divided_by_all_dollars_of_the_window() -> None:
    """By hand: (10 + 5) ÷ (10 + 5 + 30 + 15); what others held is held."""
    found = shares(
        part("03-01", "held", 30, workload="atlas-7b"),
        part("03-01", "idle", 10),
        part("03-10", "drained", 5),
        part("03-05", "unknown", 15),
        part("03-11", "idle", 1000),
        part("02-28", "idle", 1000),
        part("03-05", "idle", 1000, settled=False),
        part("03-05", "idle", 1000, cluster="lab"),
        part("03-05", "idle", 1000, hardware="trainium", instance_type="trn1.32xlarge"),
    )
    assert found == [(PORTFOLIO, D("0.25")), ("atlas-7b", D("0.25"))]


def test_the_company_counts_a_pool_that_two_workloads_share_once() -> None:
    """By hand: 10 ÷ 40 on the 10th for both, and 40 ÷ 40 on the 11th for lumen-7b."""
    found = shares(
        part("03-10", "held", 20, workload="atlas-7b"),
        part("03-10", "held", 10, workload="lumen-7b"),
        part("03-10", "idle", 10),
        part("03-11", "idle", 40),
    )
    assert found == [(PORTFOLIO, D("0.625")), ("atlas-7b", D("0.25")), ("lumen-7b", D("0.625"))]


def test_a_cost_that_is_unknown_makes_the_share_unknown_and_without_a_pool_there_is_none() -> None:
    held = part("03-01", "held", 30, workload="atlas-7b")
    unknown = part("03-02", "idle", 1, unpriced=True)
    assert {share for _, share in shares(held, unknown)} == {None}
    assert shares(part("03-01", "held", 30, workload="other")) == []
