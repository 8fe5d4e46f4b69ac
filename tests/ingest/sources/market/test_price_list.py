"""On-demand prices from AWS itself: only real ones, and only news."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from ingest.pull import pull
from models.config.settings import Settings
from models.contract.errors import BreakevenError
from models.raw.zone import RawZone
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.price_answers import EAST, P5, WEST, product, reserved_term, told

TRN2, HOSTED = "trn2.48xlarge", "ml.p4d.24xlarge"
SOURCE = {"kind": "price_list", "instance_types": [P5, TRN2, HOSTED], "region": EAST}


def pinned(configured: Configured, as_of: str = "2026-10-31", **other: object) -> Settings:
    settings: Settings = configured({**SOURCE, **other}, as_of=as_of)
    return settings


def pulled(settings: Settings) -> tuple[int, int]:
    report = pull(settings, ["price_list"])
    report.raise_failures()
    return report.results[0].new, report.results[0].unchanged


def test_a_price_holds_from_the_lists_own_date_and_was_seen_today(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(products=[product(P5, "55.0400000000")])
    settings = pinned(configured)
    assert pulled(settings) == (1, 0)
    assert told(settings, "price_list") == [
        {
            "instance_type": P5,
            "region": EAST,
            "purchase_option": "on_demand",
            "usd_per_hour": Decimal("55.04"),
            "effective_from": date(2026, 9, 1),
            "observed_on": date(2026, 10, 31),
            "plan": None,
        }
    ]


def test_reserved_terms_are_rates_of_commitments(configured: Configured, aws: Fake) -> None:
    """$87,600 for the year and $5 an hour are $15 an hour; a term without its words is none."""
    terms = {
        "S.ALL": reserved_term("1yr", "Partial Upfront", "5.0000000000", "87600"),
        "S.NONE": reserved_term("3yr", "No Upfront", "12.5000000000"),
    }
    listed = product(P5, "55.0400000000")
    listed["terms"]["Reserved"] |= terms
    aws.shows(products=[listed, product(P5, "70.0000000000", operatingSystem="Windows")])
    settings = pinned(configured)
    pulled(settings)
    held = [row for row in told(settings, "price_list") if row["purchase_option"] == "committed"]
    assert [(row["plan"], row["usd_per_hour"], row["effective_from"]) for row in held] == [
        ("Standard reserved, 3 yr, No Upfront", Decimal("12.5"), date(2026, 5, 1)),
        ("Standard reserved, 1 yr, Partial Upfront", Decimal(15), date(2026, 5, 1)),
    ]


def test_what_is_not_a_price_is_none(configured: Configured, aws: Fake) -> None:
    """Capacity Blocks match at $0, other platforms at other prices; a stray $0 is unknown."""
    block = product(TRN2, "0.0000000000", marketoption="CapacityBlock")
    free = product(P5, "0.0000000000")
    windows = product(P5, "60.0000000000", operatingSystem="Windows")
    train = product("", "37.6880000000", usagetype=f"USE1-Train:{HOSTED}")
    notebook = product("", "99.0000000000", usagetype=f"USE1-Notebook:{HOSTED}")
    aws.shows(products=[block, free, windows, train, notebook])
    settings = pinned(configured)
    pulled(settings)
    prices = [(row["instance_type"], row["usd_per_hour"]) for row in told(settings, "price_list")]
    assert prices == [(HOSTED, Decimal("37.688"))]


def test_two_prices_of_one_hour_are_none(configured: Configured, aws: Fake) -> None:
    odd = product(P5, "55.0400000000")
    odd["terms"]["OnDemand"] |= {"SKU1.D": odd["terms"]["OnDemand"]["SKU1.B"]}
    aws.shows(products=[odd])
    settings = pinned(configured)
    pulled(settings)
    assert told(settings, "price_list") == []


def test_the_list_published_again_is_no_news_and_a_new_price_is(
    configured: Configured, aws: Fake
) -> None:
    settings = pinned(configured)
    first, second = product(P5, "55.0400000000"), product(P5, "44.0000000000", "2026-10-01")
    aws.shows(products=[first])
    assert pulled(settings) == (1, 0)
    again = dict(reversed(first.items())) | {"version": "2", "publicationDate": "2026-10-31"}
    aws.shows(products=[again])
    assert pulled(settings) == (0, 1)
    aws.shows(products=[second])
    assert pulled(settings) == (1, 0)
    aws.shows(products=[first])
    assert pulled(settings) == (1, 0)
    found = told(settings, "price_list")
    assert [row["usd_per_hour"] for row in found] == [44, Decimal("55.04")]


def test_a_price_that_stands_is_confirmed_before_it_looks_stale(
    configured: Configured, aws: Fake
) -> None:
    aws.shows(products=[product(P5, "55.0400000000")])
    pulled(pinned(configured))
    assert pulled(pinned(configured, "2026-11-29")) == (0, 1)
    later = pinned(configured, "2026-11-30")
    assert pulled(later) == (1, 0)
    assert pulled(later) == (0, 1)
    seen = [row["observed_on"] for row in told(later, "price_list")]
    assert seen == [date(2026, 10, 31), date(2026, 11, 30)]


def test_pages_are_followed_and_a_token_that_expired_begins_again(
    configured: Configured, aws: Fake
) -> None:
    many = [product(P5, f"5{n}.0000000000", f"2026-0{n}-01") for n in range(1, 6)]
    expired = {"operation": "GetProducts", "code": "ExpiredNextTokenException", "on": [2]}
    aws.shows(products=many, price_page=2, errors=[expired])
    settings = pinned(configured, instance_types=[P5])
    pulled(settings)
    prices = [row["usd_per_hour"] for row in told(settings, "price_list")]
    assert prices == [51, 52, 53, 54, 55]
    asked = aws.asked("GetProducts")
    assert ["NextToken" in request for request in asked] == [False, True, False, True, True]


def test_each_machine_is_asked_once_with_every_filter(configured: Configured, aws: Fake) -> None:
    aws.shows(products=[])
    assert pulled(pinned(configured)) == (0, 0)
    asked = [
        {one["Field"]: one["Value"] for one in request["Filters"]}
        for request in aws.asked("GetProducts")
    ]
    assert asked[0] == {"regionCode": EAST, "usagetype": f":{HOSTED}"}
    assert asked[1] == {
        "regionCode": EAST,
        "instanceType": P5,
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "licenseModel": "No License required",
        "marketoption": "OnDemand",
    }
    assert [request.get("instanceType") for request in asked] == [None, P5, TRN2]


def test_the_bill_says_what_to_ask(configured: Configured, aws: Fake) -> None:
    columns = "BillingAccountId,BillingPeriodStart,ChargePeriodStart,BillingCurrency,RegionId,"
    columns += "ChargeCategory,BilledCost,EffectiveCost,x_UsageType"
    lines = [
        f"1,2026-10-01,2026-10-0{day},USD,{region},Usage,1,1,{meter}"
        for day, region, meter in (
            (1, EAST, f"BoxUsage:{P5}"),
            (2, EAST, f"BoxUsage:{P5}"),
            (2, WEST, "USW2-BoxUsage:trn1.32xlarge"),
            (3, WEST, "USW2-BoxUsage:m5.large"),
            (4, WEST, f"USW2-Train:{HOSTED}"),
        )
    ]
    (configured.home / "bill.csv").write_text("\n".join([columns, *lines]) + "\n")
    aws.shows(products=[])
    settings = configured(
        {"kind": "focus", "location": "bill.csv"}, {"kind": "price_list"}, as_of="2026-10-31"
    )
    pull(settings).raise_failures()
    asked = [
        tuple(one["Value"] for one in request["Filters"][:2])
        for request in aws.asked("GetProducts")
    ]
    assert asked == [(EAST, P5), (WEST, f":{HOSTED}"), (WEST, "trn1.32xlarge")]


def without(item: dict[str, Any], name: str) -> dict[str, Any]:
    del item["terms"]["OnDemand"]["SKU1.B"][name]
    return item


def yuan(item: dict[str, Any]) -> dict[str, Any]:
    (dimension,) = item["terms"]["OnDemand"]["SKU1.B"]["priceDimensions"].values()
    dimension["pricePerUnit"] = {"CNY": "390.0"}
    return item


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (product(P5, "cheap"), "us-east-1: pricePerUnit cannot be read: cheap (update breakeven)"),
        (yuan(product(P5, "1")), "us-east-1: Currency is not USD: p5.48xlarge (one currency"),
        (without(product(P5, "1.5"), "effectiveDate"), "a price without effectiveDate: p5.48xl"),
    ],
)
def test_an_answer_that_cannot_be_trusted_leaves_nothing(
    configured: Configured, aws: Fake, item: dict[str, Any], said: str
) -> None:
    aws.shows(products=[item])
    settings = pinned(configured)
    with pytest.raises(BreakevenError) as caught:
        pulled(settings)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not RawZone(settings.data / "raw").live("price_list")


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            {"instance_types": ["p5.48xlagre"]},
            "is not in the catalogue (did you mean p5.48xlarge?)",
        ),
        ({"instance_types": [], "region": None}, "price_list: no accelerator is on the bill yet"),
    ],
)
def test_a_question_about_nothing_is_refused(
    configured: Configured, aws: Fake, other: dict[str, Any], said: str
) -> None:
    entry = {name: value for name, value in {**SOURCE, **other}.items() if value}
    with pytest.raises(BreakevenError) as caught:
        pulled(configured(entry))
    assert said in str(caught.value)
    assert not aws.asked("GetProducts")


def test_a_missing_permission_names_the_action(configured: Configured, aws: Fake) -> None:
    denied = {"operation": "GetProducts", "code": "AccessDeniedException", "on": [1]}
    aws.shows(products=[], errors=[denied])
    with pytest.raises(BreakevenError) as caught:
        pulled(pinned(configured))
    assert str(caught.value).startswith(
        "price_list: pricing:GetProducts was refused: AccessDeniedException: injected (grant this"
    )
