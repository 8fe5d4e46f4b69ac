"""Checks this machine's clock: AWS refuses every request if it is more than five minutes off.

If the clock is ahead, samples get a time in the future and are not used until then.
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


def check_clock(exam: Examination) -> Iterator[Finding]:
    """Yields a finding on how wrong this machine's clock is; nothing if that is unknown."""
    if not exam.aws_sources:
        return
    own = exam.own_identity
    if isinstance(own, aws.Identity):
        yield _compared(datetime.now(UTC) - own.answered_at)
    elif is_clock_refusal(own):
        yield Finding(NAME, "this machine", "blocks", own.problem, REMEDY)


def is_clock_refusal(error: Exception) -> bool:
    """Returns whether an error says that AWS refused a request because of a wrong clock."""
    return bool(REFUSED.search(str(error)))


def _compared(ahead: timedelta) -> Finding:
    seconds = round(abs(ahead).total_seconds())
    found = f"{seconds} s {'ahead of' if ahead > timedelta() else 'behind'} AWS"
    if abs(ahead) < CLOSE:
        return Finding(NAME, "this machine", "ok", found)
    off: State = "blocks" if abs(ahead) >= REFUSES else "warning"
    meaning = "AWS refuses requests that are 5 minutes off, and samples get a wrong time"
    return Finding(NAME, "this machine", off, f"{found}: {meaning}", REMEDY)
