"""Checks that the config names sources of cost and progress, and that local files can be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ingest.doctor.config import table_columns
from ingest.doctor.examination import Examination, asks_aws, asks_server
from ingest.doctor.finding import Finding, finding_of
from ingest.files.location import FileOptions, open_store
from ingest.files.run_folders import RunFolderOptions
from ingest.files.store import FileEntry, Store
from ingest.source import Batch, Source
from ingest.sources import SOURCES
from models import formats
from models.contract.errors import BreakevenError, InputError
from models.intake import malformed_files
from models.intake.malformed_files import Malformed

NAME = "config"
TEXT = (".csv", ".csv.gz")
EPOCHS = tuple(one.kind for one in SOURCES if formats.named(one.format).VIEW == "progress")
"""Kinds that report progress of runs; others of their group report how busy machines were."""


def check_sources(exam: Examination) -> Iterator[Finding]:
    """Checks that the config has a bill, progress and two distinct tags, and reads local files."""
    yield _money(exam)
    yield _progress(exam)
    yield from _distinct_tags(exam)
    for source in exam.sources:
        if not asks_aws(source) and not asks_server(source):
            yield _files(source, exam)


def _money(exam: Examination) -> Finding:
    money_source = exam.settings.cost.source
    bills = [s for s in exam.sources if s.group == "cost" and money_source in (s.name, s.kind)]
    if bills:
        return Finding(NAME, "cost.source", "ok", f"money comes from {bills[0].name}")
    others = [s.name for s in exam.sources if s.group == "cost"]
    remedy = f'cost.source = "{others[0]}"' if others else 'add [[sources]] kind = "focus"'
    found = f'no [[sources]] is called "{money_source}": nothing can be built without a bill'
    return Finding(NAME, "cost.source", "blocks", found, f"{remedy} in breakeven.toml")


def _progress(exam: Examination) -> Finding:
    names = sorted({s.name for s in exam.sources if s.kind in EPOCHS})
    if names:
        return Finding(NAME, "progress", "ok", f"epochs come from {', '.join(names)}")
    return Finding(
        NAME,
        "progress",
        "warning",
        "no [[sources]] reports progress of runs: cost per epoch stays unknown",
        f"add [[sources]] whose kind is one of {', '.join(EPOCHS)} in breakeven.toml",
    )


def _distinct_tags(exam: Examination) -> Iterator[Finding]:
    """Yields a finding where one tag names both workloads and runs."""
    tags = exam.settings.tags
    if tags.workload == tags.run:
        found = f'both are "{tags.run}": each run is a workload of its own, so no two are compared'
        remedy = (
            "set two tags in breakeven.toml: one that all runs of a workload share, and one per run"
        )
        yield Finding(NAME, "tags.workload, tags.run", "blocks", found, remedy)


def _files(source: Source, exam: Examination) -> Finding:
    """Checks a source of local files: how many deliveries it has, its tables' headers."""
    try:
        context = exam.fetch_context
        batches = list(source.fetch(context))
        _refused(batches)
        store = _store(source, exam)
        if not isinstance(source.options, RunFolderOptions):  # beside logs any file may lie
            _tables(store.entries())
        table_columns.refuse_missing_columns(source, store)
        vanished = not any(store.entries())
    except BreakevenError as error:
        exam.explained_already.add(source.location)
        return finding_of(NAME, source.name, error)
    unchanged = f", unchanged: {len(context.unchanged)}" if context.unchanged else ""
    found = f"{source.location} is there, deliveries: {len(batches)}{unchanged}"
    if context.notices and not batches and not context.unchanged:
        why = "; ".join(context.notices)
        return Finding(NAME, source.name, "warning", f"{found}: {why}", "correct this source")
    if vanished:
        found = f"no file is at {source.location} any more; what it delivered counts on"
        remedy = "correct `location`, or take this source out of the config"
        return Finding(NAME, source.name, "warning", found, remedy)
    return Finding(NAME, source.name, "ok", found)


def _refused(batches: Iterable[Batch]) -> None:
    """Raises the `InputError` of the first file that a pull would refuse; it counts the others."""
    refused = [batch.refused for batch in batches if batch.refused]
    if len(refused) > 1:
        first, more = refused[0], len(refused) - 1
        raise InputError(f"{first.problem}; {more} more files are refused", remedy=first.remedy)
    if refused:
        raise refused[0]


def _store(source: Source, exam: Examination) -> Store:
    """Opens the files of a source."""
    given = source.options.model_dump(include=set(FileOptions.model_fields))
    return open_store(FileOptions.model_validate(given), exam.settings)


def _tables(entries: Iterable[FileEntry]) -> None:
    """Raises `InputError` for the first text file whose header is not that of a table."""
    for entry in (entry for entry in entries if entry.suffix in TEXT):
        if wrong := _diagnose(Path(entry.uri)):
            raise InputError(f"{entry.uri}: {wrong.problem}", remedy=wrong.remedy)


def _diagnose(path: Path) -> Malformed | None:
    try:
        return malformed_files.bad_header(path)
    except OSError as error:
        return Malformed(f"cannot be read: {error.strerror}", "check the file")
