"""Asks a Prometheus server for what kube-state-metrics told it, over its HTTP API."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from models.contract.errors import SourceError
from models.contract.safe_text import without_credentials

TIMEOUT = (10, 120)
RETRIES = Retry(
    total=4,
    connect=1,
    backoff_factor=0.5,
    status_forcelist=(429, 500, 502, 503, 504),
    allowed_methods=None,
    raise_on_status=False,
)
REMEDIES = {
    401: "put a token into `token_file`",
    403: "let this token query metrics",
    404: "correct `location`: it is the address below which /api/v1/query answers",
    422: "lower the number of days asked for at a time",
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
        return [_series(one, one["values"]) for one in self._query("query_range", query, **about)]

    def instant(self, query: str, at: datetime) -> list[Series]:
        """Queries Prometheus for the value of each series at one moment (an instant query)."""
        answer = self._query("query", query, time=at.timestamp())
        return [_series(one, [one["value"]]) for one in answer]

    def _query(self, what: str, query: str, **about: float) -> list[dict[str, Any]]:
        url = f"{self.location.rstrip('/')}/api/v1/{what}"
        try:
            answer = self._session.post(url, data={"query": query, **about}, timeout=TIMEOUT)
            document = answer.json() if answer.ok else {}
        except requests.RequestException as error:
            raise SourceError(
                f"Prometheus at {without_credentials(self.location)} cannot be reached",
                value=type(error).__name__,
                remedy="check `location` and that the server runs",
            ) from None
        if document.get("status") != "success":
            raise SourceError(
                f"Prometheus at {without_credentials(self.location)} refused {what}",
                value=f"{answer.status_code} {answer.text[:200]}",
                remedy=REMEDIES.get(answer.status_code, "see the server's log"),
            )
        return list(document["data"]["result"])

    @cached_property
    def _session(self) -> requests.Session:
        made = requests.Session()
        for scheme in ("http://", "https://"):
            made.mount(scheme, HTTPAdapter(max_retries=RETRIES))
        if self.token_file:
            made.headers["Authorization"] = f"Bearer {_token(self.token_file)}"
        return made


def _series(one: dict[str, Any], values: list[Any]) -> Series:
    samples = [(datetime.fromtimestamp(float(at), UTC), float(value)) for at, value in values]
    return Series(one["metric"], samples)


def _token(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise SourceError("cannot read token_file", value=error, remedy="correct it") from None
