"""Refuses callback requests whose body is not what one of the app's callbacks takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import dash
from dash._utils import stringify_id
from flask import request
from pydantic import BaseModel, Field, ValidationError
from werkzeug.exceptions import BadRequest, RequestURITooLarge

from dashboard.server.response_cache import CALLBACK_PATH

MAX_ADDRESS = 8192
ROUTER = "_pages_content"
"""Start of the output of Dash's own callback, which reads the address of the page."""


class Part(BaseModel):
    """One property of a component, with its value, in the body of a Dash callback's request."""

    id: Annotated[str, Field(pattern=r"^[^{]")] | dict[str, Any]
    property: str
    value: Any = None


Parts = list[Part | list[Part]]
"""An inner list has the matches of a pattern of ids."""


class Body(BaseModel):
    """The body of a Dash callback's request, as a page sends it."""

    output: str
    outputs: Part | Parts = []
    inputs: Parts
    state: Parts = []
    changedPropIds: list[str] = []  # noqa: N815 - Dash's own name


def malformed_refusal(app: dash.Dash) -> Callable[[], None]:
    """Returns a function that refuses requests: 414 for long URLs, 400 for malformed callbacks."""

    def refuse_malformed() -> None:
        if len(request.full_path) > MAX_ADDRESS:
            raise RequestURITooLarge
        if request.path == CALLBACK_PATH and request.method == "POST":
            check(app, parsed())

    return refuse_malformed


def parsed() -> Body:
    """Parses the body of the request; raises `BadRequest` if it is not a callback's.

    Pydantic refuses half a pair of surrogates, which Python's own parser takes for text.
    """
    try:
        request.get_json()
        return Body.model_validate_json(request.get_data())
    except (ValidationError, RecursionError):
        raise BadRequest("the body is not what a page sends") from None


def check(app: dash.Dash, body: Body) -> None:
    """Raises `BadRequest` unless a body's outputs and inputs fit the callback that it names."""
    wired = app.callback_map.get(body.output)
    if wired is None:
        raise BadRequest("there is no such callback")
    outputs: Parts = [*body.outputs] if isinstance(body.outputs, list) else [body.outputs]
    written = [] if wired.get("no_output") else body.output.strip(".").split("...")
    counts = len(body.inputs), len(body.state)
    if counts != (len(wired["inputs"]), len(wired["state"])) or as_written(outputs) != written:
        raise BadRequest("the callback has other inputs and outputs")
    if body.output.lstrip(".").startswith(ROUTER) and not all(map(is_address, body.inputs)):
        raise BadRequest("an address is text that begins with a slash")


def as_written(outputs: Parts) -> list[str]:
    """Returns each output's name, `id.property`, as requests write it; "" for a list of matches."""
    return [
        f"{stringify_id(each.id)}.{each.property}" if isinstance(each, Part) else ""
        for each in outputs
    ]


def is_address(part: Part | list[Part]) -> bool:
    """Returns whether an input is text or null and, if it is the page's path, begins with `/`."""
    if not isinstance(part, Part) or not isinstance(part.value, str | None):
        return False
    return part.property != "pathname" or (part.value or "").startswith("/")
