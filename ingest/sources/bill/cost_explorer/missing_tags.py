"""Warns of a configured tag that no spend has: not activated, mistyped, or nothing is tagged.

AWS accepts any tag key. With an unknown one all spend has the empty value, as if the company
trained nothing.
"""

from __future__ import annotations

from decimal import Decimal

from ingest.sources.bill.cost_explorer.lines import LinesByMonth
from ingest.sources.bill.cost_explorer.requests import Bill
from models.config.tags import plain

UNKNOWN = {
    "run": "what a run cost is unknown",
    "workload": "a run's workload is known only from progress or [[runs]], and overhead has none",
}


def notices(bill: Bill, tag_totals: LinesByMonth) -> list[str]:
    """Returns a warning for each of the tags (workload, run) that no Cost Explorer spend has.

    There is none without any spend. The tag keys that AWS knows are requested only if one is due.
    """
    lines = [line for lines_of_month in tag_totals.values() for line in lines_of_month.to_pylist()]
    if not any(Decimal(line["unblended"] or 0) for line in lines):
        return []
    keys = {"run": bill.run_key, "workload": bill.workload_key}
    silent = [name for name in keys if not any(line[name] for line in lines)]
    if not silent:
        return []
    activated = bill.answers.tag_keys(bill.period(list(tag_totals)))
    span = f"{min(tag_totals)} to {max(tag_totals)}"
    return [_notice(name, keys[name], span, activated) for name in silent]


def _notice(name: str, key: str, span: str, activated: list[str]) -> str:
    start = f'no spend of {span} has the tag "{key}" (tags.{name}), so {UNKNOWN[name]}'
    similar = [other for other in activated if plain(other) == plain(key)]
    if similar:
        return f'{start}: AWS has "{similar[0]}"; set tags.{name} to exactly that'
    return (
        f"{start}: activate it in Billing under cost allocation tags (it shows within a day, and "
        "for the past only after a backfill), and tag the resources that train"
    )
