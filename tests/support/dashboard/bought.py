"""What Rates and Trust show: a tie-out, a restatement, prices, offers, and lines of the journal.

Its machines bear the tags of runs, so no pool is shared.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

from models.marts.cost.attribution_buckets import BUCKETS
from tests.support.dashboard.days import Row

D = Decimal
MONEY = (*BUCKETS, "bridge", "block_spread")
ACCOUNTS = ("999900000001", "<i>second</i>")


def at(day: int, month: int, hour: int) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC).replace(tzinfo=None)


def pull(when: datetime, **told: object) -> str:
    """A line of the journal."""
    about = {"source": "focus", "location": "s3://bills", "account": ACCOUNTS[1], "error": ""}
    return json.dumps({"at": when.replace(tzinfo=UTC).isoformat(), **about, **told}) + "\n"


def tied(month: str, account: str, basis: str, **amounts: Decimal) -> Row:
    row: Row = {"month": month, "billing_account": ACCOUNTS[0], "account": account, "basis": basis}
    row |= dict.fromkeys(MONEY, D(0)) | {"remainder": D(0), "total_source": "invoice"} | amounts
    return row


def price(kind: str, since: date, usd: str, before: str | None, option: str) -> Row:
    return {
        "instance_type": kind,
        "platform": kind.split(".")[0],
        "hardware": "gpu",
        "accelerators": 8,
        "region": "us-east-1",
        "purchase_option": option,
        "since": since,
        "until": None,
        "usd_per_hour": D(usd),
        "previous_usd_per_hour": before and D(before),
    }


def edit(tables: dict[str, list[Row]]) -> None:
    for row in tables["spend_daily"]:
        on_gpu = row["hardware"] == "gpu"
        row |= {
            "platform": "p4d" if on_gpu else "trn1",
            "instance_type": "p4d.24xlarge" if on_gpu else "trn1.32xlarge",
            "purchase_option": "on_demand" if on_gpu else "committed",
            "unpriced": False,
        }
    tables["tie_out"] = [
        tied("2026-08", ACCOUNTS[0], "billed", direct=D("900.125"), bill_total=D("900.125")),
        tied(
            "2026-09",
            ACCOUNTS[0],
            "billed",
            direct=D(1000),
            bill_total=D("1012.30"),
            remainder=D("12.30"),
        ),
        tied("2026-09", ACCOUNTS[1], "billed", tax=D(50), bill_total=D(50)),
        tied("2026-09", ACCOUNTS[0], "effective", direct=D(800), bill_total=D(800), bridge=D(-200)),
    ]
    for name in ("pool_use", "run_jobs", "pools", "allocation_coverage"):
        tables[name] = []
    for row in tables["runs"]:
        row |= {"identified_by": "tag", "wait_hours": None}
    tables["restatements"] = [
        {"month": "2026-08", "account": ACCOUNTS[1], "source": "focus", "settled": True,
         "counted": True, "pulled_at": at(2, 10, 6), "billed_change": D("-3.20"),
         "effective_change": D("-3.10")},
    ]  # fmt: skip
    tables["price_history"] = [
        price("p4d.24xlarge", date(2026, 6, 1), "21.957642", "32.7726", "on_demand"),
        price("p4d.24xlarge", date(2026, 10, 1), "12.00", None, "spot"),
    ]
    tables["capacity_offers"] = [
        {"account": ACCOUNTS[0], "region": "us-east-1", "zone": "us-east-1a", "hours": 24,
         "instance_type": "p5.48xlarge", "instances": 2, "start": at(5, 11, 11),
         "fee": D(3000), "usd_per_hour": D("62.5"), "observed_on": date(2026, 10, 30)},
    ]  # fmt: skip
    tables["offered"] = [
        {"account": ACCOUNTS[0], "region": region, "zone": f"{region}{zone}",
         "instance_type": "trn2.48xlarge", "observed_on": date(2026, 10, 30)}
        for region, zone in (("us-east-1", "a"), ("us-east-1", "b"), ("us-west-2", "a"))
    ]  # fmt: skip
