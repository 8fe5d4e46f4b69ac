"""Says what ties a run to its machines: a tag, a rule of the config, or allocations (METHOD §2.6).

What tells of most of its accelerator-hours counts. A rule is said of a run that an entry of
`[[tag_rules]]` names, whether or not its machines bear the tag as well.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join

ALLOCATION, RULE, TAG = "allocation", "rule", "tag"


def with_identified_by(rows: ir.Table, config_rules: ir.Table) -> ir.Table:
    """Adds the column of what ties a run to the bill: `allocation`, `rule`, `tag`, or null.

    `every_hour` are all accelerator-hours of the run, `held_hours` those that allocations gave it.
    """
    rows = _with_rules(rows, config_rules)
    held = rows.held_hours.fill_null(0) * 2 >= rows.every_hour
    return rows.mutate(
        identified_by=ibis.cases(
            ((rows.every_hour > 0).fill_null(False) & held, ALLOCATION),
            ((rows.every_hour > 0) & (rows.named | rows.named_anywhere), RULE),
            (rows.every_hour > 0, TAG),
            else_=None,
        )
    )


def _with_rules(rows: ir.Table, rules: ir.Table) -> ir.Table:
    """Adds whether a rule names the run with its workload, or the run of any workload.

    The names are joined, because the SQL of a mart is the same text for whoever reads it.
    """
    of_runs = rules.filter(rules.run.notnull()).distinct()
    anywhere = of_runs.filter(of_runs.workload.isnull()).select("run")
    named = of_runs.filter(of_runs.workload.notnull())
    rows = left_join(rows, anywhere.mutate(named_anywhere=ibis.literal(True)), ["run"])
    rows = left_join(rows, named.mutate(named=ibis.literal(True)), ["workload", "run"])
    return rows.mutate(
        named=rows.named.fill_null(False), named_anywhere=rows.named_anywhere.fill_null(False)
    )
