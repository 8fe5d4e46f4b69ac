"""The names of a FOCUS export's columns, including those that differ between versions."""

from __future__ import annotations

REQUIRED = ("ChargePeriodStart", "BilledCost", "EffectiveCost", "BillingCurrency", "ChargeCategory")
TIMES = ("ChargePeriodStart", "BillingPeriodStart", "ChargePeriodEnd")
TEXTS = (
    "BillingAccountId",
    "SubAccountId",
    "BillingCurrency",
    "ServiceName",
    "ServiceCategory",
    "RegionId",
    "ResourceId",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargeFrequency",
    "PricingCategory",
    "CommitmentDiscountId",
    "CommitmentDiscountStatus",
    "CapacityReservationId",
    "CapacityReservationStatus",
    "ConsumedUnit",
    "InvoiceId",
)
ACCOUNTS = ("BillingAccountId", "SubAccountId")

QUANTITIES = ("ConsumedQuantity", "PricingQuantity")
UNITS = ("ConsumedUnit", "PricingUnit")
PROVIDERS = ("ProviderName", "ServiceProviderName", "PublisherName")
METERS = ("x_UsageType", "SkuMeter")
"""The first of the names that a delivery has is read; of `METERS` the first that is not blank."""

NOT_REDUCED = ("ResourceId", "ChargeFrequency", "BillingCurrency")
READ_AS_DELIVERED = (
    *(name for name in TEXTS if name not in NOT_REDUCED),
    "BillingPeriodStart",
    "x_UsageType",
    "SkuMeter",
)
"""The texts that lines are grouped by, as delivered, when they are pre-aggregated."""
