"""Tells which export a folder holds, so that nobody has to know what theirs is called."""

from __future__ import annotations

from pathlib import Path

from ingest.doctor.config.table_columns import refuse_missing_columns
from ingest.files.location import FileOptions, open_store
from ingest.sources.data_exports import Cur2, Focus
from models.config.loading import validated_settings
from models.contract.errors import InputError


def kind_of(location: str, home: Path) -> str:
    """Returns `focus` or `cur2` by the columns of the files at a local path.

    A relative path is seen from `home`, the folder of the config. Raises `InputError` where there
    is no export of either kind, `ConfigError` for a location that no source may have.
    """
    settings = validated_settings({}, home=home)
    options = FileOptions(location=location)
    store = open_store(options, settings)
    for source in (Cur2("bill", options, settings), Focus("bill", options, settings)):
        try:
            refuse_missing_columns(source, store)
            return source.kind
        except InputError as error:
            fault = error
    raise fault
