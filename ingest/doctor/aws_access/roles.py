"""Checks that every configured AWS role can be assumed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ingest import aws
from ingest.aws import accounts, regions
from ingest.doctor.aws_access.permissions import POLICY
from ingest.doctor.aws_access.policy_statements import policy_statement
from ingest.doctor.examination import Examination, access_of
from ingest.doctor.finding import Finding, finding_of
from models.contract.errors import BreakevenError

NAME = "roles"
ACTION = "sts:AssumeRole"


def check_roles(exam: Examination) -> Iterator[Finding]:
    """Yields a finding per role or account: AWS accepts it, or not; none without credentials.

    A role that cannot be assumed is reported once, however many regions it would read.
    """
    if not isinstance(exam.own_identity, aws.Identity):
        return
    reported: set[tuple[str | None, str]] = set()
    for source in exam.aws_sources:
        reader = access_of(source)
        answer = exam.identity_of(reader)
        if isinstance(answer, BreakevenError) and regions.is_unknown(exam.region(source)):
            continue  # `check_regions` reports it
        problem = answer.problem if isinstance(answer, BreakevenError) else ""
        named = reader.role_arn or reader.account or problem
        if named and (reader.role_arn or reader.account, problem) not in reported:
            reported.add((reader.role_arn or reader.account, problem))
            whom = accounts.account_label(source.options, exam.settings) if problem else ""
            yield _finding(whom or reader.caller_label, reader, answer)


def _finding(about: str, reader: aws.Access, answer: aws.Identity | BreakevenError) -> Finding:
    if isinstance(answer, BreakevenError):
        return _also_allowed(finding_of(NAME, about, answer))
    by = "with its external id" if reader.external_id else "without an external id"
    found = f"assumed {by}" if reader.role_arn else "the configured credentials"
    return Finding(NAME, about, "ok", f"{found}, account {answer.account}")


def _also_allowed(found: Finding) -> Finding:
    """Adds to the finding on a refused role that the caller itself needs `sts:AssumeRole`."""
    if ACTION not in found.found or "refused" not in found.found:
        return found
    own = f"allow {ACTION} to this caller (statement {policy_statement(ACTION)} of {POLICY})"
    return replace(found, remedy=f"{found.remedy}; and {own}")
