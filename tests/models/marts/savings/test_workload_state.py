"""METHOD §3.5, §5, §6: what bars a workload's saving, its quality, and since when it moves."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.marts.savings.cutovers import cutovers
from models.marts.savings.workload_state import workload_state
from tests.support.marts.mart_inputs import table

ALIKE, OTHER, ALONE = "comparable", "recipe differs", "no GPU run to compare with"
JUDGED: dict[str, list[tuple[object, ...]]] = {
    "below": [(ALIKE, "below_parity")],
    "beside": [(OTHER, "parity"), (ALIKE, "parity")],
    "idle": [],
    "kinds": [(ALIKE, "parity", "full"), (ALIKE, "unverified", "qlora")],
    "live": [(ALIKE, "pending")],
    "mixed": [(ALIKE, "below_parity"), (ALIKE, "parity")],
    "must": [(ALIKE, "unverified"), (ALIKE, "unverified")],
    "must-not": [(ALIKE, "unverified"), (ALIKE, "parity")],
    "none": [(OTHER, "parity"), (OTHER, "parity")],
    "open": [(ALIKE, "below_parity"), (ALIKE, "pending")],
    "passed": [(ALIKE, "parity"), (ALIKE, "pending")],
    "priceless": [],
    "never": [(ALONE, None), (ALONE, None)],
    "silent": [(ALIKE, "unverified")],
    "unknown": [(ALIKE, None)],
}
"""Comparability and parity of Trainium lineages; "unknown" has a baseline of another kind and of
a day on which it did not train.
"""
UNCOUNTED = {"idle", "must", "priceless", "never", "none"}
"""Workloads without work that counts; that of "live" counts and has not settled."""
REQUIRED = {"kinds": True, "must": True, "must-not": True, "none": None, "passed": False}
DAY = {"date": "date", "workload": "string"}
TOLD = ("own", "settled", "active")


def day(number: int) -> date:
    return date(2025, 8, number)


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any]]:
    """Rows by workload."""
    words = dict.fromkeys(("workload", "lineage", "comparability", "parity", "kind"), "string")
    worked = DAY | {
        "lineage": "string", "kind": "string", "settled": "boolean", "in_lineage": "boolean",
        "hardware": "string", "unbilled_epochs": "decimal(38, 9)",
    }  # fmt: skip
    lines = [
        (name, f"t{number}", told)
        for name, every in JUDGED.items()
        for number, told in enumerate(every)
    ]
    lineages = {"workload": "string", "counted": "boolean", "first_trainium": "date"}
    bad = {4: (False, True, True), 5: (True, False, True), 6: (True, True, False)}
    reported = [
        (day(n), "below", *bad.get(n, (True,) * 3), None) for n in (1, 2, 3, 4, 5, 6, 10, 9)
    ]
    reported += [(day(7), "below", True, True, True, "gpu")]
    spent = [(day(n), "below", "overhead", "trainium") for n in (4, 5, 6, 7, 9, 10)]
    spent += [(day(2), "below", "overhead", "gpu"), (day(3), "below", "direct", "trainium")]
    spent += [(day(1), "mixed", "overhead", "trainium")]
    facts = table(
        lineages | {"unpriced": "boolean"},
        [
            ("mixed", True, day(5), False), ("mixed", True, day(4), False),
            ("mixed", False, day(1), False), ("live", False, None, True),
            ("priceless", False, day(2), True),
        ],
    )  # fmt: skip
    rows = workload_state(
        facts,
        table(
            words,
            [(name, line, *told, "full")[:5] for name, line, told in lines],
        ),
        table(
            worked,
            [
                (day(1), name, line, "full", name != "live", True, "trainium", Decimal(0))
                for name, line, _ in lines
            ],
        ),
        table(
            DAY | {"recipe": "string", "value": "decimal(38, 9)"},
            [
                (day(1), name, "rl" if name == "unknown" else "full", Decimal(1))
                for name in JUDGED
            ]
            + [(day(1), "unknown", "full", None), (day(2), "unknown", "full", Decimal(1))],
        ),
        table({"workload": "string"}, [(name,) for name in JUDGED]),
        cutovers(
            facts,
            table(DAY | dict.fromkeys(TOLD, "boolean") | {"hardware": "string"}, reported),
            table(DAY | {"attribution": "string", "hardware": "string"}, spent),
        ),
        table({"workload": "string", "require_verified": "boolean"}, list(REQUIRED.items())),
    ).to_pyarrow().to_pylist()  # fmt: skip
    assert len(rows) == len(JUDGED)
    return {row["workload"]: row for row in rows}


def those(rows: dict[str, dict[str, Any]], name: str) -> set[str]:
    """Workloads of which something holds; of the others it does not, and is never null."""
    assert {row[name] for row in rows.values()} == {True, False}
    return {workload for workload, row in rows.items() if row[name]}


def test_what_bars_a_workload(found: dict[str, dict[str, Any]]) -> None:
    assert those(found, "none_compare") == {"never", "none"}
    assert those(found, "never_on_gpu") == {"never"}
    assert those(found, "must_verify") == {"must"}
    assert those(found, "has_baseline") == JUDGED.keys() - {*UNCOUNTED, "unknown"}
    assert those(found, "barred") == {"idle", "never", "none", "must", "priceless", "unknown"}
    assert those(found, "has_trn") == JUDGED.keys() - {"idle"}
    assert those(found, "unverified") == {"must", "silent"}
    assert those(found, "unpriced") == {"live", "priceless"}
    assert those(found, "none_priced") == {"priceless"}


def test_its_quality_is_that_of_its_lineages(found: dict[str, dict[str, Any]]) -> None:
    assert {workload: row["parity"] for workload, row in found.items()} == {
        "below": "below_parity",
        "beside": "parity",
        "idle": None,
        "kinds": "parity",
        "live": "pending",
        "mixed": "mixed",
        "must": "unverified",
        "must-not": "parity",
        "never": None,
        "none": None,
        "open": "mixed",
        "passed": "parity",
        "priceless": None,
        "silent": "unverified",
        "unknown": None,
    }


def test_it_moves_with_its_first_run_named_or_not(found: dict[str, dict[str, Any]]) -> None:
    """Unnamed: production that reported on a settled day of Trainium under its tag alone."""
    moved = {workload: row["cutover"] for workload, row in found.items() if row["cutover"]}
    assert moved == {"mixed": day(4), "below": day(9), "priceless": day(2)}
