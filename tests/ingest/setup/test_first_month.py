"""The month that a first run pulls is the newest whole one of the bill that counts."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from ingest.setup.first_month import first_month
from models.config.loading import validated_settings

DAYS = {"finance": "2026-05-01", "audit": "2026-07-01", "old": "2026-04-01"}


@pytest.mark.parametrize(
    ("counts", "month"), [("finance", "2026-05"), ("focus", "2026-07"), ("none", None)]
)
def test_the_bill_that_counts_is_named_by_its_name_or_its_kind(
    tmp_path: Path, counts: str, month: str | None
) -> None:
    sources = []
    for name, day in DAYS.items():
        folder = tmp_path / name / "data" / f"BILLING_PERIOD={day[:7]}"
        folder.mkdir(parents=True)
        (folder / "bill.csv").write_text(f"BillingPeriodStart\n{day}T00:00:00Z\n")
        sources.append({"kind": "focus", "name": name, "location": name})
    config = {"sources": sources, "cost": {"source": counts}, "as_of": date(2026, 8, 3)}
    assert first_month(validated_settings(config, home=tmp_path)) == month
