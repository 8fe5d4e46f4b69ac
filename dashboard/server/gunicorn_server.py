"""Serves the dashboard with gunicorn: any number of waitress workers, several threads in each."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from dashboard.server.app import create_app
from dashboard.server.metrics.place import metrics_place
from dashboard.server.metrics.workers_folder import remove_counts, share_counts_among_workers
from dashboard.snapshot.context import EXTENSION
from dashboard.wording.setup_steps import SetupStep
from models.config.settings import Settings
from models.contract.errors import ConfigError

THREADS = 4
WORKER = "dashboard.server.waitress_worker.WaitressWorker"
STOP_SECONDS = 10
KEEP_SECONDS = 75
"""How long an idle connection is kept: longer than a proxy in front keeps it (nginx: 60 s)."""
SELDOM = (20_000, 10, 10)
"""Thresholds of the garbage collector; a page makes some thousands of objects."""
STOPPING = "SIGQUIT"
"""What gunicorn sends to workers on Ctrl-C. One that has no handler yet ends by it."""
NEVER = 0
"""Gunicorn's value for no limit."""


class OurLog(Logger):  # type: ignore[misc]  # gunicorn is not typed
    """Leaves gunicorn's warnings to the program's own log, which writes one JSON object a line."""

    def setup(self, cfg: object) -> None:
        """Removes gunicorn's log handler, which would write plain text; called by gunicorn."""
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True

    def warning(self, msg: str, *args: object, **kwargs: object) -> None:
        """Logs a warning of gunicorn, but not that SIGQUIT ended a worker.

        It is what Ctrl-C has gunicorn send, and one that is just starting has no handler for it.
        """
        if STOPPING not in args:
            super().warning(msg, *args, **kwargs)


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn is not typed
    """The gunicorn server of the dashboard, configured in code alone."""

    def __init__(
        self, app: Flask, options: dict[str, Any], further_apps: tuple[Flask, ...] = ()
    ) -> None:
        """Stores the app of the first address in `bind`, and the apps of the others."""
        self.app, self.further_apps = app, further_apps
        self.options = options | {"post_worker_init": self.ready}
        super().__init__()

    def load_config(self) -> None:
        """Passes the options to gunicorn's own configuration; called by gunicorn."""
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def ready(self, _worker: object) -> None:
        """Warms a gunicorn worker up before it accepts requests; called by gunicorn.

        Dash finishes its set-up in the first request that it sees. Two first requests at once would
        race, and one of them would get 404 for a script.
        """
        self.app.test_client().get("/livez")
        freeze_garbage_collection()

    def load(self) -> Flask:
        """Returns the dashboard app; gunicorn calls it once, before its workers fork."""
        return self.app


def freeze_garbage_collection() -> None:
    """Exempts all present objects from garbage collection, and makes collections rarer.

    A collection that looks at all of them takes a tenth of a second, and delays whatever answer is
    being made.
    """
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # else DuckDB tells at exit of objects that no search has freed
    gc.set_threshold(*SELDOM)


def serve(
    settings: Settings,
    host: str = "127.0.0.1",
    port: int = 8050,
    workers: int = 2,
    checks_and_cost: Sequence[SetupStep] = (),
) -> None:
    """Serves the dashboard until SIGINT or SIGTERM, then lets running requests finish.

    `checks_and_cost` is what pages show until a first snapshot is published: what is missing, and
    what AWS will bill. Raises `ConfigError` before anything starts when an address cannot be
    listened on.
    """
    check_addresses(settings, host, port)
    place = metrics_place(settings)
    configured = options(host, port, workers)
    if place is None:
        Server(create_app(settings, None, checks_and_cost).server, configured).run()
        return
    share_counts_among_workers()
    app = create_app(settings, place, checks_and_cost).server
    configured["on_exit"] = remove_counts
    further_apps: tuple[Flask, ...] = ()
    if place.port:
        from dashboard.server.metrics.scrape import metrics_server

        configured["bind"] = [configured["bind"], address(place.host, place.port)]
        further_apps = (metrics_server(place.token, app.extensions[EXTENSION]),)
    Server(app, configured, further_apps).run()


def check_addresses(settings: Settings, host: str, port: int) -> None:
    """Raises `ConfigError` if the address of the dashboard or of metrics cannot be listened on."""
    with listening(host, port):
        place = metrics_place(settings)
        if place and place.port:
            check_free(place.host, place.port, "serve.metrics")


def options(host: str, port: int, workers: int) -> dict[str, Any]:
    """Returns the gunicorn options of the dashboard: address, workers, threads, timeouts.

    gunicorn's `timeout` is switched off. It would limit no request: requests run in other threads
    than the one whose sign of life it awaits. It would not find a hung request, but would kill
    every worker of a machine that was suspended or starved for longer.
    """
    return {
        "bind": address(host, port),
        "workers": workers,
        "worker_class": WORKER,
        "threads": THREADS,
        "preload_app": True,
        "timeout": NEVER,
        "keepalive": KEEP_SECONDS,
        "graceful_timeout": STOP_SECONDS,
        "control_socket_disable": True,
        "loglevel": "warning",
        "logger_class": OurLog,
        "proc_name": "breakeven",
        "post_fork": _own_process_group,
    }


def address(host: str, port: int) -> str:
    """Returns `host:port` as gunicorn takes it, with an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _own_process_group(_server: object, _worker: object) -> None:
    """Puts a gunicorn worker in its own process group, so that Ctrl-C reaches only the master."""
    os.setpgid(0, 0)


def check_free(host: str, port: int, option: str = "--port") -> None:
    """Raises `ConfigError`, with a remedy, if the server cannot listen on an address."""
    with listening(host, port, option):
        return


@contextmanager
def listening(host: str, port: int, option: str = "--port") -> Iterator[None]:
    """Listens on an address during a `with` block; `ConfigError` if that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except OSError as error:
            what = "the port is taken" if error.errno == errno.EADDRINUSE else "cannot listen"
            raise ConfigError(
                what,
                value=f"{host}:{port}, {error.strerror}",
                remedy=f"choose another with {option}, or stop what uses it",
            ) from None
        except TypeError:  # what Python says of a name beyond ASCII that it cannot encode
            raise ConfigError(
                "not a host name", value=host, remedy=f"choose another with {option}"
            ) from None
        except OverflowError:
            raise ConfigError("not a port", value=port, remedy="use 1 to 65535") from None
        yield
