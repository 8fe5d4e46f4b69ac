"""Selects, per cluster and UTC day, the one delivery that says which jobs held its machines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from models.engine.reduction import delivered_files
from models.formats.allocations import stated
from models.raw.delivery import Delivery

VIEW = "allocations"
ACCOUNT = re.compile(r"\d{12}")
"""Stands before the cluster in the key of a source that names one (`ingest.aws.accounts`)."""


def counted_deliveries(live: Iterable[Delivery]) -> list[Delivery]:
    """Lists which delivery of machine allocations counts for each cluster and day, sorted.

    The key of a delivery names the cluster (`unit`) and the day (`period`). A statement
    (`[[sources]] kind = "allocations"`) wins over what any other source observed; of two alike the
    one pulled last counts. Clusters of one name in two accounts are two; a statement without an
    account is about both. What a source delivered before its config named an account counts until
    it delivers the day again.
    """
    mine = sorted((each for each in live if delivered_files.view_of(each) == VIEW), key=_rank)
    named = {_of_source(each) for each in mine if account_of(each)}
    mine = [each for each in mine if account_of(each) or _of_source(each) not in named]
    states = [each for each in mine if each.format == stated.NAME]
    accounts: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for each in states:
        accounts[cluster_of(each), each.key.period].add(account_of(each))
    observed = [each for each in mine if each.format != stated.NAME]
    left = (
        each for each in observed if not _is_told(each, accounts[cluster_of(each), each.key.period])
    )
    counted = {(each.key.unit, each.key.period): each for each in (*left, *states)}
    return [counted[key] for key in sorted(counted)]


def account_of(delivery: Delivery) -> str:
    """Returns the account that a delivery's key names; empty text where it names none."""
    account, slash, _ = delivery.key.unit.partition("/")
    return account if slash and ACCOUNT.fullmatch(account) else ""


def cluster_of(delivery: Delivery) -> str:
    """Returns the cluster named in a delivery's key, without the account that may precede it."""
    account = account_of(delivery)
    return delivery.key.unit.removeprefix(f"{account}/") if account else delivery.key.unit


def _of_source(delivery: Delivery) -> tuple[str, str, str]:
    return delivery.key.source, cluster_of(delivery), delivery.key.period


def _is_told(delivery: Delivery, accounts: set[str]) -> bool:
    """Whether statements of these accounts replace a delivery; one that is not named may be any."""
    account = account_of(delivery)
    return bool(accounts if not account else accounts & {account, ""})


def _rank(delivery: Delivery) -> tuple[object, str]:
    return delivery.pulled_at, delivery.id
