"""Finds the workload and run of a training log from its folder's name, or by a pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from pydantic import Field, model_validator

from ingest.files.location import FileOptions
from ingest.files.store import FileEntry
from models.config.metrics.tracker_metrics import TrackerOptions

PLACES = {"{workload}": r"(?P<workload>[^/]+)", "{run}": r"(?P<run>[^/]+)", "*": r"[^/]*"}
"""What a pattern may have besides plain text, each within one folder."""
PLACE = re.compile(r"(\{[^/{}]*\}|\*)")


class RunFolderOptions(FileOptions, TrackerOptions):
    """Options of a source of log folders, one per run: location, names, path pattern, metrics.

    `path` is a pattern of the last folders above a log: `{workload}/{run}`, where `*` is any text
    of one folder. Without it the last folder that the trainer did not add itself names the run, and
    the folder above it, if below the location, the workload.
    """

    path: str | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _names_both(self) -> Self:
        for place in PLACE.findall(self.path or ""):
            if place not in PLACES or (place != "*" and (self.path or "").count(place) > 1):
                raise ValueError(f"path may have {{workload}} and {{run}}, each once; not {place}")
        if self.path and "{run}" not in self.path:
            raise ValueError("path must say which folder is the run: write {run}")
        if self.path and self.workload and "{workload}" in self.path:
            raise ValueError("workload and path both name the workload: remove one of them")
        return self

    @property
    def pattern(self) -> re.Pattern[str]:
        """The option `path` as a regular expression that a folder's whole path must match."""
        parts = (PLACES.get(part) or re.escape(part) for part in PLACE.split(self.path or ""))
        return re.compile(f"(?:.*/)?{''.join(parts).strip('/')}")


@dataclass(frozen=True)
class RunFolder:
    """The folder of one run: its full path, its path below the location, and its log files."""

    uri: str
    below: str
    files: tuple[FileEntry, ...]

    def names(self, options: RunFolderOptions, added: re.Pattern[str]) -> dict[str, str]:
        """Returns `run` and, unless the config sets it, `workload`, from the folder's path; or {}.

        Empty where one of them is not known. `added` matches folders that the trainer adds.
        """
        if options.path:
            found = options.pattern.fullmatch(self.uri)
            names = found.groupdict() if found else {}
        else:
            names = self._default_names(added, with_workload=not options.workload)
        workload = options.workload or names.get("workload")
        return names if workload else {}

    def _default_names(self, added: re.Pattern[str], *, with_workload: bool) -> dict[str, str]:
        parts, below = self.uri.split("/"), self.below.split("/") if self.below else []
        while parts and added.fullmatch(parts[-1]):
            parts, below = parts[:-1], below[:-1]
        if not parts or not parts[-1]:
            return {}
        above = {"workload": parts[-2]} if with_workload and len(below) > 1 else {}
        return {"run": parts[-1], **above}
