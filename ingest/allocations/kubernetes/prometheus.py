"""Queries a Prometheus server, over its HTTP API, for the metrics of kube-state-metrics."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ingest.allocations.moments import instant
from ingest.servers import json_server
from ingest.servers.json_server import JsonServer, session
from ingest.servers.secret_file import secret

PATH = "/api/v1/"
TIMEOUT = (10, 120)
RETRIES = json_server.RETRIES.new(connect=1)
WHOLE = {"partial_response": "false", "deny_partial_response": "1"}
"""Let Thanos and VictoriaMetrics refuse where a store of theirs is out: pods that are missing from
an answer would count as idle machines. Prometheus ignores both, and warns."""
REMEDIES = {
    401: "put a token into `token_file`",
    403: "let this token query metrics",
    404: "correct `location`: it is the address below which /api/v1/query answers",
    422: "raise query.timeout or query.max-samples of the server",
}


class Series(NamedTuple):
    """One time series that Prometheus returned: its labels, and its samples as (time, value)."""

    labels: dict[str, str]
    samples: list[tuple[datetime, float]]

    @property
    def first(self) -> datetime:
        """The time of a Prometheus series' first sample."""
        return self.samples[0][0]

    @property
    def last(self) -> datetime:
        """The time of a Prometheus series' last sample."""
        return self.samples[-1][0]


@dataclass(frozen=True)
class Prometheus:
    """Queries a Prometheus server over its HTTP API. All methods raise `SourceError`."""

    location: str
    token_file: Path | None = None

    def range(self, query: str, start: datetime, end: datetime, step: int) -> list[Series]:
        """Runs a Prometheus range query: each series, from `start` to `end`, by `step` seconds."""
        about = {"start": start.timestamp(), "end": end.timestamp(), "step": step}
        return self._query("query_range", query, **about)

    def instant(self, query: str, at: datetime) -> list[Series]:
        """Queries Prometheus for the value of each series at one moment (an instant query)."""
        return self._query("query", query, time=at.timestamp())

    def _query(self, what: str, query: str, **about: float) -> list[Series]:
        data = {"query": query, **WHOLE, **about}
        document = self._server.request("POST", PATH + what, what, data=data)
        if document.get("status") != "success":
            raise self._server.refused(what, str(document)[:200])
        if document.get("warnings") or document.get("isPartial"):
            raise self._server.refused(
                what,
                f"its answer lacks a part: {document.get('warnings') or 'isPartial'!s}"[:200],
                "pull again when every store that it asks answers",
            )
        try:
            return [_series(one) for one in document["data"]["result"]]
        except (KeyError, TypeError, ValueError) as error:
            raise self._server.refused(
                what,
                f"its answer has no time series as Prometheus gives them ({error})",
                "check that `location` is a Prometheus, and its version",
            ) from None

    @cached_property
    def _server(self) -> JsonServer:
        made = session(RETRIES)
        if self.token_file:
            made.headers["Authorization"] = f"Bearer {secret(self.token_file)}"
        return JsonServer("Prometheus", self.location, REMEDIES, made, TIMEOUT)


def _series(one: dict[str, Any]) -> Series:
    """Parses one series of a Prometheus answer, whether of a range query or of an instant query."""
    values = one["values"] if "values" in one else [one["value"]]
    samples = [(instant(at), float(value)) for at, value in values]
    if not samples:
        raise ValueError("a series without a sample")
    return Series(dict(one["metric"]), samples)
