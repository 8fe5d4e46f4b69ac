"""Removes samples that are dated after today.

A clock that runs ahead dates a sample to a day that has not come; its rise would be spread over the
days until then, settled ones too (METHOD §3.2). `CLOCK_SKEW` past midnight is let pass: it
touches no settled day. Runs with a later sample carry the flag `future_samples`.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.rules.clock_skew import CLOCK_SKEW


@step(
    grain="one row per sample of `progress`",
    units="epochs, samples and tokens, cumulative; times UTC",
    nulls="as delivered",
    method="§3.2",
    whose="run",
)
def samples(progress: ir.Table, settings: Settings) -> ir.Table:
    """Drops progress samples dated more than two hours (`CLOCK_SKEW`) after the end of today."""
    midnight = datetime.combine(settings.today + timedelta(days=1), time())
    return progress.filter(progress.observed_at <= ibis.literal(midnight + CLOCK_SKEW))
