"""Defines `breakeven token`: create, list and revoke the tokens of programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import click
from pydantic import ValidationError

from breakeven.loading import load_to_write
from breakeven.options import config_option, json_option
from breakeven.output import show
from models.access.person import Grant, Role
from models.config.loading import load
from models.config.network.access import AccessEntry, refuse_unknown_tags
from models.config.settings import Settings
from models.contract.errors import ConfigError
from models.records.tokens import Token, Tokens

LONGEST_NAME = 64
SCOPE = re.compile("[^=]+=.+")


@click.group()
def token() -> None:
    """Manages the tokens with which programs read the API.

    Example: breakeven token create grafana
    """


@token.command()
@config_option
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(get_args(Role)),
    default="viewer",
    show_default=True,
    help="What the token may do.",
)
@click.option("--scope", multiple=True, metavar="TAG=VALUE", help="Only workloads with this tag.")
@click.option("--workloads", multiple=True, metavar="PATTERN", help="Only these, e.g. atlas-*.")
@click.option(
    "--days",
    type=click.IntRange(1, 3650),
    default=90,
    show_default=True,
    help="Days until it expires.",
)
@json_option
def create(
    config: Path | None,
    name: str,
    role: Role,
    scope: tuple[str, ...],
    workloads: tuple[str, ...],
    days: int,
    as_json: bool,
) -> None:
    """Creates a token and prints it; it is never shown again.

    A program sends it as `Authorization: Bearer TOKEN`.

    \b
    Example: breakeven token create grafana --role viewer --scope team=nlp --days 90
    """
    settings = load_to_write(config)
    if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
        raise ConfigError(f"a token's name is 1 to {LONGEST_NAME} printable characters", value=name)
    grant = _grant(settings, role, workloads, scope)
    secret = Tokens(settings.data).create(name, grant, days)
    show([secret], {"name": name, "token": secret, "days": days}, as_json)


@token.command("list")
@config_option
@json_option
def list_tokens(config: Path | None, as_json: bool) -> None:
    """Lists tokens with their rights, expiry and last use.

    Example: breakeven token list
    """
    tokens = Tokens(load(config).data).every()
    show([_line(each) for each in tokens] or ["no tokens"], [*map(_document, tokens)], as_json)


@token.command()
@config_option
@click.argument("name")
def revoke(config: Path | None, name: str) -> None:
    """Revokes a token: the next request with it is refused.

    Example: breakeven token revoke grafana
    """
    Tokens(load_to_write(config).data).revoke(name)
    click.echo(f"{name} is revoked")


def _grant(
    settings: Settings, role: Role, workloads: tuple[str, ...], scope: tuple[str, ...]
) -> Grant:
    """Builds a token's role and scope; refuses what an entry of `[[access]]` may not hold."""
    tag = dict(each.split("=", 1) for each in scope if SCOPE.fullmatch(each))
    if len(tag) < len(scope):
        raise ConfigError(
            "a scope is a tag and its value, each tag once",
            value=" ".join(scope),
            remedy="--scope team=nlp",
        )
    try:
        entry = AccessEntry(user="token", role=role, workloads=workloads or None, tag=tag or None)
        refuse_unknown_tags((entry,), settings.tags.extra)
    except ValidationError as error:
        raise ConfigError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return Grant(role, workloads, tag)


def _line(each: Token) -> str:
    used = each.used_at or "never"
    return (
        f"{each.name}: {each.role} on {each.scope}, by {each.created_by}, "
        f"until {each.expires_at}, last used {used}"
    )


def _document(each: Token) -> dict[str, object]:
    return {
        "name": each.name,
        "role": each.role,
        "workloads": list(each.workloads),
        "tag": dict(each.tag),
        "created_by": each.created_by,
        "created_at": each.created_at,
        "expires_at": each.expires_at,
        "used_at": each.used_at or None,
    }
