"""Computes the machine of FOCUS lines while they are summed, only for those that may have one."""

from __future__ import annotations

from functools import partial
from typing import cast

import ibis
import ibis.expr.types as ir

from models.config.tags import Labels
from models.formats import fields, tag_keys
from models.formats.bill import shared_machine_lines
from models.formats.bill.focus import columns, split_cost_rows
from models.formats.bill.pre_aggregation import ALIKE, Few
from models.formats.tag_rules import resolved_tags

START, END = "ChargePeriodStart", "ChargePeriodEnd"
RESOURCES = ("i-", "arn:aws:sagemaker:", "arn:aws-")
"""What instances and clusters begin with; to look for a cluster's name in every ARN takes longer
than all other signs. In China and GovCloud no ARN is passed over."""


def machines_of_lines(lines: ir.Table, tags: Labels) -> Few:
    """Returns further columns to group FOCUS lines by, for lines of shared machines and pods alone.

    Hours of a machine that bear no run are alike; free ones are not, because a Capacity Block may
    cover them by the hour.
    """
    names = [
        *tag_keys.TAG_COLUMNS,
        *split_cost_rows.PARENTS,
        *(tag_keys.read_tag(key) for key in tag_keys.cluster_keys(tags)),
    ]
    reads = {name: lines[name] for name in names if name in lines.columns}
    return Few(reads, partial(_may_have_one, tags=tags), partial(_values, tags=tags))


def _may_have_one(rows: ir.Table, tags: Labels) -> ir.BooleanValue:
    """Whether a FOCUS line may be of a shared machine, cluster or pod: a cheap test that may err.

    With a run it must be of a machine's size and bear a cluster's tag. One condition inside the
    other: most lines bear a run, and are asked for the size alone.
    """
    untagged = _run(rows, tags).isnull()
    sizes = [
        text.contains(word)
        for text in _delivered(rows, *columns.METERS)
        for word in shared_machine_lines.SIZES
    ]
    named = ibis.or_(*(tag_keys.may_bear(rows, key) for key in tag_keys.cluster_keys(tags)))
    of_cluster = ibis.ifelse(ibis.or_(*sizes), named, False)
    if split_cost_rows.names_hosts(rows):
        return cast(ir.BooleanValue, untagged | split_cost_rows.is_pod(rows) | of_cluster)
    signs = [
        *(_is_filled(rows[name]) for name in _given_tags(rows, tags)),
        *(ibis.or_(*map(text.startswith, RESOURCES)) for text in _delivered(rows, "ResourceId")),
        *sizes,
    ]
    sign = ibis.cases(*((each, True) for each in signs), else_=False)
    return cast(ir.BooleanValue, ibis.ifelse(untagged, sign, of_cluster))


def _delivered(rows: ir.Table, *names: str) -> list[ir.StringValue]:
    """Returns those of some columns that the table has, cast to text and not cleaned."""
    return [
        cast(ir.StringValue, rows[name].cast("string")) for name in names if name in rows.columns
    ]


def _given_tags(rows: ir.Table, tags: Labels) -> list[str]:
    read = (tag_keys.read_tag(key) for key in tag_keys.cluster_keys(tags))
    return [name for name in (*tag_keys.TAG_COLUMNS, *read) if name in rows.columns]


def _is_filled(tags: ir.Value) -> ir.BooleanValue:
    if tags.type().is_map():
        return cast(ir.MapValue, tags).length() > 0
    return tags.notnull()


def _values(rows: ir.Table, tags: Labels) -> dict[str, ir.Value]:
    run, meter = _run(rows, tags), fields.text(rows, *columns.METERS)
    machine = shared_machine_lines.machine(rows, run, meter, tags)
    named = machine.notnull()
    hosts = split_cost_rows.names_hosts(rows)
    of_pod = (
        ibis.ifelse(named, split_cost_rows.is_pod(rows), False) if hosts else ibis.literal(False)
    )
    timed = shared_machine_lines.accelerated(rows, meter)
    return {
        START: ibis.ifelse(of_pod, rows[f"exact {START}"], rows[START]),
        END: ibis.ifelse(of_pod, rows[f"exact {END}"], rows[END]),
        shared_machine_lines.MACHINE: machine,
        shared_machine_lines.CLUSTER: shared_machine_lines.cluster(
            rows, run.notnull(), meter, tags
        ),
        ALIKE: ibis.ifelse(named & ~of_pod & rows[END].isnull(), timed, False),
    }


def _run(rows: ir.Table, tags: Labels) -> ir.StringValue:
    return resolved_tags(rows, tags, fields.timestamp(rows, START))["run"]
