"""Lines of a bill that differ in every way in which two lines may be told apart."""

from __future__ import annotations

from typing import Any

LINE = {
    "BillingAccountId": "1", "SubAccountId": "2", "BillingCurrency": "USD", "ProviderName": "AWS",
    "BillingPeriodStart": "2026-09-01T00:00:00Z", "ChargePeriodStart": "2026-09-02T05:00:00Z",
    "ChargePeriodEnd": "2026-09-02T06:00:00Z",
    "ChargeCategory": "Usage", "ChargeClass": "", "ChargeDescription": "an hour of trn1.32xlarge",
    "ConsumedQuantity": "1", "ConsumedUnit": "Hrs", "PricingUnit": "Hours", "InvoiceId": "",
    "CommitmentDiscountStatus": "",
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
    {"ListCost": "0"},
    {"ListCost": "0", "ConsumedQuantity": "0"},
    {"ListCost": "0", "ConsumedQuantity": "NULL"},
    {"ListCost": "0", "CommitmentDiscountStatus": "Unused"},
    {"ListCost": "0", "ChargeClass": "Correction", "EffectiveCost": "-1"},
    {"EffectiveCost": "0", "ListCost": "0", "BilledCost": "-3"},
    {"EffectiveCost": "-1", "ListCost": "-2"},
    {**FREE, "ChargePeriodEnd": "2026-09-02T06:00:00Z"},
    {**FREE, "ChargePeriodStart": "2026-09-02T06:00:00Z", "ListCost": "NULL"},
    {**FREE, "ChargePeriodStart": "2026-09-02T07:00:00Z", "ListCost": "21.5"},
    {**FREE, "ChargePeriodStart": "2026-09-02T07:30:00Z", "ListCost": "21.5"},
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


BOX = "BoxUsage:trn1.32xlarge"
TAGGED = {"tags": {"Name": "ruled", "run": "r"}}
CUR2: tuple[tuple[str, str, str, str, dict[str, Any]], ...] = (
    ("Usage", "20", "18", BOX, TAGGED),
    ("Usage", "20", "", BOX, {"line_item_resource_id": "i-1"}),
    ("Usage", "0", "0", BOX, {"pricing_public_on_demand_cost": "0"}),
    ("Usage", "3", "2", "", {"line_item_line_item_description": "an hour of trn1.32xlarge"}),
    ("Usage", "0", "0", "EKS-EC2-vCPU-Hours", {
        "split_line_item_parent_resource_id": "i-1", "split_line_item_split_cost": "6"}),
    ("SavingsPlanCoveredUsage", "20", "18", BOX, {
        "savings_plan_savings_plan_effective_cost": "14", **TAGGED}),
    ("SavingsPlanNegation", "-20", "-18", BOX, {}),
    ("SavingsPlanRecurringFee", "12", "11", "ComputeSP:1yrNoUpfront", {
        "savings_plan_total_commitment_to_date": "20", "savings_plan_used_commitment": "14"}),
    ("EdpDiscount", "-2", "", BOX, TAGGED),
    ("Refund", "-4", "", "", {}),
    ("Refund", "-4", "-3", BOX, {"line_item_resource_id": "i-1"}),
    ("Tax", "3", "", "", {}),
)  # fmt: skip
