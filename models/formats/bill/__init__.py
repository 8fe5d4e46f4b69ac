"""Reads bills: FOCUS exports, Cost and Usage Reports (CUR 2.0) and Cost Explorer responses.

In: delivered lines, as text or as AWS typed them. Out: rows of `charges`: FOCUS names, exact
amounts, and the workload and run of each charge. The rules are METHOD §2 (Cost).
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.config.tags import Tags
from models.formats.bill import cost_explorer, cur2, focus
from models.formats.format import Format

FORMATS: tuple[Format, ...] = (focus, cur2, cost_explorer)

PRE_AGGREGATIONS: dict[str, Callable[[ir.Table, Tags], ir.Table]] = {
    focus.NAME: focus.pre_aggregated,
    cur2.NAME: cur2.pre_aggregated,
}
"""Formats with many lines a day add them up before `rows` reads them; the sums stay the same."""

READ_WHOLE = (cur2.NAME, cost_explorer.NAME)
"""Formats in which all files of a bill tell whether its lines have net figures (METHOD §2.1)."""

PARENT_COLUMNS = focus.PARENTS
"""Delivered columns that name the instance of a container pod's row (METHOD §2.9)."""

RESOURCE_COLUMNS: dict[str, str] = {
    focus.NAME: "ResourceId",
    cur2.NAME: "line_item_resource_id",
}
"""The delivered column that names the resource of a line, for formats that have one."""

PERIOD_COLUMNS: dict[str, tuple[str, str]] = {
    focus.NAME: ("ChargePeriodStart", "ChargePeriodEnd"),
    cur2.NAME: ("line_item_usage_start_date", "line_item_usage_end_date"),
}
"""The delivered columns that say when a line's charge began and ended."""
