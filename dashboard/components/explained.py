"""The explanation of each number that a page shows, written once."""

from __future__ import annotations

from dashboard.components.explain import Explained
from dashboard.view import LOSS_RUNS, SHARE_DAYS

SETTLED = "Every settled day since the move began."

CURVE = Explained(
    "Cumulative net savings",
    "What moving has saved so far, after overhead and after the whole investment. "
    "Losses count in full.",
    "Σ (counterfactual − Trainium cost − overhead) − Σ investment",
    "Every settled day; the range only chooses which of them are drawn.",
    ("ledger", "savings_daily", "break_even"),
)
MONTH = Explained(
    "Saved this month",
    "What the epochs trained on Trainium this month would have cost on GPU, less what they cost "
    "and less the overhead of Trainium capacity. Investment is not deducted here.",
    "Σ counterfactual − Σ Trainium cost − Σ overhead",
    "The settled days of the newest month, all workloads.",
    ("monthly_summary",),
)
SAVED_OF_GPU = Explained(
    "Saved of what GPUs would cost",
    "How much less (+) or more (−) training on Trainium cost than the GPUs would have for the work "
    "that counts. Work whose final loss is worse than on GPU does not count, its cost does: so "
    "this can be less than what an epoch is cheaper by. The figure at list prices leaves every "
    "discount out on both sides: the difference is what discounts contributed, not the chip.",
    "Σ (counterfactual − Trainium cost) ÷ Σ counterfactual",
    SETTLED + " Only days with a counterfactual; overhead and investment are not deducted.",
    ("ledger", "baselines"),
    "Effective cost; beside it, public list prices.",
)
SHARE = Explained(
    "Trainium share of training",
    "How much of the training that names a run or workload was done on Trainium, counted in "
    "accelerator-hours and, beside it, in cost.",
    "Trainium accelerator-hours ÷ (Trainium + GPU accelerator-hours)",
    f"The last {SHARE_DAYS} settled days.",
    ("spend_daily",),
)
LEFT_OUT = Explained(
    "Not in the headline, or not verified",
    "Untagged: accelerator spend that names no run or workload, so no saving can be computed. "
    "Unsettled: saving of days whose bill is not complete, not counted yet. "
    "Unverified: saving that is counted although no loss proves equal quality.",
    "Sums by reason; none of them is added to another.",
    "Untagged: every settled day. Unsettled: the days after the last settled one.",
    ("spend_daily", "break_even"),
)
UNTAGGED = Explained(
    "Untagged spend",
    "GPU and Trainium spend whose charges name no workload, so that no saving can be computed.",
    "Σ effective cost",
    "Every settled day.",
    ("spend_daily",),
)
RECOVERED = Explained(
    "Recovered",
    "The part of the investment that net savings have covered.",
    "Σ net saving ÷ Σ investment, between 0 and 100 %",
    SETTLED,
    ("break_even",),
)
GPU_EPOCH = Explained(
    "GPU, $ per epoch",
    "The GPU baseline of the last settled day: what an epoch would cost there now.",
    "The lower of measured and repriced, unless configured otherwise",
    "GPU runs that ended in the baseline window.",
    ("baselines",),
)
TRN_EPOCH = Explained(
    "Trainium, $ per epoch",
    "What an epoch cost on Trainium in the newest month with progress; the line shows the last "
    "26 weeks.",
    "Σ cost of its runs ÷ Σ epochs, failed runs included",
    "Settled days of that month.",
    ("cost_per_epoch",),
)
PER_EPOCH = Explained(
    "Saving, $ per epoch",
    "The mean gross saving of one epoch on Trainium. The interval needs at least 5 runs a side "
    "and 8 weeks.",
    "Σ gross saving ÷ Σ Trainium epochs",
    SETTLED,
    ("break_even",),
)
EPOCH_COST = Explained(
    "Cost per epoch over time",
    "What an epoch cost in each week or month on each hardware. The dotted line is the GPU "
    "baseline that savings are measured against; vertical marks are changes of the GPU price.",
    "Σ cost ÷ Σ epochs of the period",
    "Settled days of the period; hollow marks are periods that are not settled throughout.",
    ("cost_per_epoch", "baselines"),
)
LOSS = Explained(
    "Loss against cost",
    "How far each run had come for the money, or the hours, spent by then. A run further left "
    "at the same loss is cheaper.",
    "Training loss as reported, over the run's cost or instance-hours up to that moment",
    f"The newest runs in the range, at most {LOSS_RUNS}.",
    ("runs",),
)
WHERE = Explained(
    "Where each dollar went",
    "Productive: accelerator time that made progress. Idle: days without progress. Repeated: "
    "epochs trained again after a restart. Storage, network and other: their share of the rest.",
    "Shares of the cost of all runs of the range; they add up to it",
    "Settled days of the runs that started in the range.",
    ("runs",),
)
RUNS = Explained(
    "Runs",
    "Every run of this workload with its settled cost and progress.",
    "Cost ÷ epochs = $ per epoch",
    "Settled days; what is not settled yet stands in its own column.",
    ("runs",),
)
BASELINE = Explained(
    "GPU baseline",
    "What one epoch would cost on GPU on the last settled day.",
    "Measured: Σ effective cost ÷ Σ epochs. Repriced: hours per epoch × price of the day × "
    "discount. Conservative: the lower of the two.",
    "The GPU runs of the baseline window.",
    ("baselines",),
)
ALL_RUNS = Explained(
    "All runs",
    "Every run that the bill, the progress or the configuration names, with its settled cost and "
    "progress. Idle: days without progress. Repeated: epochs trained again after a restart.",
    "Cost ÷ epochs = $ per epoch",
    "Settled days of the runs that started in the range.",
    ("runs",),
)
RUN_GROUPS = Explained(
    "Runs by group",
    "The runs that the filters leave, by what they have in common; a group's name leads to its "
    "runs. The groups add up to the figures of the first sentence. Epochs of different workloads "
    "are different work, so they are added up within one workload only.",
    "Σ over the runs of a group",
    "Settled days of the runs that started in the range.",
    ("runs",),
)
RUN_COST = Explained(
    "What a run cost",
    "Its own charges and its share of what only names its workload. Idle and repeated are part of "
    "the cost, not beside it.",
    "Accelerator + storage + network + other = cost; cost ÷ epochs = cost per epoch",
    "The run's settled days; what is not settled stands in its own line.",
    ("runs",),
)
RUN_CHARGES = Explained(
    "What was charged",
    "The charges of the run by what they are for and how they were bought. List, effective and "
    "billed are three ways to say the same hours: never added to each other.",
    "Σ of the day's charges",
    "The run's settled days.",
    ("spend_daily",),
    "List, effective and billed cost side by side; credits and tax excluded.",
)
COMPARED = Explained(
    "Cost per epoch by group",
    "The cost of a group's runs over the epochs that they made, failed runs included. Production "
    "and baseline runs count, and a Trainium run whose purpose is not understood; port and "
    "validation runs only where purposes are told apart. A run has the tags of most of its "
    "accelerator-hours. Where the charges of one run differ (region, purchase option, account), "
    "its cost stands where it was charged and its epochs are split by accelerator-hours.",
    "Σ cost ÷ Σ epochs, never a mean of ratios",
    "Settled days of the runs that started in the range.",
    ("runs", "spend_daily", "cost_per_epoch"),
    "The configured basis, or public list prices; credits and tax excluded.",
)
SPREAD = Explained(
    "Run by run",
    "Each mark is a run: its own cost over its own epochs. In a wide row the runs differ.",
    "Cost ÷ epochs of each run",
    "Settled days of the newest counted runs of the range.",
    ("runs",),
)
MONTH_DAYS = "The settled days of the month; a closed month as it was closed."
STATEMENT = Explained(
    "The month by workload",
    "What the month's epochs on Trainium would have cost on GPU, what they cost, and what is left "
    "after overhead. Investment is beside it; the cumulative figure is after all of it.",
    "Net saving = on GPU − Trainium cost of the runs compared − overhead",
    MONTH_DAYS,
    ("monthly_summary",),
)
TO_DATE = Explained(
    "Fiscal period to date",
    "The portfolio's months since the fiscal quarter and year began: closed months as they were "
    "closed, and what became of them as adjustments.",
    "Σ of the months",
    "The calendar is `fiscal` in the configuration.",
    ("monthly_summary",),
)
TIE_OUT = Explained(
    "Tie-out to the bill",
    "Every cent of an account's bill stands in exactly one bucket. The remainder is what the "
    "independent total says beyond them; the bridge leads from the billed to the effective cost.",
    "Remainder = the bill + Capacity Blocks from other months − Σ buckets",
    "The billing month.",
    ("tie_out",),
    "Each row names its own.",
)
ADJUSTMENTS = Explained(
    "Adjustments of closed months",
    "A closed month never changes. What AWS changes of it afterwards stands here, with its cause.",
    "As known now − as closed − adjusted before",
    "All closed months before this one.",
    ("restatements", "monthly_summary"),
)
ASIDE = Explained(
    "What is not in the headline",
    "Saving that is left out, saving that is counted with a flag, and credits, which pay for "
    "either chip alike.",
    "Sums by reason; none of them is added to another.",
    MONTH_DAYS,
    ("monthly_summary",),
)
CONDITIONS = Explained(
    "What must hold",
    "A month is closed once AWS has invoiced it (or ten days after it), every day is settled and "
    "every billing account's bill has come through it, the tie-out has no remainder or somebody "
    "says what it is, no source is stale, and the months before it are closed.",
    "All of them.",
    "The published snapshot.",
    ("tie_out", "freshness"),
)
CLOSES = Explained(
    "Closes",
    "Each is a file that is written once: the figures, their SHA-256, the deliveries and the "
    "configuration they were computed from. `breakeven verify` computes it again.",
    "SHA-256 over the canonical form of the statement",
    "Every version of every month.",
    ("monthly_summary",),
)
VERSIONS = Explained(
    "Two versions",
    "Every figure that the two versions do not have in common.",
    "Was: the other version. Is: the one shown.",
    MONTH_DAYS,
    ("monthly_summary",),
)
CLOSE = Explained(
    "Close",
    "Computes the month anew from what is delivered now, and freezes it under your name. A month "
    "that is closed already gets another version, and keeps the one it has.",
    "As `breakeven close`",
    "The whole month.",
    ("monthly_summary",),
)
TRUST_SOURCES = Explained(
    "What each source last said",
    "When a source last answered, its newest day, the days missing in between, and what asking it "
    "cost today. A source that stands still keeps the days after it unsettled.",
    "Newest day − first day + 1 − days with data = gap days",
    "As of the last build; what stands still by now is said above every page.",
    ("freshness",),
    "Dollars are what AWS bills for requests.",
)
INGEST_LOG = Explained(
    "Ingest log",
    "Each pull of each source: when, how long it took, what it brought and what AWS bills for it. "
    "Unchanged deliveries say what was said before and are not kept twice.",
    "As noted in deliveries.jsonl beside the warehouse, where every pull stands",
    "The newest pulls by now, whether a build has followed or not.",
    ("freshness",),
    "Dollars are what AWS bills for requests.",
)
TRUST_TIE_OUT = Explained(
    "Tie-out",
    "Every cent of the bill lands in exactly one bucket. The buckets are set against a total that "
    "does not come from them: your invoice, else Cost Explorer, else the export's own sum, and "
    "then it only checks itself.",
    "Bill total + block spread − Σ buckets = remainder",
    "Whole billing months, settled or not.",
    ("tie_out", "spend_daily"),
    "Billed: what the invoice says. Effective: amortised; the bridge leads from one to the other.",
)
RESTATED = Explained(
    "Restatements",
    "AWS changes bills after the fact. Each change of a month that was delivered before is listed, "
    "by how much and when. Every number uses the newest bill; a closed month stays as it was.",
    "New total − old total",
    "Every delivery since the first.",
    ("restatements",),
    "Every line of the bill, billed and effective.",
)
LEFT_OUT_ROWS = Explained(
    "What the headline leaves out",
    "Left out: saving that is not counted, by reason. Flagged: saving that is counted with a "
    "reservation. One dollar may stand under several reasons: they are not added to each other.",
    "Σ gross saving of the days and runs that a reason holds for",
    "Left out as unsettled: the days after the last settled one. All others: settled days.",
    ("break_even", "exceptions"),
)
UNTAGGED_SHARE = Explained(
    "Spend that names no workload",
    "GPU and Trainium spend whose charges carry neither tag, against all accelerator spend.",
    "Σ untagged ÷ Σ accelerator spend",
    "Every settled day.",
    ("spend_daily",),
)
RATES = Explained(
    "What an accelerator-hour cost",
    "The effective cost of the hours used on each platform, beside the list price of the same "
    "hours. Idle commitment is not in it: it stands below. An accelerator-hour is no unit of work.",
    "Σ accelerator cost ÷ Σ accelerator-hours; at list: Σ list cost ÷ the same hours",
    "Settled days of each period.",
    ("spend_daily", "price_history"),
    "Effective cost against public list prices, accelerators only.",
)
COVERAGE = Explained(
    "How hours were bought",
    "The part of the accelerator-hours of each month that commitments (Savings Plans, reserved "
    "instances), Spot and Capacity Blocks covered; and what nobody used of commitments.",
    "Hours of a purchase option ÷ all hours; idle: Σ effective cost of unused commitment",
    "Settled days of each month, all platforms with accelerators.",
    ("spend_daily",),
)
SPOT = Explained(
    "Spot prices",
    "What AWS asked for an accelerator-hour of Spot capacity, the cheapest zone of each region.",
    "Price of an instance-hour ÷ accelerators of the instance",
    "From each observation until the next; 45 days after the newest it is not known any more.",
    ("price_history",),
    "Public prices, before any discount.",
)
BLOCKS = Explained(
    "Capacity Blocks on offer",
    "What EC2 would sell when it was last asked: the whole fee, and per instance-hour.",
    "Fee ÷ (instances × hours)",
    "The newest answer of each account and region.",
    ("capacity_offers",),
    "Upfront fees as EC2 told them.",
)
OFFERED = Explained(
    "Where each type is offered",
    "How many zones of each region have an instance type, as EC2 last told.",
    "Count of zones",
    "The newest answer of each account and region.",
    ("offered",),
    "No dollars.",
)
WHAT_IF = Explained(
    "What if",
    "The months and runs until what the move costs is paid back, if it goes on like this. A figure "
    "that you do not set is the workload's own; without one it stays unknown.",
    "Months = owed ÷ (saving per run × runs per month − upkeep per month); runs = owed ÷ what the "
    "mean run so far saved after upkeep, or a run as you set it; owed = porting cost − saved so "
    "far. Prices of a side change its cost per run by their per cent.",
    "Own figures: credited GPU cost, Trainium cost with overhead, and pace of the last 12 settled "
    "weeks (without a run in them, of all settled days); for the runs, of all settled days.",
    ("baselines", "savings_daily", "break_even", "paces", "runs"),
)
PROSPECTS = Explained(
    "GPU workloads not yet moved",
    "What a port would cost and a month would save, if it saves the share of the GPU cost that the "
    "moved workloads here saved. The interval is from the smallest to the largest share seen and "
    "from the fewest to the most days of the effort.",
    "Payback = days × day rate ÷ (GPU cost per epoch × epochs per run × runs per month × share); "
    "share = Σ net saving ÷ Σ counterfactual",
    "Shares: every settled day. Pace: GPU runs that started in the last 12 settled weeks.",
    ("baselines", "runs", "savings_daily", "break_even"),
)
BUYING = Explained(
    "Ways to buy",
    "What an hour costs on demand, committed for a year or three, on Spot and in a Capacity Block, "
    "with what each costs beside its price: hours of a commitment that nobody uses, and what runs "
    "lose to restarts. What nobody has told is unknown, and says what would tell it.",
    "An hour that makes progress = price ÷ used ÷ (1 − lost). Break-even use = price ÷ on-demand "
    "price. Lock-in = price × 8,760 × years. A month = instance-hours × (1 − lost on demand) × an "
    "hour that makes progress. Lost = (idle + repeated cost) ÷ cost.",
    "Use and pace: the last 12 settled weeks. Lost: every settled day of runs on this hardware. "
    "Spot: the mean of 12 weeks, by the time each price held.",
    ("price_history", "committed_rates", "spend_daily", "runs"),
    "Prices are public list prices and rates, before your own discounts; use and lost are "
    "effective cost.",
)
CHECKLIST = Explained(
    "The checklist",
    "Nine factors of a move. What the bill or the runs can answer is answered; the rest is asked, "
    "and the address keeps it. Each leans to Trainium, to GPU or to neither.",
    "Each factor states its own threshold.",
    "Own figures as in the what-if. Commitment and inference: the last 12 settled weeks.",
    ("spend_daily", "savings_daily", "break_even", "runs"),
)
