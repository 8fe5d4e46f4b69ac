"""An MLflow user: runs and what they log, over the server's own REST API."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import requests

Value = tuple[str, float]


class Experiment:
    """One experiment of a real server."""

    def __init__(self, url: str, name: str) -> None:
        self.api, self.name = f"{url}/api/2.0/mlflow", name
        self.id: str = self._post("experiments/create", name=name)["experiment_id"]

    def run(self, name: str, began: str, **labels: str) -> str:
        """Begins a run, whose labels are tags; its id."""
        tags = [{"key": key, "value": value} for key, value in labels.items()]
        asked = {"experiment_id": self.id, "run_name": name, "start_time": instant(began)}
        return str(self._post("runs/create", **asked, tags=tags)["run"]["info"]["run_id"])

    def log(self, run: str, metric: str, values: Iterable[Value]) -> None:
        metrics = [
            {"key": metric, "value": _json(value), "timestamp": instant(moment), "step": step}
            for step, (moment, value) in enumerate(values)
        ]
        self._post("runs/log-batch", run_id=run, metrics=metrics)

    def log_at(self, run: str, metric: str, timestamp: int, value: float) -> None:
        """Logs a value with any number as its time."""
        self._post("runs/log-metric", run_id=run, key=metric, value=value, timestamp=timestamp)

    def parameter(self, run: str, key: str, value: str) -> None:
        self._post("runs/log-parameter", run_id=run, key=key, value=value)

    def end(self, run: str, ended: str) -> None:
        self._post("runs/update", run_id=run, status="FINISHED", end_time=instant(ended))

    def delete(self, run: str) -> None:
        self._post("runs/delete", run_id=run)

    def _post(self, what: str, **asked: object) -> dict[str, Any]:
        answer = requests.post(f"{self.api}/{what}", json=asked, timeout=30)
        assert answer.ok, answer.text
        told: dict[str, Any] = answer.json()
        return told


def instant(moment: str) -> int:
    """Milliseconds since 1970 of a time in UTC."""
    return int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp() * 1000)


def _json(value: float) -> float | str:
    """As protocol buffers write a double as JSON."""
    return value if math.isfinite(value) else {"nan": "NaN"}.get(str(value), "Infinity")
