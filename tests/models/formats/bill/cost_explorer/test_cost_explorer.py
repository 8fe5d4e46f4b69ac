"""What Cost Explorer's lines mean."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import ibis
import pytest

from models.config.tags import Labels, TagRule, Tags
from models.contract.schema import CHARGES, with_tags
from models.formats.bill import cost_explorer
from tests.support.bills import format_lines

TAGS = Tags(extra=("team",))
TYPES = dict.fromkeys(
    (
        *("account", "month", "request", "day", "estimated", "tag_key", "run", "workload"),
        *("usage_type", "record_class", "record_type", "service", "linked_account"),
        *("currency", "usage_quantity"),
        *cost_explorer.METRICS,
    ),
    "string",
)


def utc(*parts: int) -> datetime:
    """Rows hold UTC without saying so."""
    return datetime(*parts, tzinfo=UTC).replace(tzinfo=None)  # type: ignore[misc, arg-type]


def line(**other: str | None) -> dict[str, str | None]:
    return {
        **dict.fromkeys(TYPES),
        "account": "999900000001",
        "month": "2026-09-01",
        "request": "run",
        "day": "2026-09-02",
        "estimated": "false",
        "currency": "USD",
        "run": "atlas-t7",
        "usage_type": "USW2-BoxUsage:trn1.32xlarge",
        "amortized": "10.5",
        "unblended": "12",
        "usage_quantity": "24",
        **other,
    }


def charges(*lines: dict[str, str | None]) -> list[dict[str, Any]]:
    """By category, meter and cost."""
    named = ("ChargeCategory", "SkuMeter", "EffectiveCost")
    found = format_lines.rows(cost_explorer, [*lines], TYPES, TAGS)
    return sorted(found, key=lambda row: [(row[n] is None, row[n] or 0) for n in named])


def test_rows_have_the_schema_of_charges() -> None:
    table = ibis.table(TYPES, name="lines")
    assert cost_explorer.rows(table, TAGS).schema() == with_tags(CHARGES, TAGS.extra)


def test_a_day_of_a_run_is_a_charge() -> None:
    (charge,) = charges(line())
    known = {name: value for name, value in charge.items() if value is not None}
    assert known == {
        "BillingAccountId": "999900000001",
        "BillingPeriodStart": date(2026, 9, 1),
        "ChargePeriodStart": utc(2026, 9, 2),
        "ChargePeriodEnd": utc(2026, 9, 3),
        "BillingCurrency": "USD",
        "ProviderName": "AWS",
        "RegionId": "us-west-2",
        "ChargeCategory": "Usage",
        "ChargeDescription": "USW2-BoxUsage:trn1.32xlarge from Cost Explorer"
        ", gross: the account has no net figures",
        "SkuMeter": "USW2-BoxUsage:trn1.32xlarge",
        "ConsumedQuantity": Decimal(24),
        "ConsumedUnit": "Hrs",
        "run": "atlas-t7",
        "EffectiveCost": Decimal("10.5"),
        "BilledCost": Decimal(12),
    }


def test_net_figures_are_used_where_the_account_has_any_that_month() -> None:
    found = charges(
        line(net_amortized="9", net_unblended="11", usage_type="a"),
        line(net_amortized="0", net_unblended="0", usage_type="b"),
        line(net_amortized="0", net_unblended="0", usage_type="c", month="2026-08-01"),
    )
    assert [row["EffectiveCost"] for row in found] == [Decimal(9), Decimal(0), Decimal("10.5")]
    assert [row["BilledCost"] for row in found] == [Decimal(11), Decimal(0), Decimal(12)]
    assert [", gross" in row["ChargeDescription"] for row in found] == [False, False, True]


@pytest.mark.parametrize(
    ("kind", "category", "charge_class", "service"),
    [
        ("Credit", "Credit", None, "Amazon EC2"),
        ("Tax", "Tax", None, "Amazon EC2"),
        ("Refund", "Adjustment", "Correction", "Amazon EC2"),
        ("Support", "Usage", None, "AWS Support"),
        ("Support fee", "Usage", None, "AWS Support"),
    ],
)
def test_what_is_never_a_runs_cost_keeps_its_kind(
    kind: str, category: str, charge_class: str | None, service: str
) -> None:
    beside = {"run": None, "usage_type": None, "usage_quantity": "1"}
    (charge,) = charges(line(record_type=kind, service="Amazon EC2", **beside))
    assert charge["ChargeCategory"] == category
    assert charge["ChargeClass"] == charge_class
    assert charge["ServiceName"] == service
    assert charge["run"] is None


def test_a_commitment_fee_is_what_was_billed_and_what_nobody_used() -> None:
    found = charges(line(usage_type="ComputeSP:1yrNoUpfront", run=None))
    purchase, unused = found
    assert (purchase["ChargeCategory"], unused["ChargeCategory"]) == ("Purchase", "Usage")
    assert (purchase["BilledCost"], purchase["EffectiveCost"]) == (Decimal(12), Decimal(0))
    assert (unused["BilledCost"], unused["EffectiveCost"]) == (Decimal(0), Decimal("10.5"))
    assert unused["CommitmentDiscountStatus"] == "Unused"


@pytest.mark.parametrize(
    ("named", "kind"),
    [
        ({"usage_type": "ComputeSP:1yrNoUpfront"}, "savings plans"),
        ({"usage_type": "USE2-EC2InstanceSP:p4d.1yrNoUpfront"}, "savings plans"),
        ({"usage_type": "MachineLearningSP:3yrAllUpfront"}, "SageMaker savings plans"),
        ({"usage_type": "HeavyUsage:p4d.24xlarge"}, "reservations of p4d.24xlarge in USE1"),
        ({"usage_type": "USW2-HeavyUsage:trn1.32xlarge"}, "reservations of trn1.32xlarge in USW2"),
        ({"record_class": "covered"}, "savings plans"),
        ({"record_class": "covered", "usage_type": "USE2-Train:ml.trn1.32xlarge"},
         "SageMaker savings plans"),
        ({"record_class": "covered", "unblended": "0"}, "reservations of trn1.32xlarge in USW2"),
        ({"record_class": "covered", "unblended": "0", "usage_type": "BoxUsage:p4d.24xlarge"},
         "reservations of p4d.24xlarge in USE1"),
        ({}, None),
        ({"usage_type": "ComputeSP:1yrNoUpfront", "record_type": "Refund"}, None),
        ({"usage_type": None, "record_type": "Recurring"}, None),
    ],
)  # fmt: skip
def test_a_commitment_is_known_by_its_kind_and_payer(
    named: dict[str, str | None], kind: str | None
) -> None:
    """So that what stood idle of a kind finds the runs that commitments of the kind covered."""
    known = {row["CommitmentDiscountId"] for row in charges(line(**named))} - {None}
    assert known == ({f"any of the {kind} of 999900000001"} if kind else set())


def test_a_capacity_block_fee_is_a_purchase() -> None:
    (charge,) = charges(line(usage_type="USE2-CapacityBlockFee:p5.48xlarge"))
    assert (charge["ChargeCategory"], charge["RegionId"]) == ("Purchase", "us-east-2")


def pair(workload: str | None, **other: str | None) -> dict[str, str | None]:
    return line(request="pair", workload=workload, usage_type=None, day="2026-09-01", **other)


def test_a_run_belongs_to_the_workload_that_its_pair_names() -> None:
    found = charges(
        line(), line(run="t8"), line(run="t9"), pair("atlas"), pair("a", run="t8"),
        pair("b", run="t8"), pair(None, run="t9"), pair("other", month="2026-08-01", run="t9"),
    )  # fmt: skip
    owners = {row["run"]: row["workload"] for row in found}
    assert owners == {"atlas-t7": "atlas", "t8": None, "t9": None}


def test_usage_that_a_plan_covered_bills_nothing_and_no_cent_is_lost() -> None:
    covered = line(record_class="covered", amortized="7", unblended="12", workload="atlas")
    negation = line(
        request="record_type", record_type="SavingsPlanNegation", run=None, amortized="0",
        unblended="-12",
    )  # fmt: skip
    found = charges(covered, negation)
    (used,) = (row for row in found if row["EffectiveCost"])
    assert (used["BilledCost"], used["EffectiveCost"], used["run"]) == (0, Decimal(7), "atlas-t7")
    assert (used["PricingCategory"], used["ConsumedQuantity"]) == ("Committed", Decimal(24))
    beside = [row for row in found if row is not used]
    assert sorted(row["BilledCost"] for row in beside) == [Decimal(-12), Decimal(12)]
    assert {(r["run"], r["workload"]) for r in beside} == {(None, None)}
    hours = {row["BilledCost"]: row["ConsumedQuantity"] for row in beside}
    assert hours == {-12: 0, 12: None}, "the other line of a covered hour has no unit either"


def test_a_rule_gives_nobody_what_a_plan_takes_back() -> None:
    """Of $12 at the on-demand price nothing is billed: what bills it bears no tag either."""
    rule = TagRule(match={"usage_type": "*trn1*"}, workload="atlas-7b")
    none = {"run": None, "usage_quantity": "24"}
    covered = line(record_class="covered", **none)
    negated = {"request": "record_type", "record_type": "SavingsPlanNegation", "amortized": "0"}
    told = [covered, line(**{**none, **negated}, unblended="-12")]
    found = format_lines.rows(cost_explorer, told, TYPES, Labels(rules=(rule,)))
    owners = sorted((row["workload"] or "", row["BilledCost"]) for row in found)
    assert owners == [("", -12), ("", 12), ("atlas-7b", 0)]


def test_what_a_reservation_covered_is_one_charge() -> None:
    (charge,) = charges(line(record_class="covered", amortized="7", unblended="0"))
    assert (charge["BilledCost"], charge["EffectiveCost"]) == (0, Decimal(7))
    assert charge["CommitmentDiscountStatus"] == "Used"


def test_a_refund_names_the_usage_that_it_takes_back() -> None:
    block = "USE2-CapacityBlockFee:p5.48xlarge"
    refund = {"request": "record_type", "record_type": "Refund", "run": None}
    (charge,) = charges(line(**refund, usage_type=block, amortized="-9", unblended="-9"))
    assert (charge["ChargeCategory"], charge["ChargeClass"]) == ("Adjustment", "Correction")
    assert (charge["SkuMeter"], charge["BilledCost"]) == (block, Decimal(-9))


@pytest.mark.parametrize("kind", ["Quantum Rebate", "Enterprise Discount Program Discount"])
def test_a_record_type_that_nobody_knew_is_a_charge_without_hours(kind: str) -> None:
    (charge,) = charges(line(request="record_type", record_type=kind, run=None))
    assert (charge["ChargeCategory"], charge["ConsumedQuantity"]) == ("Usage", 0)
    assert charge["EffectiveCost"] == Decimal("10.5")


@pytest.mark.parametrize(
    "kind", ["Recurring", "SavingsPlanRecurringFee", "Savings Plan Upfront Fee"]
)
def test_a_fee_is_told_by_its_record_type_too(kind: str) -> None:
    fee = line(request="record_type", record_type=kind, usage_type="Unheard:of", run=None)
    purchase, unused = charges(fee)
    assert (purchase["ChargeCategory"], purchase["BilledCost"]) == ("Purchase", Decimal(12))
    assert (unused["CommitmentDiscountStatus"], unused["EffectiveCost"]) == (
        "Unused",
        Decimal("10.5"),
    )


def test_an_upfront_fee_of_no_commitment_is_what_was_bought() -> None:
    """A reservation's is spread over its hours; a subscription of the Marketplace is not."""
    fee = line(request="record_type", record_type="Upfront", usage_type="Contract:Seats", run=None)
    (bought,) = charges(fee)
    assert (bought["ChargeCategory"], bought["CommitmentDiscountStatus"]) == ("Usage", None)
    assert (bought["BilledCost"], bought["EffectiveCost"]) == (Decimal(12), Decimal("10.5"))
    purchase, unused = charges(fee | {"amortized": "0"})
    assert (purchase["ChargeCategory"], purchase["BilledCost"]) == ("Purchase", Decimal(12))
    assert (unused["CommitmentDiscountStatus"], unused["EffectiveCost"]) == ("Unused", Decimal(0))


def test_a_check_stands_on_its_linked_account() -> None:
    told = {"request": "account", "run": None, "usage_type": None, "record_type": "Usage"}
    lines = [line(**told, linked_account=f"99990000000{number}") for number in (2, 1)]
    found = format_lines.totals(cost_explorer, lines, TYPES)
    assert {row["account"] for row in found} == {
        "999900000001|999900000002|2026-09",
        "999900000001|999900000001|2026-09",
    }


@pytest.mark.parametrize(
    ("meter", "region", "quantity"),
    [
        ("BoxUsage:p5.48xlarge", "us-east-1", Decimal(24)),
        ("APS10-BoxUsage:p5.48xlarge", None, Decimal(24)),
        ("EU-SpotUsage:p5.48xlarge", "eu-west-1", Decimal(24)),
        ("UGW1-BoxUsage:p5.48xlarge", "us-gov-west-1", Decimal(24)),
        ("MEC1-BoxUsage:g5.12xlarge", "me-central-1", Decimal(24)),
        ("USW2-LAX1-BoxUsage:g5.12xlarge", "us-west-2", Decimal(24)),
        ("USE1-ReservedCluster:ml.p5.48xlarge", "us-east-1", Decimal(24)),
        ("APN1-EKS-Auto:p5.48xlarge-management-hours", "ap-northeast-1", None),
        ("USE1-Train:ml.p4d.24xlarge", "us-east-1", Decimal(24)),
        ("APS3-EBS:VolumeUsage.gp3", "ap-south-1", None),
        ("USE1-Train:VolumeUsage.gp2", "us-east-1", None),
        ("Requests-Tier1", None, None),
        ("XYZ9-BoxUsage:p5.48xlarge", None, Decimal(24)),
    ],
)
def test_region_and_hours_are_read_from_the_usage_type(
    meter: str, region: str | None, quantity: Decimal | None
) -> None:
    (charge,) = charges(line(usage_type=meter))
    assert (charge["RegionId"], charge["ConsumedQuantity"]) == (region, quantity)


def test_a_quantity_too_large_for_hours_is_no_fault() -> None:
    (charge,) = charges(line(usage_type="Requests-Tier1", usage_quantity="123456789012345"))
    assert charge["ConsumedQuantity"] is None


def test_totals_are_those_of_the_rows() -> None:
    lines = [
        line(), line(usage_type="ComputeSP:1yrNoUpfront"), line(net_amortized="9"), pair("atlas"),
        line(record_class="covered"),
    ]  # fmt: skip
    (total,) = format_lines.totals(cost_explorer, lines, TYPES)
    found = charges(*lines)
    assert total["account"] == "999900000001|999900000001|2026-09"  # as an invoice names it
    assert Decimal(total["EffectiveCost"]) == sum(row["EffectiveCost"] for row in found)


@pytest.mark.parametrize(
    ("other", "problem", "value"),
    [
        ({"currency": "CNY"}, "Currency is not USD", "CNY"),
        ({"amortized": "ten"}, "amortized cannot be read", "ten"),
        ({"day": None}, "day is missing on a line", "USW2-BoxUsage:trn1.32xlarge"),
        ({"day": "2026-09-31"}, "day cannot be read", "2026-09-31"),
    ],
)
def test_what_cannot_be_trusted_is_refused(
    other: dict[str, str | None], problem: str, value: str
) -> None:
    (fault,) = format_lines.faults_of(cost_explorer, [line(), line(**other)], TYPES)
    assert (fault["problem"], fault["value"]) == (problem, value)


def test_a_currency_in_small_letters_is_dollars_as_in_every_bill() -> None:
    assert format_lines.faults_of(cost_explorer, [line(currency="usd")], TYPES) == []


def test_a_missing_currency_is_refused_once() -> None:
    faults = format_lines.faults_of(cost_explorer, [line(currency=None)], TYPES)
    assert [fault["problem"] for fault in faults] == ["Currency is not USD"]
