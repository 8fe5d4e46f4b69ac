"""Fetches from CloudWatch the progress that training runs of one account and region report.

Key: account and region, and the UTC day. Only metrics that the config maps are read, else the
emitter's, each with exactly the dimensions that name its workload and run. A new
answer never replaces a delivered one that has more samples of a series: AWS aggregates old
datapoints, and forgets them.

Cursor: the newest live day, but none that was asked for by name later than the last pull of all
days: those between them may be unread. The first pull of a UTC day goes `LATE_DAYS` further back,
because metrics may arrive late. Soon after a pull only recently active runs are read. Two weeks are
read at once, and of runs that began before them whatever CloudWatch still has. Reading costs $0.01
per 1,000 metrics.

With `find = "search"` one SEARCH finds and reads all series. Where its answer may be incomplete,
the series are listed and read one by one, and a notice says so.
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

from ingest import aws, billing_months
from ingest.aws.metrics import search
from ingest.aws.metrics.datapoints import MetricsApi
from ingest.aws.metrics.earlier_days import series_of_runs_in_progress
from ingest.aws.metrics.merging import merge_with_delivered
from ingest.aws.metrics.samples import SCHEMA, Sample
from ingest.source import Batch, FetchContext, Group, Options
from models.config.metrics.cloudwatch_metrics import CloudWatchMapping
from models.config.settings import Settings
from models.contract.errors import BudgetError
from models.raw.delivery import Delivery
from models.raw.delivery_key import Key
from models.raw.staging import Staging

SEEN_DAYS = 14
"""ListMetrics names what was active in the last two weeks."""
LATE_DAYS = 2
ACTIVE = timedelta(hours=2, minutes=30)
"""After a pull no older than this, only series of the last three hours can have new samples."""
PERIOD_BY_AGE = ((15, 60), (63, 300), (455, 3600))
"""Up to this age in days, CloudWatch keeps datapoints for periods of this many seconds."""


class CloudWatchOptions(aws.Access, CloudWatchMapping):
    """Options of a CloudWatch source: AWS access, the metrics' meaning, how series are found."""

    find: Literal["list", "search"] = "list"

    @model_validator(mode="after")
    def _refuse_unsearchable(self) -> Self:
        """Raises `ValueError` if `find` is `search` and SEARCH cannot find a configured name."""
        odd = search.unsearchable_name(self) if self.find == "search" else ""
        if odd:
            raise ValueError(f"SEARCH cannot look for {odd}: remove `find`")
        return self


@dataclass(frozen=True)
class CloudWatch:
    """The CloudWatch progress feed: one namespace in one account and region."""

    kind: ClassVar[str] = "cloudwatch"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "cloudwatch"
    accepts: ClassVar[type[Options]] = CloudWatchOptions
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = True

    name: str
    options: CloudWatchOptions
    settings: Settings

    @property
    def location(self) -> str:
        """The feed's location in words: namespace, dimensions, region, and the role to assume."""
        by = (
            ""
            if self.options.names == CloudWatchMapping().names
            else f" by {', '.join(self.options.names)}"
        )
        only = f" for {self.options.workload}" if self.options.workload else ""
        where = f"in {self.options.region_label} of {self.options.caller_label}"
        return f"CloudWatch {self.options.namespace}{by}{only} {where}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields one delivery per day: new progress samples merged with those delivered before."""
        account = aws.account(self.options)
        client = aws.client("cloudwatch", self.options)
        unit = f"{account}-{client.meta.region_name}"
        metrics = MetricsApi(
            client, context.ledger, self.name, account, self.options, context.cache
        )
        since, first, last, lately = self._read_range(context, unit)
        series = cache(partial(metrics.list_series, lately))
        for days in _spans_by_period(first, last, self.settings.today):
            samples = self._search(context, metrics, days)
            if samples is None:
                samples = metrics.read_samples(series(), *days)
            if since < first == days[0]:
                samples = self._earlier_samples(context, metrics, samples, since, first) + samples
            yield from self._batches(context, unit, samples, metrics.request_ids)

    def _earlier_samples(
        self,
        context: FetchContext,
        metrics: MetricsApi,
        samples: list[Sample],
        since: date,
        first: date,
    ) -> list[Sample]:
        """Reads earlier samples of runs that were in progress when the requested days began.

        The runs are those of `samples`, the days those from `since` until before `first`. The
        earlier days are delivered before `samples`, so that an interrupted pull resumes from there.
        What the daily cap does not pay for becomes a notice and does not stop the rest.
        """
        earlier: list[Sample] = []
        try:
            for start, end, period in reversed(
                [*_spans_by_period(since, _day_before(first), self.settings.today)]
            ):
                series = series_of_runs_in_progress(samples, self.options, end + timedelta(days=1))
                samples = metrics.read_samples(series, start, end, period)
                earlier = samples + earlier
        except BudgetError as error:
            again = f"`breakeven ingest {self.name} --from {since} --to {_day_before(first)}`"
            context.notices.append(
                f"{self.name}: runs began before {first}, and their earlier progress was not "
                f"read: {error}; then {again}"
            )
        return earlier

    def _search(
        self, context: FetchContext, metrics: MetricsApi, days: tuple[date, date, int]
    ) -> list[Sample] | None:
        """Reads samples of some days by SEARCH; None if `find` is `list` or some may be missing."""
        if self.options.find == "list":
            return None
        found = search.search_samples(metrics, *days)
        if found is None:
            context.notices.append(
                f"{self.name}: SEARCH may have shown only a part of {self.options.namespace} "
                f"from {days[0]} to {days[1]}, so each series was read instead; "
                'remove `find = "search"`'
            )
        return found

    def _read_range(self, context: FetchContext, unit: str) -> tuple[date, date, date, bool]:
        """Returns earliest, first and last day to read, and `lately`; decided once per pull.

        The days are decided once, because those that the read itself has sealed must not make the
        resumed read shorter.
        """

        def decide() -> list[Any]:
            return [
                *map(str, self._due_days(context, unit)),
                self._only_recently_active(context, unit),
            ]

        *days, lately = context.cache.get_or_ask(["since", unit], decide)
        since, first, last = map(date.fromisoformat, days)
        return since, first, last, lately

    def _due_days(self, context: FetchContext, unit: str) -> tuple[date, date, date]:
        """Returns the first day with possible news, then the first and last day to read fully."""
        today = self.settings.today
        last = min(context.window.last or today, today)
        if context.window.first:
            return context.window.first, context.window.first, last
        since, earliest = self._first_unread_day(context, unit), today - timedelta(days=SEEN_DAYS)
        return since, max(since, earliest), last

    def _first_unread_day(self, context: FetchContext, unit: str) -> date:
        """Returns the first day that may have undelivered CloudWatch samples."""
        newest, whole = self._newest_delivery(context, unit), context.pulled_whole
        if newest is None or whole is None:
            return self.settings.today - timedelta(days=PERIOD_BY_AGE[-1][0])
        since = min(newest.pulled_at, whole).date()
        late = timedelta(days=0 if since == datetime.now(UTC).date() else LATE_DAYS)
        return min(date.fromisoformat(newest.key.period), whole.date()) - late

    def _newest_delivery(self, context: FetchContext, unit: str) -> Delivery | None:
        """Returns the live CloudWatch delivery of the latest day; None without one."""
        seen = [d for d in context.zone.live(self.format) if d.key.source == self.name]
        return max(
            (d for d in seen if d.key.unit == unit), key=lambda d: d.key.period, default=None
        )

    def _only_recently_active(self, context: FetchContext, unit: str) -> bool:
        """Whether no days are requested and the last delivery is of today, under 2.5 hours old."""
        newest, whole = self._newest_delivery(context, unit), context.pulled_whole
        if newest is None or whole is None or context.window.given:
            return False
        now, since = datetime.now(UTC), min(newest.pulled_at, whole)
        return since.date() == now.date() and now - since < ACTIVE

    def _batches(
        self, context: FetchContext, unit: str, samples: list[Sample], request_ids: list[str]
    ) -> Iterator[Batch]:
        """Yields a delivery per day of the samples, merged with the live delivery of that day."""
        by_day: dict[str, list[Sample]] = {}
        for sample in samples:
            by_day.setdefault(f"{sample['timestamp']:%Y-%m-%d}", []).append(sample)
        for day, found in sorted(by_day.items()):
            live = context.zone.current(Key(self.name, unit, day))
            merged = merge_with_delivered(found, live)
            yield Batch(unit, day, partial(_fill, merged, f"CloudWatch {unit} {day}", request_ids))


def _spans_by_period(first: date, last: date, today: date) -> Iterator[tuple[date, date, int]]:
    """Yields (first day, last day, period in seconds) of a range, by CloudWatch's granularity.

    Each span is its first day, its last day and its period in seconds.
    """
    spans: dict[int, list[date]] = {}
    for day in billing_months.days(first, last):
        period = next((period for days, period in PERIOD_BY_AGE if (today - day).days < days), None)
        if period:
            spans.setdefault(period, []).append(day)
    for period, days in spans.items():
        yield days[0], days[-1], period


def _day_before(day: date) -> date:
    return day - timedelta(days=1)


def _fill(samples: list[Sample], origin: str, request_ids: list[str], staging: Staging) -> None:
    """Writes CloudWatch samples as the one Parquet file of a delivery."""
    table = pa.Table.from_pylist(samples, schema=SCHEMA)
    staging.request_ids += request_ids
    pq.write_table(table, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=origin)
