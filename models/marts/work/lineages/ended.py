"""Determines if a lineage of runs ended: no charge or sample for `settle_days` (METHOD §1.2)."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

LEAST_QUIET_DAYS = 1


def with_end(facts: ir.Table, settle_days: int) -> ir.Table:
    """Adds `ended` (no activity in the last `settle_days` settled days) and, if so, when it ended.

    `ended_on` is the last active day, `ended_at` the newest sample on it, else its midnight, as in
    `runs`. Example: settled through 31 May with `settle_days = 3`, a
    lineage last active on 28 May has ended on 28 May; one last active on 29 May may still run.
    At least one day without activity is asked for: with `settle_days = 0` every run that is still
    running would have ended on the last settled day.
    """
    quiet = facts.settled_through - ibis.interval(days=max(settle_days, LEAST_QUIET_DAYS))
    ended = facts.last_day.cast("timestamp") <= quiet.cast("timestamp")
    midnight = facts.last_day.cast("timestamp")
    newest = ibis.greatest(midnight, facts.last_sample.fill_null(midnight))
    return facts.mutate(
        ended=ended,
        ended_on=ibis.ifelse(ended, facts.last_day, None),
        ended_at=ibis.ifelse(ended, newest, None),
    )
