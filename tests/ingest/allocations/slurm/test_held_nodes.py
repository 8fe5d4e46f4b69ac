"""How many accelerators a job held on each of its nodes, of which Slurm tells the sum alone."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ingest.allocations.node_machines import NodeMachines
from ingest.allocations.node_types import NodeTypes
from ingest.allocations.slurm.held_nodes import HeldNodes
from ingest.allocations.slurm.jobs import attempts
from ingest.allocations.slurm.printed import read_printed
from models.contract.errors import InputError
from tests.ingest.allocations.slurm.test_jobs import ASKED
from tests.support.slurm.printed import job, printed

TYPES = {"p4-*": "p4d.24xlarge", "g5-*": "g5.12xlarge", "head": "c5.4xlarge"}


def held(nodes: str, gpus: int) -> dict[str | None, Decimal | None]:
    text = printed(job(NodeList=nodes, AllocTRES=f"gres/gpu={gpus}"))
    (attempt,) = attempts(read_printed("sacct.psv", text.encode()), ASKED, keep_user=False)
    rows = HeldNodes(NodeMachines([]), NodeTypes(TYPES)).of_attempt(attempt, ASKED)
    return {row.node: row.accelerators for row in rows}


@pytest.mark.parametrize(
    ("nodes", "gpus", "parts"),
    [
        ("p4-1,p4-2", 8, {"p4-1": 4, "p4-2": 4}),
        ("p4-1,g5-1", 12, {"p4-1": 8, "g5-1": 4}),
        ("p4-1,g5-1,other", 15, {"g5-1": 4, "p4-1": 5.5, "other": 5.5}),
        ("p4-1,head", 8, {"p4-1": 8, "head": None}),
        ("p4-1,g5-1", 6, {"p4-1": 3, "g5-1": 3}),
    ],
)
def test_parts_are_equal_as_far_as_nodes_have_any(
    nodes: str, gpus: int, parts: dict[str, float | None]
) -> None:
    assert held(nodes, gpus) == parts


def test_more_than_all_nodes_have_is_refused() -> None:
    with pytest.raises(InputError, match=r"line 2: more accelerators .* has: 6\.5 of 4 \("):
        held("p4-1,g5-1", 13)
