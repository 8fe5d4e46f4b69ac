"""FOCUS lines as charges: tags however they are written, types, refusals, the real sample."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.contract.errors import InputError
from models.engine.sql import delivered_sql, rendering
from tests.support.some_marts import SomeMarts, some_marts
from tests.support.world import World, write

PUBLIC = Path(__file__).parents[4] / "fixtures" / "public"
MULTICLOUD = PUBLIC / "focus_1_0_sample_multicloud.csv.gz"
DAY = "2025-09-02T00:00:00"
BOX = {"x_UsageType": "BoxUsage:trn1.32xlarge", "ConsumedQuantity": 1, "ConsumedUnit": "Hrs"}
KEY = "cost-center"
"""The tag that names the workload."""
PREFIXES = ("", "user:", "user_")


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> SomeMarts:
    """A bill with an account for each case, and an export beside it whose tags are maps."""
    world = World(tmp_path_factory.mktemp("focus"))
    for prefix in PREFIXES:
        tags = {f"{prefix}{KEY}": "w", f"{prefix}run": "r"}
        world.charge(DAY, 1, tags=tags, SubAccountId=f"json {prefix}", **BOX)
    for case in (allocated, nonsense, ahead, exact, unlisted, listed_at_nothing):
        case(world)
    mapped(world.folder / "export")
    locations = ("bill.csv", "export")
    sources = [{"kind": "focus", "name": place, "location": place} for place in locations]
    settings = world.pulled(sources=sources, tags={"workload": KEY, "extra": ["team"]})
    return some_marts(settings, "spend_daily", "tie_out")


def mapped(folder: Path) -> None:
    """A Parquet file with a line for each prefix; a team is empty on one, on the others absent."""
    world = World(folder)
    for prefix in PREFIXES:
        world.charge(DAY, 1, SubAccountId=f"map {prefix}", **BOX)
    names = world.charges[0]
    lines = {name: pa.array([str(charge[name]) for charge in world.charges]) for name in names}
    tags = [[(f"{prefix}{KEY}", "w"), (f"{prefix}run", "r")] for prefix in PREFIXES]
    tags[0].append(("team", ""))
    lines["Tags"] = pa.array(tags, pa.map_(pa.string(), pa.string()))
    folder.mkdir()
    pq.write_table(pa.table(lines), folder / "bill.parquet")


def of(marts: SomeMarts, account: str, columns: str) -> list[dict[str, Any]]:
    query = f"SELECT {columns} FROM spend_daily WHERE account = ? ORDER BY billed_cost"
    return marts.rows(query, account)


@pytest.mark.parametrize("written", ["json", "map"])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_tags_match_with_or_without_a_prefix(marts: SomeMarts, written: str, prefix: str) -> None:
    (row,) = of(marts, f"{written} {prefix}", "workload, run, tag_team")
    assert list(row.values()) == ["w", "r", None]


def allocated(world: World) -> None:
    """FOCUS 1.3: ten hours at 16 in the parts of two runs' pods, 96 and 48, and 16 unallocated.

    The machine itself has an empty run tag, which hides none of theirs.
    """
    box = BOX | {"AllocatedMethodId": "eks-requests", "ResourceId": "i-1", "SubAccountId": "pods"}
    for pod, cost, hours, run in (("p1", 96, 6, "a"), ("p2", 48, 3, "b"), ("", 16, 1, "")):
        own = json.dumps({"run": run}) if run else ""
        part = {"AllocatedResourceId": pod, "AllocatedTags": own, "ConsumedQuantity": hours}
        world.charge(DAY, cost, tags={KEY: "shared", "run": ""}, **box | part)


def test_an_allocated_charge_is_its_owners_and_counts_once(marts: SomeMarts) -> None:
    sums = "sum(effective_cost) AS cost, sum(instance_hours) AS hours"
    query = f"SELECT run, attribution, {sums} FROM spend_daily WHERE account = 'pods'"
    rows = marts.rows(f"{query} GROUP BY ALL ORDER BY ALL")
    assert [tuple(map(str, row.values())) for row in rows] == [
        ("a", "direct", "96.000000000", "6.000000000"),
        ("a", "shared", "10.666666667", "0.666666667"),
        ("b", "direct", "48.000000000", "3.000000000"),
        ("b", "shared", "5.333333333", "0.333333333"),
    ]
    ties = "SELECT bill_total, remainder FROM tie_out WHERE basis = 'effective'"
    assert marts.row(f"{ties} AND account = 'pods'") == {"bill_total": 160, "remainder": 0}


@pytest.mark.parametrize(
    "key", ["cost-center", "my tag", "a.b", "k8s.io/cluster", "aws:cloudformation:stack-name", "ü"]
)
def test_any_key_can_name_the_workload(bill: World, key: str) -> None:
    """As the bill is reduced; nothing later asks for a tag."""
    bill.charge(DAY, 1, tags={key: "w", "run": "r"}, **BOX)
    write(bill.folder / "bill.csv", bill.charges)
    lines = ibis.duckdb.connect().read_csv(bill.folder / "bill.csv", all_varchar=True)
    reduction = delivered_sql.reduction(lines, "focus", bill.settings(tags={"workload": key}))
    (row,) = lines.get_backend().con.sql(rendering.sql(reduction)).to_arrow_table().to_pylist()
    assert (row["workload"], row["run"]) == ("w", "r")


def nonsense(world: World) -> None:
    box = BOX | {"SubAccountId": "nonsense"}
    world.charge(DAY, 1, Tags="{}", **box)
    world.charge(DAY, 2, Tags="NULL", **box)
    world.charge(DAY, 4, Tags=json.dumps({KEY: "", "run": "NULL"}), **box)


def test_tags_of_an_array_of_pairs_or_of_nonsense_do_not_break_a_bill(marts: SomeMarts) -> None:
    owners = of(marts, "nonsense", "workload, run, billed_cost")
    assert owners == [{"workload": None, "run": None, "billed_cost": 7}]


@pytest.mark.parametrize(
    ("columns", "error", "said"),
    [
        ({"BillingCurrency": "EUR"}, InputError, "BillingCurrency is not USD on line 3: EUR"),
        ({"BillingCurrency": ""}, InputError, "BillingCurrency is not USD on line 3: nothing"),
        ({"BilledCost": "12,50"}, InputError, "BilledCost cannot be read on line 3: 12,50"),
        ({"BilledCost": "1_234.50"}, InputError, "BilledCost cannot be read on line 3: 1_234.50"),
        (
            {"ChargeCategory": "Discount"},
            InputError,
            "ChargeCategory is none of FOCUS on line 3: Discount "
            "(write one of Usage, Purchase, Tax, Credit, Adjustment)",
        ),
        (
            {"ChargePeriodStart": "2026-09-02T05:00:00Z", "ChargePeriodEnd": "2026-09-02 04:59:59"},
            InputError,
            "ChargePeriodEnd is before ChargePeriodStart on line 3: 2026-09-02T05:00:00Z to "
            "2026-09-02 04:59:59 (correct the date",
        ),
        (
            {"ChargePeriodStart": "2026-09-01T00:00:00Z", "ChargePeriodEnd": "2026-10-01 00:00:00"},
            InputError,
            "accelerator-hours of more than a day on line 3: BoxUsage:trn1.32xlarge, "
            "2026-09-01T00:00:00Z to 2026-10-01 00:00:00 (create the export with hourly",
        ),
        ({"EffectiveCost": ""}, InputError, "EffectiveCost is missing on line 3"),
        ({"ChargeCategory": ""}, InputError, "ChargeCategory is missing on line 3"),
        (
            {"ChargePeriodStart": "2027-01-01T00:00:00Z"},
            InputError,
            "ChargePeriodStart is more than 400 days after its billing period on line 3: 2027",
        ),
        (
            {"ChargePeriodStart": "2099-01-01", "BillingPeriodStart": ""},
            InputError,
            "ChargePeriodStart is more than 400 days after today on line 3: 2099-01-01 (correct",
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
        bill.pulled()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list(bill.folder.glob("data/raw/focus/**/*.parquet"))


def ahead(world: World) -> None:
    box = BOX | {"SubAccountId": "ahead"}
    world.charge(DAY, 1, BillingCurrency="usd", **box)
    world.charge("2026-10-06", 2, **box | {"BillingPeriodStart": DAY})


def test_a_currency_counts_in_any_case_and_a_charge_may_lie_a_year_ahead(marts: SomeMarts) -> None:
    assert [row["billed_cost"] for row in of(marts, "ahead", "billed_cost")] == [1, 2]


def exact(world: World) -> None:
    for cost in ("0.1", "0.2", "0.000000001", "123456789.123456789", "-0.3"):
        world.charge(DAY, cost, SubAccountId="exact", **BOX)


def test_amounts_are_exact_to_the_ninth_place(marts: SomeMarts) -> None:
    row = marts.row("SELECT sum(billed_cost) AS cost FROM spend_daily WHERE account = 'exact'")
    assert row == {"cost": Decimal("123456789.123456790")}


def unlisted(world: World) -> None:
    box = BOX | {"SubAccountId": "unlisted"}
    world.charge(DAY, 1, **box)
    world.charge(DAY, 2, ListCost="", **box)


def test_a_list_cost_that_one_line_lacks_is_unknown(marts: SomeMarts) -> None:
    found = of(marts, "unlisted", "list_cost, billed_cost")
    assert found == [{"list_cost": None, "billed_cost": 3}]


def listed_at_nothing(world: World) -> None:
    free = {"ListCost": 0, "ConsumedQuantity": 3}
    unused = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Unused"}
    lump = {"ChargeCategory": "Adjustment", "ConsumedQuantity": 0}
    for region, cost, told in (
        ("paid", 2, {}), ("gratis", 0, {}), ("lump", -2, lump), ("idle", 2, unused),
        ("untold", 2, {"ConsumedQuantity": ""}),
    ):  # fmt: skip
        place = {"RegionId": region, "SubAccountId": "listed", "x_UsageType": "Odd-1"}
        world.charge(DAY, cost, **{**place, **free, **told})


def test_a_list_cost_of_nothing_beside_a_cost_is_unknown(marts: SomeMarts) -> None:
    """Not where nothing was paid, nor where nothing was used: a lump sum, an idle commitment."""
    rows = of(marts, "listed", "region, list_cost")
    assert {row["region"]: row["list_cost"] for row in rows} == {
        "paid": None, "gratis": 0, "lump": 0, "idle": 0, "untold": None,
    }  # fmt: skip


@pytest.mark.parametrize("told", [{}, {"ChargeFrequency": ""}, {"ChargeFrequency": "Recurring"}])
def test_what_a_plan_left_unused_is_idle_whether_or_not_its_fee_is_said_to_recur(
    bill: World, told: dict[str, str]
) -> None:
    """Of a plan's $10 an hour $3 were unused; a year paid ahead has nothing left of it."""
    plan = {"CommitmentDiscountId": "arn:aws:savingsplans::1:savingsplan/sp-1"}
    fee = {"ChargeCategory": "Purchase", "x_UsageType": "ComputeSP:1yrNoUpfront"}
    bill.charge("2025-09-02T00:00:00", 10, EffectiveCost=3, **fee, **plan, **told)
    ahead = told and {"ChargeFrequency": "One-Time"}
    bill.charge("2025-09-02T00:00:00", 5000, EffectiveCost=0, **fee, **plan, **ahead)
    found = some_marts(bill.pulled(), "spend_daily").rows(
        "SELECT attribution, sum(billed_cost) AS billed, sum(effective_cost) AS effective "
        "FROM spend_daily WHERE purchase_option = 'committed' GROUP BY ALL ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        ("idle_commitment", 0, 3), ("purchase", 5010, 0),
    ]  # fmt: skip


def test_the_finops_foundations_sample_keeps_every_cent(bill: World) -> None:
    config = {"sources": [{"kind": "focus", "location": str(MULTICLOUD)}], "as_of": "2024-11-30"}
    (bill.folder / "bill.csv").touch()
    marts = some_marts(bill.pulled(**config), "spend_daily", "tie_out")
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
