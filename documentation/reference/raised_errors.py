"""Finds every error that a user can meet, from calls in the code that make error objects.

An error whose text comes in as a parameter is written once for each call that passes a text.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from documentation.reference.markdown import ROOT
from documentation.reference.message_templates import Scope
from models.contract import errors
from models.contract.errors import AuditError, BreakevenError

PACKAGES = ("breakeven", "dashboard", "ingest", "models")
CLASSES = {
    name: kind
    for name, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, BreakevenError)
}
USAGE = ("UsageError", "BadParameter")
"""What click raises for us: wrong usage, exit code 2."""
CHECKS = {"Fault": (1, 3), "Malformed": (0, 1), "_Found": (0, 1)}
"""What refuses a delivered file → where its problem and its remedy stand."""


OWN_WORDS, LEAST = re.compile(r"<[^>]*>|[^a-z]"), 4
"""An error with at most so many letters of its own is worded by whoever calls its function."""


class Raised(NamedTuple):
    """An error of the product: its class, text, value and remedy, and the file that raises it."""

    kind: str
    text: str
    value: str
    remedy: str
    file: str


class Made(NamedTuple):
    """A call in the code that makes an error, with the function and the file around it."""

    kind: str
    text: ast.expr | None
    value: ast.expr | None
    remedy: ast.expr | None
    function: ast.FunctionDef | None
    scope: Scope
    file: Path


@cache
def raised_errors() -> tuple[Raised, ...]:
    """Returns every error, by class and text, each text once."""
    return tuple(sorted({each for made in _all_made() for each in _written(made)}))


def _all_made() -> Iterator[Made]:
    for file, tree in _trees().items():
        for function, call in _calls(tree):
            if made := _made(call):
                yield Made(*made, function, Scope(_module(file), function), file)


def _made(call: ast.Call) -> tuple[str, ast.expr | None, ast.expr | None, ast.expr | None] | None:
    name = _called(call)
    named = {each.arg: each.value for each in call.keywords}
    if name == "AuditError":  # it has words of its own
        return name, ast.Constant(AuditError("<path>", ["<place>"]).problem), None, None
    if name in USAGE and call.args:
        return USAGE[0], call.args[0], None, None
    if name in CLASSES and call.args:
        return name, call.args[0], named.get("value"), named.get("remedy")
    if name in CHECKS and len(call.args) > max(CHECKS[name]):
        text, remedy = (call.args[place] for place in CHECKS[name])
        return "InputError", text, None, remedy
    return None


def _written(made: Made) -> Iterator[Raised]:
    """Yields an error for a call, or one for each text that callers of its function pass."""
    file = str(made.file.relative_to(ROOT))
    for given in _passed(made) or [{}]:
        text, value, remedy = (
            made.scope.written(node, given) for node in (made.text, made.value, made.remedy)
        )
        yield Raised(made.kind, " ".join(text.split()), value, remedy, file)


def _passed(made: Made) -> list[dict[str, str]]:
    """Lists the texts that callers pass to a function, where its own error text says little."""
    text = made.scope.written(made.text)
    if made.function is None or len(OWN_WORDS.sub("", text)) > LEAST:
        return []
    return [
        given
        for given in _given(made.function, made.file.parent)
        if any(f"<{n}>" in text for n in given)
    ]


def _given(function: ast.FunctionDef, folder: Path) -> Iterator[dict[str, str]]:
    names = [arg.arg for arg in function.args.args if arg.arg != "self"]
    near = (each for each in _trees().items() if each[0].is_relative_to(folder))
    for file, tree in near:
        for around, call in _calls(tree):
            if _called(call) == function.name:
                scope = Scope(_module(file), around)
                passed = zip(names, call.args, strict=False)
                texts = {name: scope.written(node) for name, node in passed}
                if any(text and not text.startswith("<") for text in texts.values()):
                    yield texts


def _called(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _calls(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef | None, ast.Call]]:
    """Yields each call of a module with the innermost function around it."""
    due: list[tuple[ast.FunctionDef | None, ast.AST]] = [(None, tree)]
    while due:
        around, node = due.pop()
        if isinstance(node, ast.Call):
            yield around, node
        inner = node if isinstance(node, ast.FunctionDef) else around
        due += [(inner, child) for child in ast.iter_child_nodes(node)]


@cache
def _trees() -> dict[Path, ast.Module]:
    files: Iterable[Path] = (f for name in PACKAGES for f in sorted((ROOT / name).rglob("*.py")))
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}


def _module(file: Path) -> ModuleType:
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
    return importlib.import_module(name.removesuffix(".__init__"))
