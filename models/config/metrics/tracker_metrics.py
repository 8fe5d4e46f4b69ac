"""Maps metrics of run trackers and trainers' logs to columns of `progress` (METHOD §3.3)."""

from __future__ import annotations

from pydantic import BaseModel, Field

from models.config.metrics.cloudwatch_metrics import MetricName
from models.config.section import Section, WorkloadName

TRAIN = "train/"


class TrackerMetrics(Section):
    """The name of a run tracker's metric for each column of `progress`; counters are cumulative."""

    epoch: MetricName | None = "epoch"
    samples: MetricName | None = "samples"
    tokens: MetricName | None = "tokens"
    samples_per_epoch: MetricName | None = "samples_per_epoch"
    loss: MetricName | None = "loss"

    @property
    def meanings(self) -> dict[str, str]:
        """Returns a dictionary from a run tracker's metric names to columns of `progress`."""
        given = ((getattr(self, name), name) for name in TrackerMetrics.model_fields)
        return {metric: name for metric, name in given if metric}

    @property
    def below_train(self) -> dict[str, str]:
        """Maps `train/<name>` to `<name>` for default metric names that the config does not set.

        Hugging Face's trainer puts `train/` before the names of its metrics.
        """
        named = self.meanings.items()
        return {
            TRAIN + metric: metric for metric, name in named if name not in self.model_fields_set
        }


class TrackerOptions(BaseModel):
    """Options of a run tracker source (MLflow, SageMaker, W&B): what its metrics mean for progress.

    `workload` is the workload of every run of the source where no tag names it.
    """

    workload: WorkloadName | None = Field(default=None, min_length=1)
    metrics: TrackerMetrics = TrackerMetrics()


class TrackerMapping(TrackerOptions):
    """The options of one run tracker; without `source`, for trackers that have no own options."""

    model_config = Section.model_config
    source: str | None = None


class WandBMetrics(TrackerMetrics):
    """The name of a W&B metric for each column of `progress`, and of the training step."""

    step: MetricName | None = None


class WandBMapping(TrackerMapping):
    """The options of one W&B source."""

    metrics: WandBMetrics = WandBMetrics()


class TrainerStateMetrics(TrackerMetrics):
    """The name in Transformers' log for each column of `progress`; it counts no samples."""

    tokens: MetricName | None = "num_input_tokens_seen"


class TrainerStateMapping(TrackerMapping):
    """The options of one source of `trainer_state.json` files."""

    metrics: TrainerStateMetrics = TrainerStateMetrics()


class LightningMetrics(TrackerMetrics):
    """The name in Lightning's log for each column of `progress`; Lightning's own is `epoch`."""

    loss: MetricName | None = "train_loss"


class LightningMapping(TrackerMapping):
    """The options of one source of Lightning's `metrics.csv` files."""

    metrics: LightningMetrics = LightningMetrics()
