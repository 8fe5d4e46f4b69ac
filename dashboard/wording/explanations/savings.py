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

FORWARD = Explanation(
    "If it goes on as now",
    "What the move returns so far, and what a month adds to it or takes from it at today's pace. "
    "Runs and months to break-even rest on that one pace. What was spent is gone either way: a "
    "move that is paid back can lose money from now on. Cheaper training is trained more, so "
    "beside it stands what would have been saved on the volume trained before.",
    "A month = net saving of the window ÷ 12 × 52 ÷ 12; months = remaining ÷ a month; runs = "
    "remaining ÷ (net saving of the window ÷ its lineages with a known saving); remaining = "
    "Σ investment − Σ net saving; return = (Σ net saving − Σ investment) ÷ Σ investment; "
    "engineer-days = (Σ net saving − Σ investment) ÷ day rate; at the end = Σ net saving − "
    "Σ investment + a month × days ÷ 365 × 12; at the volume before = Σ gross saving of a month "
    "× its work at the old pace ÷ its credited work, losses whole",
    "The last 84 settled days of the workload, of all workloads each its own; the totals: every "
    "settled day. Months are shown once 84 settled days have passed since the cutover.",
    ("recent_windows", "old_volume", "savings_daily", "break_even"),
)
