"""Checks that the bill has the tags of workloads and runs; asks AWS about those it lacks.

The bill itself is the best evidence, and free: the published one, else the delivered one, which
also has a tag that the config names only since the last build. AWS is asked about no other, by
ce:ListCostAllocationTags at $0.01 a page; the finding says so, and the ledger records it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from ingest import aws
from ingest.doctor.aws_access.permissions import denied_finding
from ingest.doctor.examination import Examination, access_of
from ingest.doctor.finding import Finding, finding_of
from ingest.source import Source
from ingest.sources.bill.cost_explorer.pages import PRICE
from models.config.tags import plain
from models.contract.errors import BreakevenError, SourceError
from models.engine.source_lines.tags_on_machines import tags_on_machines

NAME = "tags"
CONSOLE = "console: Billing and Cost Management > Cost allocation tags"
ACTION = "ce:ListCostAllocationTags"
TAG_THEM = "tag the resources that train"
SILENT = timedelta(days=7)
SEEN = """
SELECT min(date) FILTER (workload IS NOT NULL) AS workload_first,
    max(date) FILTER (workload IS NOT NULL) AS workload_last,
    min(date) FILTER (run IS NOT NULL) AS run_first,
    max(date) FILTER (run IS NOT NULL) AS run_last, max(date) AS newest,
    max(date) FILTER (accelerator_hours > 0) AS accelerated,
    (SELECT count(*) FROM runs WHERE identified_by = 'allocation') AS held,
    (SELECT count(*) FROM runs WHERE identified_by IN ('tag', 'rule')) AS tagged
FROM spend_daily"""
"""Days of spend; runs whose hours allocations tell (`held`), and those that a tag names."""
Tag = dict[str, Any]


def check_cost_allocation_tags(exam: Examination) -> Iterator[Finding]:
    """Checks that the bill shows the workload and run tags; AWS is asked about those it lacks."""
    keys = {"workload": exam.settings.tags.workload, "run": exam.settings.tags.run}
    (seen,) = exam.snapshot_rows(SEEN) or [{}]
    unseen = {name: key for name, key in keys.items() if not seen.get(f"{name}_first")}
    for name, key in keys.items():
        if name not in unseen:
            yield _on_bill(f'tags.{name} = "{key}"', seen, name)
    if unseen and seen.get("newest"):
        unbuilt = _delivered_keys(exam)
        for name in [name for name, key in unseen.items() if plain(key) in unbuilt]:
            yield _unbuilt(f'tags.{name} = "{unseen.pop(name)}"')
    if unseen:
        yield from _unseen(unseen, seen.get("newest"), exam)


def _delivered_keys(exam: Examination) -> set[str]:
    """Returns the tag keys of machines on the delivered bill; none if it cannot be read."""
    try:
        return {plain(tag.key) for tag in tags_on_machines(exam.settings)}
    except BreakevenError:
        return set()


def _unbuilt(about: str) -> Finding:
    """Makes a warning: the bill has a configured tag, but the last build did not read it."""
    found = "on the delivered bill; the last build did not look for it"
    return Finding(NAME, about, "warning", found, "breakeven build")


def _on_bill(about: str, seen: dict[str, Any], name: str) -> Finding:
    first, last = seen[f"{name}_first"], seen[f"{name}_last"]
    if seen["held"] and not seen["tagged"]:
        runs = "the run" if seen["held"] == 1 else f"all {seen['held']} runs"
        found = f"not needed: allocations tell {runs} of the bill, last {last}"
        return Finding(NAME, about, "ok", found)
    if seen["accelerated"] and seen["accelerated"] - last > SILENT:
        until = f"although machines with accelerators are billed until {seen['accelerated']}"
        found = f"on no spend since {last}, {until}"
        return Finding(NAME, about, "warning", found, f"{TAG_THEM}, or {CONSOLE}")
    runs = f"{seen['held']} of {seen['held'] + seen['tagged']} runs"
    held = f", by tag or allocation: allocations tell {runs}" if seen["held"] else ""
    return Finding(NAME, about, "ok", f"on spend since {first}, last {last}{held}")


def _unseen(keys: dict[str, str], newest: date | None, exam: Examination) -> Iterator[Finding]:
    """Yields findings on tags without spend, by AWS's own tag list or, without AWS, by the bill."""
    source = next((s for s in exam.reachable if s.group == "cost"), None)
    if source is None:
        yield from (_unknown(f'tags.{name} = "{key}"', newest) for name, key in keys.items())
        return
    try:
        known = _listed(source, exam)
    except SourceError as error:
        lost = "it is unknown whether the tags are activated"
        yield denied_finding(NAME, exam.label(source), ACTION, error, lost, "warning")
        return
    except BreakevenError as error:
        yield finding_of(NAME, exam.label(source), error, "skipped")
        return
    for name, key in keys.items():
        yield _tag_without_spend(f'tags.{name} = "{key}"', name, key, known, newest)


def _unknown(about: str, newest: date | None) -> Finding:
    if newest is None:
        return Finding(NAME, about, "skipped", "known once a bill is built")
    found = "on no spend of the bill: runs have no cost"
    return Finding(NAME, about, "blocks", found, f"activate it, {CONSOLE}, and {TAG_THEM}")


def _tag_without_spend(
    about: str, name: str, key: str, known: dict[str, Tag], newest: date | None
) -> Finding:
    """Makes the finding on a tag without spend: active, inactive, misspelt or unknown to AWS."""
    tag, cost = known.get(key), f"(this check cost ${PRICE})"
    similar = [other for other in known if plain(other) == plain(key) and other != key]
    if tag and tag["Status"] == "Active":
        return _active(about, tag.get("LastUpdatedDate", "")[:10], newest, cost)
    if tag:
        found = f"not activated for cost allocation, so no spend shows it {cost}"
        return Finding(NAME, about, "blocks", found, f"activate it in the payer, {CONSOLE}")
    if similar:
        found = f'AWS knows it only as "{similar[0]}" {cost}'
        return Finding(NAME, about, "blocks", found, f'tags.{name} = "{similar[0]}"')
    found = f"AWS has seen it on no resource {cost}; it takes up to a day to be listed"
    return Finding(NAME, about, "blocks", found, f"{TAG_THEM} with it, then {CONSOLE}")


def _active(about: str, since: str, newest: date | None, cost: str) -> Finding:
    """Makes the finding on an active tag without spend; blocks if the bill has later days."""
    day = f"activated on {since or 'an unknown day'}"
    if newest is None or since >= newest.isoformat():
        return Finding(NAME, about, "ok", f"{day}; spend has it from then on {cost}")
    found = f"{day}, but on no spend of the bill {cost}"
    return Finding(NAME, about, "blocks", found, TAG_THEM)


def _listed(source: Source, exam: Examination) -> dict[str, Tag]:
    """Maps each tag key to AWS's cost allocation tag; of two entries the active one."""
    reader = access_of(source)
    client = exam.client("ce", reader, source)
    found: list[Tag] = []
    token: dict[str, str] = {}
    with aws.refusals(ACTION):
        while True:
            page = client.list_cost_allocation_tags(MaxResults=1000, **token)
            found += page["CostAllocationTags"]
            if not page.get("NextToken"):
                break
            token = {"NextToken": page["NextToken"]}
    ranked = sorted(found, key=lambda tag: tag["Status"] == "Active")
    return {tag["TagKey"]: tag for tag in ranked}
