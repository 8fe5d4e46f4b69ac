"""METHOD §3.4: what a kind of work is called, and which baseline its rows are measured against."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from models.contract.rules.kinds_of_work import in_words, with_own_baseline
from tests.support.marts.hand_written_tables import rows, table

DAY, NEXT = date(2025, 6, 1), date(2025, 6, 2)
VALUE = {"value": "decimal(38, 9)"}
KEYS = {"date": "date", "workload": "string"}


@pytest.mark.parametrize(
    ("recipe", "size", "words"),
    [
        ("qlora", "50000", "qlora in epochs of 50000 samples"),
        (None, "50000", "without a recipe in epochs of 50000 samples"),
        ("qlora", None, "qlora"),
        (None, None, "without a recipe"),
        ("full", "1000000000000", "full in epochs of 1000000000000 samples"),
    ],
)
def test_a_kind_is_called_by_what_is_known_of_it(
    recipe: str | None, size: str | None, words: str
) -> None:
    kinds = table(
        {"recipe": "string", "samples_per_epoch": "decimal(38, 9)"},
        {"recipe": recipe, "samples_per_epoch": size and Decimal(size)},
    )
    assert rows(kinds.select(words=in_words(kinds)), "words") == [(words,)]


def test_each_row_is_measured_against_the_baseline_of_its_own_kind_and_day() -> None:
    given = table(
        KEYS | {"kind": "int64"},
        {"date": DAY, "workload": "atlas", "kind": 0},
        {"date": DAY, "workload": "atlas", "kind": 1},
        {"date": DAY, "workload": "atlas", "kind": 2},
        {"date": NEXT, "workload": "atlas", "kind": 1},
        {"date": NEXT, "workload": "atlas", "kind": None},
    )
    main = table(
        KEYS | VALUE,
        {"date": DAY, "workload": "atlas", "value": 100},
        {"date": NEXT, "workload": "atlas", "value": 110},
    )
    further = table(
        KEYS | {"kind": "int64"} | VALUE,
        {"date": DAY, "workload": "atlas", "kind": 1, "value": 7},
        {"date": NEXT, "workload": "borea", "kind": 1, "value": 8},
    )
    found = with_own_baseline(given, main, further, "value")
    assert list(found.columns) == ["date", "workload", "kind", "value"]
    assert rows(found, "date", "kind", "value") == [
        (DAY, 0, 100),
        (DAY, 1, 7),
        (DAY, 2, None),
        (NEXT, 1, None),
        (NEXT, None, 110),
    ]
