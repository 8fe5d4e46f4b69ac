"""Whether servers that are not AWS's answer: what a source lists first, by the source itself."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.examination import Examination, asks_aws
from ingest.doctor.finding import Finding, refused
from ingest.files.location import FileOptions
from ingest.source import Source
from models.contract.errors import BreakevenError

NAME = "servers"


def check(exam: Examination) -> Iterator[Finding]:
    """One finding per source that reads neither AWS nor files."""
    for source in exam.sources:
        if not asks_aws(source) and not isinstance(source.options, FileOptions):
            yield _asked(source, exam)


def _asked(source: Source, exam: Examination) -> Finding:
    try:
        first = next(iter(source.fetch(exam.context)), None)
    except BreakevenError as error:
        exam.explained_already.add(source.location)
        return refused(NAME, source.name, error)
    found = f"{source.location} answers" + ("" if first else ", and has no run that is mapped")
    return Finding(NAME, source.name, "ok" if first else "warning", found)
