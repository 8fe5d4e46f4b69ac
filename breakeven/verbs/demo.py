"""Defines the subcommand demo: builds a simulated company and serves it, to look at."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import click

from breakeven.processes import run_until_first_ends
from models.config.environment_overrides import PREFIX
from models.config.loading import load
from models.config.settings import Settings
from models.contract.shipped_data import shipped
from models.raw.private_files import close_to_others

COMPANY = shipped("data/company/breakeven.toml")
BACKUP = shipped("data/company/company.tar.zst")
ELSEWHERE = "../demo/warehouse.duckdb"
"""Where the warehouse is if somebody uses the company's config in its place."""
LOOK_FOR = "what has paid for itself, what loses, what nobody moved yet, and how sure that is"


@click.command()
@click.option(
    "--port",
    default=8050,
    show_default=True,
    envvar="PORT",
    type=click.IntRange(1, 65535),
    help="Port of the dashboard; or set PORT.",
)
def demo(port: int) -> None:
    """Builds the bundled demo company and serves it.

    It is built in a scratch folder, which is removed when you stop it.

    Example: PORT=9000 breakeven demo
    """
    from dashboard.server import gunicorn_server
    from models.engine.build import build

    gunicorn_server.check_free("127.0.0.1", port)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="breakeven-demo-") as folder:
        config = _config_in(Path(folder))
        settings = load(config, {})
        click.echo("Building a company of simulated usage at real prices …")
        restore_company(settings)
        build(settings)
        click.echo(f"For commands on it: --config {config}")
        click.echo("Its folder is removed when this stops.")
        click.echo(f"Look for   {LOOK_FOR}")  # `serve` says last where to look
        click.echo(f"Your own   {_own_command()} init, in a folder of yours")
        ours = {k: v for k, v in os.environ.items() if not k.startswith(PREFIX)}
        serving = ["serve", "--config", str(config), "--port", str(port)]
        sys.exit(run_until_first_ends(serving, environ=ours))


def _own_command() -> str:
    """Returns how to call breakeven from any folder: by path where PATH has none, as in a clone."""
    return (
        "breakeven" if shutil.which("breakeven") else shlex.quote(str(Path(sys.argv[0]).absolute()))
    )


def _config_in(folder: Path) -> Path:
    """Writes the company's config into a folder, beside the data that it names."""
    config = folder / "breakeven.toml"
    text = COMPANY.read_text(encoding="utf-8").replace(ELSEWHERE, "data/warehouse.duckdb")
    config.write_text(text, encoding="utf-8")
    return config


def restore_company(settings: Settings) -> None:
    """Restores the demo company's backup into the empty folder of the warehouse."""
    from models.records import audit, restoring

    close_to_others(settings)
    with tempfile.TemporaryDirectory(dir=_existing(settings.data)) as unpacked:
        about = restoring.unpack(BACKUP, Path(unpacked))
        restoring.restore(Path(unpacked), settings.data)
    audit.record(settings.data, "restore", audit.DONE, {"file": BACKUP.name, **about})


def _existing(folder: Path) -> Path:
    """Returns the nearest existing parent folder: on its file system, files only move."""
    return next(parent for parent in folder.parents if parent.is_dir())
