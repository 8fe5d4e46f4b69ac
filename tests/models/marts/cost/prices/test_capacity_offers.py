"""Of what AWS would sell, and at which rate, only what was told last is shown."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from models.contract import schema
from models.marts.cost.prices.capacity_offers import capacity_offers
from models.marts.cost.prices.committed_rates import committed_rates
from models.marts.cost.prices.offered import offered
from tests.support.marts.hand_written_tables import rows, table

TRN1 = "trn1.32xlarge"
PLAN, SHORT = "Compute Savings Plan, 3 yr, No Upfront", "EC2 Instance Savings Plan, 1 yr"


def test_a_plan_has_one_rate_a_region_and_only_if_it_says_its_term() -> None:
    """Of those told at once the one in force last; of those in force at once the dearer."""
    said = {"instance_type": TRN1, "region": "us-east-1", "purchase_option": "committed"}
    told = [
        (date(2026, 9, 1), date(2026, 9, 1), "9", {}),
        (date(2026, 10, 1), date(2026, 1, 1), "8", {}),
        (date(2026, 10, 1), date(2026, 2, 1), "7", {}),
        (date(2026, 10, 1), date(2026, 2, 1), "7.5", {}),
        (date(2026, 8, 1), date(2026, 8, 1), "6", {"region": "us-west-2"}),
        (date(2026, 8, 1), date(2026, 8, 1), "5", {"plan": SHORT}),
        (date(2026, 8, 1), date(2026, 8, 1), "4", {"plan": "Compute Savings Plan"}),
        (date(2026, 8, 1), date(2026, 8, 1), "3", {"plan": None}),
        (date(2026, 11, 1), date(2026, 11, 1), "2", {"purchase_option": "on_demand"}),
    ]
    prices = [
        {"plan": PLAN, "observed_on": seen, "effective_from": since, "usd_per_hour": Decimal(rate)}
        | said | other
        for seen, since, rate, other in told
    ]  # fmt: skip
    found = committed_rates(table(schema.PRICES, *prices))
    assert rows(found, "plan", "region", "years", "usd_per_hour") == [
        (PLAN, "us-east-1", 3, Decimal("7.5")),
        (PLAN, "us-west-2", 3, Decimal(6)),
        (SHORT, "us-east-1", 1, Decimal(5)),
    ]


def test_an_answer_replaces_the_one_before_of_its_account_and_region() -> None:
    first, last = datetime(2026, 10, 1, 6), datetime(2026, 10, 2, 6)  # noqa: DTZ001 - as stored
    east, west = {"account": "1", "region": "us-east-1"}, {"account": "1", "region": "us-west-2"}
    block = {"kind": "offer", "instance_type": TRN1, "instances": 2, "hours": 24}
    zone = {"kind": "zone", "instance_type": TRN1}
    told = [
        block | east | {"said_at": first, "fee": Decimal(10)},
        block | east | {"said_at": last, "fee": Decimal(3000)},
        block | east | {"said_at": last, "fee": Decimal(480)},
        block | west | {"said_at": first, "fee": Decimal(960)},
        block | east | {"account": "2", "said_at": first, "fee": Decimal(96)},
        block | west | {"account": "2", "said_at": first, "fee": Decimal(72)},
        {"kind": "offer", "instance_type": TRN1, "said_at": last} | west | {"account": "2"},
        zone | east | {"said_at": first, "zone": "us-east-1a"},
        zone | east | {"said_at": last, "zone": "us-east-1b"},
    ]
    capacity = table(schema.CAPACITY, *told)
    offers = rows(capacity_offers(capacity), "account", "region", "fee", "usd_per_hour")
    assert offers == [
        ("1", "us-east-1", 3000, Decimal("62.5")),
        ("1", "us-east-1", 480, 10),
        ("1", "us-west-2", 960, 20),
        ("2", "us-east-1", 96, 2),
    ]
    assert rows(offered(capacity), "account", "zone") == [("1", "us-east-1b")]
