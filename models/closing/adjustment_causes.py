"""Finds which inputs of a closed month changed, as the cause of an adjustment (METHOD §7.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from models.closing.frozen_inputs import changed_tables, known_to
from models.contract.edition import EDITION
from models.contract.month import last_day
from models.contract.stalled_bills import NAMELESS
from models.records.closes import Close, Delivered

REOPENED = "the month was reopened and contains what was adjusted before"
UNKNOWN = "it was unknown when the month was closed, and it is now"
LATER = "what was delivered of later days corrects it, or changes its baseline"
OTHER_DAYS = "what was delivered of other days corrects it, or it is computed from them, too"
EVERY_MONTH = "all"
"""The period of a bill whose files lie in no folder of a month: one delivery has all of them."""
ALLOCATIONS = ("allocations", "observed_allocations")
"""Formats of deliveries that tell of one cluster and UTC day."""
BY_BASELINE = {
    *("counterfactual", "compared_cost", "gross_saving", "net_saving"),
    *("saving_at_list", "saving_at_old_volume"),
}
"""Measures that a baseline enters."""
Totals = dict[str, dict[str, Decimal]]


@dataclass(frozen=True)
class Inputs:
    """What a month is computed from today: list of deliveries, config, and version of breakeven."""

    delivered: Sequence[Delivered]
    config: Mapping[str, object]
    program: str | None


def since(close: Close, month: str, inputs: Inputs, account: str | None = None) -> str:
    """Returns, as text, which deliveries or settings behind a closed month changed since its close.

    With `account`, changes of other accounts' bills are left out. Another edition is no input, nor
    is a total that the bill is only compared with (`of_the_total`). A delivery of a later month or
    day is none either: they come all the time, and a month that goes on changes until it is over.
    """
    delivered, config = inputs.delivered, inputs.config
    bills = list(_bill(close, month, inputs))
    changes = [change for whose, change in bills if account is None or whose == account]
    every = since_close(close, delivered)
    jobs = [one for one in every if one.get("format") in ALLOCATIONS]
    rest = (one for one in every if one.get("format") not in ALLOCATIONS)
    new = [one for one in rest if not _later(one, month)]
    changed = {one["source"] for one in new}
    billing = {one["source"] for one in _counted(delivered, config)}
    compared = {one["source"] for one in delivered if one["totals"]} - billing
    others = sorted(str(source) for source in changed - billing - compared)
    before = {one["source"] for one in close.deliveries}
    changes += [f"{one} was delivered {'again' if one in before else 'since'}" for one in others]
    days = _days_of(month)
    changes += _who_held_machines(one for one in jobs if one["period"] in days)
    if changed & billing and not bills and _source(config) == _source(close.config):
        changes += _of_the_same_sums(month, (one for one in new if one["source"] in billing))
    edition, closer = close.statement.edition, close.statement.facts.get("version")
    settings = config if edition == EDITION else known_to(close.config, config)
    if tables := changed_tables(close.config, settings):
        changes.append(f"the configuration changed ({', '.join(tables)})")
    if edition == EDITION and closer != inputs.program:
        changes.append(f"breakeven {inputs.program} computes it; it was closed by {closer}")
    return "; ".join(changes)


def of_the_total(close: Close, month: str, inputs: Inputs) -> str:
    """Returns, as text, which invoices or bills that only check a month's total changed since.

    That is an entry of `[[invoices]]`, or a source that only checks the bill. Empty if nothing did.
    """
    was, now = (_invoices(month, config) for config in (close.config, inputs.config))
    changes = [f"[[invoices]] of {month} changed"] if was != now else []
    counted = _counted(inputs.delivered, inputs.config)
    checks = {
        str(one["source"])
        for one in since_close(close, inputs.delivered)
        if one not in counted and any(name.endswith(f"|{month}") for name in one["totals"])
    }
    return "; ".join([*changes, *(f"{source} was delivered again" for source in sorted(checks))])


def _invoices(month: str, config: Mapping[str, object]) -> list[object]:
    entries = config.get("invoices")
    mine = entries if isinstance(entries, list) else []
    return [entry for entry in mine if entry["month"] == month]


def since_close(close: Close, delivered: Iterable[Delivered]) -> list[Delivered]:
    """Lists the deliveries, of any month, that are not among those stored with a close."""
    in_close = {(one["source"], one["id"]) for one in close.deliveries}
    return [one for one in delivered if (one["source"], one["id"]) not in in_close]


def _later(one: Delivered, month: str) -> bool:
    """Whether a delivery's period is a later month than `month`, or a day in a later month."""
    period = str(one.get("period"))
    return period[:4].isdecimal() and period[:7] > month


def _of_the_same_sums(month: str, bills: Iterable[Delivered]) -> Iterator[str]:
    """Yields, as text, which bills were delivered since that left a month's sums as they were.

    A bill in files of no month is one delivery, of this month, too.
    """
    own = {one.get("period") in (month, EVERY_MONTH) for one in bills}
    if True in own:
        yield f"the bill of {month} was delivered again with the same sums"
    if False in own:
        yield "AWS changed other months of the bill"


def _counted(delivered: Iterable[Delivered], config: Mapping[str, object]) -> list[Delivered]:
    """Lists the deliveries of the bill that costs are computed from, by `cost.source`."""
    source = _source(config)
    return [
        one for one in delivered if one["totals"] and source in (one["source"], one.get("format"))
    ]


def _source(config: Mapping[str, object]) -> object:
    cost = config.get("cost")
    return cost.get("source") if isinstance(cost, Mapping) else None


def _days_of(month: str) -> set[str]:
    """Returns the days of a month, the day before and the day after: jobs of these affect it.

    The time after a job and before a machine's first job is theirs, an hour at most. Other days are
    no change of this month: schedulers deliver one every day.
    """
    first = date.fromisoformat(f"{month}-01")
    after = last_day(month) + timedelta(days=1)
    days = (first + timedelta(days=number) for number in range(-1, 32))
    return {f"{day}" for day in days if day <= after}


def _who_held_machines(jobs: Iterable[Delivered]) -> Iterator[str]:
    """Yields a text per scheduler and cluster: for which days job records arrived since a close."""
    days: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for one in jobs:
        days[one["source"], one["unit"]].add(one["period"])
    for (source, cluster), days_told in sorted(days.items()):
        first, number = min(days_told), len(days_told)
        more = f" and {number - 1} more" if number > 1 else ""
        yield f"{source} told later who held machines of {cluster} on {first}{more}"


def of_other_days(measure: str | None) -> str:
    """Returns the text that deliveries for days outside a month changed a measure of that month."""
    return LATER if measure in BY_BASELINE else OTHER_DAYS


def by_edition(edition: int) -> str:
    """Returns the text that a month was closed by an earlier METHOD edition than today's."""
    return f"edition {EDITION} of the method computes it; it was closed by edition {edition}"


def _bill(close: Close, month: str, inputs: Inputs) -> Iterator[tuple[str, str]]:
    """Yields (account, text) for each account whose dollars on a closed month's bill changed.

    AWS changed it, it is read from another source than at the close, or nothing of it had been
    delivered then.
    """
    counted = _counted(inputs.delivered, inputs.config)
    old = _totals(month, _counted(close.deliveries, close.config))
    new = _totals(month, counted)
    again = _totals(month, _of_the_same_keys(counted, close.deliveries))
    source = _source(inputs.config)
    same = source == _source(close.config)
    for account in sorted({*old, *new}):
        was, now = old.get(account, {}), new.get(account, {})
        moved = [
            f"{name} {now.get(column, 0) - was.get(column, 0):+,.2f}"
            for column, name in (("BilledCost", "billed"), ("EffectiveCost", "effective"))
            if now.get(column, 0) != was.get(column, 0)
        ]
        if moved:
            whose = account or NAMELESS
            what = f"AWS restated {month} of {whose}"
            if not same:
                what = f"the bill of {month} of {whose} is read from {source} now"
            elif account not in {*old, *again}:
                what = f"the bill of {month} of {whose} was delivered since"
            yield account, f"{what}: {', '.join(moved)}"


def _of_the_same_keys(
    delivered: Iterable[Delivered], before: Iterable[Delivered]
) -> list[Delivered]:
    """Lists the deliveries with the same source, unit and period as one of the earlier ones."""
    keys = {_key(one) for one in before}
    return [one for one in delivered if _key(one) in keys]


def _key(one: Delivered) -> tuple[object, ...]:
    return one["source"], one.get("unit"), one.get("period")


def _totals(month: str, delivered: Iterable[Delivered]) -> Totals:
    found: Totals = {}
    for one in delivered:
        for accounts, sums in one["totals"].items():
            _, account, billed = accounts.split("|")
            if billed == month:
                mine = found.setdefault(account, {})
                for column in ("BilledCost", "EffectiveCost"):
                    mine[column] = mine.get(column, Decimal(0)) + Decimal(sums.get(column, "0"))
    return found
