"""Counts requests and measures their duration, by URL rule."""

from __future__ import annotations

import time

from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram

METHODS = frozenset(("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"))
OTHER = "other"
"""The label of a URL that no rule answers, and of an unknown method."""
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


def add_request_metrics(server: Flask) -> None:
    """Makes a server count and time its requests; call it before anything that answers them."""
    registry = CollectorRegistry()  # scrapes read the files of all workers instead
    answered = Counter(
        "breakeven_http_requests",
        "Requests answered.",
        ("route", "method", "status"),
        registry=registry,
    )
    took = Histogram(
        "breakeven_http_request_duration_seconds",
        "From a request's arrival, whole, to the beginning of its answer.",
        ("route",),
        buckets=BUCKETS,
        registry=registry,
    )

    def begin() -> None:
        g.began = time.perf_counter()

    def count(response: Response) -> Response:
        method = request.method if request.method in METHODS else OTHER
        answered.labels(route(), method, str(response.status_code)).inc()
        if "began" in g:
            took.labels(route()).observe(time.perf_counter() - g.began)
        return response

    server.before_request(begin)
    server.after_request(count)


def route() -> str:
    """Returns the URL rule of the current request, such as `/sql/<mart>`; `other` if none fits."""
    return request.url_rule.rule if request.url_rule else OTHER
