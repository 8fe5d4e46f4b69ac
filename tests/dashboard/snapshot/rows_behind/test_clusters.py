"""What is behind the use of a pool, also of unknown type, and of hours of which there are none."""

from __future__ import annotations

from dataclasses import replace

from dashboard.address.view import View
from dashboard.snapshot.rows_behind.clusters import ALL_POOLS, POOL_USE
from dashboard.snapshot.rows_behind.rates import COVERAGE
from dashboard.snapshot.rows_behind.source_rows import inputs
from dashboard.snapshot.rows_behind.spend import SHARE
from tests.dashboard.conftest import World


def test_the_inputs_behind_a_pool_of_unknown_type_are_its_own(serving: World) -> None:
    rest = "CASE WHEN cluster <> 'hpc' THEN instance_type END"
    of = f"FROM (SELECT * REPLACE ({rest} AS instance_type) FROM pool_use)"
    untyped = replace(POOL_USE, inputs=POOL_USE.inputs.replace("FROM pool_use", of))
    known = inputs(POOL_USE, View(pool="hpc/trn1.32xlarge"))
    assert None not in known.values()
    assert inputs(untyped, View(pool="hpc/")) == known
    assert set(inputs(POOL_USE, View(pool="hpc/")).values()) == {0}


def test_without_a_pool_in_the_address_the_inputs_are_of_the_one_that_is_shown(
    serving: World,
) -> None:
    chosen = inputs(POOL_USE, View(pool="hpc/trn1.32xlarge"))
    assert inputs(POOL_USE, View()) == chosen
    other, every = View(pool="eks-research/p4d.24xlarge"), "Σ cost, $"
    both = chosen[every] + inputs(POOL_USE, other)[every]
    assert inputs(ALL_POOLS, other)[every] == both


def test_what_nobody_held_of_known_hours_is_0_and_not_unknown(serving: World) -> None:
    """The GPU pool was held by a known workload, and stood idle the rest of the time."""
    found = inputs(POOL_USE, View(pool="eks-research/p4d.24xlarge"))
    assert found["Held by unknown jobs, hours"] == 0
    held = found["Held by known workloads, hours"]
    assert found["Accelerator-hours on the bill"] == held + found["Idle, hours"] == 30 * 384


def test_a_reader_of_a_company_on_gpu_alone_sees_no_hour_on_trainium(serving: World) -> None:
    alone = "FROM (SELECT * REPLACE ('gpu' AS hardware) FROM spend_daily)"
    found = inputs(replace(SHARE, inputs=SHARE.inputs.replace("FROM spend_daily", alone)), View())
    both = inputs(SHARE, View())
    assert (found["Trainium accelerator-hours"], found["Trainium cost, $"]) == (0, 0)
    every = both["Trainium accelerator-hours"] + both["GPU accelerator-hours"]
    assert found["GPU accelerator-hours"] == every > 0


def test_hours_without_a_commitment_are_0_hours_of_one(serving: World) -> None:
    listed = "FROM (SELECT * REPLACE ('on_demand' AS purchase_option) FROM spend_daily)"
    of = replace(COVERAGE, inputs=COVERAGE.inputs.replace("FROM spend_daily", listed))
    assert inputs(of, View())["Committed accelerator-hours"] == 0
