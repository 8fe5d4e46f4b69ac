"""Says what ties a run to its machines: a tag, a rule of the config, or allocations (METHOD §2.6).

What tells of most of its accelerator-hours counts. A rule is said of a run that an entry of
`[[tag_rules]]` names, whether or not its machines bear the tag as well.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings

ALLOCATION, RULE, TAG = "allocation", "rule", "tag"


def identified_by(rows: ir.Table, settings: Settings) -> ir.Value:
    """Returns the column of what ties a run to the bill: `allocation`, `rule`, `tag`, or null.

    `every_hour` are all accelerator-hours of the run, `held_hours` those that allocations gave it.
    """
    held = rows.held_hours.fill_null(0) * 2 >= rows.every_hour
    return ibis.cases(
        ((rows.every_hour > 0).fill_null(False) & held, ALLOCATION),
        ((rows.every_hour > 0) & _is_ruled(rows, settings), RULE),
        (rows.every_hour > 0, TAG),
        else_=None,
    )


def _is_ruled(rows: ir.Table, settings: Settings) -> ir.BooleanValue:
    """Returns the condition that a rule names the run, and its workload if it names one."""
    rules = [rule for rule in settings.tag_rules if rule.run]
    named = [
        (rows.run == rule.run) & (rows.workload == (rule.workload or rows.workload))
        for rule in rules
    ]
    return ibis.or_(ibis.literal(False), *named)
