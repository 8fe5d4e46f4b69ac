"""What a scope adds to a callback: each is asked by who sees some workloads, and by who sees all.

The callbacks, and the year of 200 workloads that they read, are those of `callbacks.py`; who asks
takes turns, and nothing is remembered from one time to the next. Goal: at most 3 ms more at p95.

    python -m benchmarks.serving.scope [--workloads "workload-0*"]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask

from benchmarks.reduction import machine
from benchmarks.serving import callbacks, year
from dashboard.server.app import create_app
from dashboard.server.gunicorn_server import freeze_garbage_collection
from dashboard.snapshot.context import EXTENSION
from models.access.person import Grant
from models.config.loading import load
from models.config.settings import Settings
from models.records.tokens import Tokens

GOAL = 3
OF_THE_COMPANY = ("/trust", "/finance")
"""Pages that are not there in a scope."""


def main() -> None:
    """Prints p95 of both, and exits with 1 if a scope adds too much."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--folder", type=Path, default=year.FOLDER)
    parser.add_argument("--workloads", default="workload-0*")
    asked = parser.parse_args()
    settings = load(year.prepare(asked.folder))
    app = create_app(settings)
    freeze_garbage_collection()
    with token(settings, asked.workloads) as header:
        whole, scoped = map(callbacks.p95, compared(app.server, header))
    print(
        f"{machine()}\np95 {whole:.1f} ms, of {asked.workloads} {scoped:.1f} ms, goal {GOAL} more"
    )
    sys.exit(scoped > whole + GOAL)


@contextmanager
def token(settings: Settings, pattern: str) -> Iterator[str]:
    """Yields the header of somebody who sees these workloads only."""
    tokens, name = Tokens(settings.data), f"benchmark {time.time_ns()}"
    yield f"Bearer {tokens.create(name, Grant('viewer', (pattern,)), 1)}"
    tokens.revoke(name)


def compared(server: Flask, header: str) -> tuple[list[float], list[float]]:
    """Returns the milliseconds of everybody's answers, and of those in a scope."""
    client = callbacks.tab(server)
    took: dict[str, list[float]] = {"": [], header: []}
    for path in callbacks.PATHS:
        if path in OF_THE_COMPANY:
            continue
        for request in callbacks.requests(client, path):
            for number in range(callbacks.ROUNDS + 1):
                for who, milliseconds in took.items():
                    client.environ_base |= {"HTTP_AUTHORIZATION": who}
                    server.extensions[EXTENSION].reader.forget()
                    spent, _ = callbacks.timed(client, request, number)
                    milliseconds += [spent] if number else []
        client.environ_base |= {"HTTP_AUTHORIZATION": ""}
    return took[""], took[header]


if __name__ == "__main__":
    main()
