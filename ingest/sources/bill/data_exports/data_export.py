"""Fetches AWS Data Exports of any table, Parquet or CSV, from a folder or S3.

Key: the export and the billing month; accounts stay in rows. A bare folder or file without
manifests or `BILLING_PERIOD=` folders is one export and one delivery, period `all`: what is in the
folder now counts, so a renamed file never counts twice, and of two files with the same content one
counts. A month that vanishes from it is refused (`ingest.pull.lost_months`).

Cursor: none. AWS rewrites months weeks later, so each pull looks at every month; a file is fetched
only if its fingerprint (S3: ETag and size, folder: SHA-256) is not that of the live delivery.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ingest.files.copying import copy_files
from ingest.files.feed import FileFeed
from ingest.files.folder import describe_location
from ingest.files.store import FileEntry, Store
from ingest.source import ALL, Batch, FetchContext, Group
from ingest.sources.bill.data_exports import layout
from models.raw.staging import Staging


@dataclass(frozen=True)
class DataExport(FileFeed):
    """The base of the two AWS Data Export feeds; a subclass sets its `kind` and `format`."""

    group: ClassVar[Group] = "cost"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Returns a delivery per Data Export and requested month; one for files without months."""
        store = self.store(context)
        entries = store.entries()
        by_path = {entry.path.lower(): entry for entry in entries}
        parts = layout.export_parts(store.location, entries, described=describe_location(store))
        context.notices.extend(_left_out(store.location, entries))
        return [
            Batch(part.unit, part.period, partial(_fill, store, part, by_path, context.notices))
            for part in parts
            if part.period == ALL or context.window.touches(part.period)
        ]


def _left_out(location: str, entries: list[FileEntry]) -> list[str]:
    """Returns a notice per month that is not read, as it lacks a manifest and others have one."""
    return [
        f"{part.unit}, {part.period}: left out, without a manifest where others have one "
        f"(files: {len(part.entries)}): {part.entries[0].path}"
        for part in layout.left_out(location, entries)
    ]


def _fill(
    store: Store,
    part: layout.ExportPart,
    entries: dict[str, FileEntry],
    notices: list[str],
    staging: Staging,
) -> None:
    """Copies an export's files of one month into a delivery.

    `notices` grows by files with equal content, and by a manifest that no longer counts.
    """
    found = layout.data_files(store, part, entries, notices)
    copies = copy_files(store, found, staging, once=part.manifest is None)
    notices += [
        f"{one} and {other} have the same lines, so they count once: remove one of them"
        for one, other in copies
    ]
