"""METHOD §5.3: hours are repriced at the payer's factor where it is lower, against SQL by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import pytest

from models.marts.baseline.methods.lowered_by_payer_discount import (
    with_discounts,
    with_payer_factor,
)
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows as in_order
from tests.support.marts.hand_written_tables import table
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import ACCOUNT, World

D = Decimal
P4D, TRN1 = "p4d.24xlarge", "trn1.32xlarge"
OTHER = "999900000002"
DAY = date(2026, 5, 1)
NUMBERS = ("instance_hours", "epochs", "price", "factor", "repriced")
TERMS = dict.fromkeys(
    ("workload", "kind", "candidate", "platform", "instance_type", "region", "series"), "string"
) | {"date": "date", "since": "date"} | dict.fromkeys(NUMBERS, "decimal(38, 9)")  # fmt: skip
FACTORS = {"date": "date", "workload": "string", "instance_type": "string"} | dict.fromkeys(
    ("payer_hours", "payer_cost", "payer_list", "payer_factor"), "decimal(38, 9)"
)
LOWEST = """
WITH best AS (
    SELECT t.workload, t.instance_type, region, series, min(f.payer_factor) AS payer_factor,
        min(price * instance_hours::DOUBLE * payer_cost / payer_list / epochs) AS lowered
    FROM terms AS t JOIN factors AS f ON t.date = f.date AND t.workload = f.workload
        AND t.instance_type = f.instance_type
    WHERE series = 'on_demand' AND repriced IS NOT NULL
        AND payer_hours >= instance_hours / 2 AND payer_factor < factor
    GROUP BY ALL)
SELECT terms.*, payer_factor, coalesce(lowered, repriced) AS due
FROM terms LEFT JOIN best USING (workload, instance_type, region, series)"""


def terms(luck: random.Random, workload: str) -> Iterator[dict[str, Any]]:
    """Hours in two regions, bought in two ways; of some the price is unknown."""
    for machine, region, series in (
        (machine, region, series)
        for machine in ("p4d", "p5")
        for region in ("a", "b")
        for series in ("on_demand", "spot")
    ):
        hours, price = D(luck.randrange(1, 900)), D(luck.randrange(5, 90))
        factor = D(luck.randrange(40, 100)) / 100
        unknown = luck.random() < 0.2
        yield {
            "date": DAY + timedelta(days=luck.randrange(3)), "since": DAY, "workload": workload,
            "kind": "", "candidate": machine, "platform": machine, "instance_type": machine,
            "region": region, "series": series, "instance_hours": hours, "epochs": D(10),
            "price": price, "factor": factor,
            "repriced": None if unknown else round(hours * price * factor / 10, 9),
        }  # fmt: skip


def factors(luck: random.Random, workload: str) -> Iterator[dict[str, Any]]:
    """What payers of the workload and of another one pay."""
    for _ in range(luck.randrange(12)):
        listed, paid = D(luck.randrange(1, 10**6)), D(luck.randrange(1, 10**6))
        yield {
            "date": DAY + timedelta(days=luck.randrange(3)),
            "workload": luck.choice((workload, workload, "other")),
            "instance_type": luck.choice(("p4d", "p5")),
            "payer_hours": D(luck.randrange(200, 500)),
            "payer_cost": paid,
            "payer_list": listed,
            "payer_factor": round(paid / listed, 9),
        }


def test_the_lowest_payers_factor_that_is_enough_and_lower_reprices_hours() -> None:
    """Of forty workloads, each drawn by a seed of its own."""
    told: list[dict[str, Any]] = []
    paid: list[dict[str, Any]] = []
    for seed in range(40):
        luck = random.Random(seed)
        told += terms(luck, f"w{seed}")
        paid += factors(luck, f"w{seed}")
    given = table(TERMS, *told), table(FACTORS, *paid)
    found = applied(with_payer_factor, *given).to_pyarrow().to_pylist()
    with duckdb.connect() as con:
        for name, made in zip(("terms", "factors"), given, strict=True):
            con.register(name, made.to_pyarrow())
        truth = con.sql(LOWEST).to_arrow_table().to_pylist()
    keys = ("workload", "instance_type", "region", "series")
    held = {tuple(row[key] for key in keys): row for row in found}
    assert len(truth) == len(found) == len(held) == 8 * 40
    for due in truth:
        row = held[tuple(due[key] for key in keys)]
        assert row["payer_factor"] == due["payer_factor"]
        assert (row["repriced"] is None) == (due["due"] is None)
        if row["repriced"] is not None:
            assert abs(float(row["repriced"]) - float(due["due"])) < 1e-6
            assert row["repriced"] <= due["repriced"]  # no payer makes a GPU dearer


@pytest.mark.parametrize(
    ("hours", "factor", "taken"),
    [("105", "0.6", True), ("104.9", "0.6", False), ("105", "0.75", False), ("105", "0.8", False)],
)
def test_half_of_the_hours_is_enough_and_the_same_factor_is_not_lower(
    hours: str, factor: str, taken: bool
) -> None:
    term = {
        "date": DAY, "since": DAY, "workload": "w", "kind": "", "candidate": "p4d",
        "platform": "p4d", "instance_type": P4D, "region": "a", "series": "on_demand",
        "instance_hours": D(210), "epochs": D(20), "price": D(20), "factor": D("0.75"),
        "repriced": D("157.5"),
    }  # fmt: skip
    payer = {
        "date": DAY, "workload": "w", "instance_type": P4D, "payer_hours": D(hours),
        "payer_cost": D(factor) * 100, "payer_list": D(100), "payer_factor": D(factor),
    }  # fmt: skip
    made = applied(with_payer_factor, table(TERMS, term), table(FACTORS, payer))
    (row,) = made.to_pyarrow().to_pylist()
    repriced, told = (D("126"), D(factor)) if taken else (D("157.5"), None)
    assert (row["repriced"], row["payer_factor"]) == (repriced, told)


def bought(world: World, day: date, hours: int, share: str, **columns: object) -> None:
    """Hours of p4d at a share of the list price of the day."""
    price = D("32.7726") if day < date(2025, 6, 1) else D("21.957642")
    tags = columns.pop("tags", {"workload": "other", "run": "o"})
    given = {"ListCost": hours * price} | columns
    world.hours(f"{day}T00:00:00", hours, P4D, price * D(share), tags, **given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """Runs of May at 0.75; discounts that come and go, of the payer of each chip and of a third."""
    world = World(tmp_path_factory.mktemp("discounts"))
    for workload in ("moved", "alone"):
        for run, day in (("g1", 2), ("g2", 12)):
            tags = {"workload": workload, "run": run}
            bought(world, date(2025, 5, day), 100, "0.75", tags=tags)
            for hour, epoch in (("00", 0), ("20", 10)):
                at = f"2025-05-{day:02}T{hour}:00:00"
                world.sample(at, run, epoch, workload=workload)
        where = {"BillingAccountId": OTHER} if workload == "moved" else {}
        tags = {"workload": workload, "run": "t1"}
        world.hours("2025-07-01T00:00:00", 20, TRN1, 16, tags, **where)
        for hour, epoch in (("00", 0), ("20", 10)):
            world.sample(f"2025-07-01T{hour}:00:00", "t1", epoch, workload=workload)
    luck = random.Random(5)
    for number in range(60):
        day = date(2025, 6, 3) + timedelta(days=2 * number)
        payer = luck.choice((ACCOUNT, OTHER, "999900000003"))
        share = luck.choice(("0.5", "0.6", "0.7", "0.9"))
        options: dict[str, object] = luck.choice(
            (
                {"tags": {}},
                {"x_UsageType": f"SpotUsage:{P4D}"},
                {"RegionId": "us-west-2"},
                {"tags": {"workload": "third"}},
            )
        )
        bought(world, day, luck.randrange(24, 96), share, BillingAccountId=payer, **options)
    for payer in (ACCOUNT, OTHER, "999900000003"):
        world.charge("2025-10-30T00:00:00", 1, x_UsageType="Tier1", BillingAccountId=payer)
    names = ("baselines", "baseline_hours", "baseline_parts", "payer_use", "spend_daily")
    return some_marts(world.pulled(), *names)


TRUTH = """
WITH owned AS (SELECT DISTINCT b.date, b.workload, s.billing_account
    FROM baselines AS b JOIN spend_daily AS s USING (workload) WHERE component = 'accelerator'),
paid AS (SELECT o.date, o.workload, billing_account,
        sum(effective_cost) / sum(list_cost) AS factor
    FROM owned AS o JOIN spend_daily AS s USING (billing_account)
    WHERE s.date BETWEEN o.date - 83 AND o.date AND s.settled AND component = 'accelerator'
        AND instance_type = 'p4d.24xlarge' AND purchase_option <> 'spot'
        AND list_cost IS NOT NULL
    GROUP BY ALL HAVING sum(instance_hours) >= 200)
SELECT b.date, b.workload, coalesce(least(0.75, min(p.factor)), 0.75) AS factor
FROM baselines AS b LEFT JOIN paid AS p USING (date, workload) GROUP BY ALL"""


def test_each_day_is_repriced_at_the_lowest_factor_of_its_payers(marts: SomeMarts) -> None:
    due = {(row["date"], row["workload"]): row["factor"] for row in marts.rows(TRUTH)}
    followed = set()
    for row in marts.rows("SELECT * FROM baselines WHERE workload IN ('moved', 'alone')"):
        factor = due[row["date"], row["workload"]]
        price = 32.7726 if row["date"] < date(2025, 6, 1) else 21.957642
        assert float(row["factor"]) == pytest.approx(factor, abs=1e-8)
        assert float(row["repriced"]) == pytest.approx(10 * price * factor, abs=1e-6)
        words = f"; the payer's discount follows: p4d.24xlarge at {row['factor']:.3f} of list"
        assert row["reason"].endswith(words) == (row["factor"] < D("0.75"))
        followed.add((row["workload"], row["factor"] < D("0.75")))
    assert followed == {(name, told) for name in ("moved", "alone") for told in (True, False)}


def test_a_payer_of_one_chip_is_asked_and_one_of_neither_is_not(marts: SomeMarts) -> None:
    """`moved` trains on Trainium in an account of another payer, `alone` does not."""
    asked = "SELECT DISTINCT factor FROM baselines WHERE workload = ?"
    moved, alone = (
        {row["factor"] for row in marts.rows(asked, name)} for name in ("moved", "alone")
    )
    assert moved != alone
    every = {row["factor"] for row in marts.rows("SELECT factor FROM payer_use WHERE "
             f"billing_account NOT IN ('{ACCOUNT}', '{OTHER}')")}  # fmt: skip
    assert every
    assert not every & (moved | alone)


def test_the_tables_behind_a_baseline_say_whose_factor_was_taken(marts: SomeMarts) -> None:
    for table_, on in (("baseline_parts", "date"), ("baseline_hours", "month")):
        rows = marts.rows(f"""SELECT e.*, b.repriced AS whole, b.factor AS taken
            FROM {table_} AS e JOIN (SELECT workload, arg_max(repriced, date) AS repriced,
                arg_max(factor, date) AS factor, strftime(date, '%Y-%m') AS month,
                max(date) AS date FROM baselines WHERE date <= '2025-10-28' GROUP BY ALL) AS b
            USING (workload, {on})""")
        assert len(rows) >= 2
        for row in rows:
            own = row["effective_cost"] / row.get("reference_cost", row.get("list_cost"))
            assert row["repriced"] == row["whole"]
            assert row["taken"] == (own if row["payer_factor"] is None else row["payer_factor"])


def test_a_day_is_lowered_by_all_of_its_hours_and_names_each_machine_once() -> None:
    """Two regions of p4d fall from $90 to $80 an epoch each, p5 from $9 to $5."""
    of = {"workload": "w", "kind": "", "since": DAY, "candidate": "c"}
    way = of | {"platform": "p", "series": "on_demand", "epochs": 10, "price": 10,
                "factor": D("0.9")}  # fmt: skip
    hours = [
        way | {"instance_type": machine, "region": region, "instance_hours": count,
               "repriced": repriced}
        for machine, region, count, repriced in (("p5", "a", 10, 9), ("p4d", "a", 100, 90),
                                                 ("p4d", "b", 100, 90))
    ]  # fmt: skip
    paid = [
        {"date": DAY, "workload": "w", "instance_type": machine, "payer_hours": 60,
         "payer_cost": cost, "payer_list": 100, "payer_factor": D(cost) / 100}
        for machine, cost in (("p4d", 80), ("p5", 50))
    ]  # fmt: skip
    parts = {"repriced": 200, "part_repriced": 189, "part_public": 210}
    later = DAY + timedelta(days=1)
    days = [of | {"date": at} | parts for at in (DAY, later)]
    columns = {name: kind for name, kind in TERMS.items() if name != "date"}
    keys = {name: TERMS[name] for name in ("date", *of)}
    made = applied(
        with_discounts,
        table(keys | dict.fromkeys(parts, "decimal(38, 9)"), *days),
        table(columns, *hours),
        table(FACTORS, *paid),
    )
    assert in_order(made, "date", "repriced", "factor", "follows") == [
        (DAY, 200 - 20 - 4, D("0.785714286"), "p4d at 0.800, p5 at 0.500"),
        (later, 200, D("0.9"), None),
    ]
