"""A mutant stands in the place of a module while its tests run."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any


@contextmanager
def standing(module: ModuleType, source: str) -> Iterator[None]:
    """The module's functions and constants are the mutant's, wherever they were imported."""
    before = dict(vars(module))
    mutated = dict(before)
    exec(compile(ast.parse(source), str(module.__file__), "exec", dont_inherit=True), mutated)
    functions = dict(_functions(before, mutated))
    others = [vars(m) for n, m in list(sys.modules.items()) if n.startswith("models")]
    plain = [
        (names, name, before[name], value)
        for name, value in mutated.items()
        if not isinstance(value, FunctionType | type | ModuleType) and not name.startswith("__")
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


def _body(function: FunctionType) -> tuple[Any, Any, Any]:
    return function.__code__, function.__defaults__, function.__kwdefaults__


def _functions(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    for name, new in after.items():
        old = before.get(name)
        if isinstance(new, FunctionType) and isinstance(old, FunctionType) and new is not old:
            yield old, new
        if isinstance(new, type) and isinstance(old, type) and new is not old:
            yield from _functions(dict(vars(old)), dict(vars(new)))
