"""Describes responses for the OpenAPI document: their types, formats and errors."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from flask_openapi3.types import ResponseDict
from pydantic import BaseModel, Field, create_model

from dashboard.api.media import CSV, WRITERS
from dashboard.api.problems import MEDIA_TYPE

ETAG = {"description": "of the snapshot that was read", "schema": {"type": "string"}}
LINK = {"description": 'the next page: `rel="next"`', "schema": {"type": "string"}}


def problems(*statuses: int) -> ResponseDict:
    """Returns the OpenAPI description of error responses, by status, for the given statuses."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        str(status): {"description": HTTPStatus(status).phrase, "content": content}
        for status in statuses
    }


def unchanged() -> ResponseDict:
    """Returns the OpenAPI description of response 304: unchanged since the ETag of the request."""
    return {"304": {"description": "unchanged since the ETag of `If-None-Match`"}}


def page_model(mart: str, row: type[BaseModel]) -> type[BaseModel]:
    """Builds the pydantic model of a page of mart rows; OpenAPI lists CSV and binary forms, too."""
    as_text = {"schema": {"type": "string"}}
    as_bytes = {"schema": {"type": "string", "format": "binary"}}
    extra = {
        "description": "a page of rows",
        "headers": {"ETag": ETAG, "Link": LINK},
        "content": {form: as_text if form == CSV else as_bytes for form in WRITERS},
    }
    config: Any = {"openapi_extra": extra}  # read by flask-openapi3
    rows: Any = list[row]  # type: ignore[valid-type]
    fields: Any = {
        "mart": (str, Field(description="which mart")),
        "etag": (str, Field(description="ETag of the snapshot that was read")),
        "next": (str | None, Field(description="address of the next page; null on the last")),
        "rows": (rows, Field(description="in the order of the export")),
    }
    return create_model(f"{mart}_page", __config__=config, **fields)
