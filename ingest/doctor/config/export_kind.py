"""Tells whether a location holds a FOCUS or a CUR 2.0 export, by its columns."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from ingest.doctor.config.table_columns import columns_of, refuse_missing_columns
from ingest.files.location import FileOptions, open_store
from ingest.files.s3 import SCHEME, BilledTo
from ingest.files.store import TABLES, FileEntry, Store, select_readable
from ingest.sources.bill.data_exports import Cur2, Focus, layout
from models import formats
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.errors import InputError
from models.engine.warehouse.lock import lock

KINDS = ("focus", "cur2")


def kind_of(location: str, home: Path, billed_to: BilledTo | None = None) -> str:
    """Returns `focus` or `cur2`: which export a location has, by the columns of its tables.

    The columns are those that the newest manifest names, else those of the local files. A relative
    path is seen from `home`, the folder of the config. In S3 it lists the export and reads its
    newest manifest alone, a thousandth of a cent, recorded as `billed_to` says. Raises `InputError`
    where there is no export of either kind, `ConfigError` for a location that no source may have,
    `SourceError` where AWS refuses.
    """
    settings = validated_settings({}, home=home)
    options = FileOptions(location=location)
    store = open_store(options, settings, billed_to)
    if not location.startswith(SCHEME):
        return _kind(store, settings, options)
    if billed_to is None:
        raise AssertionError("requests to S3 are recorded")
    with lock(billed_to.ledger.path.parent, purpose="init"):
        return _kind(store, settings, options)


def _kind(store: Store, settings: Settings, options: FileOptions) -> str:
    parts = layout.export_parts(store.location, entries := store.entries())
    manifests = [part.manifest for part in parts if part.manifest]
    if manifests:
        columns = _named(store, manifests[-1])
        if not columns and not options.location.startswith(SCHEME):
            columns = next(map(columns_of, select_readable(entries, TABLES)), [])
        return _of_columns(columns, manifests[-1].uri)
    if options.location.startswith(SCHEME):
        raise InputError(
            "an export without a manifest", value=store.location, remedy="name its kind"
        )
    for source in (Cur2("bill", options, settings), Focus("bill", options, settings)):
        try:
            refuse_missing_columns(source, store)
            return source.kind
        except InputError as error:
            fault = error
    raise fault


def _of_columns(columns: Collection[str], where: str) -> str:
    for kind in KINDS:
        if set(formats.named(kind).REQUIRED) <= set(columns):
            return kind
    raise InputError(
        "neither FOCUS nor CUR 2.0 by its columns",
        value=where,
        remedy="export one of them, or name its kind",
    )


def _named(store: Store, manifest: FileEntry) -> Collection[str]:
    """Returns the column names in an export's manifest; none where it is not as AWS writes it."""
    try:
        return [column["name"] for column in json.loads(store.read(manifest))["columns"]]
    except (ValueError, KeyError, TypeError):
        return []
