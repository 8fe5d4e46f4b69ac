"""The feeds: what is pulled, when, and where and how long it is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from models.config.accounts import Regions
from models.config.section import Section


class Warehouse(Section):
    """Where everything is kept; `raw/` and `snapshots/` lie beside `path`."""

    path: Path = Path("data/warehouse.duckdb")


class Raw(Section):
    """How long superseded deliveries are kept."""

    keep_days: int = Field(30, ge=0)


def _fires(expression: str) -> str:
    from models.config import cron  # a fifth of a second, and most configs leave the defaults

    cron.trigger(expression)
    return expression


Cron = Annotated[str, AfterValidator(_fires)]
"""Five fields, UTC."""


class Schedule(Section):
    """Cron expressions in UTC, one per group of sources."""

    cost: Cron = "0 6 * * *"
    progress: Cron = "15 5,17 * * *"
    prices: Cron = "30 5 * * *"


class SourceEntry(BaseModel):
    """One `[[sources]]` table; options beside these belong to the source of that `kind`.

    `accounts` and `regions`: it stands for one source in each of them.
    """

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: str
    name: str = ""
    accounts: tuple[str, ...] = ()
    regions: Regions = ()
    schedule: Cron | None = None
    """Its own cron; else that of its group in `[schedule]`."""

    @property
    def label(self) -> str:
        """The name its deliveries are filed under: `name`, else `kind`."""
        return self.name or self.kind

    @property
    def options(self) -> dict[str, Any]:
        """What the source of this kind understands, unchecked."""
        return dict(self.model_extra or {})
