"""Cost Explorer over `bill`, single charges: {"day", "usage_type", "record_type", …, metrics}.

`cost_page` groups a page; `estimated` months say so.
"""

from __future__ import annotations

from typing import Any

from tests.aws.pages import page
from tests.aws.protocol import Refusal


def get_cost_and_usage(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    if len(asked.get("GroupBy", [])) > 2:
        raise Refusal("ValidationException", "at most two groups")
    first, after = asked["TimePeriod"]["Start"], asked["TimePeriod"]["End"]
    if first >= after:
        raise Refusal("ValidationException", "Start date (and hour) should be before end date")
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for charge in world["bill"]:
        if first <= charge["day"] < after and _passes(asked.get("Filter"), charge):
            keys = tuple(_group_key(group, charge) for group in asked["GroupBy"])
            groups.setdefault((charge["day"], *keys), []).append(charge)
    shown, token = page(sorted(groups), asked, world.get("cost_page", 1000), "NextPageToken")
    estimated = set(world.get("estimated", []))
    results = [
        {
            "TimePeriod": {"Start": day, "End": day},
            "Total": {},
            "Estimated": day[:7] in estimated,
            "Groups": [
                {"Keys": list(key[1:]), "Metrics": _metrics(asked["Metrics"], groups[key])}
                for key in shown
                if key[0] == day
            ],
        }
        for day in sorted({key[0] for key in shown})
    ]
    return {"ResultsByTime": results, **token}


def _passes(expression: dict[str, Any] | None, charge: dict[str, Any]) -> bool:
    if not expression:
        return True
    if "Not" in expression:
        return not _passes(expression["Not"], charge)
    dimension = expression["Dimensions"]
    if dimension["Key"] != "RECORD_TYPE":
        raise Refusal("ValidationException", "only RECORD_TYPE is known here")
    return charge["record_type"] in dimension["Values"]


def _group_key(group: dict[str, str], charge: dict[str, Any]) -> str:
    if group["Type"] == "TAG":
        return f"{group['Key']}${charge.get('tags', {}).get(group['Key'], '')}"
    return str(charge[group["Key"].lower()])


def _metrics(names: list[str], charges: list[dict[str, Any]]) -> dict[str, Any]:
    """Only single charges per group here: a sum would have to be decimal text again."""
    (charge,) = charges
    known = {name: charge[name] for name in names if name in charge}
    return {
        name: {"Amount": amount, "Unit": "N/A" if name == "UsageQuantity" else charge["unit"]}
        for name, amount in known.items()
    }
