"""Describes the fields of the config's tables: types, limits, defaults, and what they refuse."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import AfterValidator, BaseModel, SecretStr
from pydantic.fields import FieldInfo

from documentation.reference.message_templates import Scope

NAMES = {str: "text", int: "integer", bool: "true or false", float: "number", Decimal: "number",
         date: "day", datetime: "time", Path: "path", SecretStr: "secret text"}  # fmt: skip


def inner_model(kind: Any) -> type[BaseModel] | None:  # noqa: ANN401 - any annotation
    """Returns the table model in a field's type, alone or in a list; None for other types."""
    for each in (kind, *get_args(kind)):
        if inspect.isclass(each) and issubclass(each, BaseModel):
            return each
    return None


def type_of(field: FieldInfo) -> str:
    """Returns a field's type and limits in words: `integer, 0 to 60`."""
    return ", ".join(filter(None, (_type(field.annotation), _limits(field.metadata))))


def _type(kind: Any) -> str:  # noqa: ANN401 - any annotation
    origin, args = get_origin(kind), [each for each in get_args(kind) if each is not NoneType]
    if hasattr(kind, "__metadata__"):
        return ", ".join(filter(None, (_type(args[0]), _limits(kind.__metadata__))))
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in args)
    if origin in (Union, UnionType):
        return " or ".join(map(_type, args))
    if origin is tuple:
        return f"list of {_type(args[0])}"
    if origin is dict:
        return "table of names"
    if inspect.isclass(kind) and issubclass(kind, BaseModel):
        return "table"
    return NAMES.get(kind, "text")


def _limits(metadata: Any) -> str:  # noqa: ANN401 - what pydantic collects
    low = high = ""
    words = []
    for each in metadata:
        match each:
            case annotated_types.Ge(ge=value):
                low = f"{value} or more"
            case annotated_types.Gt(gt=value):
                low = f"above {value}"
            case annotated_types.Le(le=value):
                high = f"at most {value}"
            case annotated_types.Lt(lt=value):
                high = f"below {value}"
            case annotated_types.MinLen():
                words.append("not empty")
    return ", ".join(filter(None, (low, high, *words)))


def default_of(field: FieldInfo) -> str:
    """Returns a field's default as TOML has it; `required` where there is none."""
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ("", (), {}) or isinstance(value, SecretStr | BaseModel):
        return ""
    return f"`{_toml(value)}`"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"'


def refusals(table: type[BaseModel], *more: Any) -> list[str]:  # noqa: ANN401 - functions
    """Lists the messages with which a table's validators and given functions refuse a config."""
    checks = (each for field in table.model_fields.values() for each in _checks(field))
    functions = [*_validators(table), *checks, *more]
    return list(dict.fromkeys(text for function in functions for text in _refused(function)))


def refusing(table: type[BaseModel], name: str) -> Iterator[Any]:
    """Yields the validators that a table has for one of its fields."""
    for each in table.__pydantic_decorators__.field_validators.values():
        if name in each.info.fields:
            yield each.func


def _validators(table: type[BaseModel]) -> Iterator[Any]:
    decorators = table.__pydantic_decorators__
    for group in (decorators.field_validators, decorators.model_validators):
        yield from (each.func for each in group.values())


def _checks(field: FieldInfo) -> Iterator[Any]:
    """Yields the functions that check a field's values, also those of a list's entries."""
    due: list[Any] = [*field.metadata, field.annotation]
    while due:
        each = due.pop()
        if isinstance(each, AfterValidator):
            yield each.func
        due += getattr(each, "__metadata__", ()) or ()
        due += [inner for inner in get_args(each) if not isinstance(inner, str)]


def _refused(function: Any) -> Iterator[str]:  # noqa: ANN401 - any callable
    function = inspect.unwrap(getattr(function, "__func__", function))
    module = inspect.getmodule(function)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if module is None or not isinstance(tree, ast.FunctionDef):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ValueError":
            yield Scope(module, tree).written(node.args[0])
        elif isinstance(node, ast.Call):
            yield from _refused_by_a_call(node, module)


def _refused_by_a_call(call: ast.Call, module: ModuleType) -> Iterator[str]:
    """Yields the messages of a config function that a validator calls."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
    own = getattr(module, name, None) or getattr(module.__dict__.get("AccountEntry"), name, None)
    if inspect.isfunction(own) and own.__module__.startswith("models.config."):
        yield from _refused(own)
