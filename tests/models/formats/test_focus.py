"""FOCUS lines as charges: tags however they are written, types, refusals, the real sample."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.errors import CurrencyError, InputError
from tests.world import World

MULTICLOUD = Path(__file__).parents[4] / "shared" / "data" / "focus_1_0_sample_multicloud.csv"
DAY = "2025-09-02T00:00:00"
BOX = {"x_UsageType": "BoxUsage:trn1.32xlarge", "ConsumedQuantity": 1, "ConsumedUnit": "Hrs"}
OWNERS = "SELECT workload, run FROM spend_daily ORDER BY billed_cost"


@pytest.mark.parametrize("prefix", ["", "user:", "user_"])
def test_tags_of_a_json_text_match_with_or_without_a_prefix(bill: World, prefix: str) -> None:
    bill.charge(DAY, 1, tags={f"{prefix}workload": "w", f"{prefix}run": "r"}, **BOX)
    assert bill.build().rows(OWNERS) == [{"workload": "w", "run": "r"}]


@pytest.mark.parametrize("prefix", ["", "user:", "user_"])
def test_tags_of_a_map_match_with_or_without_a_prefix(bill: World, prefix: str) -> None:
    bill.charge(DAY, 1, **BOX)
    line = {name: pa.array([str(value)]) for name, value in bill.charges[0].items()}
    tags = [[(f"{prefix}workload", "w"), (f"{prefix}run", "r"), ("empty", "")]]
    line["Tags"] = pa.array(tags, pa.map_(pa.string(), pa.string()))
    folder = bill.folder / "export"
    folder.mkdir()
    pq.write_table(pa.table(line), folder / "bill.parquet")
    marts = bill.build(
        sources=[{"kind": "focus", "location": "export"}], tags={"extra": ["empty", "absent"]}
    )
    columns = "workload, run, tag_empty, tag_absent"
    row = marts.row(f"SELECT {columns} FROM spend_daily")
    assert list(row.values()) == ["w", "r", None, None]


def test_an_allocated_charge_is_its_owners_and_counts_once(bill: World) -> None:
    """FOCUS 1.3: ten hours at 16 in the parts of two runs' pods, 96 and 48, and 16 unallocated."""
    box = BOX | {"AllocatedMethodId": "eks-requests", "ResourceId": "i-1"}
    for pod, cost, hours, run in (("p1", 96, 6, "a"), ("p2", 48, 3, "b"), ("", 16, 1, "")):
        own = json.dumps({"run": run}) if run else ""
        part = {"AllocatedResourceId": pod, "AllocatedTags": own, "ConsumedQuantity": hours}
        bill.charge(DAY, cost, tags={"workload": "w"}, **box | part)
    marts = bill.build()
    sums = "sum(effective_cost) AS cost, sum(instance_hours) AS hours"
    rows = marts.rows(f"SELECT run, attribution, {sums} FROM spend_daily GROUP BY ALL ORDER BY ALL")
    assert [tuple(map(str, row.values())) for row in rows] == [
        ("a", "direct", "96.000000000", "6.000000000"),
        ("a", "shared", "10.666666667", "0.666666667"),
        ("b", "direct", "48.000000000", "3.000000000"),
        ("b", "shared", "5.333333333", "0.333333333"),
    ]
    (tie,) = marts.rows("SELECT bill_total, remainder FROM tie_out WHERE basis = 'effective'")
    assert tie == {"bill_total": 160, "remainder": 0}


@pytest.mark.parametrize(
    "key", ["cost-center", "my tag", "a.b", "k8s.io/cluster", "aws:cloudformation:stack-name", "ü"]
)
def test_any_key_can_name_the_workload(bill: World, key: str) -> None:
    bill.charge(DAY, 1, tags={key: "w", "run": "r"}, **BOX)
    assert bill.build(tags={"workload": key}).rows(OWNERS) == [{"workload": "w", "run": "r"}]


def test_tags_of_an_array_of_pairs_or_of_nonsense_do_not_break_a_bill(bill: World) -> None:
    bill.charge(DAY, 1, Tags="{}", **BOX)
    bill.charge(DAY, 2, Tags="NULL", **BOX)
    bill.charge(DAY, 4, Tags=json.dumps({"workload": "", "run": "NULL"}), **BOX)
    assert bill.build().rows(OWNERS) == [{"workload": None, "run": None}]


@pytest.mark.parametrize(
    ("columns", "error", "said"),
    [
        ({"BillingCurrency": "EUR"}, CurrencyError, "BillingCurrency is not USD: EUR"),
        ({"BillingCurrency": ""}, CurrencyError, "BillingCurrency is not USD: nothing"),
        ({"BilledCost": "12,50"}, InputError, "BilledCost cannot be read: 12,50"),
        ({"EffectiveCost": ""}, InputError, "EffectiveCost is missing on line 3"),
        ({"ChargeCategory": ""}, InputError, "ChargeCategory is missing on line 3"),
        (
            {"ChargePeriodStart": "2027-01-01T00:00:00Z"},
            InputError,
            "ChargePeriodStart is more than 400 days after its billing period: 2027-01-01T",
        ),
        (
            {"ChargePeriodStart": "2099-01-01", "BillingPeriodStart": ""},
            InputError,
            "ChargePeriodStart is more than 400 days after today: 2099-01-01 (correct the date",
        ),
        ({"ChargePeriodStart": "yesterday"}, InputError, "ChargePeriodStart cannot be read"),
    ],
)
def test_a_line_that_cannot_be_trusted_is_refused_whole(
    bill: World, columns: dict[str, str], error: type[Exception], said: str
) -> None:
    bill.charge(DAY, 1, **BOX)
    bill.charge(DAY, 1, **BOX | columns)
    with pytest.raises(error, match=r"bill\.csv") as caught:
        bill.build()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list(bill.folder.glob("data/raw/focus/**/*.parquet"))


def test_a_currency_counts_in_any_case_and_a_charge_may_lie_a_year_ahead(bill: World) -> None:
    bill.charge(DAY, 1, BillingCurrency="usd", **BOX)
    bill.charge(DAY, 2, **BOX | {"ChargePeriodStart": "2026-10-06", "BillingPeriodStart": DAY})
    rows = bill.build().rows("SELECT billed_cost AS cost FROM spend_daily ORDER BY 1")
    assert [row["cost"] for row in rows] == [1, 2]


def test_amounts_are_exact_to_the_ninth_place(bill: World) -> None:
    for cost in ("0.1", "0.2", "0.000000001", "123456789.123456789", "-0.3"):
        bill.charge(DAY, cost, **BOX)
    row = bill.build().row("SELECT sum(billed_cost) AS cost FROM spend_daily")
    assert row == {"cost": Decimal("123456789.123456790")}


def test_a_list_cost_that_one_line_lacks_is_unknown(bill: World) -> None:
    bill.charge(DAY, 1, **BOX)
    bill.charge(DAY, 2, ListCost="", **BOX)
    row = bill.build().row("SELECT list_cost, billed_cost FROM spend_daily")
    assert row == {"list_cost": None, "billed_cost": 3}


def test_a_list_cost_of_nothing_beside_a_cost_is_unknown(bill: World) -> None:
    """Not where nothing was paid, nor where nothing was used: a lump sum, an idle commitment."""
    free = {"ListCost": 0, "ConsumedQuantity": 3}
    unused = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Unused"}
    lump = {"ChargeCategory": "Adjustment", "ConsumedQuantity": 0}
    for region, cost, told in (
        ("paid", 2, {}), ("gratis", 0, {}), ("lump", -2, lump), ("idle", 2, unused),
        ("untold", 2, {"ConsumedQuantity": ""}),
    ):  # fmt: skip
        bill.charge(DAY, cost, RegionId=region, x_UsageType="Odd-1", **{**free, **told})
    rows = bill.build().rows("SELECT region, list_cost FROM spend_daily")
    assert {row["region"]: row["list_cost"] for row in rows} == {
        "paid": None, "gratis": 0, "lump": 0, "idle": 0, "untold": None,
    }  # fmt: skip


@pytest.mark.skipif(not MULTICLOUD.is_file(), reason="the shared data folder is not here")
def test_the_finops_foundations_sample_keeps_every_cent(bill: World) -> None:
    config = {"sources": [{"kind": "focus", "location": str(MULTICLOUD)}], "as_of": "2024-11-30"}
    (bill.folder / "bill.csv").touch()
    marts = bill.build(**config)
    columns = "ListCost", "ContractedCost", "EffectiveCost", "BilledCost"
    names = ("list_cost", "contracted_cost", "effective_cost", "billed_cost")
    sums = ", ".join(f"sum({name}) AS {name}" for name in names)
    total = marts.row(f"SELECT {sums} FROM spend_daily")
    bare = duckdb.connect().execute(
        "SELECT " + ", ".join(f"sum(CAST({column} AS DECIMAL(38, 18)))" for column in columns)
        + f" FROM read_csv('{MULTICLOUD}', all_varchar = true, nullstr = 'NULL')"
    ).fetchall()[0]  # fmt: skip
    for name, expected in zip(names, bare, strict=True):
        assert abs(total[name] - expected) < Decimal("1e-6"), name
    foreign = (
        duckdb.connect()
        .execute(
            f"SELECT count(*) FROM read_csv('{MULTICLOUD}', all_varchar = true) "
            "WHERE ProviderName NOT IN ('AWS')"
        )
        .fetchall()[0][0]
    )
    assert foreign > 0
    tied = marts.rows("SELECT remainder FROM tie_out")
    assert tied
    assert {row["remainder"] for row in tied} == {0}
