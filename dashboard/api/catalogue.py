"""Describes each mart for the API: what a row is, its units, what null means, its columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pydantic import BaseModel, Field

from dashboard.api.address import PREFIX
from dashboard.api.columns import DAYS, filters, json_type
from models.contract.declaration import Declaration, declaration
from models.marts import MARTS as FUNCTIONS


class Column(BaseModel):
    """A column of a mart: name, type and form in JSON, and whether rows can be filtered by it."""

    name: str
    type: str = Field(description="as in the contract; Arrow and Parquet have it")
    json_type: str = Field(description="how it is written in JSON", serialization_alias="json")
    is_filter: bool = Field(description="rows can be filtered by it", serialization_alias="filter")


class AboutMart(BaseModel):
    """A published mart: its grain, units, meaning of null, section of the method, and columns."""

    name: str
    grain: str = Field(description="what one row stands for, key columns first")
    units: str
    nulls: str = Field(description="which columns can be null, and what that means")
    section: str = Field(description="of the method, docs/method")
    days: str | None = Field(description="column of `since` and `until`; null: it has none")
    columns: list[Column]
    href: str = Field(description="address of its rows")


class Catalogue(BaseModel):
    """The descriptions of all published marts, in the order of the exports."""

    marts: list[AboutMart]


def described(mart: str, columns: Mapping[str, str]) -> AboutMart:
    """Returns a mart's API description: grain, units, null rule, method section and columns."""
    declared = about_mart(mart)
    known = filters(columns)
    return AboutMart(
        name=mart,
        grain=declared.grain,
        units=declared.units,
        nulls=declared.nulls,
        section=declared.method,
        days=DAYS.get(mart),
        columns=[
            Column(
                name=name,
                type=dtype,
                json_type=json_type(name, dtype).words,
                is_filter=name in known,
            )
            for name, dtype in columns.items()
        ],
        href=f"{PREFIX}/marts/{mart}",
    )


@cache
def about_mart(mart: str) -> Declaration:
    """Returns a mart's declaration: grain, units, null rule, section, and who may see its rows."""
    return next(declaration(each) for each in FUNCTIONS if each.__name__ == mart)
