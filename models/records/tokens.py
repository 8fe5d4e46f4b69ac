"""Stores API tokens, as hashes and never in clear, in `tokens.json` next to the warehouse.

A token is shown once, when it is made. The file has its SHA-256, what it may do, who made it, until
when it is valid, and about when it was last used. Times are UTC.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from models.access.acting import actor
from models.access.person import Grant, Person
from models.contract.errors import ConfigError, StorageError
from models.raw import atomic_files
from models.raw.watched_json import WatchedJson
from models.records.audit import audited

FILE, LOCK = "tokens.json", "tokens.lock"
PREFIX = "breakeven_"
"""How each token begins, so that scanners for leaked secrets know it."""
USE_STEP = timedelta(minutes=10)
"""How exactly the last use is known: it is written at most so often."""
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Token:
    """What is stored of an API token; times are ISO 8601, `used_at` is empty until first used."""

    name: str
    sha256: str
    role: str
    workloads: tuple[str, ...]
    tag: Mapping[str, str]
    created_by: str
    created_at: str
    expires_at: str
    used_at: str = ""

    @property
    def person(self) -> Person:
        """Returns the person who acts with this API token: its name and its grant."""
        grant = Grant(self.role, self.workloads, self.tag)  # type: ignore[arg-type]
        return Person(f"token {self.name}", (grant,))

    @property
    def scope(self) -> str:
        """Returns as text what the API token may read: its workloads and tags, or `everything`."""
        named = [*self.workloads, *(f"{key}={value}" for key, value in self.tag.items())]
        return ", ".join(named) or "everything"

    def has_expired(self, now: datetime) -> bool:
        """Whether the API token has expired."""
        return now >= datetime.fromisoformat(self.expires_at)


class Tokens:
    """Lists, creates, checks and revokes API tokens in a file; safe between threads, processes."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._file = WatchedJson(data / FILE)

    def every(self) -> list[Token]:
        """Lists the API tokens that are not revoked, by name, expired ones included.

        Raises `StorageError` for a file that is damaged.
        """
        stored = self._file.read().get("tokens", {})
        try:
            return [_token(name, stored[name]) for name in sorted(stored)]
        except (KeyError, TypeError, IndexError):
            raise StorageError(
                f"cannot read {self._data / FILE}",
                value="damaged",
                remedy="restore a backup of it, or delete it and make its tokens anew",
            ) from None

    def create(self, name: str, grant: Grant, days: int) -> str:
        """Creates an API token and returns it, only this once; `ConfigError` if the name exists."""
        secret = PREFIX + secrets.token_urlsafe(32)
        now = _now()
        made = Token(
            name,
            digest(secret),
            grant.role,
            grant.workloads,
            dict(grant.tag),
            actor().who,
            now.isoformat(),
            (now + timedelta(days=days)).isoformat(),
        )
        about = {"token": name, "grants": f"{made.role} on {made.scope}", "days": days}
        with audited(self._data, "token create", about, role="admin"), self._lock():
            if name in {known.name for known in self.every()}:
                raise ConfigError(
                    "there is a token of this name", value=name, remedy="revoke it, or take another"
                )
            self._write([*self.every(), made])
        return secret

    def revoke(self, name: str) -> None:
        """Deletes an API token; `ConfigError` if there is none of this name."""
        with audited(self._data, "token revoke", {"token": name}, role="admin"), self._lock():
            left = [known for known in self.every() if known.name != name]
            if len(left) == len(self.every()):
                known = ", ".join(each.name for each in left) or "there is none"
                raise ConfigError("there is no such token", value=name, remedy=f"known: {known}")
            self._write(left)

    def person(self, secret: str) -> Person | None:
        """Returns who acts with an API token, and notes about when; None if unknown or expired."""
        sought, now = digest(secret), _now()
        token = next((each for each in self.every() if each.sha256 == sought), None)
        if token is None or token.has_expired(now):
            return None
        if not token.used_at or now - datetime.fromisoformat(token.used_at) >= USE_STEP:
            self._note_use(token.name, now)
        return token.person

    def _note_use(self, name: str, now: datetime) -> None:
        """Records when an API token was last used, unless another process is writing."""
        try:
            with self._lock(timeout=0):
                used = [
                    replace(each, used_at=now.isoformat()) if each.name == name else each
                    for each in self.every()
                ]
                self._write(used)
        except (StorageError, Timeout) as error:
            LOG.warning("the use of token %s is not noted: %s", name, error)

    @contextmanager
    def _lock(self, timeout: float = -1) -> Iterator[None]:
        path = self._data / LOCK
        with atomic_files.write_errors(path), FileLock(path, timeout=timeout, mode=0o600):
            yield

    def _write(self, tokens: list[Token]) -> None:
        stored: dict[str, Any] = {}
        for token in tokens:
            stored[token.name] = {
                key: value for key, value in asdict(token).items() if key != "name"
            }
        atomic_files.replace_json(self._data / FILE, {"schema": 1, "tokens": stored}, mode=0o600)


def digest(secret: str) -> str:
    """Returns an API token's SHA-256; a slow hash adds nothing to a random text."""
    return sha256(secret.encode()).hexdigest()


def _token(name: str, stored: Mapping[str, Any]) -> Token:
    return Token(name, **{**stored, "workloads": tuple(stored["workloads"])})


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
