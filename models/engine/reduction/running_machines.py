"""SQL that finds which given machines have accelerator-hours on a bill, with or without run tag.

Only hours without one are summed by machine. So whether a machine of which only a volume or traffic
is known is one that jobs may share is read from the bill again: ids and usage types alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from models import formats
from models.contract.rules.usage_type_patterns import ACCELERATOR_HOURS, FEES_BY_INSTANCE
from models.contract.schema import DELIVERY_NUMBER
from models.engine.context import BuildContext
from models.engine.reduction.charges_of_resources import among_instances, instance
from models.engine.reduction.delivered_files import LINES, quoted
from models.engine.sql import delivered_sql
from models.engine.warehouse.table_columns import columns_of, unbound

FEW = "lines_of_instances"


def running_machines(context: BuildContext, form: str, machines: Sequence[str]) -> str:
    """Returns SQL that lists which given machines have accelerator-hours, and their bill's number.

    The bills are those of the view `LINES`, of one format.
    """
    column = formats.RESOURCE_COLUMNS[form]
    if not machines or column not in columns_of(context.backend, LINES):
        return NONE
    few = f"FROM {LINES} WHERE {among_instances(column, machines)}"
    context.backend.con.execute(f"CREATE OR REPLACE VIEW {FEW} AS {few}")
    lines = unbound(context.backend, FEW)
    return _RUNNING.format(
        charges=delivered_sql.delivered(context, delivered_sql.rows, lines, form)
    )


NONE = "SELECT 1 AS number, '' AS machine WHERE false"
HOURS = f"""regexp_matches(SkuMeter, '{quoted(ACCELERATOR_HOURS)}')
  AND NOT regexp_matches(coalesce(ServiceName, ''), '{quoted(FEES_BY_INSTANCE)}')
  AND ChargeCategory IN ('Usage', 'Adjustment') AND 'Unused' NOT IN (
    coalesce(CommitmentDiscountStatus, ''), coalesce(CapacityReservationStatus, ''))"""
"""SQL: a charge is of hours of accelerators that ran."""
_RUNNING = f"""
SELECT DISTINCT "{DELIVERY_NUMBER}" AS number, {instance("ResourceId")} AS machine
FROM ({{charges}}) WHERE {HOURS}"""
