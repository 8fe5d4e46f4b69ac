"""The lines of a bill behind numbers of some accounts, and what they add up to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal

from models.access.scope import EVERYTHING, Scope
from models.config.settings import Settings
from models.engine.source_lines.bill_lines import bill_lines
from models.engine.source_lines.first_lines import FirstLines
from tests.support.world import ACCOUNT as MAIN
from tests.support.world import Marts

Costs = Mapping[str, Decimal]


def behind(
    settings: Settings, where: str, accounts: str = MAIN, scope: Scope = EVERYTHING
) -> FirstLines:
    """The lines of a condition in some accounts."""
    within = f"({where}) AND contains('{accounts}', account)"
    with bill_lines(settings, within, {}, "effective", scope) as lines:
        found = lines.first()
        in_file = lines.batches().read_all().column("effective_cost").to_pylist()
    assert sum(in_file) == (found.lines or 0)
    return found


def costs(settings: Settings, accounts: str, where: str = "true") -> tuple[Costs, Costs]:
    """All lines and numbers of a condition, by run, else by workload, else by what they are."""
    found = behind(settings, where, accounts)
    assert (found.spread, found.elsewhere, found.lines) == (0, 0, found.number)
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for row in found.rows:
        sums[row["run"] or row["workload"] or row["attribution"]] += row["effective_cost"]
    numbers = Marts(settings).rows(
        f"""SELECT coalesce(run, workload, attribution) AS of, sum(effective_cost) AS cost
        FROM spend_daily WHERE ({where}) AND contains('{accounts}', account) GROUP BY ALL"""
    )
    return sums, {row["of"]: row["cost"] for row in numbers}
