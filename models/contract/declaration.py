"""What a mart or a step on the way to one declares of itself, beside its code.

A *mart* is published under its name and relied on from outside. A *step* is a table between the
bill and the marts; only the build reads it. Both are functions from tables to a table (or, for the
few that an SQL expression cannot say, Python between two of them), and both declare the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Whose = Literal["workload", "run", "company"]
"""Who a row is about: one workload, one run of a workload, or the company as a whole."""


class Declaration(NamedTuple):
    """The contract of one table in words; no field is empty.

    `grain`: what one row stands for, key columns first. `units`: dollars on which basis, hours,
    epochs. `nulls`: which columns can be null and what that means. `method`: the section of METHOD
    that defines it, such as `§2.6`. `whose`: who may see a row.
    """

    grain: str
    units: str
    nulls: str
    method: str
    whose: Whose
    published: bool


def mart(
    *, grain: str, units: str, nulls: str, method: str, whose: Whose
) -> Callable[[Function], Function]:
    """Declares a published table; see `Declaration` for the fields."""
    return _declaring(Declaration(grain, units, nulls, method, whose, published=True))


def step(
    *, grain: str, units: str, nulls: str, method: str, whose: Whose
) -> Callable[[Function], Function]:
    """Declares a table that only the build reads; see `Declaration` for the fields."""
    return _declaring(Declaration(grain, units, nulls, method, whose, published=False))


def declaration(function: Callable[..., Any]) -> Declaration:
    """What the function declared; `AttributeError` where it declared nothing."""
    declared: Declaration = function.__getattribute__("declaration")
    return declared


def _declaring(declared: Declaration) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        function.__dict__["declaration"] = declared
        return function

    return decorate
