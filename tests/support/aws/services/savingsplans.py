"""Savings Plans: `savings_plans` that are owned, and `plan_rates` that are offered.

`plan_page` sizes the pages.
"""

from __future__ import annotations

from typing import Any

from tests.support.aws.pages import page


def describe_savings_plans(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    states = asked.get("states", ["active"])
    found = [plan for plan in world.get("savings_plans", []) if plan["state"] in states]
    return _paged(found, "savingsPlans", asked, world)


def describe_savings_plans_offering_rates(
    asked: dict[str, Any], world: dict[str, Any]
) -> dict[str, Any]:
    found = [rate for rate in world.get("plan_rates", []) if _matches(rate, asked)]
    return _paged(found, "searchResults", asked, world)


def _matches(rate: dict[str, Any], asked: dict[str, Any]) -> bool:
    offering = rate["savingsPlanOffering"]
    given = {one["name"]: one["value"] for one in rate["properties"]}
    wanted = {
        "savingsPlanTypes": offering["planType"],
        "savingsPlanPaymentOptions": offering["paymentOption"],
        "products": rate["productType"],
        "serviceCodes": rate["serviceCode"],
    }
    return all(value in asked.get(name, [value]) for name, value in wanted.items()) and all(
        given.get(one["name"]) in one["values"] for one in asked.get("filters", [])
    )


def _paged(
    items: list[Any], member: str, asked: dict[str, Any], world: dict[str, Any]
) -> dict[str, Any]:
    size = world.get("plan_page", 1000)
    shown, token = page(items, asked, size, "nextToken", "ValidationException")
    return {member: shown, **token}
