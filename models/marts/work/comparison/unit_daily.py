"""Returns cost and work of each run by day, with work in its recipe's unit (METHOD §1, §3.4).

The rows of `work_daily` with `kind` and `unit`; `epochs`, `repeated_epochs` and `unbilled_epochs`
count that unit. `worked`: the run made or repeated progress, also where it is not counted in that
unit. `counted_in_unit`: the run's cost belongs in a cost per unit, because its lineage's work is
counted in the unit, or because the run failed: it is on Trainium and its lineage never reported.
On GPU such work may only be unreported. A sum over a run's days is exact to the ninth place,
however they are rounded.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join, without
from models.contract.money import carried_product, zero_if_null
from models.contract.rules.work.kinds_of_work import KIND, kind_of
from models.contract.rules.work.units_of_work import MEASURES, SIZE, made_progress
from models.contract.schema import NUMBER
from models.contract.units import EPOCH, SAMPLES, TOKENS

LINE = ["workload", "lineage"]
COUNTED = ("epochs", "repeated_epochs", "unbilled_epochs")
OTHERS = {TOKENS: "tokens", SAMPLES: "samples"}


@step(
    grain="date × workload × run",
    units="dollars on `cost.basis`; work in `unit`",
    nulls="costs: a charge of the day cannot be priced; hardware: no accelerator-hours",
    method="§1, §3.4",
    whose="run",
)
def unit_daily(
    work_daily: ir.Table, lineage_facts: ir.Table, comparable: ir.Table, kinds: ir.Table
) -> ir.Table:
    """Converts each run's daily work to the unit of its recipe: epochs, tokens or samples."""
    kinds_of_lines = comparable.select(*LINE, "kind", "countable", "silent")
    lines = left_join(lineage_facts.select(*LINE, "recipe"), kinds_of_lines, LINE)
    lines = lines.mutate(kind=ibis.coalesce(lines.kind, kind_of(lines.recipe))).drop("recipe")
    lines = left_join(lines, kinds.select(*KIND, "unit", "main"), KIND)
    rows = left_join(work_daily, lines, LINE)
    rows = rows.mutate(
        unit=rows.unit.fill_null(EPOCH),
        main=rows.main.fill_null(False),
        worked=made_progress(rows) | _repeated(rows),
        counted_in_unit=_counted_in_unit(rows),
        size_=ibis.cases(*((rows.unit == unit, size) for unit, size in SIZE.items())).cast(NUMBER),
    )
    rows = rows.mutate(**{name: _in_unit(rows, name) for name in COUNTED})
    return without(rows, "size_", "countable", "silent")


def _counted_in_unit(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a run's cost belongs in its recipe's cost per unit of work."""
    failed = rows.silent & (rows.hardware == "trainium")
    return (rows.countable | failed).fill_null(False)


def _repeated(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a run did some of its work again."""
    again = (rows[f"repeated_{name}"] > 0 for name in MEASURES.values())
    return ibis.or_(*(some.fill_null(False) for some in again))


def _in_unit(rows: ir.Table, name: str) -> ir.Value:
    """Returns one column of work (`epochs`, …) in the row's unit: epochs, tokens or samples."""
    return ibis.cases(
        *((rows.unit == unit, _sized(rows, name, other)) for unit, other in OTHERS.items()),
        else_=rows[name],
    )


def _sized(rows: ir.Table, name: str, other: str) -> ir.Value:
    """Converts tokens or samples to their unit, with rounding that keeps sums over days exact."""
    amount = carried_product(
        rows[name.replace("epochs", other)].fill_null(0),
        rows.size_,
        within=("workload", "run"),
        order="date",
    )
    return zero_if_null(amount)
