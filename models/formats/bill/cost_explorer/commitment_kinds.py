"""Names a Cost Explorer line's commitment by kind and payer; AWS gives no id (METHOD §2.11).

Cost Explorer names no plan and no reservation. A fee's usage type shows the kind: a
Savings Plan for EC2 (`ComputeSP:`, `EC2InstanceSP:`), one for SageMaker, or a reservation of an
instance type (`HeavyUsage:p4d.24xlarge`). Usage that one covered is billed at its on-demand price
where it was a plan, which takes that back on a line of its own, and at $0 where it was a
reservation. Example: `any of the savings plans of 999900000001`.

It does not say which of two plans for EC2 covered an hour, so all plans for EC2 are one kind.
Refunds name none; the charge that they reverse is found by usage type.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.rules.commitments_by_kind import ANY_OF
from models.formats import fields
from models.formats.bill.cost_explorer.net_or_gross_metrics import cost

PLANS = {
    r"(Compute|EC2)[A-Za-z]*SP:": "savings plans",
    r"(MachineLearning|SageMaker)[A-Za-z]*SP:": "SageMaker savings plans",
    r"Database[A-Za-z]*SP:": "database savings plans",
}
"""How the usage type of a plan's fee begins, after its region, and the kind."""
SAGEMAKER = r":ml\."
RESERVED = r"(^|-)HeavyUsage:"
TYPE = r":((?:ml\.)?[a-z][a-z0-9-]*\.[a-z0-9-]+)"


def commitment(
    lines: ir.Table, meter: ir.StringValue, kind: ir.StringValue, covered: ir.BooleanValue
) -> ir.Value:
    """Returns the column of Cost Explorer's commitments, named by kind and payer, else null."""
    by_fee = ibis.cases(
        *((meter.re_search(r"^([A-Z0-9]+-)?" + words), name) for words, name in PLANS.items()),
        (meter.re_search(RESERVED), _reservations(meter)),
        else_=None,
    )
    of_plan = ibis.ifelse(meter.re_search(SAGEMAKER), PLANS_OF_SAGEMAKER, PLANS_OF_EC2)
    by_use = ibis.ifelse(cost(lines, "unblended") != 0, of_plan, _reservations(meter))
    named = ibis.ifelse(covered, by_use, by_fee)
    payer = fields.text(lines, "account")
    no_fee = kind.isin(("refund", "credit", "tax")).fill_null(False)
    return ibis.ifelse(no_fee, None, ibis.literal(ANY_OF) + named + " of " + payer)


def _reservations(meter: ir.StringValue) -> ir.Value:
    """Returns texts like `reservations of p5 in USE1` from usage types; null without a type."""
    region = meter.re_extract(r"^([A-Z0-9]+)-", 1).nullif("").fill_null("USE1")
    return ibis.literal("reservations of ") + meter.re_extract(TYPE, 1).nullif("") + " in " + region


PLANS_OF_EC2, PLANS_OF_SAGEMAKER, *_ = PLANS.values()
