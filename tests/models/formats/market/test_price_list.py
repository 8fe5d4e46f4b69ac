"""Products of the AWS Price List as prices, and their reserved terms as committed rates."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.formats.market import price_list
from tests.support.bills.format_lines import ANSWER, SEEN, answered, refused, rows
from tests.support.ingest.price_answers import P5, product, reserved_term

HOSTED = "ml.trn1.32xlarge"


def read(*items: dict[str, Any]) -> list[dict[str, Any]]:
    return rows(price_list, answered("GetProducts", *items), ANSWER)


def on_demand(item: dict[str, Any]) -> dict[str, Any]:
    """The one on-demand term of a product, to be changed."""
    term: dict[str, Any] = item["terms"]["OnDemand"]["SKU1.B"]
    return term


def committed(*terms: dict[str, Any]) -> list[tuple[str, Decimal]]:
    item = product(P5, "55.04")
    item["terms"]["Reserved"] = {f"SKU1.{n}": term for n, term in enumerate(terms)}
    found = [row for row in read(item) if row["purchase_option"] == "committed"]
    return sorted((row["plan"], row["usd_per_hour"]) for row in found)


def test_a_term_without_attributes_leaves_only_the_on_demand_price() -> None:
    assert read(product(P5, "55.0400000000", "2026-09-17")) == [
        {
            "instance_type": P5,
            "region": "us-east-1",
            "purchase_option": "on_demand",
            "usd_per_hour": Decimal("55.04"),
            "effective_from": date(2026, 9, 17),
            "observed_on": SEEN,
            "plan": None,
        }
    ]


@pytest.mark.parametrize(
    "attribute",
    [
        {"operatingSystem": "RHEL"},
        {"tenancy": "Dedicated"},
        {"preInstalledSw": "SQL Std"},
        {"capacitystatus": "AllocatedCapacityReservation"},
        {"marketoption": "CapacityBlock"},
    ],
    ids=str,
)
def test_an_hour_that_is_not_plain_shared_linux_on_demand_is_no_price(
    attribute: dict[str, str],
) -> None:
    assert read(product(P5, "55.04", **attribute)) == []


def test_a_product_that_lacks_an_attribute_is_taken_for_plain() -> None:
    item = product(P5, "55.04")
    for name in price_list.LINUX:
        del item["product"]["attributes"][name]
    assert [row["usd_per_hour"] for row in read(item)] == [Decimal("55.04")]


@pytest.mark.parametrize(
    ("usage", "found"),
    [
        (f"USE1-Train:{HOSTED}", [HOSTED]),
        (f"USE1-Cluster:{HOSTED}", [HOSTED]),
        (f"Train:{HOSTED}", [HOSTED]),
        (f"USE1-Hosting:{HOSTED}", []),
        (f"USE1-TrainDebugger:{HOSTED}", []),
    ],
)
def test_sagemaker_prices_are_training_and_hyperpod_hours(usage: str, found: list[str]) -> None:
    assert [row["instance_type"] for row in read(product("", "24.78", usagetype=usage))] == found


def test_a_price_by_the_second_is_not_an_hours_price() -> None:
    item = product(P5, "0.0152")
    (dimension,) = on_demand(item)["priceDimensions"].values()
    dimension["unit"] = "Seconds"
    assert read(item) == []


def test_an_upfront_fee_is_spread_over_every_hour_of_the_term() -> None:
    """All upfront for three years: 26,280 hours of $15. A year at $0.50 with $8,760: $1.50."""
    assert committed(
        reserved_term("3yr", "All Upfront", "0.0000000000", "394200"),
        reserved_term("1yr", "Partial Upfront", "0.5000000000", "8760"),
        reserved_term("1yr", "No Upfront", "2.0000000000"),
    ) == [
        ("Standard reserved, 1 yr, No Upfront", Decimal(2)),
        ("Standard reserved, 1 yr, Partial Upfront", Decimal("1.5")),
        ("Standard reserved, 3 yr, All Upfront", Decimal(15)),
    ]


def test_a_quotient_without_end_is_rounded_to_nine_places() -> None:
    """$100 over 8,760 hours is 0.011415525 114…"""
    ((_, price),) = committed(reserved_term("1yr", "All Upfront", "0", "100"))
    assert price == Decimal("0.011415525")


def test_a_convertible_class_is_named() -> None:
    term = reserved_term("1 yr", "No Upfront", "3")
    term["termAttributes"]["OfferingClass"] = "convertible"
    assert committed(term) == [("Convertible reserved, 1 yr, No Upfront", Decimal(3))]


def test_a_reserved_term_that_lacks_its_length_its_date_or_a_price_is_no_rate() -> None:
    unread = reserved_term("forever", "No Upfront", "3")
    undated = reserved_term("1yr", "No Upfront", "4")
    del undated["effectiveDate"]
    free = reserved_term("1yr", "All Upfront", "0")
    assert committed(unread, undated, free) == []


def test_a_reserved_term_without_one_of_its_two_prices_is_no_rate() -> None:
    """A missing price is unknown, never zero (METHOD §2.5)."""
    feeless = reserved_term("1yr", "Partial Upfront", "0.5")
    foreign = reserved_term("1yr", "Partial Upfront", "0.5", "8760")
    hourly = next(d for d in foreign["priceDimensions"].values() if d["unit"] == "Hrs")
    hourly["pricePerUnit"] = {"CNY": "3.5"}
    assert committed(feeless, foreign) == []


def test_a_reserved_rate_of_another_platform_is_none() -> None:
    item = product(P5, "90", operatingSystem="Windows")
    item["terms"]["Reserved"] = {"SKU1.N": reserved_term("1yr", "No Upfront", "60")}
    assert read(item) == []


def test_a_product_without_terms_is_no_price_and_no_fault() -> None:
    item = product(P5, "55.04")
    item["terms"] = {}
    assert read(item) == []
    assert refused(price_list, answered("GetProducts", item), ANSWER) == []


def test_a_price_below_zero_is_refused() -> None:
    said = "pricePerUnit is below 0: -3 (run again; then ask AWS support)"
    given = answered("GetProducts", product(P5, "1"), product(P5, "-3"))
    assert refused(price_list, given, ANSWER) == [said]


def test_a_price_without_its_region_is_refused() -> None:
    item = product(P5, "55.04")
    del item["product"]["attributes"]["regionCode"]
    said = f"a price without regionCode: {P5} (update breakeven)"
    assert refused(price_list, answered("GetProducts", item), ANSWER) == [said]


def test_what_is_no_accelerator_hour_may_lack_its_date_and_its_dollars() -> None:
    item = product(P5, "55.04", operatingSystem="Windows")
    del on_demand(item)["effectiveDate"]
    (dimension,) = on_demand(item)["priceDimensions"].values()
    dimension["pricePerUnit"] = {"CNY": "390"}
    assert refused(price_list, answered("GetProducts", item), ANSWER) == []
