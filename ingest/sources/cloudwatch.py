"""CloudWatch: the progress that training containers emit, one account and region at a time.

Key: account and region, and the UTC day. Only metrics that the config maps are read, else the
emitter's (ARCHITECTURE §6), each with exactly the dimensions that name its workload and run. A day
is never replaced by an answer that says less of a series: AWS thins old data out, and forgets it.
Cursor: the newest live day; the first pull of a UTC day goes `LATE_DAYS` further back, because
metrics published late are readable late. Soon after a pull only runs that report at all are asked
about again. Two weeks are read at once; of runs that began before them (at the first pull, or after
a long pause) what CloudWatch still has, too. At $0.01 per 1,000 metrics asked for.

With `find = "search"` one SEARCH finds and reads them; wherever its answer may not be all, the
series are listed and asked for one by one, and a notice says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache, partial
from typing import Any, ClassVar, Literal, Self

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import model_validator

from ingest import aws, calendar
from ingest.aws.metrics import search
from ingest.aws.metrics.datapoints import SCHEMA, MetricsApi, Sample
from ingest.aws.metrics.earlier_days import series_of_runs_in_progress
from ingest.aws.metrics.merging import merge_with_delivered
from ingest.source import Batch, FetchContext, Group, Options
from models.config.metrics import Mapped
from models.config.settings import Settings
from models.contract.errors import BudgetError
from models.raw.zone import Delivery, Key, Staging

SEEN_DAYS = 14
"""ListMetrics names what was active in the last two weeks."""
LATE_DAYS = 2
ACTIVE = timedelta(hours=2, minutes=30)
"""After a pull no older than this, only what reported in the last three hours can have news."""
TIERS = ((15, 60), (63, 300), (455, 3600))
"""Up to this age in days, a datapoint survives for periods of this many seconds."""


class Namespace(aws.Access, Mapped):
    """Options: whose eyes it is read with, what its metrics mean, and how they are found."""

    find: Literal["list", "search"] = "list"

    @model_validator(mode="after")
    def _searchable(self) -> Self:
        odd = search.unsearchable_name(self) if self.find == "search" else ""
        if odd:
            raise ValueError(f"SEARCH cannot look for {odd}: leave `find` out")
        return self


@dataclass(frozen=True)
class CloudWatch:
    """One namespace of one account and region."""

    kind: ClassVar[str] = "cloudwatch"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "cloudwatch"
    accepts: ClassVar[type[Options]] = Namespace
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = True

    name: str
    options: Namespace
    settings: Settings

    @property
    def location(self) -> str:
        """The namespace, whose series, its region, and the role that is assumed to read it."""
        by = "" if self.options.names == Mapped().names else f" by {', '.join(self.options.names)}"
        only = f" for {self.options.workload}" if self.options.workload else ""
        where = f"in {self.options.region_label} of {self.options.caller_label}"
        return f"CloudWatch {self.options.namespace}{by}{only} {where}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """One batch per day, with the merge_with_delivered answer there is for each series."""
        account = aws.account(self.options)
        client = aws.client("cloudwatch", self.options)
        unit = f"{account}-{client.meta.region_name}"
        metrics = MetricsApi(
            client, context.ledger, self.name, account, self.options, context.cache
        )
        since, first, last, lately = self._begun(context, unit)
        series = cache(partial(metrics.list_series, lately))
        for days in _tiers(first, last, self.settings.today):
            samples = self._searched(context, metrics, days)
            if samples is None:
                samples = metrics.read_samples(series(), *days)
            if since < first == days[0]:
                samples = self._past(context, metrics, samples, since, first) + samples
            yield from self._batches(context, unit, samples, metrics.request_ids)

    def _past(
        self,
        context: FetchContext,
        metrics: MetricsApi,
        samples: list[Sample],
        since: date,
        first: date,
    ) -> list[Sample]:
        """From `since` until before `first`, of the runs that `samples` show in progress.

        It comes before them, so that a pull that is cut off is gone on with from there. What the
        day's cap does not pay for is told of: it must not keep the rest away for ever.
        """
        past: list[Sample] = []
        try:
            for start, end, period in reversed([*_tiers(since, _eve(first), self.settings.today)]):
                asked = series_of_runs_in_progress(samples, self.options, end + timedelta(days=1))
                samples = metrics.read_samples(asked, start, end, period)
                past = samples + past
        except BudgetError as error:
            again = f"`breakeven ingest {self.name} --from {since} --to {_eve(first)}`"
            context.notices.append(
                f"{self.name}: runs began before {first}, and what they did then was not asked "
                f"for: {error}; then {again}"
            )
        return past

    def _searched(
        self, context: FetchContext, metrics: MetricsApi, days: tuple[date, date, int]
    ) -> list[Sample] | None:
        """What one request says of the days; None where it may not be all."""
        if self.options.find == "list":
            return None
        found = search.search_samples(metrics, *days)
        if found is None:
            context.notices.append(
                f"{self.name}: SEARCH may have shown a part of {self.options.namespace} from "
                f"{days[0]} to {days[1]}: each series was asked for instead; "
                'leave out `find = "search"`'
            )
        return found

    def _begun(self, context: FetchContext, unit: str) -> tuple[date, date, date, bool]:
        """What the read began with: that it sealed a day is no reason to ask less of the others."""

        def decide() -> list[Any]:
            return [*map(str, self._due(context, unit)), self._lately(context, unit)]

        *days, lately = context.cache.get_or_ask(["since", unit], decide)
        since, first, last = map(date.fromisoformat, days)
        return since, first, last, lately

    def _due(self, context: FetchContext, unit: str) -> tuple[date, date, date]:
        """Since when there may be news at all, and the days of which every series is asked."""
        today = self.settings.today
        last = min(context.window.last or today, today)
        if context.window.first:
            return context.window.first, context.window.first, last
        since, earliest = self._unread(context, unit), today - timedelta(days=SEEN_DAYS)
        return since, max(since, earliest), last

    def _unread(self, context: FetchContext, unit: str) -> date:
        newest = self._newest(context, unit)
        if newest is None:
            return self.settings.today - timedelta(days=TIERS[-1][0])
        late = timedelta(
            days=0 if newest.pulled_at.date() == datetime.now(UTC).date() else LATE_DAYS
        )
        return date.fromisoformat(newest.key.period) - late

    def _newest(self, context: FetchContext, unit: str) -> Delivery | None:
        seen = [d for d in context.zone.live(self.format) if d.key.source == self.name]
        return max(
            (d for d in seen if d.key.unit == unit), key=lambda d: d.key.period, default=None
        )

    def _lately(self, context: FetchContext, unit: str) -> bool:
        """Whether all else that CloudWatch has was delivered earlier on this very day."""
        newest = self._newest(context, unit)
        if newest is None or context.window.given:
            return False
        now = datetime.now(UTC)
        today = newest.pulled_at.date() == now.date()
        return today and now - newest.pulled_at < ACTIVE

    def _batches(
        self, context: FetchContext, unit: str, samples: list[Sample], request_ids: list[str]
    ) -> Iterator[Batch]:
        by_day: dict[str, list[Sample]] = {}
        for sample in samples:
            by_day.setdefault(f"{sample['timestamp']:%Y-%m-%d}", []).append(sample)
        for day, found in sorted(by_day.items()):
            live = context.zone.current(Key(self.name, unit, day))
            best = merge_with_delivered(found, live)
            yield Batch(unit, day, partial(_fill, best, f"CloudWatch {unit} {day}", request_ids))


def _tiers(first: date, last: date, today: date) -> Iterator[tuple[date, date, int]]:
    """`first` to `last`, cut where the period has to change; days that AWS forgot are left out."""
    spans: dict[int, list[date]] = {}
    for day in calendar.days(first, last):
        period = next((period for days, period in TIERS if (today - day).days < days), None)
        if period:
            spans.setdefault(period, []).append(day)
    for period, days in spans.items():
        yield days[0], days[-1], period


def _eve(day: date) -> date:
    return day - timedelta(days=1)


def _fill(samples: list[Sample], origin: str, request_ids: list[str], staging: Staging) -> None:
    table = pa.Table.from_pylist(samples, schema=SCHEMA)
    staging.request_ids += request_ids
    pq.write_table(table, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=origin)
