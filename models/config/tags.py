"""Defines `[tags]` and `[[tag_rules]]`: which tags name workload and run, and corrections."""

from __future__ import annotations

from datetime import date
from typing import Self

from pydantic import Field, field_validator, model_validator

from models.config.section import Section, WorkloadName


def plain(key: str) -> str:
    """Returns a tag key without prefix (`ml:`), as lower-case letters and digits alone.

    Keys that are alike but for case, hyphens and a prefix such as `ml:` come out the same.
    """
    return "".join(sign for sign in key.lower().rpartition(":")[2] if sign.isalnum())


class TagRule(Section):
    """One `[[tag_rules]]` table: patterns; charges and jobs that match all get its workload or run.

    It holds from the day `since` (`from` in the config) to the day `until`, both included. `match`
    maps tag keys to patterns with `*`, such as `{"aws:autoscaling:groupName": "atlas-*"}`. The keys
    `resource`, `account` and `usage_type` are those of the charge, and `label.<key>` is a label of
    a job in `allocations`. See METHOD §2.6.
    """

    match: dict[str, str] = Field(min_length=1)
    workload: WorkloadName | None = None
    run: str | None = None
    since: date | None = Field(None, alias="from")
    until: date | None = None

    @model_validator(mode="after")
    def _names_an_owner(self) -> Self:
        if self.workload is None and self.run is None:
            raise ValueError("a rule names a workload, a run, or both")
        if self.since and self.until and self.until < self.since:
            raise ValueError(f"until {self.until} is before from {self.since}")
        return self


class Tags(Section):
    """The table `[tags]`: keys of the tags that name workload and run, and of extra tags."""

    workload: str = "workload"
    run: str = "run"
    extra: tuple[str, ...] = ()

    @field_validator("extra")
    @classmethod
    def _distinct(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        # a column `tag_<key>` each, and SQL does not tell columns apart by case
        folded = [key.casefold() for key in keys]
        for key, fold in zip(keys, folded, strict=True):
            if folded.count(fold) > 1 or not key:
                raise ValueError(f"{key!r} is given more than once" if key else "a key is empty")
        return keys


class Labels(Tags):
    """The configured tag keys together with the `[[tag_rules]]` that correct the tags.

    `clusters` are the tags that name a machine's cluster. `shared_machines` says that lines of
    accelerators are told apart by machine and hour, because allocations may divide them.
    """

    rules: tuple[TagRule, ...] = ()
    clusters: tuple[str, ...] = ()
    shared_machines: bool = False
