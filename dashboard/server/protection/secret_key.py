"""Stores the key that signs cookies beside the warehouse, so that they survive a restart."""

from __future__ import annotations

import json
import logging
import secrets
from pathlib import Path

from models.contract.errors import StorageError
from models.raw.atomic_files import create_json

FILE = "web.json"
LOG = logging.getLogger(__name__)


def secret_key(folder: Path) -> str:
    """Returns the key that signs cookies, created when the first server of a folder starts.

    Where the folder cannot be written, the key lasts until the server stops: pages that are open
    then must be loaded again.
    """
    file = folder / FILE
    if not file.exists():
        key = secrets.token_hex(32)
        try:
            create_json(file, {"secret_key": key}, mode=0o600)
        except StorageError as error:
            if not file.exists():
                LOG.warning("%s; open pages must be loaded again after a restart", error)
                return key
    return _read(file)


def _read(file: Path) -> str:
    try:
        key = json.loads(file.read_text(encoding="utf-8"))["secret_key"]
    except (OSError, ValueError, KeyError, TypeError):
        key = None
    if not isinstance(key, str) or not key:
        raise StorageError(
            f"cannot read {file}", value="no key in it", remedy="delete it: a new one is made"
        )
    return key
