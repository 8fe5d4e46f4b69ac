"""Checks whether the bill and progress are where the user says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ingest.files.location import FileOptions, open_store
from ingest.files.s3 import SCHEME, BilledTo
from ingest.files.store import Store
from ingest.setup.first_config import AWS, SERVER
from ingest.sources.progress.progress_file import ProgressFile, progress_files
from ingest.sources.progress.tensorboard import TensorBoard
from ingest.sources.progress.tensorboard.event_files import MARK
from ingest.sources.progress.training_logs import TrainerState
from models.config.loading import validated_settings
from models.contract.errors import BreakevenError
from models.engine.warehouse.lock import lock


@dataclass(frozen=True)
class PlaceChecks:
    """The two functions that check a location of a bill, and of progress, given by a user.

    Each raises `BreakevenError`, which is an `InputError` where nothing of the kind is there.
    """

    bill: Callable[[str], str]
    """Returns which export is at a location."""
    progress: Callable[[str], str]
    """Returns whose files are at a location, empty for those written for breakeven."""


def check_progress(location: str, home: Path, billed_to: BilledTo) -> str:
    """Returns the source kind for a location of progress, or ""; `InputError` if no file is there.

    Returns which kind of source reads what a trainer wrote there; empty for anything else. A
    relative path is seen from `home`, the folder of the config. S3 is listed, a thousandth of a
    cent, recorded as `billed_to` says. Raises `ConfigError` for a location that no source may have,
    `SourceError` where AWS refuses.
    """
    if location in AWS or location.startswith(SERVER):
        return ""
    settings = validated_settings({}, home=home)
    store = open_store(FileOptions(location=location), settings, billed_to)
    if not location.startswith(SCHEME):
        return _kind_of_files(store)
    with lock(billed_to.ledger.path.parent, purpose="init"):
        return _kind_of_files(store)


def _kind_of_files(store: Store) -> str:
    """Returns the source kind for the training logs of a store, or ""; `InputError` if none."""
    names = [entry.path.rpartition("/")[2] for entry in store.entries()]
    if TrainerState.file_name in names:
        return TrainerState.kind
    if any(MARK in name for name in names):
        return TensorBoard.kind
    progress_files(store, ProgressFile.kind)
    return ""


def is_missing(location: str, home: Path) -> bool:
    """Returns whether a location is on this machine and has no file at all."""
    if not location or "://" in location:
        return False
    try:
        settings = validated_settings({}, home=home)
        return not open_store(FileOptions(location=location), settings).entries()
    except BreakevenError:
        return False  # something is there; the checks that follow say what is wrong with it
