"""Compiles an Ibis expression to SQL text of one dialect.

An expression is rendered from the declared schemas alone, without any data, so the SQL of a number
is the same text for every reader.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir
from ibis.common.exceptions import IbisError

from models.contract.errors import DialectError
from models.engine.sql.compilers import COMPILERS
from models.engine.sql.sql_cache import CompiledSql

# merging nested SELECTs takes a fifth of compiling, and repeats in the text what several columns
# use; DuckDB merges them itself
ibis.options.sql.fuse_selects = False


def render(expression: ir.Table, dialect: str = "duckdb") -> CompiledSql:
    """Compiles an Ibis expression to SQL of one dialect, with its columns and types."""
    columns = {name: str(dtype) for name, dtype in expression.schema().items()}
    return CompiledSql(sql(expression, dialect), columns)


def sql(expression: ir.Table, dialect: str = "duckdb") -> str:
    """Compiles an Ibis expression to SQL of one dialect; `DialectError` if it cannot."""
    compiler = COMPILERS[dialect]
    try:
        tree = compiler.to_sqlglot(expression.unbind())
        return str(tree.sql(dialect=compiler.dialect, pretty=True))
    except (IbisError, NotImplementedError, TypeError) as error:
        raise DialectError(
            f"{dialect} cannot compute this table",
            value=str(error).splitlines()[0] if str(error) else type(error).__name__,
            remedy="use --dialect duckdb, which has every table",
        ) from None
