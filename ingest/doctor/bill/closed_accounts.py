"""Checks that accounts which the config calls closed are not billed for usage after their end.

An account that is billed for usage after its end is not treated as closed (METHOD §1.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding
from models.contract.stalled_bills import contradicted, uncontradicted

NAME = "accounts"
CONTRADICTED = """
SELECT billing_account, newest_day, contradicted FROM settled_accounts
WHERE contradicted IS NOT NULL ORDER BY ALL"""


def check_closed_accounts(exam: Examination) -> Iterator[Finding]:
    """Warns of accounts that were billed for usage after the day the config closed them."""
    for row in exam.snapshot_rows(CONTRADICTED) or []:
        about = f"billing account {row['billing_account']}"
        newest = str(row["newest_day"])
        found = contradicted(str(row["contradicted"]), newest)
        yield Finding(NAME, about, "warning", found, uncontradicted(newest))
