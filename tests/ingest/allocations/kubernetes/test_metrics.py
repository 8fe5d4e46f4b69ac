"""What kube-state-metrics told, where a relabelling dropped what identifies pods and nodes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ingest.allocations.kubernetes.metrics import MetricsOfDay
from ingest.allocations.kubernetes.prometheus import Prometheus, Series
from models.contract.errors import SourceError

NOON = datetime(2026, 10, 30, 12, tzinfo=UTC)


class Dropped(Prometheus):
    """A server whose series have no label that identifies anything."""

    def range(self, query: str, start: datetime, end: datetime, step: int) -> list[Series]:
        return [Series({"pod": "a", "resource": "nvidia_com_gpu"}, [(NOON, 8.0)])]

    def instant(self, query: str, at: datetime) -> list[Series]:
        return [Series({"pod": "a"}, [(NOON, 1.0)])]


@pytest.mark.parametrize(("read", "label"), [("pods", "uid"), ("stays", "node")])
def test_a_series_that_identifies_nothing_is_an_error_with_its_remedy(
    read: str, label: str
) -> None:
    day = MetricsOfDay(Dropped("http://127.0.0.1:9"), "prod", "", NOON, NOON)
    with pytest.raises(SourceError, match=f"no label {label}: pod=a.*keep the label {label}"):
        list(getattr(day, read)(NOON))
