"""What kube-state-metrics told, where a relabelling dropped what identifies pods and nodes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ingest.allocations.kubernetes.metrics import BETWEEN, MetricsOfDay
from ingest.allocations.kubernetes.prometheus import Prometheus, Series
from models.contract.errors import SourceError

HOUR = timedelta(hours=1)
NOON = datetime(2026, 10, 30, 12, tzinfo=UTC)


class Dropped(Prometheus):
    """A server whose series have no label that identifies anything."""

    def range(self, query: str, start: datetime, end: datetime, step: int) -> list[Series]:
        return [Series({"pod": "a", "resource": "nvidia_com_gpu"}, [(NOON, 8.0)])]

    def instant(self, query: str, at: datetime) -> list[Series]:
        return [Series({"pod": "a"}, [(NOON, 1.0)])]


class Unknown(Prometheus):
    """A server that gives 0, or what is no time at all, for times that Kubernetes does not know."""

    def range(self, query: str, start: datetime, end: datetime, step: int) -> list[Series]:
        label = {"node": "n1", "resource": "nvidia_com_gpu"}
        uids = ("a", "b", "c")
        return [Series({"uid": uid, **label}, [(NOON - HOUR, 8.0)]) for uid in uids]

    def instant(self, query: str, at: datetime) -> list[Series]:
        if "_time" not in query and "_created" not in query:
            return []
        values = {"a": 0.0, "b": float("nan"), "c": 253402300799.0}
        return [Series({"uid": uid}, [(at, value)]) for uid, value in values.items()]


def test_times_that_cannot_be_are_unknown() -> None:
    """A pod that has one held its accelerators while it was seen."""
    day = MetricsOfDay(Unknown("http://127.0.0.1:9"), "prod", "", NOON - HOUR, NOON)
    seen = NOON - HOUR, NOON - HOUR + BETWEEN
    found = [(pod.start, pod.end, pod.created_at) for pod in day.pods(NOON)]
    assert found == [(*seen, None)] * 3


@pytest.mark.parametrize(("read", "label"), [("pods", "uid"), ("stays", "node")])
def test_a_series_that_identifies_nothing_is_an_error_with_its_remedy(
    read: str, label: str
) -> None:
    day = MetricsOfDay(Dropped("http://127.0.0.1:9"), "prod", "", NOON, NOON)
    with pytest.raises(SourceError, match=f"no label {label}: pod=a.*keep the label {label}"):
        list(getattr(day, read)(NOON))
