"""METHOD §2.2: how much of what runs cost credits paid, in exact dollars and against SQL."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

import duckdb
import pytest

from models.config.settings import Settings
from models.contract.schema import MONEY, PORTFOLIO
from models.marts.cost.credit_shares import credit_shares
from tests.support.marts.mart_inputs import table

D = Decimal
SPEND = {
    **dict.fromkeys(("billing_period", "billing_account", "workload", "run"), "string"),
    "attribution": "string", "billed_cost": MONEY, "effective_cost": MONEY, "list_cost": MONEY,
    "unpriced": "boolean", "purchase_option": "string", "component": "string",
}  # fmt: skip
BOUGHT = {"unpriced": False, "purchase_option": "on_demand", "component": "accelerator"}
HIDDEN = dict.fromkeys(("month", "workload", "accounts"), "string")
SEPTEMBER, OCTOBER = "2025-09", "2025-10"
TRUTH = """
WITH spend AS (
    SELECT billing_period AS month, coalesce(billing_account, '') AS payer, * FROM lines
), payers AS (
    SELECT month, payer,
        coalesce(sum(billed_cost) FILTER (
            attribution NOT IN ('tax', 'support', 'credit', 'refund', 'purchase')), 0) AS usage,
        coalesce(sum(billed_cost) FILTER (
            attribution = 'credit' AND workload IS NULL), 0) AS credits
    FROM spend GROUP BY ALL
), owned AS (
    SELECT * FROM spend UNION ALL
    SELECT * REPLACE ('(portfolio)' AS workload) FROM spend WHERE workload IS NOT NULL
), named AS (
    SELECT month, workload, sum(billed_cost) AS given FROM owned
    WHERE attribution = 'credit' AND workload IS NOT NULL GROUP BY ALL
), runs AS (
    SELECT month, payer, workload, sum(effective_cost) AS cost, sum(billed_cost) AS billed
    FROM owned WHERE run IS NOT NULL GROUP BY ALL
), others AS (
    SELECT month, workload, sum(cost) AS cost,
        sum(CAST(credits AS DOUBLE) * billed / usage) AS given
    FROM runs JOIN payers USING (month, payer) GROUP BY ALL
), months AS (
    SELECT month, workload, coalesce(named.given, 0) + coalesce(others.given, 0) AS given,
        coalesce(cost, 0) AS cost
    FROM named FULL JOIN others USING (month, workload)
)
SELECT coalesce(month, 'all') AS month, workload,
    CASE WHEN sum(cost) <> 0 THEN -sum(given) / CAST(sum(cost) AS DOUBLE) END AS share
FROM months GROUP BY GROUPING SETS ((month, workload), (workload))"""
Shares = dict[tuple[str, str], Decimal | None]


def shares(
    lines: Sequence[Sequence[Any]],
    hidden: Sequence[tuple[str, str, str]] = (),
    basis: str = "effective",
) -> Shares:
    settings = Settings.model_validate({"cost": {"basis": basis}})
    spend = [dict(zip(SPEND, row, strict=False)) | BOUGHT for row in lines]
    found = credit_shares(table(SPEND, spend), table(HIDDEN, hidden), settings)
    rows = found.to_pyarrow().to_pylist()
    named = {(row["month"] or "all", row["workload"]): row["credit_share"] for row in rows}
    assert len(named) == len(rows)
    return named


def line(month: str, payer: str | None, owner: str, kind: str, billed: object) -> list[Any]:
    """A row of spend that costs what is billed; `owner` is `workload/run`, or empty."""
    workload, _, run = owner.partition("/")
    return [month, payer, workload or None, run or None, kind, billed, billed]


EXAMPLE = [
    line(SEPTEMBER, "P", "atlas/t1", "direct", 60),
    line(SEPTEMBER, "P", "atlas/t1", "shared", 40),
    line(SEPTEMBER, "P", "atlas", "overhead", 50),
    line(SEPTEMBER, "P", "", "other", 250),
    line(SEPTEMBER, "P", "", "tax", 30),
    line(SEPTEMBER, "P", "", "purchase", 700),
    line(SEPTEMBER, "P", "", "credit", -40),
    line(SEPTEMBER, "P", "atlas", "credit", -5),
]


def test_the_example_of_the_page() -> None:
    """(40 × 100 ÷ 400 + 5) ÷ 100: tax and fees are no usage."""
    found = shares(EXAMPLE)
    assert set(found.values()) == {D("0.15")}
    assert set(found) == {(m, w) for m in (SEPTEMBER, "all") for w in ("atlas", PORTFOLIO)}


def test_credits_of_one_payer_pay_for_nobody_elses_runs() -> None:
    """Harbor's payer has none; of all runs' $300 credits paid the same $15."""
    found = shares([*EXAMPLE, line(SEPTEMBER, None, "harbor/h1", "direct", 200)])
    assert found[SEPTEMBER, "harbor"] == 0
    assert found[SEPTEMBER, "atlas"] == D("0.15")
    assert found[SEPTEMBER, PORTFOLIO] == D("0.05")


def test_without_runs_there_is_no_share_and_in_all_the_late_credit_counts() -> None:
    """October has a credit and no run: (15 + 10) ÷ 100 in all."""
    found = shares([*EXAMPLE, line(OCTOBER, "P", "atlas", "credit", -10)])
    assert found[OCTOBER, "atlas"] is None
    assert found["all", "atlas"] == D("0.25")


def test_the_cost_of_runs_is_on_the_configured_basis() -> None:
    dear = [[*row, row[-1] * 2] for row in EXAMPLE]
    assert shares(dear, basis="list")[SEPTEMBER, "atlas"] == D("0.075")


def test_as_billed_the_cost_of_runs_under_a_plan_is_unknown_and_no_0_dollars() -> None:
    """Half of the runs' hours are prepaid: $15 of credits are no part of the other half's $100."""
    prepaid = [SEPTEMBER, "P", "atlas", "t2", "direct", 0, 100]
    assert shares([*EXAMPLE, prepaid])[SEPTEMBER, "atlas"] == D("0.075")
    assert shares([*EXAMPLE, prepaid], basis="billed")[SEPTEMBER, "atlas"] is None


def test_what_may_be_hidden_or_has_no_known_cost_has_no_share() -> None:
    found = shares(EXAMPLE, [(SEPTEMBER, "atlas", "P"), (SEPTEMBER, PORTFOLIO, "P")])
    assert set(found.values()) == {None}
    unpriced = [SEPTEMBER, "P", "atlas", "t2", "direct", 0, None]
    assert shares([*EXAMPLE, unpriced])[SEPTEMBER, "atlas"] is None
    (free,) = {*shares([line(SEPTEMBER, "P", "a/t", "direct", 0)]).values()}
    assert free is None


def test_credits_of_a_payer_whose_usage_is_nothing_pay_an_unknown_part() -> None:
    """All hours are covered by a plan, so nothing is billed as usage; without credits it is 0."""
    covered = [SEPTEMBER, "P", "atlas", "t1", "direct", 0, 100]
    assert shares([covered])[SEPTEMBER, "atlas"] == 0
    credit = line(SEPTEMBER, "P", "", "credit", -40)
    assert shares([covered, credit])[SEPTEMBER, "atlas"] is None


def drawn(seed: int) -> list[list[Any]]:
    """A year of three payers, four workloads and every bucket."""
    random = Random(seed)
    kinds = ("direct", "shared", "overhead", "other", "untagged", "tax", "purchase", "refund")
    lines = []
    for _ in range(600):
        month, payer = f"2025-{random.randint(1, 12):02}", random.choice(["P", "Q", None])
        kind = random.choice([*kinds, "credit", "credit"])
        owner = f"w{random.randint(1, 4)}"
        owner += f"/r{random.randint(1, 9)}" if kind in ("direct", "shared") else ""
        owner = owner if kind in ("direct", "shared", "overhead") or random.random() < 0.4 else ""
        sign = -1 if kind in ("credit", "refund") else 1
        billed = sign * D(random.randint(1, 10**7)) / 10**4
        lines.append(line(month, payer, owner, kind, billed))
        lines[-1][-1] = billed * random.choice([1, D("0.7")])
    return lines


@pytest.fixture(scope="module")
def year() -> tuple[list[list[Any]], Shares]:
    lines = drawn(7)
    return lines, shares(lines)


def test_every_share_is_that_of_sql_by_hand(year: tuple[list[list[Any]], Shares]) -> None:
    lines, found = year
    with duckdb.connect() as con:
        con.register("lines", table(SPEND, lines).to_pyarrow())
        due = {(month, who): share for month, who, share in con.execute(TRUTH).fetchall()}
    assert found.keys() == due.keys()
    assert len(due) > 50
    for key, share in found.items():
        theirs = due[key]
        assert share is None if theirs is None else abs(float(share) - theirs) < 1e-7, key


def test_shares_do_not_change_with_the_size_of_the_bill_and_grow_with_credits(
    year: tuple[list[list[Any]], Shares],
) -> None:
    """Every dollar three times: the same shares. Every credit twice: twice the shares."""
    lines, found = year
    scaled = shares([[*row[:5], row[5] * 3, row[6] * 3] for row in lines])
    doubled = shares(
        [[*row[:5], row[5] * (2 if row[4] == "credit" else 1), row[6]] for row in lines]
    )
    for key, share in found.items():
        same, twice = scaled[key], doubled[key]
        if share is None:
            assert same is twice is None
        else:
            assert same == pytest.approx(share, abs=D("1e-7")), key
            assert twice == pytest.approx(2 * share, abs=D("1e-7")), key


def test_what_credits_paid_for_workloads_is_what_they_paid_for_the_portfolio(
    year: tuple[list[list[Any]], Shares],
) -> None:
    """In months in which every workload with a credit has a run, dollars add up."""
    lines, found = year
    cost: dict[tuple[str, str], Decimal] = {}
    for month, _, workload, run, _, _, effective in lines:
        for who in (workload, PORTFOLIO) if run else ():
            cost[month, who] = cost.get((month, who), D(0)) + effective
    added = 0
    for month in {month for month, _ in found} - {"all"}:
        mine = [key for key in found if key[0] == month and key[1] != PORTFOLIO]
        if all(found[key] is not None for key in mine):
            paid = sum(((found[key] or D(0)) * cost[key] for key in mine), D(0))
            whole = found[month, PORTFOLIO]
            assert whole is not None
            assert abs(paid - whole * cost[month, PORTFOLIO]) < D("1e-4")
            added += 1
    assert added >= 6
