"""Stores the bill's lines of machines that jobs may share, by machine and period, per delivery."""

from __future__ import annotations

from ibis.backends.duckdb import Backend

STORE = "machine_lines"
SCANNED = "scanned_lines"
OF_MACHINE = ("machine", "machine_cluster", "period_from", "period_to")
"""What the reduction with machines has beside the columns of `spend_reduced`."""


def store(backend: Backend, own: str, text: str, by_day: str) -> None:
    """Stores what one scan gives: lines of machines here, all others in the table `by_day`.

    `own` selects the delivery and its source. A format without resources has no machines.
    """
    con = backend.con
    con.execute(f"CREATE OR REPLACE TEMP TABLE {SCANNED} AS {own}, * FROM ({text})")
    names = {row[0] for row in con.execute(f"DESCRIBE {SCANNED}").fetchall()}
    if "machine" in names:
        con.execute(f"CREATE TABLE IF NOT EXISTS {STORE} AS FROM {SCANNED} LIMIT 0")
        con.execute(f"INSERT INTO {STORE} BY NAME FROM {SCANNED} WHERE machine IS NOT NULL")
        machines = ", ".join(OF_MACHINE)
        rest = f"SELECT * EXCLUDE ({machines}) FROM {SCANNED} WHERE machine IS NULL"
    else:
        rest = f"FROM {SCANNED}"
    con.execute(f"INSERT INTO {by_day} BY NAME {rest}")
    con.execute(f"DROP TABLE {SCANNED}")


def forget(backend: Backend, delivery: str) -> None:
    """Deletes the lines of a delivery that counts no more."""
    if exists(backend):
        backend.con.execute(f"DELETE FROM {STORE} WHERE delivery = ?", [delivery])


def exists(backend: Backend) -> bool:
    """Whether lines of machines were ever stored in this warehouse."""
    query = "SELECT 1 FROM duckdb_tables() WHERE table_name = ?"
    return bool(backend.con.execute(query, [STORE]).fetchall())
