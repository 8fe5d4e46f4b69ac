"""Explains the curve of net savings, which Overview and a workload's page show."""

from __future__ import annotations

from dashboard.wording.explanation import Explanation

SETTLED = "Every settled day since the move began."
CURVE = Explanation(
    "Cumulative net savings",
    "What moving has saved so far, after overhead and after the whole investment. "
    "Losses count in full.",
    "Σ (counterfactual − Trainium cost − overhead) − Σ investment",
    "Every settled day; the range only chooses which of them are drawn.",
    ("ledger", "savings_daily", "break_even"),
)
