"""Turns Dash components into plain dictionaries, which are much faster to write as JSON.

Dash asks each component for its properties by name, all that HTML knows, and walks each answer
twice; on a page of four thousand components that takes longer than all queries of the page.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, get_type_hints

import dash
from dash.development.base_component import Component
from pydantic import TypeAdapter, ValidationError
from werkzeug.exceptions import BadRequest

P = ParamSpec("P")

SIMPLE = frozenset((str, int, float, bool, type(None)))
Chosen = str | list[str] | None
"""The value that a text box or a control of one or several choices sends."""
HTML = "dash_html_components"
OWN = frozenset(
    (
        "_prop_names",
        "_valid_wildcard_attributes",
        "available_properties",
        "available_wildcard_properties",
    )
)
"""Attributes that say which properties a component may have; they are not sent."""


def callback(*wiring: Any, **options: Any) -> Callable[[Callable[P, Any]], Callable[P, Any]]:  # noqa: ANN401 - Dash's own
    """Registers a Dash callback that checks the values it gets and answers plain dictionaries.

    A request whose values are not of the types that the function declares is refused (400). A
    control that was cleared sends None where text is declared.
    """

    def decorate(answer: Callable[P, Any]) -> Callable[P, Any]:
        dash.callback(*wiring, **options)(answers_plain(takes_declared(answer)))
        return answer

    return decorate


def takes_declared(answer: Callable[P, Any]) -> Callable[P, Any]:
    """Wraps a callback so that it raises `BadRequest` for values of other types than declared."""
    hints = get_type_hints(answer, include_extras=True)
    checks = [
        TypeAdapter(str | None if hints[name] is str else hints[name])
        for name in signature(answer).parameters
    ]

    @wraps(answer)
    def checked(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401 - whatever a page sends
        for place, value in enumerate(args):
            check = checks[min(place, len(checks) - 1)]
            try:
                check.validate_python(value, strict=True)
            except ValidationError as error:
                raise BadRequest(error.errors()[0]["msg"]) from None
        return answer(*args, **kwargs)

    return checked


def answers_plain(answer: Callable[P, Any]) -> Callable[P, Any]:
    """Wraps a function so that it returns Dash components as plain dictionaries."""

    @wraps(answer)
    def plain_answer(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401 - whatever a page sends
        return to_plain(answer(*args, **kwargs))

    return plain_answer


def element(kind: str, children: Any, **properties: Any) -> Any:  # noqa: ANN401 - a node of HTML
    """Builds an HTML element as a plain dictionary, for tables of thousands of cells."""
    props = {"children": children, **properties}
    return {"props": props, "type": kind, "namespace": HTML}


def to_plain(value: Any) -> Any:  # noqa: ANN401 - whatever a page sends
    """Converts Dash components, also in lists and dictionaries, to plain dictionaries."""
    kind = type(value)
    if kind in SIMPLE:
        return value
    if kind is list or kind is tuple:
        return [to_plain(each) for each in value]
    if kind is dict:
        return {name: to_plain(each) for name, each in value.items()}
    if isinstance(value, Component):
        props = {name: to_plain(each) for name, each in vars(value).items() if name not in OWN}
        return {"props": props, "type": value._type, "namespace": value._namespace}
    return value
