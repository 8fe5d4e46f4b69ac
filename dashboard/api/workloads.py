"""Serves `workloads/<name>`, the state of a workload in one document, and `snapshot`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel, Field, create_model
from werkzeug.exceptions import NotFound

from dashboard.api.answers import SNAPSHOT, json_answer, snapshot_etag
from dashboard.api.columns import row_model
from dashboard.api.media import extract_of
from dashboard.api.problems import NoQuery
from dashboard.api.responses import problems, unchanged
from dashboard.snapshot.context import data_context
from dashboard.wording.break_even import workload_sentence
from models.config.refusals.unknown_keys import known_names
from models.contract.schema import EXPLAINERS, MARTS, PORTFOLIO
from models.documents.exports.files import plain_rows
from models.engine.warehouse.relations import Relations

TAG = Tag(name="workloads", description="the state of a move to Trainium")
NAMES = f"SELECT workload FROM break_even WHERE workload <> '{PORTFOLIO}' ORDER BY workload"
STANDING = "SELECT * FROM break_even WHERE workload = $workload"
MONTHS = "SELECT * FROM monthly_summary WHERE workload = $workload ORDER BY month"
BASELINE = """SELECT * FROM baselines WHERE workload = $workload AND main
    ORDER BY date DESC LIMIT 1"""
OF_SNAPSHOT = "SELECT * FROM snapshot"

SnapshotDocument = row_model("snapshot", EXPLAINERS["snapshot"])
_PARTS: dict[str, Any] = {
    "workload": (str, ...),
    "sentence": (str, Field(description="the state of the move in a sentence")),
    "snapshot": (SnapshotDocument, ...),
    "standing": (row_model("break_even", MARTS["break_even"]), Field(description="`break_even`")),
    "baseline": (
        row_model("baselines", MARTS["baselines"]) | None,
        Field(description="the newest row of `baselines` of its main kind of work"),
    ),
    "months": (
        list[row_model("monthly_summary", MARTS["monthly_summary"])],  # type: ignore[misc]
        Field(description="`monthly_summary`, the oldest first"),
    ),
}
WorkloadDocument = create_model("WorkloadDocument", **_PARTS)


class WorkloadPath(BaseModel):
    """The path parameter of a workload's address: its name."""

    name: str = Field(min_length=1, max_length=256, description="as `break_even` names it")


def add_workloads(api: APIBlueprint) -> None:
    """Registers the API's routes `/workloads/<name>` and `/snapshot`, which answer with JSON."""

    @api.get(
        "/workloads/<path:name>",
        tags=[TAG],
        summary="The state of a workload's move",
        operation_id="workload",
        responses={200: WorkloadDocument, **unchanged(), **problems(400, 401, 403, 404, 503)},
    )
    def workload(path: WorkloadPath, query: NoQuery) -> Response:
        with data_context().one_snapshot() as snapshot:
            return json_answer(_document(path.name, snapshot), snapshot_etag(snapshot, SNAPSHOT))

    @api.get(
        "/snapshot",
        tags=[TAG],
        summary="Which snapshot is published, and how far the bill is settled",
        operation_id="snapshot",
        responses={200: SnapshotDocument, **unchanged(), **problems(400, 401, 403, 503)},
    )
    def current_snapshot(query: NoQuery) -> Response:
        with data_context().one_snapshot() as snapshot:
            return json_answer(_rows(snapshot, OF_SNAPSHOT)[0], snapshot_etag(snapshot, SNAPSHOT))


def _document(name: str, snapshot: Relations) -> dict[str, Any]:
    """Returns a workload's figures and sentence as a dict for JSON; 404 if the name is unknown."""
    named = {"workload": name}
    standing = snapshot.rows(STANDING, named)
    if not standing or name == PORTFOLIO:
        names = [row["workload"] for row in snapshot.rows(NAMES, {})]
        raise NotFound(f"there is no such workload: {name[:80]!a} ({known_names(name, names)})")
    return {
        "workload": name,
        "sentence": workload_sentence(standing[0]),
        "snapshot": _rows(snapshot, OF_SNAPSHOT)[0],
        "standing": _rows(snapshot, STANDING, named)[0],
        "baseline": next(iter(_rows(snapshot, BASELINE, named)), None),
        "months": _rows(snapshot, MONTHS, named),
    }


def _rows(snapshot: Relations, sql: str, given: Mapping[str, object] | None = None) -> list[Any]:
    return list(plain_rows(extract_of("", snapshot.table(sql, given or {}))))
