"""Cost Explorer over `bill`, a list of charges that are summed exactly, as AWS sums them:

    {"day", "usage_type", "record_type", "service", "unit", "tags", "account", metric: amount, …}

`account` is the linked account (else the world's own). `cost_page` is how many groups a page has,
`estimated` the months whose bill is not final, `delayed` the days not there yet, `cost_now` today.
A world with `recorded` answers GetCostAndUsage with that document, whatever is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from tests.support.aws.pages import page
from tests.support.aws.protocol import Refusal

METRICS = (
    *("AmortizedCost", "BlendedCost", "NetAmortizedCost", "NetUnblendedCost"),
    *("NormalizedUsageAmount", "UnblendedCost", "UsageQuantity"),
)
DIMENSIONS = {
    "RECORD_TYPE": "record_type",
    "USAGE_TYPE": "usage_type",
    "SERVICE": "service",
    "LINKED_ACCOUNT": "account",
}
Charge = dict[str, Any]


def get_cost_and_usage(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    _check(asked, world)
    if "recorded" in world:
        return {"ResultsByTime": world["recorded"]["ResultsByTime"]}
    groups: dict[tuple[str, ...], list[Charge]] = {}
    for charge in _billed(asked, world):
        keys = (_group_key(group, charge) for group in asked.get("GroupBy", []))
        groups.setdefault((_start(charge["day"], asked), *keys), []).append(charge)
    shown, token = page(sorted(groups), asked, world.get("cost_page", 1000), "NextPageToken")
    estimated = set(world.get("estimated", []))
    results = [
        {
            "TimePeriod": {"Start": start, "End": _after(start, asked)},
            "Total": {},
            "Estimated": start[:7] in estimated,
            "Groups": [
                {"Keys": list(key[1:]), "Metrics": _metrics(asked["Metrics"], groups[key])}
                for key in shown
                if key[0] == start
            ],
        }
        for start in sorted({key[0] for key in shown})
    ]
    return {"ResultsByTime": results, **token}


def get_dimension_values(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    _check_period(asked, world)
    _check_listing(asked)
    if asked["Dimension"] not in DIMENSIONS:
        raise Refusal("ValidationException", f"this fake knows no {asked['Dimension']}")
    name = DIMENSIONS[asked["Dimension"]]
    values = sorted({str(charge[name]) for charge in _billed(asked, world)})
    shown, token = page(values, asked, world.get("value_page", 1000), "NextPageToken")
    named = [{"Value": value, "Attributes": {}} for value in shown]
    return {"DimensionValues": named, "ReturnSize": len(shown), "TotalSize": len(values), **token}


def get_tags(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    _check_period(asked, world)
    _check_listing(asked)
    tags = [charge.get("tags", {}) for charge in _billed(asked, world)]
    if "TagKey" in asked:
        found = sorted({held.get(asked["TagKey"], "") for held in tags})
    else:
        found = sorted({key for held in tags for key in held})
    shown, token = page(found, asked, world.get("value_page", 1000), "NextPageToken")
    return {"Tags": shown, "ReturnSize": len(shown), "TotalSize": len(found), **token}


def list_cost_allocation_tags(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    """`allocation_tags` as AWS lists them: those that some resource has carried."""
    size = asked.get("MaxResults", 100)
    wanted = asked.get("Status")
    tags = [t for t in world.get("allocation_tags", []) if wanted in (None, t["Status"])]
    shown, token = page(tags, asked, size, "NextToken")
    return {"CostAllocationTags": shown, **token}


def _check(asked: dict[str, Any], world: dict[str, Any]) -> None:
    _check_period(asked, world)
    if len(asked.get("GroupBy", [])) > 2:
        raise Refusal("ValidationException", "at most two groups")
    unknown = [name for name in asked["Metrics"] if name not in METRICS]
    if unknown or not asked["Metrics"]:
        raise Refusal("ValidationException", f"Metric {unknown} is not valid")


def _check_period(asked: dict[str, Any], world: dict[str, Any]) -> None:
    first, after = asked["TimePeriod"]["Start"], asked["TimePeriod"]["End"]
    today = date.fromisoformat(world.get("cost_now", "2026-10-31"))
    if first >= after:
        raise Refusal("ValidationException", "Start date (and hour) should be before end date")
    if date.fromisoformat(first) > today:
        raise Refusal("ValidationException", "start date is in the future")
    if date.fromisoformat(after) > _next_month(today):
        raise Refusal("ValidationException", "end date past the beginning of next month")
    kept = _month_before(today, 13)
    if date.fromisoformat(first) < kept and asked.get("Granularity") != "HOURLY":
        raise Refusal("ValidationException", f"You haven't enabled historical data beyond {kept}")


def _check_listing(asked: dict[str, Any]) -> None:
    if asked.get("SortBy") and (asked.get("NextPageToken") or asked.get("SearchString")):
        raise Refusal("ValidationException", "SortBy excludes NextPageToken and SearchString")
    if asked.get("MaxResults") and not asked.get("SortBy"):
        raise Refusal("ValidationException", "MaxResults needs SortBy")


def _billed(asked: dict[str, Any], world: dict[str, Any]) -> Iterable[Charge]:
    first, after = asked["TimePeriod"]["Start"], asked["TimePeriod"]["End"]
    delayed = set(world.get("delayed", []))
    for charge in world["bill"]:
        known = {"account": world["account"], **charge}
        there = first <= charge["day"] < after and charge["day"] not in delayed
        if there and _passes(asked.get("Filter"), known):
            yield known


def _passes(expression: dict[str, Any] | None, charge: Charge) -> bool:
    if not expression:
        return True
    if len(expression) != 1:
        raise Refusal("ValidationException", "Expression must have exactly one root")
    ((operator, inside),) = expression.items()
    match operator:
        case "Not":
            return not _passes(inside, charge)
        case "And" | "Or":
            if len(inside) < 2:
                raise Refusal("ValidationException", f"{operator} needs at least two expressions")
            both = [_passes(one, charge) for one in inside]
            return all(both) if operator == "And" else any(both)
        case "Tags":
            return _held(inside, charge)
    options = inside.get("MatchOptions", [])
    if inside["Key"] not in DIMENSIONS or "ABSENT" in options:
        raise Refusal("ValidationException", f"{inside['Key']} {options} is not known here")
    return charge[DIMENSIONS[inside["Key"]]] in inside["Values"]


def _held(inside: dict[str, Any], charge: Charge) -> bool:
    value = charge.get("tags", {}).get(inside["Key"], "")
    if "ABSENT" in inside.get("MatchOptions", []):
        if inside.get("Values"):
            raise Refusal("ValidationException", "ABSENT takes no values")
        return not value
    return value in inside["Values"]


def _group_key(group: dict[str, str], charge: Charge) -> str:
    if group["Type"] == "TAG":
        return f"{group['Key']}${charge.get('tags', {}).get(group['Key'], '')}"
    if group["Key"] not in DIMENSIONS:
        raise Refusal("ValidationException", f"this fake knows no {group['Key']}")
    return str(charge[DIMENSIONS[group["Key"]]])


def _metrics(names: list[str], charges: list[Charge]) -> dict[str, Any]:
    known = [name for name in names if any(name in charge for charge in charges)]
    return {name: {"Amount": _sum(name, charges), "Unit": _unit(name, charges)} for name in known}


def _sum(name: str, charges: list[Charge]) -> str:
    total = sum((Decimal(charge.get(name, "0")) for charge in charges), Decimal(0))
    text = f"{total:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _unit(name: str, charges: list[Charge]) -> str:
    if name != "UsageQuantity":
        return str(charges[0]["unit"])
    units = {charge.get("usage_unit", "N/A") for charge in charges}
    return units.pop() if len(units) == 1 else "N/A"


def _start(day: str, asked: dict[str, Any]) -> str:
    monthly = asked["Granularity"] == "MONTHLY"
    return max(f"{day[:7]}-01", asked["TimePeriod"]["Start"]) if monthly else day


def _after(start: str, asked: dict[str, Any]) -> str:
    day = date.fromisoformat(start)
    after = _next_month(day) if asked["Granularity"] == "MONTHLY" else day + timedelta(days=1)
    return min(after.isoformat(), asked["TimePeriod"]["End"])


def _next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=31)).replace(day=1)


def _month_before(day: date, count: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 - count, 12)
    return date(year, month + 1, 1)
