"""Fetches how busy machines were, as hourly means of metrics from AWS and its agent.

Key: account and region, and the UTC day; never replaced by an answer with fewer samples of a
series. `models.formats.machines.utilisation` lists the metrics; each is listed by its name,
whatever its dimensions. Hourly datapoints outlive all finer ones (455 days), but only metrics
active in the last two weeks are listed. Reading costs $0.01 per 1,000 metrics.

Cursor: the newest live day, however long ago, but none that was asked for by name later than the
last pull of all days: those between them may be unread. The first pull reads two weeks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from ingest import aws
from ingest.aws.metrics.datapoints import MetricsApi
from ingest.aws.metrics.merging import merge_with_delivered
from ingest.aws.metrics.samples import SCHEMA, Sample, Series
from ingest.source import Batch, FetchContext, Group, Options
from models.config.metrics.cloudwatch_metrics import CloudWatchMapping
from models.config.settings import Settings
from models.formats.machines.utilisation import METRICS
from models.raw.delivery_key import Key
from models.raw.staging import Staging

SEEN_DAYS = 14
HOUR = 3600


@dataclass(frozen=True)
class Utilisation:
    """The utilisation feed (how busy machines were) of one AWS account and region."""

    kind: ClassVar[str] = "utilisation"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = "utilisation"
    accepts: ClassVar[type[Options]] = aws.Access
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = True

    name: str
    options: aws.Access
    settings: Settings

    @property
    def location(self) -> str:
        """The feed's location in words: CloudWatch utilisation, region, and the role to assume."""
        return (
            f"CloudWatch utilisation in {self.options.region_label} of {self.options.caller_label}"
        )

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields one delivery per day: new utilisation samples merged with delivered ones."""
        account = aws.account(self.options)
        unit = f"{account}-{aws.client('cloudwatch', self.options).meta.region_name}"
        due = context.cache.get_or_ask(["due", unit], lambda: [*map(str, self._due(context, unit))])
        first, last = map(date.fromisoformat, due)
        if first > last:
            return
        found: list[Sample] = []
        for namespace in dict.fromkeys(one.namespace for one in METRICS):
            client = aws.client("cloudwatch", self.options)  # each pays for its own calls
            mapped = CloudWatchMapping(namespace=namespace)
            metrics = MetricsApi(client, context.ledger, self.name, account, mapped, context.cache)
            series = sorted(
                series
                for one in METRICS
                if one.namespace == namespace
                for series in _all(metrics, one.metric)
            )
            found += metrics.read_samples(series, first, last, HOUR)
        yield from self._batches(context, unit, found)

    def _due(self, context: FetchContext, unit: str) -> tuple[date, date]:
        """Returns the first and the last day whose utilisation is to be read."""
        today = self.settings.today
        last = min(context.window.last or today, today)
        return context.window.first or self._first_unread_day(context, unit), last

    def _first_unread_day(self, context: FetchContext, unit: str) -> date:
        """Returns the first day to read: the newest delivered or, if earlier, the last full pull's.

        Where there is none, the first day of which all metrics are listed.
        """
        live = context.zone.live(self.format)
        seen = [d.key.period for d in live if (d.key.source, d.key.unit) == (self.name, unit)]
        if not seen or context.pulled_whole is None:
            return self.settings.today - timedelta(days=SEEN_DAYS)
        return min(date.fromisoformat(max(seen)), context.pulled_whole.date())

    def _batches(self, context: FetchContext, unit: str, found: list[Sample]) -> Iterator[Batch]:
        """Yields a delivery per day of the samples, merged with the live delivery of that day."""
        days: dict[str, list[Sample]] = {}
        for sample in found:
            days.setdefault(f"{sample['timestamp']:%Y-%m-%d}", []).append(sample)
        for day, samples in sorted(days.items()):
            best = merge_with_delivered(samples, context.zone.current(Key(self.name, unit, day)))
            yield Batch(unit, day, partial(_fill, best, f"{unit} {day}"))


def _all(metrics: MetricsApi, name: str) -> Iterator[Series]:
    """Yields every CloudWatch series of a metric name, with its average as statistic."""
    for metric in metrics.list_metrics({"MetricName": name}):
        yield Series(_dimensions(metric), name, "Average")


def _dimensions(metric: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((one["Name"], one["Value"]) for one in metric["Dimensions"])


def _fill(samples: list[Sample], origin: str, staging: Staging) -> None:
    table = pa.Table.from_pylist(samples, schema=SCHEMA)
    pq.write_table(table, staging.next_path, compression="zstd")
    staging.add(staging.next_path, origin=origin)
