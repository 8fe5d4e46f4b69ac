"""Selects, per cluster and UTC day, the one delivery that says which job held which machine."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from models.engine.reduction import delivered_files
from models.formats.allocations import stated
from models.raw.delivery import Delivery

VIEW = "allocations"
DAY = timedelta(days=1)
UNIT = re.compile(r"(?:(\d{12})(?:-([a-z]+(?:-[a-z]+)+-\d+))?/)?(.*)", re.DOTALL)
"""A key's account, region and cluster; the first two stand in keys of sources that name them."""


def counted_deliveries(live: Iterable[Delivery]) -> list[Delivery]:
    """Lists the deliveries of allocations to use, one per cluster and day, sorted by both.

    The key of a delivery names the cluster (`unit`) and the day (`period`). A statement
    (`[[sources]] kind = "allocations"`) wins over what any other source observed; of two alike the
    one pulled last counts. Clusters of one name in two accounts are two; a statement without an
    account is about both. A day that a source delivered without account or region counts until it
    delivers it with them. Of statements the newest says whether an account is named.
    """
    mine = sorted((each for each in live if delivered_files.view_of(each) == VIEW), key=_rank)
    mine = _without_vaguer(mine)
    states = [each for each in mine if each.format == stated.NAME]
    accounts: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for each in states:
        accounts[cluster_of(each), each.key.period].add(account_of(each))
    observed = [each for each in mine if each.format != stated.NAME]
    left = (
        each
        for each in observed
        if not _is_replaced(each, accounts[cluster_of(each), each.key.period])
    )
    counted = {(each.key.unit, each.key.period): each for each in (*left, *states)}
    return [counted[key] for key in sorted(counted)]


def end_of_day(delivery: Delivery) -> datetime:
    """Returns when the UTC day of a delivery of allocations is over."""
    return datetime.fromisoformat(delivery.key.period).replace(tzinfo=UTC) + DAY


def is_of_whole_day(delivery: Delivery) -> bool:
    """Whether the UTC day of a delivery of allocations was over when it was pulled."""
    return delivery.pulled_at >= end_of_day(delivery)


def account_of(delivery: Delivery) -> str:
    """Returns the account that a delivery's key names; empty text where it names none."""
    return _parts(delivery)[0]


def region_of(delivery: Delivery) -> str:
    """Returns the region that a delivery's key names; empty text where it names none."""
    return _parts(delivery)[1]


def cluster_of(delivery: Delivery) -> str:
    """Returns the cluster named in a delivery's key, without account and region."""
    return cluster_in(delivery.key.unit)


def cluster_in(unit: str) -> str:
    """Returns the cluster named in the first part (`unit`) of a key, without account and region."""
    return _split(unit)[2]


def _parts(delivery: Delivery) -> tuple[str, ...]:
    return _split(delivery.key.unit)


def _split(unit: str) -> tuple[str, ...]:
    found = UNIT.fullmatch(unit)
    return found.groups("") if found else ("", "", unit)


def _without_vaguer(deliveries: Sequence[Delivery]) -> list[Delivery]:
    """Drops deliveries that name less (account, region) than others of the same source and day.

    A file may name accounts and later none, so of statements those like the newest are kept.
    """
    exact: defaultdict[tuple[str, str, str], int] = defaultdict(int)
    ranks = [(_of_source(each), sum(map(bool, _parts(each)))) for each in deliveries]
    for each, (day, rank) in zip(deliveries, ranks, strict=True):
        exact[day] = rank if each.format == stated.NAME else max(exact[day], rank)
    ranked = zip(deliveries, ranks, strict=True)
    return [each for each, (day, rank) in ranked if rank == exact[day]]


def _of_source(delivery: Delivery) -> tuple[str, str, str]:
    return delivery.key.source, cluster_of(delivery), delivery.key.period


def _is_replaced(delivery: Delivery, accounts: set[str]) -> bool:
    """Whether statements replace an observed delivery: same account, or either names none."""
    account = account_of(delivery)
    return bool(accounts if not account else accounts & {account, ""})


def _rank(delivery: Delivery) -> tuple[object, str]:
    return delivery.pulled_at, delivery.id
