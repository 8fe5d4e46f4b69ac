"""What differs between two statements of a month, and why a closed month has moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.closing.adjustment_causes import Inputs, of_other_days, since
from models.closing.changed_by_method_or_inputs import Figures, changes_since
from models.closing.frozen_inputs import frozen
from models.closing.statement_differences import Difference, differences
from models.config.loading import validated_settings
from models.records.closes import Close, Delivered
from models.records.statement import Statement
from tests.support.documents.papers import paper

STATEMENT = paper().statement
OURS = version("breakeven")


def changed(table: str, number: int, **figures: Decimal | None) -> Statement:
    """The statement with other figures in one row of a table."""
    rows = list(STATEMENT.tables[table])
    rows[number] = {**rows[number], **figures}
    return replace(STATEMENT, tables={**STATEMENT.tables, table: rows})


def test_a_statement_does_not_differ_from_itself_read_again() -> None:
    assert list(differences(STATEMENT, replace(STATEMENT))) == []


@given(st.decimals("-1e9", "1e9", places=2))
def test_one_changed_figure_is_one_difference_and_the_way_back_its_mirror(amount: Decimal) -> None:
    other = changed("runs", 0, cost=amount)
    there, back = list(differences(STATEMENT, other)), list(differences(other, STATEMENT))
    assert [(one.table, one.figure) for one in there] == (
        [] if amount == STATEMENT.tables["runs"][0]["cost"] else [("runs", "cost")]
    )
    assert [(one.was, one.now) for one in back] == [(one.now, one.was) for one in there]


def test_a_difference_is_one_line_that_names_table_row_and_figure() -> None:
    fact = Difference("facts", "", "version", "0.1.0", None)
    assert str(fact) == "facts version was 0.1.0, is None"
    figure = Difference("baselines", "atlas-7b pretraining", "value", "1", "2")
    assert str(figure) == "baselines atlas-7b pretraining value was 1, is 2"


def test_an_unknown_amount_differs_from_zero() -> None:
    (found,) = differences(changed("runs", 0, cost=Decimal(0)), changed("runs", 0, cost=None))
    assert (found.was, found.now) == ("0.00", None)


def test_a_row_that_one_side_lacks_differs_in_each_figure_it_has() -> None:
    row = STATEMENT.document()["tables"]["baselines"][0]
    none = replace(STATEMENT, tables={**STATEMENT.tables, "baselines": []})
    found = list(differences(STATEMENT, none))
    assert {one.figure: one.was for one in found} == {
        name: str(value) for name, value in row.items() if value is not None
    }
    assert {one.now for one in found} == {None}


def bill(number: str, billed: str, *, month: str = "2026-09", account: str = "2") -> Delivered:
    """A delivery of a bill of one account and month."""
    sums = {"BilledCost": billed, "EffectiveCost": billed}
    return {"source": "focus", "id": number, "totals": {f"9|{account}|{month}": sums}}


def close(*deliveries: Delivered, config: Mapping[str, object] | None = None) -> Close:
    by_us = replace(STATEMENT, facts={"version": OURS, "edition": "2"})
    return Close(by_us, 1, "J. Doe", "2026-10-12T09:30:00+00:00", "", deliveries, config or {}, ())


def test_a_restated_bill_says_by_how_much_and_of_whom() -> None:
    now = [bill("b", "1234.50"), bill("c", "1", account="")]
    held = close(bill("a", "1000.00"))
    assert since(held, "2026-09", Inputs(now, {}, OURS)) == (
        "AWS restated 2026-09 of no account: billed +1.00, effective +1.00; "
        "AWS restated 2026-09 of 2: billed +234.50, effective +234.50"
    )
    assert since(held, "2026-09", Inputs(now, {}, OURS), "2") == (
        "AWS restated 2026-09 of 2: billed +234.50, effective +234.50"
    )


def test_the_bill_of_an_account_that_was_added_later_is_restated_by_nobody() -> None:
    later = {**bill("b", "1234.00"), "unit": "second export", "period": "2026-09"}
    first = {**bill("a", "7", account="1"), "unit": "export", "period": "2026-09"}
    assert since(close(first), "2026-09", Inputs([first, later], {}, OURS)) == (
        "the bill of 2026-09 of 2 was delivered since: billed +1,234.00, effective +1,234.00"
    )


def test_a_bill_that_went_is_a_fall_to_nothing() -> None:
    assert since(close(bill("a", "7")), "2026-09", Inputs([], {}, OURS)) == (
        "AWS restated 2026-09 of 2: billed -7.00, effective -7.00"
    )


def of(period: str, number: str, source: str = "focus") -> Delivered:
    """A delivery of a month of the bill, or of a day of anything else."""
    told = bill(number, "1", month=period)
    keyed = {"source": source, "unit": "u", "period": period}
    return {**told, **keyed, "totals": told["totals"] if source == "focus" else {}}


AUGUST, SEPTEMBER = of("2026-08", "a"), of("2026-09", "b")
LATER_BILL = of("2026-10", "c")


@pytest.mark.parametrize(
    ("now", "why"),
    [
        ([of("2026-08", "c"), SEPTEMBER], "AWS changed other months of the bill"),
        ([of("2026-07", "c"), AUGUST, SEPTEMBER], "AWS changed other months of the bill"),
        (
            [AUGUST, of("2026-09", "c")],
            "the bill of 2026-09 was delivered again with the same sums",
        ),
        (
            [AUGUST, {**SEPTEMBER, "id": "c", "period": "all"}],
            "the bill of 2026-09 was delivered again with the same sums",
        ),
        ([AUGUST, SEPTEMBER, LATER_BILL], ""),
        ([AUGUST, SEPTEMBER, of("2026-11", "later")], ""),
        ([AUGUST, SEPTEMBER, of("2026-10-01", "c", "cloudwatch")], ""),
        (
            [AUGUST, SEPTEMBER, of("2026-09-30", "c", "cloudwatch")],
            "cloudwatch was delivered since",
        ),
    ],
)
def test_a_new_bill_of_the_same_sums_changed_other_months(now: list[Delivered], why: str) -> None:
    """A bill of a later month is none of its causes: it was there in part, and goes on by the day.

    That of November was, of October not.
    """
    config = {"cost": {"source": "focus"}}
    held = close(AUGUST, SEPTEMBER, of("2026-11", "early"), config=config)
    assert since(held, "2026-09", Inputs(now, config, OURS)) == why


def test_what_later_days_changed_is_not_said_to_be_the_new_edition_s() -> None:
    """With a bill of October since, September is computed from what was delivered at its close."""
    ours = close(SEPTEMBER)
    older = replace(ours, statement=replace(ours.statement, facts={"edition": "1"}))
    same, today = ({"summary": [], "tie_out": []} for _ in range(2))
    inputs = Inputs([SEPTEMBER, LATER_BILL], {}, OURS)
    asked: list[Close] = []

    def again(latest: Close) -> Figures:
        asked.append(latest)
        return same

    changes = changes_since("2026-09", older, today, inputs, again)
    assert [change.changed_by for change in changes] == ["edition", "inputs"]
    assert asked == [older]


def test_progress_config_and_program_are_named_in_that_order() -> None:
    held = close(config={"as_of": "2026-10-01", "tags": {"run": "Run"}, "invoices": []})
    older = replace(
        held, statement=replace(held.statement, facts={"version": "0.0.1", "edition": "2"})
    )
    now = {"as_of": "2026-11-01", "tags": {"run": "run"}, "invoices": [1], "cost": {}}
    progress = {"source": "mlflow", "id": "p", "totals": {}}
    assert since(older, "2026-09", Inputs([progress], now, OURS)) == (
        "mlflow was delivered since; the configuration changed (cost, tags); "
        f"breakeven {OURS} computes it; it was closed by 0.0.1"
    )


ROLE = "arn:aws:iam::999900000001:role/"
PULLS: list[dict[str, Any]] = [
    {
        "digest": {"day": day},
        "cost": {"api_budget_usd_per_day": f"{day}", "settle_days": 4},
        "sources": [{"kind": "focus", "location": "bill", "schedule": f"0 {day} * * *"}],
        "accounts": [{"id": "999900000001", "role_arn": f"{ROLE}{day}"}],
    }
    for day in (5, 9)
]


@pytest.mark.parametrize("edition", ["1", "2"])
def test_a_close_that_holds_more_than_numbers_depend_on_names_no_change_of_it(
    tmp_path: Path, edition: str
) -> None:
    """An earlier version stored when and as whom is pulled, and when the digest is sent."""
    then, now = (validated_settings(each, home=tmp_path) for each in PULLS)
    whole = then.model_dump(mode="json", by_alias=True, include={*PULLS[0]})
    held = close(config={**frozen(then), **whole})
    facts = {"version": OURS, "edition": edition}
    held = replace(held, statement=replace(held.statement, facts=facts))
    assert since(held, "2026-09", Inputs([], frozen(now), OURS)) == ""
    later = validated_settings({**PULLS[1], "cost": {"settle_days": 5}}, home=tmp_path)
    assert since(held, "2026-09", Inputs([], frozen(later), OURS)) == (
        "the configuration changed (cost)"
    )


def test_a_cause_that_a_close_states_is_found_again_when_it_is_verified() -> None:
    """Its own config then stands for today's, with what is no longer stored."""
    assert since(close(config=PULLS[0]), "2026-09", Inputs([], PULLS[1], OURS)) == (
        "the configuration changed (accounts, cost, digest, sources)"
    )


def test_where_nothing_changed_no_input_is_named() -> None:
    assert since(close(bill("a", "1")), "2026-09", Inputs([bill("a", "1")], {}, OURS)) == ""


def told(source: str, cluster: str, *days: str) -> list[Delivered]:
    return [
        {"source": source, "unit": cluster, "period": day, "id": day, "totals": {},
         "format": "observed_allocations"}
        for day in days
    ]  # fmt: skip


def test_days_of_a_scheduler_are_named_that_reach_into_the_month() -> None:
    """The day before it and the day after it do: the time around a job is the job's."""
    days = told("slurm", "hpc", "2026-09-03", "2026-10-01", "2026-10-02", "2026-08-30")
    days += told("kubernetes", "eks", "2026-08-31")
    assert since(close(), "2026-09", Inputs(days, {}, OURS)) == (
        "kubernetes told later who held machines of eks on 2026-08-31; "
        "slurm told later who held machines of hpc on 2026-09-03 and 1 more"
    )
    assert since(close(), "2026-11", Inputs(days, {}, OURS)) == ""


def test_only_what_a_baseline_enters_is_put_down_to_later_days_of_the_baseline() -> None:
    assert of_other_days("net_saving") == (
        "what was delivered of later days corrects it, or changes its baseline"
    )
    assert {of_other_days(measure) for measure in ("direct", "trn_cost", "overhead")} == {
        "what was delivered of other days corrects it, or it is computed from them, too"
    }
