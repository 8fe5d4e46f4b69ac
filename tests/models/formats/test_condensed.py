"""Lines added up before they are read reduce to what the lines themselves reduce to."""

from __future__ import annotations

from pathlib import Path

import duckdb
import ibis
import pytest

from models import engines
from models.formats import focus
from models.marts import SPEND_REDUCED
from models.settings import Settings, parse

SAMPLE = Path(__file__).parents[3] / "data" / "sample"
LINE = {
    "BillingAccountId": "1", "SubAccountId": "2", "BillingCurrency": "USD", "ProviderName": "AWS",
    "BillingPeriodStart": "2026-09-01T00:00:00Z", "ChargePeriodStart": "2026-09-02T05:00:00Z",
    "ChargePeriodEnd": "2026-09-02T06:00:00Z",
    "ChargeCategory": "Usage", "ChargeClass": "", "ChargeDescription": "an hour of trn1.32xlarge",
    "ConsumedQuantity": "1", "ConsumedUnit": "Hrs", "PricingUnit": "Hours", "InvoiceId": "",
    "BilledCost": "1", "EffectiveCost": "1", "ListCost": "2", "ContractedCost": "1.5",
    "ResourceId": "i-1", "SkuMeter": "BoxUsage:trn1.32xlarge", "Tags": '{"user:run": "r"}',
    "SkuPriceDetails": '{"InstanceType": "trn1.32xlarge"}', "ParentResourceId": "", "SplitCost": "",
}  # fmt: skip
FREE = {"EffectiveCost": "0", "ListCost": "0", "BilledCost": "0"}
OTHERWISE: tuple[dict[str, str], ...] = (
    {},
    {"ChargePeriodStart": "2026-09-02T23:59:59Z", "EffectiveCost": "0.123456789"},
    {"ChargePeriodStart": "2026-09-03T00:30:00+02:00"},
    {"EffectiveCost": "0", "ListCost": "0"},
    {"EffectiveCost": "0", "ListCost": "NULL"},
    {"EffectiveCost": "0", "ListCost": "0", "BilledCost": "-3"},
    {"EffectiveCost": "-1", "ListCost": "-2"},
    {**FREE, "ChargePeriodEnd": "2026-09-02T06:00:00Z"},
    {**FREE, "ChargePeriodStart": "2026-09-02T06:00:00Z", "ListCost": "NULL"},
    {**FREE, "ChargePeriodEnd": "2026-09-03T05:00:00Z"},
    {**FREE, "SkuMeter": "TimedStorage-ByteHrs", "ChargePeriodEnd": "2026-09-02T06:00:00Z"},
    {"ListCost": "", "ConsumedQuantity": "NULL"},
    {"SkuMeter": "NULL"},
    {"SkuMeter": "", "SkuPriceDetails": ""},
    {"SkuMeter": "", "SkuPriceDetails": "", "ChargeDescription": "two hours of p4d.24xlarge"},
    {"ChargeClass": "Correction"},
    {"ChargeClass": "Correction", "ResourceId": "NULL", "SkuMeter": ""},
    {"ChargeClass": "Correction", "ResourceId": "i-2", "SkuMeter": "", "BilledCost": "-7"},
    {"Tags": '{"run": "s", "user:workload": "", "Name": "atlas-7"}'},
    {"Tags": "NULL", "InvoiceId": "2026-1"},
    {"ProviderName": "NULL", "ConsumedUnit": "NULL"},
    {"Tags": "NULL", "ResourceId": "i-2"},
    {"Tags": "NULL", "ResourceId": "i-2", "SkuMeter": "EBS:VolumeUsage.gp3"},
    {"Tags": '{"Name": "ruled"}', "ResourceId": "i-3"},
    {"SkuMeter": "EKS-EC2-vCPU-Hours", "ParentResourceId": "i-1", "SplitCost": "0.4"},
    {"SkuMeter": "EKS-EC2-vCPU-Hours", "ParentResourceId": "NULL", "SplitCost": "NULL"},
)


@pytest.fixture
def config(tmp_path: Path) -> Settings:
    rule = {"match": {"Name": "atlas-*"}, "workload": "atlas-7b", "from": "2026-09-02"}
    named = {"match": {"Name": "ruled"}, "run": "t9"}
    return parse({"tags": {"extra": ["team"]}, "tag_rules": [rule, named]}, home=tmp_path)


def differences(lines: duckdb.DuckDBPyRelation, config: Settings) -> list[tuple[object, ...]]:
    """Rows that only one of the two ways makes; at least ten are made."""
    database = ibis.duckdb.from_connection(duckdb.connect())
    database.con.register("lines", lines.to_arrow_table())
    delivered = database.table("lines")
    condensed = engines.sql(engines.reduction(delivered, "focus", config))
    plain = engines.sql(SPEND_REDUCED(focus.rows(delivered, config.labels)))
    (made,) = database.con.execute(f"SELECT count(*) FROM ({plain})").fetchall()
    assert made[0] >= 10
    both = f"(({plain}) EXCEPT ALL ({condensed})) UNION ALL (({condensed}) EXCEPT ALL ({plain}))"
    found: list[tuple[object, ...]] = database.con.execute(both).fetchall()
    return found


def test_nasty_text_reduces_the_same(config: Settings) -> None:
    values = ", ".join(
        "(" + ", ".join(f"'{text}'" for text in (LINE | other).values()) + ")"
        for other in OTHERWISE * 2
    )
    lines = duckdb.sql(f"FROM (VALUES {values}) AS lines({', '.join(LINE)})")
    assert differences(lines, config) == []


@pytest.mark.parametrize("export", ["focus-1-0", "focus-1-2"])
def test_delivered_months_reduce_the_same(config: Settings, export: str) -> None:
    files = [str(file) for file in sorted((SAMPLE / export).glob("data/*/*.parquet"))[:2]]
    assert differences(duckdb.read_parquet(files, union_by_name=True), config) == []
