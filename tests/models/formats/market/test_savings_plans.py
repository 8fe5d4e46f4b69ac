"""Savings Plan rates: dollars per instance-hour under a kind of plan that the account owns."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from models.formats.market import savings_plans
from tests.support.bills.format_lines import ANSWER, SEEN, answered, refused, rows
from tests.support.ingest.price_answers import P5, plan, rate

USED = f"BoxUsage:{P5}"


def read(
    owned: list[dict[str, Any]], *rates: dict[str, Any], account: str = "1"
) -> list[dict[str, Any]]:
    lines = answered("DescribeSavingsPlans", *owned)
    lines += answered("DescribeSavingsPlansOfferingRates", *rates, account=account)
    return rows(savings_plans, lines, ANSWER)


def test_a_rate_takes_effect_on_the_day_it_was_seen() -> None:
    assert read([plan()], rate(USED, "33.5000000000", years=3)) == [
        {
            "instance_type": P5,
            "region": "us-east-1",
            "purchase_option": "committed",
            "usd_per_hour": Decimal("33.5"),
            "effective_from": SEEN,
            "observed_on": SEEN,
            "plan": "Compute, 3 yr, No Upfront",
        }
    ]


def test_a_plan_that_is_owned_twice_does_not_double_its_rates() -> None:
    assert len(read([plan(), plan(), plan(years=3)], rate(USED, "33.5"))) == 1


def test_a_rate_needs_the_owned_type_the_owned_payment_and_the_owning_account() -> None:
    owned = [plan("Compute", "No Upfront"), plan("EC2Instance", "All Upfront")]
    assert read(owned, rate(USED, "30", "Compute", "All Upfront")) == []
    assert read(owned, rate(USED, "30", "EC2Instance", "No Upfront")) == []
    assert read(owned, rate(USED, "30"), account="2") == []
    assert read([], rate(USED, "30")) == []


def test_a_term_of_leap_days_is_still_three_years() -> None:
    """Three years with a 29th of February are 1,096 days: 3.003 × 365."""
    leap = rate(USED, "28", years=3)
    leap["savingsPlanOffering"]["durationSeconds"] = 1096 * 86_400
    assert [row["plan"] for row in read([plan()], leap)] == ["Compute, 3 yr, No Upfront"]


@pytest.mark.parametrize(
    ("usage", "found"),
    [
        (f"USW2-BoxUsage:{P5}", P5),
        ("USE1-Cluster:ml.trn1.32xlarge", "ml.trn1.32xlarge"),
        ("BoxUsage:u-6tb1.metal", "u-6tb1.metal"),
        (f"UnusedBox:{P5}", None),
        (f"DedicatedUsage:{P5}", None),
        (f"HostBoxUsage:{P5}", None),
    ],
)
def test_only_hours_of_instances_count(usage: str, found: str | None) -> None:
    types = [row["instance_type"] for row in read([plan()], rate(usage, "30"))]
    assert types == ([found] if found else [])


@pytest.mark.parametrize("other", [{"rate": "0.0000000000"}, {"unit": "Lambda-GB-Second"}], ids=str)
def test_a_rate_of_zero_or_of_something_else_prices_nothing(other: dict[str, Any]) -> None:
    assert read([plan()], {**rate(USED, "30"), **other}) == []


def test_dedicated_hardware_has_rates_of_its_own() -> None:
    assert read([plan()], rate(USED, "30", tenancy="dedicated")) == []


def test_a_rate_that_cannot_be_read_is_refused() -> None:
    lines = answered("DescribeSavingsPlansOfferingRates", rate(USED, "x"), rate(USED, "1"))
    assert refused(savings_plans, lines, ANSWER) == ["rate cannot be read: x (update breakeven)"]
