"""Maps CloudWatch metrics and dimensions to columns, workloads and runs (METHOD §3.1, §3.3).

Without options the mapping is the emitter's contract: namespace `Breakeven`, dimensions `Workload`
and `Run`. The mapping is applied when progress is read, because delivered lines stay as AWS wrote
them: correcting it corrects history too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, Field, ValidationInfo, field_validator
from pydantic import model_validator as checked

from models.config.section import Section, WorkloadName

MetricName = Annotated[str, Field(min_length=1, max_length=255)]


class Reading(NamedTuple):
    """A CloudWatch metric to read, its statistic, and the column of `progress` that it fills."""

    metric: str
    statistic: str
    meaning: str


class Level(Section):
    """The name of a CloudWatch metric that is no counter: a loss, or samples per epoch."""

    metric: MetricName


class Count(Level):
    """A CloudWatch counter: cumulative since the run's start, or (`Sum`) counted per period.

    A `Sum` is accepted only with `excludes_repeats = true`, a promise that it leaves out work that
    is repeated after a restart (METHOD §3.1).
    """

    statistic: Literal["Maximum", "Sum"] = "Maximum"
    excludes_repeats: bool = Field(default=False, validate_default=True)

    @field_validator("excludes_repeats")
    @classmethod
    def _excludes_repeats(cls, given: bool, info: ValidationInfo) -> bool:
        summed = info.data.get("statistic") == "Sum"
        if summed and not given:
            raise ValueError(
                "a Sum takes work repeated after a restart for progress (set it to true if the "
                "counter leaves repeats out, else map a cumulative metric)"
            )
        if given and not summed:
            raise ValueError('it is a promise about a Sum: add `statistic = "Sum"`, or leave it')
        return given


def _as_table(given: object) -> object:
    return {"metric": given} if isinstance(given, str) else given


Counted = Annotated[Count | None, BeforeValidator(_as_table)]
Levelled = Annotated[Level | None, BeforeValidator(_as_table)]


class Metrics(Section):
    """The CloudWatch metric of each column of `progress` (epoch, samples, tokens, loss, …)."""

    epoch: Counted = None
    samples: Counted = None
    tokens: Counted = None
    samples_per_epoch: Levelled = None
    loss: Levelled = None

    @property
    def readings(self) -> tuple[Reading, ...]:
        """Lists (CloudWatch metric, statistic, column of `progress`) for each mapped column.

        A cumulative counter is read by its maximum, because its largest value is its newest.
        """
        given = ((name, getattr(self, name)) for name in type(self).model_fields)
        return tuple(
            Reading(found.metric, _statistic(name, found), name) for name, found in given if found
        )

    @checked(mode="after")
    def _each_once(self) -> Self:
        readings = [reading[:2] for reading in self.readings]
        for metric, statistic in readings:
            if readings.count((metric, statistic)) > 1:
                raise ValueError(f"{metric} is mapped to two columns")
        if not readings:
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
"""The metrics that our emitter writes (CloudWatch EMF): column of `progress` → metric."""


class Dimensions(Section):
    """The CloudWatch dimensions that name the workload and the run of a metric's series.

    Series with any further dimension are not read.
    """

    workload: MetricName = "Workload"
    run: MetricName = "Run"


class CloudWatchMapping(BaseModel):
    """Options of a CloudWatch source: namespace, workload, and what metrics and dimensions mean.

    They apply to one CloudWatch namespace. `workload` is the workload of every run of the source
    where no dimension names it.
    """

    namespace: MetricName = "Breakeven"
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
        """Lists dimensions that a CloudWatch series must have: run, and workload unless fixed."""
        own = () if self.workload else (self.dimensions.workload,)
        return tuple(dict.fromkeys((*own, self.dimensions.run)))

    @property
    def named_by(self) -> str:
        """Returns a sorted JSON list of the dimensions that a CloudWatch series must have."""
        return json.dumps(sorted(self.names))


class MetricMapping(CloudWatchMapping):
    """The options of one CloudWatch source; without `source` they are for lines of any source."""

    model_config = Section.model_config
    source: str | None = None

    @property
    def is_emitter(self) -> bool:
        """Whether all options have their defaults, the metric names breakeven itself publishes."""
        return self.model_copy(update={"source": None}) == MetricMapping()
