"""Computes the effective and billed cost of a CUR 2.0 line from its line item type.

Net columns count where the payer has net figures in that billing period, each falling back to its
gross column; a period without any (none selected, all empty, all zero) is gross (METHOD §2.1).

| line item type | effective cost |
|---|---|
| SavingsPlanCoveredUsage | the plan's effective cost |
| SavingsPlanRecurringFee | the commitment of the hour that was not used |
| SavingsPlanNegation, SavingsPlanUpfrontFee, a prepaid reservation's Fee | 0 |
| DiscountedUsage | the reservation's effective cost |
| RIFee | the unused part of the reservation |
| anything else | as billed |

Sources: AWS's data dictionary and the summary view of the Cloud Intelligence Dashboards.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.rules.usage_type_patterns import BLOCK_FEE, POD, RESERVES_CAPACITY
from models.contract.schema import AMOUNT, DELIVERY_NUMBER
from models.formats import fields
from models.formats.bill.cur2 import columns as col

NO_PERIOD = ibis.timestamp("1970-01-01")
"""Stands for the billing period of lines that name none: a null would join no other null."""
EFFECTIVE, BILLED, GROSS = "effective", "billed", "is gross"
IN_NET_FIGURES, IS_POD = "is in net figures", "is pod"
UNUSED_SPLIT = "unused part of a pod"
"""The columns that `with_costs` adds to a line."""


def with_costs(lines: ir.Table) -> ir.Table:
    """Adds the amortised (effective) and the invoiced (billed) cost to each CUR 2.0 line.

    The columns are `EFFECTIVE` and `BILLED`. On the invoice, usage under a plan and the negation
    that takes it back are both in full. `GROSS` marks usage with a cost that no discount was taken
    from, `IN_NET_FIGURES` the line of a discount that net figures contain, and `IS_POD` rows that
    repeat the cost of their instance (METHOD §2.9). `UNUSED_SPLIT` is the unused part of these. A
    bill has net figures if `line_item_net_unblended_cost` has: net figures of plans alone say
    nothing of what was discounted on demand.
    """
    if col.NET_UNBLENDED not in lines.columns:
        return lines.mutate(**_costs(lines, net=False), **{IS_POD: is_pod(lines)})
    has_net = fields.amount(lines, col.NET_UNBLENDED).fill_null(0) != 0
    both = {
        f"{name} {net}": value
        for net in (True, False)
        for name, value in _costs(lines, net=net).items()
    }
    rows = lines.mutate(
        **both,
        **{IS_POD: is_pod(lines)},
        payer_of=fields.text(lines, col.PAYER).fill_null(""),
        period_of=fields.timestamp(lines, col.PERIOD).fill_null(NO_PERIOD),
        net_of=has_net.cast("int8"),
    )
    keys = {"payer": "payer_of", "period": "period_of"}
    if DELIVERY_NUMBER in lines.columns:
        keys["delivery"] = DELIVERY_NUMBER
    bills = rows.group_by(**keys).agg(has_net=rows.net_of.max())
    joined = rows.left_join(bills, [(of, name) for name, of in keys.items()])
    chosen = {
        name: ibis.ifelse(joined.has_net == 1, joined[f"{name} True"], joined[f"{name} False"])
        for name in (EFFECTIVE, BILLED, GROSS, IN_NET_FIGURES, UNUSED_SPLIT)
    }
    return joined.select(*lines.columns, IS_POD, **chosen)


def is_block_fee(lines: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a CUR 2.0 line is a Capacity Block's fee, by its usage type."""
    meter = fields.text(lines, col.METER)
    return cast(ir.BooleanValue, meter.re_search(BLOCK_FEE).fill_null(False))


def reserves_capacity(lines: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a CUR 2.0 line is of reserved capacity, Capacity Blocks too."""
    named = fields.text(lines, col.RESERVATION).re_search(RESERVES_CAPACITY).fill_null(False)
    return cast(ir.BooleanValue, named | is_block_fee(lines))


def is_pod(lines: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a CUR 2.0 line is a container pod's share of an instance."""
    texts = [fields.text(lines, name).re_search(POD) for name in (col.METER, col.OPERATION)]
    named = ibis.or_(*(value.fill_null(False) for value in texts))
    return cast(ir.BooleanValue, named | fields.text(lines, col.PARENT).notnull())


def _costs(lines: ir.Table, *, net: bool) -> dict[str, ir.Value]:
    """Computes effective and billed cost of CUR 2.0 lines from net or from gross figures.

    A billing period has either net figures throughout or none.
    """
    kind = fields.text(lines, col.TYPE)
    folded = kind.re_search(col.DISCOUNT).fill_null(False) if net else ibis.literal(value=False)
    given = _net_or_gross(lines, col.UNBLENDED, col.NET_UNBLENDED, net=net)
    billed = ibis.ifelse(folded, _amount(0), given)
    effective = _effective(lines, billed, net=net)
    costs = kind.isin(col.USAGE_TYPES).fill_null(False) & (effective != 0).fill_null(False)
    return {
        EFFECTIVE: effective,
        BILLED: _amount(billed),
        GROSS: costs & (_lacks_net(lines) if net else True),
        IN_NET_FIGURES: folded,
        UNUSED_SPLIT: _net_or_gross(lines, col.UNUSED_SPLIT, col.NET_UNUSED_SPLIT, net=net),
    }


def _effective(lines: ir.Table, billed: ir.Value, *, net: bool) -> ir.DecimalValue:
    """Computes a CUR 2.0 line's amortised cost; a pod's is its share of the instance's.

    The fee of a Capacity Block names the block in the reservation's column. Unlike the fee of a
    prepaid reservation, it is repeated by no hour, so it stays as billed.
    """
    kind = fields.text(lines, col.TYPE)
    reserved = fields.text(lines, col.RESERVATION).notnull()
    prepaid = (kind == "Fee") & reserved & ~reserves_capacity(lines)
    unused = [
        _zero_if_null(_net_or_gross(lines, gross, its_net, net=net))
        for gross, its_net in col.UNUSED.items()
    ]
    pod = _zero_if_null(_net_or_gross(lines, col.SPLIT_COST, col.NET_SPLIT_COST, net=net))
    plan = _net_or_gross(lines, col.PLAN_COST, col.NET_PLAN_COST, net=net)
    held = _net_or_gross(lines, col.RESERVED_COST, col.NET_RESERVED_COST, net=net)
    return _amount(
        ibis.cases(
            (is_pod(lines), pod),
            (kind.isin((col.NEGATION, col.PLAN_UPFRONT)) | prepaid, _amount(0)),
            (kind == col.COVERED, plan),
            (kind == col.PLAN_FEE, _unused_plan(lines, net=net)),
            (kind == col.RESERVED, held),
            (kind == col.RESERVED_FEE, unused[0] + unused[1]),
            else_=billed,
        )
    )


def _lacks_net(lines: ir.Table) -> ir.BooleanValue:
    """Whether a CUR 2.0 line is usage without a net amount of its own."""
    kind = fields.text(lines, col.TYPE)
    nets = {
        "Usage": col.NET_UNBLENDED,
        col.COVERED: col.NET_PLAN_COST,
        col.RESERVED: col.NET_RESERVED_COST,
    }
    absent = ((kind == used, fields.amount(lines, net).isnull()) for used, net in nets.items())
    return cast(ir.BooleanValue, ibis.cases(*absent, else_=False))


def _unused_plan(lines: ir.Table, *, net: bool) -> ir.Value:
    """Computes a Savings Plan's unused commitment, net by the net part of its upfront fee or line.

    A plan without an upfront fee is billed by the line, which has a gross and a net amount.
    """
    unused = fields.amount(lines, col.COMMITTED) - fields.amount(lines, col.USED)
    if not net:
        return _amount(unused)
    pairs = ((col.UPFRONT, col.NET_UPFRONT), (col.UNBLENDED, col.NET_UNBLENDED))
    share = ibis.coalesce(*(_part_left(lines, *pair) for pair in pairs))
    return ibis.ifelse(share.notnull(), _amount(unused.cast("float64") * share), _amount(unused))


def _part_left(lines: ir.Table, gross: str, net: str) -> ir.Value:
    """Returns net ÷ gross of an amount, what discounts leave; null if one is absent, or gross 0."""
    before, after = (fields.amount(lines, name).cast("float64") for name in (gross, net))
    return after / before.nullif(0)


def _net_or_gross(lines: ir.Table, gross: str, its_net: str, *, net: bool) -> ir.Value:
    """Returns a CUR 2.0 line's net amount if it and its bill have net figures, else gross."""
    given = fields.amount(lines, gross)
    has_net = net and its_net in lines.columns
    return ibis.coalesce(fields.amount(lines, its_net), given) if has_net else given


def _zero_if_null(value: ir.Value) -> ir.Value:
    return ibis.coalesce(value, _amount(0))


def _amount(value: ir.Value | int) -> ir.DecimalValue:
    given = ibis.literal(value) if isinstance(value, int) else value
    return cast(ir.DecimalValue, given.cast(AMOUNT))
