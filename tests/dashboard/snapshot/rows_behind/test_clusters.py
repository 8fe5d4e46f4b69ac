"""What is behind the use of a pool, also of one whose machines are of unknown type."""

from __future__ import annotations

from dataclasses import replace

from dashboard.address.view import View
from dashboard.snapshot.rows_behind.clusters import POOL_USE
from dashboard.snapshot.rows_behind.source_rows import inputs
from tests.dashboard.conftest import World


def test_the_inputs_behind_a_pool_of_unknown_type_are_its_own(serving: World) -> None:
    rest = "CASE WHEN cluster <> 'hpc' THEN instance_type END"
    of = f"FROM (SELECT * REPLACE ({rest} AS instance_type) FROM pool_use)"
    untyped = replace(POOL_USE, inputs=POOL_USE.inputs.replace("FROM pool_use", of))
    known = inputs(POOL_USE, View(pool="hpc/trn1.32xlarge"))
    assert None not in known.values()
    assert inputs(untyped, View(pool="hpc/")) == known
    assert set(inputs(POOL_USE, View(pool="hpc/")).values()) == {None}
