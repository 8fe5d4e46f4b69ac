"""Options of a TensorBoard source: location, names of run and workload, meaning of tags."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ingest.files.run_folders import RunFolderOptions

Step = Literal["epoch", "epoch_index", "samples", "tokens"]


class TensorBoardOptions(RunFolderOptions):
    """Options of a TensorBoard source: location, names of run and workload, meaning of tags."""

    step: Step | None = None
    """What steps count, where they are no training steps; `epoch_index` counts epochs from 0."""


class Meaning(NamedTuple):
    """How an event file is read: which tag is which metric, and what its steps count."""

    metrics: dict[str, str]
    """Tag → the name of the metric that its values are delivered under."""
    counters: list[str]
    """The metrics that count up, and so have no value below 0."""
    step: str | None
    """The metric that steps are delivered under, if they are no training steps."""
    first_step: int
    """What a step of 0 counts."""

    @classmethod
    def of(cls, options: TensorBoardOptions) -> Meaning:
        """Builds the rules for reading scalars from a TensorBoard source's options."""
        metrics = options.metrics
        given = {name: metric for metric, name in metrics.meanings.items()}
        own = {metric: metric for metric in given.values()}
        read = own | metrics.below_train | own
        counted = "epoch" if options.step == "epoch_index" else options.step
        return cls(
            read,
            [metric for name, metric in given.items() if name != "loss"],
            given.get(counted) if counted else None,
            int(options.step == "epoch_index"),
        )

    def with_lightnings_loss(self) -> Meaning:
        """Returns a copy of the reading rules that also takes Lightning's `train_loss` as the loss.

        Lightning's examples log it. Where the config names the loss, nothing changes.
        """
        if "loss" not in self.metrics:
            return self
        return self._replace(metrics={"train_loss": "loss", **self.metrics})
