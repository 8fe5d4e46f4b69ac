"""A month is not closed while a billing account's bill of it is still to come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.closing import closing, draft
from models.closing.conditions import Condition
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.contract.errors import NotReadyError
from models.intake import delivery_checks
from models.raw.delivery_key import Key
from models.raw.zone import RawZone
from tests.conftest import migrated
from tests.support.bills.cost_explorer_bill import COLUMNS, laid
from tests.support.closing.derived_once import derived_once
from tests.support.world import ACCOUNT, World

NONE_SINCE, SINCE_THE_TENTH, SPARSE, INVOICED, LEFT, STAYED, TOLD, YOUNG = (
    f"99990000000{number}" for number in range(2, 10)
)
ENDED = "999900000010"
BILLS = {
    NONE_SINCE: ["2025-08-31"],
    SINCE_THE_TENTH: ["2025-08-31", "2025-09-10"],
    SPARSE: ["2025-09-10"],
    LEFT: ["2025-08-31"],
    STAYED: ["2025-08-31", "2025-09-05"],
    TOLD: ["2025-09-10"],
    YOUNG: ["2025-10-05"],
}
CONFIG = {
    "accounts": [{"id": account, "closed": "2025-08-31"} for account in (LEFT, STAYED)],
    "invoices": [{"account": TOLD, "month": "2025-09", "amount": 1}],
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """METHOD §8 A; of the other payers one carries a workload, half of which METHOD's pays."""
    world = migrated(World(tmp_path_factory.mktemp("payers")))
    for account, days in BILLS.items():
        for day in days:
            world.charge(f"{day}T00:00:00", 1, BillingAccountId=account, SubAccountId=account)
    tax = {"BillingAccountId": SPARSE, "SubAccountId": SPARSE, "ChargeCategory": "Tax"}
    world.charge("2025-10-01T00:00:00", 1, **tax)
    own = {"BillingAccountId": INVOICED, "SubAccountId": INVOICED, "InvoiceId": "inv-9"}
    world.charge("2025-09-10T00:00:00", 1, **own)
    tags = {"workload": "two-payers", "run": "p1"}
    first = {"BillingAccountId": ENDED, "SubAccountId": ENDED}
    world.hours("2025-06-20T00:00:00", 1, "trn1.32xlarge", 16, tags, **first)
    world.charge("2025-10-01T00:00:00", 1, **first, ChargeCategory="Tax")
    for day, hours in (("2025-06-21", 24), ("2025-06-22", 12)):
        world.hours(f"{day}T00:00:00", hours, "trn1.32xlarge", 16, tags)
    return world.pulled(**CONFIG)


@pytest.fixture(scope="module", autouse=True)
def drafts() -> Iterator[None]:
    """Both months are drafted, and one closed, from the same marts."""
    with derived_once():
        yield


def settled(settings: Settings, month: str) -> Condition:
    return draft.draft(settings, month).conditions[1]


def said(account: str, newest: str) -> str:
    return (
        f"nothing newer than {newest} was delivered for billing account {account}: deliver its "
        "export again; if that is all, [[invoices]] says what AWS charged, or "
        f"closed = {newest} in [[accounts]] that its bill has ended"
    )


def test_every_account_whose_bill_stops_before_the_month_keeps_it_open(settings: Settings) -> None:
    """Not one of whose bill a later month came, that AWS invoiced, that is closed or tied out."""
    found = settled(settings, "2025-09")
    silent = {NONE_SINCE: "2025-08-31", SINCE_THE_TENTH: "2025-09-10", STAYED: "2025-09-05"}
    words = "; ".join(said(account, newest) for account, newest in silent.items())
    assert (found.met, found.text) == (False, f"not every day is settled: {words}")
    with pytest.raises(NotReadyError, match="settled: not every day is settled"):
        closing.close(settings, "2025-09", by="C")


def test_a_month_that_every_account_told_whole_is_settled(settings: Settings) -> None:
    """What began or stalled later keeps no earlier month open."""
    assert settled(settings, "2025-05").met


def test_days_that_wait_for_a_whole_bill_of_another_payer_keep_it_open(settings: Settings) -> None:
    """Of `two-payers` $384 and $192 came after the last usage of its other payer, of 20 June."""
    found = settled(settings, "2025-06")
    assert (found.met, found.text) == (
        False,
        "not every day is settled: $576.00 on 2 days from 2025-06-21 is in no figure and "
        f"waits for billing account {ENDED}, without usage after 2025-06-20: deliver its export "
        "again or, if its bill has ended, set closed = 2025-06-20 in [[accounts]]",
    )


def test_a_month_without_a_charge_tells_of_the_account_that_was_asked(tmp_path: Path) -> None:
    """Cost Explorer answered for October: September, with a charge of the 20th, is whole."""
    line = dict.fromkeys(COLUMNS) | {
        "account": ACCOUNT, "month": "2026-09-01", "request": "run", "day": "2026-09-20",
        "estimated": "false", "tag_key": "run", "usage_type": "BoxUsage:trn1.32xlarge",
        "run": "t1", "currency": "USD", "usage_quantity": "1", "amortized": "16", "unblended": "16",
    }  # fmt: skip
    config = {
        "as_of": "2026-11-20",
        "cost": {"source": "cost_explorer"},
        "runs": [{"run": "t1", "workload": "atlas-7b"}],
    }
    settings = validated_settings(config, home=tmp_path)
    laid(settings, [line])
    assert said(ACCOUNT, "2026-09-20") in settled(settings, "2026-09").text
    zone = RawZone(settings.data / "raw")
    with zone.staging(Key("cost_explorer", ACCOUNT, "2026-10")) as staging:
        schema = pa.schema([(name, pa.string()) for name in COLUMNS])
        pq.write_table(pa.Table.from_pylist([], schema=schema), staging.next_path)
        staging.add(staging.next_path, origin="Cost Explorer")
        staging.seal(
            "cost_explorer",
            totals=delivery_checks.check_delivery(staging, "cost_explorer", empty=True),
        )
    assert settled(settings, "2026-09").met
