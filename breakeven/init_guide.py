"""Leads on from `breakeven init` to a first number: check, cost, one month, answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from breakeven.loading import load_to_write
from breakeven.options import config_argument
from breakeven.output import progress_reporter
from models.config.settings import Settings
from models.documents.wording import percent
from models.engine.source_lines.tags_on_machines import MachineTag
from models.records.audit import audited

if TYPE_CHECKING:  # what the command imports only when it runs, so that --help stays quick
    from ingest.source import Window
    from models.documents.answer_so_far import Obstacle

AGAIN = """Then run `breakeven init{1}` again: it goes on from here.
If an answer was wrong: correct it in {0}, or let `breakeven init{1} --force` ask anew."""
MOST_SHOWN = 50
"""Tags that are printed, the costliest first; any tag of the bill may be chosen."""
OLDER = "Pull all other months of the bill too, and answer again?"
NEXT = """
All of it:         breakeven ingest{0} && breakeven build{0}
Look at it:        breakeven up{0}          (http://127.0.0.1:8050)
What is missing:   breakeven doctor{0}"""


def guide(path: Path) -> bool:
    """Checks a config, pulls one month, builds, and prints the first answer or what is in its way.

    Returns whether no check blocks. Asks before AWS is paid, which tags name workload and run where
    the bill has not those of the config, and whether to pull the months before where the answer
    needs them. Raises `BreakevenError`, and `click.Abort` on Ctrl-C; what was done stays.
    """
    from ingest.source import Window

    settings = load_to_write(path)
    if not _passes(settings, path):
        return False
    if not _affordable(settings):
        return True
    month = _pull_first_month(settings)
    settings = _with_tags_of_the_bill(settings, path)
    _title(4, "The first answer")
    obstacle = _answer(settings)
    if month and obstacle and obstacle.of_older_months and click.confirm(OLDER, True, err=True):
        _pull(settings, Window())
        _answer(settings)
    click.echo(NEXT.format(config_argument(path)))
    return True


def _title(number: int, text: str) -> None:
    click.secho(f"\n{number} of 4  {text}", bold=True)


def _passes(settings: Settings, path: Path) -> bool:
    """Runs the checks and prints warnings and blockers; returns whether nothing blocks."""
    from ingest.doctor import examine

    _title(1, "Checks")
    findings = list(examine(settings))
    for finding in findings:
        if finding.state in ("warning", "blocks"):
            click.echo(finding.line())
    states = Counter(finding.state for finding in findings)
    later = f", {states['skipped']} have nothing to check yet" if states["skipped"] else ""
    click.echo(f"{states['ok']} of {len(findings)} checks are fine{later}")
    blocked = any(finding.state == "blocks" for finding in findings)
    if blocked:
        click.echo(f"Mend what blocks. {AGAIN.format(path, config_argument(path))}")
    return not blocked


def _affordable(settings: Settings) -> bool:
    """Prints what AWS will bill for requests; returns whether that is $0 or the user accepts it."""
    from dashboard.wording.setup_steps import COST, request_cost
    from ingest.estimate import estimate

    _title(2, COST)
    found = estimate(settings)
    click.echo(request_cost(found.dollars, found.first_pull))
    costs = found.dollars + found.first_pull > 0
    return not costs or click.confirm("Go on?", default=True, err=True)


def _pull_first_month(settings: Settings) -> str | None:
    """Pulls the newest whole month, else everything; returns the month, None for everything."""
    from ingest.setup.first_month import first_month, window_of
    from ingest.source import ALL, Window

    month = first_month(settings)
    bill = "The bill" if month == ALL else f"The bill of {month}"
    _title(3, f"{bill}, and progress" if month else "Progress; there is no bill yet")
    _pull(settings, window_of(month) if month else Window())
    return None if month == ALL else month


def _pull(settings: Settings, window: Window) -> None:
    from ingest.pull import pull
    from models.engine.build import refresh

    about = {"sources": (), "window": str(window)}
    with audited(settings.data, "ingest", about, role="admin"), progress_reporter() as tell:
        report = pull(settings, (), window, tell=tell)
        refresh(settings)
    for line in report.lines():
        click.echo(line)
    report.raise_failures()


def _with_tags_of_the_bill(settings: Settings, path: Path) -> Settings:
    """Asks which tags name workload and run, if machines lack the config's; writes the answers."""
    from ingest.setup.first_config import set_tags
    from ingest.setup.survey import likely
    from models.config.tags import plain
    from models.engine.source_lines.tags_on_machines import tags_on_machines

    seen = tags_on_machines(settings)
    keys = [tag.key for tag in seen]
    tag_keys = {"workload": settings.tags.workload, "run": settings.tags.run}
    words = {plain(key) for key in keys}
    missing = [name for name, key in tag_keys.items() if plain(key) not in words]
    if not keys or not missing:
        return settings
    _show_tags(seen, [tag_keys[name] for name in missing])
    for name in missing:
        tag_keys[name] = _choice(name, keys, likely(name, keys)) or tag_keys[name]
    set_tags(path, **tag_keys)
    return load_to_write(path)


def _show_tags(seen: Sequence[MachineTag], missing: Sequence[str]) -> None:
    lacks = " or ".join(f'"{key}"' for key in missing)
    click.echo(f"No GPU or Trainium machine on the bill has the tag {lacks}. Those they have:")
    for tag in seen[:MOST_SHOWN]:
        values = ", ".join(tag.values) + (", …" if tag.distinct > len(tag.values) else "")
        share = f"{percent(tag.share)} of dollars"
        count = f"{tag.distinct} value{'s' * (tag.distinct != 1)}"
        click.echo(f"  {tag.key:<28} {share:>18}, {count}: {values}")
    if len(seen) > MOST_SHOWN:
        click.echo(f"  … and {len(seen) - MOST_SHOWN} more")


def _choice(name: str, keys: Sequence[str], suggested: str) -> str:
    """Asks for a tag until the answer is one of the bill's keys; returns it, or empty for none."""
    question = f"Which tag names the {name}? ({'-' if suggested else 'Enter'}: none of these)"
    while True:
        shown = bool(suggested)
        given: str = click.prompt(question, default=suggested, show_default=shown, err=True)
        answer = given.strip().removeprefix("-")
        if not answer or answer in keys:
            return answer
        click.echo(f"{answer} is on no machine: {', '.join(keys)}", err=True)


def _answer(settings: Settings) -> Obstacle | None:
    """Builds, prints known figures and what is in the way of others; returns that, or None."""
    from models.documents.answer_so_far import answer_so_far
    from models.engine.build import build

    with audited(settings.data, "build", {"engine": "duckdb", "master": None}):
        build(settings)
    answer = answer_so_far(settings)
    for line in answer.known:
        click.echo(line)
    if answer.obstacle:
        click.echo(f"In the way of the rest: {answer.obstacle.found}.")
        click.echo(f"What to do: {answer.obstacle.remedy}.")
    return answer.obstacle
