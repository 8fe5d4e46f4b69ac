"""Checks the form of a run in W&B's list of runs."""

# ruff: noqa: N815 - named as in W&B's schema
from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from ingest.servers.json_text import parsed

FIRST_YEAR, LAST_YEAR = 1970, 9999


def _object(held: object) -> object:
    """Returns a JSON object, given as an object or as text; {} if it is none."""
    document = parsed(held) if isinstance(held, str) else held
    return document if isinstance(document, dict) else {}


def _began(moment: datetime) -> datetime:
    """Converts a run's start to UTC. Raises `ValueError` for a year that is impossible."""
    if not FIRST_YEAR <= moment.year < LAST_YEAR:
        raise ValueError("not the year of a run")
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


class Amount(BaseModel):
    """How many values of one type a W&B run logged of one metric."""

    count: int | None = None


class Logged(BaseModel):
    """How many values a W&B run logged of one metric, counted by type of value."""

    typeCounts: list[Amount] | None = None

    @property
    def count(self) -> int:
        """How many values a W&B run logged of one metric, of all types."""
        return sum(one.count or 0 for one in self.typeCounts or ())


class HistoryKeys(BaseModel):
    """How many values a W&B run logged of each metric, and the run's last step."""

    keys: Annotated[dict[str, Logged], BeforeValidator(_object)] = Field(default_factory=dict)
    lastStep: float | None = None


class Node(BaseModel):
    """A run as JSON in W&B's answer, with the fields that are read."""

    name: str = Field(min_length=1)
    displayName: str | None = None
    state: str | None = None
    createdAt: Annotated[datetime, AfterValidator(_began)]
    heartbeatAt: str | None = None
    config: Annotated[dict[str, Any], BeforeValidator(_object)] = Field(default_factory=dict)
    tags: list[str] | None = None
    historyKeys: Annotated[HistoryKeys, BeforeValidator(_object)] = HistoryKeys()
