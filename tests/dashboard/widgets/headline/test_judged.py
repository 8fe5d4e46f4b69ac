"""How much of the Trainium spend a headline is about, and what would judge the rest."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.widgets.headline.judged import judged
from tests.support.dashboard.text import text

D = Decimal
STANDING: dict[str, Any] = {
    "covered_share": D("0.047619048"), "covered_share_recent": D("0.08"), "cost_to_know": D(180),
}  # fmt: skip
KINDS = [
    {"workload": "harbor", "recipe": None, "unit": "epoch", "trn_cost": D(8000), "gpu_runs": 1,
     "missing_runs": 1, "least_work": D("0.9"), "cost_to_know": D(180)},
    {"workload": "two", "recipe": "lora", "unit": "epoch", "trn_cost": D(600), "gpu_runs": 0,
     "missing_runs": 2, "least_work": None, "cost_to_know": None},
]  # fmt: skip


def test_a_headline_about_a_twentieth_says_so_and_what_more_would_cost() -> None:
    """METHOD §8 U."""
    shown = text(judged(STANDING, KINDS))
    assert (
        "5 % of Trainium spend can be compared with GPU, 8 % in the last 84 days. "
        "GPU runs for about $180 would make more comparable." in shown
    )
    assert shown.endswith(
        "harbor 1 more GPU run, of at least 0.9 epochs: about $180.00 8,000.00 "
        "two, lora no GPU run qualifies: report past runs' progress, or run a benchmark on each "
        "side 600.00"
    )


def test_where_all_is_judged_nothing_is_to_pay() -> None:
    whole = {"covered_share": D(1), "covered_share_recent": D(1), "cost_to_know": None}
    assert text(judged(whole, [])).endswith("100 % of Trainium spend can be compared with GPU.")


def test_where_it_is_not_known_nothing_is_shown() -> None:
    assert judged(STANDING | {"covered_share": None}, []) is None
