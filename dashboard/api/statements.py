"""Serves `statements/<month>`, the statement of a month with control totals."""

from __future__ import annotations

from typing import Annotated, Any

from flask import Response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel, Field
from werkzeug.exceptions import NotFound

from dashboard.api.answers import json_text
from dashboard.api.columns import absent
from dashboard.api.problems import Query, refuse_repeated
from dashboard.api.responses import problems, unchanged
from dashboard.pages.finance import month_end
from dashboard.snapshot import published
from dashboard.snapshot.context import data_context
from models.config.refusals.text_form import MONTH
from models.contract.errors import MissingDataError
from models.documents import statement_tables
from models.records.audit import audited

TAG = Tag(name="statements", description="what finance reports on")


class StatementPath(BaseModel):
    """The path parameter of a statement's address: the month, as `2026-10`."""

    month: Annotated[str, MONTH] = Field(description="as 2026-10")


class StatementQuery(Query):
    """The query parameter of a statement's address: which closed version to return."""

    version: int = absent(
        ge=1, le=9999, description="a closed version; by default the newest, else the draft"
    )


class StatementDocument(BaseModel, extra="allow"):
    """A statement as `breakeven export statement --format json` writes it."""

    stand: str = Field(description="a draft, or which version and who closed it")
    statement: dict[str, Any]
    control_totals: list[dict[str, Any]] = Field(
        description="number of rows and sum of each column of dollars, to check what was read"
    )
    columns: list[dict[str, Any]] = Field(description="each column of each table, with its type")


def add_statements(api: APIBlueprint) -> None:
    """Registers the API's route that returns a month's statement as JSON, closed or a draft."""

    @api.get(
        "/statements/<month>",
        tags=[TAG],
        summary="The statement of a month: closed, or a draft",
        operation_id="statement",
        responses={200: StatementDocument, **unchanged(), **problems(400, 401, 403, 404, 503)},
    )
    def statement(path: StatementPath, query: StatementQuery) -> Response:
        refuse_repeated(query)
        about = {"month": path.month, "version": query.version, "format": "json"}
        try:
            with audited(data_context().company.data, "export statement", about, role="finance"):
                made = month_end.paper(path.month, query.version)
                return json_text(statement_tables.to_json(made).decode())
        except MissingDataError as error:
            if published.status_of_missing() == 404:
                raise NotFound(str(error)) from None
            raise
