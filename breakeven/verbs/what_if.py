"""Defines the subcommand `what-if`: when a planned migration would pay for itself."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import click

from breakeven.options import Number, Verb, config_option, json_option
from breakeven.output import show
from models.config.loading import load
from models.forecast.horizon import MONTHS as HORIZON


def scenario_options(verb: Verb) -> Verb:
    """Adds an option for each assumption of a what-if to a subcommand."""
    dollars, change, discount = Number("0"), Number("-1", "1"), Number("0", "1")
    options: tuple[tuple[str, Number, str], ...] = (
        ("--gpu-cost-per-run", dollars, "Dollars that a run costs on GPU today."),
        ("--gpu-cost-per-epoch", dollars, "Dollars that an epoch costs on GPU today."),
        ("--trn-cost-per-run", dollars, "Dollars that a run costs on Trainium today."),
        ("--trn-cost-per-epoch", dollars, "Dollars that an epoch costs on Trainium today."),
        ("--epochs-per-run", Number("0.000001"), "Epochs that a run trains."),
        ("--runs-per-month", Number("0.000001"), "Runs that are trained in a month."),
        ("--porting-cost", dollars, "What the move costs once, in dollars."),
        ("--upkeep-per-month", dollars, "Monthly upkeep in dollars."),
        ("--saved-so-far", Number(), "Net dollars saved so far."),
        ("--gpu-price-change", change, "Change of the GPU price: -0.33 is a third cheaper."),
        ("--trn-price-change", change, "Change of the Trainium price as a fraction."),
        ("--gpu-discount", discount, "Further discount on GPU as a fraction: 0.1 is 10 %."),
        ("--trn-discount", discount, "Further discount on Trainium as a fraction."),
    )
    for flag, kind, meaning in reversed(options):
        verb = click.option(flag, type=kind, help=meaning)(verb)
    return verb


@click.command("what-if")
@config_option
@scenario_options
@click.option(
    "--workload", metavar="NAME", help="Start from this workload's costs and savings today."
)
@click.option(
    "--months",
    default=HORIZON,
    show_default=True,
    type=click.IntRange(1, 600),
    help="Number of months to compute.",
)
@json_option
def what_if(
    config: Path | None, workload: str | None, months: int, as_json: bool, **given: Decimal | None
) -> None:
    """Computes when a migration would pay for itself.

    With --workload, options override its figures.

    \b
    Example: breakeven what-if --workload atlas-7b --gpu-price-change -0.33 --runs-per-month 6
    """
    from models.documents import what_if as outcome
    from models.engine.starting_points import starting_point
    from models.forecast.assumptions import assumed, lacking
    from models.forecast.what_if import what_if as compute

    twice = [side for side in ("gpu", "trn") if _given_twice(given, side)]
    if twice:
        named = " and ".join(f"--{side}-cost-per-run or --{side}-cost-per-epoch" for side in twice)
        raise click.UsageError(f"give {named}, not both")
    known = starting_point(workload, load(config)) if workload else None
    sides = [side for side in ("gpu", "trn") if not known and not _given(given, side)]
    if sides:
        named = " and ".join(f"--{side}-cost-per-run" for side in sides)
        raise click.UsageError(f"give {named} (or per epoch, with --epochs-per-run), or --workload")
    asked = assumed(given, known, months)
    found = compute(asked)
    lacks = lacking(asked)
    show(outcome.lines(asked, found, lacks), outcome.document(asked, found, lacks), as_json)


def _given(given: dict[str, Decimal | None], side: str) -> bool:
    """Whether options give a side's cost per run, or its cost per epoch and the epochs per run."""
    whole, each, epochs = (
        given[name] is not None
        for name in (f"{side}_cost_per_run", f"{side}_cost_per_epoch", "epochs_per_run")
    )
    return whole or (each and epochs)


def _given_twice(given: dict[str, Decimal | None], side: str) -> bool:
    """Whether options give a side's cost (GPU or Trainium) both per run and per epoch."""
    return None not in (given[f"{side}_cost_per_run"], given[f"{side}_cost_per_epoch"])
