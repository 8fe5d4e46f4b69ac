"""Samples that can have been taken: progress up to the end of today.

Grain: that of `progress`. A clock that runs ahead dates a sample to a day that has not come; its
rise would be spread over the days until then, settled ones too (METHOD §3.2). `SKEW` past midnight
is let pass: it touches no settled day. Runs with a later sample carry the flag `future_samples`.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.formats.progress.progress_file import SKEW


def samples(progress: ir.Table, settings: Settings) -> ir.Table:
    """Rows of `progress`."""
    midnight = datetime.combine(settings.today + timedelta(days=1), time())
    return progress.filter(progress.observed_at <= ibis.literal(midnight + SKEW))
