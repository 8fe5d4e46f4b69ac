"""The names of CUR 2.0's columns and line item types, as in AWS's data dictionary."""

from __future__ import annotations

TYPE = "line_item_line_item_type"
PAYER, PERIOD = "bill_payer_account_id", "bill_billing_period_start_date"
STARTED, ENDED = "line_item_usage_start_date", "line_item_usage_end_date"
CURRENCY = "line_item_currency_code"
DESCRIPTION = "line_item_line_item_description"
METER, OPERATION = "line_item_usage_type", "line_item_operation"
QUANTITY, SPLIT_QUANTITY = "line_item_usage_amount", "split_line_item_split_usage"
UNIT = "pricing_unit"
PARENT = "split_line_item_parent_resource_id"
UNUSED_SPLIT = "split_line_item_unused_cost"
NET_UNUSED_SPLIT = "split_line_item_net_unused_cost"
HELD_BY_POD = (
    "split_line_item_reserved_usage", SPLIT_QUANTITY, "split_line_item_split_usage_ratio",
    UNUSED_SPLIT,
)  # fmt: skip
"""What a pod held of its instance (METHOD §2.9)."""
RESERVATION = "reservation_reservation_a_r_n"
UNBLENDED, NET_UNBLENDED = "line_item_unblended_cost", "line_item_net_unblended_cost"

COVERED, NEGATION = "SavingsPlanCoveredUsage", "SavingsPlanNegation"
PLAN_FEE, PLAN_UPFRONT = "SavingsPlanRecurringFee", "SavingsPlanUpfrontFee"
RESERVED, RESERVED_FEE = "DiscountedUsage", "RIFee"
USAGE_TYPES = ("Usage", COVERED, RESERVED)
"""Line item types that are usage: only they have hours, and refunds that take hours back."""
DISCOUNT = r"Discount$"
"""EdpDiscount, PrivateRateDiscount, BundledDiscount, …: net figures already contain them."""

PLAN_COST = "savings_plan_savings_plan_effective_cost"
NET_PLAN_COST = "savings_plan_net_savings_plan_effective_cost"
COMMITTED, USED = "savings_plan_total_commitment_to_date", "savings_plan_used_commitment"
UPFRONT = "savings_plan_amortized_upfront_commitment_for_billing_period"
NET_UPFRONT = "savings_plan_net_amortized_upfront_commitment_for_billing_period"
RESERVED_COST, NET_RESERVED_COST = "reservation_effective_cost", "reservation_net_effective_cost"
UNUSED = {
    "reservation_unused_amortized_upfront_fee_for_billing_period": (
        "reservation_net_unused_amortized_upfront_fee_for_billing_period"
    ),
    "reservation_unused_recurring_fee": "reservation_net_unused_recurring_fee",
}
"""What a reservation left unused, gross → net."""
SPLIT_COST, NET_SPLIT_COST = "split_line_item_split_cost", "split_line_item_net_split_cost"
LIST_COST = "pricing_public_on_demand_cost"
NET_AMOUNTS = (
    *(NET_UNBLENDED, NET_PLAN_COST, NET_UPFRONT, NET_RESERVED_COST),
    *UNUSED.values(),
    NET_SPLIT_COST,
)
AMOUNTS = (
    *(UNBLENDED, PLAN_COST, COMMITTED, USED, UPFRONT, RESERVED_COST),
    *UNUSED,
    *(SPLIT_COST, LIST_COST),
    *NET_AMOUNTS,
)

REQUIRED = (TYPE, METER, STARTED, UNBLENDED, CURRENCY)
"""The columns without which a report is refused."""
NEVER_BLANK = (TYPE, STARTED, UNBLENDED)
"""The columns that every line must fill."""
GROSS_LINES = "GrossLines"
"""In a delivery's totals: how many lines of usage have a cost that no discount was taken from."""
