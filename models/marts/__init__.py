"""The marts: tables of figures that pages read, one per file, each a pure function of tables.

In: `charges`, `progress` and `prices`, the config, and marts made before. Out: the published marts
and the steps on the way to them.

A function's parameters name its inputs: another mart, `charges`, `progress`, `prices`, a table of
`models.contract.schema.CONFIG` or `BESIDE`, or `settings`. Only `SPEND_REDUCED` reads delivered
lines; every later table is small. Each package is a chapter of METHOD and lists its marts; `MARTS`
is all of them in order of dependence. Between marts, plain Python computes a few tables that no SQL
expression can (`models.engine.mart_runner.STEPS`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cache

import ibis.expr.types as ir

from models.marts.baseline import BASELINE
from models.marts.cost import COST
from models.marts.cost.charges.spend_reduced import spend_reduced
from models.marts.months import MONTHS
from models.marts.savings import SAVINGS
from models.marts.trust import TRUST
from models.marts.work import WORK

Mart = Callable[..., ir.Table]


@cache
def inputs_of(mart: Mart) -> tuple[str, ...]:
    """Returns the names of the tables that a mart reads (and `settings`)."""
    return tuple(inspect.signature(mart).parameters)


def in_order(marts: Iterable[Mart]) -> tuple[Mart, ...]:
    """Sorts marts so that each comes after the marts it reads; otherwise the order stays.

    Raises `ValueError` where two marts read each other.
    """
    left = {mart.__name__: (mart, {*inputs_of(mart)}) for mart in marts}
    ordered: list[Mart] = []
    while left:
        ready = next((name for name, (_, inputs) in left.items() if not inputs & left.keys()), None)
        if ready is None:
            raise ValueError(f"marts read each other: {sorted(left)}")
        ordered.append(left.pop(ready)[0])
    return tuple(ordered)


SPEND_REDUCED: Mart = spend_reduced
MARTS = in_order((*COST, *WORK, *BASELINE, *SAVINGS, *MONTHS, *TRUST))
