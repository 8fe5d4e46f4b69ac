"""Predicts what the AWS requests of a month of the configured schedule cost; sends none.

Every figure is an upper bound for a company of the assumed size, not an average: each pull finds
changes, commitments are in use, the month has 31 days. `Estimate.assumptions` says in words what
was assumed. AWS does not publish the size of a Cost Explorer page, so that one is a guess; what the
ledger has recorded is shown beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import ceil

from ingest.aws import accounts
from ingest.aws.metrics.datapoints import METRIC_PRICE
from ingest.estimate.cloudwatch import cloudwatch, utilisation
from ingest.estimate.cost_explorer import DAYS, RECOMPUTED, cost_explorer
from ingest.estimate.files import LISTING, READING, files
from ingest.estimate.prediction import Prediction, dollars
from ingest.estimate.scale import Scale
from ingest.files.location import FileOptions
from ingest.paid_requests import ledger
from ingest.source import Source, cron
from ingest.sources import configured
from ingest.sources.bill.cost_explorer.pages import PRICE
from models.config import cron as crontab
from models.config.accounts import EVERY
from models.config.settings import Settings

BEFORE = timedelta(days=30)
"""The time before now whose recorded dollars are shown."""
PRICED: dict[str, Callable[[Prediction, Source, list[datetime], Scale], Prediction]] = {
    "cost_explorer": cost_explorer,
    "cloudwatch": cloudwatch,
    "utilisation": utilisation,
}
"""Kinds of sources whose requests AWS bills, besides sources of files; others are free."""


@dataclass(frozen=True)
class Estimate:
    """The predicted cost of a month's AWS requests by source, at most, and what is assumed."""

    scale: Scale
    sources: tuple[Prediction, ...]
    recorded: Decimal
    cap: Decimal
    unlisted: tuple[str, ...] = ()
    """What is not counted, because only AWS knows it."""

    @property
    def dollars(self) -> Decimal:
        """Predicted dollars of a month's AWS requests, at most, of all sources together."""
        return sum((source.dollars for source in self.sources), Decimal(0))

    @property
    def first_pull(self) -> Decimal:
        """Predicted dollars of the first pull of Cost Explorer's history; 0 without such a feed."""
        return sum((source.first_pull for source in self.sources), Decimal(0))

    def document(self) -> dict[str, object]:
        """Returns the cost estimate as a JSON-ready dict."""
        return {
            "dollars_per_month": str(self.dollars),
            "recorded_last_30_days": str(self.recorded),
            "sources": [source.document() for source in self.sources],
            "not_counted": list(self.unlisted),
            "assumptions": self.assumptions(),
        }

    def lines(self) -> list[str]:
        """Formats the cost estimate as lines of text for the terminal."""
        lines = [
            f"{one.source}: {ledger.format_count(one.pulls, 'pull')} ({one.schedule} UTC)"
            f"{_places(one)}, "
            f"{ledger.format_count(one.requests)}, ${dollars(one.dollars)} a month"
            + self._first(one)
            for one in self.sources
        ]
        total = f"together: ${dollars(self.dollars)} a month at most"
        known = f"; the ledger has ${self.recorded:.2f} for the last 30 days"
        more = (f"not counted: {text}" for text in self.unlisted)
        return [*lines, total + known, *more, *(f"assumed: {text}" for text in self.assumptions())]

    def assumptions(self) -> list[str]:
        """Returns the lines of text that say what the cost estimate assumes."""
        scale = self.scale
        return [
            f"{scale.workloads} workloads, one run at a time, {scale.runs} runs in two weeks "
            "(change with --workloads)",
            f"a day of a run has {scale.usage_types} usage types, other spend {scale.other_types}, "
            f"fees, credits and taxes {scale.rest_types}; Savings Plans are in use",
            f"a page of Cost Explorer holds {scale.groups} groups (AWS publishes no number) and "
            f"costs ${PRICE}; each pull finds a changed bill, up to {RECOMPUTED} pulls a day, and "
            f"until day {scale.restated_days} the month before has changed as well; refunds are "
            f"read once a week and whenever they change, {scale.refunds} times in all; an account "
            "without net figures needs two more pages, and other charges with a run's tag one",
            f"a run reports {scale.metrics} metrics, {scale.samples} times a day; the "
            f"utilisation of a workload's machines is {scale.devices} series; CloudWatch costs "
            f"${dollars(METRIC_PRICE * 1000)} for 1,000 requested metrics",
            f"an export in S3 has {scale.months} months and {scale.files} files a month, rewritten "
            f"each time, two months of them until day {scale.restated_days}; S3 costs "
            f"${dollars(LISTING * 1000)} for 1,000 listings and ${dollars(READING * 1000)} for "
            "1,000 objects read",
            "files on this machine, prices and other free requests cost nothing",
        ]

    def _first(self, one: Prediction) -> str:
        days = ceil(one.first_pull / self.cap) if self.cap else 0
        spread = f", over {days} days at cost.api_budget_usd_per_day" if days > 1 else ""
        return f"; the first pull ${one.first_pull:.2f}{spread}" if one.first_pull else ""


def estimate(settings: Settings, scale: Scale | None = None) -> Estimate:
    """Predicts the most that a month of the schedule will cost in AWS requests; sends none.

    `scale` is the size of the company; without it, the number of workloads is that of the config,
    else 50. Raises `ConfigError`.
    """
    named = {entry.name for entry in settings.workloads}
    named |= {entry.workload for entry in settings.runs if entry.workload}
    scale = scale or Scale(len(named) or 50)
    found = configured(settings)
    predictions: dict[str, Prediction] = {}
    for source in found:
        places = sum(other.name == source.name for other in found)
        one = _predict(source, settings, _scale_of_one_place(source, places, scale))
        same = predictions.get(source.name)
        predictions[source.name] = same.plus(one) if same else one
    cap = settings.cost.api_budget_usd_per_day
    unlisted = tuple(_unlisted(found, settings, scale))
    return Estimate(scale, tuple(predictions.values()), _recorded(settings), cap, unlisted)


def _scale_of_one_place(source: Source, places: int, scale: Scale) -> Scale:
    """Returns the assumed size of one account and region: its share of the workloads."""
    only = getattr(source.options, "workload", None)
    return replace(scale, workloads=1 if only else ceil(scale.workloads / places))


def _unlisted(found: list[Source], settings: Settings, scale: Scale) -> Iterator[str]:
    """Yields a note per `[[sources]]` entry with `*`: some of its accounts are not counted."""
    for entry in settings.sources:
        if EVERY not in entry.accounts or not settings.organization.payer:
            continue
        mine = [source for source in found if source.name == entry.label]
        known = {accounts.account_and_region(source.options)[0] for source in mine}
        empty = replace(scale, workloads=0)
        each = sum((_predict(one, settings, empty).dollars for one in mine), Decimal(0))
        yield (
            f"{entry.label}: accounts that organization.payer lists beyond these {len(known)}; "
            f"each costs ${dollars(each / len(known))} a month or more"
        )


def _predict(source: Source, settings: Settings, scale: Scale) -> Prediction:
    """Predicts the AWS requests and dollars of one source for a month."""
    when = cron(source, settings)
    pulls = list(_pull_times(crontab.trigger(when)))
    priced = files if isinstance(source.options, FileOptions) else PRICED.get(source.kind)
    empty = Prediction(source.name, source.kind, when, len(pulls), 0, Decimal(0))
    return priced(empty, source, pulls, scale) if priced else empty


def _pull_times(trigger: crontab.Schedule) -> Iterator[datetime]:
    """Yields the times at which a schedule fires in a month of 31 days."""
    now = datetime(2026, 10, 1, tzinfo=UTC)
    end = now + timedelta(days=DAYS)
    due = trigger.get_next_fire_time(None, now)
    while due and due < end:
        yield due
        due = trigger.get_next_fire_time(due, due + timedelta(seconds=1))


def _places(one: Prediction) -> str:
    return f" in each of {one.places} accounts and regions" if one.places > 1 else ""


def _recorded(settings: Settings) -> Decimal:
    """Returns the dollars of paid requests that the ledger recorded in the last 30 days."""
    since = (datetime.now(UTC) - BEFORE).isoformat()
    paid = ledger.read_lines(settings.data / ledger.FILE)
    return sum((Decimal(line["dollars"]) for line in paid if line["at"] >= since), Decimal(0))
