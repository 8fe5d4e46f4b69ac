"""What a tracker of runs told, as progress: one line a value of one metric of one run.

Columns: timestamp (UTC), metric, value, `run_name`, `Tags` (a JSON object: tags, and parameters
where a tracker has them) and `source`. Tags name workload and run as on a bill, `[[tag_rules]]`
included; a run without that tag goes by its name. Which metric is which column is the config's
(`models.config.metrics`). Counters are cumulative; a value that no counter can have is none.
"""

from __future__ import annotations

from typing import Literal, cast

import ibis
import ibis.expr.types as ir

from models.config.metrics import Meaning, Tracker
from models.config.settings import Tags
from models.contract.schema import NUMBER, PROGRESS
from models.formats import fields

VIEW: Literal["progress"] = "progress"
REQUIRED: tuple[str, ...] = ("timestamp", "metric", "value", "run_name", "Tags", "source")
COUNTERS = ("epoch", "samples", "tokens", "samples_per_epoch")
TEXTS = ("recipe", "purpose", "resumed_from")
"""Tags that describe a run."""
NUMBERS = ("samples_per_epoch", "start_epoch")
LARGEST = 1e18


def rows(lines: ir.Table, tags: Tags) -> ir.Table:
    """One row per run and instant, in the schema of `progress`."""
    known = _understood(lines, tags)
    value = known.value.cast("float64")
    said = {name: value.max(where=known.meaning == name).cast(NUMBER) for name in COUNTERS}
    loss = fields.loss(value).mean(where=known.meaning == "loss")
    tagged = {name: fields.entry(known, "Tags", name).max() for name in (*TEXTS, *NUMBERS)}
    samples = known.group_by("workload", "run", observed_at="timestamp").agg(
        loss=loss, **said, **{f"tagged_{name}": text for name, text in tagged.items()}
    )
    given: dict[str, ir.Value] = {name: samples[f"tagged_{name}"] for name in TEXTS}
    given["purpose"] = given["purpose"].strip().lower().nullif("")
    given |= {name: samples[f"tagged_{name}"].try_cast(NUMBER) for name in NUMBERS}
    per_epoch = ibis.coalesce(samples["samples_per_epoch"], given["samples_per_epoch"])
    given["samples_per_epoch"] = per_epoch
    return samples.select(**{name: _column(samples, given, name) for name in PROGRESS})


def _column(samples: ir.Table, given: dict[str, ir.Value], name: str) -> ir.Value:
    if name in given:
        return given[name]
    return samples[name] if name in samples.columns else ibis.null(PROGRESS[name])


def _understood(lines: ir.Table, tags: Tags) -> ir.Table:
    """The lines that are progress, with `workload`, `run` and `meaning`."""
    trackers = tags.trackers if isinstance(tags, Meaning) else (Tracker(),)
    moment = fields.instant(lines, "timestamp")
    tagged = fields.resolved_tags(lines, tags, moment)
    owned = [
        (lines.source == one.source, ibis.literal(one.workload))
        for one in trackers
        if one.workload and one.source
    ]
    fixed = ibis.cases(*owned) if owned else ibis.null("string")
    meaning = ibis.cases(
        *(
            (lines.source == one.source if one.source else ibis.literal(True), _meaning(lines, one))
            for one in trackers
        )
    )
    known = lines.mutate(
        timestamp=moment,
        workload=ibis.coalesce(tagged["workload"], fixed),
        run=ibis.coalesce(tagged["run"], fields.said(lines.run_name)),
        meaning=meaning,
    )
    value = known.value.cast("float64")
    counts = (known.meaning == "loss") | value.between(0, LARGEST)
    whole = known.meaning.notnull() & known.workload.notnull() & known.run.notnull()
    return known.filter(whole & counts)


def _meaning(lines: ir.Table, tracker: Tracker) -> ir.Value:
    told = tracker.metrics.meanings.items()
    cases = [(lines.metric == metric, meaning) for metric, meaning in told]
    return cast(ir.Value, ibis.cases(*cases) if cases else ibis.null("string"))


def refusals(lines: ir.Table) -> ir.Table:
    """Values without a time, a name or a number."""
    beside = fields.text(lines, "run_name", "metric")
    needed = ("timestamp", "metric", "value")
    return fields.faults(lines, [fields.missing(lines, name, beside) for name in needed])


def totals(lines: ir.Table) -> ir.Table:
    """No money: nothing to add up."""
    return lines.select(account=ibis.literal("")).limit(0)
