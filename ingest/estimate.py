"""What a month of the configured schedule will cost in AWS's requests, before any is sent.

Every figure is a bound that a company of the assumed size stays under, not an average: each pull
finds news, commitments are in use, the month has 31 days. `ASSUMED` says in words what was assumed;
AWS publishes no size of a page of Cost Explorer, so that one is a guess, and what the ledger has
recorded stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import ceil

from apscheduler.triggers.cron import CronTrigger

from ingest import accounts, bucket, cost_pages, metric_pages, metric_search, requests
from ingest.pull import cron
from ingest.source import Source
from ingest.sources import configured
from ingest.sources.cost_explorer import CostExplorer
from models.config import cron as crontab
from models.config.accounts import EVERY
from models.config.settings import Settings
from models.formats.machines import utilisation

DAYS = 31
"""Of the month that is predicted, and of the one before it."""
BEFORE = timedelta(days=30)
"""How far back the ledger's own sum goes."""
FIRST_DAYS = 31 * 14
RECOMPUTED = 3
"""Times a day that AWS recomputes a bill: more pulls find no more news."""
LISTING, READING = bucket.PRICES["ListObjectsV2"], bucket.PRICES["GetObject"]
CENT = Decimal("0.01")
REFUNDS = 2
"""Requests that tell whose they are: of runs, and of workloads without one."""
POINTS = 100_800
"""Datapoints that one page of CloudWatch holds."""


@dataclass(frozen=True)
class Scale:
    """How large the company is assumed to be."""

    workloads: int
    runs: int = 2
    """Runs of a workload in two weeks; one at a time."""
    usage_types: int = 5
    """Of a run's day."""
    other_types: int = 60
    """Usage types of a day's spend without a run."""
    rest_types: int = 25
    """Record type × usage type of a day's other charges."""
    groups: int = 5000
    """Groups on a page of Cost Explorer."""
    restated_days: int = 10
    """Days into a month on which AWS still changes the month before."""
    committed: bool = True
    """Whether Savings Plans or reservations cover some usage."""
    refunds: int = 4
    """Pulls of a month that find other refunds than the one before; 0: there are none at all."""
    metrics: int = 3
    """Metrics that a run reports."""
    samples: int = 96
    """Datapoints of a metric a day."""
    devices: int = 64
    """Series that tell how busy a workload's machines are; a Trn2 instance has 64 NeuronCores."""
    months: int = 14
    """Of an export; each pull reads their manifests."""
    files: int = 20
    """Of one month of an export, and of what is listed of all else."""


@dataclass(frozen=True)
class Prediction:
    """One source's month: pulls, paid requests, dollars; what the very first pull may cost.

    Together for all `places`, the accounts and regions that one entry stands for; `pulls` are of
    each.
    """

    source: str
    kind: str
    schedule: str
    pulls: int
    requests: int
    dollars: Decimal
    first_pull: Decimal = Decimal(0)
    places: int = 1

    def beside(self, other: Prediction) -> Prediction:
        """Both together: two places of one entry."""
        return replace(
            self,
            requests=self.requests + other.requests,
            dollars=self.dollars + other.dollars,
            first_pull=self.first_pull + other.first_pull,
            places=self.places + other.places,
        )

    def document(self) -> dict[str, object]:
        """For machines: dollars as decimal text."""
        return {**vars(self), "dollars": str(self.dollars), "first_pull": str(self.first_pull)}


@dataclass(frozen=True)
class Estimate:
    """A month of all sources."""

    scale: Scale
    sources: tuple[Prediction, ...]
    recorded: Decimal
    cap: Decimal
    unlisted: tuple[str, ...] = ()
    """What is not counted, because only AWS knows it."""

    @property
    def dollars(self) -> Decimal:
        """All sources together."""
        return sum((source.dollars for source in self.sources), Decimal(0))

    def document(self) -> dict[str, object]:
        """For machines."""
        return {
            "dollars_per_month": str(self.dollars),
            "recorded_last_30_days": str(self.recorded),
            "sources": [source.document() for source in self.sources],
            "not_counted": list(self.unlisted),
            "assumptions": self.assumptions(),
        }

    def lines(self) -> list[str]:
        """For people."""
        said = [
            f"{one.source}: {requests.counted(one.pulls, 'pull')} ({one.schedule} UTC)"
            f"{_places(one)}, "
            f"{requests.counted(one.requests)}, ${_said(one.dollars)} a month" + self._first(one)
            for one in self.sources
        ]
        total = f"together: ${_said(self.dollars)} a month at most"
        known = f"; the ledger has ${self.recorded:.2f} for the last 30 days"
        more = (f"not counted: {text}" for text in self.unlisted)
        return [*said, total + known, *more, *(f"assumed: {text}" for text in self.assumptions())]

    def assumptions(self) -> list[str]:
        """What the figures stand on."""
        scale = self.scale
        return [
            f"{scale.workloads} workloads, one run at a time, {scale.runs} runs in two weeks "
            "(--workloads says otherwise)",
            f"a run's day has {scale.usage_types} usage types, all other spend {scale.other_types} "
            f"and {scale.rest_types} of fees, credits and taxes; Savings Plans are in use",
            f"a page of Cost Explorer holds {scale.groups} groups (AWS publishes no number) and "
            f"costs ${cost_pages.PRICE}; each pull finds news, up to {RECOMPUTED} a day, and until "
            f"day {scale.restated_days} in the month before too; refunds are asked about once a "
            f"week, and where they change: {scale.refunds} times; discounts without net figures "
            "cost two pages more, and one tells what else bears a run's tag",
            f"a run reports {scale.metrics} metrics, {scale.samples} times a day, and "
            f"{scale.devices} series tell how busy a workload's machines are; CloudWatch costs "
            f"${_said(metric_pages.METRIC_PRICE * 1000)} for 1,000 metrics asked for",
            f"an export in S3 has {scale.months} months and {scale.files} files a month, rewritten "
            f"each time, two months of them until day {scale.restated_days}; S3 costs "
            f"${_said(LISTING * 1000)} for 1,000 listings and ${_said(READING * 1000)} for 1,000 "
            "objects read",
            "files on this machine, prices and what else is free to ask for cost nothing",
        ]

    def _first(self, one: Prediction) -> str:
        days = ceil(one.first_pull / self.cap) if self.cap else 0
        spread = f", over {days} days at cost.api_budget_usd_per_day" if days > 1 else ""
        return f"; the first pull ${one.first_pull:.2f}{spread}" if one.first_pull else ""


def estimate(settings: Settings, scale: Scale | None = None) -> Estimate:
    """The month that the config's schedule will cost. Sends nothing. Raises `ConfigError`."""
    named = {entry.name for entry in settings.workloads}
    named |= {entry.workload for entry in settings.runs if entry.workload}
    scale = scale or Scale(len(named) or 50)
    found = configured(settings)
    predictions: dict[str, Prediction] = {}
    for source in found:
        places = sum(other.name == source.name for other in found)
        one = _predicted(source, settings, _share(source, places, scale))
        same = predictions.get(source.name)
        predictions[source.name] = same.beside(one) if same else one
    cap = settings.cost.api_budget_usd_per_day
    unlisted = tuple(_unlisted(found, settings, scale))
    return Estimate(scale, tuple(predictions.values()), _recorded(settings), cap, unlisted)


def _share(source: Source, places: int, scale: Scale) -> Scale:
    """What of the company one of the places of an entry sees: the same is in none of the others."""
    only = getattr(source.options, "workload", None)
    return replace(scale, workloads=1 if only else ceil(scale.workloads / places))


def _unlisted(found: list[Source], settings: Settings, scale: Scale) -> Iterator[str]:
    """Of each entry for everyone in the organisation, whom only its payer can list."""
    for entry in settings.sources:
        if EVERY not in entry.accounts or not settings.organization.payer:
            continue
        mine = [source for source in found if source.name == entry.label]
        known = {accounts.account_and_region(source.options)[0] for source in mine}
        empty = replace(scale, workloads=0)
        each = sum((_predicted(one, settings, empty).dollars for one in mine), Decimal(0))
        yield (
            f"{entry.label}: accounts that organization.payer lists beyond these {len(known)}; "
            f"each costs ${_said(each / len(known))} a month or more"
        )


def _predicted(source: Source, settings: Settings, scale: Scale) -> Prediction:
    when = cron(source, settings)
    pulls = list(_pulls(crontab.trigger(when)))
    priced = PRICED.get(source.kind)
    plain = Prediction(source.name, source.kind, when, len(pulls), 0, Decimal(0))
    return priced(plain, source, pulls, scale) if priced else plain


def _pulls(trigger: CronTrigger) -> Iterator[datetime]:
    """When the schedule fires in a month of 31 days."""
    now = datetime(2026, 10, 1, tzinfo=UTC)
    end = now + timedelta(days=DAYS)
    due = trigger.get_next_fire_time(None, now)
    while due and due < end:
        yield due
        due = trigger.get_next_fire_time(due, due + timedelta(seconds=1))


def _cost_explorer(
    plain: Prediction, source: Source, pulls: list[datetime], scale: Scale
) -> Prediction:
    if isinstance(source, CostExplorer) and not source.is_money:
        return _paid(plain, len(pulls), cost_pages.PRICE)
    pages = _refund_pages(pulls, scale)
    for number, pull in enumerate(pulls):
        today = sum(other.date() == pull.date() for other in pulls[:number])
        before = DAYS if pull.day <= scale.restated_days else 0
        pages += _pair_pages(scale, 2) + (
            _day_pages(scale, pull.day + before) if today < RECOMPUTED else 0
        )
    refunds = REFUNDS if scale.refunds else 0
    first = _pair_pages(scale, 14) + _day_pages(scale, FIRST_DAYS) + refunds
    return replace(_paid(plain, pages, cost_pages.PRICE), first_pull=first * cost_pages.PRICE)


def _refund_pages(pulls: list[datetime], scale: Scale) -> int:
    """With the first pull of each week, and where they change."""
    weeks = {pull.isocalendar()[:2] for pull in pulls}
    return REFUNDS * min(len(weeks) + scale.refunds, len(pulls)) if scale.refunds else 0


def _pair_pages(scale: Scale, months: int) -> int:
    runs = ceil(scale.runs * DAYS / 14)
    return ceil(months * (scale.workloads * (runs + 1) + 1) / scale.groups)


def _day_pages(scale: Scale, days: int) -> int:
    """Of the record types and the requests by day; covered usage is the smaller part of each."""
    groups = [scale.workloads * scale.usage_types, scale.other_types]
    usage = sum(ceil(days * number / scale.groups) for number in groups)
    covered = len(groups) if scale.committed else 0
    return 1 + usage + covered + ceil(days * scale.rest_types / scale.groups)


def _cloudwatch(
    plain: Prediction, source: Source, pulls: list[datetime], scale: Scale
) -> Prediction:
    """The first pull of a day looks two days further back; a SEARCH may have been for nothing."""
    series = scale.workloads * scale.runs * scale.metrics
    listed = max(1, ceil(series / 500))
    search = getattr(source.options, "find", "list") == "search"
    asked = len(pulls) if search else 0
    dollars = asked * metric_search.PRICE
    for number, pull in enumerate(pulls):
        first = not any(other.date() == pull.date() for other in pulls[:number])
        pages = _metric_pages(series, (3 if first else 1) * scale.samples)
        asked += listed + sum(pages.values())
        dollars += listed * metric_pages.LISTING_PRICE
        dollars += sum(size * count for size, count in pages.items()) * metric_pages.METRIC_PRICE
    return replace(plain, requests=asked, dollars=dollars)


def _utilisation(plain: Prediction, _: Source, pulls: list[datetime], scale: Scale) -> Prediction:
    """Each name is listed, then every series asked for; a page holds more hours than a pull."""
    series = scale.workloads * scale.devices
    listed = len(utilisation.METRICS) + series // 500
    pages = len({one.namespace for one in utilisation.METRICS}) + series // metric_pages.QUERIES
    each = listed * metric_pages.LISTING_PRICE + series * metric_pages.METRIC_PRICE
    return replace(plain, requests=len(pulls) * (listed + pages), dollars=len(pulls) * each)


def _metric_pages(series: int, samples: int) -> dict[int, int]:
    """Pages by the number of metrics that they are asked with."""
    whole, left = divmod(series, metric_pages.QUERIES)
    sizes = {metric_pages.QUERIES: whole, left: 1 if left else 0}
    return {size: count * ceil(size * samples / POINTS) for size, count in sizes.items()}


def _files(plain: Prediction, source: Source, pulls: list[datetime], scale: Scale) -> Prediction:
    """Of an export in S3: a listing, every manifest, and the new files. Else all that is listed."""
    if not source.location.startswith(bucket.SCHEME):
        return plain
    known = scale.months if source.group == "cost" else 0
    read = 0
    for pull in pulls:
        rewritten = 2 if known and pull.day <= scale.restated_days else 1
        read += known + rewritten * scale.files
    dollars = len(pulls) * LISTING + read * READING
    return replace(plain, requests=len(pulls) + read, dollars=dollars)


def _places(one: Prediction) -> str:
    return f" in each of {one.places} accounts and regions" if one.places > 1 else ""


def _said(amount: Decimal) -> str:
    """Cents; what is less than one to its last digit."""
    return f"{amount:.2f}" if amount >= CENT or not amount else f"{amount.normalize():f}"


def _paid(plain: Prediction, pages: int, price: Decimal) -> Prediction:
    return replace(plain, requests=pages, dollars=pages * price)


def _recorded(settings: Settings) -> Decimal:
    since = (datetime.now(UTC) - BEFORE).isoformat()
    paid = requests.lines(settings.data / requests.FILE)
    return sum((Decimal(line["dollars"]) for line in paid if line["at"] >= since), Decimal(0))


PRICED: dict[str, Callable[[Prediction, Source, list[datetime], Scale], Prediction]] = {
    "cost_explorer": _cost_explorer,
    "cloudwatch": _cloudwatch,
    "utilisation": _utilisation,
    **dict.fromkeys(("focus", "cur2", "progress_file", "neuron_monitor", "prices"), _files),
}
"""Kinds of sources whose requests AWS bills; all others ask for nothing that costs."""
