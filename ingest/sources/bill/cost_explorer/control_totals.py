"""Checks that Cost Explorer's days add up to its monthly totals by tag."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from models.contract.errors import InputError

SUMMARIES = ("pair", "left")
"""Requests whose amounts are also in other requests."""
SUMMED = ("amortized", "unblended")
NETS = ("net_amortized", "net_unblended")
CENT = Decimal("0.01")
CLOSE = Decimal("0.0001")
"""The accepted difference between a month and the sum of its days: AWS rounds each."""


def refuse_wrong_sums(month: str, lines: pa.Table) -> None:
    """Raises `InputError` if a month's daily Cost Explorer lines do not add up to its total.

    A difference of a cent, or of a hundredth of a percent, is accepted, because AWS rounds each
    day.
    """
    whole = pc.equal(lines["request"], "pair")
    summaries = pc.is_in(lines["request"], pa.array(SUMMARIES))
    for name in SUMMED:
        total = _amounts(lines.filter(whole), name)
        by_day = _amounts(lines.filter(pc.invert(summaries)), name)
        size = sum((abs(amount) for amount in by_day), Decimal(0))
        if abs(sum(total, Decimal(0)) - sum(by_day, Decimal(0))) > max(CENT, CLOSE * size):
            raise InputError(
                f"Cost Explorer's days of {month} do not add up to its month ({name})",
                value=f"{sum(by_day)} of {sum(total)}",
                remedy="AWS may be restating it just now: run again",
            )


def lacks_net_amounts(tag_totals: pa.Table) -> bool:
    """Whether some month in Cost Explorer's totals has charges but no net amount."""
    return bool(set(tag_totals["month"].to_pylist()) - _months_with_net(tag_totals))


def some_run_is_incomplete(tag_totals: pa.Table, lines: pa.Table) -> bool:
    """Whether some run's monthly total differs from the sum of its daily Cost Explorer lines.

    Net amounts are compared where the month has any, since they include discounts.
    """
    net = _months_with_net(tag_totals)
    whole, own = (
        _costs_by_run(tag_totals),
        _costs_by_run(lines.filter(pc.equal(lines["request"], "run"))),
    )
    for (month, run), costs in whole.items():
        total = own.get((month, run), dict.fromkeys(costs, 0.0))
        names = [f"net_{name}" if month in net else name for name in SUMMED]
        if run and any(abs(costs[name] - total[name]) > CENT for name in names):
            return True
    return False


def _months_with_net(tag_totals: pa.Table) -> set[str]:
    """Returns the months in which some Cost Explorer line has a net amount other than zero."""
    lines = tag_totals.select(["month", *NETS]).to_pylist()
    return {line["month"] for line in lines if any(Decimal(line[name] or 0) for name in NETS)}


def _costs_by_run(lines: pa.Table) -> dict[tuple[str, str | None], dict[str, float]]:
    """Sums Cost Explorer costs by month and run, as floats to compare to a cent."""
    costs = {name: pc.cast(lines[name].fill_null("0"), pa.float64()) for name in (*SUMMED, *NETS)}
    table = pa.table({"month": lines["month"], "run": lines["run"], **costs})
    sums = table.group_by(["month", "run"]).aggregate([(name, "sum") for name in costs])
    return {
        (line["month"], line["run"]): {name: line[f"{name}_sum"] for name in costs}
        for line in sums.to_pylist()
    }


def _amounts(lines: pa.Table, name: str) -> list[Decimal]:
    return [Decimal(text or 0) for text in lines[name].to_pylist()]
