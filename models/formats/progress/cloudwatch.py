"""CloudWatch samples as progress: one line a datapoint of one metric of one series.

Columns: timestamp (UTC), metric, statistic, period, value and where it came from; `dimensions` is a
JSON object, `named_by` the list of its keys. The config's mapping (`models.config.metrics`) says
which
metric is which column and which dimensions name workload and run; without one, the emitter's
contract does (ARCHITECTURE §6). Any other metric is not progress. Cumulative counters: the largest
value of a period is the newest. Sums are added up in `increments`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.metrics import Feed, Meaning
from models.config.settings import Tags
from models.contract.schema import NUMBER, PORTFOLIO, PROGRESS
from models.formats import fields
from models.formats.progress import increments

NAME = "cloudwatch"
VIEW: Literal["charges", "progress", "prices"] = "progress"
REQUIRED: tuple[str, ...] = ("timestamp", "metric", "value")
NAMED = ("workload", "run")
"""Columns of lines that were delivered before there was a mapping; the emitter's."""
COUNTERS = ("epoch", "samples", "tokens", "samples_per_epoch")
LARGEST = 1e18
"""Beyond this a value counts nothing, and its products do not fit the schema."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per run and timestamp, in the schema of `progress`."""
    if "dimensions" not in lines.columns:
        return _levels(_emitted(lines))
    feeds = tags.feeds if isinstance(tags, Meaning) else (Feed(),)
    known = _understood(lines, feeds)
    if not any(reading.statistic == "Sum" for feed in feeds for reading in feed.metrics.readings):
        return _levels(known)
    summed = known.statistic == "Sum"
    return _levels(known.filter(~summed)).union(increments.rows(known.filter(summed)))


def _levels(known: ir.Table) -> ir.Table:
    """Rows of what says by itself where a run stands."""
    value = known.value.cast("float64")
    counters = {name: value.max(where=known.meaning == name).cast(NUMBER) for name in COUNTERS}
    loss = fields.loss(value).mean(where=known.meaning == "loss")
    samples = known.group_by("workload", "run", observed_at="timestamp").agg(loss=loss, **counters)
    return samples.select(
        **{
            name: samples[name] if name in samples.columns else ibis.null(dtype)
            for name, dtype in PROGRESS.items()
        }
    )


def _emitted(lines: ir.Table) -> ir.Table:
    """Lines that were delivered with the emitter's `workload` and `run`."""
    meanings = ((lines.metric == r.metric, r.meaning) for r in Feed().metrics.readings)
    known = lines.mutate(
        timestamp=fields.instant(lines, "timestamp"),
        workload=fields.text(lines, "workload"),
        run=fields.text(lines, "run"),
        meaning=ibis.cases(*meanings),
    )
    return known.filter(known.meaning.notnull())


def _understood(lines: ir.Table, feeds: tuple[Feed, ...]) -> ir.Table:
    """The lines that are progress, with `workload`, `run` and `meaning` by the config."""

    def by_feed(said: Callable[[ir.Table, Feed], ir.Value]) -> ir.Value:
        cases = ((_mine(lines, feed), said(lines, feed)) for feed in feeds)
        return cast(ir.Value, ibis.cases(*cases))

    known = lines.mutate(
        timestamp=fields.instant(lines, "timestamp"),
        workload=by_feed(_workload),
        run=by_feed(_run),
        meaning=by_feed(_meaning),
    )
    whole = known.meaning.notnull() & known.workload.notnull() & known.run.notnull()
    return known.filter(whole)


def _mine(lines: ir.Table, feed: Feed) -> ir.BooleanValue:
    """Whether a line is the feed's: of its source, and with exactly its dimensions."""
    named = lines.named_by == feed.named_by
    if not feed.source:
        return named
    return named & (lines.source == feed.source) & (lines.namespace == feed.namespace)


def _workload(lines: ir.Table, feed: Feed) -> ir.Value:
    if feed.workload:
        return ibis.literal(feed.workload)
    return fields.entry(lines, "dimensions", feed.dimensions.workload)


def _run(lines: ir.Table, feed: Feed) -> ir.Value:
    return fields.entry(lines, "dimensions", feed.dimensions.run)


def _meaning(lines: ir.Table, feed: Feed) -> ir.Value:
    meanings = (
        ((lines.metric == metric) & (lines.statistic == statistic), meaning)
        for metric, statistic, meaning in feed.metrics.readings
    )
    return cast(ir.Value, ibis.cases(*meanings))


def refusals(lines: ir.Table) -> ir.Table:
    """Samples that name nothing, negative or absurd counters."""
    named = [name for name in NAMED if name in lines.columns]
    beside = fields.text(lines, *reversed(named), "dimensions", "metric")
    value = lines.value.cast("float64")
    counter = _counts(lines)
    return fields.faults(
        lines,
        [
            *(fields.missing(lines, name, beside) for name in (*REQUIRED, *named)),
            *(fields.owned_by_all(lines, name) for name in named if name == "workload"),
            _named_as_all(lines),
            fields.Fault(
                counter & (value < 0),
                "a counter is negative",
                value,
                "counters start at 0: correct what emits them",
            ),
            fields.Fault(
                counter & ~(value < LARGEST),
                "a counter is not a number",
                value,
                "correct what emits it",
            ),
        ],
    )


def _counts(lines: ir.Table) -> ir.BooleanValue:
    """Whatever its meaning, only a loss is averaged."""
    if "statistic" in lines.columns:
        return cast(ir.BooleanValue, lines.statistic != "Average")
    emitted = Feed().metrics.readings
    return lines.metric.isin([r.metric for r in emitted if r.statistic != "Average"])


def _named_as_all(lines: ir.Table) -> fields.Fault | None:
    """As `fields.owned_by_all`, by whichever dimension names the workload."""
    if "dimensions" not in lines.columns:
        return None
    wrong = lines.dimensions.contains(f'"{PORTFOLIO}"')
    problem = "a dimension is the name of all workloads together"
    return fields.Fault(wrong, problem, lines.dimensions, "give the workload another name")


def totals(lines: ir.Table) -> ir.Table:
    """No money: nothing to add up."""
    return lines.select(account=ibis.literal("")).limit(0)
