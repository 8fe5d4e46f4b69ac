"""Answers wrong requests with a problem document (RFC 9457)."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import get_origin

from flask import Response, request
from pydantic import BaseModel, Field, ValidationError
from werkzeug.exceptions import BadRequest, HTTPException

from models.config.refusals.unknown_keys import nearest

MEDIA_TYPE = "application/problem+json"
LONGEST = 80
"""Most characters of a wrong value that an answer repeats."""
MOST = 10
"""Most wrong parameters that an answer names."""


class Query(BaseModel, extra="forbid"):
    """The base model of a route's query parameters; it refuses parameters it does not declare."""


class NoQuery(Query):
    """The query model of a route without parameters; it refuses a request that gives one."""


class WrongParameter(BaseModel):
    """A parameter of a request that is wrong: its name, its value, and what would be right."""

    parameter: str
    value: str = Field(description=f"as it came, at most {LONGEST} characters")
    remedy: str


class Problem(BaseModel):
    """A problem document (RFC 9457): status, what is wrong, and the request's wrong parameters."""

    type: str = "about:blank"
    title: str = Field(description="what the status means")
    status: int = Field(ge=400, le=599)
    detail: str = Field(description="what is wrong, and the remedy, in one line")
    errors: list[WrongParameter] = Field([], description="each wrong parameter of a request")


class ParameterError(BadRequest):
    """Raised for a wrong query parameter, with its value and a remedy; the answer is 400."""

    def __init__(self, parameter: str, value: str, remedy: str) -> None:
        self.wrong = WrongParameter(parameter=parameter, value=value[:LONGEST], remedy=remedy)
        super().__init__(_line([self.wrong]))


def refuse_repeated(query: Query) -> None:
    """Raises `ParameterError` if a request repeats a parameter that takes one value."""
    for name, field in type(query).model_fields.items():
        values = request.args.getlist(name)
        if len(values) > 1 and get_origin(field.annotation) is not list:
            raise ParameterError(name, ",".join(values), "it is given more than once")


def problem_of(error: HTTPException) -> Response:
    """Returns the response to an HTTP error: its status, and a problem document (RFC 9457)."""
    wrong = [error.wrong] if isinstance(error, ParameterError) else []
    return problem(error.code or 500, error.description or "", wrong)


def problem(status: int, detail: str, wrong: Iterable[WrongParameter] = ()) -> Response:
    """Builds the response with a given status and a problem document that says what is wrong."""
    title = HTTPStatus(status).phrase
    text = Problem(title=title, status=status, detail=detail, errors=list(wrong))
    return Response(text.model_dump_json() + "\n", status, mimetype=MEDIA_TYPE)


def problem_of_parameters(error: ValidationError) -> Response:
    """Builds the 400 response that names unknown or invalid parameters, each with its remedy."""
    of = (each for each in Query.__subclasses__() if each.__name__ == error.title)
    names = [name for query in of for name in query.model_fields]
    wrong = [
        WrongParameter(
            parameter=str(each["loc"][0])[:LONGEST],
            value=_text(each["input"])[:LONGEST],
            remedy=_remedy(each["type"], each["msg"], str(each["loc"][0]), names),
        )
        for each in error.errors(include_url=False)[:MOST]
    ]
    return problem(400, _line(wrong), wrong)


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _remedy(kind: str, message: str, name: str, names: list[str]) -> str:
    if kind == "extra_forbidden":
        known = nearest(name[:LONGEST], names) if names else "this address takes none"
        return f"there is no such parameter; {known}"
    return message.removeprefix("Value error, ")[:200]


def _line(wrong: list[WrongParameter]) -> str:
    each = (f"{one.parameter}: {one.value!a} ({one.remedy})" for one in wrong)
    return f"wrong parameter: {'; '.join(each)}"
