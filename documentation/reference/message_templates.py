"""Writes the text of a message as its code has it: values that differ stand in angle brackets."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from types import ModuleType

PASSED_ON = {
    *("shown", "without_credentials", "shorten", "str", "place", "ascii", "min", "max"),
    *("len", "next", "sum", "int", "describe_location", "format_dollars", "_display_name"),
}
"""Functions that give back their first argument, written in another way, or a part of it."""
NEAREST = "did you mean <known>? / known: <known>"
"""What the function `nearest` advises."""


class Scope:
    """Looks up the text of names in a function: module constants and its own variables."""

    def __init__(self, module: ModuleType, function: ast.FunctionDef | None) -> None:
        self.module = module
        self.parameters = [arg.arg for arg in function.args.args] if function else []
        self._own: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function) if function else ():
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._own.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
                self._unpack(node.targets[0], node.value)

    def _unpack(self, names: ast.Tuple, values: ast.expr) -> None:
        for number, name in enumerate(names.elts):
            if isinstance(name, ast.Name) and isinstance(values, ast.Tuple):
                self._own.setdefault(name.id, []).append(values.elts[number])

    def written(self, node: ast.expr | None, given: Mapping[str, str] | None = None) -> str:
        """Returns an expression's text, with `<name>` for values that differ."""
        given = given or {}
        match node:
            case None | ast.Constant(value=None):
                return ""
            case ast.Constant(value=value):
                return str(value)
            case ast.JoinedStr(values=parts):
                return "".join(self.written(part, given) for part in parts)
            case ast.FormattedValue(value=value):
                return self.written(value, given)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.written(left, given) + self.written(right, given)
            case ast.IfExp(body=one, orelse=other):
                return _either(self.written(one, given), self.written(other, given))
        return self._looked_up(node, given)

    def _looked_up(self, node: ast.expr, given: Mapping[str, str]) -> str:
        """Returns the text of a name, attribute or call, or a `<name>` placeholder."""
        match node:
            case ast.BinOp(op=ast.Div(), right=name):  # a path: its last part says which file
                return self.written(name, given)
            case ast.BoolOp(values=parts):
                return _either(*(self.written(part, given) for part in parts))
            case ast.Name(id=name):
                return given.get(name) or self._named(name, given)
            case ast.Call(func=ast.Name(id="nearest")):
                return NEAREST
            case ast.Call(func=called, args=[first, *_]) if _last(called) in PASSED_ON:
                return self.written(first, given)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=apart), attr="join")):
                return self._joined(str(apart), node.args[0])
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                value = getattr(getattr(self.module, owner, None), name, None)
                return value if isinstance(value, str) else f"<{_last(node)}>"
        return self._any_of(node)

    def _joined(self, apart: str, node: ast.expr) -> str:
        """Returns a module constant's texts joined, or a `<name>` placeholder."""
        names = getattr(self.module, node.id, ()) if isinstance(node, ast.Name) else ()
        if names and all(isinstance(name, str) for name in names):
            return apart.join(names)
        return f"<{_last(node)}>"

    def _any_of(self, node: ast.expr) -> str:
        """Returns all texts of a constant from which a message takes one, or a placeholder."""
        match node:
            case ast.Call(func=ast.Attribute(value=template, attr="format")):
                return re.sub(r"{(\w+)}", r"<\1>", self._any_of(template))
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Attribute()):
                texts = getattr(self.module, name, None)
                if isinstance(texts, Mapping):
                    return _either(*texts.values())
        return f"<{_last(node)}>"

    def _named(self, name: str, given: Mapping[str, str]) -> str:
        """Returns a name's text: of its constant or what was assigned to it, or `<name>`."""
        value = getattr(self.module, name, None)
        if isinstance(value, str | int | float) and name not in self._own:
            return value if isinstance(value, str) else f"{value:g}"
        texts = [node for node in self._own.get(name, ()) if _is_text(node)]
        if texts and name not in self.parameters:
            inner = {key: f"<{key}>" for key in self._own} | dict(given)
            return _either(*(self.written(node, inner | {name: f"<{name}>"}) for node in texts))
        return f"<{name}>"


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return _is_text(node.body) or _is_text(node.orelse)
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "nearest"
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _either(*texts: str) -> str:
    return " / ".join(dict.fromkeys(text for text in texts if text))


def _last(node: ast.AST) -> str:
    """Returns the most telling word of an expression: last attribute, or function name."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_")
        case ast.Call(func=called):
            return _last(called)
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
            return key
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return _last(value)
        case ast.GeneratorExp(generators=[one, *_]) | ast.ListComp(generators=[one, *_]):
            return _last(one.iter)
        case _:
            return "…"
