"""Reads training progress from files, CloudWatch, SageMaker, trackers and trainers' own logs.

In: samples of epochs, samples, tokens and losses under the names that each source uses. Out: rows
of `progress`: cumulative counters per run and UTC time. The rules are METHOD §3 (Progress).
"""

from __future__ import annotations

from models.formats.format import Format
from models.formats.progress import (
    cloudwatch,
    lightning,
    mlflow,
    progress_file,
    sagemaker,
    tensorboard,
    trainer_state,
    wandb,
)

FORMATS: tuple[Format, ...] = (
    progress_file,
    cloudwatch,
    sagemaker,
    mlflow,
    wandb,
    tensorboard,
    trainer_state,
    lightning,
)
KNOWN_COLUMNS = {progress_file.NAME: progress_file.COLUMNS}
"""By format, all columns that it reads: people write these files by hand, and misspell them."""
UNLIKE_OTHERS = {progress_file.NAME: progress_file.UNLIKE_OTHERS}
"""Those of them that a name of nearly their letters means."""
