"""METHOD §6.1, §6.3: each dollar of investment, upkeep and overhead, by day and by hand."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from models.config.loading import validated_settings
from models.marts.savings.investment_daily import investment_daily
from models.marts.savings.overhead import overhead
from models.marts.savings.upkeep_daily import upkeep_daily
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

D = Decimal
SETTINGS = validated_settings({"as_of": "2026-03-10"}, home=Path())
MONEY = "decimal(38, 9)"
AMOUNT = {"date": "date", "workload": "string", "kind": "string", "amount": MONEY}
CONFIG = AMOUNT | {"amount_per_month": MONEY, "until": "date"}
WORK = {
    "date": "date", "workload": "string", "run": "string", "purpose": "string",
    "hardware": "string", "active": "boolean", "settled": "boolean", "cost": MONEY,
}  # fmt: skip
SPENT = {
    "date": "date", "workload": "string", "attribution": "string", "hardware": "string",
    "settled": "boolean", "unpriced": "boolean", "effective_cost": MONEY,
}  # fmt: skip
CUTOVER = {"workload": "string", "cutover": "date"}
MOVED = {"workload": "w", "cutover": date(2026, 2, 10)}


def day(number: int, month: int = 2) -> date:
    return date(2026, month, number)


def of(number: int, **columns: object) -> dict[str, Any]:
    return {"date": day(number), "workload": "w"} | columns


def invested(**given: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Day of February, workload, kind and amount."""
    columns = {
        "config_investments": CONFIG, "work_daily": WORK, "spend_daily": SPENT,
        "cutovers": CUTOVER, "commitments": AMOUNT, "pool_idle": AMOUNT,
    }  # fmt: skip
    tables = {"cutovers": [MOVED], **given}
    made = applied(
        investment_daily,
        *(table(columns[name], *tables.get(name, [])) for name in columns),
        SETTINGS,
    )
    found = rows(made, "date", "workload", "kind", "amount")
    return [(at.day, *others) for at, *others in found]


def test_what_the_config_states_is_invested_on_its_day_and_upkeep_is_not() -> None:
    entries = [
        of(1, kind="engineering", amount=5),
        of(1, kind="engineering", amount=7),
        of(1, kind="funding", amount=-2),
        of(1, kind="upkeep", amount=9),
        of(2, kind="partner", amount=3, workload=None),
    ]
    assert invested(config_investments=entries) == [
        (1, "w", "engineering", 12),
        (1, "w", "funding", -2),
        (2, None, "partner", 3),
    ]


def test_what_the_move_left_idle_is_invested_and_idle_on_trainium_is_overhead() -> None:
    commitments = [of(3, kind="stranded", amount=1), of(3, kind="trainium", amount=2)]
    pools = [of(4, kind=kind, amount=amount) for kind, amount in (
        ("pool_before_cutover", 4), ("stranded_cluster", 8), ("overhead", 16),
        ("stranded_cluster", None),
    )]  # fmt: skip
    assert invested(commitments=commitments, pool_idle=pools) == [
        (3, "w", "stranded_commitment", 1),
        (4, "w", "pool_before_cutover", 4),
        (4, "w", "stranded_cluster", None),
    ]


def ran(number: int, run: str, cost: int, purpose: str, **more: object) -> dict[str, Any]:
    usual = {"hardware": "trainium", "active": True, "settled": True}
    return of(number, run=run, cost=cost, purpose=purpose) | usual | more


def test_side_runs_are_invested_and_gpu_baselines_that_began_after_the_cutover() -> None:
    gpu = {"hardware": "gpu"}
    runs = [
        ran(1, "p", 1, "port"),
        ran(1, "v", 2, "validation", **gpu),
        ran(1, "b", 4, "benchmark"),
        ran(1, "p", 8, "production"),
        ran(2, "p", 16, "port", settled=False),
        ran(9, "before", 32, "baseline", **gpu, active=False),
        ran(10, "before", 64, "baseline", **gpu),
        ran(11, "before", 128, "baseline", **gpu),
        ran(10, "after", 256, "baseline", **gpu, active=False),  # what it was charged before it ran
        ran(11, "after", 512, "baseline", **gpu),
        ran(11, "trn", 1024, "baseline"),
        ran(11, "work", 2048, "production", **gpu),
        ran(11, "home", 4096, "baseline", **gpu, workload="unmoved"),
    ]
    assert invested(work_daily=runs) == [
        (1, "w", "benchmark", 4),
        (1, "w", "port", 1),
        (1, "w", "validation", 2),
        (10, "w", "baseline", 256),
        (11, "w", "baseline", 512),
    ]


def spent(number: int, cost: int, **more: object) -> dict[str, Any]:
    usual = {"attribution": "overhead", "hardware": "trainium", "settled": True, "unpriced": False}
    return of(number, effective_cost=cost) | usual | more


def test_trainium_overhead_is_invested_until_the_day_before_the_cutover() -> None:
    charges = [
        spent(9, 1),
        spent(9, 2),
        spent(10, 4),
        spent(8, 8, hardware="gpu"),
        spent(8, 16, attribution="direct"),
        spent(8, 32, settled=False),
        spent(7, 64, unpriced=True),
        spent(20, 128, workload="unmoved"),
    ]
    kind = "overhead_before_cutover"
    assert invested(spend_daily=charges) == [
        (20, "unmoved", kind, 128),
        (7, "w", kind, None),
        (9, "w", kind, 3),
    ]


def test_overhead_begins_on_the_day_of_the_cutover_and_adds_idle_and_upkeep() -> None:
    charges = [
        spent(9, 1),
        spent(10, 2),
        spent(11, 4, hardware=None),
        spent(11, 8, hardware="gpu"),
        spent(11, 16, attribution="direct"),
        spent(12, 32, unpriced=True),
        spent(20, 64, workload="unmoved"),
    ]
    commitments = [of(10, kind="trainium", amount=1), of(10, kind="stranded", amount=2)]
    pools = [
        of(10, kind="overhead", amount=5),
        of(10, kind="stranded_cluster", amount=7),
        of(10, kind="overhead", amount=9, workload=None),
        of(13, kind="overhead", amount=None),
    ]
    upkeep = [of(10, upkeep=100), of(14, upkeep=200), of(10, upkeep=400, workload=None)]
    made = applied(
        overhead,
        table(SPENT, *charges),
        table(AMOUNT, *commitments),
        table({"date": "date", "workload": "string", "upkeep": MONEY}, *upkeep),
        table(AMOUNT, *pools),
        table(CUTOVER, MOVED),
        SETTINGS,
    )
    found = rows(made, "date", "workload", "overhead", "upkeep", "cluster_idle", "burdened")
    assert [(at.day, *others) for at, *others in found] == [
        (10, "w", 2 + 1 + 5 + 100, 100, 5, True),
        (11, "w", 4, 0, 0, True),
        (12, "w", None, 0, 0, True),
        (13, "w", None, 0, None, True),
        (14, "w", 200, 200, 0, True),
    ]


def kept(workload: str | None, since: date, amount: int, **more: object) -> dict[str, Any]:
    entry = {"kind": "upkeep", "date": since, "workload": workload, "amount_per_month": amount}
    return entry | more


def test_upkeep_is_of_each_day_to_its_last_one_and_adds_up_to_the_month() -> None:
    """$31 of March are $1 a day, $28 of February too; none is after today, 10 March."""
    entries = [
        kept("until", day(27), 28, until=day(1, 3)),
        kept("ends", day(28), 28),
        kept("both", day(28), 28, until=day(28)),
        kept("two", day(9, 3), 31),
        kept("two", day(10, 3), 62),
        kept(None, day(9, 3), 31, until=day(31, 3)),
        kept("thirds", day(1), 100, until=day(3)),
        kept("until", day(27), 28, kind="partner"),
    ]
    ends = [{"workload": "ends", "ends": day(1, 3)}, {"workload": "both", "ends": day(9, 3)}]
    made = applied(
        upkeep_daily,
        table(CONFIG, *entries),
        table({"workload": "string", "ends": "date"}, *ends),
        SETTINGS,
    )
    first = round(D(28) / 31, 9)
    found = rows(made, "workload", "date", "upkeep")
    assert {(name, f"{at:%m-%d}"): upkeep for name, at, upkeep in found} == {
        ("until", "02-27"): 1,
        ("until", "02-28"): 1,
        ("until", "03-01"): first,
        ("ends", "02-28"): 1,
        ("ends", "03-01"): first,
        ("both", "02-28"): 1,
        ("two", "03-09"): 1,
        ("two", "03-10"): 3,
        (None, "03-09"): 1,
        (None, "03-10"): 1,
        ("thirds", "02-01"): D("3.571428571"),
        ("thirds", "02-02"): D("3.571428572"),
        ("thirds", "02-03"): D("3.571428571"),
    }
    assert len(found) == 13
