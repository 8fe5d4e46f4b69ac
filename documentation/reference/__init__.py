"""Writes the pages of docs/reference from the code: `make reference`.

In: the commands, the config's model, marts, routes, metrics and errors of the product, and the
words of `documentation/words/*.toml` where the code has none. Out: pages, as text. A test fails
where a page is not what the code gives. See docs/contributing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from documentation.reference.api import api
from documentation.reference.commands import commands
from documentation.reference.config import config
from documentation.reference.errors import errors
from documentation.reference.marts import marts
from documentation.reference.metrics import metrics

PAGES: Mapping[str, Callable[[], str]] = {
    "commands.md": commands,
    "config.md": config,
    "marts.md": marts,
    "api.md": api,
    "metrics.md": metrics,
    "errors.md": errors,
}
"""Page of docs/reference → the function that returns its text."""
