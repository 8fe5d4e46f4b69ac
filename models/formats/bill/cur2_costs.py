"""What a line of CUR 2.0 costs on each basis: AWS's amortisation, line item type by type.

Net columns count where the payer has net figures in that billing period, each falling back to its
gross one; a period without any (none selected, all empty, all zero) is gross (METHOD §2.1).
Source: AWS's data dictionary and the Cloud Intelligence Dashboards' summary view.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.schema import AMOUNT
from models.formats import fields
from models.formats.bill import fees
from models.formats.bill.focus import PODS

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
"""The line item types that are usage: they alone have hours, and refunds that take them back."""
DISCOUNT = r"Discount$"
"""EdpDiscount, PrivateRateDiscount, BundledDiscount, …: what net figures hold already."""
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
EFFECTIVE, BILLED, GROSS, FOLDED, POD = "effective", "billed", "is gross", "is folded", "is pod"
"""What `costed` says of a line."""


def costed(lines: ir.Table) -> ir.Table:
    """Lines with what they cost, amortised and as the invoice has it, line by line.

    On the invoice usage under a plan, and what takes it back, stand in full. `GROSS` marks usage
    that costs something on a figure that no discount was taken from, `FOLDED` a discount's own line
    where net figures hold it, `POD` rows that repeat what their instance costs (METHOD §2.9).
    """
    there = [name for name in NETS if name in lines.columns]
    if not there:
        return lines.mutate(**_on(lines, net=False), **{POD: is_pod(lines)})
    said = ibis.or_(*(fields.amount(lines, name).fill_null(0) != 0 for name in there))
    both = {
        f"{name} {net}": value
        for net in (True, False)
        for name, value in _on(lines, net=net).items()
    }
    rows = lines.mutate(
        **both,
        **{POD: is_pod(lines)},
        payer_of=fields.text(lines, PAYER).fill_null(""),
        period_of=fields.text(lines, PERIOD).fill_null(""),
        told_of=said.cast("int8"),
    )
    bills = rows.group_by(payer="payer_of", period="period_of").agg(told=rows.told_of.max())
    joined = rows.left_join(bills, [("payer_of", "payer"), ("period_of", "period")])
    chosen = {
        name: ibis.ifelse(joined.told == 1, joined[f"{name} True"], joined[f"{name} False"])
        for name in (EFFECTIVE, BILLED, GROSS, FOLDED)
    }
    return joined.select(*lines.columns, POD, **chosen)


def is_block_fee(lines: ir.Table) -> ir.BooleanValue:
    """Whether the usage type names a Capacity Block's fee."""
    meter = fields.text(lines, METER)
    return cast(ir.BooleanValue, meter.re_search(fees.BLOCK_FEE).fill_null(False))


def holds_capacity(lines: ir.Table) -> ir.BooleanValue:
    """Whether a line's reservation is of capacity (a block, a training plan), not of a price."""
    named = fields.text(lines, RESERVATION).re_search(fees.CAPACITY).fill_null(False)
    return cast(ir.BooleanValue, named | is_block_fee(lines))


def is_pod(lines: ir.Table) -> ir.BooleanValue:
    """Rows of split cost allocation."""
    told = [fields.text(lines, name).re_search(PODS) for name in (METER, OPERATION)]
    named = ibis.or_(*(value.fill_null(False) for value in told))
    return cast(ir.BooleanValue, named | fields.text(lines, PARENT).notnull())


def _on(lines: ir.Table, *, net: bool) -> dict[str, ir.Value]:
    """What lines cost where there are net figures, or where there are none."""
    kind = fields.text(lines, TYPE)
    folded = kind.re_search(DISCOUNT).fill_null(False) if net else ibis.literal(value=False)
    billed = ibis.ifelse(folded, _amount(0), _chosen(lines, UNBLENDED, NET_UNBLENDED, net=net))
    effective = _effective(lines, billed, net=net)
    costs = kind.isin(USED).fill_null(False) & (effective != 0).fill_null(False)
    return {
        EFFECTIVE: effective,
        BILLED: _amount(billed),
        GROSS: costs & (_lacks_net(lines) if net else True),
        FOLDED: folded,
    }


def _effective(lines: ir.Table, billed: ir.Value, *, net: bool) -> ir.DecimalValue:
    """Amortised. A container pod's is its part of its instance's.

    A Capacity Block's fee bears the block in the reservation's column and is no prepaid
    reservation, for no hour of the block repeats it: it stays what it is.
    """
    kind = fields.text(lines, TYPE)
    prepaid = (kind == "Fee") & fields.text(lines, RESERVATION).notnull() & ~holds_capacity(lines)
    unused = [
        _zero_if_null(_chosen(lines, name, its_net, net=net)) for name, its_net in UNUSED.items()
    ]
    return _amount(
        ibis.cases(
            (is_pod(lines), _zero_if_null(_chosen(lines, SPLIT, NET_SPLIT, net=net))),
            (kind.isin((NEGATION, PLAN_UPFRONT)) | prepaid, _amount(0)),
            (kind == COVERED, _chosen(lines, PLAN, NET_PLAN, net=net)),
            (kind == PLAN_FEE, _unused_plan(lines, net=net)),
            (kind == RESERVED, _chosen(lines, HELD, NET_HELD, net=net)),
            (kind == RESERVED_FEE, unused[0] + unused[1]),
            else_=billed,
        )
    )


def _lacks_net(lines: ir.Table) -> ir.BooleanValue:
    """Usage whose own net amount is not given."""
    kind = fields.text(lines, TYPE)
    nets = {"Usage": NET_UNBLENDED, COVERED: NET_PLAN, RESERVED: NET_HELD}
    silent = ((kind == used, fields.amount(lines, net).isnull()) for used, net in nets.items())
    return cast(ir.BooleanValue, ibis.cases(*silent, else_=False))


def _unused_plan(lines: ir.Table, *, net: bool) -> ir.Value:
    """The commitment that covered nothing, at the discount on what was prepaid of it."""
    unused = fields.amount(lines, COMMITTED) - fields.amount(lines, SPENT)
    if not net:
        return _amount(unused)
    before, after = (fields.amount(lines, name).cast("float64") for name in (UPFRONT, NET_UPFRONT))
    share = after / before.nullif(0)
    return ibis.ifelse(share.notnull(), _amount(unused.cast("float64") * share), _amount(unused))


def _chosen(lines: ir.Table, gross: str, its_net: str, *, net: bool) -> ir.Value:
    """The net amount where there are net figures and this one is given, else the gross one."""
    given = fields.amount(lines, gross)
    wanted = net and its_net in lines.columns
    return ibis.coalesce(fields.amount(lines, its_net), given) if wanted else given


def _zero_if_null(value: ir.Value) -> ir.Value:
    return ibis.coalesce(value, _amount(0))


def _amount(value: ir.Value | int) -> ir.DecimalValue:
    given = ibis.literal(value) if isinstance(value, int) else value
    return cast(ir.DecimalValue, given.cast(AMOUNT))
