"""Verbs of the month end: close a month, verify a close, send its statement."""

from __future__ import annotations

import getpass
from pathlib import Path

import click

from breakeven.options import config_option, json_option, month_argument
from breakeven.output import show
from models.config.loading import load


@click.command()
@config_option
@click.argument("month", callback=month_argument)
@click.option("--by", default=getpass.getuser, help="Who closes it; else the user's name.")
@click.option("--reason", default="", help="Why a closed month is opened again.")
@click.option("--explain", default="", help="What the remainder of the tie-out is.")
@click.option("--check", is_flag=True, help="Only say what must hold, and whether it does.")
@json_option
def close(
    config: Path | None,
    month: str,
    by: str,
    reason: str,
    explain: str,
    check: bool,
    as_json: bool,
) -> None:
    """Freezes a month: its figures, what they were computed from, who and when.

    Example: breakeven close 2026-10 --by "J. Doe, Controlling"
    """
    from models.closing import closing, draft

    settings = load(config)
    if check:
        made = draft.draft(settings, month, by=by, reason=reason, explanation=explain)
        show(made.lines, made.document(), as_json)
        return
    made = closing.close(settings, month, by=by, reason=reason, explanation=explain)
    show([*made.lines, made.closed_line()], made.document(), as_json)


@click.command()
@config_option
@click.argument("month", callback=month_argument)
@click.option("--version", "number", type=click.IntRange(1), help="Which close; else the newest.")
@json_option
def verify(config: Path | None, month: str, number: int | None, as_json: bool) -> None:
    """Computes a closed month again from the deliveries it names, and compares every figure.

    Example: breakeven verify 2026-10
    """
    from models.closing.verification import verify as verified

    found = verified(load(config), month, number)
    show([found.line()], found.document(), as_json)


@click.command()
@config_option
@click.argument("month", callback=month_argument)
@click.option("--to", "names", multiple=True, help="Only this recipient; may be repeated.")
@click.option("--again", is_flag=True, help="Also to who has it already.")
def send(config: Path | None, month: str, names: tuple[str, ...], again: bool) -> None:
    """Sends the statement of a closed month to the recipients of the config, once to each.

    Example: breakeven send 2026-10 --to cfo
    """
    from models.sending import sending

    for sent in sending.send(load(config), month, names, again=again):
        click.echo(sent.line())
