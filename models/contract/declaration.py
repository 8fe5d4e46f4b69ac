"""Decorators by which a table's function declares its grain, units, nulls and METHOD section.

A *mart* is published under its name and relied on from outside. A *step* is a table between the
bill and the marts that only the build reads. Both are functions from tables to a table, and both
declare the same. A few tables that an SQL expression cannot say are made in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])
Whose = Literal["workload", "run", "company"]
"""Who a row is about: one workload, one run of a workload, or the company as a whole."""


class Declaration(NamedTuple):
    """A table described in words: grain, units, nulls, METHOD section, and whom its rows are about.

    No field is empty. `grain` is what one row stands for, key columns first. `units` names the
    basis of dollars, hours, epochs. `nulls` says which columns can be null and what that means.
    `method` is the section of METHOD that defines the table, such as `§2.6`. `whose` says who may
    see a row.
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
    """Decorator that attaches a `Declaration` (grain, units, …) to a published table's function.

    See `Declaration` for the fields.
    """
    return _declaring(Declaration(grain, units, nulls, method, whose, published=True))


def step(
    *, grain: str, units: str, nulls: str, method: str, whose: Whose
) -> Callable[[Function], Function]:
    """Decorator that attaches a `Declaration` (grain, units, …) to an unpublished table's function.

    See `Declaration` for the fields.
    """
    return _declaring(Declaration(grain, units, nulls, method, whose, published=False))


def declaration(function: Callable[..., Any]) -> Declaration:
    """Returns the declaration of a `@mart` or `@step` function; else raises `AttributeError`."""
    declared: Declaration = function.__getattribute__("declaration")
    return declared


def _declaring(declared: Declaration) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        function.__dict__["declaration"] = declared
        return function

    return decorate
