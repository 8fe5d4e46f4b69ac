"""Tables on pulls and files: `[[sources]]`, `[schedule]`, `[warehouse]`, `[files]`, `[raw]`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from models.config.accounts import Regions
from models.config.section import Section

MOST_BILL_ROWS, MOST_ROWS = 200_000_000, 20_000_000
"""Rows of one delivered file, where `raw.max_rows` says nothing."""


class Warehouse(Section):
    """The table `[warehouse]`: the database's path; `raw/` and `snapshots/` are in its folder."""

    path: Path = Path("data/warehouse.duckdb")


class Files(Section):
    """The table `[files]`: which group besides this user may read what breakeven writes."""

    group: str = ""


class Raw(Section):
    """The table `[raw]`: days until replaced deliveries' files are deleted, row limit of a file."""

    keep_days: int = Field(30, ge=0, le=36_500)
    max_rows: int | None = Field(None, ge=1, le=10**12)

    def most_rows(self, *, bill: bool) -> int:
        """Returns the row limit of a delivered file: `max_rows`, else a default, more for bills."""
        return self.max_rows or (MOST_BILL_ROWS if bill else MOST_ROWS)


def _valid_cron(expression: str) -> str:
    from models.config import cron  # its import takes a fifth of a second

    if cron.after(cron.trigger(expression), datetime(2000, 1, 1, tzinfo=UTC)) is None:
        raise ValueError("never fires: its months have no such day")
    return expression


def _names_a_folder(name: str) -> str:
    if name in (".", "..") or not name.isprintable():
        raise ValueError("deliveries are kept in a folder of this name: use letters and digits")
    return name


Label = Annotated[str, AfterValidator(_names_a_folder), Field(max_length=100)]
"""A folder's name."""
Cron = Annotated[str, AfterValidator(_valid_cron)]
"""Five fields, UTC."""


class Schedule(Section):
    """The table `[schedule]`: when each group of sources is pulled, as cron expressions in UTC."""

    cost: Cron = "0 6 * * *"
    progress: Cron = "15 5,17 * * *"
    prices: Cron = "30 5 * * *"


class SourceEntry(BaseModel):
    """One `[[sources]]` table: a data source's kind, name, accounts, regions, schedule and options.

    Further options are those of the source of that `kind`. With `accounts` or `regions`, the entry
    stands for one source in each of them.
    """

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: str
    name: Label = ""
    accounts: tuple[str, ...] = ()
    regions: Regions = ()
    schedule: Cron | None = None
    """Its own cron; without one, that of its group in `[schedule]`."""

    @property
    def label(self) -> str:
        """Returns the name under which a source's deliveries are stored: `name`, else `kind`."""
        return self.name or self.kind

    @property
    def options(self) -> dict[str, Any]:
        """Returns the options of a `[[sources]]` table that only its kind has, not yet checked."""
        return dict(self.model_extra or {})
