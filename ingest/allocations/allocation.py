"""One row of `allocations`: which job had which part of a machine, from when until when."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from ingest.billing_months import midnight
from models.formats.bill.plausible_dates import FIRST_YEAR

DAY = timedelta(days=1)
TIMES = ("held_from", "held_to", "observed_at", "queued_at")


@dataclass(frozen=True)
class Allocation:
    """An interval in which a job attempt had a machine or part of it, or no job could use one.

    Times are UTC. `held_to` is null while it is held, which was last seen at `observed_at`.
    `accelerators` are held `of` those that the machine has. The columns are those of
    `models.contract.schema.ALLOCATIONS`.
    """

    cluster: str
    held_from: datetime
    held_to: datetime | None
    observed_at: datetime
    account: str | None = None
    region: str | None = None
    resource: str | None = None
    pool: str | None = None
    node: str | None = None
    instance_type: str | None = None
    accelerators: Decimal | None = None
    of: Decimal | None = None
    cpus: Decimal | None = None
    of_cpus: Decimal | None = None
    share: Decimal | None = None
    workload: str | None = None
    run: str | None = None
    job: str | None = None
    attempt: int | None = None
    state: str | None = None
    queued_at: datetime | None = None
    reason: str = "run"
    labels: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Allocation:
        """Converts a delivered row (dict by column) to an `Allocation`; ignores unknown columns."""
        known = {column.name: row.get(column.name) for column in fields(cls)}
        given: dict[str, Any] = {name: value for name, value in known.items() if value is not None}
        given |= {name: given[name].replace(tzinfo=UTC) for name in TIMES if name in given}
        labels = json.loads(given.pop("labels", "{}"))
        return cls(**{"held_to": None, **given, "labels": labels})

    @property
    def until(self) -> datetime:
        """The end of an allocation; of one that still lasts, when it was last observed."""
        return self.observed_at if self.held_to is None else self.held_to

    @property
    def days(self) -> Iterator[date]:
        """The UTC days that an allocation's interval touches, in order; none if it is empty.

        Nothing that was observed is before AWS or ends later than it was observed.
        """
        day = max(self.held_from.date(), date(FIRST_YEAR, 1, 1))
        last = min(self.until, self.observed_at)
        while midnight(day) < last and self.held_from < last:
            yield day
            day += DAY

    def row(self) -> dict[str, Any]:
        """Converts an allocation to a dict by column: UTC times without a zone, labels as JSON."""
        row = {column.name: getattr(self, column.name) for column in fields(self)}
        row |= {name: row[name] and row[name].replace(tzinfo=None) for name in TIMES}
        return row | {"labels": json.dumps(dict(self.labels), sort_keys=True)}


Days = dict[tuple[str, date], list[Allocation]]
"""Allocations by cluster and UTC day."""


def by_cluster_and_day(allocations: Iterable[Allocation]) -> Days:
    """Maps (cluster, UTC day) to its allocations; one that touches several days is in each."""
    days: Days = {}
    for allocation in allocations:
        for day in allocation.days:
            days.setdefault((allocation.cluster, day), []).append(allocation)
    return days
