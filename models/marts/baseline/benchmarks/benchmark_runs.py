"""Measures each benchmark run after the first tenth of its time: its steady part (METHOD §5.6).

`machines` are as declared for the run in the config (`[[runs]] machines`), else the bill's
instance-hours ÷ the reported hours, as a whole number within 1 %, at least one. Example: 2.4
instance-hours and 1.7 reported hours are one machine. `instance_hours` are those of the steady
part. An hour costs what the bill says if every benchmark of the kind is settled, else its public
price of today on both sides (`priced`). `reason` says why a run has no number: one sample, for
example, does not show how fast it was.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import mart
from models.contract.joins import left_join
from models.contract.money import ZERO, money, product, ratio
from models.contract.rules.work.kinds_of_work import KIND
from models.contract.rules.work.units_of_work import plural_names
from models.contract.schema import EXPLAINERS
from models.contract.units import EPOCH
from models.marts.baseline.benchmarks.billed_benchmarks import billed_benchmarks, with_list_price
from models.marts.baseline.benchmarks.steady_parts import FEWEST, steady_parts
from models.marts.baseline.benchmarks.work_in_units import units_of_kinds, work_in_units

RUN = ["workload", "run"]
HOUR = ibis.literal(3600)
"""Seconds."""
NEARLY = 1.01
"""A bill and a log of the same time may differ by so much."""
PARTS = ("samples", "seconds", "work", "reported_seconds")


@mart(
    grain="workload × run, of purpose `benchmark`",
    units="instance-hours; dollars on `cost.basis`, or at list (`priced`); epochs in `unit`",
    nulls="recipe: none is stated; numbers: as `reason` says; platform: no machine on the bill",
    method="§5.6",
    whose="run",
)
def benchmark_runs(
    run_registry: ir.Table,
    progress_steps: ir.Table,
    work_daily: ir.Table,
    spend_daily: ir.Table,
    comparable: ir.Table,
    kinds: ir.Table,
    price_steps: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Lists each benchmark run with work, hours and cost after the first tenth of its time."""
    runs = billed_benchmarks(run_registry, work_daily, spend_daily, comparable)
    parts = steady_parts(progress_steps, runs)
    worked = work_in_units(parts, runs)
    units = units_of_kinds(runs, worked, kinds, config_workloads)
    rows = left_join(with_list_price(runs, price_steps, settings), units, KIND)
    reported = parts.group_by(RUN).agg(last_sample=parts.last_sample.max())
    rows = left_join(rows, reported, RUN)
    rows = left_join(rows, worked.select(*RUN, "unit", *PARTS), [*RUN, "unit"])
    rows = rows.mutate(machines=_machines(rows), unmeasured=_unmeasured(rows))
    return _priced(rows, settings)


def _machines(rows: ir.Table) -> ir.Value:
    """Returns how many machines a run used: as declared, else instance-hours ÷ reported hours."""
    hours = ratio(product(rows.hours, HOUR), rows.reported_seconds)
    whole = ibis.greatest((hours.cast("float64") * NEARLY).floor().cast("int64"), 1)
    return ibis.coalesce(rows.machines, whole)


def _unmeasured(rows: ir.Table) -> ir.Value:
    """Says in words why a benchmark gives no measurement; null if it gives one."""
    short = (rows.samples < FEWEST).fill_null(True)
    count = ibis.ifelse(rows.samples == 1, "1 sample", rows.samples.cast("string") + " samples")
    few = (
        ibis.literal("the steady part, after the first tenth of its reported time, has ")
        + count + f" and needs {FEWEST}: report more often, or run it longer"
    )  # fmt: skip
    on_a_chip = rows.hardware.isin(("gpu", "trainium")).fill_null(False)
    return ibis.cases(
        (rows.last_sample.isnull(), "it reports no progress"),
        (rows.samples.isnull(), _why_unknown(rows)),
        (short, few),
        (rows.work.fill_null(ZERO) <= 0, "it made no progress in its steady part"),
        (rows.hours.isnull(), "the bill has no machine-hours of it yet"),
        (~on_a_chip, "it ran on neither GPU nor Trainium"),
    )


def _why_unknown(rows: ir.Table) -> ir.Value:
    other = ibis.literal("it reports no ") + plural_names(rows.unit)
    sized = rows.samples_per_epoch.notnull() | rows.usual.notnull()
    return ibis.ifelse((rows.unit == EPOCH) & sized, "its samples per epoch differ", other)


def _priced(rows: ir.Table, settings: Settings) -> ir.Table:
    """Computes benchmarks' cost: as billed if a recipe's are all settled, else at list prices."""
    measured = rows.unmeasured.isnull()
    billed = (rows.settled & rows.cost.notnull()).fill_null(False)
    whole = (billed | ~measured).all().over(ibis.window(group_by=KIND))
    seconds = rows.seconds * rows.machines
    paid = ratio(product(seconds, rows.cost), product(rows.hours, HOUR))
    listed = ratio(product(seconds, money(rows.usd_per_hour)), HOUR)
    place = (
        rows.instance_type.fill_null("its machine") + " in " + rows.region.fill_null("no region")
    )
    unpriced = ibis.literal("there is no list price of ") + place + f" on {settings.today}"
    rows = rows.mutate(
        instance_hours=ibis.ifelse(measured, ratio(seconds, HOUR), None),
        epochs=ibis.ifelse(measured, rows.work, None),
        priced=ibis.ifelse(measured, ibis.ifelse(whole, "effective", "list"), None),
        cost=ibis.ifelse(measured, ibis.ifelse(whole, paid, listed), None),
        last_day=rows.last_sample.date(),
        unpriced=unpriced,
    )
    return rows.mutate(
        usd_per_hour=ratio(rows.cost, rows.instance_hours),
        cost_per_epoch=ratio(rows.cost, rows.epochs),
        reason=ibis.coalesce(rows.unmeasured, ibis.ifelse(rows.cost.isnull(), rows.unpriced, None)),
    ).select(*EXPLAINERS["benchmark_runs"])
