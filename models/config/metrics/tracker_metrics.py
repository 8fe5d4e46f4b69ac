"""Maps the metrics of run trackers (MLflow, SageMaker) to columns of `progress` (METHOD §3.3)."""

from __future__ import annotations

from pydantic import BaseModel, Field

from models.config.metrics.cloudwatch_metrics import MetricName
from models.config.section import Section, WorkloadName


class TrackerMetrics(Section):
    """The tracker's metric of each column of `progress`; counters are cumulative."""

    epoch: MetricName | None = "epoch"
    samples: MetricName | None = "samples"
    tokens: MetricName | None = "tokens"
    samples_per_epoch: MetricName | None = "samples_per_epoch"
    loss: MetricName | None = "loss"

    @property
    def meanings(self) -> dict[str, str]:
        """The column of `progress` of each metric."""
        given = ((getattr(self, name), name) for name in type(self).model_fields)
        return {metric: name for metric, name in given if metric}


class TrackerOptions(BaseModel):
    """Maps the metrics of a run tracker, as options of a source.

    `workload` is that of every run of the source, where no tag names it.
    """

    workload: WorkloadName | None = Field(default=None, min_length=1)
    metrics: TrackerMetrics = TrackerMetrics()


class TrackerMapping(TrackerOptions):
    """The mapping of one source; without `source`, of every source that has none."""

    model_config = Section.model_config
    source: str | None = None
