"""Groups of cost buckets against all buckets."""

from __future__ import annotations

from models.contract.rules import attribution_groups as groups
from models.marts.cost.attribution_buckets import BUCKETS


def test_training_what_is_billed_beside_usage_and_all_else_make_up_the_buckets_once_each() -> None:
    parts = (*groups.OF_TRAINING, *groups.BESIDE_USAGE, "other")
    assert sorted(parts) == sorted(BUCKETS)


def test_what_a_workload_costs_is_of_training() -> None:
    of_workloads = {*groups.OF_RUNS, *groups.WITHOUT_RUN_TAG, "idle_commitment"}
    assert of_workloads == set(groups.OF_WORKLOADS) < set(groups.OF_TRAINING)
