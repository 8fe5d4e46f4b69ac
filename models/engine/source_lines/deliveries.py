"""Reads rows of a delivered table that meet a condition, and lists the newest deliveries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ibis.backends.duckdb import Backend

from models.access.scope import EVERYTHING, Scope
from models.config.settings import Settings
from models.engine.context import BuildContext
from models.engine.reduction import delivered_files
from models.engine.source_lines.first_lines import FIRST, FirstLines
from models.engine.warehouse.connection import fetch
from models.engine.warehouse.relations import as_seen_by, memory_with_snapshot
from models.engine.warehouse.scoped_views import WORKLOADS
from models.raw.live_deliveries import live_deliveries
from models.raw.zone import RawZone


def delivered(
    settings: Settings,
    view: str,
    where: str,
    parameters: Mapping[str, object],
    scope: Scope = EVERYTHING,
) -> FirstLines:
    """Returns the first 1000 rows of a delivered table that meet a condition, and how many do.

    A scope that is not everything sees the rows of its workloads, and no names of files.
    """
    with memory_with_snapshot(settings.data / "snapshots") as backend:
        live = RawZone(settings.data / "raw").live()
        mine = [each for each in live if delivered_files.view_of(each) == view]
        delivered_files.create_view(BuildContext.reading(settings, backend), view, mine)
        text = f"SELECT * FROM {view} WHERE ({where})"
        if not scope.everything:
            with as_seen_by(scope, backend):
                return _first(backend, f"{text} AND workload IN (FROM {WORKLOADS})", parameters)
        found = _first(backend, text, parameters)
        files = [file.origin or file.name for each in mine for file in each.files]
        return replace(found, files=files)


def _first(backend: Backend, text: str, parameters: Mapping[str, object]) -> FirstLines:
    (sums,) = fetch(backend, f"SELECT count(*) AS count FROM ({text})", parameters)
    rows = fetch(backend, f"{text} ORDER BY ALL LIMIT {FIRST}", parameters)
    return FirstLines(rows, sums["count"])


def deliveries(settings: Settings) -> FirstLines:
    """Returns the newest 1000 deliveries, whether each is live or superseded, and the total count.

    Numbers come from the live deliveries only.
    """
    zone = RawZone(settings.data / "raw")
    every = zone.deliveries()
    counted = {each.folder for each in live_deliveries(every)}
    rows = [
        {
            "source": each.key.source,
            "unit": each.key.unit,
            "period": each.key.period,
            "pulled_at": each.pulled_at,
            "rows": each.rows,
            "files": len(each.files),
            "live": each.folder in counted,
            "sha256": each.fingerprint,
        }
        for each in reversed(every)
    ]
    return FirstLines(rows[:FIRST], len(rows))
