"""What a delivered field means: one format, one file, a pure function Table → Table.

A format turns the lines of deliveries filed under its `NAME` into rows of one of our tables
(`charges`, `progress`, `prices`, `capacity`), says which columns it cannot do without, and which
values it refuses. `FORMATS` is the explicit list; there is no folder scanning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

import ibis.expr.types as ir

from models.config.settings import Tags
from models.contract.errors import StorageError
from models.formats.bill import cost_explorer, cur2, focus
from models.formats.machines import neuron_monitor, training_jobs, utilisation
from models.formats.market import capacity, price_list, prices, savings_plans, spot_prices
from models.formats.progress import cloudwatch, mlflow, progress_file, sagemaker


class Format(Protocol):
    """A module of this package."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        """What a delivery's marker says."""

    @property
    def VIEW(self) -> Literal["charges", "progress", "prices", "capacity", "jobs", "utilisation"]:  # noqa: N802
        """The table it contributes to."""

    @property
    def REQUIRED(self) -> tuple[str, ...]:  # noqa: N802
        """Columns without which a delivery is refused."""

    def rows(self, lines: ir.Table, tags: Tags) -> ir.Table:
        """Delivered lines as rows of `VIEW`'s schema."""

    def refusals(self, lines: ir.Table) -> ir.Table:
        """`problem`, `value`, `remedy` (strings) of every line that cannot be trusted."""

    def totals(self, lines: ir.Table) -> ir.Table:
        """`account` (`billing|sub|month`) and the bare sum of each cost column; charges only."""


FORMATS: tuple[Format, ...] = (
    focus,
    cur2,
    cost_explorer,
    progress_file,
    cloudwatch,
    sagemaker,
    training_jobs,
    mlflow,
    utilisation,
    neuron_monitor,
    prices,
    price_list,
    spot_prices,
    savings_plans,
    capacity,
)
CONDENSED: dict[str, Callable[[ir.Table, Tags], ir.Table]] = {
    focus.NAME: focus.condensed,
    cur2.NAME: cur2.condensed,
}
"""Formats with many lines a day make them fewer before `rows` reads them; the sums are the same."""
RESOURCES: dict[str, str] = {focus.NAME: "ResourceId", cur2.NAME: "line_item_resource_id"}
"""The delivered column that names a line's resource, where a format has one."""


def named(name: str) -> Format:
    """The format a marker names."""
    for form in FORMATS:
        if name == form.NAME:
            return form
    raise StorageError("a delivery has an unknown format", value=name, remedy="update breakeven")
