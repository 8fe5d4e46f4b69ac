"""What is not delivered stands in tables as it was said, to the last digit."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal

from models.engine import contract_tables
from models.engine.warehouse import connection

TINY, GREAT = Decimal("1E-9"), Decimal("12345678901234567890123456789.123456789")
UNHURRIED = """
import sys
from models.engine import contract_tables
from models.engine.warehouse import connection
with connection.in_memory() as backend:
    contract_tables.fill(backend, "bill_totals", [{"month": "2026-01", "total": 1, "rank": 0}])
sys.exit("pandas" in sys.modules)
"""


def test_rows_are_held_exactly_and_what_is_not_said_is_unknown() -> None:
    reasons = {'a "b" = c': GREAT, "no name": None}
    rows = [
        {"month": "2026-01", "workload": "a\x00b", "net_saving": TINY, "left_out": reasons},
        {"month": "2026-02", "net_saving": GREAT, "left_out": {}, "settled_through": date.max},
    ]
    at = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    with connection.in_memory() as backend:
        contract_tables.fill(backend, "closed_months", rows)
        contract_tables.fill(
            backend, "restated_totals", [{"source": "x", "pulled_at": at, "counted": False}]
        )
        contract_tables.fill(backend, "adjustments_due", [])
        columns = "month, workload, net_saving, left_out, settled_through"
        held = backend.con.execute(f"SELECT {columns} FROM closed_months ORDER BY 1").fetchall()
        told = backend.con.execute("SELECT pulled_at, counted FROM restated_totals").fetchall()
        nothing = backend.con.execute("FROM adjustments_due").fetchall()
    assert held == [
        ("2026-01", "a\x00b", TINY, reasons, None),
        ("2026-02", None, GREAT, {}, date.max),
    ]
    assert told == [(at.replace(tzinfo=None), False)]
    assert nothing == []


def test_a_build_does_not_wait_for_pandas() -> None:
    subprocess.run([sys.executable, "-c", UNHURRIED], check=True)
