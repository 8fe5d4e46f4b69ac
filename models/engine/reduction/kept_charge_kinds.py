"""`usage_types`, and `charge_kinds` and `billed_days` of each delivery, kept beside its lines.

What a charge is (METHOD §2.1) rests on its own texts and the catalogue alone. So rows stay from
build to build until the delivery, our code or the catalogue changes, as reduced lines do.
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

USAGE_TYPES, CHARGE_KINDS, DAYS = "reduced_usages", "reduced_kinds", reduced_lines.DAYS
"""The tables; their views bear the names of the marts, which another version may drop."""
DUE = "reduced_lines_due"


def update(context: BuildContext) -> None:
    """Updates `usage_types`, `charge_kinds` and `billed_days` for deliveries that changed."""
    backend, cache = context.backend, context.sql_cache
    accelerators = contract_tables.fill_catalog(backend)
    reduced = mart_sql.reduced_columns(context.settings, cache)
    usage = cache.get((USAGE_TYPES, reduced), partial(_usage_types, reduced))
    kept = {
        CHARGE_KINDS: cache.get((CHARGE_KINDS, reduced), partial(_kinds, reduced, usage.columns)),
        DAYS: cache.get((DAYS, reduced), partial(_days, reduced)),
    }
    texts = "".join(compiled.text for compiled in (usage, *kept.values()))
    version = sha256(f"{texts}{accelerators}".encode()).hexdigest()
    live = _deliveries(backend, refund_owners.COUNTED)
    stored_for = _stored_deliveries(backend, version)
    if stored_for is None:
        _empty(backend, kept, version)
    if live != stored_for:
        backend.con.execute(f"CREATE OR REPLACE TABLE {USAGE_TYPES} AS {usage.text}")
        _replace(backend, (stored_for or set()) - live, sorted(live - (stored_for or set())), kept)
    backend.con.execute(f"CREATE OR REPLACE VIEW usage_types AS FROM {USAGE_TYPES}")
    backend.con.execute(
        f"CREATE OR REPLACE VIEW charge_kinds AS SELECT * EXCLUDE (delivery) FROM {CHARGE_KINDS}"
    )
    stored = ", ".join(STORED)
    backend.con.execute(
        f"CREATE OR REPLACE VIEW billed_days AS SELECT * EXCLUDE ({stored}) FROM {DAYS}"
    )


def _usage_types(reduced: Mapping[str, str]) -> CompiledSql:
    lines = ibis.table(ibis.schema(dict(reduced)), name="spend_reduced")
    catalog = ibis.table(ibis.schema(dict(contract_tables.COLUMNS["catalog"])), name="catalog")
    return rendering.render(usage_types(lines, catalog))


def _kinds(reduced: Mapping[str, str], usage: Mapping[str, str]) -> CompiledSql:
    """Compiled apart from `usage_types`: one query would store every line to usage it twice."""
    return rendering.render(charge_kinds(_due(reduced), ibis.table(dict(usage), name=USAGE_TYPES)))


def _days(reduced: Mapping[str, str]) -> CompiledSql:
    return rendering.render(billed_days(_due(reduced)))


def _due(reduced: Mapping[str, str]) -> ir.Table:
    return ibis.table({"delivery": "int32", "source": "string", **reduced}, name=DUE)


def _stored_deliveries(backend: Backend, version: str) -> set[str] | None:
    """Returns the deliveries whose rows are kept; None where other code computed them."""
    query = "SELECT 1 FROM duckdb_tables() WHERE table_name = ? AND comment = ?"
    valid = backend.con.execute(query, [CHARGE_KINDS, version]).fetchall()
    return _deliveries(backend, CHARGE_KINDS) if valid else None


def _empty(backend: Backend, kept: Mapping[str, CompiledSql], version: str) -> None:
    """Creates empty tables. The comment that makes them valid is written last."""
    for table, compiled in kept.items():
        backend.con.execute(f"DROP TABLE IF EXISTS {table}")
        backend.create_table(table, schema=ibis.schema({**compiled.columns, "delivery": "string"}))
    backend.con.execute(f"COMMENT ON TABLE {CHARGE_KINDS} IS '{version}'")


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
    marks = ", ".join(f"'{version}'" for version in due)
    backend.con.execute(
        f"CREATE OR REPLACE VIEW {DUE} AS SELECT * "
        f"REPLACE (list_position([{marks}], delivery) AS delivery) "
        f"FROM {refund_owners.COUNTED} WHERE delivery IN ({marks})"
    )
    for table, compiled in kept.items():
        backend.con.execute(
            f"INSERT INTO {table} BY NAME "
            f"SELECT * REPLACE ([{marks}][delivery] AS delivery) FROM ({compiled.text})"
        )
    backend.con.execute(f"DROP VIEW {DUE}")
