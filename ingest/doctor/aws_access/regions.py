"""Names regions of the config that botocore does not know."""

from __future__ import annotations

from collections.abc import Iterator

from ingest import aws
from ingest.aws import regions
from ingest.doctor.examination import Examination, access_of
from ingest.doctor.finding import Finding
from models.config.refusals.unknown_keys import nearest

NAME = "regions"


def check_regions(exam: Examination) -> Iterator[Finding]:
    """Yields a finding per unknown region of the config: `blocks` or, if it answers, a warning."""
    silent = {
        exam.region(source)
        for source in exam.aws_sources
        if not isinstance(exam.identity_of(access_of(source)), aws.Identity)
    }
    for region, where in _named(exam).items():
        remedy = nearest(region, sorted(regions.known_regions()))
        if region in silent:
            found = "AWS has no such region, and nothing answers there"
            yield Finding(NAME, f'{where} "{region}"', "blocks", found, remedy)
        else:
            found = "this version of botocore knows no such region"
            yield Finding(NAME, f'{where} "{region}"', "warning", found, remedy)


def _named(exam: Examination) -> dict[str, str]:
    """Maps each unknown AWS region to the place in the config that names it first."""
    settings = exam.settings
    named = [
        *((exam.region(s), f"[[sources]] {s.name}") for s in exam.aws_sources),
        *((one, "organization.regions") for one in settings.organization.regions),
        *(
            (one, f"[[accounts]] {each.label}")
            for each in settings.accounts
            for one in each.regions
        ),
        *((block.region, "[[capacity_blocks]]") for block in settings.capacity_blocks),
    ]
    return {r: where for r, where in reversed(named) if r and regions.is_unknown(r)}
