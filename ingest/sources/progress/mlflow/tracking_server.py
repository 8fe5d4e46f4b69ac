"""Reads an MLflow tracking server over its REST API, page by page; failures are one line.

Uses `requests` because it reads what MLflow's own client reads: `~/.netrc` for name and password,
and the usual variables for proxies and certificates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from models.contract.errors import SourceError

API = "/api/2.0/mlflow/"
PAGE = 1000
"""Runs or experiments on a page; the most that servers allow is more."""
VALUES = 25_000
"""Values of one metric on a page."""
TIMEOUT = (10, 60)
RETRIES = Retry(
    total=4,
    backoff_factor=0.5,
    status_forcelist=(429, 500, 502, 503, 504),
    allowed_methods=None,
    raise_on_status=False,
)
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
        while True:
            parameters = {"run_id": run, "metric_key": metric, "max_results": VALUES, **token}
            page = self._request("GET", "metrics/get-history", params=parameters)
            found += page.get("metrics", [])
            if not page.get("next_page_token"):
                return found
            token = {"page_token": page["next_page_token"]}

    def _listed(self, what: str, member: str, **parameters: object) -> Iterator[dict[str, Any]]:
        """Yields the items on all pages of an MLflow answer."""
        token: dict[str, str] = {}
        while True:
            body = {"max_results": PAGE, **parameters, **token}
            page = self._request("POST", what, json=body)
            yield from page.get(member, [])
            if not page.get("next_page_token"):
                return
            token = {"page_token": page["next_page_token"]}

    def _request(self, method: str, what: str, **request: object) -> dict[str, Any]:
        """Sends one request to the MLflow server and returns its JSON. Raises `SourceError`."""
        try:
            url = self.location.rstrip("/") + API + what
            answer = self._session.request(method, url, timeout=TIMEOUT, **request)  # type: ignore[arg-type]
            document = answer.json() if answer.ok else None
        except requests.RequestException as error:
            raise SourceError(
                f"MLflow at {self.location} cannot be reached",
                value=_innermost_reason(error),
                remedy="check `location` and that the server runs",
            ) from None
        if not isinstance(document, Mapping):
            raise SourceError(
                f"MLflow at {self.location} refused {what}",
                value=f"{answer.status_code} {answer.text[:200]}",
                remedy=REMEDIES.get(answer.status_code, "see the server's log"),
            )
        return dict(document)

    @cached_property
    def _session(self) -> requests.Session:
        made = requests.Session()
        for scheme in ("http://", "https://"):
            made.mount(scheme, HTTPAdapter(max_retries=RETRIES))
        if self.token_file:
            made.headers["Authorization"] = f"Bearer {_token(self.token_file)}"
        return made


def _token(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise SourceError("cannot read token_file", value=error, remedy="correct it") from None


def _innermost_reason(error: requests.RequestException) -> str:
    """Returns the innermost reason of a connection error; the outer ones repeat the address."""
    inner: BaseException = error
    while reason := getattr(inner, "reason", None) or inner.__cause__ or _first(inner):
        inner = reason
    return str(inner)


def _first(error: BaseException) -> BaseException | None:
    first = error.args[0] if error.args else None
    return first if isinstance(first, BaseException) else None
