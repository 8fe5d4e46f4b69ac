"""What a line of CUR 2.0 costs on each basis: AWS's amortisation, line item type by type.

Net columns count where the payer has net figures in that billing period, each falling back to its
gross one; a period without any (none selected, all empty, all zero) is gross (METHOD §2.1).
Source: AWS's data dictionary and the Cloud Intelligence Dashboards' summary view.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.formats import fields
from models.formats.focus import PODS
from models.schema import AMOUNT

TYPE = "line_item_line_item_type"
PAYER, PERIOD = "bill_payer_account_id", "bill_billing_period_start_date"
METER, OPERATION = "line_item_usage_type", "line_item_operation"
PARENT = "split_line_item_parent_resource_id"
RESERVATION = "reservation_reservation_a_r_n"
UNBLENDED, NET_UNBLENDED = "line_item_unblended_cost", "line_item_net_unblended_cost"
COVERED, NEGATION = "SavingsPlanCoveredUsage", "SavingsPlanNegation"
PLAN_FEE, PLAN_UPFRONT = "SavingsPlanRecurringFee", "SavingsPlanUpfrontFee"
RESERVED, RESERVED_FEE = "DiscountedUsage", "RIFee"
USED = ("Usage", COVERED, RESERVED)
"""The line item types that are usage: they alone have hours."""
DISCOUNT = r"Discount$"
"""EdpDiscount, PrivateRateDiscount, BundledDiscount, …: what net figures hold already."""
BLOCK_FEE = r"(^|-)CapacityBlockFee"
PLAN = "savings_plan_savings_plan_effective_cost"
NET_PLAN = "savings_plan_net_savings_plan_effective_cost"
COMMITTED, SPENT = "savings_plan_total_commitment_to_date", "savings_plan_used_commitment"
UPFRONT = "savings_plan_amortized_upfront_commitment_for_billing_period"
NET_UPFRONT = "savings_plan_net_amortized_upfront_commitment_for_billing_period"
HELD, NET_HELD = "reservation_effective_cost", "reservation_net_effective_cost"
UNUSED = {
    "reservation_unused_amortized_upfront_fee_for_billing_period": (
        "reservation_net_unused_amortized_upfront_fee_for_billing_period"
    ),
    "reservation_unused_recurring_fee": "reservation_net_unused_recurring_fee",
}
SPLIT, NET_SPLIT = "split_line_item_split_cost", "split_line_item_net_split_cost"
LISTED = "pricing_public_on_demand_cost"
NETS = (NET_UNBLENDED, NET_PLAN, NET_UPFRONT, NET_HELD, *UNUSED.values(), NET_SPLIT)
AMOUNTS = (UNBLENDED, PLAN, COMMITTED, SPENT, UPFRONT, HELD, *UNUSED, SPLIT, LISTED, *NETS)
SAYS_NET = "says net"


def told_net(lines: ir.Table) -> ir.Table:
    """Lines with `SAYS_NET`: whether their payer has any net figure in their billing period."""
    there = [name for name in NETS if name in lines.columns]
    if not there:
        return lines.mutate(**{SAYS_NET: ibis.literal(value=False)})
    said = ibis.or_(*(fields.amount(lines, name).fill_null(0) != 0 for name in there))
    marked = lines.mutate(
        payer_of=fields.text(lines, PAYER).fill_null(""),
        period_of=fields.text(lines, PERIOD).fill_null(""),
        told_of=said.cast("int8"),
    )
    bills = marked.group_by(payer="payer_of", period="period_of").agg(told=marked.told_of.max())
    joined = marked.left_join(bills, [("payer_of", "payer"), ("period_of", "period")])
    return joined.select(lines.columns, **{SAYS_NET: joined.told == 1})


def effective(lines: ir.Table) -> ir.DecimalValue:
    """Amortised, net of discounts where the bill says them. `lines` are `told_net`.

    A container pod's is its part of its instance's. A Capacity Block's fee bears the block in the
    reservation's column and is no prepaid reservation: it stays what it is.
    """
    kind = fields.text(lines, TYPE)
    prepaid = (kind == "Fee") & fields.text(lines, RESERVATION).notnull() & ~is_block_fee(lines)
    return _amount(
        ibis.cases(
            (is_pod(lines), _zero_if_null(_chosen(lines, SPLIT, NET_SPLIT))),
            (kind.isin((NEGATION, PLAN_UPFRONT)) | prepaid, _amount(0)),
            (kind == COVERED, _chosen(lines, PLAN, NET_PLAN)),
            (kind == PLAN_FEE, _unused_plan(lines)),
            (kind == RESERVED, _chosen(lines, HELD, NET_HELD)),
            (kind == RESERVED_FEE, _unused_reservation(lines)),
            else_=billed(lines),
        )
    )


def billed(lines: ir.Table) -> ir.DecimalValue:
    """As the invoice has it, line by line: usage under a plan, and what takes it back, in full."""
    chosen = _chosen(lines, UNBLENDED, NET_UNBLENDED)
    return _amount(ibis.ifelse(is_folded(lines), _amount(0), chosen))


def is_folded(lines: ir.Table) -> ir.BooleanValue:
    """A discount's own line where net figures hold the discount already."""
    discount = fields.text(lines, TYPE).re_search(DISCOUNT).fill_null(False)
    return cast(ir.BooleanValue, discount & lines[SAYS_NET])


def is_gross(lines: ir.Table) -> ir.BooleanValue:
    """Usage that costs something, on a figure that no discount was taken from."""
    kind = fields.text(lines, TYPE)
    nets = {"Usage": NET_UNBLENDED, COVERED: NET_PLAN, RESERVED: NET_HELD}
    silent = ibis.cases(
        *((kind == used, fields.amount(lines, net).isnull()) for used, net in nets.items()),
        else_=False,
    )
    costs = kind.isin(USED) & (effective(lines) != 0)
    return cast(ir.BooleanValue, (costs & (silent | ~lines[SAYS_NET])).fill_null(False))


def is_block_fee(lines: ir.Table) -> ir.BooleanValue:
    """Whether the usage type names a Capacity Block's fee."""
    meter = fields.text(lines, METER)
    return cast(ir.BooleanValue, meter.re_search(BLOCK_FEE).fill_null(False))


def is_pod(lines: ir.Table) -> ir.BooleanValue:
    """Rows of split cost allocation, which repeat what their instance costs (METHOD §2.9)."""
    told = [fields.text(lines, name).re_search(PODS) for name in (METER, OPERATION)]
    named = ibis.or_(*(value.fill_null(False) for value in told))
    return cast(ir.BooleanValue, named | fields.text(lines, PARENT).notnull())


def _unused_plan(lines: ir.Table) -> ir.Value:
    """The commitment that covered nothing, at the discount on what was prepaid of it."""
    unused = fields.amount(lines, COMMITTED) - fields.amount(lines, SPENT)
    gross, net = (fields.amount(lines, name).cast("float64") for name in (UPFRONT, NET_UPFRONT))
    share = ibis.ifelse(lines[SAYS_NET], net / gross.nullif(0), None)
    return ibis.ifelse(share.notnull(), _amount(unused.cast("float64") * share), _amount(unused))


def _unused_reservation(lines: ir.Table) -> ir.Value:
    parts = [_zero_if_null(_chosen(lines, gross, net)) for gross, net in UNUSED.items()]
    return parts[0] + parts[1]


def _chosen(lines: ir.Table, gross: str, net: str) -> ir.Value:
    """The net amount where there are net figures and this one is given, else the gross one."""
    given = fields.amount(lines, gross)
    if net not in lines.columns:
        return given
    return ibis.ifelse(lines[SAYS_NET], ibis.coalesce(fields.amount(lines, net), given), given)


def _zero_if_null(value: ir.Value) -> ir.Value:
    return ibis.coalesce(value, _amount(0))


def _amount(value: ir.Value | int) -> ir.DecimalValue:
    given = ibis.literal(value) if isinstance(value, int) else value
    return cast(ir.DecimalValue, given.cast(AMOUNT))
