"""Savings Plan rates: of the kinds of plan that the account owns, of any term, and of no others."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from ingest.pull import pull
from models.config.settings import Settings
from models.contract.errors import BreakevenError
from tests.support.ingest.fake_aws import Configured, Fake
from tests.support.ingest.price_answers import EAST, P5, plan, rate, told

HOSTED = "ml.p4d.24xlarge"
SOURCE = {"kind": "savings_plans", "instance_types": [P5, HOSTED], "region": EAST}
RATES = [
    rate(f"BoxUsage:{P5}", "33.5000000000"),
    rate(f"BoxUsage:{P5}", "28.0000000000", years=3),  # to be set against the year that is owned
    rate(f"BoxUsage:{P5}", "31.0000000000", payment="All Upfront"),
    rate(f"BoxUsage:{P5}", "60.0000000000", productDescription="Windows"),
    rate(f"USE1-Train:{HOSTED}", "20.2500000000", "SageMaker"),
    rate(f"USE1-Host:{HOSTED}", "21.0000000000", "SageMaker"),
]


def pinned(configured: Configured) -> Settings:
    settings: Settings = configured(SOURCE, as_of="2026-10-31")
    return settings


def pulled(settings: Settings) -> tuple[int, int]:
    report = pull(settings, ["savings_plans"])
    report.raise_failures()
    return report.results[0].new, report.results[0].unchanged


def test_a_committed_rate_names_the_plan_it_belongs_to(configured: Configured, aws: Fake) -> None:
    aws.shows(savings_plans=[plan(), plan("SageMaker")], plan_rates=RATES, plan_page=1)
    settings = pinned(configured)
    assert pulled(settings) == (1, 0)
    assert pulled(settings) == (0, 1)
    known = [
        (row["instance_type"], row["plan"], row["usd_per_hour"])
        for row in told(settings, "savings_plans")
    ]
    assert known == [
        (HOSTED, "SageMaker, 1 yr, No Upfront", Decimal("20.25")),
        (P5, "Compute, 3 yr, No Upfront", Decimal("28")),
        (P5, "Compute, 1 yr, No Upfront", Decimal("33.5")),
    ]
    first = told(settings, "savings_plans")[0]
    assert (first["region"], first["purchase_option"]) == (EAST, "committed")
    assert first["effective_from"] == first["observed_on"] == date(2026, 10, 31)


def test_who_owns_no_plan_is_asked_nothing_more(configured: Configured, aws: Fake) -> None:
    aws.shows(savings_plans=[plan("Database"), {**plan(), "state": "retired"}], plan_rates=RATES)
    assert pulled(pinned(configured)) == (0, 0)
    assert not aws.asked("DescribeSavingsPlansOfferingRates")


@pytest.mark.parametrize("action", ["DescribeSavingsPlans", "DescribeSavingsPlansOfferingRates"])
def test_a_missing_permission_names_the_action(
    configured: Configured, aws: Fake, action: str
) -> None:
    denied = {"operation": action, "code": "AccessDeniedException", "on": [1]}
    aws.shows(savings_plans=[plan()], plan_rates=RATES, errors=[denied])
    with pytest.raises(BreakevenError, match=f"savingsplans:{action} was refused: AccessDenied"):
        pulled(pinned(configured))


def test_a_rate_in_another_currency_is_refused(configured: Configured, aws: Fake) -> None:
    other = rate(f"BoxUsage:{P5}", "33.5000000000")
    other["savingsPlanOffering"]["currency"] = "CNY"
    aws.shows(savings_plans=[plan()], plan_rates=[other])
    with pytest.raises(BreakevenError, match="999900000001: Currency is not USD: CNY"):
        pulled(pinned(configured))


def test_a_rate_below_nothing_is_refused(configured: Configured, aws: Fake) -> None:
    aws.shows(savings_plans=[plan()], plan_rates=[rate(f"BoxUsage:{P5}", "-1")])
    with pytest.raises(BreakevenError, match="999900000001: rate is below 0: -1"):
        pulled(pinned(configured))
