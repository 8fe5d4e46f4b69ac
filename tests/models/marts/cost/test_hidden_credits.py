"""A member's own Cost Explorer: no credit seen is not no credit."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.config.loading import validated_settings
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
    settings: Settings = validated_settings(
        {
            "as_of": "2026-10-31",
            "cost": {"source": "cost_explorer"},
            "organization": {"payer": payer} if payer else {},
            "runs": [{"run": run, "workload": f"of-{run}"} for run in ("ours", "theirs", "moved")],
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


BILL = [line(ACCOUNT, "ours", "160"), line(OTHER, "theirs", "80"), credit(OTHER, "-8")]
"""The other account shows a credit of $8, so nothing is hidden from it."""
BEFORE, NOW = "999900000003", "999900000004"
MOVED = [
    line(BEFORE, "moved", "160", month="2026-08-01", day="2026-08-05"),
    line(NOW, "moved", "80"),
]
"""A run that another account bears since September."""


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """Members ask for themselves, and the payer is none of them."""
    return told(tmp_path_factory.mktemp("hidden"), [*BILL, *MOVED], PAYER)


def reasons(marts: Marts) -> dict[str, str]:
    """What each workload is told of credits."""
    found = marts.rows("SELECT workload, reason FROM break_even ORDER BY workload")
    return {row["workload"]: "".join(row["reason"].partition("; credits")[1:]) for row in found}


def test_credits_that_a_payer_may_hide_are_unknown_and_it_says_of_whom(hidden: Marts) -> None:
    unknown = dict.fromkeys(("of-ours", "of-moved", "(portfolio)"))
    assert credits(hidden) == {"of-theirs": 0} | unknown
    said = reasons(hidden)
    assert (said["of-ours"], said["of-theirs"]) == (HIDDEN.format(ACCOUNT), "")
    flags = hidden.rows("SELECT DISTINCT flags FROM runs")
    assert all("gross_cost" in row["flags"] for row in flags)


def test_who_hides_credits_now_is_said_not_who_did(hidden: Marts) -> None:
    """The run was moved to another account in September."""
    said = reasons(hidden)
    assert len(said) == 4
    assert said["of-moved"] == HIDDEN.format(NOW)
    assert said["(portfolio)"] == HIDDEN.format(f"{ACCOUNT}, {NOW}")


def test_credits_of_the_payer_itself_are_all_known(tmp_path: Path) -> None:
    marts = told(tmp_path, BILL, ACCOUNT)
    assert credits(marts) == {"of-ours": 0, "of-theirs": 0, "(portfolio)": -8}
    assert reasons(marts) == dict.fromkeys(("(portfolio)", "of-ours", "of-theirs"), "")
    flags = marts.rows("SELECT DISTINCT flags FROM runs")
    assert all("gross_cost" in row["flags"] for row in flags)


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
