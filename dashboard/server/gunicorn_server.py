"""Serves the dashboard with gunicorn: any number of workers, several threads in each."""

from __future__ import annotations

import errno
import gc
import os
import socket
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication

from dashboard.server.app import create_app
from models.config.settings import Settings
from models.contract.errors import ConfigError

THREADS = 4
STOP_SECONDS = 10
SELDOM = (20_000, 10, 10)
"""Thresholds of the garbage collector; a page makes some thousands of objects."""
NEVER = 0
"""Gunicorn's value for no limit."""


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn is not typed
    """Configures gunicorn from here alone, not from its command line or configuration file."""

    def __init__(self, app: Flask, options: dict[str, Any]) -> None:
        self.app, self.options = app, options | {"post_worker_init": self.ready}
        super().__init__()

    def load_config(self) -> None:
        """Sets the options; called by gunicorn."""
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def ready(self, _worker: object) -> None:
        """Warms a worker up before it accepts requests; called by gunicorn.

        Dash finishes its set-up in the first request it sees; two first requests at once would
        race, and one of them would be told that a script does not exist.
        """
        self.app.test_client().get("/healthz")
        freeze_garbage_collection()

    def load(self) -> Flask:
        """Returns the app once, before the workers fork; called by gunicorn."""
        return self.app


def freeze_garbage_collection() -> None:
    """Exempts all that exists once the app answers from garbage collection.

    One that looks at all of it takes a tenth of a second, in the middle of somebody's answer.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)


def serve(settings: Settings, host: str = "127.0.0.1", port: int = 8050, workers: int = 2) -> None:
    """Serves until SIGINT or SIGTERM, lets running requests finish, and ends the process.

    Raises `ConfigError` before anything starts when the address cannot be listened on.
    """
    check_free(host, port)
    Server(create_app(settings).server, options(host, port, workers)).run()


def options(host: str, port: int, workers: int) -> dict[str, Any]:
    """Returns gunicorn's options.

    Its `timeout` is no limit on a request here: a worker's own thread only says that it is there,
    the requests run in others. It would find no hung request, and would kill every idle worker
    of a machine that was suspended or starved for longer than it.
    """
    return {
        "bind": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
        "workers": workers,
        "worker_class": "gthread",
        "threads": THREADS,
        "preload_app": True,
        "timeout": NEVER,
        "graceful_timeout": STOP_SECONDS,
        "control_socket_disable": True,
        "loglevel": "warning",
        "proc_name": "breakeven",
        "post_fork": _apart,
    }


def _apart(_server: object, _worker: object) -> None:
    """Puts a worker in a process group of its own, so that Ctrl-C reaches the master alone."""
    os.setpgid(0, 0)


def check_free(host: str, port: int) -> None:
    """Raises `ConfigError` if the address cannot be listened on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            what = "the port is taken" if error.errno == errno.EADDRINUSE else "cannot listen"
            raise ConfigError(
                what,
                value=f"{host}:{port}, {error.strerror}",
                remedy="choose another with --port, or stop what uses it",
            ) from None
        except OverflowError:
            raise ConfigError("not a port", value=port, remedy="use 1 to 65535") from None
