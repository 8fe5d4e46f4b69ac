"""How many tables stand between the delivered lines and what is published of cost."""

from __future__ import annotations

from functools import cache

import pytest

from models.contract import schema
from models.contract.declaration import declaration
from models.engine.mart_runner import STEPS
from models.marts import MARTS, SPEND_REDUCED, Mart, inputs_of
from models.marts.cost import COST

READS = {mart.__name__: inputs_of(mart) for mart in (SPEND_REDUCED, *MARTS)}
READS |= {name: step.reads for step in STEPS for name in step.fills}


@cache
def tables(name: str, first: str) -> int:
    """The most tables from one to another, both counted; none where no way leads there."""
    if name == first:
        return 1
    longest = max((tables(read, first) for read in READS.get(name, ())), default=0)
    return longest + 1 if longest else 0


@pytest.mark.parametrize(
    ("name", "first", "most"),
    [("spend_daily", "spend_reduced", 7), ("commitments", "cutovers", 3)],
)
def test_a_reader_follows_a_cost_through_few_tables(name: str, first: str, most: int) -> None:
    assert 0 < tables(name, first) <= most


@pytest.mark.parametrize("mart", [SPEND_REDUCED, *COST], ids=lambda mart: mart.__name__)
def test_each_table_of_cost_says_what_its_rows_are(mart: Mart) -> None:
    declared = declaration(mart)
    assert all(declared[:-1])
    assert declared.published == (mart.__name__ in {**schema.MARTS, **schema.EXPLAINERS})
