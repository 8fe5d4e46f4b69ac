"""How far the figures can be trusted, and what explains them.

In: deliveries, feeds, spend and runs. Out: `freshness`, `exceptions`, `unmatched_runs`,
`restatements` and the explainers of pages. Chapter: METHOD §1 and §7.
"""

from __future__ import annotations

from collections.abc import Callable

import ibis.expr.types as ir

from models.marts.trust.exceptions import exceptions
from models.marts.trust.explainers import (
    baseline_parts,
    investments,
    loss_curve,
    price_changes,
    price_history,
)
from models.marts.trust.freshness import freshness
from models.marts.trust.late_changes import late_changes
from models.marts.trust.restatements import restatements
from models.marts.trust.unmatched_runs import unmatched_runs

TRUST: tuple[Callable[..., ir.Table], ...] = (
    exceptions,
    unmatched_runs,
    restatements,
    freshness,
    late_changes,
    price_changes,
    price_history,
    loss_curve,
    investments,
    baseline_parts,
)
"""In the order in which a build should begin them, as far as they depend on each other."""
