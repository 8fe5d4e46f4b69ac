"""Explains the numbers of Decide: what each is, its formula, days and basis."""

from __future__ import annotations

from dashboard.wording.explanations.explanation import Explanation

WHAT_IF = Explanation(
    "What if",
    "The months and runs until the cost of the move is paid back, at a constant pace. A figure "
    "that you leave empty is the workload's own; if there is none, it is unknown.",
    "Months = owed ÷ (saving per run × runs per month − upkeep per month); runs = owed ÷ (saving "
    "per run − upkeep per month ÷ runs per month); owed = porting cost − saved so far. A price "
    "change in per cent changes the cost per run of its side.",
    "Own figures: credited GPU cost, Trainium cost with overhead, upkeep and runs of the last 84 "
    "settled days; runs per month once 84 settled days have passed since the cutover.",
    ("baselines", "savings_daily", "break_even", "recent_windows", "runs"),
)

PROSPECTS = Explanation(
    "GPU workloads not yet moved",
    "What a port would cost and a month would save, if it saves the share of the GPU cost that the "
    "moved workloads here saved. The interval is from the smallest to the largest share seen and "
    "from the fewest to the most days of the effort.",
    "Payback = port ÷ (GPU cost per epoch × epochs per run × runs per month × share); port = days "
    "× day rate, else what is spent and planned in the configuration; share = Σ net saving ÷ Σ "
    "counterfactual",
    "Shares: every settled day. Pace: GPU runs that started in the last 12 settled weeks.",
    ("baselines", "runs", "savings_daily", "break_even"),
)

BUYING = Explanation(
    "Ways to buy",
    "What an hour costs on demand, committed for a year or three, on Spot and in a Capacity Block, "
    "with the costs that its price does not show: unused hours of a commitment, and work that runs "
    "lose to restarts. Where a figure is unknown, the page says which source to add.",
    "A productive hour, which is one that makes progress = price ÷ used ÷ (1 − lost). Break-even "
    "use = price ÷ on-demand price. Lock-in = price × 8,760 × years. A month = instance-hours × "
    "(1 − lost on demand) × a productive hour. Lost = (idle + repeated cost) ÷ cost.",
    "Use and pace: the last 12 settled weeks. Lost: every settled day of runs on this hardware. "
    "Spot: the mean of 12 weeks, by the time each price held.",
    ("price_history", "committed_rates", "spend_daily", "runs"),
    "Prices are public list prices and rates, before your own discounts; use and lost are "
    "effective cost.",
)

CHECKLIST = Explanation(
    "The checklist",
    "Nine factors of a move. The bill or the runs answer some; the others are questions to you, "
    "and the link keeps your answers. Each leans to Trainium, to GPU or to neither.",
    "Each factor states its own threshold.",
    "Own figures as in the what-if. Commitment and inference: the last 12 settled weeks.",
    ("spend_daily", "savings_daily", "break_even", "runs"),
)

BENCHMARK = Explanation(
    "Benchmark",
    "What short, identical runs with purpose “benchmark” show about a port before anything has "
    "moved. Their cost is an investment; they set no baseline and are credited with no saving.",
    "Cost per unit = Σ cost ÷ Σ work of the steady parts (samples after the first tenth of the "
    "reported time); a result = that × planned work; saving = (baseline, else cheapest GPU "
    "benchmark) × planned work − a result; results = declared port ÷ saving, rounded up.",
    "The benchmarks' own days; the baseline of the last settled day.",
    ("benchmarks",),
    "Effective cost where every benchmark is settled, else today's list prices on both sides.",
)

ALTERNATIVES = Explanation(
    "The GPU you could rent instead",
    "How many times as fast as the GPU of the baseline another one would have to train to cost "
    "what Trainium does, and how many times as fast it can compute at most. No headline uses it.",
    "Needed = instance-hours per unit behind the baseline × price of the offer × factor (1 for "
    "blocks) ÷ Trainium cost per unit with overhead. At most = peak of all accelerators of the "
    "machine, dense in BF16, ÷ that of the baseline's machine.",
    "Price: the last settled day. Trainium: the last 84 settled days.",
    ("alternatives",),
    "Public price of the offer × the share of their price that the baseline's hours paid.",
)
