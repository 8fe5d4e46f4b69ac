"""Defines the subcommands to start with: init, doctor, estimate."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from breakeven.options import Verb, config_argument, config_option, json_option
from breakeven.output import show
from models.config.loading import config_path, load
from models.contract.errors import ConfigError

NEXT = "Next: breakeven doctor{0}, then breakeven ingest{0} && breakeven build{0}"
GO_ON = "There is {} already. Go on with it?"


def starting_options(verb: Verb) -> Verb:
    """Adds the options that describe a first config, such as `--bill`, to a subcommand."""
    options: tuple[tuple[str, str], ...] = (
        ("--bill", "The bill: a folder, s3://bucket/prefix/export, or cost_explorer."),
        ("--workload-tag", "The tag that names the workload."),
        ("--run-tag", "The tag that names the run."),
        ("--progress", "Progress: a file, a folder, URL of MLflow or W&B, cloudwatch, sagemaker."),
        ("--region", "Region where you train, for cloudwatch, sagemaker and --detect."),
    )
    for flag, meaning in reversed(options):
        verb = click.option(flag, default="", help=meaning)(verb)
    return verb


@click.command()
@config_option
@starting_options
@click.option(
    "--kind",
    type=click.Choice(["focus", "cur2"]),
    default=None,
    help="Format of the bill's export; default: what its files say, else focus.",
)
@click.option("--detect", is_flag=True, help="Look in AWS for exports, tags ($0.01) and workloads.")
@click.option(
    "--ask/--no-ask", default=None, help="Ask for missing values (default: yes on a terminal)."
)
@click.option("--force", is_flag=True, help="Replace an existing config.")
def init(
    config: Path | None,
    detect: bool,
    ask: bool | None,
    force: bool,
    **given: Any,  # noqa: ANN401 - the words of `InitAnswers`
) -> None:
    """Writes a commented breakeven.toml.

    On a terminal it then guides you to a first result.

    It takes values from the options, from your answers, and with --detect from AWS. Then it
    checks the set-up, says what AWS will bill, pulls one month, builds, and names the first
    answer or what is in its way. Run it again to go on: it asks again what was left open. Exits
    with 1 if a check blocks; the config stays.

    Example: breakeven init --detect
    """
    from breakeven.init_guide import guide
    from ingest.doctor.config.export_kind import kind_of
    from ingest.files.s3 import BilledTo
    from ingest.paid_requests.ledger import RequestLedger
    from ingest.setup.first_config import InitAnswers, write_config
    from ingest.setup.interview import collect_answers, show_open_questions
    from ingest.setup.open_answers import complete_config
    from ingest.setup.places import PlaceChecks, check_progress
    from models.config.bill import Cost

    path = config_path(config)
    asks = sys.stdin.isatty() if ask is None else ask
    home = path.absolute().parent
    ledger = RequestLedger(home / "data", Cost().api_budget_usd_per_day)
    billed_to = BilledTo(ledger, "init")
    checks = PlaceChecks(
        bill=partial(kind_of, home=home, billed_to=billed_to),
        progress=partial(check_progress, home=home, billed_to=billed_to),
    )
    answers = InitAnswers(**(given | {"kind": given["kind"] or ""}))
    if asks and not force and path.exists() and click.confirm(GO_ON.format(path), True, err=True):
        complete_config(path, answers, checks)
        sys.exit(not guide(path))
    found = write_config(
        path,
        lambda: collect_answers(answers, asks=asks, detect=detect, ledger=ledger, checks=checks),
        force=force,
    )
    show_open_questions(found)
    if not asks or not (found.bill and found.progress):
        click.echo(f"Wrote {path}. {NEXT.format(config_argument(path))}")
        return
    click.echo(f"Wrote {path}.")
    sys.exit(not guide(path))


@click.command()
@config_option
@json_option
def doctor(config: Path | None, as_json: bool) -> None:
    """Checks the set-up and says how to fix what is wrong.

    Prints one line per check; exits with 1 if something blocks. Changes nothing. Costs $0.01 if a
    tag is on no bill yet: then it asks Cost Explorer.

    Example: breakeven doctor
    """
    from ingest.doctor import examine
    from ingest.doctor.finding import finding_of

    found = []
    try:
        for finding in examine(load(config)):
            found.append(finding)
            if not as_json:
                click.echo(finding.line())
    except ConfigError as error:
        found.append(finding_of("config", "breakeven.toml", error))
        if not as_json:
            raise
    if as_json:
        show([], [finding.document() for finding in found], as_json)
    sys.exit(any(finding.state == "blocks" for finding in found))


@click.command()
@config_option
@click.option(
    "--workloads",
    type=click.IntRange(1, 100_000),
    help="Number of workloads to assume; default: those in the config, else 50.",
)
@json_option
def estimate(config: Path | None, workloads: int | None, as_json: bool) -> None:
    """Estimates what AWS requests will cost in a month.

    It assumes the schedule in the config, and sends no request itself.

    Example: breakeven estimate --workloads 50
    """
    from ingest.estimate import Scale
    from ingest.estimate import estimate as predict

    found = predict(load(config), Scale(workloads) if workloads else None)
    show(found.lines(), found.document(), as_json)
