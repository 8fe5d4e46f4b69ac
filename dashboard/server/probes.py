"""Answers probes: `/livez`, whether the process runs; `/readyz`, whether it has data."""

from __future__ import annotations

from flask import Flask, Response, jsonify

from dashboard.snapshot import published
from dashboard.snapshot.context import data_context
from models.contract.errors import StorageError


def add_probes(server: Flask) -> None:
    """Registers `/livez`, its other name `/healthz`, and `/readyz`."""
    for path in ("/livez", "/healthz"):
        server.add_url_rule(path, path, livez)
    server.add_url_rule("/readyz", "readyz", readyz)


def livez() -> Response:
    """Returns 200 while the process answers; checks nothing else."""
    return jsonify(status="ok")


def readyz() -> tuple[Response, int]:
    """Returns 200 with the snapshot in use, or 503 with the reason why none can be shown.

    A snapshot that another version of the program published, with other tables, cannot be shown.
    """
    try:
        found = published.snapshot()
        if found is not None:
            data_context().reader.refuse_other_version()
    except StorageError as error:
        return jsonify(status=str(error)), 503
    if found is None:
        return jsonify(status="nothing is published yet; run `breakeven build`"), 503
    through = found["settled_through"]
    shown = {name: found[name] for name in ("version", "snapshot_id")}
    return jsonify(status="ok", **shown, settled_through=through and through.isoformat()), 200
