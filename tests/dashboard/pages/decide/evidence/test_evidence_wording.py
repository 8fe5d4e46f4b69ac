"""What Decide says of benchmarks, and of the GPU that could be rented instead."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.pages.decide.evidence.wording import alternative_sentence, benchmark_sentence

D = Decimal
GPU: dict[str, Any] = {
    "platform": "p4d", "unit": "epoch", "instance_hours": D("1.5"), "cost_per_epoch": D(60),
    "saving_per_epoch": None,
}  # fmt: skip
TRN = GPU | {
    "platform": "trn1", "cost_per_epoch": D(44), "saving_per_epoch": D(16),
    "against_platform": "p4d", "results_to_pay": 63, "declared_port": D(10_000),
}  # fmt: skip
RESTS = "It rests on 1.5 instance-hours on p4d, 1.5 instance-hours on trn1."


def test_one_run_a_side_says_whether_the_port_is_worth_it_and_on_how_much_it_rests() -> None:
    assert benchmark_sentence([GPU, TRN]) == (
        "On trn1 an epoch saves $16.00 against the p4d benchmark; 63 results would pay the "
        f"declared port. {RESTS}"
    )


def test_a_loss_is_said_as_plainly() -> None:
    lost = TRN | {"saving_per_epoch": D(-16), "results_to_pay": None, "against_platform": None}
    assert benchmark_sentence([GPU, lost]) == (
        "On trn1 an epoch costs $16.00 more than GPU; the declared port would never be paid. "
        f"{RESTS}"
    )


def test_one_side_alone_is_no_answer() -> None:
    assert benchmark_sentence([GPU]).startswith("One side is missing")


def test_the_newest_gpus_are_named_by_the_offer_that_needs_least() -> None:
    """Not a small GPU that would need little, nor the third newest."""
    base = {"baseline_platform": "p4d", "offer": "on_demand"}
    own = base | {"instance_type": "p4d.24xlarge", "platform": "p4d", "needed_speedup": D("1.8")}
    p5 = own | {"instance_type": "p5.48xlarge", "platform": "p5", "needed_speedup": D("4.4086")}
    block = p5 | {"offer": "capacity_block", "needed_speedup": D("3.3037")}
    newest = p5 | {"instance_type": "p6-b200.48xlarge", "platform": "p6-b200"}
    older = own | {"instance_type": "p4de.24xlarge", "platform": "p4de"}
    small = own | {"instance_type": "g6.12xlarge", "platform": "g6", "needed_speedup": D("0.21")}
    assert alternative_sentence([small, own, older, block, p5, newest]) == (
        "p6-b200.48xlarge on demand would beat Trainium if it trained this 4.41 times as fast as "
        "p4d; p5.48xlarge in a Capacity Block if 3.30 times."
    )
    assert alternative_sentence([own | {"needed_speedup": D("0.9")}, p5]).endswith(
        "as fast as p4d. p4d.24xlarge on demand beats Trainium already."
    )
    assert alternative_sentence([small, own]).startswith("g6.12xlarge on demand would beat")
