"""The base class of sources of training logs: one delivery per folder of a run.

Key: the path of the log and `all`. A log that vanished stays live, and so do steps that a log no
longer has: what was reached stays reached. Cursor: none; a log is read again when its bytes, its
names or the metrics that the config maps changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from ingest.files.feed import FileFeed
from ingest.files.folder import describe_location
from ingest.files.run_folders import RunFolder, RunFolderOptions
from ingest.files.store import FileEntry, Store, file_key, with_utf8_names
from ingest.source import ALL, Batch, FetchContext, Group
from ingest.sources.progress.training_logs.delivered_losses import DeliveredLosses
from ingest.sources.progress.training_logs.logged_values import (
    EarlierRun,
    LoggedValues,
    write_values,
)
from models.contract.errors import InputError
from models.raw.seen_versions import last_seen
from models.raw.staging import Staging

Names = dict[str, str]
"""The names `run` and `workload` of a folder."""


@dataclass(frozen=True)
class TrainingLogs(FileFeed):
    """The base class of feeds of training logs; a subclass says which file, and reads it."""

    group: ClassVar[Group] = "progress"
    format: ClassVar[str]
    file_name: ClassVar[str]
    """What the trainer calls its log."""
    added: ClassVar[re.Pattern[str]]
    """Matches folders that the trainer adds by itself: they name no run."""
    overlaps: ClassVar[bool] = False
    """Whether the log of a run that resumed another begins with that of the other."""

    options: RunFolderOptions

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields a delivery per run folder; `InputError` if no log is there nor was delivered."""
        store = self.store(context)
        found = self._folders(store, context)
        named = {folder: folder.names(self.options, self.added) for folder in found}
        losses = self._losses(named, context)
        for folder in (one for one in found if named[one]):
            log = replace(folder.files[0], uri=f"{folder.uri}/{self.file_name}")
            earlier = self._earlier(folder, named, losses)
            fill = partial(self._fill, store, folder, named[folder], earlier, context)
            yield Batch(file_key(log, self.settings), ALL, fill, empty=True)
        context.notices.extend(self._unnamed([one for one in found if not named[one]]))
        context.notices.extend(self.remarks(context))  # each is delivered by now

    def folder_of(self, path: str) -> str:
        """Returns the path of the run's folder from the path of a log in it."""
        return path.rpartition("/")[0]

    def logs_to_read(self, folder: RunFolder) -> list[FileEntry]:
        """Returns the logs of a run's folder that are read: all, unless a subclass chooses some."""
        return list(folder.files)

    def read(self, store: Store, folder: RunFolder, earlier: EarlierRun) -> LoggedValues:
        """Reads the logs of a run's folder as rows, without those repeated from a resumed run."""
        raise NotImplementedError

    def remarks(self, context: FetchContext) -> Iterator[str]:
        """Yields notices about several runs together; none by default."""
        yield from ()

    def paths(self, context: FetchContext) -> Iterator[Path]:
        """Yields the Parquet file of each live delivery that has rows and still exists."""
        for delivery in self.delivered(context):
            if delivery.present and delivery.rows:
                yield delivery.paths[0]

    def _folders(self, store: Store, context: FetchContext) -> list[RunFolder]:
        """Lists run folders with logs. `InputError` if none is there nor was delivered before."""
        found: dict[str, list[FileEntry]] = {}
        listed = store.entries()
        logs = (one for one in listed if one.path.rpartition("/")[2] == self.file_name)
        for entry in with_utf8_names(logs):
            found.setdefault(self.folder_of(entry.uri), []).append(entry)
        if not found and not self.delivered(context):
            raise InputError(
                f"{self.name}: no {self.file_name} found",
                value=describe_location(store),
                remedy="correct `location`: the folder of a run, or one with folders of runs",
            )
        return [
            RunFolder(uri, self.folder_of(files[0].path), tuple(files))
            for uri, files in sorted(found.items())
        ]

    def _fill(
        self,
        store: Store,
        folder: RunFolder,
        names: Names,
        earlier: EarlierRun,
        context: FetchContext,
        staging: Staging,
    ) -> None:
        """Writes a run folder's rows as Parquet, or reuses the live delivery if nothing changed."""
        fingerprint = self._fingerprint(store, folder, names, earlier, staging)
        if known := staging.known(folder.uri, fingerprint):
            staging.reuse(*known)
            return
        values = self.read(store, folder, earlier)
        tags = {self.settings.tags.workload: names["workload"]} if "workload" in names else {}
        tags |= {"resumed_from": earlier.name} if values.resumed else {}
        about = {"source": self.name, "run_name": names["run"], "Tags": json.dumps(tags)}
        about["file"] = f"{folder.uri}/{self.file_name}"
        context.notices.extend(values.notices)
        context.notices.extend(write_values(values, about, staging))
        staging.add(staging.next_path, origin=folder.uri, etag=fingerprint)

    def _fingerprint(
        self,
        store: Store,
        folder: RunFolder,
        names: Names,
        earlier: EarlierRun,
        staging: Staging,
    ) -> str:
        """Returns a text that changes when a folder's logs, its run's names or the options do.

        It changes with the logs of the run before, too, but not when these are gone.
        """
        options = [self.options.metrics.model_dump(), self.settings.tags.workload]
        about = [names, options, earlier.name]
        own = _digest([_versions(store, self.logs_to_read(folder)), about])
        live = staging.zone.current(staging.key)
        seen = last_seen(live) if live else ()
        known = [file.etag for file in seen if file.etag.startswith(own)]
        if known and not earlier.logs:
            return known[0]
        return f"{own}:{_digest(_versions(store, earlier.logs))}"

    def _losses(self, named: dict[RunFolder, Names], context: FetchContext) -> DeliveredLosses:
        """Returns the delivered losses of runs that others resumed and whose logs are gone."""
        here = {names.get("run") for names in named.values()}
        resumed = {one.resumed_from for one in self.settings.runs if one.resumed_from}
        metric = self.options.metrics.loss or ""
        return DeliveredLosses(self.paths(context), frozenset(resumed - here), metric)

    def _earlier(
        self, folder: RunFolder, named: dict[RunFolder, Names], losses: DeliveredLosses
    ) -> EarlierRun:
        """Returns the run that a folder's run resumed, by `[[runs]]`; with an empty name if none.

        Nor has it one where a log never begins with that of the run before.
        """
        parent = self._parent(named[folder]) if self.overlaps else ""
        before = [one for one, names in named.items() if parent and names.get("run") == parent]
        logs = [log for one in before if one != folder for log in self.logs_to_read(one)]
        return EarlierRun(parent, logs, losses)

    def _parent(self, names: Names) -> str:
        whose = (names.get("workload") or self.options.workload, None)
        entries = (one for one in self.settings.runs if one.run == names["run"])
        return next((one.resumed_from or "" for one in entries if one.workload in whose), "")

    def _unnamed(self, folders: list[RunFolder]) -> Iterator[str]:
        """Yields a notice on folders that give no run or no workload by their names."""
        if folders:
            pattern = f'`path = "{self.options.path}"` does not fit' if self.options.path else ""
            why = pattern or "nothing names their workload"
            yield (
                f"{len(folders)} folders, such as {folders[0].uri}, are left out: "
                f"{why}: set `workload` or `path` in the config"
            )


def _versions(store: Store, logs: list[FileEntry]) -> list[tuple[str, str]]:
    return [(one.uri, store.fingerprint(one)) for one in logs]


def _digest(content: object) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
