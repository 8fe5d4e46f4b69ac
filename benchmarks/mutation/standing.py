"""A mutant stands in the place of a module while its tests run."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import _lru_cache_wrapper, cached_property
from types import FunctionType, ModuleType
from typing import Any

OURS = ("models", "ingest", "dashboard", "tests")


@contextmanager
def standing(module: ModuleType, source: str) -> Iterator[None]:
    """The module's functions and constants are the mutant's, wherever they were imported."""
    before = dict(vars(module))
    mutated = dict(before)
    exec(compile(ast.parse(source), str(module.__file__), "exec", dont_inherit=True), mutated)
    functions = dict(_functions(before, mutated))
    others = [vars(other) for other in ours(*OURS)]
    plain = [
        (names, name, before[name], value)
        for name, value in mutated.items()
        if not isinstance(value, type | ModuleType) and not name.startswith("__")
        if not _function(value)
        for names in others
        if name in before and names.get(name) is before[name]
    ]
    originals = {function: _body(function) for function in functions}
    for function, new in functions.items():
        function.__code__, function.__defaults__, function.__kwdefaults__ = _body(new)
    for names, name, _, value in plain:
        names[name] = value
    try:
        yield
    finally:
        for function, body in originals.items():
            function.__code__, function.__defaults__, function.__kwdefaults__ = body
        for names, name, old, _ in plain:
            names[name] = old


def ours(*packages: str) -> list[ModuleType]:
    """The modules of some packages, as they are imported by now."""
    return [m for name, m in [*sys.modules.items()] if name.partition(".")[0] in packages]


def _body(function: FunctionType) -> tuple[Any, Any, Any]:
    return function.__code__, function.__defaults__, function.__kwdefaults__


def _functions(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    for name, value in after.items():
        former = before.get(name)
        old, new = _function(former), _function(value)
        if old and new and new is not old:
            yield old, new
        if isinstance(value, type) and isinstance(former, type) and value is not former:
            yield from _functions(dict(vars(former)), dict(vars(value)))


def _function(value: object) -> FunctionType | None:
    """A function, or that of a property, of a method, or of what is remembered."""
    match value:
        case property():
            return _function(value.fget)
        case cached_property():
            return _function(value.func)
        case staticmethod() | classmethod():
            return _function(value.__func__)
        case _lru_cache_wrapper():
            return _function(value.__wrapped__)
        case FunctionType():
            return value
    return None
