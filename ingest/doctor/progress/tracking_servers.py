"""Checks that servers such as MLflow and Prometheus answer, by asking for their first data."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.examination import Examination, asks_server
from ingest.doctor.finding import Finding, State, finding_of
from ingest.source import Source
from models.contract.errors import BreakevenError

NAME = "servers"
NOTHING = ", and has nothing that is read"


def check_tracking_servers(exam: Examination) -> Iterator[Finding]:
    """Yields a finding per server, such as MLflow or Prometheus: whether it answers."""
    for source in exam.sources:
        if asks_server(source):
            yield _answers(source, exam)


def _answers(source: Source, exam: Examination) -> Finding:
    try:
        first = next(iter(source.fetch(exam.fetch_context)), None)
    except BreakevenError as error:
        exam.explained_already.add(source.location)
        return finding_of(NAME, source.name, error)
    delivered = any(one.key.source == source.name for one in exam.zone.live(source.format))
    nothing = "" if first else ", and has nothing new" if delivered else NOTHING
    state: State = "warning" if nothing == NOTHING else "ok"
    return Finding(NAME, source.name, state, f"{source.location} answers{nothing}")
