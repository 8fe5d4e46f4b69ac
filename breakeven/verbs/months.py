"""Defines the subcommands for month end: close a month, verify a close, send its statement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from breakeven.loading import load_to_write
from breakeven.options import config_option, json_option, month_argument
from breakeven.output import show
from models.access.acting import system_user
from models.config.loading import load


@click.command()
@config_option
@click.argument("month", callback=month_argument)
@click.option("--by", default=system_user, help="Who closes it; default: your user name.")
@click.option("--reason", default="", help="Why a closed month is closed again.")
@click.option("--explain", default="", help="Explanation of the remainder of the tie-out.")
@click.option(
    "--edition",
    type=click.IntRange(1),
    help="The method's new edition; needed for the first close after it changed.",
)
@click.option(
    "--check", is_flag=True, help="Only list the conditions of a close, and whether each is met."
)
@json_option
def close(
    config: Path | None,
    month: str,
    by: str,
    reason: str,
    explain: str,
    edition: int | None,
    check: bool,
    as_json: bool,
) -> None:
    """Closes a month: its figures are frozen.

    Records the figures, what they were computed from, who closed it and when.

    Example: breakeven close 2026-10 --by "J. Doe, Controlling"
    """
    from models.closing import closing, draft

    settings = load_to_write(config)
    closer: Any = {"by": by, "reason": reason, "explanation": explain, "edition": edition}
    if check:
        made = draft.draft(settings, month, **closer)
        show(made.lines, made.document(), as_json)
        return
    made = closing.close(settings, month, **closer)
    show([*made.lines, made.closed_line()], made.document(), as_json)


@click.command()
@config_option
@click.argument("month", callback=month_argument)
@click.option(
    "--version", "number", type=click.IntRange(1), help="Version of the close; default: the newest."
)
@json_option
def verify(config: Path | None, month: str, number: int | None, as_json: bool) -> None:
    """Recomputes a closed month and compares all figures to its close.

    It uses the deliveries from which the month was closed.

    Example: breakeven verify 2026-10
    """
    from models.closing.verification import verify as verified

    found = verified(load(config), month, number)
    show([found.line()], found.document(), as_json)


@click.command()
@config_option
@click.argument("month", callback=month_argument)
@click.option("--to", "names", multiple=True, help="Only this recipient; may be repeated.")
@click.option("--again", is_flag=True, help="Also send to recipients who have it already.")
@click.option("--digest", is_flag=True, help="The month's digest, also of a month not closed yet.")
@click.option("--dry-run", is_flag=True, help="Print the digest; send nothing.")
def send(
    config: Path | None,
    month: str,
    names: tuple[str, ...],
    again: bool,
    digest: bool,
    dry_run: bool,
) -> None:
    """Sends the statement of a closed month, or the digest of a month.

    Each recipient in the config gets it once.

    \b
    Example: breakeven send 2026-10 --to cfo
             breakeven send 2026-10 --digest --dry-run
    """
    from models.sending import monthly_digest, sending

    if dry_run and not digest:
        raise click.UsageError("--dry-run needs --digest")
    if dry_run:
        letter = monthly_digest.write_digest(load(config), month)
        click.echo(f"{letter.subject}\n\n{letter.words}", nl=False)
        return
    if digest:
        for line in monthly_digest.send_digest(load_to_write(config), month, names, again=again):
            click.echo(line)
        return
    for sent in sending.send(load_to_write(config), month, names, again=again):
        click.echo(sent.line())
