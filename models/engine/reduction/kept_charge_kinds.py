"""Stores the classification of charges, and the billed days, per delivery.

What a charge is (METHOD §2.2) depends only on its own texts and the catalogue. So these rows stay
from build to build until the delivery, our code or the catalogue changes, as reduced lines do.
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
from models.engine.reduction import charges_reversed_by_refunds, reduced_lines
from models.engine.sql import mart_sql, rendering
from models.engine.sql.sql_cache import CompiledSql
from models.engine.warehouse.table_columns import create_empty
from models.marts.cost.charges.charge_kinds import charge_kinds
from models.marts.cost.charges.usage_types import usage_types
from models.marts.cost.settled_days.billed_days import STORED, billed_days

USAGE_TYPES, CHARGE_KINDS, DAYS = "reduced_usages", "reduced_kinds", reduced_lines.DAYS
"""The tables; their views have the names of the marts, which another version may drop."""
DUE = "reduced_lines_due"


def update(context: BuildContext) -> None:
    """Updates the stored classification of charges, and billed days, for changed deliveries.

    They are the tables `usage_types`, `charge_kinds` and `billed_days`.
    """
    backend, cache = context.backend, context.sql_cache
    accelerators = contract_tables.fill_catalog(backend)
    reduced = mart_sql.reduced_columns(context.settings, cache)
    usage = cache.get((USAGE_TYPES, reduced), partial(_usage_types, reduced))
    charge_kind_tables = {
        CHARGE_KINDS: cache.get((CHARGE_KINDS, reduced), partial(_kinds, reduced, usage.columns)),
        DAYS: cache.get((DAYS, reduced), partial(_days, reduced)),
    }
    texts = "".join(compiled.text for compiled in (usage, *charge_kind_tables.values()))
    version = sha256(f"{texts}{accelerators}".encode()).hexdigest()
    live = _deliveries(backend, charges_reversed_by_refunds.COUNTED)
    stored_for = _stored_deliveries(backend, version)
    if stored_for is None:
        _empty(backend, charge_kind_tables, version)
    if live != stored_for:
        backend.con.execute(f"CREATE OR REPLACE TABLE {USAGE_TYPES} AS {usage.text}")
        _replace(
            backend,
            (stored_for or set()) - live,
            sorted(live - (stored_for or set())),
            charge_kind_tables,
        )
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
    """Compiles the SQL that classifies charges, apart from the SQL that parses usage types.

    A single query would store every line in order to use it twice.
    """
    return rendering.render(charge_kinds(_due(reduced), ibis.table(dict(usage), name=USAGE_TYPES)))


def _days(reduced: Mapping[str, str]) -> CompiledSql:
    return rendering.render(billed_days(_due(reduced)))


def _due(reduced: Mapping[str, str]) -> ir.Table:
    return ibis.table({"delivery": "int32", "source": "string", **reduced}, name=DUE)


def _stored_deliveries(backend: Backend, version: str) -> set[str] | None:
    """Returns the deliveries whose charge kinds are stored; None if other code computed them."""
    query = "SELECT 1 FROM duckdb_tables() WHERE table_name = ? AND comment = ?"
    valid = backend.con.execute(query, [CHARGE_KINDS, version]).fetchall()
    return _deliveries(backend, CHARGE_KINDS) if valid else None


def _empty(backend: Backend, charge_kind_tables: Mapping[str, CompiledSql], version: str) -> None:
    """Creates empty tables for charge kinds and billed days, in place of any earlier ones.

    They count as valid only once their comment is written, which comes last.
    """
    for table, compiled in charge_kind_tables.items():
        create_empty(backend, table, {**compiled.columns, "delivery": "string"})
    backend.con.execute(f"COMMENT ON TABLE {CHARGE_KINDS} IS '{version}'")


def _deliveries(backend: Backend, table: str) -> set[str]:
    found = backend.con.execute(f"SELECT DISTINCT delivery FROM {table}").fetchall()
    return {delivery for (delivery,) in found}


def _replace(
    backend: Backend, gone: set[str], due: list[str], charge_kind_tables: Mapping[str, CompiledSql]
) -> None:
    """Deletes stored rows of gone deliveries and adds those of new ones, in one transaction."""
    backend.con.begin()
    for table in charge_kind_tables:
        backend.con.execute(f"DELETE FROM {table} WHERE delivery IN (FROM unnest(?))", [[*gone]])
    if due:
        _add(backend, due, charge_kind_tables)
    backend.con.commit()


def _add(backend: Backend, due: list[str], charge_kind_tables: Mapping[str, CompiledSql]) -> None:
    """Computes and stores the charge kinds and billed days of deliveries.

    Rows are grouped by the place of their delivery in `due`, because the ids themselves are long
    texts to group by.
    """
    marks = ", ".join(f"'{version}'" for version in due)
    backend.con.execute(
        f"CREATE OR REPLACE VIEW {DUE} AS SELECT * "
        f"REPLACE (list_position([{marks}], delivery) AS delivery) "
        f"FROM {charges_reversed_by_refunds.COUNTED} WHERE delivery IN ({marks})"
    )
    for table, compiled in charge_kind_tables.items():
        backend.con.execute(
            f"INSERT INTO {table} BY NAME "
            f"SELECT * REPLACE ([{marks}][delivery] AS delivery) FROM ({compiled.text})"
        )
    backend.con.execute(f"DROP VIEW {DUE}")
