"""Tells which export a place holds, so that nobody has to know what theirs is called."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from ingest.doctor.config.table_columns import refuse_missing_columns
from ingest.files.location import FileOptions, open_store
from ingest.files.s3 import SCHEME, BilledTo
from ingest.files.store import FileEntry, Store
from ingest.sources.data_exports import Cur2, Focus, layout
from models import formats
from models.config.loading import validated_settings
from models.contract.errors import InputError
from models.engine.warehouse.lock import lock

KINDS = ("focus", "cur2")


def kind_of(location: str, home: Path, billed_to: BilledTo | None = None) -> str:
    """Returns `focus` or `cur2`: by the columns of local files, in S3 by those of a manifest.

    A relative path is seen from `home`, the folder of the config. In S3 it lists the export and
    reads its newest manifest, a thousandth of a cent, recorded as `billed_to` says. Raises
    `InputError` where there is no export of either kind, `ConfigError` for a location that no
    source may have, `SourceError` where AWS refuses.
    """
    settings = validated_settings({}, home=home)
    options = FileOptions(location=location)
    store = open_store(options, settings, billed_to)
    if location.startswith(SCHEME) and billed_to:
        with lock(billed_to.ledger.path.parent, purpose="init"):
            return _kind_by_manifest(store)
    for source in (Cur2("bill", options, settings), Focus("bill", options, settings)):
        try:
            refuse_missing_columns(source, store)
            return source.kind
        except InputError as error:
            fault = error
    raise fault


def _kind_by_manifest(store: Store) -> str:
    parts = layout.export_parts(store.location, store.entries())
    manifests = [part.manifest for part in parts if part.manifest]
    if not manifests:
        raise InputError(
            "an export without a manifest", value=store.location, remedy="name its kind"
        )
    columns = _columns(store, manifests[-1])
    found = [kind for kind in KINDS if set(formats.named(kind).REQUIRED) <= set(columns)]
    if not found:
        raise InputError(
            "neither FOCUS nor CUR 2.0 by its columns",
            value=manifests[-1].uri,
            remedy="export one of them, or name its kind",
        )
    return found[0]


def _columns(store: Store, manifest: FileEntry) -> Collection[str]:
    """Returns the columns that a manifest names; none where it is not what AWS writes."""
    try:
        return [column["name"] for column in json.loads(store.read(manifest))["columns"]]
    except (ValueError, KeyError, TypeError):
        return []
