"""METHOD §2.5, §2.11: idle commitment without a price is unknown, and so is who bears how much."""

from __future__ import annotations

from datetime import date
from typing import Any

import ibis

from models.contract.schema import MONEY
from models.marts.cost.commitments.idle_commitments import idle_commitments
from models.marts.cost.commitments.idle_shares import commitment_shares, commitments
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table

COMMITTED = {
    **dict.fromkeys(("billing_account", "commitment", "reservation", "instance_type"), "string"),
    "platform": "string",
    **dict.fromkeys(("attribution", "purchase_option", "hardware", "workload", "run"), "string"),
    "date": "date", "settled": "boolean", "cost": MONEY, "instance_hours": MONEY,
}  # fmt: skip
PAYERS = {"billing_account": "string", "settled_through": "date"}
RUNS = {
    **dict.fromkeys(("workload", "run", "hardware", "platform"), "string"),
    "date": "date", "accelerator_hours": MONEY,
}  # fmt: skip
CUTOVERS = {"workload": "string", "cutover": "date"}
HELD = {"settled": True, "billing_account": "1"}


def day(text: str) -> date:
    return date.fromisoformat(f"2025-{text}")


def idle(plan: str, on: str, cost: object = None) -> dict[str, Any]:
    """Of trn1: without a cost, its price is missing."""
    about = {"commitment": plan, "date": day(on), "cost": cost, "hardware": "trainium"}
    return HELD | about | {"attribution": "idle_commitment"}


def ran(plan: str, workload: str, hardware: str, on: str, hours: int = 1) -> dict[str, Any]:
    about = {"commitment": plan, "date": day(on), "workload": workload, "run": hardware}
    return HELD | about | {"attribution": "direct", "instance_hours": hours}


def given(charges: list[dict[str, Any]]) -> tuple[Any, ...]:
    """Idle commitment, its charges, runs on both chips, and moves on 1 September."""
    committed = table(COMMITTED, *charges)
    payers = table(PAYERS, {"billing_account": "1", "settled_through": day("10-31")})
    found = applied(idle_commitments, committed, payers)
    names = sorted({str(charge["workload"]) for charge in charges if "workload" in charge})
    chips = ("trainium", "gpu")
    runs = [{"workload": name, "run": chip, "hardware": chip} for name in names for chip in chips]
    moves = [{"workload": name, "cutover": day("09-01")} for name in names]
    return ibis.memtable(found.to_pyarrow()), committed, table(RUNS, *runs), table(CUTOVERS, *moves)


def borne(*charges: dict[str, Any]) -> list[tuple[Any, ...]]:
    shares = applied(commitment_shares, *given(list(charges)))
    made = applied(commitments, ibis.memtable(shares.to_pyarrow()))
    return rows(made, "kind", "date", "workload", "amount")


def test_a_month_with_an_idle_hour_of_unknown_price_is_unknown_of_all_it_falls_on() -> None:
    used = ran("sp", "a", "trainium", "10-02")
    known = [idle("sp", "10-20", 5), idle("sp", "10-21", 3), used]
    assert borne(*known) == [("trainium", day("10-02"), "a", 8)]
    lacking = [*known, idle("sp", "10-21"), ran("sp", "a", "trainium", "09-02")]
    lacking.append(idle("sp", "09-20", 7))
    assert borne(*lacking) == [
        ("trainium", day("10-02"), "a", None),
        ("trainium", day("09-02"), "a", 7),
    ]


def test_a_day_of_nobodys_idle_at_an_unknown_price_is_unknown() -> None:
    charges = [idle("sp", "10-20", 5), idle("sp", "10-20"), idle("sp", "10-21", 3)]
    assert borne(*charges) == [
        ("uncovered", day("10-20"), None, None),
        ("uncovered", day("10-21"), None, 3),
    ]


def test_what_a_move_stranded_is_unknown_where_its_month_or_the_time_before_is() -> None:
    """And so is what of it falls on runs: it is what was idle less what was stranded."""
    moved = [ran("sp", "a", "gpu", "08-01"), ran("sp", "a", "trainium", "10-02")]
    known = [*moved, idle("sp", "08-01", 31), idle("sp", "10-20", 50)]
    assert borne(*known) == [
        ("gpu", day("08-01"), "a", 31),
        ("stranded", day("10-20"), "a", 19),
        ("trainium", day("10-02"), "a", 31),
    ]
    for lost in ("10-21", "08-02"):
        found = {(kind, on): amount for kind, on, _, amount in borne(*known, idle("sp", lost))}
        assert found[("stranded", day("10-20"))] is None
        assert found[("trainium", day("10-02"))] is None


def test_a_month_of_which_nothing_is_known_is_stranded_by_an_unknown_amount() -> None:
    moved = [ran("sp", "a", "gpu", "08-01"), ran("sp", "a", "trainium", "10-02")]
    found = borne(*moved, idle("sp", "08-01", 31), idle("sp", "10-20"))
    assert ("stranded", day("10-20"), "a", None) in found
    assert ("trainium", day("10-02"), "a", None) in found
