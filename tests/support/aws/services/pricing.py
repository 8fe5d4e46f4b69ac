"""The Price List over `products`: items as AWS writes them, as objects; answered as JSON text.

`price_page` sizes the pages.
"""

from __future__ import annotations

import json
from typing import Any

from tests.support.aws.pages import page
from tests.support.aws.protocol import Refusal


def get_products(asked: dict[str, Any], world: dict[str, Any]) -> dict[str, Any]:
    if asked.get("FormatVersion", "aws_v1") != "aws_v1":
        raise Refusal("InvalidParameterException", "no such format version")
    found = [
        json.dumps(item)
        for item in world.get("products", [])
        if item["serviceCode"] == asked["ServiceCode"]
        and all(_matches(one, item["product"]["attributes"]) for one in asked.get("Filters", []))
    ]
    size = world.get("price_page", 100)
    shown, token = page(found, asked, size, "NextToken", "InvalidNextTokenException")
    return {"FormatVersion": "aws_v1", "PriceList": shown, **token}


def _matches(one: dict[str, str], attributes: dict[str, str]) -> bool:
    given = attributes.get(one["Field"], "")
    if one["Type"] == "CONTAINS":
        return one["Value"] in given
    if one["Type"] != "TERM_MATCH":
        raise Refusal("InvalidParameterException", f"{one['Type']} is not known here")
    return one["Value"] == given
