"""Says which of a W&B run's metrics are read, and which of them is the training step."""

from __future__ import annotations

from typing import NamedTuple

from ingest.sources.progress.wandb.listed_run import ListedRun
from models.config.metrics.tracker_metrics import WandBMetrics

STEP = "_step"
"""W&B's own step, which every row has: it counts calls of `log`, unless the code passes its own."""
LIGHTNING = "trainer/global_step"
TRAINING_STEPS = ("train/global_step", LIGHTNING, "global_step")
"""The training step as Hugging Face, Lightning and TensorBoard log it."""


class MetricNames(NamedTuple):
    """The metrics that the config maps, and the names that W&B runs may log them by."""

    metrics: tuple[str, ...]
    """The metrics by the names under which they are delivered."""
    otherwise: tuple[tuple[str, str], ...]
    """Metric, and the name that it has in runs that do not log it by its own."""
    steps: tuple[str, ...]
    """Metrics that may be the training step; the first that a run logs is."""

    @classmethod
    def of(cls, metrics: WandBMetrics) -> MetricNames:
        """Builds the names from the option `metrics` of a source."""
        return cls(
            metrics=tuple(sorted(metrics.meanings)),
            otherwise=tuple(sorted((own, name) for name, own in metrics.below_train.items())),
            steps=(metrics.step,) if metrics.step else TRAINING_STEPS,
        )

    def series(self, run: ListedRun) -> dict[str, str]:
        """Maps each mapped metric that a run logged to the name by which it logged it."""
        found = {metric: name for metric, name in self.otherwise if name in run.counts}
        return found | {metric: metric for metric in self.metrics if metric in run.counts}

    def step(self, run: ListedRun) -> str | None:
        """Returns the name of the metric that is a run's training step; None if it has none."""
        return next((name for name in self.steps if name == STEP or name in run.counts), None)

    def read_as(self, run: ListedRun) -> dict[str, str]:
        """Maps each metric of a run to a text: the name it is read by, and its step."""
        step = self.step(run)
        return {metric: f"{name} by {step}" for metric, name in self.series(run).items()}
