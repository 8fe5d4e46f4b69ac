"""Selects, per cluster and UTC day, the one delivery that says which jobs held its machines."""

from __future__ import annotations

import re
from collections.abc import Iterable

from models.engine.reduction import delivered_files
from models.formats.allocations import stated
from models.raw.delivery import Delivery

VIEW = "allocations"
ACCOUNT = re.compile(r"^\d{12}/")
"""Before the unit of a source that is read in several accounts (`ingest.aws.accounts`)."""


def counted_deliveries(live: Iterable[Delivery]) -> list[Delivery]:
    """Lists which delivery of machine allocations counts for each cluster and day, sorted.

    The key of a delivery names the cluster (`unit`) and the day (`period`). A statement
    (`[[sources]] kind = "allocations"`) wins over what any other source observed; of two alike the
    one pulled last counts. Clusters of one name in two accounts are two.
    """
    mine = sorted((each for each in live if delivered_files.view_of(each) == VIEW), key=_rank)
    states = [each for each in mine if each.format == stated.NAME]
    stated_days = {(cluster_of(each), each.key.period) for each in states}
    observed = [each for each in mine if each.format != stated.NAME]
    left = (each for each in observed if (cluster_of(each), each.key.period) not in stated_days)
    counted = {(each.key.unit, each.key.period): each for each in (*left, *states)}
    return [counted[key] for key in sorted(counted)]


def cluster_of(delivery: Delivery) -> str:
    """Returns the cluster named in a delivery's key, without the account that may precede it."""
    return ACCOUNT.sub("", delivery.key.unit)


def _rank(delivery: Delivery) -> tuple[object, str]:
    return delivery.pulled_at, delivery.id
