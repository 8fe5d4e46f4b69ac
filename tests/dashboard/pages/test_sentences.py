"""The one sentence at the head of Compare, Rates, Runs and Trust, from hand-made rows."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from dashboard.address.view import View
from dashboard.pages.compare.cost_per_epoch import per_epoch, per_hour
from dashboard.pages.compare.wording import (
    comparison_sentence,
    different_work,
    left_out_note,
    question,
)
from dashboard.pages.rates.wording import rates_sentence, unpriced_note
from dashboard.pages.runs.wording import runs_sentence
from dashboard.pages.trust.wording import EDITION_NOTE, trust_sentence
from dashboard.snapshot.runs.compared_runs import Axes, axes
from dashboard.wording.dimensions import dimensions
from dashboard.wording.units import words

D = Decimal
DIMS = dimensions(["tag_team"])
BOTH: dict[str, Any] = {"differ": None, "workloads": 2}


def group(by: str | None, then: str | None, cost: str | None, epochs: int) -> dict[str, Any]:
    paid = None if cost is None else D(cost)
    return {"by": by, "then": then, "cost": paid, "epochs": D(epochs), "hours": D(0)}


def of(by: str, then: str = "none") -> Axes:
    return axes(View(by=by, then=then), DIMS)


def test_the_cost_of_a_group_is_divided_by_the_epochs_of_a_group() -> None:
    """$100 for 1 epoch and $100 for 9: $20, not the mean $55.56 of the two ratios."""
    assert per_epoch({"cost": D(200), "epochs": D(10)}) == D(20)
    assert per_hour({"cost": D(3), "hours": D(8)}) == D("0.375")


@pytest.mark.parametrize("epochs", [None, D(0)])
def test_without_a_cost_or_an_epoch_there_is_no_ratio(epochs: Decimal | None) -> None:
    assert per_epoch({"cost": D(5), "epochs": epochs}) is None
    assert per_hour({"cost": None, "hours": D(2)}) is None


def test_the_question_names_what_is_compared() -> None:
    assert question(of("workload", "hardware"), words("epoch")) == (
        "What does an epoch cost, by workload and hardware?"
    )
    assert question(of("tag_team"), words("epoch")) == "What does an epoch cost, by team?"
    assert question(of("identified_by"), words("epoch")) == (
        "What does an epoch cost, by form of identification?"
    )


@pytest.mark.parametrize(
    ("rows", "axes_", "found", "sentence"),
    [
        ([], of("workload"), BOTH, "No run with progress and a known cost meets these filters."),
        (
            [group("a", None, None, 4), group("b", None, "10", 0)],
            of("workload"),
            BOTH,
            "No run with progress and a known cost meets these filters.",
        ),
        (
            [group("a", None, "0", 4)],
            of("tag_team"),
            BOTH,
            "An epoch cost $0.00 (\u2068a\u2069).",
        ),
        (
            [group("a", None, "100", 4), group(None, None, "30", 3)],
            of("tag_team"),
            BOTH,
            "An epoch cost from $10.00 (\u2068not set\u2069) to $25.00 (\u2068a\u2069).",
        ),
        (
            [group("a", None, "100", 4) | {"units": ["epoch"]},
             group("b", None, "30", 3) | {"units": ["billion_tokens"]}],
            of("workload"),
            BOTH,
            "These runs count their work in different units, so their costs per unit cannot be "
            "compared.",
        ),
        (
            [group("a", "gpu", "10", 1), group("a", "trainium", "9", 1),
             group("b", "gpu", "10", 1), group("b", "trainium", "10", 1)],
            of("workload", "hardware"),
            BOTH,
            "An epoch cost less on Trainium than on GPU for 1 of 2 workloads that trained on both.",
        ),
        (
            [group("a", "gpu", "10", 1), group("a", "trainium", "10", 1)],
            of("workload", "hardware"),
            BOTH | {"differ": ["z"]},
            "An epoch cost no less on Trainium than on GPU for the one workload that has trained "
            "on both.",
        ),
        (
            [group("tag", "gpu", "10", 1), group("tag", "trainium", "9", 1)],
            of("identified_by", "hardware"),
            BOTH | {"workloads": 1},
            "An epoch cost less on Trainium than on GPU for the one form of identification that "
            "has trained on both.",
        ),
        (
            [group("a", "gpu", "10", 1), group("a", "trainium", "9", 1),
             group("b", "gpu", "10", 1), group("b", "trainium", "10", 1)],
            of("comparability", "hardware"),
            BOTH | {"workloads": 1},
            "An epoch cost less on Trainium than on GPU for 1 of 2 groups of work that trained on "
            "both.",
        ),
        (
            [group("a", "gpu", "10", 1), group("b", "trainium", "9", 1)],
            of("workload", "hardware"),
            BOTH,
            "No workload here has trained on both GPU and Trainium.",
        ),
        (
            [group("gpu", "a", "10", 1), group("trainium", "a", "9", 1),
             group("gpu", "b", "10", 1), group("trainium", "b", "9", 1)],
            of("hardware", "workload"),
            BOTH | {"differ": ["b"]},
            "An epoch cost less on Trainium than on GPU for the one workload that has trained on "
            "both; 1 more workload is not counted, because the runs did different work.",
        ),
    ],
)  # fmt: skip
def test_a_comparison_is_one_sentence(
    rows: list[dict[str, Any]], axes_: Axes, found: dict[str, Any], sentence: str
) -> None:
    assert comparison_sentence(rows, axes_, found) == sentence


def test_different_work_is_named_up_to_five_and_long_names_are_cut() -> None:
    found = {"differ": [*"abcdef", "g"]}
    text = different_work(of("workload", "hardware"), found)
    assert text.startswith(
        "\u2068a\u2069, \u2068b\u2069, \u2068c\u2069, \u2068d\u2069, \u2068e\u2069 and 2 more:"
    )
    assert different_work(of("tag_team"), found) == ""
    assert different_work(of("workload", "hardware"), {"differ": None}) == ""
    long = different_work(of("workload", "hardware"), {"differ": ["x" * 61]})
    assert long.startswith(f"\u2068{'x' * 59}…\u2069: not all runs")


def test_what_a_comparison_leaves_out_is_counted() -> None:
    none = {"found": 3, "counted": 3}
    assert left_out_note(none, of("tag_team"), any_purpose=False) == "3 runs, none left out."
    most = {"found": 1200, "counted": 1}
    assert left_out_note(most, of("tag_team"), any_purpose=False) == (
        "1 run; 1,199 left out: port, validation and benchmark runs, GPU runs with an unknown "
        "purpose, and runs without accelerator-hours, of unknown cost, or of work not counted "
        "in their unit."
    )


def rate(day: date, platform: str, hours: int, cost: str, listed: str | None) -> dict[str, Any]:
    known = None if listed is None else D(listed)
    row = {"period_start": day, "platform": platform, "hours": D(hours), "cost": D(cost)}
    return row | {"list": known, "unpriced": D(0)}


def test_the_newest_rates_are_told_beside_their_list_prices() -> None:
    now = date(2026, 10, 1)
    rows = [
        rate(date(2026, 9, 1), "p5", 900, "900", None),
        rate(now, "trn1", 10, "9", "12"),
        rate(now, "p4d", 20, "30", "30.01"),
        rate(now, "p5", 5, "11", "10"),
        rate(now, "g5", 1, "1", None),
    ]
    assert rates_sentence(rows, "month") == (
        "In Oct 2026 an accelerator-hour cost $1.50 on p4d (list price), "
        "$0.90 on trn1 (25\u00a0% below\u00a0list) and $2.20 on p5 (10\u00a0% above\u00a0list)."
    )
    assert rates_sentence(rows[4:], "week") == (
        "In the week of 1 Oct 2026 an accelerator-hour cost $1.00 on g5 (no list price)."
    )
    assert rates_sentence([rows[0] | {"hours": D(0)}], "month") == (
        "What an accelerator-hour cost in Sep 2026 is unknown: no price is known."
    )
    assert rates_sentence([], "month") == "No accelerator-hour has settled in this range."
    assert unpriced_note([rows[0] | {"unpriced": D("1234.5")}]).endswith(
        "Left out: 1,235 accelerator-hours without a known price."
    )
    assert "Left out" not in unpriced_note(rows)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"runs": 0}, "No run meets these filters."),
        ({"cost": None}, "2 runs of 1 workload: what they cost is unknown."),
        ({}, "2 runs of 1 workload cost $1,235 and made 12 epochs."),
        (
            {"unit": "billion_tokens", "epochs": D("0.424")},
            "2 runs of 1 workload cost $1,235 and made 0.42 billions of tokens.",
        ),
        ({"unit": None}, "2 runs of 1 workload cost $1,235."),
        (
            {"idle": D("30.25"), "repeated": D("9.5"), "unknown": 1},
            "2 runs of 1 workload cost $1,235 and made 12 epochs; $39.75 of it went into time "
            "without progress and repeated work. 1 run without a known cost.",
        ),
        ({"workloads": 3}, "2 runs of 3 workloads cost $1,235."),
    ],
)
def test_runs_are_one_sentence(change: dict[str, Any], sentence: str) -> None:
    totals = {"runs": 2, "workloads": 1, "cost": D("1234.5"), "epochs": D(12), "unit": "epoch"}
    rest = {"idle": None, "repeated": D(0), "unknown": 0}
    assert runs_sentence(totals | rest | change) == sentence


def test_trust_says_what_ties_and_what_names_no_workload() -> None:
    snapshot = {"settled_through": date(2026, 10, 28)}
    through = "The bill is complete through 28 Oct 2026; "
    none = "there is no bill for this date range."
    assert trust_sentence(snapshot, [], {}, "") == through + none
    tied = {"month": "2026-08", "unheld": D(0)}
    off = {"month": "2026-09", "unheld": D("12.345")}
    assert trust_sentence(snapshot, [tied], {"cost": D(200), "untagged": None}, "") == (
        f"{through}every cent of 1 month is in a bucket; "
        "0.0\u00a0% of accelerator spend names no workload."
    )
    unknown = trust_sentence(snapshot, [tied], {"cost": None, "untagged": None}, "")
    assert "; which part of accelerator spend names no workload is unknown." in unknown
    assert trust_sentence(snapshot, [tied, off], {"cost": D(0), "untagged": D(0)}, "") == (
        f"{through}a remainder is left in 1 of 2 months, the largest $12.35 in Sep 2026."
    )
    assert trust_sentence({"settled_through": None}, [], {}, "").startswith(
        "The bill is complete through –;"
    )
    waits = "$9,261 of shared machines waits."
    assert trust_sentence(snapshot, [], {}, waits) == f"{through}{none} {waits}"


def test_trust_says_by_which_edition_of_the_method_figures_are_computed() -> None:
    assert EDITION_NOTE.startswith("Computed by edition 2 of the method. A month that an earlier ")
