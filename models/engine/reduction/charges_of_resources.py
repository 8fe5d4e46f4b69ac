"""Builds the SQL that reads the delivered charges of the resources that refunds name.

A bill has millions of lines, and refunds name a few of its resources in a few hours: where a
delivery's times are typed, the rest of its files is not read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

import pyarrow as pa
from ibis.backends.duckdb import Backend

from models import formats
from models.engine.context import BuildContext
from models.engine.reduction import delivered_files
from models.engine.sql import delivered_sql
from models.engine.warehouse.table_columns import unbound
from models.formats.bill.shared_machine_lines import INSTANCE_ARN
from models.raw.delivery import Delivery

LINES = "refunds_lines"
"""Views of lines to look at begin with it."""
Span = tuple[datetime | None, datetime | None]
Among = Callable[[str, Sequence[str]], str]
MOST = 10_000
"""Resources that are named to a Parquet reader; beyond, it reads every line."""


def span(backend: Backend, mine: str) -> Span:
    """Returns first and last time of the usage that refunds take back, a day wider at each end."""
    day = "INTERVAL 1 DAY"
    ((first, last),) = backend.con.execute(
        f"SELECT min(used_from) - {day}, max(greatest(used_from, used_to)) + {day} FROM ({mine})"
    ).fetchall()
    return first, last


def charges_of_resources(
    context: BuildContext,
    resources_by_month: Mapping[str, list[str]],
    when: Span,
    condition: Among,
) -> str:
    """Returns the SQL that reads the delivered charges of resources that are given by month.

    Where a delivery's times are typed, only charges near the given period are read. Where it has
    over 10,000 resources to look for, those of all resources are. `condition` says in SQL that a
    column names one of them.
    """
    backend = context.backend
    parts: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    every = sorted({name for names in resources_by_month.values() for name in names})
    for delivery in deliveries_of(context.bills, resources_by_month):
        resources = resources_by_month.get(delivery.key.period, every)
        for form, paths in delivered_files.by_columns([delivery]):
            found, column = delivered_files.columns_of(paths[0]), formats.RESOURCE_COLUMNS.get(form)
            if column and column in found.names:
                few = f"{delivered_files.read(backend, paths)} WHERE {condition(column, resources)}"
                few += _within(form, found, when)
                parts[form, str(found)].append(few)
    texts = []
    for number, ((form, _), selects) in enumerate(parts.items()):
        name, text = f"{LINES}_{number}", " UNION ALL BY NAME ".join(selects)
        backend.con.execute(f"CREATE OR REPLACE VIEW {name} AS {text}")
        lines = unbound(backend, name)
        texts.append(delivered_sql.delivered(context, delivered_sql.rows, lines, form))
    unioned = " UNION ALL ".join(f"FROM ({text})" for text in texts)
    return unioned or delivered_files.empty(context, "charges")


def among(column: str, resources: Sequence[str]) -> str:
    """Returns the SQL condition that a column is one of given names; `true` for over 10,000."""
    return _in(f'CAST("{column}" AS VARCHAR)', resources)


def among_instances(column: str, instances: Sequence[str]) -> str:
    """Returns the SQL condition that a column is one of given instances, or the ARN of one."""
    return _in(instance(column), instances)


def instance(column: str) -> str:
    """Returns the SQL that reads a column of resources; an EC2 instance's ARN becomes its id.

    One text is looked for in a list: two conditions would compare every line with every name.
    """
    text, arn = f'CAST("{column}" AS VARCHAR)', delivered_files.quoted(INSTANCE_ARN)
    return f"""CASE WHEN starts_with({text}, 'arn:') AND contains({text}, ':ec2:')
      THEN coalesce(nullif(regexp_extract({text}, '{arn}', 1), ''), {text}) ELSE {text} END"""


def _in(text: str, names: Sequence[str]) -> str:
    if len(names) > MOST:
        return "true"
    listed = ", ".join(f"'{delivered_files.quoted(name)}'" for name in sorted(names))
    return f"{text} IN ({listed})"


def _within(form: str, columns: pa.Schema, when: Span) -> str:
    """Returns the SQL condition that a line overlaps a period; "" if times are text, or none given.

    Parquet files know the first and last time of each part, so most parts are not read.
    """
    start, end = formats.PERIOD_COLUMNS[form]
    first, last = when
    typed = all(name in columns.names and pa.types.is_timestamp(columns.field(name).type)
                for name in (start, end))  # fmt: skip
    if not (typed and first and last):
        return ""
    return (
        f""" AND "{start}" < TIMESTAMP '{last}' AND ("{end}" > TIMESTAMP '{first}' """
        f"""OR "{start}" > TIMESTAMP '{first}' - INTERVAL 1 DAY)"""
    )


def deliveries_of(bills: Sequence[Delivery], months: Collection[str]) -> list[Delivery]:
    """Returns the deliveries that can contain lines of the given months."""
    return [delivery for delivery in bills if delivery.may_hold(months)]
