"""Prints the result of a subcommand, and its progress while it runs."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress


def write_utf_8() -> None:
    """Writes UTF-8 where output is no terminal, as to files; a terminal gets what it can show.

    A locale such as `de_DE.ISO8859-1` knows neither our ellipsis nor every name of a workload.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            shown = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=shown, errors="replace")


def show(lines: list[str], document: object, as_json: bool) -> None:
    """Prints a subcommand's result on stdout: as JSON if asked for, else as lines of text."""
    click.echo(json.dumps(document, indent=1) if as_json else "\n".join(lines))


@contextmanager
def progress_reporter() -> Iterator[Callable[[Any], None]]:
    """Yields a function that shows a step of a pull: as a bar on a terminal, else as a log line."""
    console = Console(stderr=True)
    log = logging.getLogger("breakeven.ingest")
    if not console.is_terminal:
        yield lambda step: log.info("%s: %s %s", step.feed, step.unit, step.period)
        return
    with Progress(console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def tell(step: Any) -> None:  # noqa: ANN401 - ingest.pull.Step, imported only when needed
            if step.feed not in tasks:
                tasks[step.feed] = bar.add_task(step.feed, total=step.total or None)
            bar.update(tasks[step.feed], completed=step.done + 1)

        yield tell
