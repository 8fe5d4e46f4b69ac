"""What Cost Explorer knows of lines that CUR 2.0 tells, and deliveries as `ingest` lays them down.

Cost Explorer amortises by itself: `METRICS` is AWS's own table, worked out here once
more, on its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.sources.bill.cost_explorer import lines as cost_lines
from models.config.settings import Settings
from models.formats.bill import cost_explorer
from models.intake import delivery_checks
from models.raw.delivery_key import Key
from models.raw.zone import RawZone
from tests.support.world import ACCOUNT

COLUMNS = (
    "account", "month", "request", "day", "estimated", "tag_key", "run", "usage_type",
    "record_type", "service", "currency", "usage_quantity", *cost_explorer.METRICS,
)  # fmt: skip
SUMS = ("usage_quantity", *cost_explorer.METRICS)
UNBLENDED, NET_UNBLENDED = "line_item_unblended_cost", "line_item_net_unblended_cost"
PLAN, RESERVED = "savings_plan_", "reservation_"
SPREAD = "amortized_upfront_commitment_for_billing_period"
UNUSED = ("unused_amortized_upfront_fee_for_billing_period", "unused_recurring_fee")
METRIC = {column: name for name, column in cost_lines.METRICS.items()}
NO_NET = {"NetAmortizedCost": "0", "NetUnblendedCost": "0"}
Line = Mapping[str, Any]
Group = dict[str, str | None]


def billed(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """The lines as the `bill` of `tests.support.aws`, which groups and filters them as it is asked.

    It knows nothing of pods; a discount's line, folded into net figures, brings no hours. A month
    in which no line has a net figure has none.
    """
    lines = list(lines)
    net = {_month(line) for line in lines if line.get(NET_UNBLENDED, "") != ""}
    told = [line for line in lines if not line.get("split_line_item_parent_resource_id")]
    return [_charge(line) | ({} if _month(line) in net else NO_NET) for line in told]


def laid(settings: Settings, groups: Sequence[Group], *, classes: bool = False) -> None:
    """The groups as `ingest` would have laid them down, a delivery a month.

    With `classes`, what each was asked for, as `covered`.
    """
    columns = (*COLUMNS, "record_class") if classes else COLUMNS
    schema = pa.schema([(name, pa.string()) for name in columns])
    for month in sorted({str(group["month"])[:7] for group in groups}):
        mine = [group for group in groups if str(group["month"])[:7] == month]
        zone = RawZone(settings.data / "raw")
        with zone.staging(Key("cost_explorer", ACCOUNT, month)) as staging:
            pq.write_table(pa.Table.from_pylist(mine, schema=schema), staging.next_path)
            staging.add(staging.next_path, origin="Cost Explorer")
            totals = delivery_checks.check_delivery(staging, "cost_explorer")
            staging.seal("cost_explorer", totals=totals)


def _charge(line: Line) -> dict[str, Any]:
    tags = json.loads(line.get("resource_tags") or "{}")
    amounts = zip((METRIC[name] for name in SUMS), map(str, _sums(line)), strict=True)
    return {
        "day": str(line["line_item_usage_start_date"])[:10],
        "usage_type": line["line_item_usage_type"] or "NoUsageType",
        "record_type": _record_type(line),
        "service": line["line_item_product_code"],
        "account": line["bill_payer_account_id"],
        "tags": {key.removeprefix("user_"): value for key, value in tags.items()},
        "unit": "USD",
        **dict(amounts),
    }


def _month(line: Line) -> str:
    return str(line["line_item_usage_start_date"])[:7]


def _record_type(line: Line) -> str:
    support = "Support" in line["line_item_product_code"]
    return "Support fee" if support else str(line["line_item_line_item_type"])


def _sums(line: Line) -> Iterator[Decimal]:
    """Quantity and the four costs, in the order of `SUMS`."""
    gross, net = _amount(line, UNBLENDED), _amount(line, NET_UNBLENDED, UNBLENDED)
    worked = METRICS.get(line["line_item_line_item_type"], lambda line: (gross, net))
    costs = dict(zip(("unblended", "net_unblended"), (gross, net), strict=True))
    costs |= zip(("amortized", "net_amortized"), worked(line), strict=True)
    hours = not line["line_item_line_item_type"].endswith("Discount")
    yield _amount(line, "line_item_usage_amount") if hours else Decimal(0)
    yield from (costs[name] for name in cost_explorer.METRICS)


def _amount(line: Line, *names: str) -> Decimal:
    """The first that is given; nothing given is $0."""
    given = (line[name] for name in names if line.get(name, "") != "")
    return Decimal(str(next(given, 0)))


def _unused_plan(line: Line) -> tuple[Decimal, Decimal]:
    used = _amount(line, f"{PLAN}used_commitment")
    left = _amount(line, f"{PLAN}total_commitment_to_date") - used
    before, after = (_amount(line, f"{PLAN}{net}{SPREAD}") for net in ("", "net_"))
    return left, left * after / before if before else left


def _fee(line: Line) -> tuple[Decimal, Decimal]:
    """$0 where it prepays hours; a Capacity Block's stays."""
    if line.get("reservation_reservation_a_r_n") and "Block" not in line["line_item_usage_type"]:
        return Decimal(0), Decimal(0)
    return _amount(line, UNBLENDED), _amount(line, NET_UNBLENDED, UNBLENDED)


METRICS: dict[str, Callable[[Line], tuple[Decimal, Decimal]]] = {
    "SavingsPlanCoveredUsage": lambda line: (
        _amount(line, f"{PLAN}{PLAN}effective_cost"),
        _amount(line, f"{PLAN}net_{PLAN}effective_cost"),
    ),
    "SavingsPlanNegation": lambda _: (Decimal(0), Decimal(0)),
    "SavingsPlanUpfrontFee": lambda _: (Decimal(0), Decimal(0)),
    "SavingsPlanRecurringFee": _unused_plan,
    "DiscountedUsage": lambda line: (
        _amount(line, f"{RESERVED}effective_cost"), _amount(line, f"{RESERVED}net_effective_cost")
    ),
    "RIFee": lambda line: (
        sum((_amount(line, f"{RESERVED}{name}") for name in UNUSED), Decimal(0)),
        sum((_amount(line, f"{RESERVED}net_{name}") for name in UNUSED), Decimal(0)),
    ),
    "Fee": _fee,
}  # fmt: skip
"""Amortised and net amortised cost; of every other type both are what was billed."""
