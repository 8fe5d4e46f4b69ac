"""Denies other users access to the files next to the warehouse: 0600, folders 0700.

With `files.group` that group may read them too (0640, 2750), as Spark's workers on a shared mount.
"""

from __future__ import annotations

import grp
import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.raw import atomic_files

FOLDERS = ("raw", "snapshots", "closes", "sending", "answers")
"""What we make beside the warehouse, besides files."""
FILES = (
    *("*.jsonl", "*.lock", "writer.json", "scheduler.json", "compiled.json"),
    *("spark.log", "audit.json", "config_seen.json", "build.json", "alerts.json"),
)
SECRETS = ("web.json", "tokens.json", "ended_sessions.json")
"""What lets somebody in: this user's alone, whatever group reads the rest."""


@dataclass(frozen=True)
class Modes:
    """File permissions of what breakeven writes: umask, modes of files and folders, and group."""

    umask: int
    file: int
    folder: int
    group: int = -1
    """-1 leaves the group of a file as it is."""


OWN = Modes(0o077, 0o600, 0o700)
"""For this user alone."""


def close_to_others(settings: Settings) -> None:
    """Sets the permissions of files beside the warehouse: this user only, or also `files.group`.

    It holds for this process and those that it starts. What an earlier version or another umask
    left open is closed. A folder that holds the config as well, or anything that is not ours, keeps
    its mode: it may be `/tmp`. `ConfigError` for a warehouse that is no file, for root in
    another user's warehouse, for an unknown group, or one that this user may not give files to.
    """
    modes, data = modes_of(settings), settings.data
    _refuse_no_file(settings.warehouse_file)
    os.umask(modes.umask)
    if modes.group >= 0:  # what is made in it gets its group
        with atomic_files.write_errors(data):
            data.mkdir(parents=True, exist_ok=True)
    if not data.is_dir():
        return
    ours, secrets = {*_ours(settings)}, {data / name for name in SECRETS}
    _refuse_root(data, ours, modes)
    for path in ours:
        if not _is_closed(path, modes):
            _close_tree(path, modes)
    for path in secrets:
        if path.exists():
            _close(path, OWN)
    holds_config = settings.home.resolve().is_relative_to(data)
    if not holds_config and ours | secrets >= {*data.iterdir()}:
        _close(data, modes)


def _refuse_no_file(warehouse: Path) -> None:
    if warehouse.exists() and not warehouse.is_file():
        remedy = "name a file in a folder of its own"
        raise ConfigError("warehouse.path is not a file", value=warehouse, remedy=remedy)


def _refuse_root(data: Path, ours: Collection[Path], modes: Modes) -> None:
    """Raises `ConfigError` if root runs in a warehouse that belongs to another user."""
    owner = data.stat().st_uid
    if ours and modes == OWN and owner and os.geteuid() == 0:
        raise ConfigError(
            "the warehouse's folder is another user's, who could not read what root writes there",
            value=data,
            remedy=f"run it as that user: sudo -u '#{owner}' breakeven …",
        )


def modes_of(settings: Settings) -> Modes:
    """Returns file modes and group by `files.group`; `ConfigError` if there is no such group."""
    name = settings.files.group
    if not name:
        return OWN
    try:
        return Modes(0o027, 0o640, 0o2750, grp.getgrnam(name).gr_gid)
    except KeyError:
        raise ConfigError(
            "files.group: no group of this name", value=name, remedy="`getent group` lists them"
        ) from None


def give_to_group(path: Path, settings: Settings) -> None:
    """Makes a file outside the warehouse's folder readable by `files.group`, if configured."""
    modes = modes_of(settings)
    if modes.group >= 0:
        _close(path, modes)


def _ours(settings: Settings) -> Iterator[Path]:
    """Yields the files and folders next to the warehouse that belong to breakeven."""
    file = settings.warehouse_file
    for pattern in (*FOLDERS, *FILES, f"{file.name}*"):
        yield from settings.data.glob(pattern)


def _close_tree(top: Path, modes: Modes) -> None:
    """Sets permissions of a folder's contents before its own, so that a crash leaves no gap."""
    for folder, _, files in os.walk(top, topdown=False):
        for name in files:
            _close(Path(folder) / name, modes)
        _close(Path(folder), modes)
    if not top.is_dir():
        _close(top, modes)


def _is_closed(path: Path, modes: Modes) -> bool:
    """Returns whether a path has the required permissions and group; true if it does not exist.

    It may be a link to nothing, or another process may have deleted it meanwhile.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        return True
    mode = modes.folder if path.is_dir() else modes.file
    return stat.S_IMODE(found.st_mode) == mode and modes.group in (-1, found.st_gid)


def _close(path: Path, modes: Modes) -> None:
    """Sets group and mode of a file or folder that is this user's; others' are left alone."""
    if path.is_symlink() or _is_closed(path, modes) or path.stat().st_uid != os.geteuid():
        return
    with atomic_files.write_errors(path):
        try:
            os.chown(path, -1, modes.group)
        except PermissionError:
            raise ConfigError(
                "files.group: this user is not a member of the group",
                value=grp.getgrgid(modes.group).gr_name,
                remedy="add the user to it, or name another group",
            ) from None
        path.chmod(modes.folder if path.is_dir() else modes.file)
