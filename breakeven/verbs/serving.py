"""Defines the subcommands that keep running: serve, schedule, and up, which runs both."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from breakeven.loading import load_to_write
from breakeven.options import config_option, listening_options
from breakeven.processes import run_until_first_ends
from models.access.acting import Actor, acting, administrator
from models.config.settings import Settings
from models.records.config_changes import record_changes


@click.command()
@config_option
@listening_options
def serve(config: Path | None, host: str, port: int, workers: int, insecure_no_auth: bool) -> None:
    """Serves the dashboard, which shows the published snapshot.

    Example: breakeven serve --port 9000 --workers 4
    """
    from breakeven.checks_and_cost import checks_and_cost
    from dashboard.server import gunicorn_server
    from dashboard.server.protection.open_address import refuse_open_address

    settings = load_to_write(config)
    refuse_open_address(host, allowed=insecure_no_auth or settings.is_protected)
    gunicorn_server.check_addresses(settings, host, port)
    found = checks_and_cost(settings)
    record_changes(settings, "serve")
    click.echo(f"Open http://{gunicorn_server.address(host, port)}  (Ctrl-C stops)")
    gunicorn_server.serve(settings, host, port, workers, found)


@click.command()
@config_option
def schedule(config: Path | None) -> None:
    """Runs the scheduler: pulls and builds at the times in [schedule].

    After each build it sends what is due: statements, digests and alerts. Times are cron
    expressions in UTC. Only one scheduler may run.

    Example: breakeven schedule
    """
    from ingest import schedule as scheduler
    from models.engine.build import build as derive
    from models.sending.alert_mail import send_alerts
    from models.sending.monthly_digest import send_due_digests
    from models.sending.sending import send_due

    def derive_and_send(settings: Settings) -> str:
        outcome = "; ".join(derive(settings, wait=-1).lines())
        with acting(Actor(administrator("schedule"), "scheduler")):
            send_due(settings)
            send_due_digests(settings)
            send_alerts(settings)
        return outcome

    settings = load_to_write(config)
    record_changes(settings, "schedule")
    scheduler.run(settings, derive_and_send)


@click.command()
@config_option
@listening_options
def up(config: Path | None, host: str, port: int, workers: int, insecure_no_auth: bool) -> None:
    """Runs the scheduler and the dashboard together.

    Example: breakeven up --port 9000
    """
    from dashboard.server import gunicorn_server
    from dashboard.server.protection.open_address import refuse_open_address

    settings = load_to_write(config)
    refuse_open_address(host, allowed=insecure_no_auth or settings.is_protected)
    gunicorn_server.check_addresses(settings, host, port)
    named = ["--config", str(config)] if config else []
    listen = ["--host", host, "--port", str(port), "--workers", str(workers)]
    listen += ["--insecure-no-auth"] if insecure_no_auth else []
    sys.exit(run_until_first_ends(["schedule", *named], ["serve", *named, *listen]))
