"""Defines the subcommands audit, backup and restore."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from breakeven.loading import load_to_write
from breakeven.options import config_option, day_option, json_option
from breakeven.output import show
from models.config.loading import config_path, load
from models.contract.errors import AuditError, BreakevenError
from models.records import audit as trail


@click.command()
@config_option
@day_option("--since", help="Only lines from this UTC day on.")
@click.option("--verify", is_flag=True, help="Check that no line was lost or changed.")
@json_option
def audit(config: Path | None, since: datetime | None, verify: bool, as_json: bool) -> None:
    """Shows the audit trail: who did what, when and from where.

    It also says whether each succeeded. It records closes, sends, exports, pulls and builds started
    by hand, sign-ins, and changes of the config.

    Example: breakeven audit --since 2026-11-01 --verify
    """
    data = load(config).data
    if verify and (faults := trail.faults(data)):
        raise AuditError(data / trail.FILE, faults)
    found = trail.lines(data, f"{since:%Y-%m-%d}" if since else "")
    whole = ["every line is as it was written"] if verify else []
    show([*map(_line, found), *whole], found, as_json)


def _line(line: trail.Line) -> str:
    """Formats a line of the audit trail as text: when, who, what, about what, and the outcome."""
    who = f"{line.get('who')} ({line.get('role')}, {line.get('from')})"
    return f"{line.get('at')} {who} {line.get('what')} {trail.about(line)}: {line.get('outcome')}"


@click.command()
@config_option
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--raw", is_flag=True, help="Include the source files, which `verify` needs.")
@json_option
def backup(config: Path | None, file: Path, raw: bool, as_json: bool) -> None:
    """Backs up to FILE what `build` and `ingest` cannot recreate.

    That is: closes, the audit trail, ledgers, journals, tokens, markers of deliveries, and the
    config without its secrets. Everything may keep running meanwhile.

    Example: breakeven backup breakeven-2026-11-01.tar.zst --raw
    """
    from models.config.refusals.without_secrets import without_secrets
    from models.records.backup import SUFFIX, back_up

    if not file.name.endswith(SUFFIX):
        raise click.BadParameter(f"{file} does not end in {SUFFIX}", param_hint="FILE")
    settings, path = load_to_write(config), config_path(config)
    text = without_secrets(path) if path.is_file() else None
    count = back_up(settings, file, text, raw=raw)
    show([f"{file}: {count} files"], {"file": str(file), "files": count, "raw": raw}, as_json)


@click.command()
@config_option
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def restore(config: Path | None, file: Path, as_json: bool) -> None:
    """Restores a backup into the warehouse's folder.

    The folder must be empty. Writes the backup's config if there is none; set the secrets again.

    Example: breakeven restore breakeven-2026-11-01.tar.zst
    """
    from models.records import restoring

    path = config_path(config)
    settings = load_to_write(config) if path.is_file() else None
    with restoring.scratch(settings.data if settings else path.parent) as folder:
        about = restoring.unpack(file, folder)
        written = restoring.write_config(folder, path)
        try:
            settings = settings or load_to_write(config)
            count = restoring.restore(folder, settings.data)
        except BreakevenError:
            if written:
                path.unlink()
            raise
        trail.record(settings.data, "restore", trail.DONE, {"file": str(file), **about})
    lines = [f"{settings.data}: {count} files, backed up at {about['made_at']}"]
    lines += [f"Wrote {path}: set its secrets again"] if written else []
    following = "build" if about["raw"] else "ingest, to deliver the files again, then build"
    show([*lines, f"Next: breakeven {following}"], {"files": count, **about}, as_json)
