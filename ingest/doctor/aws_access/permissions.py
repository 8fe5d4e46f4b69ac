"""What each source may do, by calls that are free: `dry_calls` has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from botocore.exceptions import ClientError

from ingest import aws
from ingest.doctor.aws_access.permission_probes import PERMITTED, Dry, dry_calls, statement
from ingest.doctor.examination import Examination, access
from ingest.doctor.finding import Finding, State, refused
from ingest.source import Source
from models.contract.errors import BreakevenError, SourceError

NAME = "permissions"
POLICY = "deploy/iam-policy.json"
NAMED = re.compile(r"not authorized to perform: ([\w-]+:\w+)")
THROTTLED = re.compile(r"\b(LimitExceeded|Throttling)(Exception)?\b")
DENIED = re.compile(r"\b(AccessDenied(Exception)?|UnauthorizedOperation|403|Forbidden)\b")


def check(exam: Examination) -> Iterator[Finding]:
    """One finding per source, or one per action that it may not do."""
    for source in exam.reachable:
        found: dict[str, Finding] = {}
        for action, denied in _tried(source, dry_calls(source), exam):
            found.setdefault(action, denied)
        exam.denied |= {(source.location, action) for action in found}
        yield from found.values()
        if not found:
            actions = ", ".join(dry.action for dry in dry_calls(source))
            yield Finding(NAME, exam.label(source), "ok", f"may {actions}")


def _tried(
    source: Source, calls: Iterable[Dry], exam: Examination
) -> Iterator[tuple[str, Finding]]:
    """By action: one that a second call needs too is one finding."""
    for dry in calls:
        try:
            attempt(dry, source, exam)
        except BreakevenError as error:
            action = named(dry.action, error)
            yield action, denial(NAME, exam.label(source), action, error, dry.lost)
            if not DENIED.search(error.said):
                return  # whatever it is, the next call meets it too


def attempt(dry: Dry, source: Source, exam: Examination) -> None:
    """Raises `SourceError` unless AWS let the call through to what it was about."""
    client = exam.client(dry.service, access(source, dry.region), source)
    with aws.refusals(dry.action):
        try:
            dry.ask(client, source)
        except ClientError as error:
            if error.response["Error"]["Code"] not in PERMITTED:
                raise


def named(action: str, error: BreakevenError) -> str:
    """The action that AWS says is missing: that of a key behind a bucket is not the one asked."""
    said = NAMED.search(error.said)
    return said[1] if said else action


def denial(
    check: str, about: str, action: str, error: BreakevenError, lost: str, state: State = "blocks"
) -> Finding:
    """A refusal, and what goes without what was refused."""
    if not (isinstance(error, SourceError) and DENIED.search(error.said)):
        throttled = bool(THROTTLED.search(error.said))
        return refused(check, about, error, "skipped" if throttled else state)
    return Finding(check, about, state, f"{error.said}: {lost}", _remedy(action, error))


def _remedy(action: str, error: BreakevenError) -> str:
    if "explicit deny" in error.said:
        return f"a policy denies {action} explicitly: ask whoever keeps that policy"
    return f"allow {action} to this caller (statement {statement(action)} of {POLICY})"
