"""Which CloudWatch metrics are progress, and of which run (METHOD §3.1, §3.3).

Where the config says nothing it is the emitter's contract (ARCHITECTURE §6). The mapping is applied
when progress is read: delivered lines are as AWS said, so correcting it corrects history too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, Field, ValidationInfo, field_validator
from pydantic import model_validator as checked

from models.config.settings import Labels, Section, Settings, SourceEntry, WorkloadName
from models.config.source_options import accepted
from models.contract.errors import ConfigError

KIND = "cloudwatch"
TRACKING = ("mlflow", "sagemaker")
"""Sources that know runs by name, with tags and metrics."""
Name = Annotated[str, Field(min_length=1, max_length=255)]


class Reading(NamedTuple):
    """A metric, what stands for a period of it, and the column of `progress` that it is."""

    metric: str
    statistic: str
    meaning: str


class Level(Section):
    """A metric whose values stand for themselves."""

    metric: Name


class Count(Level):
    """A metric that counts: up from the run's start, or (`Sum`) anew in each period."""

    statistic: Literal["Maximum", "Sum"] = "Maximum"
    excludes_repeats: bool = Field(default=False, validate_default=True)

    @field_validator("excludes_repeats")
    @classmethod
    def _promised(cls, given: bool, info: ValidationInfo) -> bool:
        summed = info.data.get("statistic") == "Sum"
        if summed and not given:
            raise ValueError(
                "a Sum takes work repeated after a restart for progress (set it to true if the "
                "counter leaves repeats out, else map a cumulative metric)"
            )
        if given and not summed:
            raise ValueError('it is a promise about a Sum: add `statistic = "Sum"`, or leave it')
        return given


def _named(given: object) -> object:
    return {"metric": given} if isinstance(given, str) else given


Counted = Annotated[Count | None, BeforeValidator(_named)]
Levelled = Annotated[Level | None, BeforeValidator(_named)]


class Metrics(Section):
    """What each column of `progress` is called in CloudWatch: a name, or a table."""

    epoch: Counted = None
    samples: Counted = None
    tokens: Counted = None
    samples_per_epoch: Levelled = None
    loss: Levelled = None

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What is asked for; of a cumulative counter its largest value is its newest."""
        given = ((name, getattr(self, name)) for name in type(self).model_fields)
        return tuple(
            Reading(found.metric, _statistic(name, found), name) for name, found in given if found
        )

    @checked(mode="after")
    def _told_apart(self) -> Self:
        asked = [reading[:2] for reading in self.readings]
        for metric, statistic in asked:
            if asked.count((metric, statistic)) > 1:
                raise ValueError(f"{metric} stands for two things")
        if not asked:
            raise ValueError("name at least one metric, or leave `metrics` out")
        return self


def _statistic(name: str, found: Level) -> str:
    return "Average" if name == "loss" else getattr(found, "statistic", "Maximum")


EMITTED: Mapping[str, str] = {
    "epoch": "Epoch",
    "samples": "Samples",
    "tokens": "Tokens",
    "samples_per_epoch": "SamplesPerEpoch",
    "loss": "Loss",
}
"""The emitter's metrics."""


class Dimensions(Section):
    """The dimensions that name a series' workload and run; it has no others."""

    workload: Name = "Workload"
    run: Name = "Run"


class Mapped(BaseModel):
    """Options. `workload`: of every run here, where no dimension names it."""

    namespace: Name = "Breakeven"
    workload: WorkloadName | None = Field(default=None, min_length=1)
    dimensions: Dimensions = Dimensions()
    metrics: Metrics = Metrics.model_validate(EMITTED)

    @checked(mode="after")
    def _named_once(self) -> Self:
        if self.workload and "workload" in self.dimensions.model_fields_set:
            raise ValueError("workload and dimensions.workload both name it: remove one of them")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The dimensions that a series has, and no others."""
        own = () if self.workload else (self.dimensions.workload,)
        return tuple(dict.fromkeys((*own, self.dimensions.run)))

    @property
    def named_by(self) -> str:
        """As `names`, the way it stands in a delivered line."""
        return json.dumps(sorted(self.names))


class Feed(Mapped):
    """What one source's lines mean; without `source`, what the emitter's lines of any mean."""

    model_config = Section.model_config
    source: str | None = None


class Words(Section):
    """What each column of `progress` is called where runs are tracked; counters are cumulative."""

    epoch: Name | None = "epoch"
    samples: Name | None = "samples"
    tokens: Name | None = "tokens"
    samples_per_epoch: Name | None = "samples_per_epoch"
    loss: Name | None = "loss"

    @property
    def meanings(self) -> dict[str, str]:
        """Column by metric."""
        given = ((getattr(self, name), name) for name in type(self).model_fields)
        return {metric: name for metric, name in given if metric}


class Tracked(BaseModel):
    """Options. `workload`: of every run here, where no tag names it."""

    workload: WorkloadName | None = Field(default=None, min_length=1)
    metrics: Words = Words()


class Tracker(Tracked):
    """What one source's lines mean; without `source`, what those of any other mean."""

    model_config = Section.model_config
    source: str | None = None


class Meaning(Labels):
    """`Labels`, and what the lines of each source of metrics mean; the first that fits counts."""

    feeds: tuple[Feed, ...] = (Feed(),)
    trackers: tuple[Tracker, ...] = (Tracker(),)


def meaning(settings: Settings) -> Meaning:
    """What delivered lines mean by the config. Raises `ConfigError`."""
    feeds = tuple(dict.fromkeys(map(_feed, _entries(settings, KIND))))
    seen: set[tuple[str | None, str]] = set()
    for feed in feeds:
        if (feed.source, feed.namespace) in seen:
            raise ConfigError(
                f"[[sources]] {feed.source} map {feed.namespace} in two ways",
                value="lines are told apart by the name of their source",
                remedy="give one of them another `name`",
            )
        seen.add((feed.source, feed.namespace))
    labels = settings.tags.model_dump()
    trackers = tuple(dict.fromkeys(map(_tracker, _entries(settings, *TRACKING))))
    return Meaning(
        **labels,
        rules=settings.tag_rules,
        feeds=(*feeds, Feed()),
        trackers=(*trackers, Tracker()),
    )


def _entries(settings: Settings, *kinds: str) -> Iterator[SourceEntry]:
    return (entry for entry in settings.sources if entry.kind in kinds)


def _feed(entry: SourceEntry) -> Feed:
    own: dict[str, Any] = {k: v for k, v in entry.options.items() if k in Mapped.model_fields}
    return accepted(entry, Feed, own | {"source": entry.label})


def _tracker(entry: SourceEntry) -> Tracker:
    own: dict[str, Any] = {k: v for k, v in entry.options.items() if k in Tracked.model_fields}
    return accepted(entry, Tracker, own | {"source": entry.label})
