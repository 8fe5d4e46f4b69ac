"""Fetches the logs, without times, that a trainer wrote into one folder per run.

In: the files of Transformers' Trainer and of Lightning's CSVLogger. Out: a delivery per folder, one
row per logged value that the config maps. Serves METHOD §3.3.
"""

from ingest.sources.progress.training_logs.lightning import Lightning
from ingest.sources.progress.training_logs.trainer_state import TrainerState

__all__ = ["Lightning", "TrainerState"]
