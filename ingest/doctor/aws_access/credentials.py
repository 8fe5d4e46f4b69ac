"""Checks the configured credentials: whether AWS accepts them, and as whom."""

from __future__ import annotations

from collections.abc import Iterator

from ingest import aws
from ingest.doctor.aws_access import clock
from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding, finding_of

NAME = "credentials"


def check_credentials(exam: Examination) -> Iterator[Finding]:
    """Yields a finding whether AWS accepts the configured credentials; none if the clock is off."""
    if not exam.aws_sources:
        yield Finding(NAME, "AWS", "ok", "no source asks AWS: none are needed")
        return
    own = exam.own_identity
    if isinstance(own, aws.Identity):
        yield Finding(NAME, "AWS", "ok", f"{own.arn} of account {own.account}")
    elif not clock.is_clock_refusal(own):
        yield finding_of(NAME, "AWS", own)
