"""Reads CloudWatch metrics as progress: one line per datapoint of a metric.

Columns: timestamp (UTC), metric, statistic, period, value and where it came from; `dimensions` is a
JSON object, `named_by` the list of its keys. The config maps metrics to columns and dimensions to
workload and run (`models.config.metrics`); without a mapping the emitter's contract applies. Other
metrics are no progress. Counters are cumulative: the largest value of a period is its newest, so
it is of the period's last minute, and what an hour after midnight did is not of the day before.
Sums per period are added up in `counters_by_increments` (METHOD §3.1, §3.3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.metrics.cloudwatch_metrics import MetricMapping
from models.config.metrics.line_meaning import LineMeaning
from models.config.tags import Tags
from models.contract.portfolio import PORTFOLIO
from models.contract.schema import NUMBER, PROGRESS
from models.formats import fields, line_faults
from models.formats.format import no_totals
from models.formats.json_fields import entry
from models.formats.line_faults import Fault
from models.formats.names import bad_names, bad_tags
from models.formats.progress import counters_by_increments
from models.formats.progress.loss_values import loss_value

NAME = "cloudwatch"
VIEW: Literal["charges", "progress", "prices"] = "progress"
REQUIRED: tuple[str, ...] = ("timestamp", "metric", "value")
EMITTER = "emitter"
NAMES = ("workload", "run")
"""Columns of lines that were delivered before metrics could be mapped; the emitter's."""
COUNTERS = ("epoch", "samples", "tokens", "samples_per_epoch")
MINUTE = 60
LARGEST = 1e18
"""A value beyond this counts nothing, and its products do not fit the schema."""


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """Converts CloudWatch datapoints to training progress, a row per run, source and time."""
    if "dimensions" not in lines.columns:
        return _cumulative(_emitted(lines))
    mappings = tags.mappings if isinstance(tags, LineMeaning) else (MetricMapping(),)
    mapped = _mapped(lines, mappings)
    readings = (reading for mapping in mappings for reading in mapping.metrics.readings)
    if not any(reading.statistic == "Sum" for reading in readings):
        return _cumulative(mapped)
    summed = mapped.statistic == "Sum"
    increments = counters_by_increments.rows(mapped.filter(summed))
    return _cumulative(mapped.filter(~summed)).union(increments)


def _cumulative(mapped: ir.Table) -> ir.Table:
    """Converts cumulative CloudWatch metrics to training progress, a row per run and timestamp."""
    value = mapped.value.cast("float64")
    counters = {name: value.max(where=mapped.meaning == name).cast(NUMBER) for name in COUNTERS}
    loss = loss_value(value).mean(where=mapped.meaning == "loss")
    keys = ("workload", "run", "source")
    samples = mapped.group_by(*keys, observed_at=_last_minute(mapped)).agg(loss=loss, **counters)
    return samples.select(
        **{
            name: samples[name] if name in samples.columns else ibis.null(dtype)
            for name, dtype in PROGRESS.items()
        }
    )


def _last_minute(mapped: ir.Table) -> ir.Value:
    """Returns when the last minute of a datapoint's period began; its timestamp is the start."""
    if "period" not in mapped.columns:
        return mapped.timestamp
    return mapped.timestamp + (mapped.period - MINUTE).as_interval("s")


def _emitted(lines: ir.Table) -> ir.Table:
    """Selects CloudWatch lines of breakeven's emitter, whose columns have workload and run."""
    meanings = ((lines.metric == r.metric, r.meaning) for r in MetricMapping().metrics.readings)
    found = lines.mutate(
        timestamp=fields.timestamp(lines, "timestamp"),
        workload=fields.text(lines, "workload"),
        run=fields.text(lines, "run"),
        meaning=ibis.cases(*meanings),
        source=ibis.literal(EMITTER),
    )
    return found.filter(found.meaning.notnull())


def _mapped(lines: ir.Table, mappings: tuple[MetricMapping, ...]) -> ir.Table:
    """Adds workload, run and meaning to CloudWatch lines by the mappings; drops other lines."""

    def by_mapping(value: Callable[[ir.Table, MetricMapping], ir.Value]) -> ir.Value:
        cases = ((_applies(lines, mapping), value(lines, mapping)) for mapping in mappings)
        return cast(ir.Value, ibis.cases(*cases))

    found = lines.mutate(
        timestamp=fields.timestamp(lines, "timestamp"),
        workload=by_mapping(_workload),
        run=by_mapping(_run),
        meaning=by_mapping(_meaning),
        source=by_mapping(_source),
    )
    complete = found.meaning.notnull() & found.workload.notnull() & found.run.notnull()
    return found.filter(complete)


def _applies(lines: ir.Table, mapping: MetricMapping) -> ir.BooleanValue:
    """Whether a CloudWatch line matches a mapping: same namespace, dimensions and source.

    Without a source the mapping matches lines of any.
    """
    same = (lines.named_by == mapping.named_by) & (lines.namespace == mapping.namespace)
    return same & (lines.source == mapping.source) if mapping.source else same


def _source(_: ir.Table, mapping: MetricMapping) -> ir.Value:
    return ibis.literal(EMITTER if mapping.is_emitter else NAME)


def _workload(lines: ir.Table, mapping: MetricMapping) -> ir.Value:
    if mapping.workload:
        return ibis.literal(mapping.workload)
    return entry(lines, "dimensions", mapping.dimensions.workload)


def _run(lines: ir.Table, mapping: MetricMapping) -> ir.Value:
    return entry(lines, "dimensions", mapping.dimensions.run)


def _meaning(lines: ir.Table, mapping: MetricMapping) -> ir.Value:
    meanings = (
        ((lines.metric == metric) & (lines.statistic == statistic), meaning)
        for metric, statistic, meaning in mapping.metrics.readings
    )
    return cast(ir.Value, ibis.cases(*meanings))


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each CloudWatch datapoint with missing or bad values."""
    names = [name for name in NAMES if name in lines.columns]
    shown = fields.text(lines, *reversed(names), "dimensions", "metric")
    value = lines.value.cast("float64")
    counter = _is_counter(lines)
    return line_faults.faulty_lines(
        lines,
        [
            *(line_faults.missing(lines, name, shown) for name in (*REQUIRED, *names)),
            *(line_faults.portfolio_name(lines, name) for name in names if name == "workload"),
            _dimension_named_portfolio(lines),
            *bad_names(lines, "workload", "run", "metric"),
            *bad_tags(lines, "dimensions"),
            Fault(
                counter & (value < 0),
                "a counter is negative",
                value,
                "counters start at 0: correct what emits them",
            ),
            Fault(
                counter & ~(value < LARGEST),
                "a counter is not a number",
                value,
                "correct what emits it",
            ),
        ],
    )


totals = no_totals


def _is_counter(lines: ir.Table) -> ir.BooleanValue:
    """Whether a CloudWatch line is of a counter: its statistic is not `Average`."""
    if "statistic" in lines.columns:
        return cast(ir.BooleanValue, lines.statistic != "Average")
    emitted = MetricMapping().metrics.readings
    return lines.metric.isin([r.metric for r in emitted if r.statistic != "Average"])


def _dimension_named_portfolio(lines: ir.Table) -> Fault | None:
    """Builds the check that refuses a dimension `(portfolio)`; None without dimensions."""
    if "dimensions" not in lines.columns:
        return None
    wrong = lines.dimensions.contains(f'"{PORTFOLIO}"')
    problem = "a dimension is the name of all workloads together"
    return Fault(wrong, problem, lines.dimensions, "give the workload another name")
