"""Asks the user what a first config needs to know.

What AWS shows is suggested; what was given as an option is not asked for. Nothing is written here,
so an interruption changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import click

from ingest.files.s3 import SCHEME
from ingest.paid_requests.ledger import RequestLedger
from ingest.setup.first_config import (
    AWS,
    CLOUDWATCH,
    COST_EXPLORER,
    FOCUS,
    InitAnswers,
    refuse_other_bytes,
)
from ingest.setup.places import PlaceChecks
from ingest.setup.survey import Survey, survey
from models.contract.errors import BreakevenError, ConfigError, InputError

LOOK = "Look in AWS for exports, tags and workloads? ($0.01 if likely tags exist)"
WHERE_BILL = "Where is the bill?"
WHERE_PROGRESS = "Where is the progress of runs?"
Found = TypeVar("Found")
ROLE = "arn:aws:iam::{account}:role/breakeven-reader"


def collect_answers(
    given: InitAnswers, *, asks: bool, detect: bool, ledger: RequestLedger, checks: PlaceChecks
) -> InitAnswers:
    """Collects the answers for a first config from options, from AWS and from the user.

    Raises `click.Abort` on Ctrl-C, `ConfigError` for a region that nothing would read.
    """
    look = detect or (asks and click.confirm(LOOK, True, err=True))
    seen = survey(given.region, ledger) if look else Survey()
    if look and not asks:
        _show(seen)
        _show_choice(given, seen)
    refuse_other_bytes(given.bill, given.bill)
    if given.bill and (asks or look or SCHEME not in given.bill):
        given = replace(given, kind=given.kind or _kind(given.bill, checks))
    if given.progress and (asks or look or SCHEME not in given.progress):
        given = replace(given, progress_kind=_seen(given.progress, checks.progress))
    found = with_answers(given, seen, checks) if asks else with_suggestions(given, seen)
    _warn_not_activated(found, seen)
    if given.region and not look and found.progress not in AWS:
        raise ConfigError(
            "--region: only progress from AWS has a region",
            value=given.region,
            remedy=f"leave it out, or add --progress {' or '.join(AWS)}, or --detect",
        )
    return found


def with_suggestions(given: InitAnswers, seen: Survey) -> InitAnswers:
    """Returns a first config's answers; those the user left out are what AWS shows."""
    kind, place = seen.exports[0] if seen.exports else (given.kind, "")
    return replace(
        given,
        bill=given.bill or place,
        kind=given.kind if given.bill else kind,
        workload_tag=given.workload_tag or seen.likely("workload"),
        run_tag=given.run_tag or seen.likely("run"),
        progress=given.progress or (CLOUDWATCH if seen.workloads else ""),
        region=given.region or seen.region,
        workloads=given.workloads or tuple(seen.workloads),
    )


def with_answers(given: InitAnswers, seen: Survey, checks: PlaceChecks) -> InitAnswers:
    """Asks the user the open questions of a first config, and returns all answers.

    Raises `click.Abort` on Ctrl-C.
    """
    offered = with_suggestions(given, seen)
    _show(seen)
    return _members(_tags(given, _where(given, offered, checks), seen), seen)


def ask_places(given: InitAnswers, offered: InitAnswers, checks: PlaceChecks) -> InitAnswers:
    """Asks the user where the bill and progress are, unless that is given; returns all answers."""
    return _where(given, offered, checks)


def _where(given: InitAnswers, offered: InitAnswers, checks: PlaceChecks) -> InitAnswers:
    bill, kind = (offered.bill, offered.kind) if given.bill else _bill(offered, checks)
    progress, files = given.progress, given.progress_kind
    if not progress:
        progress, files = _progress(offered, checks)
    return replace(offered, bill=bill, kind=kind, progress=progress, progress_kind=files)


def _bill(offered: InitAnswers, checks: PlaceChecks) -> tuple[str, str]:
    """Asks where the bill is, and which export, unless its files or AWS tell."""
    none_yet = "" if offered.bill else "; Enter: none yet"
    places = f"a folder, s3://bucket/prefix/export, or {COST_EXPLORER}{none_yet}"
    bill = _prompt(f"{WHERE_BILL} ({places})", offered.bill)
    known = (offered.bill, COST_EXPLORER)
    bill, kind = _checked(WHERE_BILL, bill, known, checks.bill)
    if kind:
        return bill, kind
    if bill in known:
        return bill, offered.kind
    kinds = click.Choice(["focus", "cur2"])
    default = offered.kind or FOCUS
    kind = click.prompt("Which export is it?", default=default, type=kinds, err=True)
    return bill, str(kind)


def _progress(offered: InitAnswers, checks: PlaceChecks) -> tuple[str, str]:
    """Asks where the progress of runs is; returns the location and the kind of files there."""
    places = f"a file, a folder, MLflow's or W&B's address, {' or '.join(AWS)}"
    suggested = offered.progress or "epochs.csv"
    place = _prompt(f"{WHERE_PROGRESS} ({places})", suggested)
    place, files = _checked(WHERE_PROGRESS, place, (suggested,), checks.progress)
    return place, files or ""


def _checked(
    question: str, place: str, known: tuple[str, ...], check: Callable[[str], Found]
) -> tuple[str, Found | None]:
    """Asks the user for a location, again if the check finds nothing; returns it and the finding.

    It asks again, too, where a location is none. Unchecked are the `known` places, one that is
    given a second time, and what cannot be seen.
    """
    while place not in known:
        try:
            return place, check(place)
        except (InputError, ConfigError) as error:
            click.echo(str(error), err=True)
        except BreakevenError as error:
            click.echo(f"Not seen: {error}", err=True)
            break
        before, place = place, _prompt(f"{question} (Enter: there, later)", place)
        if place == before:
            break
    return place, None


def _kind(bill: str, checks: PlaceChecks) -> str:
    """Returns which kind of export is at a given location; "" where it cannot be seen."""
    return "" if bill == COST_EXPLORER else _seen(bill, checks.bill)


def _seen(place: str, check: Callable[[str], str]) -> str:
    """Returns what a check finds at a location; "" where the check fails."""
    try:
        return check(place)
    except BreakevenError:
        return ""


def _tags(given: InitAnswers, offered: InitAnswers, seen: Survey) -> InitAnswers:
    """Asks for the two tags; not where the bill itself will tell (`breakeven.init_guide`)."""
    if not seen.tags and offered.bill != COST_EXPLORER:
        return offered
    known = f" (seen: {', '.join(seen.tags[:12])})" if seen.tags else ""
    workload, run = given.workload_tag, given.run_tag
    return replace(
        offered,
        workload_tag=workload
        or _prompt(f"Which tag names the workload?{known}", offered.workload_tag or "workload"),
        run_tag=run or _prompt("Which tag names the run?", offered.run_tag or "run"),
    )


def _members(answers: InitAnswers, seen: Survey) -> InitAnswers:
    """Asks whether to read all accounts, if there are several and progress is in CloudWatch."""
    question = f"Read all {len(seen.members)} accounts of the organisation?"
    if len(seen.members) < 2 or answers.progress != CLOUDWATCH:
        return answers
    if not click.confirm(question, default=True, err=True):
        return answers
    role = _prompt("Which role should be assumed in each?", ROLE)
    agreed = _prompt("Which external id do their trust policies require?", "")
    return replace(
        answers,
        payer=seen.account,
        accounts=_unique_names(seen.members),
        role_arn=role,
        external_id=agreed,
    )


def _unique_names(members: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Replaces names that several accounts of an organisation share by ""; all accounts stay."""
    names = [name for _, name in members]
    return tuple((id_, name if names.count(name) == 1 else "") for id_, name in members)


def _prompt(question: str, default: str) -> str:
    answer: str = click.prompt(question, default=default, show_default=bool(default), err=True)
    return answer.strip()


def _show(seen: Survey) -> None:
    if seen.account:
        click.echo(f"AWS answers as account {seen.account}, in {seen.region}.", err=True)
    for kind, place in seen.exports:
        click.echo(f"An export ({kind}): {place}", err=True)
    for what, names in (("Tags that are activated", seen.active), ("Workloads", seen.workloads)):
        if names:
            click.echo(f"{what}: {', '.join(names)}", err=True)
    for line in seen.unseen:
        click.echo(f"Not seen: {line}", err=True)


def _warn_not_activated(found: InitAnswers, seen: Survey) -> None:
    """Warns of each tag of the first config that is not among the activated ones, if any are."""
    for flag, key in (("workload", found.workload_tag), ("run", found.run_tag)):
        if seen.active and key and key not in seen.active:
            click.echo(
                f'tags.{flag} = "{key}" is not activated: console: Billing and Cost Management > '
                "Cost allocation tags, in the payer",
                err=True,
            )


def show_open_questions(found: InitAnswers) -> None:
    """Prints whether the bill or progress of a first config is still to be filled in."""
    for value, what in (
        (found.bill, "where the bill is, `location` of the first [[sources]]"),
        (found.progress, "where progress is, `location` of the second [[sources]]"),
    ):
        if not value:
            click.echo(f"To fill in: {what}", err=True)


def _show_choice(given: InitAnswers, seen: Survey) -> None:
    """Prints which of several exports a first config uses, unless the bill was given."""
    if len(seen.exports) < 2 or given.bill:
        return
    kind, place = seen.exports[0]
    click.echo(f"Using {place} ({kind}); --bill and --kind choose another.", err=True)
