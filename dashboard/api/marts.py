"""Serves `marts`, the list of published marts, and `marts/<name>`, their rows page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlencode

import pyarrow as pa
from flask import Response, request
from flask_openapi3 import APIBlueprint, Tag
from werkzeug.exceptions import NotFound

from dashboard.api.answers import answer, json_answer, snapshot_etag
from dashboard.api.catalogue import Catalogue, about_mart, described
from dashboard.api.columns import query_model, row_model
from dashboard.api.cursors import Reading, cursor_after, offset_of
from dashboard.api.mart_query import MartQuery
from dashboard.api.media import JSON, WRITERS, extract_of, json_page, media_type
from dashboard.api.problems import NoQuery, ParameterError, Query, refuse_repeated
from dashboard.api.responses import page_model, problems, unchanged
from dashboard.snapshot.context import data_context
from models.config.refusals.unknown_keys import nearest
from models.contract.schema import MARTS, expanded
from models.engine.warehouse.relations import Relations

MART_TAG = Tag(name="marts", description="the published tables of figures")
STATUSES = (400, 401, 403, 404, 406, 410, 503)


def add_marts(api: APIBlueprint, tags: Iterable[str]) -> None:
    """Registers the API's routes of the list of marts and of each mart's rows, with their types."""
    columns = {name: expanded(of, tags) for name, of in MARTS.items()}
    catalogue = Catalogue(marts=[described(name, of) for name, of in columns.items()])

    @api.get(
        "/marts",
        tags=[MART_TAG],
        summary="Every published mart: what a row is, units, nulls, columns",
        operation_id="marts",
        responses={200: Catalogue, **unchanged(), **problems(400, 401, 403)},
    )
    def marts(query: NoQuery) -> Response:
        return json_answer(catalogue.model_dump(by_alias=True))

    for about in catalogue.marts:
        api.get(
            f"/marts/{about.name}",
            tags=[MART_TAG],
            summary=f"A row per {about.grain.replace('`', '')}",
            description=f"Units: {about.units}. Null: {about.nulls}. Method: {about.section}.",
            operation_id=about.name,
            responses={
                200: page_model(about.name, row_model(about.name, columns[about.name])),
                **unchanged(),
                **problems(*STATUSES),
            },
        )(_view(about.name, columns[about.name]))
    api.add_url_rule("/marts/<name>", "no_such_mart", no_such_mart)


def _view(mart: str, columns: Mapping[str, str]) -> Callable[[Query], Response]:
    """Makes the Flask view that serves a mart; its annotation says how to validate requests."""

    def view(query: Query) -> Response:
        refuse_repeated(query)
        return page(MartQuery(mart, columns, query))

    view.__name__ = f"mart_{mart}"
    view.__annotations__["query"] = query_model(mart, columns)
    return view


def no_such_mart(name: str) -> Response:
    """Raises `NotFound`: no mart has the given name; the message suggests the nearest name."""
    raise NotFound(f"there is no mart of this name: {name[:80]!a} ({nearest(name[:80], MARTS)})")


def page(query: MartQuery) -> Response:
    """Returns the response with a page of a mart's rows; 404 if the reader may not see the mart."""
    form = media_type()
    if about_mart(query.mart).whose == "company":
        data_context().refuse_scoped()
    with data_context().one_snapshot() as snapshot:
        etag = snapshot_etag(snapshot, query.mart)
        reading = Reading(etag, query.digest)
        offset = offset_of(query.cursor, reading)
        return answer(etag, lambda: _page(query, form, reading, offset, snapshot))


def _page(
    query: MartQuery, form: str, reading: Reading, offset: int, snapshot: Relations
) -> Response:
    held = snapshot.columns(query.mart)
    for name in query.needed - set(held):
        remedy = "the snapshot has no such column yet; run `breakeven build`"
        raise ParameterError("fields", name, remedy)
    rows = snapshot.table(*query.sql(held, offset))
    after = None
    if rows.num_rows > query.limit:
        after = _address(cursor_after(offset + query.limit, reading))
    return _sent(query.mart, form, rows.slice(0, query.limit), etag=reading.etag, after=after)


def _address(cursor: str) -> str:
    """Returns the address of the next page: this request's with another cursor."""
    parameters = [pair for pair in request.args.items(multi=True) if pair[0] != "cursor"]
    return f"{request.script_root}{request.path}?{urlencode([*parameters, ('cursor', cursor)])}"


def _sent(mart: str, form: str, rows: pa.Table, *, etag: str, after: str | None) -> Response:
    extract = extract_of(mart, rows)
    if form == JSON:
        response = Response(json_page(extract, etag=etag, after=after), mimetype=JSON)
    else:
        response = Response(WRITERS[form](extract), mimetype=form)
    if after:
        response.headers["Link"] = f'<{after}>; rel="next"'
    return response
