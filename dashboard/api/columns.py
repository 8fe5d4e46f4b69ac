"""Builds pydantic types for a mart: of its rows in JSON, and of the parameters that filter them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from dashboard.api.problems import Query
from models.config.refusals.text_form import TextForm
from models.contract.schema import MONEY, NUMBERS, REASONS

MOST_ROWS = 10_000
DAYS = {
    "spend_daily": "date",
    "progress_daily": "date",
    "runs": "started_at",
    "cost_per_epoch": "period_start",
    "baselines": "date",
    "benchmarks": "last_day",
    "alternatives": "date",
    "savings_daily": "date",
    "savings_by_kind": "date",
    "monthly_summary": "month",
    "tie_out": "month",
    "unmatched_runs": "first_day",
    "restatements": "month",
    "pools": "month",
    "allocation_coverage": "month",
}
"""Mart → column that `since` and `until` are compared with; the others have no time."""
PROSE = frozenset({"reason", "forecast_reason", "baseline_reason", "detail", "why", "last_error"})
"""Text that explains a row; nobody filters by it."""


CURSOR = TextForm(r"^[A-Za-z0-9_-]+$", "take it from `next` of the page before")


class JsonType(NamedTuple):
    """How a column's values are written in JSON: their Python type, and a description."""

    python: Any
    words: str


Money = Annotated[str, Field(pattern=r"^-?\d+\.\d{2,9}$")]
JSON_TYPES: Mapping[str, JsonType] = {
    "string": JsonType(str, "text"),
    "boolean": JsonType(bool, "true or false"),
    "int64": JsonType(int, "number"),
    "float64": JsonType(float, "number"),
    "date": JsonType(date, "day, as 2026-10-31"),
    "timestamp": JsonType(str, "time in UTC, as 2026-10-31T06:00:00"),
    "array<string>": JsonType(list[str], "list of texts"),
    REASONS: JsonType(dict[str, Money | None], "text → dollars as decimal text"),
    MONEY: JsonType(Money, "dollars as decimal text"),
}
NUMBER_TYPE = JsonType(float, "number")


def json_type(column: str, dtype: str) -> JsonType:
    """Returns the Python type and description of a column's values in JSON; any can be null too."""
    return NUMBER_TYPE if dtype == MONEY and column in NUMBERS else JSON_TYPES[dtype]


def row_model(mart: str, columns: Mapping[str, str]) -> type[BaseModel]:
    """Builds the pydantic model of a mart's rows in JSON; any column may be null or left out."""
    fields: dict[str, Any] = {}
    for name, dtype in columns.items():
        kind = json_type(name, dtype)
        fields[name] = (kind.python | None, Field(None, description=kind.words))
    return create_model(f"{mart}_row", __config__=ConfigDict(extra="allow"), **fields)


def query_model(mart: str, columns: Mapping[str, str]) -> type[BaseModel]:
    """Builds the pydantic model of a mart's query parameters: filters, days, columns and paging."""
    fields: dict[str, Any] = {
        name: (_filter_type(dtype), Field(default_factory=list, description=_filter_words(dtype)))
        for name, dtype in filters(columns).items()
    }
    if mart in DAYS:
        for name, word in (("since", "first"), ("until", "last")):
            words = f"{word} day of `{DAYS[mart]}`, inclusive; of months, any day of it"
            fields[name] = (Day, absent(description=words))
    names: Any = Literal[tuple(columns)]
    chosen: Any = Annotated[list[names], BeforeValidator(_split), AfterValidator(_once)]
    words = "columns to send, several by comma or by repeating; all by default"
    fields["fields"] = (chosen, Field(default_factory=list, description=words))
    fields["limit"] = (Limit, Field(MOST_ROWS, description="most rows of a page"))
    words = "where the page begins, from `next` of the page before"
    fields["cursor"] = (Annotated[str, CURSOR], absent(description=words))
    return create_model(f"{mart}_query", __base__=Query, **fields)


def absent(**limits: Any) -> Any:  # noqa: ANN401 - as pydantic's own
    """Returns the pydantic field of an optional query parameter; None if a request omits it."""
    return Field(default_factory=lambda: None, **limits)


def filters(columns: Mapping[str, str]) -> dict[str, str]:
    """Maps name to type of the columns that filter rows: text and boolean, but no prose."""
    kinds = ("string", "boolean")
    return {n: dtype for n, dtype in columns.items() if dtype in kinds and n not in PROSE}


def _filter_type(dtype: str) -> Any:  # noqa: ANN401 - a type
    return list[Literal["true", "false", ""]] if dtype == "boolean" else list[str]


def _filter_words(dtype: str) -> str:
    what = "is true or false" if dtype == "boolean" else "is this text"
    return f"rows whose value {what}; repeated: any of them; empty: null"


def _split(value: object) -> object:
    return (
        [part for each in value for part in each.split(",")] if isinstance(value, list) else value
    )


def _once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _day(text: object) -> date:
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError("write a day as 2026-10-31")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError("there is no such day; write one as 2026-10-31") from None


def _rows(text: object) -> object:
    if isinstance(text, str) and not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise ValueError(f"write a number from 1 to {MOST_ROWS}")
    return text


Day = Annotated[date, BeforeValidator(_day)]
Limit = Annotated[int, Field(ge=1, le=MOST_ROWS), BeforeValidator(_rows)]
