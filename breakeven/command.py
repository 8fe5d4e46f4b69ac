"""Assembles the subcommands; one of our errors ends the command with one line and exit code 1."""

from __future__ import annotations

import errno
import logging
from typing import Any

import click

from breakeven import logs
from breakeven.output import write_utf_8
from breakeven.verbs.data import build, export, ingest, lineage, sql
from breakeven.verbs.demo import demo
from breakeven.verbs.months import close, send, verify
from breakeven.verbs.records import audit, backup, restore
from breakeven.verbs.serving import schedule, serve, up
from breakeven.verbs.starting import doctor, estimate, init
from breakeven.verbs.tokens import token
from breakeven.verbs.what_if import what_if
from models.contract.errors import BreakevenError, InputError, StorageError
from models.contract.safe_text import on_one_line
from models.intake.malformed_files import shown


class Verbs(click.Group):
    """The command group: prints a `BreakevenError` as one line on stderr and exits with 1.

    So it does with a name that no file may have.
    """

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own signature
        """Runs a subcommand; on a `BreakevenError` prints its lines on stderr and exits with 1."""
        try:
            return super().invoke(ctx)
        except BreakevenError as error:
            _end(ctx, error)
        except OSError as error:
            mistake = _users_mistake(error)
            if mistake is None:
                raise
            _end(ctx, mistake)


def _users_mistake(error: OSError) -> BreakevenError | None:
    """Converts an OS error that a user can fix to a `BreakevenError` with a remedy; else None.

    A full disk is one that standard output is written to: of our own files it is said by name.
    """
    if error.errno == errno.ENAMETOOLONG:
        name = shown(str(error.filename))
        return InputError("a file name is too long", value=name, remedy="name a shorter one")
    if error.errno in (errno.EACCES, errno.EPERM) and error.filename:
        return StorageError(
            f"no access to {shown(str(error.filename))}",
            value=error.strerror,
            remedy="run it as the user whose file this is, or see `files.group`",
        )
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        remedy = "free some space and run again"
        return StorageError("cannot write standard output", value=error.strerror, remedy=remedy)
    return None


def _end(ctx: click.Context, error: BreakevenError) -> None:
    for line in error.lines:
        click.echo(f"breakeven: {on_one_line(line)}", err=True)
    ctx.exit(1)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="breakeven")
def main() -> None:
    """Has moving training from GPU to Trainium paid for itself, and if not, when will it?

    \b
    breakeven demo                      a company to look at, on http://127.0.0.1:8050
    breakeven init                      a commented breakeven.toml to start from
    breakeven ingest && breakeven build && breakeven serve
    """
    logs.configure()
    write_utf_8()
    for noisy in ("botocore", "werkzeug"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # it warns of skipped runs; `ingest.schedule` reports them in our own words
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    # `models.sending` reports itself who was not sent what, and why
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    # it tells of each try in its own words; the last failure is reported in one line
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
    # it logs a refused role with a traceback; we report it in one line
    logging.getLogger("botocore.credentials").setLevel(logging.ERROR)


VERBS = (
    *(demo, init, doctor, estimate),
    *(ingest, build, export, sql, lineage),
    *(schedule, serve, up),
    *(close, verify, send),
    *(audit, backup, restore, token),
    what_if,
)
for verb in VERBS:
    main.add_command(verb)
