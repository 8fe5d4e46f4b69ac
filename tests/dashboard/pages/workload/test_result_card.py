"""Cost and time of a result on both sides, in words, and what each day of delay saves."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from dashboard.pages.workload.result_card import result_card
from dashboard.wording.results import NO_HOURS, NO_PAIR, pair_sentence
from tests.support.dashboard.text import text

D = Decimal
GPU: dict[str, Any] = {
    "hardware": "gpu", "unit": "epoch", "result_work": D(4), "cost_per_result": D(400),
    "reached": None, "cost_per_epoch": D(100), "hours_per_epoch": D(10),
    "hours_per_result": D(40), "timed_runs": 2,
}  # fmt: skip
TRN = GPU | {
    "hardware": "trainium", "cost_per_result": D(328), "cost_per_epoch": D(82),
    "hours_per_epoch": D("14.5"), "hours_per_result": D(58), "timed_runs": 3,
}  # fmt: skip
SLOWER = {"delay_hours": D(18), "price_of_a_day": D(96)}
COSTS = (
    "A model trained as long as on GPU (4 epochs) costs $328 on Trainium and $400 on GPU: "
    "$72.00 less."
)


@pytest.mark.parametrize(
    ("standing", "words"),
    [
        (
            SLOWER,
            "It takes 58.0 hours instead of 40.0. A run like the recent ones ends 18.0 hours "
            "later; each day of delay saves $96.00.",
        ),
        (
            SLOWER | {"price_of_a_day": None},
            "It takes 58.0 hours instead of 40.0. A run like the recent ones ends 18.0 hours "
            "later.",
        ),
        ({"delay_hours": None, "price_of_a_day": None}, NO_HOURS),
    ],
)
def test_dollars_come_first_and_then_the_hours(standing: dict[str, Any], words: str) -> None:
    assert pair_sentence(standing, GPU, TRN) == f"{COSTS} {words}"


def test_what_is_later_and_saves_nothing_says_so() -> None:
    said = pair_sentence(SLOWER | {"price_of_a_day": None}, GPU, TRN | {"cost_per_result": D(400)})
    assert said.endswith("ends 18.0 hours later, and nothing is saved in return.")


def test_what_takes_no_longer_says_so_also_where_a_result_waits_for_runs_that_missed_it() -> None:
    none_later = {"delay_hours": D(-4), "price_of_a_day": None}
    faster = TRN | {"hours_per_epoch": D(9), "hours_per_result": D(36)}
    said = pair_sentence(none_later, GPU, faster)
    assert said.endswith("It is also faster: 36.0 hours instead of 40.0.")
    as_long = TRN | {"hours_per_result": D(40)}
    alike = pair_sentence(none_later | {"delay_hours": D(0)}, GPU, as_long)
    assert alike.endswith("It takes as long: 40.0 hours.")
    missed = faster | {"hours_per_result": D(58)}
    assert pair_sentence(none_later, GPU, missed).endswith(
        "It takes 58.0 hours instead of 40.0, although an epoch takes 9.0 hours instead of 10.0: "
        "runs without a result count."
    )


def test_a_dearer_result_is_stated_as_plainly() -> None:
    dearer = TRN | {"cost_per_result": D(428)}
    assert pair_sentence(SLOWER, GPU, dearer).partition(". ")[0].endswith("on GPU: $28.00 more")
    single = GPU | {"result_work": D("1.04")}
    assert "(an epoch)" in pair_sentence(SLOWER, single, TRN)


def test_without_a_baseline_there_is_no_pair() -> None:
    assert pair_sentence(SLOWER, None, TRN) == NO_PAIR
    assert pair_sentence(SLOWER, GPU | {"cost_per_result": None}, TRN) == NO_PAIR


def test_the_card_sets_both_sides_beside_each_other() -> None:
    shown = text(result_card(SLOWER, [TRN, GPU]))
    assert shown.endswith(
        "GPU Trainium $ per result 400.00 328.00 Hours per result 40.0 58.0 "
        "$ per epoch 100.00 82.00 Hours per epoch 10.0 14.5 Runs that were timed 2 3"
    )
    unknown = {"hours_per_epoch": None, "hours_per_result": None, "timed_runs": None}
    untimed = text(result_card({"delay_hours": None}, [TRN | unknown, GPU | unknown]))
    assert untimed.endswith("$ per epoch 100.00 82.00")
    assert result_card(SLOWER, [GPU]) is None


def test_with_a_target_it_is_about_results() -> None:
    aimed = pair_sentence(SLOWER, GPU | {"reached": 2}, TRN | {"reached": 1})
    assert aimed.startswith("A model that reaches the target loss costs $328 on Trainium and $400")


@pytest.mark.parametrize(
    ("standing", "trn", "words"),
    [
        (
            SLOWER,
            TRN,
            "an epoch takes 14.5 hours instead of 10.0. A run like the recent ones ends 18.0 "
            "hours later; each day of delay saves $96.00.",
        ),
        (
            {"delay_hours": D(-4), "price_of_a_day": None},
            TRN | {"hours_per_epoch": D(9)},
            "an epoch takes 9.0 hours instead of 10.0.",
        ),
        (
            {"delay_hours": D(0), "price_of_a_day": None},
            TRN | {"hours_per_epoch": D(10)},
            "an epoch takes 10.0 hours, as on GPU.",
        ),
    ],
)
def test_a_result_of_unknown_hours_is_told_by_those_of_a_unit(
    standing: dict[str, Any], trn: dict[str, Any], words: str
) -> None:
    untimed = trn | {"reached": 1, "hours_per_result": None}
    assert pair_sentence(standing, GPU | {"reached": 2}, untimed).endswith(
        f"How long it takes is unknown, because the hours of a run are, but {words}"
    )
