"""A member's own Cost Explorer: no credit seen is not no credit."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.config.loading import parse
from models.config.settings import Settings
from models.formats.bill import cost_explorer
from models.intake import delivery_checks
from models.marts.cost.hidden_credits import hidden_credits
from models.raw.delivery_key import Key
from models.raw.zone import RawZone
from tests.support.marts.hand_written_tables import rows, table
from tests.support.some_marts import some_marts
from tests.support.world import ACCOUNT, Marts

PAYER, OTHER = "999900000009", "999900000002"
COLUMNS = (
    "account", "month", "request", "day", "estimated", "tag_key", "run", "usage_type",
    "record_type", "service", "currency", "usage_quantity", *cost_explorer.METRICS,
)  # fmt: skip
Line = dict[str, str | None]


def line(account: str, run: str | None, cost: str, **other: str | None) -> Line:
    """One group of one day of Trainium hours; no net figures."""
    return {
        **dict.fromkeys(COLUMNS),
        "account": account,
        "month": "2026-09-01",
        "request": "run",
        "day": "2026-09-05",
        "estimated": "false",
        "tag_key": "run",
        "run": run,
        "usage_type": "BoxUsage:trn1.32xlarge",
        "currency": "USD",
        "usage_quantity": "10",
        "amortized": cost,
        "unblended": cost,
        **other,
    }


def credit(account: str, cost: str) -> Line:
    beside: dict[str, str | None] = {"request": "record_type", "usage_type": None}
    return line(account, None, cost, **beside, record_type="Credit", service="EC2 - Other")


def told(folder: Path, lines: list[Line], payer: str | None) -> Marts:
    """Two accounts and what they bill, as `ingest` would have laid them down."""
    settings: Settings = parse(
        {
            "as_of": "2026-10-31",
            "cost": {"source": "cost_explorer"},
            "organization": {"payer": payer} if payer else {},
            "runs": [{"run": run, "workload": f"of-{run}"} for run in ("ours", "theirs")],
        },
        home=folder,
    )
    zone = RawZone(settings.data / "raw")
    for account, month in sorted({(row["account"], row["month"]) for row in lines}):
        with zone.staging(Key("cost_explorer", str(account), str(month)[:7])) as staging:
            schema = pa.schema([(name, pa.string()) for name in COLUMNS])
            own = [row for row in lines if (row["account"], row["month"]) == (account, month)]
            pq.write_table(pa.Table.from_pylist(own, schema=schema), staging.next_path)
            staging.add(staging.next_path, origin="Cost Explorer")
            staging.seal(
                "cost_explorer", totals=delivery_checks.check_delivery(staging, "cost_explorer")
            )
    return some_marts(settings, "monthly_summary", "break_even", "runs")


def credits(marts: Marts) -> dict[str, Decimal | None]:
    rows = marts.rows("SELECT workload, credits FROM monthly_summary WHERE month = '2026-09'")
    return {row["workload"]: row["credits"] for row in rows}


HIDDEN = (
    "; credits and discounts are unknown: a payer may hide them from {}, "
    "whose own Cost Explorer told the bill"
)


@pytest.mark.parametrize(
    ("payer", "ours", "every", "whom"),
    [
        (PAYER, None, None, ACCOUNT),
        (ACCOUNT, Decimal(0), Decimal(-8), ""),
    ],
)
def test_credits_that_a_payer_may_hide_are_unknown_and_it_says_of_whom(
    tmp_path: Path, payer: str | None, ours: Decimal | None, every: Decimal | None, whom: str
) -> None:
    """The other account shows one of $8, so nothing is hidden from it."""
    lines = [line(ACCOUNT, "ours", "160"), line(OTHER, "theirs", "80"), credit(OTHER, "-8")]
    marts = told(tmp_path, lines, payer)
    assert credits(marts) == {"of-ours": ours, "of-theirs": 0, "(portfolio)": every}
    reasons = marts.rows("SELECT workload, reason FROM break_even ORDER BY workload")
    hidden = {row["workload"]: row["reason"].partition("; credits")[2] for row in reasons}
    said = HIDDEN.format(whom).partition("; credits")[2] if whom else ""
    assert hidden == {"(portfolio)": said, "of-ours": said, "of-theirs": ""}
    flags = marts.rows("SELECT DISTINCT flags FROM runs")
    assert all("gross_cost" in row["flags"] for row in flags)


def test_who_hides_credits_now_is_said_not_who_did(tmp_path: Path) -> None:
    """Our runs were moved to the other account in September."""
    august: dict[str, str | None] = {"month": "2026-08-01", "day": "2026-08-05"}
    marts = told(
        tmp_path, [line(ACCOUNT, "ours", "160", **august), line(OTHER, "ours", "80")], PAYER
    )
    rows = marts.rows("SELECT reason FROM break_even")
    assert len(rows) == 2
    assert all(HIDDEN.format(OTHER) in row["reason"] for row in rows)


def test_a_month_names_each_member_once_whose_bill_never_showed_a_credit() -> None:
    """The payer's own bill hides nothing, and one credit in October clears B of September too."""
    spent = [
        ("C", "2026-09", "w", "direct"),
        ("C", "2026-09", "v", "shared"),
        ("A", "2026-09", "w", "direct"),
        ("A", "2026-09", "w", "shared"),
        ("A", "2026-09", None, "tax"),
        ("A", "2026-10", "w", "direct"),
        ("B", "2026-09", "w", "direct"),
        ("B", "2026-10", None, "credit"),
        ("payer", "2026-09", "w", "direct"),
    ]
    names = ("billing_account", "billing_period", "workload", "attribution")
    found = hidden_credits(
        table(dict.fromkeys(names, "string"), *(dict(zip(names, s, strict=True)) for s in spent)),
        table({"billing_account": "string"}, *({"billing_account": of} for of in "ABC")),
    )
    assert rows(found, "month", "workload", "accounts") == [
        ("2026-09", "(portfolio)", "A, C"),
        ("2026-09", "v", "C"),
        ("2026-09", "w", "A, C"),
        ("2026-10", "(portfolio)", "A"),
        ("2026-10", "w", "A"),
    ]
