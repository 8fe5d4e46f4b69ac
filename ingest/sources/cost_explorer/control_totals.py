"""Whether what Cost Explorer told request by request adds up to what `pair` told of the month."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from models.contract.errors import InputError

ASIDE = ("pair", "left")
"""Requests that tell what others tell too."""
SUMMED = ("amortized", "unblended")
NETS = ("net_amortized", "net_unblended")
CENT = Decimal("0.01")
CLOSE = Decimal("0.0001")
"""How far days may add up to something else than their month: AWS rounds each."""


def refuse_unlike(month: str, lines: pa.Table) -> None:
    """Raises `InputError` where the days of a month are not the month that `pair` told."""
    whole = pc.equal(lines["request"], "pair")
    aside = pc.is_in(lines["request"], pa.array(ASIDE))
    for name in SUMMED:
        told = _amounts(lines.filter(whole), name)
        by_day = _amounts(lines.filter(pc.invert(aside)), name)
        size = sum((abs(amount) for amount in by_day), Decimal(0))
        if abs(sum(told, Decimal(0)) - sum(by_day, Decimal(0))) > max(CENT, CLOSE * size):
            raise InputError(
                f"Cost Explorer's days of {month} do not add up to its month ({name})",
                value=f"{sum(by_day)} of {sum(told)}",
                remedy="AWS may be restating it just now: run again",
            )


def gross(pairs: pa.Table) -> bool:
    """Whether a month in which something was charged has no net figures."""
    return bool(set(pairs["month"].to_pylist()) - _net(pairs))


def left(pairs: pa.Table, lines: pa.Table) -> bool:
    """Whether some run's tag came to more or less in a month than its own requests told.

    By net figures where the month has any, as `models` reads it: they hold the discounts.
    """
    net = _net(pairs)
    whole, own = _owned(pairs), _owned(lines.filter(pc.equal(lines["request"], "run")))
    for (month, run), costs in whole.items():
        told = own.get((month, run), dict.fromkeys(costs, 0.0))
        names = [f"net_{name}" if month in net else name for name in SUMMED]
        if run and any(abs(costs[name] - told[name]) > CENT for name in names):
            return True
    return False


def _net(pairs: pa.Table) -> set[str]:
    """The months that have net figures."""
    lines = pairs.select(["month", *NETS]).to_pylist()
    return {line["month"] for line in lines if any(Decimal(line[name] or 0) for name in NETS)}


def _owned(lines: pa.Table) -> dict[tuple[str, str | None], dict[str, float]]:
    """By month and run; close enough to compare with a cent."""
    costs = {name: pc.cast(lines[name].fill_null("0"), pa.float64()) for name in (*SUMMED, *NETS)}
    table = pa.table({"month": lines["month"], "run": lines["run"], **costs})
    sums = table.group_by(["month", "run"]).aggregate([(name, "sum") for name in costs])
    return {
        (line["month"], line["run"]): {name: line[f"{name}_sum"] for name in costs}
        for line in sums.to_pylist()
    }


def _amounts(lines: pa.Table, name: str) -> list[Decimal]:
    return [Decimal(text or 0) for text in lines[name].to_pylist()]
