"""METHOD §6.5, §6.8: each note on a workload, to the letter, the day and the cent."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from models.contract.rules import untagged_spend_note
from models.marts.savings.status.remarks import remarks
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

D = Decimal
W, MONEY = {"workload": "string"}, "decimal(38, 9)"
COLUMNS = {
    "workload_state": W | {
        "settled_through": "date", "cutover": "date", "barred": "boolean", "has_trn": "boolean",
    },
    "left_out_and_flagged": W | {"effect": "string", "reason": "string", "amount": MONEY},
    "baselines": W | {"date": "date", "recipe": "string", "reason": "string"},
    "workload_settled": W | {
        "settled_through": "date", "held_by": "string", "recent_since": "date",
    },
    "settled_accounts": {
        "billing_account": "string", "newest_day": "date", "contradicted": "date",
        "settled_through": "date",
    },
    "silent_payers": {"billing_account": "string", "settled_through": "date"},
    "hidden_credits": W | {"month": "string", "accounts": "string"},
    "idle_by_kind": W | {"amount": MONEY},
    "spend_daily": {
        "settled": "boolean", "hardware": "string", "attribution": "string",
        "effective_cost": MONEY,
    },
    "investment_daily": W | {"date": "date", "kind": "string", "amount": MONEY},
    "work_daily": W | {
        "lineage": "string", "run": "string", "purpose": "string", "misplaced": "string",
        "hardware": "string",
    },
    "credited_daily": W | {
        "date": "date", "lineage": "string", "kind": "string", "main": "boolean",
        "settled": "boolean", "standing": "string",
    },
}  # fmt: skip
LAST = date(2026, 9, 30)
WORKLOADS = ("a", "b", "c")
STATE = [{"workload": name, "settled_through": LAST, "cutover": LAST} for name in WORKLOADS]
AGAIN = "nothing newer was delivered for billing account {}: deliver its export again or, if its "
ENDED = "bill has ended, set closed = {} in [[accounts]]"
EFFECT = (
    " is not production, baseline, validation, port or benchmark: its cost counts and its epochs "
    "are not credited until it is"
)
STRANDED = " of commitments was left idle in the last 12 weeks, which no month to come counts"
SHARED = (
    " of idle commitment is shared by hours among workloads, because the bill names kinds of "
    "commitment only and not which one was idle"
)


def noted(column: str, **given: list[dict[str, Any]]) -> dict[str, Any]:
    """A column by workload, `(portfolio)` as ``; without those of which nothing is said."""
    tables = {"workload_state": STATE, **given}
    made = applied(remarks, *(table(COLUMNS[name], *tables.get(name, [])) for name in COLUMNS))
    rows = made.to_pyarrow().to_pylist()
    assert {row["workload"] for row in rows} == {*WORKLOADS, "(portfolio)"}
    said = {row["workload"].replace("(portfolio)", "all"): row[column] for row in rows}
    return {workload: value for workload, value in said.items() if value}


def test_where_there_is_nothing_to_say_nothing_is_said() -> None:
    names = ("left_out", "flagged", "baseline_reason", "unknown_idle", "untagged", "notes")
    assert [noted(name) for name in names] == [{}] * len(names)


def test_dollars_are_summed_by_reason_for_what_they_do() -> None:
    rows = [
        {"workload": workload, "effect": effect, "reason": reason, "amount": amount}
        for workload, effect, reason, amount in (
            ("a", "left_out", "pending", 5), ("a", "left_out", "pending", 7),
            ("b", "left_out", "pending", 1), ("a", "flagged", "pending", 2),
            ("b", "flagged", "stale", 3), ("b", "flagged", "stale", None),
        )
    ]  # fmt: skip
    given = {"left_out_and_flagged": rows}
    left, flagged = (
        {workload: dict(reasons) for workload, reasons in noted(name, **given).items()}
        for name in ("left_out", "flagged")
    )
    assert left == {"a": {"pending": 12}, "b": {"pending": 1}, "all": {"pending": 13}}
    pending = {"pending": 2}
    assert flagged == {
        "a": pending, "b": {"stale": None}, "all": pending | {"stale": None},
    }  # fmt: skip


def test_the_reason_of_a_baseline_is_that_of_the_last_settled_day_that_trained() -> None:
    """Of the main kind if this trained that day; a later day's baseline explains nothing."""
    before, after = LAST - timedelta(days=1), LAST + timedelta(days=1)
    baselines = [
        {"workload": workload, "date": day, "recipe": recipe, "reason": f"{recipe} {day}"}
        for workload in ("a", "b")
        for day in (before, LAST, after)
        for recipe in ("full", "lora")
    ]
    days = [
        {
            "workload": workload, "date": day, "kind": kind, "main": kind == "lora",
            "settled": day <= LAST, "standing": standing,
        }
        for workload, day, kind, standing in (
            ("a", before, "lora", "counted"), ("a", LAST, "full", "counted"),
            ("a", LAST, "lora", "counted"), ("a", after, "full", "counted"),
            ("b", before, "full", "counted"), ("b", LAST, "lora", "not_comparable"),
        )
    ]  # fmt: skip
    found = noted("baseline_reason", baselines=baselines, credited_daily=days)
    assert found == {"a": f"lora {LAST}", "b": f"full {before}"}


BILLS = [
    {"billing_account": "1", "newest_day": date(2026, 9, 3), "settled_through": LAST},
    {"billing_account": "2", "newest_day": date(2026, 9, 7), "contradicted": date(2026, 9, 5)},
    {"newest_day": date(2026, 9, 9)},
]
STALLED = {
    "1": AGAIN.format("1") + ENDED.format("2026-09-03"),
    "2": AGAIN.format("2 (closed = 2026-09-05 is ignored: its bill has usage until 2026-09-07)")
    + ENDED.format("2026-09-07"),
    "": AGAIN.format("without an id") + ENDED.format("2026-09-09"),
}


def test_idle_of_the_portfolio_is_unknown_after_the_first_bill_that_ends_before_it() -> None:
    silent = [
        {"billing_account": "1", "settled_through": LAST - timedelta(days=1)},
        {"billing_account": "2", "settled_through": date(2026, 9, 7)},
        {"billing_account": None, "settled_through": LAST},
    ]
    words = (
        "idle commitment that belongs to no workload is unknown after 2026-09-07, so no saving is "
        "claimed: "
    )
    found = noted("unknown_idle", settled_accounts=BILLS, silent_payers=silent)
    assert found == {"all": f"{words}{STALLED['1']}; {STALLED['2']}"}
    silent[2]["settled_through"] = date(2026, 9, 1)
    found = noted("unknown_idle", settled_accounts=BILLS, silent_payers=silent[2:])
    assert found == {"all": words.replace("09-07", "09-01") + STALLED[""]}


def test_a_workload_says_how_far_its_bill_lags_and_the_portfolio_who_does() -> None:
    held = [
        {"workload": "b", "settled_through": date(2026, 9, 7), "held_by": "2"},
        {"workload": "a", "settled_through": date(2026, 9, 3), "held_by": "1"},
        {"workload": "c", "settled_through": LAST},
    ]
    assert noted("notes", settled_accounts=BILLS, workload_settled=held) == {
        "a": f"; settled through 2026-09-03 only: {STALLED['1']}",
        "b": f"; settled through 2026-09-07 only: {STALLED['2']}",
        "all": "; settled less far than the others: a, b",
    }


def run(workload: str, name: str, purpose: str, **more: object) -> dict[str, Any]:
    about = {"workload": workload, "lineage": name[0], "run": name, "purpose": purpose}
    return about | {"misplaced": "unknown_purpose", "hardware": "trainium"} | more


def test_the_first_run_of_an_unknown_purpose_is_named_and_the_others_counted() -> None:
    runs = [
        run("a", "r2", "prod"),
        run("a", "r1", "prd"),
        run("a", "r1", "prd"),
        run("a", "r0", "production", misplaced=None),
        run("a", "g0", "x"),  # its lineage does not count
        run("a", "r00", "x", hardware="gpu"),
        run("b", "r3", "test-run"),
    ]
    lineages = [
        {"workload": workload, "lineage": lineage, "standing": standing}
        for workload, lineage, standing in (
            ("a", "r", "counted"), ("a", "r", "counted"), ("b", "r", "counted"),
            ("b", "r", "not_comparable"), ("a", "g", "not_comparable"), ("b", "g", "counted"),
        )
    ]  # fmt: skip
    assert noted("notes", work_daily=runs, credited_daily=lineages) == {
        "a": f"; purpose prd of run r1 (and 1 more){EFFECT}",
        "b": f"; purpose test-run of run r3{EFFECT}",
        "all": f"; purpose prd of run a/r1 (and 2 more){EFFECT}",
    }


def test_the_accounts_that_may_hide_credits_are_those_of_the_newest_month() -> None:
    hidden = [
        {"workload": "a", "month": month, "accounts": accounts}
        for month, accounts in (("2026-08", "1"), ("2026-09", "1, 2"), ("2026-07", "3"))
    ]
    assert noted("notes", hidden_credits=hidden) == {
        "a": "; credits and discounts are unknown: a payer may hide them from 1, 2, whose bill is "
        "from their own Cost Explorer"
    }


def test_idle_that_is_shared_by_kind_is_summed_unless_it_is_nothing() -> None:
    amounts = [("a", 5), ("a", D("2.345")), ("b", -3), ("c", 4), ("c", -4)]
    rows = [{"workload": workload, "amount": amount} for workload, amount in amounts]
    assert noted("notes", idle_by_kind=rows) == {
        "a": f"; $7.35{SHARED}",
        "b": f"; $-3.00{SHARED}",
        "all": f"; $4.35{SHARED}",
    }


def test_commitments_left_idle_are_those_of_the_last_84_settled_days() -> None:
    settled = [
        {"workload": "a", "settled_through": LAST, "recent_since": LAST - timedelta(days=83)},
        {"workload": "b", "settled_through": LAST - timedelta(days=1)},
        {"workload": "c", "settled_through": LAST},
    ]
    rows = [
        {"workload": workload, "date": LAST - timedelta(days=back), "kind": kind, "amount": amount}
        for workload, back, kind, amount in (
            ("a", 0, "stranded_commitment", 1), ("a", 83, "stranded_commitment", 2),
            ("a", 84, "stranded_commitment", 4), ("a", 1, "stranded_cluster", 8),
            ("b", 0, "stranded_commitment", 16), ("b", 1, "stranded_commitment", 32),
            ("c", 1, "stranded_commitment", 0),
        )
    ]  # fmt: skip
    assert noted("notes", investment_daily=rows, workload_settled=settled) == {
        "a": f"; $3.00{STRANDED}",
        "b": f"; $32.00{STRANDED}",
        "all": f"; $35.00{STRANDED}",
    }


def test_dollars_of_which_a_part_is_unknown_are_not_told() -> None:
    amounts = [("a", 1), ("a", None), ("b", 2)]
    idle = [{"workload": workload, "amount": amount} for workload, amount in amounts]
    settled = [{"workload": workload, "settled_through": LAST} for workload in ("a", "b")]
    stranded = [row | {"date": LAST, "kind": "stranded_commitment"} for row in idle]
    assert noted("notes", idle_by_kind=idle) == {"b": f"; $2.00{SHARED}"}
    found = noted("notes", investment_daily=stranded, workload_settled=settled)
    assert found == {"b": f"; $2.00{STRANDED}"}


@pytest.mark.parametrize(("amount", "said"), [(D("2.5"), True), (-1, False), (-2, False)])
def test_settled_trainium_that_nobody_named_may_be_anyones(amount: object, said: bool) -> None:
    own = {"settled": True, "hardware": "trainium", "attribution": "untagged"}
    spent = [
        own | {"effective_cost": amount},
        own | {"effective_cost": 1},
        own | {"effective_cost": 10, "settled": False},
        own | {"effective_cost": 20, "hardware": "gpu"},
        own | {"effective_cost": 40, "attribution": "direct"},
    ]
    words = "; but $3.50 (effective) of Trainium spend names no run or workload"
    everyone = (*WORKLOADS, "all")
    assert noted("untagged", spend_daily=spent) == (dict.fromkeys(everyone, words) if said else {})
    some = noted("untagged", spend_daily=[*spent, own])
    least = words.replace("$", "at least $")
    assert some == (dict.fromkeys(everyone, least) if said else {})
    assert not re.sub(untagged_spend_note.NOTE, "", words + least)


def test_notes_follow_one_another_in_their_order() -> None:
    first = noted(
        "notes",
        work_daily=[run("a", "r1", "prd")],
        credited_daily=[{"workload": "a", "lineage": "r", "standing": "counted"}],
        workload_settled=[{"workload": "a", "settled_through": LAST, "held_by": "1"}],
        settled_accounts=BILLS,
        hidden_credits=[{"workload": "a", "month": "2026-09", "accounts": "1"}],
        idle_by_kind=[{"workload": "a", "amount": 1}],
        investment_daily=[
            {"workload": "a", "date": LAST, "kind": "stranded_commitment", "amount": 1}
        ],
    )["a"]
    starts = ("; purpose", "; settled through", "; credits", "; $1.00 of idle", "; $1.00 of comm")
    places = [first.find(words) for words in starts]
    assert min(places) == places[0] == 0
    assert places == sorted(places)
