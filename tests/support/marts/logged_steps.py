"""Lines of training logs by hand, and what a format makes of them."""

from __future__ import annotations

import json
from typing import Any

import ibis

from models.config.metrics.line_meaning import LineMeaning
from models.config.metrics.tracker_metrics import TrackerMapping
from models.engine.sql import rendering
from models.formats.format import Format
from tests.support.marts.hand_written_tables import table

TYPES = {
    "timestamp": "timestamp",
    **dict.fromkeys(("source", "file", "run_name", "Tags", "began", "metric"), "string"),
    **dict.fromkeys(("part", "entry", "step"), "int64"),
    "value": "float64",
}
LINES = ibis.table(TYPES, name="lines")


def meaning(mapping: type[TrackerMapping], **options: object) -> LineMeaning:
    """How lines of the source `logs` are read, and lines of others."""
    own = mapping.model_validate({"source": "logs", "workload": "w", **options})
    return LineMeaning(trackers=(own, TrackerMapping()))


def line(step: int, metric: str, value: float, **columns: object) -> dict[str, Any]:
    tags = json.dumps(columns.pop("tags", {}))
    about = {"source": "logs", "run_name": "r", "part": 0, "entry": step, "Tags": tags}
    return {**about, "step": step, "metric": metric, "value": value, **columns}


def read(form: Format, tags: LineMeaning, *lines: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of `progress`, in order of run and step."""
    backend = ibis.duckdb.connect()
    given = backend.create_table("lines", table(TYPES, *lines))
    text = rendering.sql(form.rows(given, tags).order_by("run", "step"))
    found: list[dict[str, Any]] = backend.con.sql(text).to_arrow_table().to_pylist()
    return found
