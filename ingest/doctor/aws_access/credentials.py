"""The configured credentials themselves: whether AWS knows them, and as whom."""

from __future__ import annotations

from collections.abc import Iterator

from ingest import aws
from ingest.doctor.aws_access import clock
from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding, refused

NAME = "credentials"


def check(exam: Examination) -> Iterator[Finding]:
    """One finding; none where nothing asks AWS, or where the clock is what AWS refuses."""
    if not exam.aws_sources:
        yield Finding(NAME, "AWS", "ok", "no source asks AWS: none are needed")
        return
    own = exam.own_identity
    if isinstance(own, aws.Identity):
        yield Finding(NAME, "AWS", "ok", f"{own.arn} of account {own.account}")
    elif not clock.refuses(own):
        yield refused(NAME, "AWS", own)
