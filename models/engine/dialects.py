"""Where expressions run, and what each engine cannot say.

DuckDB runs everything. What reduces delivered lines (`formats`, `spend_reduced`) also compiles for
Spark, Athena and Trino. Expressions are compiled unbound: from the declared schemas alone, without
any data, so the SQL of a number is the same text for every reader.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import cast

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.operations as ops
import ibis.expr.schema as sch
import ibis.expr.types as ir
import sqlglot.expressions as sge
from ibis.backends.sql.compilers import (
    AthenaCompiler,
    DuckDBCompiler,
    PySparkCompiler,
    TrinoCompiler,
)
from ibis.backends.sql.compilers.base import SQLGlotCompiler
from ibis.common.exceptions import IbisError

from models import formats
from models.config import metrics
from models.config.settings import Settings, nearest
from models.contract import money, schema
from models.contract.errors import ConfigError, DialectError
from models.engine.compiled_sql import Compiled, Said
from models.engine.context import BuildContext
from models.formats import fields
from models.marts import MARTS, SPEND_REDUCED, Mart

Made = Callable[[ir.Table, str, Settings], ir.Table]
"""`rows` or `reduction`."""


class Speaks(SQLGlotCompiler):
    """What every engine of ours says otherwise than Ibis: the text under a key of a JSON object.

    Ibis would take a key such as `user:a.b` for a path, and calls a Python function on Spark.
    """

    FUNCTION = "json_extract_scalar"
    PATH = '$["{}"]'

    def visit_ScalarUDF(  # noqa: N802 - Ibis' name
        self, op: ops.ScalarUDF, **arguments: sge.Expression
    ) -> sge.Expression:
        """`json_text(text, key)` and `trunc(value)` in the engine's words."""
        if op.__func_name__ == fields.json_text.__name__:
            text, key = arguments.values()
            path = self.PATH.format(str(key.this).replace('"', '\\"'))
            return cast(sge.Expression, self.f[self.FUNCTION](text, sge.convert(path)))
        if op.__func_name__ == money.trunc.__name__:
            return self.truncated(*arguments.values())
        return cast(sge.Expression, super().visit_ScalarUDF(op, **arguments))

    def truncated(self, value: sge.Expression) -> sge.Expression:
        """A double without its fraction, however great."""
        return cast(sge.Expression, value - value % sge.convert(1))


class DuckDB(Speaks, DuckDBCompiler):
    """A map's value by one function, in half the time of Ibis' two CASEs around a list."""

    FUNCTION = "json_extract_string"
    PATH = '$."{}"'

    def truncated(self, value: sge.Expression) -> sge.Expression:
        """By its own function, in a tenth of the time."""
        return cast(sge.Expression, self.f.anon.trunc(value))

    def visit_MapGet(  # noqa: N802 - Ibis' name
        self, op: ops.MapGet, *, arg: sge.Expression, key: sge.Expression, default: sge.Expression
    ) -> sge.Expression:
        """`map[key]`, null where it is absent."""
        found = self.f.map_extract_value(arg, key)
        absent = isinstance(default, sge.Null)
        return cast(sge.Expression, found if absent else self.f.coalesce(found, default))

    def visit_DropColumns(  # noqa: N802 - Ibis' name
        self, op: ops.DropColumns, *, parent: sge.Expression, columns_to_drop: frozenset[str]
    ) -> sge.Expression:
        """In one order: a set has another in each process, and a new text reduces every bill."""
        ordered = sorted(columns_to_drop)
        return cast(
            sge.Expression, super().visit_DropColumns(op, parent=parent, columns_to_drop=ordered)
        )


class Spark(Speaks, PySparkCompiler):
    """Literals without asking for options that only exist once PySpark was imported."""

    FUNCTION = "get_json_object"
    PATH = "$['{}']"
    WHOLE = dt.Decimal(28, 0)
    MINUTE = "([T ][0-9]{1,2}:[0-9]{2})(Z|[ +-].*)?$"
    """The end of a text that is a time without seconds, which Spark does not read."""

    def visit_NonNullLiteral(  # noqa: N802 - Ibis' name
        self, op: ops.Literal, *, value: object, dtype: dt.DataType
    ) -> sge.Expression:
        """Numbers as they are."""
        said = SQLGlotCompiler if dtype.is_floating() else PySparkCompiler
        return cast(sge.Expression, said.visit_NonNullLiteral(self, op, value=value, dtype=dtype))

    def visit_Cast(  # noqa: N802 - Ibis' name
        self, op: ops.Cast, *, arg: sge.Expression, to: dt.DataType
    ) -> sge.Expression:
        """A double becomes a decimal as in DuckDB: scaled, rounded half away from zero, then exact.

        Spark's own cast rounds the shortest text of the double, which may be a tie where it is not.
        """
        if op.arg.dtype.is_string() and to.is_timestamp():
            arg = self.f.anon.regexp_replace(arg, sge.convert(self.MINUTE), sge.convert("$1:00$2"))
        if not (op.arg.dtype.is_float64() and to.is_decimal() and to.scale):
            return cast(sge.Expression, super().visit_Cast(op, arg=arg, to=to))
        units = self.f.round(arg * sge.convert(10**to.scale))
        exact = self.cast(self.cast(units, dt.int64), self.WHOLE)
        fits = self.f.abs(units) < sge.convert(2**63 - 2**10)
        whole = self.if_(fits, exact, self.cast(units, self.WHOLE))
        unit = self.cast(f"{Decimal(1).scaleb(-to.scale):f}", dt.Decimal(to.scale, to.scale))
        return cast(sge.Expression, self.cast(whole * unit, to))

    def visit_Field(  # noqa: N802 - Ibis' name
        self, op: ops.Field, *, rel: sge.Expression, name: str
    ) -> sge.Expression:
        """A column as it is."""
        return cast(sge.Expression, SQLGlotCompiler.visit_Field(self, op, rel=rel, name=name))


class Athena(Speaks, AthenaCompiler):
    """As Trino."""


class Trino(Speaks, TrinoCompiler):
    """Nothing more."""


COMPILERS: dict[str, SQLGlotCompiler] = {
    "duckdb": DuckDB(),
    "spark": Spark(),
    "athena": Athena(),
    "trino": Trino(),
}


def inputs(settings: Settings) -> dict[str, Mapping[str, str]]:
    """The columns and types of what every mart stands on."""
    fixed = {**schema.CONFIG, **schema.BESIDE, **schema.DELIVERED}
    return fixed | {"charges": schema.expanded(schema.CHARGES, settings.tags.extra)}


def texts(settings: Settings, known: Compiled) -> dict[str, Said]:
    """Every mart in DuckDB's SQL, in order; compiled where `known` does not know it."""
    columns = inputs(settings)
    said: dict[str, Said] = {}
    for mart in (SPEND_REDUCED, *MARTS):
        said[mart.__name__] = _said(mart, columns, settings, known)
        columns[mart.__name__] = said[mart.__name__].columns
    return said


def reduced_columns(settings: Settings, known: Compiled) -> Mapping[str, str]:
    """The columns of `spend_reduced` and their types."""
    return _said(SPEND_REDUCED, inputs(settings), settings, known).columns


def _said(
    mart: Mart, columns: Mapping[str, Mapping[str, str]], settings: Settings, known: Compiled
) -> Said:
    about = ("mart", mart.__name__, [columns[name] for name in _tables(mart)])
    return known.said_of(about, settings, partial(_made, mart, columns))


def _made(mart: Mart, columns: Mapping[str, Mapping[str, str]], settings: Settings) -> Said:
    known = {name: ibis.schema(columns[name]) for name in _tables(mart)}
    return spoken(mart(**arguments(mart, known, settings)))


def _tables(mart: Mart) -> list[str]:
    return [name for name in inspect.signature(mart).parameters if name != "settings"]


def spoken(expression: ir.Table, dialect: str = "duckdb") -> Said:
    """The expression in an engine's words, with its columns."""
    columns = {name: str(dtype) for name, dtype in expression.schema().items()}
    return Said(sql(expression, dialect), columns)


def plan(settings: Settings) -> dict[str, ir.Table]:
    """Every mart as an expression over unbound tables named like its inputs, in order."""
    known = {name: ibis.schema(columns) for name, columns in inputs(settings).items()}
    expressions: dict[str, ir.Table] = {}
    for mart in (SPEND_REDUCED, *MARTS):
        expression = mart(**arguments(mart, known, settings))
        known[mart.__name__] = expression.schema()
        expressions[mart.__name__] = expression
    return expressions


def arguments(
    mart: Mart, known: Mapping[str, sch.Schema], settings: Settings
) -> dict[str, ir.Table | Settings]:
    """The tables a mart's parameters name, unbound; and the settings where it asks for them."""
    return {
        name: settings if name == "settings" else ibis.table(known[name], name=name)
        for name in inspect.signature(mart).parameters
    }


def named(name: str, settings: Settings, dialect: str) -> str:
    """The SQL of a mart; `ConfigError` for a name that is none."""
    expressions = plan(settings)
    if name not in expressions:
        remedy = nearest(name, expressions)
        raise ConfigError("no number of this name", value=name, remedy=remedy)
    return sql(expressions[name], dialect)


def reduction(lines: ir.Table, format_name: str, settings: Settings) -> ir.Table:
    """`spend_reduced` over delivered lines of one format."""
    labels = metrics.meaning(settings)
    if condensed := formats.CONDENSED.get(format_name):
        lines = condensed(lines, labels)
    return SPEND_REDUCED(formats.named(format_name).rows(lines, labels))


def rows(lines: ir.Table, format_name: str, settings: Settings) -> ir.Table:
    """Delivered lines of one format in the contract's columns."""
    return formats.named(format_name).rows(lines, metrics.meaning(settings))


def delivered(
    context: BuildContext,
    made: Made,
    lines: ir.Table,
    format_name: str,
    dialect: str = "duckdb",
) -> str:
    """The SQL of `rows` or `reduction` over a table of delivered lines, by its name and columns."""
    settings, name, columns = context.settings, lines.get_name(), lines.schema()
    about = (made.__name__, name, format_name, str(columns), metrics.meaning(settings), dialect)
    unbound = ibis.table(columns, name=name)
    said = context.compiled.said(
        about, lambda: spoken(made(unbound, format_name, settings), dialect)
    )
    return said.text


def sql(expression: ir.Table, dialect: str = "duckdb") -> str:
    """The expression in an engine's words; `DialectError` where it has none."""
    compiler = COMPILERS[dialect]
    try:
        tree = compiler.to_sqlglot(expression.unbind())
        return str(tree.sql(dialect=compiler.dialect, pretty=True))
    except (IbisError, NotImplementedError, TypeError) as error:
        raise DialectError(
            f"{dialect} cannot say this number",
            value=str(error).splitlines()[0] if str(error) else type(error).__name__,
            remedy="use --dialect duckdb: only spend_reduced must run everywhere",
        ) from None
