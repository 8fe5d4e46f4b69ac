"""Fetches what Hugging Face Transformers' Trainer logged: `trainer_state.json`.

The Trainer writes it into each `checkpoint-<step>` and, where the script says `save_state`, into
the run's folder. Each holds the log from the beginning, so of a run the one that got furthest is
read: that of the run's folder or of the last checkpoint. Optimum Neuron's trainers write the same.
A run that was resumed in a folder of its own begins with the log of the run before; entries that
both have are the earlier run's, if `[[runs]]` says `resumed_from`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ingest.files.run_folders import RunFolder, RunFolderOptions
from ingest.files.store import FileEntry, Store
from ingest.source import FetchContext, Options
from ingest.sources.progress.training_logs.feed import TrainingLogs
from ingest.sources.progress.training_logs.logged_values import (
    EarlierRun,
    LoggedValues,
    beginning,
    table_of,
)
from ingest.sources.progress.training_logs.state_file import EPOCH, StateFile, canonical
from models.config.metrics.tracker_metrics import TrainerStateMetrics

CHECKPOINT = re.compile(r"(?:^|/)checkpoint-(\d+)$")


class TrainerStateOptions(RunFolderOptions):
    """Options of a source of `trainer_state.json` files: location, names of runs, metrics."""

    metrics: TrainerStateMetrics = TrainerStateMetrics()


@dataclass(frozen=True)
class TrainerState(TrainingLogs):
    """The feed of Transformers' logs: folders of runs with checkpoints at one location."""

    kind: ClassVar[str] = "trainer_state"
    format: ClassVar[str] = "trainer_state"
    accepts: ClassVar[type[Options]] = TrainerStateOptions
    file_name: ClassVar[str] = "trainer_state.json"
    added: ClassVar[re.Pattern[str]] = re.compile(r"checkpoint-\d+")
    overlaps: ClassVar[bool] = True

    def folder_of(self, path: str) -> str:
        """Returns the run's folder from a log's path: its folder, or the one above a checkpoint."""
        return CHECKPOINT.sub("", super().folder_of(path))

    def logs_to_read(self, folder: RunFolder) -> list[FileEntry]:
        """Returns at most two logs: that in the run's folder, and that of its last checkpoint."""
        checkpoints = sorted(folder.files, key=_step)
        final = [file for file in checkpoints[:1] if _step(file) < 0]
        return list(dict.fromkeys([*final, *checkpoints[-1:]]))

    def read(self, store: Store, folder: RunFolder, earlier: EarlierRun) -> LoggedValues:
        """Reads the run's furthest log, without the entries repeated from the run it resumed.

        Counters of the last such entry stay: they say where this run began.
        """
        files = [StateFile.read(store, file) for file in self.logs_to_read(folder)]
        log = max(files, key=lambda one: one.state.global_step)
        taken = self._taken(log, [StateFile.read(store, file) for file in earlier.logs], earlier)
        metrics = set(self.options.metrics.meanings)
        counters = metrics - {self.options.metrics.loss or ""}
        start = [row for n in range(taken)[-1:] for row in log.values(n, counters)]
        own = (row for n in range(taken, len(log.entries)) for row in log.values(n, metrics))
        return LoggedValues(
            table_of([*start, *own]),
            (log.first_step, log.state.global_step),
            part=log.state.global_step,
            began=log.began,
            resumed=bool(taken),
            notices=list(self._notices(log)),
        )

    def remarks(self, context: FetchContext) -> Iterator[str]:
        """Yields a notice per group of runs with an equal first entry and no `resumed_from`."""
        runs: defaultdict[str, set[str]] = defaultdict(set)
        for first in map(beginning, self.paths(context)):
            runs[first["began"]].add(first["run_name"])
        resumed = {one.run for one in self.settings.runs if one.resumed_from}
        for began, same_start in runs.items():
            loose = sorted(same_start - resumed)
            if began and len(loose) > 1:
                yield (
                    f"{len(loose)} runs, such as {loose[0]} and {loose[1]}, begin with the same "
                    "entry: where one resumed another, say `resumed_from` in [[runs]], else its "
                    "epochs count twice"
                )

    def _taken(self, log: StateFile, before: list[StateFile], earlier: EarlierRun) -> int:
        """Returns how many of a log's first entries repeat those of the run it resumed."""
        known = {canonical(entry) for file in before for entry in file.state.log_history}
        loss, losses = {self.options.metrics.loss or ""}, earlier.losses
        shared = (
            number + 1
            for number, entry in enumerate(log.state.log_history)
            if canonical(entry) in known
            or any((row["step"], row["value"]) in losses for row in log.values(number, loss))
        )
        return max(shared, default=0)

    def _notices(self, log: StateFile) -> Iterator[str]:
        """Yields a notice if a log's `epoch` counts no epochs, because its data has no length."""
        if log.is_endless and EPOCH in self.options.metrics.meanings:
            yield (
                f"{log.uri}: its data has no length, so `epoch` is a share of max_steps and left "
                "out: count by tokens, or say what a step is (`tokens_per_step` of [[workloads]])"
            )


def _step(file: FileEntry) -> int:
    """Returns the step of a checkpoint from its log's path; -1 for a log outside of any."""
    found = CHECKPOINT.search(file.uri.rpartition("/")[0])
    return int(found[1]) if found else -1
