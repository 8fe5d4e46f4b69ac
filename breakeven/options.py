"""Defines options that several subcommands share, and checks their values."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

import click

from models.config.loading import DEFAULT_FILE, config_path

Verb = TypeVar("Verb", bound=Callable[..., Any])
Month = TypeVar("Month", str, str | None)


def config_option(verb: Verb) -> Verb:
    """Adds the option `--config` to a subcommand."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path),
        help=f"The config file; default: $BREAKEVEN_CONFIG, else ./{DEFAULT_FILE}.",
    )(verb)


def config_argument(path: Path) -> str:
    """Returns ` --config PATH` for further commands; nothing where they find the config anyway."""
    return "" if path == config_path(None) else f" --config {quote(str(path))}"


def listening_options(verb: Verb) -> Verb:
    """Adds the options `--host`, `--port`, `--workers`, `--insecure-no-auth` to a subcommand."""
    for option in (
        click.option(
            "--insecure-no-auth",
            is_flag=True,
            help="Allow a public address without sign-in, e.g. behind a proxy that authenticates.",
        ),
        click.option(
            "--workers",
            default=2,
            show_default=True,
            type=click.IntRange(1, 64),
            help="Number of processes that serve pages.",
        ),
        click.option(
            "--port",
            default=8050,
            show_default=True,
            type=click.IntRange(1, 65535),
            help="Port to listen on.",
        ),
        click.option(
            "--host", default="127.0.0.1", show_default=True, help="Address to listen on."
        ),
    ):
        verb = option(verb)
    return verb


class Number(click.ParamType[Decimal]):
    """A command-line option type: an exact decimal between two bounds."""

    name = "number"

    def __init__(self, low: str = "-1e15", high: str = "1e15") -> None:
        self.low, self.high = Decimal(low), Decimal(high)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Decimal:
        """Converts an option's text to a decimal; refuses what is not finite or out of bounds."""
        try:
            found = Decimal(str(value))
        except InvalidOperation:
            self.fail(f"{value!r} is not a plain decimal number", param, ctx)
        if found.is_finite() and self.low <= found <= self.high:
            return found
        return self.fail(f"{value} is not between {self.low:f} and {self.high:f}", param, ctx)


def month_argument(_: click.Context, __: click.Parameter, value: Month) -> Month:
    """Returns a command-line value if it is a month, `YYYY-MM`; refuses it otherwise.

    An option that is not given stays null.
    """
    from models.contract.month import is_month

    if value is not None and not is_month(value):
        raise click.BadParameter(f"{value!r} is not YYYY-MM")
    return value


class Day(click.DateTime):
    """A command-line option type: a calendar day, written `YYYY-MM-DD`."""

    def __init__(self) -> None:
        super().__init__(["%Y-%m-%d"])

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Converts an option's text to a day; refuses other text with an example of a day."""
        with suppress(click.BadParameter):
            return super().convert(value, param, ctx)
        return self.fail(f"{value!r} is no day; write one as 2026-10-31", param, ctx)


day_option = partial(click.option, type=Day(), metavar="YYYY-MM-DD")
"""Makes an option whose value is a UTC day."""
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
"""Adds the option `--json` to a subcommand."""
