"""Checks which AWS actions each source may use, with the calls of `permission_probes`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from botocore.exceptions import ClientError

from ingest import aws
from ingest.doctor.aws_access.permission_probes import probes_of
from ingest.doctor.aws_access.policy_statements import policy_statement
from ingest.doctor.aws_access.probe import PERMITTED, Probe
from ingest.doctor.examination import Examination, access_of
from ingest.doctor.finding import Finding, State, finding_of
from ingest.source import Source
from models.contract.errors import BreakevenError, SourceError
from models.contract.shipped_data import shipped_name

NAME = "permissions"
POLICY = shipped_name("deploy/iam-policy.json")
NAMED = re.compile(r"not authorized to perform: ([\w-]+:\w+)")
THROTTLED = re.compile(r"\b(LimitExceeded|Throttling)(Exception)?\b")
DENIED = re.compile(r"\b(AccessDenied(Exception)?|UnauthorizedOperation|403|Forbidden)\b")


def check_permissions(exam: Examination) -> Iterator[Finding]:
    """Yields a finding for each AWS action that a source may not use, or one if it may use all.

    A failure that is no denial is a finding too, and ends the checks of its source.
    """
    for source in exam.reachable:
        found: dict[str, Finding] = {}
        for action, denied in _tried(source, probes_of(source), exam):
            found.setdefault(action, denied)
        exam.denied |= {(source.location, action) for action in found}
        yield from found.values()
        if not found:
            actions = ", ".join(probe.action for probe in probes_of(source))
            yield Finding(NAME, exam.label(source), "ok", f"may {actions}")


def _tried(
    source: Source, calls: Iterable[Probe], exam: Examination
) -> Iterator[tuple[str, Finding]]:
    """Yields (action, finding) per denied AWS action; stops after any other failure."""
    for probe in calls:
        try:
            attempt(probe, source, exam)
        except BreakevenError as error:
            action = missing_action(probe.action, error)
            yield action, denied_finding(NAME, exam.label(source), action, error, probe.lost)
            if not DENIED.search(error.problem):
                return  # any other failure would meet the next call too


def attempt(probe: Probe, source: Source, exam: Examination) -> None:
    """Tries one AWS action. Raises `SourceError` unless it works or only its input is refused."""
    client = exam.client(probe.service, access_of(source, probe.region), source)
    with aws.refusals(probe.action):
        try:
            probe.ask(client, source)
        except ClientError as error:
            if error.response["Error"]["Code"] not in PERMITTED:
                raise


def missing_action(action: str, error: BreakevenError) -> str:
    """Returns the action that AWS's refusal names as not authorized, else `action`."""
    match = NAMED.search(error.problem)
    return match[1] if match else action


def denied_finding(
    check: str, about: str, action: str, error: BreakevenError, lost: str, state: State = "blocks"
) -> Finding:
    """Makes a finding of a failed action: a denial says what is lost, throttling is `skipped`."""
    if not (isinstance(error, SourceError) and DENIED.search(error.problem)):
        throttled = bool(THROTTLED.search(error.problem))
        return finding_of(check, about, error, "skipped" if throttled else state)
    return Finding(check, about, state, f"{error.problem}: {lost}", _remedy(action, error))


def _remedy(action: str, error: BreakevenError) -> str:
    if "explicit deny" in error.problem:
        return f"a policy denies {action} explicitly: ask whoever maintains that policy"
    return f"allow {action} to this caller (statement {policy_statement(action)} of {POLICY})"
