"""Traces the input columns behind a column of an Ibis expression, without running it.

The expression is read and never run. A column comes from the columns that it is computed from, and
from those that decide which rows there are: filters, join keys, groups.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import ibis.expr.operations as ops
import ibis.expr.types as ir


class ColumnTrace:
    """Collects the input columns from which columns of an Ibis expression are computed.

    `inputs` maps each table to its columns, and grows with each call. A table from which only the
    number of rows matters (a count, a cross join) is in it with no column.
    """

    def __init__(self, expression: ir.Table) -> None:
        self.inputs: defaultdict[str, set[str]] = defaultdict(set)
        self._relation: ops.Relation = expression.op()
        self._seen: set[tuple[ops.Relation, str | None]] = set()
        self._rows(self._relation)

    def add(self, column: str) -> None:
        """Adds to `inputs` the input columns behind one more column of the expression."""
        self._column(self._relation, column)

    def _column(self, relation: ops.Relation, name: str) -> None:
        if (relation, name) in self._seen:
            return
        self._seen.add((relation, name))
        self._rows(relation)
        if isinstance(relation, ops.PhysicalTable):
            self.inputs[relation.name].add(name)
        elif isinstance(relation, ops.Set):
            self._column(relation.left, name)
            self._column(relation.right, name)
        elif (value := _computed(relation, name)) is not None:
            self._value(value)
        elif isinstance(getattr(relation, "parent", None), ops.Relation):
            self._column(relation.parent, name)

    def _rows(self, relation: ops.Relation) -> None:
        """Adds to `inputs` the columns that decide an Ibis relation's rows (filters, joins, …)."""
        if (relation, None) in self._seen:
            return
        self._seen.add((relation, None))
        if isinstance(relation, ops.PhysicalTable):
            self.inputs[relation.name].update()
        for value in _row_conditions(relation):
            self._value(value)
        for parent in _parents(relation):
            self._rows(parent)

    def _value(self, value: object) -> None:
        """Adds to `inputs` every input column that an Ibis value is computed from."""
        if isinstance(value, ops.Field):
            self._column(value.rel, value.name)
        elif isinstance(value, ops.Subquery):
            for name in () if isinstance(value, ops.ExistsSubquery) else value.rel.schema:
                self._column(value.rel, name)
            self._rows(value.rel)
            self._value(getattr(value, "needle", None))
        elif isinstance(value, ops.Relation):
            self._rows(value)
        else:
            for part in _parts(value):
                self._value(part)


def _computed(relation: ops.Relation, name: str) -> object | None:
    """Returns the value that computes a relation's column; None if its parent has the column."""
    if isinstance(relation, ops.Aggregate):
        return cast(object, {**relation.groups, **relation.metrics}[name])
    if isinstance(relation, ops.TableUnnest):
        own = name in (relation.column_name, relation.offset)
        return cast(object, relation.column) if own else None
    if isinstance(relation, (ops.Project, ops.JoinChain, ops.DummyTable)):
        return cast(object, relation.values[name])
    return None


def _row_conditions(relation: ops.Relation) -> Iterator[Any]:
    """Yields the Ibis values that decide a relation's rows: filters, group, sort and join keys."""
    if isinstance(relation, ops.Filter):
        yield from relation.predicates
    elif isinstance(relation, ops.Aggregate):
        yield from relation.groups.values()
    elif isinstance(relation, ops.Sort):  # under a limit the order decides which rows stay
        yield from relation.keys
    elif isinstance(relation, ops.TableUnnest):
        yield relation.column
    elif isinstance(relation, ops.JoinChain):
        yield from (predicate for link in relation.rest for predicate in link.predicates)
    elif _compares_whole_rows(relation):
        for parent in _parents(relation):
            yield from (ops.Field(parent, name) for name in parent.schema)


def _compares_whole_rows(relation: ops.Relation) -> bool:
    if isinstance(relation, ops.Union):
        return bool(relation.distinct)
    return isinstance(relation, (ops.Set, ops.Distinct, ops.DropNull))


def _parents(relation: ops.Relation) -> Iterator[ops.Relation]:
    if isinstance(relation, ops.JoinChain):
        yield relation.first
        yield from (link.table for link in relation.rest)
    elif isinstance(relation, ops.Set):
        yield from (relation.left, relation.right)
    elif isinstance(getattr(relation, "parent", None), ops.Relation):
        yield relation.parent


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, ops.Node):
        return cast(Iterable[object], value.__args__)
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, tuple) else ()
