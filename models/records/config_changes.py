"""Records in the audit trail the names of config keys that changed since the last start."""

from __future__ import annotations

import json
from hashlib import scrypt, sha256
from os import urandom
from pathlib import Path
from typing import Any

from filelock import FileLock
from pydantic import SecretStr

from models.config.settings import Settings
from models.raw import atomic_files
from models.records import audit

FILE = "config_seen.json"
"""A fingerprint for each key; those of secrets are slow to guess, and none is in a backup."""


def record_changes(settings: Settings, program: str) -> None:
    """Writes to the audit trail which config keys changed since the program's last start.

    `program` is what starts, such as `serve`; each has its own environment, so its own last start.
    """
    path = settings.data / FILE
    with atomic_files.write_errors(path):
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = settings.data / "config_seen.lock"
    with atomic_files.write_errors(lock), FileLock(lock, mode=0o600):
        seen = _read(path)
        salt = bytes.fromhex(seen.get("salt", "")) or urandom(16)
        before, now = seen.get(program), fingerprints(settings, salt)
        if before == now:
            return
        if before is not None:
            changed = sorted(k for k in {*before, *now} if before.get(k) != now.get(k))
            audit.record(settings.data, f"config of {program}", "changed", {"keys": changed})
        atomic_files.replace_json(path, {**seen, "salt": salt.hex(), program: now})


def fingerprints(settings: Settings, salt: bytes) -> dict[str, str]:
    """Maps each config key to a salted hash of its value; a list of tables is one key."""
    found = {}
    for table, value in settings.model_dump().items():
        inner = value if isinstance(value, dict) else {"": value}
        for key, each in inner.items():
            found[f"{table}.{key}".rstrip(".")] = _fingerprint(each, salt)
    return found


def _fingerprint(value: object, salt: bytes) -> str:
    secrets: list[str] = []

    def written(each: object) -> str:
        if isinstance(each, SecretStr):
            secrets.append(each.get_secret_value())
            return "secret"
        return str(each)

    text = json.dumps(value, default=written, sort_keys=True)
    plain = sha256(salt + text.encode()).hexdigest()
    if not any(secrets):
        return plain
    return plain + scrypt("\0".join(secrets).encode(), salt=salt, n=1 << 14, r=8, p=1).hex()


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
