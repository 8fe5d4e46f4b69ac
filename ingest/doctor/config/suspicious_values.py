"""Checks for config values that are valid and look like a typing error.

They are an `as_of` that is still to come, quotes that no method reads, a method without a quote, a
window of GPU runs too short for the pace before the move (METHOD §6.9), and investments that are
dated years ahead. The check reads the config alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding
from models.config.settings import Settings
from models.contract.rules.work.old_pace import LEAST_DAYS

NAME = "config"
FAR_AHEAD = timedelta(days=2 * 365)
QUOTE = "fixed_cost_per_epoch"


def check_suspicious_values(exam: Examination) -> Iterator[Finding]:
    """Warns of config values that are valid and look like a typing error, each with its remedy."""
    settings = exam.settings
    yield from _future(settings)
    yield from _quotes(settings)
    days = settings.baseline.window_days
    if days < LEAST_DAYS:
        yield _warning(
            "[baseline] window_days",
            f"{days} days are too few for the pace before the move, which needs {LEAST_DAYS}: "
            "savings at the old volume stay unknown",
            f"set window_days to {LEAST_DAYS} or more",
        )
    for entry in settings.investments:
        if entry.date > settings.today + FAR_AHEAD:
            yield _warning(
                "[[investments]]",
                f"{entry.kind} is dated {entry.date}, more than two years ahead: until then it "
                "counts nowhere",
                "correct its date",
            )


def _future(settings: Settings) -> Iterator[Finding]:
    """Warns of an `as_of` later than tomorrow (UTC)."""
    if settings.as_of and settings.as_of > datetime.now(UTC).date() + timedelta(days=1):
        yield _warning(
            "as_of",
            f"{settings.as_of} is still to come: days that AWS still bills count as settled",
            "correct the day, or remove it: without it the real date counts",
        )


def _quotes(settings: Settings) -> Iterator[Finding]:
    """Warns of quoted costs that the method ignores, and of method `fixed` without any quote."""
    quoted = [entry.name for entry in settings.workloads if entry.fixed_cost_per_epoch]
    method = settings.baseline.method
    if quoted and method != "fixed":
        yield _warning(
            f"[[workloads]] {QUOTE}",
            f"it is given for {', '.join(quoted)}, and method = {method!r} does not read it",
            "set method = 'fixed' in [baseline], or remove it",
        )
    if not quoted and method == "fixed":
        yield _warning(
            "[baseline] method",
            f"it is 'fixed', and no workload has a {QUOTE}: no saving is known",
            f"give each workload its {QUOTE} in [[workloads]], or choose another method",
        )


def _warning(where: str, problem: str, remedy: str) -> Finding:
    return Finding(NAME, where, "warning", problem, remedy)
