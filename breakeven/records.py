"""Defines the verbs of what cannot be made again: audit."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from breakeven.options import config_option, json_option
from breakeven.output import show
from models.config.loading import load
from models.contract.errors import AuditError
from models.records import audit as trail


@click.command()
@config_option
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Only from this UTC day on.")
@click.option("--verify", is_flag=True, help="Check that no line was lost or changed.")
@json_option
def audit(config: Path | None, since: datetime | None, verify: bool, as_json: bool) -> None:
    """Shows who did what, from where, and what came of it.

    Closes, sends, exports, pulls and builds by hand, sign-ins, and changes of the config.

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
    known = ("at", "who", "role", "from", "what", "outcome", "previous")
    about = " ".join(f"{name}={value}" for name, value in line.items() if name not in known)
    who = f"{line.get('who')} ({line.get('role')}, {line.get('from')})"
    return f"{line.get('at')} {who} {line.get('what')} {about}: {line.get('outcome')}"
