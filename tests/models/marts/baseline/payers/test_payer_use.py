"""METHOD §5.3: what each payer used and paid in 84 settled days, against SQL written by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from models.config.loading import validated_settings
from models.marts.baseline.payers.applicable_discounts import applicable_discounts
from models.marts.baseline.payers.payer_use import payer_use
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table
from tests.support.marts.spend_rows import EAST, SPEND, WEST, spent

D = Decimal
BEGIN = date(2026, 1, 1)
P4D, P5 = "p4d.24xlarge", "p5.48xlarge"
SETTINGS = {
    basis: validated_settings({"cost": {"basis": basis}}, home=Path())
    for basis in ("effective", "billed")
}
PRICES = {
    "instance_type": "string", "region": "string", "series": "string", "since": "date",
    "until": "date", "usd_per_hour": "decimal(18, 9)", "stale_from": "date",
}  # fmt: skip
FELL = date(2026, 3, 1)
LISTED = (
    {"instance_type": P4D, "region": EAST, "series": "on_demand", "since": date(2025, 1, 1),
     "until": FELL, "usd_per_hour": D(30)},
    {"instance_type": P4D, "region": EAST, "series": "on_demand", "since": FELL,
     "usd_per_hour": D(20)},
)  # fmt: skip
TRUTH = """
WITH used AS (
    SELECT s.date, billing_account, s.instance_type, instance_hours, effective_cost,
        coalesce(list_cost, instance_hours * usd_per_hour) AS list_cost
    FROM spend AS s LEFT JOIN listed AS l
        ON s.instance_type = l.instance_type AND s.region = l.region
        AND s.date >= since AND (s.date < until OR until IS NULL)
    WHERE settled AND component = 'accelerator' AND s.instance_type IN ('p4d.24xlarge')
        AND coalesce(purchase_option, '') NOT IN ('spot', 'capacity_block')
        AND attribution IN ('direct', 'shared', 'overhead', 'untagged')),
days AS (SELECT unnest(generate_series((SELECT min(date) FROM spend),
    (SELECT max(date) FROM spend), INTERVAL 1 DAY))::DATE AS day)
SELECT day AS date, billing_account, instance_type, sum(instance_hours)::DECIMAL(38, 9) AS hours,
    sum(effective_cost)::DECIMAL(38, 9) AS paid, sum(list_cost)::DECIMAL(38, 9) AS listed
FROM days JOIN used ON date BETWEEN day - 83 AND day
WHERE effective_cost IS NOT NULL AND list_cost IS NOT NULL GROUP BY ALL ORDER BY ALL"""


def drawn(seed: int) -> Iterator[dict[str, Any]]:
    """Hours of two payers and of one without an id, of any sort, over 150 days, half on one."""
    luck = random.Random(seed)
    for _ in range(luck.randrange(5, 60)):
        hours = D(luck.randrange(-10, 240))
        unknown = luck.choice(("list_cost", "effective_cost", None, None, None))
        yield {
            **spent(hours * 8, hours * luck.randrange(10, 30)),
            "instance_hours": hours,
            "date": BEGIN + timedelta(days=luck.choice((luck.randrange(150), 70))),
            "billing_account": luck.choice((f"one {seed}", f"two {seed}", None)),
            "workload": luck.choice(("w", "other", None)),
            "region": luck.choice((EAST, EAST, WEST)),
            "instance_type": luck.choice((P4D, P4D, P5)),
            "list_cost": hours * 33,
            "purchase_option": luck.choice(
                ("on_demand", "on_demand", "committed", "spot", "capacity_block", None)
            ),
            "component": luck.choice(("accelerator",) * 4 + ("storage",)),
            "attribution": luck.choice(
                ("direct", "shared", "overhead", "untagged", "idle_commitment", "purchase",
                 "credit", "refund", "other")
            ),
            "settled": luck.random() < 0.9,
        } | ({unknown: None} if unknown else {})  # fmt: skip


def used(rows: list[dict[str, Any]], basis: str = "effective") -> list[dict[str, Any]]:
    """`payer_use` of a company whose GPU runs have used p4d alone."""
    machines = table({"instance_type": "string"}, {"instance_type": P4D}, {"instance_type": None})
    given = (table(SPEND, *rows), machines, table(PRICES, *LISTED), SETTINGS[basis])
    return applied(payer_use, *given).to_pyarrow().to_pylist()


def test_a_payers_hours_are_those_of_84_settled_days_whoever_used_them() -> None:
    """Of eighty payers, two drawn by each seed, and of all hours without one."""
    rows = [row for seed in range(40) for row in drawn(seed)]
    with duckdb.connect() as con:
        for name, given in (("spend", table(SPEND, *rows)), ("listed", table(PRICES, *LISTED))):
            con.register(name, given.to_pyarrow())
        truth = con.execute(TRUTH).fetchall()
    names = ("date", "billing_account", "instance_type", "instance_hours", "effective_cost",
             "list_cost")  # fmt: skip
    found = used(rows)
    assert sorted((tuple(row[name] for name in names) for row in found), key=str) == sorted(
        truth, key=str
    )
    for row in found:
        paid, listed = row["effective_cost"], row["list_cost"]
        assert row["factor"] == (round(paid / listed, 9) if listed else None)
    random.Random(40).shuffle(rows)
    assert sorted(map(str, used(rows))) == sorted(map(str, found))


def test_a_day_counts_for_84_days_and_no_day_after_the_newest_of_the_bill_is_made() -> None:
    last = BEGIN + timedelta(days=200)
    rows = [
        {**spent(80, 100), "instance_type": P4D, "instance_hours": D(10), "date": BEGIN},
        {**spent(0, 1), "component": "storage", "date": last},
        {**spent(80, 50), "instance_type": P4D, "instance_hours": D(10),
         "date": last - timedelta(days=1)},
    ]  # fmt: skip
    days = [row["date"] for row in used(rows)]
    assert sorted(days) == [*(BEGIN + timedelta(days=n) for n in range(84)),
                            last - timedelta(days=1), last]  # fmt: skip


def test_as_billed_hours_that_a_plan_paid_for_are_left_out_as_their_cost_is_unknown() -> None:
    """100 hours at the full price of $30, and 300 prepaid ones that the bill shows at $0."""
    prepaid = {"purchase_option": "committed", "billed_cost": D(0), "effective_cost": D(6000)}
    rows = [
        {**spent(hours * 8, hours * 30), "instance_type": P4D, "instance_hours": D(hours), **said}
        for hours, said in ((100, {}), (300, prepaid))
    ]
    names = ("instance_hours", "effective_cost", "list_cost", "factor")
    found = {
        basis: {tuple(row[name] for name in names) for row in used(rows, basis)}
        for basis in SETTINGS
    }
    assert found == {"effective": {(400, 9000, 12000, D("0.75"))},
                     "billed": {(100, 3000, 3000, 1)}}  # fmt: skip


def test_a_payer_of_a_workload_bears_accelerator_hours_of_it_and_counts_from_200_hours_on() -> None:
    columns = {name: SPEND[name] for name in ("workload", "component", "billing_account")}
    owners = table(
        columns,
        {"workload": "w", "component": "accelerator", "billing_account": "one"},
        {"workload": "w", "component": "accelerator"},
        {"workload": "w", "component": "storage", "billing_account": "two"},
        {"workload": "v", "component": "accelerator", "billing_account": "two"},
        {"component": "accelerator", "billing_account": "one"},
    )
    known = {
        "date": "date", "billing_account": "string", "instance_type": "string",
        "instance_hours": "decimal(38, 9)", "effective_cost": "decimal(38, 9)",
        "list_cost": "decimal(38, 9)", "factor": "decimal(38, 9)",
    }  # fmt: skip
    rows = [
        {"date": BEGIN, "billing_account": payer, "instance_type": P4D, "instance_hours": D(hours),
         "effective_cost": D(5), "list_cost": D(10), "factor": D(factor) if factor else None}
        for payer, hours, factor in (
            ("one", "200", "0.5"), (None, "200", "0.6"), ("two", "500", "0.7"),
            ("one", "199.999", "0.1"), ("one", "300", None),
        )
    ]  # fmt: skip
    found = applied(applicable_discounts, owners, table(known, *rows)).to_pyarrow().to_pylist()
    assert sorted((row["workload"], row["payer_factor"]) for row in found) == [
        ("v", D("0.7")),
        ("w", D("0.5")),
        ("w", D("0.6")),
    ]
