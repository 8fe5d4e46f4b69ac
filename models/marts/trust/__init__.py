"""Reports how reliable the figures are, and how they came about.

In: deliveries, the pull log, spend, runs and prices. Out: `freshness`, `restatements`,
`unmatched_runs`, what headlines leave out or flag, and tables that explain a figure on a page.
Chapter: METHOD §10, and §6.8 (`left_out`, `flagged`).
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.trust.freshness import freshness
from models.marts.trust.investments import investments
from models.marts.trust.late_changes import late_changes
from models.marts.trust.left_out_and_flagged import left_out_and_flagged
from models.marts.trust.loss_curve import loss_curve
from models.marts.trust.price_changes import price_changes
from models.marts.trust.price_history import price_history
from models.marts.trust.restatements import restatements
from models.marts.trust.unmatched_runs import unmatched_runs

TRUST: tuple[Callable[..., ir.Table], ...] = (
    left_out_and_flagged,
    unmatched_runs,
    restatements,
    freshness,
    late_changes,
    price_changes,
    price_history,
    loss_curve,
    investments,
)
"""In the order in which a build should begin them, as far as they depend on each other."""
