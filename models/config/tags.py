"""Which tags name the owner of a charge, and how they are corrected."""

from __future__ import annotations

from datetime import date
from typing import Self

from pydantic import Field, field_validator, model_validator

from models.config.section import Section, WorkloadName


class TagRule(Section):
    """A correction of tags in the model, effective from a date; `match` values may use `*`."""

    match: dict[str, str] = Field(min_length=1)
    workload: WorkloadName | None = None
    run: str | None = None
    since: date | None = Field(None, alias="from")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.workload is None and self.run is None:
            raise ValueError("a rule names a workload, a run, or both")
        return self


class Tags(Section):
    """Which cost-allocation tag names the workload, the run, and what else to keep."""

    workload: str = "workload"
    run: str = "run"
    extra: tuple[str, ...] = ()

    @field_validator("extra")
    @classmethod
    def _told_apart(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        # a column `tag_<key>` each, and SQL does not tell columns apart by case
        folded = [key.casefold() for key in keys]
        for key, fold in zip(keys, folded, strict=True):
            if folded.count(fold) > 1 or not key:
                raise ValueError(f"{key!r} stands more than once" if key else "a key is empty")
        return keys


class Labels(Tags):
    """`tags` with the corrections of `[[tag_rules]]`: how a charge is resolved to its owner."""

    rules: tuple[TagRule, ...] = ()
