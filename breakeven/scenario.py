"""The verb `what-if`: the arithmetic of a migration that is not made yet."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import click

from breakeven.options import Number, Verb, config_option, json_option
from breakeven.output import show
from models.config.loading import load
from models.forecast.horizon import MONTHS as HORIZON


def scenario_options(verb: Verb) -> Verb:
    """Adds what a what-if may assume."""
    dollars, change, discount = Number("0"), Number("-1", "1"), Number("0", "1")
    options: tuple[tuple[str, Number, str], ...] = (
        ("--gpu-cost-per-run", dollars, "Dollars that a run costs on GPU today."),
        ("--gpu-cost-per-epoch", dollars, "The same for an epoch."),
        ("--trn-cost-per-run", dollars, "Dollars that a run costs on Trainium today."),
        ("--trn-cost-per-epoch", dollars, "The same for an epoch."),
        ("--epochs-per-run", Number("0.000001"), "Epochs that a run trains."),
        ("--runs-per-month", Number("0.000001"), "How often it is trained."),
        ("--porting-cost", dollars, "Dollars that the move costs once."),
        ("--upkeep-per-month", dollars, "Dollars that it costs every month."),
        ("--saved-so-far", Number(), "Dollars that earlier runs have saved net."),
        ("--gpu-price-change", change, "A fraction: -0.33 is a third cheaper."),
        ("--trn-price-change", change, "The same on Trainium."),
        ("--gpu-discount", discount, "A fraction off, beyond what today's cost carries."),
        ("--trn-discount", discount, "The same on Trainium."),
    )
    for flag, kind, meaning in reversed(options):
        verb = click.option(flag, type=kind, help=meaning)(verb)
    return verb


@click.command("what-if")
@config_option
@scenario_options
@click.option("--workload", metavar="NAME", help="Start from what this one costs and saves today.")
@click.option(
    "--months",
    default=HORIZON,
    show_default=True,
    type=click.IntRange(1, 600),
    help="How far ahead to add up.",
)
@json_option
def what_if(
    config: Path | None, workload: str | None, months: int, as_json: bool, **given: Decimal | None
) -> None:
    """Says when a migration would pay for itself: what is not given is today's, or nothing.

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
    """Whether the options alone say what a run costs on this side."""
    whole, each, epochs = (
        given[name] is not None
        for name in (f"{side}_cost_per_run", f"{side}_cost_per_epoch", "epochs_per_run")
    )
    return whole or (each and epochs)


def _given_twice(given: dict[str, Decimal | None], side: str) -> bool:
    """Whether a run's cost is given whole and by the epoch: one of them would count for nothing."""
    return None not in (given[f"{side}_cost_per_run"], given[f"{side}_cost_per_epoch"])
