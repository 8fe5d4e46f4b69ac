"""METHOD §6: every dollar that a headline leaves out, or counts with a flag, has its reason."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

import ibis.expr.types as ir
import pytest

from models.contract.schema import MONEY, NUMBER
from models.marts.trust.left_out_and_flagged import left_out_and_flagged
from tests.support.marts.hand_written_tables import rows, table

WHOSE = {"date": "date", "workload": "string", "lineage": "string"}
SAVED = {
    **WHOSE, "settled": "boolean", "cost": MONEY, "epochs": NUMBER, "credited_epochs": NUMBER,
    "kind": "string", "withheld_epochs": NUMBER, "misplaced": "string", "standing": "string",
    "parity": "string", "short": "boolean",
}  # fmt: skip
MADE = {"epochs": NUMBER, "tokens": NUMBER, "samples": NUMBER}
WORKED = {**WHOSE, **MADE, "run": "string", "in_lineage": "boolean", "cost": MONEY}
RUN = {"workload": "string", "run": "string"}
POOLS = {"date": "date", **RUN, "allocation_flags": "string"}
SAMPLES = {**RUN, "timed_by_allocation": "boolean"}
FACTS = {
    "workload": "string", "lineage": "string", "unpriced": "boolean", "all_hours": NUMBER,
    **MADE,
}  # fmt: skip
VALUES = {
    "date": "date", "workload": "string", "recipe": "string", "value": MONEY,
    "flags": "array<string>",
}  # fmt: skip
ONE, TWO = date(2026, 9, 1), date(2026, 9, 2)
ZERO = Decimal(0)
UNKNOWN = [(name, TWO) for name in ("mute", "dumb")]
"""Days of lineages at an unknown cost; one of a GPU lineage is of no saving."""


def day(
    workload: str, lineage: str, at: date, epochs: int, cost: int, credited: int = 0, **said: object
) -> Mapping[str, object]:
    """A lineage's day on Trainium: settled, comparable, as good as the GPU's."""
    usual = {
        "kind": "",
        "settled": True,
        "standing": "counted",
        "parity": "parity",
        "short": False,
        "withheld_epochs": ZERO,
    }
    whose = {"workload": workload, "lineage": lineage, "date": at}
    amounts = {"cost": cost, "epochs": epochs, "credited_epochs": credited}
    return {**usual, **whose, **{n: Decimal(v) for n, v in amounts.items()}, **said}


@pytest.fixture(scope="module")
def found() -> ir.Table:
    """An epoch is worth $100 wherever a GPU baseline is known."""
    late, apart = {"settled": False}, {"standing": "not_comparable"}
    open_, lossless = {"parity": "pending"}, {"parity": "unverified"}
    barred = lossless | {"standing": "require_verified"}
    days = [
        day("usual", "good", ONE, 2, 150, 2),
        day("usual", "good", TWO, 3, 60, 1, **late),
        day("usual", "other", ONE, 3, 250, **apart, **open_),
        day("usual", "other", TWO, 3, 250, **apart, **late),
        day("usual", "open", ONE, 2, 130, 2, **open_),
        day("usual", "open", TWO, 2, 125, 2, **open_, **late),
        day("unproven", "a", ONE, 1, 70, 1, **barred),
        day("unproven", "a", TWO, 1, 69, 1, **late, **barred),
        day("unproven", "a", date(2026, 9, 3), 1, 70, 1, **barred),
        day("lossless", "a", ONE, 1, 65, 1, **lossless),
        day("lossless", "a", TWO, 1, 64, 1, **late, **lossless),
        day("baseless", "a", ONE, 1, 10, 1, **open_),
        day("unpriced", "a", ONE, 1, 20, 1),
        day("unpriced", "a", TWO, 1, 20, 1, **late),
        day("dear", "a", ONE, 1, 60, 1),
        day("dear", "a", TWO, 1, 55, 1, **late),
        day("usual", "qlora", ONE, 4, 90, 4, kind="qlora", parity="unverified"),
        day("astray", "a", ONE, 5, 250, 2, **_withheld(3, "unknown_purpose")),
        day("astray", "a", TWO, 4, 150, **_withheld(4, "unknown_purpose"), **late),
        day("astray", "c", ONE, 3, 90, **_withheld(0, "unknown_purpose")),  # below parity
        day("astray", "d", ONE, 2, 80, **_withheld(2, "unknown_purpose"), **apart),
    ]
    values = [
        {"workload": workload, "date": at, "value": Decimal(100), "flags": flags}
        for at in (ONE, TWO)
        for workload, flags in (
            ("usual", []),
            ("unproven", []),
            ("lossless", []),
            ("astray", []),
            ("dear", ["price_unavailable", "stale_price"]),
        )
    ]
    values.append({"workload": "usual", "date": ONE, "recipe": "qlora", "value": Decimal(10),
                   "flags": ["stale_price"]})  # fmt: skip
    values.append({"workload": "unpriced", "date": ONE, "value": None,
                   "flags": ["price_unavailable"]})  # fmt: skip
    work, facts = _unknown()
    return left_out_and_flagged(
        table(SAVED, *days),
        table(VALUES, *values),
        table(WORKED, *work),
        table(FACTS, *facts),
        table(POOLS),
        table(SAMPLES),
    )


def _withheld(epochs: object, reason: str) -> Mapping[str, object]:
    return {"withheld_epochs": Decimal(str(epochs)), "misplaced": reason}


def _unknown() -> tuple[list[Mapping[str, object]], list[Mapping[str, object]]]:
    """Lineages of `odd`: whether their cost on Trainium is unknown, their hours and epochs, and
    what they did on which days."""
    facts = [
        ("blind", True, 16, 3),
        ("gpu", False, 16, 1),
        ("ghost", False, 0, 2),
        ("half", False, 0, "0.5"),
        ("billed", False, 1, 2),
        ("fresh", False, 0, 0),
        ("both", True, 0, 2),
        ("fine", False, 16, 2),
        ("mute", True, 16, 0),
        ("dumb", False, 16, 0),
    ]
    work = [
        ("blind", ONE, 1, True),
        ("blind", TWO, 0, True),
        ("blind", date(2026, 9, 3), "0.5", True),
        ("blind", date(2026, 9, 4), 1, False),  # a port run of the lineage
    ]
    work += [(name, ONE, 1, True) for name, *_ in facts[1:-2]]
    silent = [(name, at, 0, True) for name in ("mute", "dumb") for at in (ONE, TWO)]
    days = [
        {
            "date": at,
            "workload": "odd",
            "lineage": name,
            "epochs": Decimal(epochs),
            "in_lineage": stands,
            "cost": None if (name, at) in UNKNOWN else ZERO,
        }
        for name, at, epochs, stands in work + silent
    ]
    known = [
        {"workload": "odd", "lineage": name, "unpriced": unpriced, "all_hours": Decimal(hours),
         "epochs": Decimal(made)}
        for name, unpriced, hours, made in facts
    ]  # fmt: skip
    return days, known


def told(found: ir.Table, workload: str) -> list[tuple[object, ...]]:
    made = found.filter(found.workload == workload)
    return rows(made, "effect", "reason", "date", "amount")


def test_days_and_lineages_that_do_not_count_are_left_out_at_what_they_would_save(
    found: ir.Table,
) -> None:
    """What compares with nothing has no counterfactual: its cost is named."""
    assert told(found, "usual") == [
        ("flagged", "pending", ONE, 2 * 100 - 130),
        ("flagged", "stale_price", ONE, 4 * 10 - 90),  # of a further kind of work
        ("flagged", "unverified", ONE, 4 * 10 - 90),
        ("left_out", "not_comparable", ONE, 250),
        ("left_out", "unsettled", TWO, 100 - 60),
        ("left_out", "unsettled", TWO, 2 * 100 - 125),
    ]


def test_a_workload_that_must_be_verified_is_left_out_whole_and_not_flagged(
    found: ir.Table,
) -> None:
    assert told(found, "unproven") == [
        ("left_out", "require_verified", ONE, 30),
        ("left_out", "require_verified", date(2026, 9, 3), 70),
        ("left_out", "unsettled", TWO, 31),
    ]


def test_what_counts_without_a_loss_or_at_a_doubtful_price_is_flagged(found: ir.Table) -> None:
    assert told(found, "lossless") == [
        ("flagged", "unverified", ONE, 35),
        ("left_out", "unsettled", TWO, 36),
    ]
    assert told(found, "dear") == [
        ("flagged", "price_unavailable", ONE, 40),
        ("flagged", "stale_price", ONE, 40),
        ("left_out", "unsettled", TWO, 45),
    ]


def test_without_a_baseline_the_trainium_cost_is_named(found: ir.Table) -> None:
    assert told(found, "baseless") == [("left_out", "insufficient_baseline", ONE, 10)]
    assert told(found, "unpriced") == [
        ("left_out", "price_unavailable", ONE, 20),  # `repriced`, and no price of the day
        ("left_out", "unsettled", TWO, 20),
    ]


def test_of_work_for_nobody_knows_what_the_counterfactual_is_left_out(found: ir.Table) -> None:
    """Its cost counts, now or when its day has settled."""
    assert told(found, "astray") == [
        ("left_out", "not_comparable", ONE, 80),
        ("left_out", "unknown_purpose", ONE, 300),
        ("left_out", "unknown_purpose", TWO, 400),
        ("left_out", "unsettled", TWO, -150),
    ]


def test_epochs_at_no_known_cost_are_named_and_unknown_costs_without_an_epoch(
    found: ir.Table,
) -> None:
    assert told(found, "odd") == [
        ("left_out", "cost_unknown", ONE, None),
        ("left_out", "cost_unknown", ONE, None),
        ("left_out", "cost_unknown", TWO, None),
        ("left_out", "cost_unknown", date(2026, 9, 3), None),
        ("left_out", "no_accelerator_hours", ONE, None),
        ("left_out", "no_accelerator_hours", ONE, None),
    ]


def test_days_that_allocations_told_too_much_or_by_the_day_are_flagged_with_their_dollars() -> None:
    """Runs `r1` and `r2` are lineages of their own; of `r2` only samples have no time."""
    days = [
        day("atlas", "r1", ONE, 2, 150, 2),
        day("atlas", "r1", TWO, 1, 60, 1),
        day("atlas", "r2", ONE, 1, 70, 1),
    ]
    work = [
        {"date": at, "workload": "atlas", "run": run, "lineage": run, "epochs": Decimal(1),
         "in_lineage": True, "cost": Decimal(100)}
        for run, at in (("r1", ONE), ("r1", TWO), ("r2", ONE))
    ]  # fmt: skip
    value = {"workload": "atlas", "value": Decimal(100), "flags": []}
    pools = [
        {"date": ONE, "workload": "atlas", "run": "r1", "allocation_flags": flags}
        for flags in ("daily_allocation,over_allocated", None)
    ]
    pools.append(pools[0] | {"date": TWO, "allocation_flags": "daily_allocation"})
    facts = [{"workload": "atlas", "lineage": run, "unpriced": False, "all_hours": Decimal(8)}
             for run in ("r1", "r2")]  # fmt: skip
    found = left_out_and_flagged(
        table(SAVED, *days),
        table(VALUES, *(value | {"date": at} for at in (ONE, TWO))),
        table(WORKED, *work),
        table(FACTS, *facts),
        table(POOLS, *pools),
        table(SAMPLES, {"workload": "atlas", "run": "r2", "timed_by_allocation": True}),
    )
    assert told(found, "atlas") == [
        ("flagged", "daily_allocation", ONE, 2 * 100 - 150),
        ("flagged", "daily_allocation", TWO, 100 - 60),
        ("flagged", "over_allocated", ONE, 2 * 100 - 150),
        ("flagged", "timed_by_allocation", ONE, 100 - 70),
    ]
