"""Explains net savings, return, pace and compared spend on Overview and workloads' pages."""

from __future__ import annotations

from dashboard.wording.explanations.explanation import LEFT_OUT, Explanation

SETTLED = "Every settled day since the move began."
CURVE = Explanation(
    "Cumulative net savings",
    "What moving has saved so far, after overhead and after the whole investment. "
    "Losses count in full.",
    "Σ (counterfactual − Trainium cost − overhead) − Σ investment",
    "Every settled day; the range only chooses which of them are drawn.",
    ("all_savings_daily", "savings_daily", "break_even", "counted_costs"),
    leaves_out=LEFT_OUT + " The counterfactual is no cost on the bill: the GPU runs that it is "
    "measured on are behind each workload's GPU baseline.",
)

RETURN = Explanation(
    "Return on investment",
    "What the move had returned on its investment at the end of each settled day: −100 % while "
    "nothing has come back, 0 % at break-even, above that a profit.",
    "Return = (Σ net saving − Σ investment) ÷ Σ investment, each up to that day",
    "Every settled day up to the day; none before the first investment, nor after a day with an "
    "unknown saving. By month: the month's last settled day.",
    ("all_savings_daily", "savings_daily", "break_even"),
)

FORWARD = Explanation(
    "If it goes on as now",
    "What the move has returned so far, and what each month adds or takes away at today's pace. "
    "Runs and months to break-even are computed from the same pace. A move that is paid back can "
    "still lose money from now on. Because cheaper training is used more, the saving is also shown "
    "at the volume that was trained before the move.",
    "A month = net saving of the window ÷ 12 × 52 ÷ 12; months = remaining ÷ a month; runs = "
    "remaining ÷ (net saving of the window ÷ its lineages with a known saving); remaining = "
    "Σ investment − Σ net saving; return = (Σ net saving − Σ investment) ÷ Σ investment; "
    "engineer-days = (Σ net saving − Σ investment) ÷ day rate; at the end = Σ net saving − "
    "Σ investment + a month × days ÷ 365 × 12; at the volume before = Σ gross saving of each month "
    "× its old work ÷ its credited work, losses whole; old work = the least of its credited work "
    "and what the GPU pace before the cutover would have made by then, less earlier months' old "
    "work and GPU work since, at least 0 (computed in Python from gpu_volume); GPU use outside "
    "runs that ended = a month of it before the cutover − a month now, at least 0",
    "Pace: the last 84 settled days of each workload. Totals: every settled day. Months are shown "
    "once 84 settled days have passed since the cutover.",
    ("recent_windows", "gpu_volume", "gpu_overhead", "savings_daily", "break_even"),
)

JUDGED = Explanation(
    "How much is compared",
    "The part of production spend on Trainium that can be compared with GPU runs: every saving "
    "covers only that part. The rest lacks GPU runs of its own kind of work; more of them, or a "
    "benchmark, would make it comparable.",
    "Σ cost with a known counterfactual ÷ Σ cost of production on Trainium; to compare more = GPU "
    "runs still needed × the least work that qualifies × what a unit cost in those there are",
    "Every settled day; lately: the last 84 settled days of each workload.",
    ("judged_daily", "unjudged_kinds", "break_even"),
)
