"""What Decide says of benchmarks, and of the GPU that could be rented instead."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dashboard.pages.decide.evidence.wording import alternative_sentence, benchmark_sentence

D = Decimal
GPU: dict[str, Any] = {
    "hardware": "gpu", "platform": "p4d", "unit": "epoch", "instance_hours": D("1.5"),
    "cost_per_epoch": D(60), "saving_per_epoch": None,
}  # fmt: skip
TRN = GPU | {
    "hardware": "trainium", "platform": "trn1", "cost_per_epoch": D(44), "saving_per_epoch": D(16),
    "against_platform": "p4d", "results_to_pay": 63, "declared_port": D(10_000),
}  # fmt: skip
RESTS = "Measured: 1.5 instance-hours on p4d, 1.5 instance-hours on trn1."


def test_one_run_a_side_says_whether_the_port_is_worth_it_and_on_how_much_it_rests() -> None:
    assert benchmark_sentence([GPU, TRN]) == (
        "On trn1 an epoch costs $16.00 less than in the p4d benchmark; 63 results would pay for "
        f"the declared port of $10,000. {RESTS}"
    )


def test_a_loss_is_said_as_plainly() -> None:
    lost = TRN | {"saving_per_epoch": D(-16), "results_to_pay": None, "against_platform": None}
    assert benchmark_sentence([GPU, lost]) == (
        "On trn1 an epoch costs $16.00 more than on GPU; the declared port would never pay off. "
        f"{RESTS}"
    )


def test_one_side_alone_is_no_answer() -> None:
    assert benchmark_sentence([GPU]).startswith("Only one side is measured")


def test_a_chip_without_a_price_is_not_to_be_measured_again() -> None:
    unpriced = TRN | {"cost_per_epoch": None, "saving_per_epoch": None, "reason": "no list price"}
    assert benchmark_sentence([GPU, unpriced]) == (
        "Both sides ran, and what a unit costs is not known for each of them: no list price."
    )
    assert benchmark_sentence([unpriced]) == "No side is measured yet: no list price."


def test_benchmarks_of_two_recipes_are_not_said_to_lack_a_side() -> None:
    assert benchmark_sentence([GPU, TRN | {"saving_per_epoch": None}]) == (
        "Both sides are measured, but not of one recipe: run the same one on both chips."
    )


def test_without_planned_work_a_port_is_not_said_never_to_pay_off() -> None:
    planless = TRN | {"results_to_pay": None, "saving_per_result": None}
    assert benchmark_sentence([GPU, planless]) == (
        "On trn1 an epoch costs $16.00 less than in the p4d benchmark; how many results pay for "
        f"the declared port is unknown until planned_epochs is set. {RESTS}"
    )
    funded = planless | {"declared_port": D(-500)}
    assert "port" not in benchmark_sentence([GPU, funded])


BASE = {"baseline_platform": "p4d", "offer": "on_demand"}
OWN = BASE | {"instance_type": "p4d.24xlarge", "platform": "p4d", "needed_speedup": D("1.8"),
              "peak_speedup": D(1)}  # fmt: skip
P5 = OWN | {"instance_type": "p5.48xlarge", "platform": "p5", "needed_speedup": D("3.1"),
            "peak_speedup": D("3.17")}  # fmt: skip
SMALL = OWN | {"instance_type": "g6.12xlarge", "platform": "g6", "needed_speedup": D("0.21"),
               "peak_speedup": D("0.1939")}  # fmt: skip


def test_gpus_are_named_that_could_be_as_fast_as_they_must_the_closest_first() -> None:
    """Not a small GPU that needs little and has less; of a platform the offer that is closest."""
    block = P5 | {"offer": "capacity_block", "needed_speedup": D("2.2")}
    newest = P5 | {"instance_type": "p6-b200.48xlarge", "platform": "p6-b200",
                   "needed_speedup": D("6.64"), "peak_speedup": D("7.21")}  # fmt: skip
    assert alternative_sentence([SMALL, OWN, block, P5, newest]) == (
        "p5.48xlarge in a Capacity Block would beat Trainium if it trained this 2.20 times as fast "
        "as p4d (at most: 3.17 times); p6-b200.48xlarge on demand if 6.64 times (at most: 7.21 "
        "times)."
    )


def test_where_none_could_the_closest_says_by_how_much_it_misses() -> None:
    assert alternative_sentence([OWN, P5 | {"needed_speedup": D("4.4086")}, SMALL]) == (
        "No other GPU on offer could beat Trainium by its speed. The closest: g6.12xlarge on "
        "demand would beat Trainium if it trained this 0.21 times as fast as p4d, and it computes "
        "0.19 times as much at most."
    )
    unknown = P5 | {"peak_speedup": None}
    assert alternative_sentence([OWN, unknown]) == (
        "p5.48xlarge on demand would beat Trainium if it trained this 3.10 times as fast as p4d."
    )


def test_an_offer_of_the_same_gpu_that_beats_trainium_is_named() -> None:
    assert alternative_sentence([OWN | {"needed_speedup": D("0.9")}, P5]).endswith(
        "(at most: 3.17 times). p4d.24xlarge on demand beats Trainium already."
    )


def test_half_a_machine_of_the_same_gpu_beats_trainium_only_at_half_its_speed() -> None:
    """A g5.12xlarge has 4 of the 8 GPUs of a g5.48xlarge, and costs 0.35 of it."""
    whole = OWN | {"instance_type": "g5.48xlarge", "platform": "g5", "baseline_platform": "g5",
                   "needed_speedup": D(2)}  # fmt: skip
    half = whole | {"instance_type": "g5.12xlarge", "needed_speedup": D("0.70"),
                    "peak_speedup": D("0.5")}  # fmt: skip
    p5 = P5 | {"baseline_platform": "g5"}
    assert "already" not in alternative_sentence([whole, half, p5])
    cheaper = half | {"needed_speedup": D("0.49")}
    said = alternative_sentence([whole, cheaper, p5])
    assert said.endswith("g5.12xlarge on demand beats Trainium already.")
