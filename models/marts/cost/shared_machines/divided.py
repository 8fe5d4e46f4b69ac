"""Sums the parts of shared machines' bill lines by day, under the jobs that held the machines."""

from __future__ import annotations

from collections.abc import Mapping

import ibis
import ibis.expr.types as ir

from models.contract.declaration import step
from models.contract.joins import left_join
from models.contract.money import known_sum
from models.contract.schema import MONEY
from models.marts.cost.attribution_buckets import UNDELIVERED
from models.marts.cost.shared_machines.owner_numbers import owner_columns
from models.marts.cost.shared_machines.shares.shares_of_periods import HELD, UNKNOWN
from models.marts.cost.shared_machines.tagged_hours import TAGGED

KEYS = ("kind", "cluster", "holding", "owner", "allocation_flags")
OF_PART = ("cluster", "holding", "allocation_flags")
KNOWN = ("quantity", "list_cost", "contracted_cost")
"""Amounts of which a sum is null as soon as one of them is."""


@step(
    grain="that of spend_reduced, of lines of shared machines, × cluster × holding",
    units="dollars on the four bases; quantity in the unit of the SKU",
    nulls="cluster, holding: no allocation is about the machine; else as spend_reduced",
    method="§2.10.5",
    whose="run",
)
def divided(exact_parts: ir.Table, due_kinds: ir.Table, owner_numbers: ir.Table) -> ir.Table:
    """Sums shared machines' divided bill lines by day and job or idle, like table `spend_reduced`.

    What the kinds of lines have in common, forty columns wide, is joined to the sums alone.
    """
    return with_texts(
        exact_parts.group_by(KEYS).agg(**_sums(exact_parts)), due_kinds, owner_numbers
    )


@step(
    grain="line × cluster × holding × owner",
    units="dollars on the four bases; quantity in the unit of the SKU",
    nulls="cluster, holding: no allocation is about the machine; else as spend_reduced",
    method="§2.10.5",
    whose="run",
)
def line_parts(exact_parts: ir.Table, due_kinds: ir.Table, owner_numbers: ir.Table) -> ir.Table:
    """Lists parts of shared machines' bill lines by job or idle, like table `spend_reduced`.

    Example: `divided` has $16.125 of a day and run, this the $10.75 and $5.375 of its two hours.
    """
    return with_texts(exact_parts, due_kinds, owner_numbers)


def with_texts(parts: ir.Table, due_kinds: ir.Table, owners: ir.Table) -> ir.Table:
    """Adds to parts of bill lines the columns of their line, and workload, run and tags of the job.

    A part of a run by its tag is as what bears that tag: no cluster's, and nobody's to look for.
    """
    names = owner_columns(owners)
    jobs = owners.select("owner", **{f"{name}_of": owners[name] for name in names})
    kinds = due_kinds.rename(**{f"{name}_billed": name for name in (*names, *OF_PART[1:])})
    rows = left_join(parts, jobs, ["owner"]).join(kinds, "kind")
    held = rows.holding.isin((HELD, UNKNOWN, TAGGED)).fill_null(False)
    touched = (rows.holding != UNDELIVERED).fill_null(False)
    given = {
        name: ibis.cases((held, rows[f"{name}_of"]), (~touched, rows[f"{name}_billed"]))
        for name in ("workload", "run")
    }
    tags = {
        name: ibis.ifelse(
            held, ibis.coalesce(rows[f"{name}_of"], rows[f"{name}_billed"]), rows[f"{name}_billed"]
        )
        for name in names
        if name.startswith("tag_")
    }
    cluster = ibis.ifelse(held, ibis.coalesce(rows.cluster_of, rows.cluster), rows.cluster)
    done = _without_corrected(rows, touched)
    holding = rows.holding.nullif(TAGGED)
    texts = rows.mutate(**given, **tags, cluster=cluster, holding=holding, **done)
    measures = [name for name in parts.columns if name not in KEYS]
    return texts.select(*due_kinds.drop("kind").columns, *measures)


def _without_corrected(rows: ir.Table, touched: ir.Value) -> dict[str, ir.Value]:
    """Returns three columns, null where a correction of a shared machine has found its owners."""
    done = touched & rows.corrects.notnull()
    names = ("corrects", "used_from", "used_to")
    return {name: ibis.ifelse(done, None, rows[name]) for name in names}


def _sums(rows: ir.Table) -> Mapping[str, ir.Value]:
    return {
        **{name: known_sum(rows[name]) for name in KNOWN},
        "effective_cost": rows.effective_cost.sum().cast(MONEY),
        "billed_cost": rows.billed_cost.sum().cast(MONEY),
        "first_hour": rows.first_hour.min(),
        "last_hour": rows.last_hour.max(),
    }
