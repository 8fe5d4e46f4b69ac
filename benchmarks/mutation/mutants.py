"""Every small mistake that could stand in a file of ours: one changed operator, constant or call.

A mutant is a place in the file's syntax tree and what stands there instead. Texts are changed where
they decide something (compared, looked up, put into a column), not where they name a column:
another column's name fails in every build and would only flatter the score.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMBINED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip
SWAPPED = {
    "min": "max", "max": "min", "least": "greatest", "greatest": "least", "sum": "max",
    "any": "all", "all": "any", "isnull": "notnull", "notnull": "isnull", "first": "last",
    "last": "first", "left_join": "join", "lag": "lead", "lead": "lag", "floor": "ceil",
    "ceil": "floor", "desc": "asc", "asc": "desc",
    "semi_join": "anti_join", "anti_join": "semi_join", "median": "max", "argmax": "argmin",
    "cumsum": "cumprod", "rint": "floor", "minimum": "maximum", "nunique": "count",
}  # fmt: skip
DROPPED = {
    "filter", "distinct", "fill_null", "nullif", "abs", "round", "floor", "lower", "clip",
    "order_by", "identical_to", "sort",
}  # fmt: skip
UNWRAPPED = {"zero_if_null", "money", "rint", "sort"}
DECIDES = {"isin", "literal", "fill_null", "nullif", "re_search", "contains", "startswith"}
CHOOSES = {"ifelse", "cases", "coalesce"}
SHORTENED = {"coalesce", "union", "agg", "group_by", "cases"}
CHOSEN = 2
"""Arguments of which each is left out in turn."""
BESIDE = 24
"""Characters shown on either side of what changed."""


@dataclass(frozen=True)
class Mutant:
    """What stands at one node (in the order of `ast.walk`) of a file instead of what is there."""

    file: str
    line: int
    node: int
    way: int
    what: str

    @property
    def name(self) -> str:
        """Unique in all files."""
        return f"{self.file}: {self.what}"

    def source(self, root: Path) -> str:
        """The whole file with the mistake in it."""
        tree = ast.parse((root / self.file).read_text(encoding="utf-8"))
        old = list(ast.walk(tree))[self.node]
        (_, new) = list(_ways(old, _parents(tree)))[self.way]
        return ast.unparse(ast.fix_missing_locations(_Replaced(old, new).visit(tree)))


def mutants(root: Path, file: str) -> list[Mutant]:
    """Of one file, in the order of its tree."""
    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    parents = _parents(tree)
    skipped = {id(inner) for node in ast.walk(tree) for inner in _unread(node)}
    seen: Counter[str] = Counter()
    found = []
    for place, node in enumerate(ast.walk(tree)):
        for way, (what, _) in enumerate(() if id(node) in skipped else _ways(node, parents)):
            what = f"{_function(node, parents)}: {what}"
            seen[what] += 1
            again = f" #{seen[what]}" if seen[what] > 1 else ""
            found.append(Mutant(file, getattr(node, "lineno", 0), place, way, what + again))
    return found


class _Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def _parents(tree: ast.AST) -> dict[int, ast.AST]:
    return {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _unread(node: ast.AST) -> Iterator[ast.AST]:
    """Annotations, decorators and the fields of classes: nothing in them is computed.

    `strict` of `zip` refuses lists of two lengths that the file itself writes: it changes no row.
    """
    if isinstance(node, ast.FunctionDef) and node.returns:
        yield from ast.walk(node.returns)
    if isinstance(node, ast.FunctionDef):
        for decorator in node.decorator_list:
            yield from ast.walk(decorator)
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
        yield from ast.walk(node.annotation)
    if isinstance(node, ast.keyword) and node.arg == "strict":
        yield node.value
    if isinstance(node, ast.ClassDef):
        for inner in (*node.body, *node.decorator_list):
            yield from () if isinstance(inner, ast.FunctionDef) else ast.walk(inner)


def _ways(node: ast.AST, parents: dict[int, ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    """What else could stand at the node, and how to say so."""
    before = ast.unparse(node) if isinstance(node, ast.expr) else ""
    around = "" if isinstance(node, ast.Call) else ast.unparse(parents.get(id(node), node))
    for new in _instead(node, parents):
        shown = _shown(before, ast.unparse(new))
        yield f"{shown} in {around[:BESIDE]}" if around and len(before) < BESIDE else shown, new


def _shown(before: str, after: str) -> str:
    """Where two texts differ, with a little of what is around."""
    old, new = re.findall(r"\w+|\W", before), re.findall(r"\w+|\W", after)
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    tail = 0
    while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    left, right = "".join(old[:same]), "".join(old[len(old) - tail :])
    gone, come = ("".join(t[same : len(t) - tail]) for t in (old, new))
    return f"{left[-BESIDE:]}[{gone} -> {come}]{right[:BESIDE]}".replace("\n", " ")


def _function(node: ast.AST, parents: dict[int, ast.AST]) -> str:
    """The name of the outermost function that the node stands in."""
    name = ""
    while id(node) in parents:
        node = parents[id(node)]
        name = node.name if isinstance(node, ast.FunctionDef) else name
    return name


def _instead(node: ast.AST, parents: dict[int, ast.AST]) -> Iterator[ast.expr]:
    match node:
        case ast.Compare() | ast.BinOp() | ast.BoolOp():
            yield from _operators(node)
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Constant(value):
            yield from _constants(value, node, parents)
        case ast.Call():
            yield from _calls(node)


def _operators(node: ast.Compare | ast.BinOp | ast.BoolOp) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(left, [operator], right) if type(operator) in COMPARED:
            yield ast.Compare(left, [COMPARED[type(operator)]()], right)
        case ast.BinOp(left, operator, right) if type(operator) in COMBINED:
            yield ast.BinOp(left, COMBINED[type(operator)](), right)
            if isinstance(operator, ast.BitAnd | ast.BitOr):
                yield from (left, right)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)


def _constants(value: object, node: ast.AST, parents: dict[int, ast.AST]) -> Iterator[ast.expr]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        yield ast.Constant(value + 1)
        yield ast.Constant(value - 1)
    elif isinstance(value, str) and _decides(node, parents):
        yield ast.Constant(value + "XX")


def _decides(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Whether a text is compared with, put into a column, or one of those that are."""
    parent = parents[id(node)]
    if isinstance(parent, ast.Tuple | ast.List):
        parent = parents[id(parent)]
    if isinstance(parent, ast.Call):
        return _called(parent) in DECIDES | CHOOSES
    return isinstance(parent, ast.Compare)


def _calls(node: ast.Call) -> Iterator[ast.expr]:
    called = _called(node)
    if called in SWAPPED:
        yield _with(node, func=_renamed(node.func, SWAPPED[called]))
    if called in DROPPED and isinstance(node.func, ast.Attribute):
        yield node.func.value
    if called == "known_sum":
        yield ast.Call(ast.Attribute(node.args[0], "sum", ast.Load()), [], [])
    if called in UNWRAPPED and len(node.args) == 1:
        yield node.args[0]
    yield from _arguments(node, called)


def _arguments(node: ast.Call, called: str) -> Iterator[ast.expr]:
    if called == "ifelse":
        yield _with(node, args=[node.args[0], *node.args[:0:-1]])
    if called in SHORTENED and len(node.args) >= CHOSEN:
        for place in range(len(node.args)):
            yield _with(node, args=node.args[:place] + node.args[place + 1 :])
    for keyword in node.keywords:
        if keyword.arg in ("where", "order_by", "group_by"):
            yield _with(node, keywords=[other for other in node.keywords if other is not keyword])


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _renamed(function: ast.expr, name: str) -> ast.expr:
    if isinstance(function, ast.Attribute):
        return ast.Attribute(function.value, name, ast.Load())
    return ast.Name(name, ast.Load())


def _with(node: ast.Call, **changed: object) -> ast.Call:
    new = copy.copy(node)
    for name, value in changed.items():
        setattr(new, name, value)
    return new
