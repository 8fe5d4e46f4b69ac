"""The page of commands: usage, meaning, options with defaults, from click's own objects."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from breakeven.command import main
from documentation.reference.markdown import code, page, table

INTRODUCTION = """\
Every command takes `--help`. Those with `--config` read that file, else `$BREAKEVEN_CONFIG`, else
`./breakeven.toml`. Exit code 0 means done, 1 a failure that is explained [in one
line](errors.md), 2 wrong usage. With `--json` the result is one JSON document on standard output,
and nothing else is."""


def commands() -> str:
    """Returns the page of all commands, in the order of `breakeven --help`."""
    blocks = [part for name, verb in main.commands.items() for part in _described(name, verb)]
    return page("Commands", [INTRODUCTION], *blocks)


def _described(name: str, verb: click.Command) -> Iterator[list[str]]:
    yield [f"## breakeven {name}"]
    if isinstance(verb, click.Group):
        yield _text_and_examples(verb)[0]
        for inner, command in verb.commands.items():
            yield from _described(f"{name} {inner}", command)
        return
    text, examples = _text_and_examples(verb)
    yield text
    if options := [each for each in verb.params if each.name != "config"]:
        yield table(("argument or option", "value", "default", "meaning"), map(_option, options))
    if examples:
        yield ["```sh", *examples, "```"]


def _text_and_examples(verb: click.Command) -> tuple[list[str], list[str]]:
    """Returns two lists of lines from a command's help: what it does, and its examples."""
    help_text = inspect.cleandoc((verb.help or "").replace("\b", ""))
    said, _, examples = help_text.partition("Example:")
    return said.strip().splitlines(), [
        " ".join(line.split()) for line in examples.strip().splitlines()
    ]


def _option(option: click.Parameter) -> tuple[str, str, str, str]:
    if isinstance(option, click.Option):
        names = ", ".join(map(code, (*option.opts, *option.secondary_opts)))
        return names, _value(option), _default(option), option.help or ""
    return code(option.make_metavar(click.Context(main))), _value(option), "", ""


def _value(option: click.Parameter) -> str:
    if isinstance(option, click.Option) and option.is_flag:
        return ""
    kind = option.type
    if isinstance(kind, click.Choice):
        return ", ".join(map(code, kind.choices))
    if isinstance(kind, click.IntRange):
        return f"{kind.min} to {kind.max}" if kind.max else f"{kind.min} or more"
    return option.metavar or kind.name


def _default(option: click.Option) -> str:
    default = option.default
    if option.is_flag or callable(default) or not isinstance(default, str | int):
        return ""
    return code(default)
