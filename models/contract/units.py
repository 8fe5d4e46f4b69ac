"""Names the units in which work is counted: epochs, tokens or samples (METHOD §1, §3.4).

Columns named `epochs`, `credited_epochs`, `cost_per_epoch`, … count the unit of their kind of work;
the column `unit` beside them says which. Null where rows of several units are summed.
"""

from __future__ import annotations

from collections.abc import Iterable

EPOCH, TOKENS, SAMPLES = "epoch", "billion_tokens", "million_samples"
UNITS = (EPOCH, TOKENS, SAMPLES)
"""In the order in which the unit of a kind is chosen."""
PLURAL = {EPOCH: "epochs", TOKENS: "billions of tokens", SAMPLES: "millions of samples"}
A = {EPOCH: "an epoch", TOKENS: "a billion tokens", SAMPLES: "a million samples"}
PRICES = {"cost_per_million_samples": SAMPLES, "cost_per_billion_tokens": TOKENS}
"""Columns of what a run pays for each of these, whatever its unit is."""
PER = {EPOCH: "per epoch", TOKENS: "per billion tokens", SAMPLES: "per million samples"}


def plural(unit: str | None) -> str:
    """Names a unit in the plural: `billions of tokens`; `units` for None."""
    return PLURAL.get(unit or "", "units")


def one(unit: str | None) -> str:
    """Names a unit with its article: `a billion tokens`; `a unit` for None."""
    return A.get(unit or "", "a unit")


def per(unit: str | None) -> str:
    """Names a unit as a price's divisor: `per billion tokens`; `per unit` for None."""
    return PER.get(unit or "", "per unit")


def shared(units: Iterable[str | None]) -> str | None:
    """Returns the unit that units share, ignoring None: `epoch` if none, None if they differ."""
    found = {unit for unit in units if unit is not None} or {EPOCH}
    return found.pop() if len(found) == 1 else None
