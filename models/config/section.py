"""Common parts of all config tables: unknown keys refused, exact amounts, UTC times."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError, PydanticKnownError

from models.contract.portfolio import PORTFOLIO

Money = Annotated[Decimal, Field(max_digits=18, decimal_places=9)]


def _utc(value: datetime) -> datetime:
    """Reads a time without a zone as UTC, and converts one with a zone to UTC."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _name_of_one_workload(name: str) -> str:
    if not name:
        raise ValueError("a name is missing: write one, or leave the key out")
    if name == PORTFOLIO:
        raise ValueError("all workloads together are called so: choose another name")
    return name


WorkloadName = Annotated[str, AfterValidator(_name_of_one_workload)]
Purpose = Literal["production", "baseline", "validation", "port", "benchmark"]
PURPOSES: tuple[str, ...] = get_args(Purpose)
"""What a run may be for (METHOD §5, §6)."""
Instant = Annotated[datetime, AfterValidator(_utc)]


class Section(BaseModel):
    """Base class of the config's tables: frozen, and with unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_value(cls, value: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - of any type
        """Refuses `true` or `false` for a number, which Python would take for 1 or 0."""
        field = cls.model_fields[str(info.field_name)]
        if isinstance(value, bool) and _is_number(field.annotation):
            raise PydanticCustomError("number_type", "Input should be a number")
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _no_number_for_a_time(cls, value: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - of any type
        """Refuses a number for a date or time, which pydantic would take for seconds since 1970.

        Example: `start = 20260301` would be 23 August 1970.
        """
        kinds = _kinds(cls.model_fields[str(info.field_name)].annotation)
        is_number = isinstance(value, int | Decimal) or str(value).strip().isdecimal()
        if is_number and kinds & {date, datetime}:
            raise PydanticKnownError("datetime_type" if datetime in kinds else "date_type")
        return value


def _is_number(annotation: Any) -> bool:  # noqa: ANN401 - a type, or a union of types
    """Whether a field's type is a number, possibly optional."""
    kinds = _kinds(annotation)
    return bool(kinds & {int, float, Decimal}) and bool not in kinds


def _kinds(annotation: Any) -> set[Any]:  # noqa: ANN401 - a type, or a union of types
    return set(get_args(annotation) or (annotation,))
