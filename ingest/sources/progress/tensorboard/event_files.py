"""Finds TensorBoard's event files, and the run and workload of each by its folder."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

from ingest.files.run_folders import RunFolder, RunFolderOptions
from ingest.files.store import FileEntry, with_utf8_names

MARK = "tfevents"
"""What TensorBoard itself goes by: `events.out.tfevents.1761000000.host.1.0`."""
ADDED = re.compile(
    r"runs|[A-Z][a-z]{2}\d\d_\d\d-\d\d-\d\d_.+|\d{10}(\.\d+)?"  # PyTorch, Hugging Face
    r"|lightning_logs|version_\d+|tensorboard-output"  # Lightning, SageMaker
)
"""Folders that trainers add by themselves: they name no run."""
NOTHING = re.compile(r"(?!)")
LIGHTNING_LOGS, HYPERPARAMETERS = "lightning_logs", "hparams.yaml"
"""A folder that Lightning adds, and a file that it lays beside each of its event files."""
Labels = dict[str, str | bool]
"""What every value of an event file is labelled with."""


def event_files(entries: list[FileEntry]) -> list[FileEntry]:
    """Returns those files of a location that are named like TensorBoard's event files.

    Raises `InputError` if the name of one is not UTF-8.
    """
    return with_utf8_names(entry for entry in entries if MARK in PurePosixPath(entry.path).name)


def names_of(entry: FileEntry, options: RunFolderOptions) -> dict[str, str]:
    """Returns the run and, unless the config sets it, the workload that a file's path names.

    Empty where one of them is not known. A folder within that of a run is of the same run: a
    `path` that does not fit is tried with the folder above.
    """
    folder = RunFolder(_above(entry.uri), _above(entry.path), (entry,))
    if not options.path:
        location = folder.uri.removesuffix(folder.below).rstrip("/").rpartition("/")[2]
        return folder.names(options, NOTHING if ADDED.fullmatch(location) else ADDED)
    while not (names := folder.names(options, NOTHING)) and folder.below:
        folder = replace(folder, uri=_above(folder.uri), below=_above(folder.below))
    return names


def lightning_folders(entries: list[FileEntry]) -> set[str]:
    """Returns the folders of a location into which Lightning wrote."""
    folders = {_above(entry.uri): entry.path.split("/") for entry in entries}
    with_parameters = {
        _above(entry.uri) for entry in entries if entry.path.endswith(HYPERPARAMETERS)
    }
    return with_parameters | {
        folder for folder, parts in folders.items() if LIGHTNING_LOGS in parts
    }


def _above(path: str) -> str:
    return path.rpartition("/")[0]
