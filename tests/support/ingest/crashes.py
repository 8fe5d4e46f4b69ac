"""What runs in processes of its own, to be killed there: each function is a whole process."""

from __future__ import annotations

import os
import resource
import signal
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from ingest.paid_requests.metering import MeteredClient
from ingest.pull import pull
from ingest.schedule import service
from ingest.source import Window
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.errors import BreakevenError
from models.intake import delivery_checks, text_to_parquet
from models.raw import atomic_files, staging
from models.raw.delivery import Delivery
from models.raw.marker import write_marker

BILL = {"kind": "focus", "location": "exp"}
KILLED = 9


def settings(home: Path) -> Settings:
    """A bill in `exp`."""
    return validated_settings({"sources": [BILL]}, home=home)


def die(*_: object, **__: object) -> NoReturn:
    """As if the power went: no clean-up of any kind."""
    os._exit(KILLED)


def dies_after(real: Callable[..., object]) -> Callable[..., object]:
    """`real`, and then the power goes."""

    def both(*given: object, **named: object) -> object:
        real(*given, **named)
        die()

    return both


def dies_writing(real: Callable[[Delivery], None]) -> Callable[[Delivery], None]:
    """`real`, in which the power goes when its file is there and nothing stands in it."""

    def begun(delivery: Delivery) -> None:
        atomic_files.json.dumps = die  # type: ignore[attr-defined]
        real(delivery)

    return begun


def pull_killed(home: Path, stage: str) -> None:
    """A pull that ends at one of its stages."""
    if stage == "fetched":
        staging.Staging.add = die  # type: ignore[method-assign]
    elif stage == "written":
        staging.Staging.add = dies_after(staging.Staging.add)  # type: ignore[method-assign, assignment]
    elif stage == "checked":
        delivery_checks.check_delivery = dies_after(delivery_checks.check_delivery)  # type: ignore[assignment]
    elif stage == "marker begun":
        staging.write_marker = dies_writing(staging.write_marker)  # type: ignore[attr-defined]
    elif stage == "sealed":
        staging.write_marker = dies_after(staging.write_marker)  # type: ignore[attr-defined, assignment]
    pull(settings(home), ["focus"])


def pull_paid_for_killed(
    home: Path, table: Mapping[str, Any], environ: Mapping[str, str], window: Window, answers: int
) -> None:
    """A pull that is killed once it has sealed a month, or was given so many paid answers."""
    os.environ.update(environ)
    call, asked = MeteredClient.call, 0

    def counted(
        self: MeteredClient, method: str, *given: object, **named: object
    ) -> dict[str, Any]:
        nonlocal asked
        asked += 1
        if asked > answers:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(self, method, *given, **named)  # type: ignore[arg-type]

    def written(delivery: Delivery) -> None:
        write_marker(delivery)
        if delivery.format == "cost_explorer":
            die()

    MeteredClient.call = counted  # type: ignore[assignment, method-assign]
    staging.write_marker = written  # type: ignore[attr-defined]
    pull(validated_settings(dict(table), home=home), ["cost_explorer"], window).raise_failures()


def pull_that_hangs(home: Path, ready: Connection) -> None:
    """A pull that never comes to the end of its check."""

    def hang(*_: object, **__: object) -> None:
        ready.send("hangs")
        threading.Event().wait()

    delivery_checks.check_delivery = hang  # type: ignore[assignment]
    pull(settings(home), ["focus"])


def pull_on_a_small_disk(home: Path, said: Connection) -> None:
    """A pull that may write files of 20 kB at most; says how it ended."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    try:
        pull(settings(home), ["focus"]).raise_failures()
        said.send("done")
    except BreakevenError as error:
        said.send(f"{type(error).__name__} {error}")


def convert_on_a_small_disk(home: Path, said: Connection) -> None:
    """The conversion of a CSV file whose copy does not fit."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    try:
        text_to_parquet.csv_to_parquet(home / "a.csv", home / "a.parquet")
        said.send("done")
    except BreakevenError as error:
        said.send(f"{type(error).__name__} {error}")


def scheduler(home: Path, said: Connection, hangs: bool) -> None:
    """A scheduler of the shipped prices whose build says so, and ends or hangs."""
    service.GRACE = 0.5

    def build(_: Settings) -> None:
        said.send("built")
        if hangs:
            threading.Event().wait()

    service.run(validated_settings({"schedule": {"prices": "0 0 1 1 *"}}, home=home), build)
    said.send("ended")
