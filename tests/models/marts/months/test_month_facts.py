"""METHOD §7: a month's figures, each from the days and the bill that are its own."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.contract.schema import MONEY, NUMBER, PORTFOLIO
from models.marts.months.month_facts import FLOWS, month_facts
from tests.support.marts.compiled_once import applied
from tests.support.marts.mart_inputs import table

D = Decimal
DAY = {"date": "date", "workload": "string"}
LINE = {"workload": "string", "lineage": "string"}
SEPTEMBER = "2025-09"
Rows = dict[tuple[str, str], dict[str, Any]]


def day(number: int, month: int = 9) -> date:
    return date(2025, month, number)


RUNNING = [
    (date(2025, 8, 31), "atlas", False, 4),
    (day(1), "atlas", True, 10, 100, 40, 5, 35, 50, 20),
    (day(2), "atlas", True, 2, 10, 4, 1, 3, None, 2),
    (day(30), "atlas", False, 99),
    (day(1, 10), "atlas", False, 7),
    (day(1), PORTFOLIO, True, 12, 110, 44, 6, 38, None, 22),
]
WORK = [
    (day(1), "atlas", "g", "gpu", 100, 2), (day(2), "atlas", "g", "gpu", 50, 1),
    (day(1), "atlas", "t", "trainium", 30, 3), (day(2), "atlas", "t", None, 7, 1),
    (day(1), "atlas", "uncounted", "trainium", 70, 7),
    (day(1), "harbor", "t", "trainium", 9, 2),
    (day(1), "silent", "s", None, 0, 3), (day(2), "silent", "s", None, 0, 0),
    (day(1), "zero", "z", None, 0, 1),
    (day(1), "quiet", "q", None, 0, 0),
    (day(1), "thin", "h", None, 0, 1),
    (day(1), "half", "z", None, 0, 1), (day(1), "half", "h", None, 0, 0),
]  # fmt: skip
NOT_IN_ITS_UNIT = [
    (day(1), "atlas", "g", "gpu", 25, 4), (day(2), "atlas", "t", "trainium", 6, 8),
]  # fmt: skip
NOT_ITS_OWN = [
    (day(30), "atlas", "t", "trainium", 900, 9, False, True, True),
    (day(1), "atlas", "g", "gpu", 500, 5, True, False, False),
    (day(1), "late", "z", None, 0, 1, False, True, True),
    (day(1), "ported", "z", None, 0, 1, True, True, False),
]
HOURS = {("silent", "s"): None, ("thin", "h"): D("0.5"), ("half", "h"): 2, ("harbor", "t"): 3}


@pytest.fixture(scope="module")
def months() -> Rows:
    """Settled until the 2nd of September; credits of July, and of June without a workload."""
    work = [
        *((*row, *[True] * 5) for row in WORK),
        *((*row, *[True] * 4, False) for row in NOT_IN_ITS_UNIT),
        *((*row, True, True) for row in NOT_ITS_OWN),
    ]
    lines = sorted({(row[1], row[2]) for row in work})
    facts = [
        (*line, *[line[1] in ("g", "t")] * 2, HOURS.get(line, 10 if line[0] == "atlas" else 0))
        for line in lines
    ]
    others = sorted({line[0] for line in lines} - {"atlas"})
    running = [*RUNNING, *((day(1), name, True, 0, 0, 0, 0, 0, 0, 0) for name in others)]
    flows = {"settled": "boolean", "investment": MONEY} | dict.fromkeys(FLOWS, MONEY)
    stood = {"month": "string", "workload": "string", "status": "string", "parity": "string",
             "cumulative_net": MONEY, "cutover": "date",
             "none_compare": "boolean", "cumulative_investment": MONEY,
             "roi": NUMBER}  # fmt: skip
    sides = {"hardware": "string", "cost": MONEY, "epochs": NUMBER}
    told = dict.fromkeys(("settled", "in_lineage", "own"), "boolean")
    found = applied(
        month_facts,
        table(DAY | flows, running),
        table(
            stood,
            [
                (SEPTEMBER, "atlas", "recovering", "parity", -5, day(1), False, 10, D("-0.5")),
                (SEPTEMBER, "harbor", "not_comparable", None, None, day(1), True, None, None),
                (SEPTEMBER, "silent", "not_started", None, 0, None, False, None, None),
                (None, "atlas", "not_started", None, None, None, False, None, None),
            ],
        ),
        table(
            DAY | {"method": "string", "value": MONEY, "reason": "string", "main": "boolean"},
            [
                (day(2), "atlas", "repriced", 90, "cut", True),
                (day(1), "atlas", "measured", 100, "old", True),
                (day(2), "atlas", "measured", 10, "another recipe's", False),
                (day(1), "harbor", "repriced", 80, "cut", True),
                (day(2), "harbor", "repriced", None, "price unavailable", True),
            ],
        ),
        table(
            DAY | {"effect": "string", "reason": "string", "amount": MONEY},
            [
                (day(3), "atlas", "left_out", "unsettled", 5),
                (day(4), "atlas", "left_out", "unsettled", 6),
                (day(1), "atlas", "left_out", "not_comparable", 2),
                (day(2), "atlas", "left_out", "not_comparable", None),
                (day(1), "atlas", "flagged", "stale_price", 7),
                (day(2), "atlas", "flagged", "pending", 8),
                (day(2), "harbor", "left_out", "unsettled", 4),
            ],
        ),
        table(
            DAY | {"lineage": "string"} | sides | told
            | {"main": "boolean", "counted_in_unit": "boolean"},
            work,
        ),
        table(LINE | {"own": "boolean", "counted": "boolean", "all_hours": NUMBER}, facts),
        table(
            {"workload": "string", "unit": "string", "main": "boolean"},
            [("atlas", "epoch", True), ("atlas", "billion_tokens", False)],
        ),
        table(
            {"workload": "string", "attribution": "string", "billing_period": "string",
             "billed_cost": MONEY},
            [
                ("atlas", "credit", SEPTEMBER, -3), ("atlas", "credit", SEPTEMBER, -4),
                (None, "credit", SEPTEMBER, -5), ("atlas", "direct", SEPTEMBER, 50),
                ("atlas", "credit", "2025-07", -2), (None, "credit", "2025-06", -1),
            ],
        ),
        table(
            {"month": "string", "workload": "string", "accounts": "string"},
            [(SEPTEMBER, "harbor", "999900000001")],
        ),
        table(
            {"month": "string", "workload": "string", "credit_share": NUMBER},
            [(SEPTEMBER, "atlas", D("0.05")), (None, "atlas", D("0.06"))],
        ),
        table(
            DAY | {"trn_cost": MONEY, "judged_cost": MONEY},
            [(day(1), "atlas", 30, 30), (day(2), "atlas", 30, 0), (day(1), "harbor", 20, 0)],
        ),
    ).to_pyarrow().to_pylist()  # fmt: skip
    rows = {(row["month"], row["workload"]): row for row in found}
    assert len(rows) == len(found)
    return rows


def test_flows_are_those_of_settled_days_and_investment_is_up_to_the_last(months: Rows) -> None:
    """On 31 August a scheduler's allocations were missing, and $4 were spent."""
    names = (*FLOWS, "investment", "settled_through")
    figures = {
        key: tuple(row[name] for name in names) for key, row in months.items() if key[1] == "atlas"
    }
    assert figures == {
        ("2025-07", "atlas"): (0, 0, 0, 0, 0, 0, 0, None),
        ("2025-08", "atlas"): (None, None, None, None, None, None, 4, None),
        (SEPTEMBER, "atlas"): (110, 44, 6, 38, None, 22, 12, day(2)),
        ("2025-10", "atlas"): (None, None, None, None, None, None, None, None),
    }


def test_each_side_has_the_cost_and_epochs_of_its_counted_work(months: Rows) -> None:
    """Of runs that no bill names neither is known; of ones without an epoch nothing is missing.

    Work that the unit does not count costs dollars, but is in no cost per epoch.
    """
    names = ("gpu_cost", "trn_cost", "gpu_epochs", "trn_epochs")
    sides = {
        key[1]: tuple(row[name] for name in names)
        for key, row in months.items()
        if key[0] == SEPTEMBER
    }
    assert sides == {
        "atlas": (175, 36, 3, 3),
        "harbor": (0, 9, 0, 2),
        PORTFOLIO: (175, 45, 3, 5),
        "silent": (None, None, 0, 0),
        "zero": (None, None, 0, 0),
        **dict.fromkeys(("quiet", "thin", "half", "late", "ported"), (0, 0, 0, 0)),
    }
    assert months[SEPTEMBER, "atlas"]["gpu_cost_per_epoch"] == 50
    assert months[SEPTEMBER, "atlas"]["trn_cost_per_epoch"] == 10


def test_credits_stand_in_the_month_they_were_billed(months: Rows) -> None:
    credits = {key: row["credits"] for key, row in months.items() if row["credits"] != 0}
    assert credits == {
        (SEPTEMBER, "atlas"): -7,
        (SEPTEMBER, "harbor"): None,
        (SEPTEMBER, PORTFOLIO): -12,
        ("2025-07", "atlas"): -2,
        ("2025-07", PORTFOLIO): -2,
        ("2025-06", PORTFOLIO): -1,
    }


def test_before_its_first_day_a_workload_has_saved_and_invested_nothing(months: Rows) -> None:
    """In June and July there were credits alone; what October comes to is not known yet."""
    names = ("status", "cumulative_net", "cumulative_investment", "roi")
    told = {key: tuple(months[key][name] for name in names) for key in (
        ("2025-06", PORTFOLIO), ("2025-07", PORTFOLIO), ("2025-07", "atlas"), ("2025-10", "atlas"),
    )}  # fmt: skip
    not_started = ("not_started", 0, 0, None)
    assert told.pop(("2025-10", "atlas")) == (None, None, None, None)
    assert set(told.values()) == {not_started}


def test_credits_paid_the_share_of_that_month(months: Rows) -> None:
    shares = {key: row["credit_share"] for key, row in months.items() if row["credit_share"]}
    assert shares == {(SEPTEMBER, "atlas"): D("0.05")}


def test_a_month_says_how_much_of_its_trainium_spend_is_judged(months: Rows) -> None:
    shares = {key: row["covered_share"] for key, row in months.items() if row["covered_share"]}
    assert shares == {(SEPTEMBER, "atlas"): D("0.5"), (SEPTEMBER, PORTFOLIO): D("0.375")}
    assert months[SEPTEMBER, "harbor"]["covered_share"] == 0


def test_a_month_says_where_it_ended_and_what_it_leaves_out(months: Rows) -> None:
    atlas = months[SEPTEMBER, "atlas"]
    told = ("baseline_method", "baseline_value", "baseline_reason", "status", "cumulative_net")
    assert [atlas[name] for name in told] == ["repriced", 90, "cut", "recovering", -5]
    assert (atlas["parity"], atlas["cumulative_investment"], atlas["roi"]) == (
        "parity",
        10,
        D("-0.5"),
    )
    harbor = months[SEPTEMBER, "harbor"]
    assert [harbor[name] for name in told[:3]] == ["repriced", None, "price unavailable"]
    compares = {
        name: months[SEPTEMBER, name]["comparability"] for name in ("atlas", "harbor", "silent")
    }
    assert compares == {"atlas": "comparable", "harbor": "not_comparable", "silent": None}
    assert dict(atlas["left_out"]) == {"not_comparable": None, "unsettled": 11}
    assert dict(atlas["flagged"]) == {"pending": 8, "stale_price": 7}
    whole = dict(months[SEPTEMBER, PORTFOLIO]["left_out"])
    assert whole == {"not_comparable": None, "unsettled": 15}
