"""Answers Prometheus with metrics of all workers, of the journals and of the snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from secrets import compare_digest

from flask import Flask, Response, request
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from werkzeug.exceptions import Unauthorized

from dashboard.server.metrics import journal_metrics
from dashboard.server.metrics.snapshot_metrics import snapshot_metrics
from dashboard.snapshot.context import DataContext
from models.engine.inputs.paid_requests import PaidRequests

PATH = "/metrics"


class StateCollector:
    """Collects gauges of journals, paid AWS requests and the snapshot when Prometheus scrapes."""

    def __init__(self, context: DataContext) -> None:
        self._context = context
        self._paid = PaidRequests(context.settings.data)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yields the gauges of journals and of the snapshot; called by prometheus-client."""
        now = datetime.now(UTC)
        yield from journal_metrics.feed_metrics(self._context, now)
        yield from journal_metrics.success_metrics(self._context)
        yield from journal_metrics.cost_metrics(self._context, self._paid)
        yield from snapshot_metrics(self._context, now)


def add_scrape(server: Flask, path: str, token: str, context: DataContext) -> None:
    """Serves all metrics at a path, to requests with the token as `Authorization: Bearer`."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it is not annotated
    registry.register(StateCollector(context))

    def scrape() -> Response:
        given = request.authorization
        if given is None or given.type != "bearer" or not _same(given.token or "", token):
            raise Unauthorized("metrics need their token: Authorization: Bearer …")
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)

    server.add_url_rule(path, "metrics", scrape)


def _same(given: str, token: str) -> bool:
    return compare_digest(given.encode(), token.encode())


def metrics_server(token: str, context: DataContext) -> Flask:
    """Creates a Flask app that serves only `/metrics`, for a port of its own."""
    server = Flask("metrics", static_folder=None)
    add_scrape(server, PATH, token, context)
    return server
