"""Whether servers that are not AWS's answer: what a source lists first, by the source itself."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.examination import Patient, asks_aws
from ingest.doctor.finding import Finding, refused
from ingest.files.s3 import Place
from ingest.source import Source
from models.contract.errors import BreakevenError

NAME = "servers"


def check(patient: Patient) -> Iterator[Finding]:
    """One finding per source that reads neither AWS nor files."""
    for source in patient.sources:
        if not asks_aws(source) and not isinstance(source.options, Place):
            yield _asked(source, patient)


def _asked(source: Source, patient: Patient) -> Finding:
    try:
        first = next(iter(source.fetch(patient.visit)), None)
    except BreakevenError as error:
        patient.faulty.add(source.location)
        return refused(NAME, source.name, error)
    found = f"{source.location} answers" + ("" if first else ", and has no run that is mapped")
    return Finding(NAME, source.name, "ok" if first else "warning", found)
