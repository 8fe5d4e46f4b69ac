"""METHOD §1: a lineage has ended after `settle_days` without activity, and at least one."""

from __future__ import annotations

from datetime import date

import pytest

from models.marts.work.lineages.ended import with_end
from tests.support.marts.hand_written_tables import table

FACTS = {"settled_through": "date", "last_day": "date", "last_sample": "timestamp"}


@pytest.mark.parametrize(("settle_days", "newest"), [(3, 28), (1, 30), (0, 30)])
def test_a_lineage_ends_after_days_without_activity(settle_days: int, newest: int) -> None:
    """Settled through 31 May: one that was active on that day may still run, also with 0 days."""
    through = date(2026, 5, 31)
    facts = [{"settled_through": through, "last_day": date(2026, 5, day)} for day in range(26, 32)]
    rows = with_end(table(FACTS, *facts), settle_days).to_pyarrow().to_pylist()
    assert max(row["ended_on"] for row in rows if row["ended"]) == date(2026, 5, newest)
    assert [row["last_day"] for row in rows if row["ended"]] == [
        date(2026, 5, day) for day in range(26, newest + 1)
    ]
