"""Messages are written as the code has them, with placeholders for what differs."""

from __future__ import annotations

import ast
import textwrap
from types import ModuleType

import pytest

from documentation.reference.message_templates import NEAREST, Scope

MODULE = ModuleType("example")
MODULE.__dict__.update(KINDS=("csv", "json"), AGAIN="run again", MOST=128)


def written(expression: str, before: str = "pass") -> str:
    """How the last expression of a function is written that has the parameter `path`."""
    lines = textwrap.indent(f"{before}\nreturn {expression}", "    ")
    function = ast.parse(f"def example(path):\n{lines}").body[0]
    assert isinstance(function, ast.FunctionDef)
    last = function.body[-1]
    assert isinstance(last, ast.Return)
    return Scope(MODULE, function).written(last.value)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("'cannot read'", "cannot read"),
        ("f'cannot read {path}'", "cannot read <path>"),
        ("f'at most {MOST} lines'", "at most 128 lines"),
        ("f'{error.strerror}, ' + AGAIN", "<strerror>, run again"),
        ("', '.join(KINDS)", "csv, json"),
        ("', '.join(sorted(given))", "<sorted>"),
        ("'one' if path else 'other'", "one / other"),
        ("nearest(path, KINDS)", NEAREST),
        ("shown(path)", "<path>"),
        ("2 * path", "<…>"),
    ],
)
def test_an_expression_is_written(expression: str, text: str) -> None:
    assert written(expression) == text


def test_a_variable_is_what_was_assigned_to_it() -> None:
    assert written("remedy", "remedy = f'delete {path}'") == "delete <path>"
    assert written("a", "a, b = 'one', 'two'") == "one"
