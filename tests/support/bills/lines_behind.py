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

Costs = dict[str, Decimal]


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


def costs(
    settings: Settings, accounts: str, where: str = "true"
) -> Mapping[str, tuple[Costs, Costs]]:
    """All lines and numbers of a condition in each account, which are asked for together.

    They are named by run, else by workload, else by what they are.
    """
    found = behind(settings, where, accounts)
    assert (found.spread, found.elsewhere, found.lines) == (0, 0, found.number)
    assert len(found.rows) == found.count
    told: dict[str, tuple[Costs, Costs]] = {
        account: (defaultdict(Decimal), {}) for account in accounts.split()
    }
    for row in found.rows:
        lines, _ = told[row["account"]]
        lines[row["run"] or row["workload"] or row["attribution"]] += row["effective_cost"]
    for row in Marts(settings).rows(
        f"""SELECT account, coalesce(run, workload, attribution) AS of, sum(effective_cost) AS cost
        FROM spend_daily WHERE ({where}) AND contains('{accounts}', account) GROUP BY ALL"""
    ):
        _, numbers = told[row["account"]]
        numbers[row["of"]] = row["cost"]
    return told
