"""Reads metrics that run trackers (MLflow, SageMaker, W&B) recorded: one line per value.

Columns: timestamp (UTC), metric, value, `run_name`, `Tags` (a JSON object: tags, and parameters
where a tracker has them) and `source`. Tags name workload and run as on a bill, `[[tag_rules]]`
included; a run without a run tag goes by its name. The config maps metrics to columns
(`models.config.metrics.tracker_metrics`). Counters are cumulative; an impossible value is left out,
and so is one of an impossible time. `step` is the training step of a value. A run that logs no
tokens (or samples) but has the parameter or tag `tokens_per_step` (`samples_per_step`) is counted
by its steps (METHOD §3.1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.metrics.line_meaning import LineMeaning
from models.config.metrics.tracker_metrics import TrackerMapping
from models.config.tags import Tags
from models.contract.money import product
from models.contract.schema import NUMBER, PROGRESS
from models.formats import fields, line_faults
from models.formats.format import no_totals
from models.formats.json_fields import entry
from models.formats.names import bad_entries, bad_names
from models.formats.null_text import null_if_blank
from models.formats.progress.loss_values import loss_value
from models.formats.tag_rules import resolved_tags

VIEW: Literal["progress"] = "progress"
REQUIRED: tuple[str, ...] = ("timestamp", "metric", "value", "run_name", "Tags", "source")
COUNTERS = ("epoch", "samples", "tokens", "samples_per_epoch")
TEXTS = ("recipe", "purpose", "resumed_from")
"""Tags that describe a run."""
NAMES = ("workload", "run", "recipe", "resumed_from")
"""Tags that are names; a tracker's other tags may be texts of any length."""
PER_STEP = {"samples": "samples_per_step", "tokens": "tokens_per_step"}
NUMBERS = ("samples_per_epoch", "start_epoch", *PER_STEP.values())
LARGEST = 1e18
YEARS = (2010, 2100)
"""A value of another year was logged with seconds or microseconds in place of milliseconds."""


def rows(
    lines: ir.Table,
    tags: Tags,
    source: str,
    as_done: Callable[[ir.Table], ir.Table] = lambda values: values,
) -> ir.Table:
    """Converts metrics of a run tracker to training progress, one row per run and instant.

    `as_done` converts steps and epochs that what logged them counts in another way.
    """
    mapped = as_done(mapped_values(lines, tags))
    mapped = mapped.filter(_is_timed(mapped))
    value = mapped.value.cast("float64")
    counters = {name: value.max(where=mapped.meaning == name).cast(NUMBER) for name in COUNTERS}
    counters["step"] = _newest_step(mapped).cast(NUMBER)
    loss = loss_value(value).mean(where=mapped.meaning == "loss")
    tagged = {name: entry(mapped, "Tags", name).max() for name in (*TEXTS, *NUMBERS)}
    samples = mapped.group_by("workload", "run", observed_at="timestamp").agg(
        loss=loss, **counters, **{f"tagged_{name}": text for name, text in tagged.items()}
    )
    given: dict[str, ir.Value] = {name: samples[f"tagged_{name}"] for name in TEXTS}
    given["purpose"] = given["purpose"].strip().lower().nullif("")
    given |= {name: samples[f"tagged_{name}"].try_cast(NUMBER) for name in NUMBERS}
    per_epoch = ibis.coalesce(samples["samples_per_epoch"], given["samples_per_epoch"])
    given["samples_per_epoch"] = per_epoch
    given |= {name: _by_step(samples, name, given[size]) for name, size in PER_STEP.items()}
    given["source"] = ibis.literal(source)
    return samples.select(**{name: _column(samples, given, name) for name in PROGRESS})


def _newest_step(mapped: ir.Table) -> ir.Value:
    """Returns the largest training step of a group; null if the tracker records no steps."""
    return mapped["step"].max() if "step" in mapped.columns else ibis.null("int64")


def _by_step(samples: ir.Table, counter: str, size: ir.Value) -> ir.Value:
    """Returns a counter as logged; for a run that never logs it, its steps × the step size."""
    logged = samples[counter].notnull().any().over(ibis.window(group_by=["workload", "run"]))
    fits = samples["step"].cast("float64") * size.cast("float64") <= LARGEST
    steps = ibis.ifelse(fits & (size > 0), product(samples["step"], size), None).cast(NUMBER)
    return ibis.ifelse(logged, samples[counter], steps)


def _column(samples: ir.Table, given: dict[str, ir.Value], name: str) -> ir.Value:
    if name in given:
        return given[name]
    return samples[name] if name in samples.columns else ibis.null(PROGRESS[name])


def mapped_values(lines: ir.Table, tags: Tags) -> ir.Table:
    """Adds workload, run and meaning to logged values; drops values without them or impossible.

    A counter that is no number is null: the step at which it was logged counts.
    """
    trackers = tags.trackers if isinstance(tags, LineMeaning) else (TrackerMapping(),)
    moment = fields.timestamp(lines, "timestamp")
    tagged = resolved_tags(lines, tags, moment)
    named = [
        (lines.source == one.source, ibis.literal(one.workload))
        for one in trackers
        if one.workload and one.source
    ]
    fixed = ibis.cases(*named) if named else ibis.null("string")
    meaning = ibis.cases(
        *(
            (lines.source == one.source if one.source else ibis.literal(True), _meaning(lines, one))
            for one in trackers
        )
    )
    mapped = lines.mutate(
        timestamp=moment,
        workload=ibis.coalesce(tagged["workload"], fixed),
        run=ibis.coalesce(tagged["run"], null_if_blank(lines.run_name)),
        meaning=meaning,
    )
    complete = mapped.meaning.notnull() & mapped.workload.notnull() & mapped.run.notnull()
    counted = mapped.filter(complete & (_counts(mapped) | _is_nan(mapped)))
    return counted.mutate(value=ibis.ifelse(_counts(counted), counted.value, None))


def _counts(mapped: ir.Table) -> ir.BooleanValue:
    """Whether a run tracker's value is a loss, or a number from 0 to the largest possible count."""
    possible = mapped.value.cast("float64").between(0, LARGEST) & ~_is_nan(mapped)
    return cast(ir.BooleanValue, (mapped.meaning == "loss") | possible)


def _is_nan(mapped: ir.Table) -> ir.BooleanValue:
    return fields.is_nan(cast(ir.FloatingValue, mapped.value.cast("float64")))


def _is_timed(mapped: ir.Table) -> ir.BooleanValue:
    """Whether a run tracker's value has a possible time: of the years 2010 to 2100."""
    return cast(ir.TimestampValue, mapped["timestamp"]).year().between(*YEARS)


def _meaning(lines: ir.Table, tracker: TrackerMapping) -> ir.Value:
    meanings = tracker.metrics.meanings.items()
    cases = [(lines.metric == metric, meaning) for metric, meaning in meanings]
    return cast(ir.Value, ibis.cases(*cases) if cases else ibis.null("string"))


def refusals(lines: ir.Table) -> ir.Table:
    """Returns problem, value and remedy of each run tracker value incomplete or badly named."""
    shown = fields.text(lines, "run_name", "metric")
    needed = ("timestamp", "metric", "value")
    return line_faults.faulty_lines(
        lines,
        [
            *(line_faults.missing(lines, name, shown) for name in needed),
            *bad_names(lines, "run_name"),
            *bad_entries(lines, "Tags", NAMES),
        ],
        place=_run_of(lines),
    )


def _run_of(lines: ir.Table) -> ir.Value:
    """Returns a text per value that names its run: by id, if trackers have one, and by name."""
    name = fields.text(lines, "run_name").fill_null("")
    return "in run " + ibis.coalesce(fields.text(lines, "run_id") + ", ", "") + name


totals = no_totals
