"""`usage_types`, and `charge_kinds` and `billed_days` of each delivery, kept beside its lines.

What a charge is rests on its own words and the catalogue alone. So what was once worked out stays
until the delivery, our code or the catalogue changes, as the reduction does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from hashlib import sha256

import ibis
import ibis.expr.types as ir
from ibis.backends.duckdb import Backend

from models.engine import contract_tables
from models.engine.context import BuildContext
from models.engine.reduction import reduced_lines, refund_owners
from models.engine.sql import mart_sql, rendering
from models.engine.sql.sql_cache import CompiledSql
from models.marts.cost.charges.charge_kinds import charge_kinds
from models.marts.cost.charges.usage_types import usage_types
from models.marts.cost.settled_days.billed_days import STORED, billed_days

READ, KINDS, DAYS = "reduced_usages", "reduced_kinds", reduced_lines.DAYS
"""Apart from the views of them, which another version may drop as marts that it makes itself."""
DUE = "reduced_lines_due"


def update(context: BuildContext) -> None:
    """Updates `usage_types`, `charge_kinds` and `billed_days` for deliveries that changed."""
    backend, compiled = context.backend, context.sql_cache
    accelerators = contract_tables.fill_catalog(backend)
    reduced = mart_sql.reduced_columns(context.settings, compiled)
    read = compiled.get((READ, reduced), partial(_usage_types, reduced))
    kept = {
        KINDS: compiled.get((KINDS, reduced), partial(_kinds, reduced, read.columns)),
        DAYS: compiled.get((DAYS, reduced), partial(_days, reduced)),
    }
    texts = "".join(said.text for said in (read, *kept.values()))
    mark = sha256(f"{texts}{accelerators}".encode()).hexdigest()
    live, stood = _deliveries(backend, refund_owners.COUNTED), _standing(backend, mark)
    if stood is None:
        _empty(backend, kept, mark)
    if live != stood:
        backend.con.execute(f"CREATE OR REPLACE TABLE {READ} AS {read.text}")
        _replace(backend, (stood or set()) - live, sorted(live - (stood or set())), kept)
    backend.con.execute(f"CREATE OR REPLACE VIEW usage_types AS FROM {READ}")
    backend.con.execute(
        f"CREATE OR REPLACE VIEW charge_kinds AS SELECT * EXCLUDE (delivery) FROM {KINDS}"
    )
    stored = ", ".join(STORED)
    backend.con.execute(
        f"CREATE OR REPLACE VIEW billed_days AS SELECT * EXCLUDE ({stored}) FROM {DAYS}"
    )


def _usage_types(reduced: Mapping[str, str]) -> CompiledSql:
    lines_ = ibis.table(ibis.schema(dict(reduced)), name="spend_reduced")
    known = ibis.table(ibis.schema(dict(contract_tables.COLUMNS["catalog"])), name="catalog")
    return rendering.render(usage_types(lines_, known))


def _kinds(reduced: Mapping[str, str], read: Mapping[str, str]) -> CompiledSql:
    """Compiled apart from `usage_types`: one query would store every line to read it twice."""
    return rendering.render(charge_kinds(_due(reduced), ibis.table(dict(read), name=READ)))


def _days(reduced: Mapping[str, str]) -> CompiledSql:
    return rendering.render(billed_days(_due(reduced)))


def _due(reduced: Mapping[str, str]) -> ir.Table:
    return ibis.table({"delivery": "int32", "source": "string", **reduced}, name=DUE)


def _standing(backend: Backend, mark: str) -> set[str] | None:
    """Returns the deliveries whose rows are kept; None where other code computed them."""
    query = "SELECT 1 FROM duckdb_tables() WHERE table_name = ? AND comment = ?"
    alike = backend.con.execute(query, [KINDS, mark]).fetchall()
    return _deliveries(backend, KINDS) if alike else None


def _empty(backend: Backend, kept: Mapping[str, CompiledSql], mark: str) -> None:
    """Creates empty tables. The comment that makes them valid is written last."""
    for table, said in kept.items():
        backend.con.execute(f"DROP TABLE IF EXISTS {table}")
        backend.create_table(table, schema=ibis.schema({**said.columns, "delivery": "string"}))
    backend.con.execute(f"COMMENT ON TABLE {KINDS} IS '{mark}'")


def _deliveries(backend: Backend, table: str) -> set[str]:
    found = backend.con.execute(f"SELECT DISTINCT delivery FROM {table}").fetchall()
    return {delivery for (delivery,) in found}


def _replace(
    backend: Backend, gone: set[str], due: list[str], kept: Mapping[str, CompiledSql]
) -> None:
    """Replaces rows in all tables or, where the process ends meanwhile, in none."""
    backend.con.begin()
    for table in kept:
        backend.con.execute(f"DELETE FROM {table} WHERE delivery IN (FROM unnest(?))", [[*gone]])
    if due:
        _add(backend, due, kept)
    backend.con.commit()


def _add(backend: Backend, due: list[str], kept: Mapping[str, CompiledSql]) -> None:
    """Adds rows of deliveries, grouped by their number in `due`: marks are long to group by."""
    marks = ", ".join(f"'{mark}'" for mark in due)
    backend.con.execute(
        f"CREATE OR REPLACE VIEW {DUE} AS SELECT * "
        f"REPLACE (list_position([{marks}], delivery) AS delivery) "
        f"FROM {refund_owners.COUNTED} WHERE delivery IN ({marks})"
    )
    for table, said in kept.items():
        backend.con.execute(
            f"INSERT INTO {table} BY NAME "
            f"SELECT * REPLACE ([{marks}][delivery] AS delivery) FROM ({said.text})"
        )
    backend.con.execute(f"DROP VIEW {DUE}")
