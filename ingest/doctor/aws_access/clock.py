"""This machine's clock against AWS's: more than five minutes apart, AWS refuses every request.

A clock that is a little off dates samples into the future, where they wait for their day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from ingest import aws
from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding, State

NAME = "clock"
REFUSED = re.compile(r"Signature (expired|not yet current)|RequestExpired|RequestTimeTooSkewed")
CLOSE, REFUSES = timedelta(minutes=1), timedelta(minutes=5)
REMEDY = "set the clock: `timedatectl set-ntp true`"


def check(exam: Examination) -> Iterator[Finding]:
    """By the date that AWS puts on its answer."""
    if not exam.aws_sources:
        return
    own = exam.own_identity
    if isinstance(own, aws.Identity):
        yield _compared(datetime.now(UTC) - own.answered_at)
    elif refuses(own):
        yield Finding(NAME, "this machine", "blocks", own.said, REMEDY)


def refuses(error: Exception) -> bool:
    """Whether AWS's refusal is about the time that a request was signed."""
    return bool(REFUSED.search(str(error)))


def _compared(ahead: timedelta) -> Finding:
    seconds = round(abs(ahead).total_seconds())
    found = f"{seconds} s {'ahead of' if ahead > timedelta() else 'behind'} AWS"
    if abs(ahead) < CLOSE:
        return Finding(NAME, "this machine", "ok", found)
    off: State = "blocks" if abs(ahead) >= REFUSES else "warning"
    meaning = "AWS refuses requests that are 5 minutes off, and samples get a wrong time"
    return Finding(NAME, "this machine", off, f"{found}: {meaning}", REMEDY)
