"""Whether the bill bears out what the config calls closed; what it contradicts closes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.finding import Finding
from ingest.doctor.patient import Patient

NAME = "accounts"
CONTRADICTED = """
SELECT billing_account, newest_day, contradicted FROM settled_accounts
WHERE contradicted IS NOT NULL ORDER BY ALL"""


def check(patient: Patient) -> Iterator[Finding]:
    """One finding per account that was billed for usage after its end."""
    for row in patient.rows(CONTRADICTED) or []:
        about = f"billing account {row['billing_account']}"
        newest = row["newest_day"]
        found = f"closed = {row['contradicted']} is ignored: its bill has usage until {newest}"
        remedy = f"take it out of [[accounts]] or, if its bill has ended, set closed = {newest}"
        yield Finding(NAME, about, "warning", found, remedy)
