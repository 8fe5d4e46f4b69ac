"""Asks the questions that a first config needs answered.

What AWS shows is suggested, what was given as an option is not asked. Nothing is written here:
whoever breaks off leaves everything as it was.
"""

from __future__ import annotations

from dataclasses import replace

import click

from ingest.paid_requests.ledger import RequestLedger
from ingest.setup.starter import AWS, CLOUDWATCH, COST_EXPLORER, Starter
from ingest.setup.survey import Survey, survey
from models.contract.errors import ConfigError

LOOK = "Look at AWS for what is there? (tags, if there are likely ones, for $0.01)"
ROLE = "arn:aws:iam::{account}:role/breakeven-reader"


def find_starter(given: Starter, *, asks: bool, detect: bool, ledger: RequestLedger) -> Starter:
    """Collects the answers for a first config, from the user, from AWS, or both.

    Raises `click.Abort` on Ctrl-C, `ConfigError` for a region that nothing would read.
    """
    look = detect or (asks and click.confirm(LOOK, True, err=True))
    seen = survey(given.region, ledger) if look else Survey()
    if look and not asks:
        _show(seen)
        _show_choice(given, seen)
    found = with_answers(given, seen) if asks else with_suggestions(given, seen)
    _warn_not_activated(found, seen)
    if given.region and not look and found.progress not in AWS:
        raise ConfigError(
            "--region: only progress that AWS tells has one",
            value=given.region,
            remedy=f"leave it out, or add --progress {' or '.join(AWS)}, or --detect",
        )
    return found


def with_suggestions(given: Starter, seen: Survey) -> Starter:
    """Fills in answers of a first config that were not given from what AWS shows."""
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


def with_answers(given: Starter, seen: Survey) -> Starter:
    """Asks the user every open question of a first config. Raises `click.Abort` on Ctrl-C."""
    offered = with_suggestions(given, seen)
    _show(seen)
    return _members(_tags(given, _where(given, offered), seen), seen)


def _where(given: Starter, offered: Starter) -> Starter:
    bill, kind = offered.bill, offered.kind
    if not given.bill:
        default = bill or "s3://your-bucket/your-prefix/your-export"
        bill = _prompt(f"Where is the bill? (a folder, s3://…, or {COST_EXPLORER})", default)
        if bill not in (offered.bill, COST_EXPLORER):
            kinds = click.Choice(["focus", "cur2"])
            kind = click.prompt("Which export is it?", default=kind, type=kinds, err=True)
    progress = given.progress
    if not progress:
        places = f"a file, a folder, MLflow's address, {' or '.join(AWS)}"
        question = f"Where does it say how far runs got? ({places})"
        progress = _prompt(question, offered.progress or "epochs.csv")
    return replace(offered, bill=bill, kind=kind, progress=progress)


def _tags(given: Starter, offered: Starter, seen: Survey) -> Starter:
    known = f" (seen: {', '.join(seen.tags[:12])})" if seen.tags else ""
    workload, run = given.workload_tag, given.run_tag
    return replace(
        offered,
        workload_tag=workload
        or _prompt(f"Which tag names the workload?{known}", offered.workload_tag or "workload"),
        run_tag=run or _prompt("Which tag names the run?", offered.run_tag or "run"),
    )


def _members(starter: Starter, seen: Survey) -> Starter:
    """Asks whether to read all accounts, if there are several and progress is CloudWatch's."""
    question = f"Read all {len(seen.members)} accounts of the organisation?"
    if len(seen.members) < 2 or starter.progress != CLOUDWATCH:
        return starter
    if not click.confirm(question, default=True, err=True):
        return starter
    role = _prompt("Which role is assumed in each?", ROLE)
    agreed = _prompt("Which external id do its trust policies ask for?", "")
    return replace(
        starter,
        payer=seen.account,
        accounts=_unique_names(seen.members),
        role_arn=role,
        external_id=agreed,
    )


def _unique_names(members: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Empties the names that several accounts of an organisation share; all accounts stay."""
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


def _warn_not_activated(found: Starter, seen: Survey) -> None:
    """Warns of each tag of the first config that is not among the activated ones, if any are."""
    for flag, key in (("workload", found.workload_tag), ("run", found.run_tag)):
        if seen.active and key and key not in seen.active:
            click.echo(
                f'tags.{flag} = "{key}" is not activated: console: Billing and Cost Management > '
                "Cost allocation tags, in the payer",
                err=True,
            )


def show_open_questions(found: Starter) -> None:
    """Prints which of bill and progress a first config still has as the template's example."""
    for value, what in (
        (found.bill, "where the bill is, `location` of the first [[sources]]"),
        (found.progress, "where it says how far runs got, the second [[sources]]"),
    ):
        if not value:
            click.echo(f"To fill in: {what}", err=True)


def _show_choice(given: Starter, seen: Survey) -> None:
    """Prints which of several exports a first config uses, unless the bill was given."""
    if len(seen.exports) < 2 or given.bill:
        return
    kind, place = seen.exports[0]
    click.echo(f"Taken: {place} ({kind}); --bill and --kind take another.", err=True)
