"""Checks the set-up and estimates its cost, for the dashboard to show before the first build.

The dashboard neither checks nor estimates; whoever starts it hands this in as a value, so that
every worker shows the same. In: the settings and local files. No request is sent.
"""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.wording.setup_steps import CHECKS, COST, SetupStep, checks_passed, request_cost
from models.config.settings import Settings
from models.contract.errors import BreakevenError
from models.engine.warehouse.reader import Reader


def checks_and_cost(settings: Settings) -> tuple[SetupStep, ...]:
    """Returns what checks find and AWS requests cost as set-up steps; none once a snapshot exists.

    None without sources, either. Once a snapshot is published, no page shows them, and a start
    should not wait for them.
    """
    if not settings.sources or Reader(settings.data / "snapshots").mark:
        return ()
    return (*_checks(settings), *_cost(settings))


def _checks(settings: Settings) -> Iterator[SetupStep]:
    """Yields how many local checks are fine, then each that warns or blocks, with its remedy."""
    from ingest.doctor import HERE, examine

    findings = list(examine(settings, HERE))
    fine = sum(finding.state == "ok" for finding in findings)
    blocked = any(finding.state == "blocks" for finding in findings)
    summary = checks_passed(fine, blocked)
    yield SetupStep(CHECKS, "failed" if blocked else "done", summary)
    for finding in findings:
        if finding.state in ("warning", "blocks"):
            document = finding.document()
            advice = f". What to do: {document['remedy']}" if finding.remedy else ""
            yield SetupStep(document["about"], finding.state, document["found"] + advice)


def _cost(settings: Settings) -> Iterator[SetupStep]:
    """Yields what AWS will bill for requests; nothing where the checks refuse the config."""
    from ingest.estimate import estimate

    try:
        found = estimate(settings)
    except BreakevenError:
        return
    yield SetupStep(COST, "known", request_cost(found.dollars, found.first_pull))
