"""`usages`, and `charge_kinds` of each delivery, kept beside its reduced lines.

What a charge is rests on its own words and the catalogue alone. So what was once worked out stays
until the delivery, our code or the catalogue changes, as the reduction does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from hashlib import sha256

import ibis
from ibis.backends.duckdb import Backend

from models import engines, lines, tables
from models.compiled import Compiled, Said
from models.marts.charge_kinds import charge_kinds
from models.marts.usages import usages
from models.settings import Settings

KEPT, READ = "reduced_kinds", "reduced_usages"
"""Apart from the views of them, which another version may drop as marts that it makes itself."""
DUE = "reduced_lines_due"


def keep(backend: Backend, settings: Settings, known: Compiled) -> None:
    """Brings `usages` and `charge_kinds` up to date with the reduction and the catalogue."""
    accelerators = tables.lay_catalog(backend)
    reduced = engines.reduced_columns(settings, known)
    read = known.said((READ, reduced), partial(_usages, reduced))
    said = known.said((KEPT, reduced), partial(_kinds, reduced, read.columns))
    mark = sha256(f"{read.text}{said.text}{accelerators}".encode()).hexdigest()
    anew = not _stands(backend, mark)
    if anew:
        made = ibis.schema({**said.columns, "delivery": "string"})
        backend.con.execute(f"DROP TABLE IF EXISTS {KEPT}")
        backend.create_table(KEPT, schema=made)
        backend.con.execute(f"COMMENT ON TABLE {KEPT} IS '{mark}'")
    live, kept = _deliveries(backend, lines.STORE), _deliveries(backend, KEPT)
    if anew or live != kept:
        backend.con.execute(f"CREATE OR REPLACE TABLE {READ} AS {read.text}")
    for gone in kept - live:
        backend.con.execute(f"DELETE FROM {KEPT} WHERE delivery = ?", [gone])
    if due := sorted(live - kept):
        _add(backend, due, said)
    backend.con.execute(f"CREATE OR REPLACE VIEW usages AS FROM {READ}")
    backend.con.execute(
        f"CREATE OR REPLACE VIEW charge_kinds AS SELECT * EXCLUDE (delivery) FROM {KEPT}"
    )


def _usages(reduced: Mapping[str, str]) -> Said:
    lines_ = ibis.table(ibis.schema(dict(reduced)), name="spend_reduced")
    known = ibis.table(ibis.schema(dict(tables.COLUMNS["catalog"])), name="catalog")
    return engines.spoken(usages(lines_, known))


def _kinds(reduced: Mapping[str, str], read: Mapping[str, str]) -> Said:
    """Apart from `usages`: in one query DuckDB would lay every line down to read it twice."""
    due = ibis.table(ibis.schema({"delivery": "int32", **reduced}), name=DUE)
    return engines.spoken(charge_kinds(due, ibis.table(ibis.schema(dict(read)), name=READ)))


def _stands(backend: Backend, mark: str) -> bool:
    """Whether the rows that are kept were worked out the same way."""
    query = "SELECT 1 FROM duckdb_tables() WHERE table_name = ? AND comment = ?"
    return bool(backend.con.execute(query, [KEPT, mark]).fetchall())


def _deliveries(backend: Backend, table: str) -> set[str]:
    found = backend.con.execute(f"SELECT DISTINCT delivery FROM {table}").fetchall()
    return {delivery for (delivery,) in found}


def _add(backend: Backend, due: list[str], said: Said) -> None:
    """Deliveries go by their place among those due: their marks are long to group by."""
    marks = ", ".join(f"'{mark}'" for mark in due)
    backend.con.execute(
        f"CREATE OR REPLACE VIEW {DUE} AS SELECT * EXCLUDE (source) "
        f"REPLACE (list_position([{marks}], delivery) AS delivery) "
        f"FROM {lines.STORE} WHERE delivery IN ({marks})"
    )
    backend.con.execute(
        f"INSERT INTO {KEPT} BY NAME "
        f"SELECT * REPLACE ([{marks}][delivery] AS delivery) FROM ({said.text})"
    )
    backend.con.execute(f"DROP VIEW {DUE}")
