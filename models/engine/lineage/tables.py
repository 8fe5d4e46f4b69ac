"""Builds the Ibis expressions that lineage traces: marts and the division of machines."""

from __future__ import annotations

from collections.abc import Container
from graphlib import TopologicalSorter

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.engine.lineage.shared_machines import TABLES, counted_charges
from models.engine.sql import mart_sql
from models.marts import MARTS, SPEND_REDUCED, inputs_of


def plan(settings: Settings, names: Container[str]) -> dict[str, ir.Table]:
    """Maps each of some tables to its Ibis expression; what they read must be among them."""
    functions = {name: function for name, (function, _) in TABLES.items()}
    functions |= {SPEND_REDUCED.__name__: counted_charges}
    functions |= {mart.__name__: mart for mart in MARTS}
    schemas = {name: ibis.schema(each) for name, each in mart_sql.input_columns(settings).items()}
    expressions: dict[str, ir.Table] = {}
    reads = {name: {*inputs_of(made)} & functions.keys() for name, made in functions.items()}
    for name in TopologicalSorter(reads).static_order():
        if name in names:
            made = functions[name]
            expressions[name] = made(**mart_sql.arguments(made, schemas, settings))
            schemas[name] = expressions[name].schema()
    return expressions
