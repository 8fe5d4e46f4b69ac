"""The units in which work of a kind can be counted: epochs, tokens or samples (METHOD §1, §3.4).

Columns named `epochs`, `credited_epochs`, `cost_per_epoch`, … count the unit of their kind.
"""

from __future__ import annotations

from typing import cast

import ibis
import ibis.expr.types as ir

from models.contract.units import EPOCH, PLURAL, SAMPLES, TOKENS, A

SIZE = {EPOCH: "1", TOKENS: "0.000000001", SAMPLES: "0.000001"}
"""How many units one of its counter is: a token is a billionth of a billion tokens."""
MEASURES = {EPOCH: "epochs", TOKENS: "tokens", SAMPLES: "samples"}
"""The column that counts each unit's measure, before it is converted."""
TOLERANCE = 0.01
"""Of the samples per epoch, within which epochs have the same size."""


def plural_names(unit: ir.Value) -> ir.Value:
    """Converts a column of units to words in the plural: `billions of tokens`."""
    return ibis.cases(*((unit == name, words) for name, words in PLURAL.items()))


def singular_names(unit: ir.Value) -> ir.Value:
    """Converts a column of units to words with an article: `a billion tokens`."""
    return ibis.cases(*((unit == name, words) for name, words in A.items()))


def same_size(given: ir.Value, reference: ir.Value) -> ir.BooleanValue:
    """Returns the condition that samples per epoch are within 1 % of a reference, or both null."""
    near = (given - reference).abs() <= reference * TOLERANCE
    return cast(ir.BooleanValue, ibis.coalesce(near, given.isnull() & reference.isnull()))


def made_progress(rows: ir.Table) -> ir.BooleanValue:
    """Returns the condition that a row has epochs, tokens or samples above 0."""
    return ibis.or_(*((rows[name] > 0).fill_null(False) for name in MEASURES.values()))
