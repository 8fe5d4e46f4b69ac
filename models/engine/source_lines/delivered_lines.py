"""Creates the table or view of delivered bill lines in which those behind a number are sought.

Many lines are read where they lie, as often as they are asked about. Few are copied first: DuckDB
takes longer to plan the reading of a bill than to copy 50,000 lines of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from models.engine.context import BuildContext
from models.engine.reduction import delivered_files, machine_lines, reduced_lines
from models.engine.sql import delivered_sql
from models.engine.sql.delivered_sql import Reading
from models.engine.warehouse.connection import parsed
from models.engine.warehouse.table_columns import unbound
from models.raw.delivery import Delivery

FEW = 50_000
"""Lines that are copied: three times over they take about 100 MB."""


def holder(deliveries: Sequence[Delivery]) -> str:
    """Returns `TABLE` if deliveries have few lines, else `VIEW`: what SQL shall create of them."""
    return "TABLE" if sum(each.rows for each in deliveries) <= FEW else "VIEW"


def create_charges(context: BuildContext, deliveries: Sequence[Delivery]) -> None:
    """Creates `charges`, a table or view of bills' lines; those of shared machines name them."""
    groups: defaultdict[Reading, list[Delivery]] = defaultdict(list)
    for delivery, way in ways_of_reading(context, deliveries):
        groups[way].append(delivery)
    parts = [
        delivered_files.read_all(context, f"charges_{number}", mine, delivered_sql.UNSUMMED[way])
        for number, (way, mine) in enumerate(groups.items())
    ]
    rows = " UNION ALL BY NAME ".join(parts) or delivered_files.empty(context, "charges")
    made = f"CREATE OR REPLACE TEMP {holder(deliveries)} charges AS {rows}"
    context.backend.con.execute(parsed(made))


def ways_of_reading(
    context: BuildContext, deliveries: Sequence[Delivery]
) -> Iterator[tuple[Delivery, Reading]]:
    """Yields each delivery with the function by which the build summed its bill lines."""
    divided = machine_lines.is_published(context.backend)
    for delivery in deliveries:
        delivered_files.create_lines_view(context.backend, "of_bill", delivery.paths)
        columns = unbound(context.backend, "of_bill").columns
        way = reduced_lines.reading(context, delivery.format, columns)
        yield delivery, way if divided else delivered_sql.reduction
