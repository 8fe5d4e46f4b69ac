"""Reads an MLflow tracking server over its REST API, page by page; failures are one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ingest.servers.json_server import JsonServer, session
from ingest.servers.secret_file import secret

API = "/api/2.0/mlflow/"
PAGE = 1000
"""Runs or experiments on a page; the most that servers allow is more."""
VALUES = 25_000
"""Values of one metric on a page."""
REMEDIES = {
    401: "put name and password into ~/.netrc, or a token into `token_file`",
    403: "grant reading of its experiments to this user",
    404: "correct `location`: it is the address that MLFLOW_TRACKING_URI has",
}


@dataclass(frozen=True)
class TrackingServer:
    """Reads experiments and runs from an MLflow server over its REST API."""

    location: str
    token_file: Path | None = None

    def experiments(self) -> list[dict[str, Any]]:
        """Lists every MLflow experiment that is not deleted; `SourceError` on a failed request."""
        return list(self._listed("experiments/search", "experiments", view_type="ACTIVE_ONLY"))

    def runs(self, experiment: str, since: int | None = None) -> list[dict[str, Any]]:
        """Lists the runs of an MLflow experiment that are not deleted, oldest first.

        With `since`, in milliseconds, lists only runs that began at that time or later.
        """
        parameters: dict[str, object] = {
            "experiment_ids": [experiment],
            "run_view_type": "ACTIVE_ONLY",
            "order_by": ["attributes.start_time ASC"],
        }
        if since is not None:
            parameters["filter"] = f"attributes.start_time >= {since}"
        return list(self._listed("runs/search", "runs", **parameters))

    def history(self, run: str, metric: str) -> list[dict[str, Any]]:
        """Lists every value that an MLflow run logged of a metric."""
        found: list[dict[str, Any]] = []
        token: dict[str, str] = {}
        seen: set[str] = set()
        while True:
            parameters = {"run_id": run, "metric_key": metric, "max_results": VALUES, **token}
            page = self._request("GET", "metrics/get-history", params=parameters)
            found += page.get("metrics", [])
            following = self._server.next_page("history", page.get("next_page_token"), seen)
            if not following:
                return found
            token = {"page_token": following}

    def _listed(self, what: str, member: str, **parameters: object) -> Iterator[dict[str, Any]]:
        """Yields the items on all pages of an MLflow answer."""
        token: dict[str, str] = {}
        seen: set[str] = set()
        while True:
            body = {"max_results": PAGE, **parameters, **token}
            page = self._request("POST", what, json=body)
            yield from page.get(member, [])
            following = self._server.next_page(what, page.get("next_page_token"), seen)
            if not following:
                return
            token = {"page_token": following}

    def _request(self, method: str, what: str, **request: object) -> dict[str, Any]:
        return self._server.request(method, API + what, what, **request)

    @cached_property
    def _server(self) -> JsonServer:
        made = session()
        if self.token_file:
            made.headers["Authorization"] = f"Bearer {secret(self.token_file)}"
        return JsonServer("MLflow", self.location, REMEDIES, made)
