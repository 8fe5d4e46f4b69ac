"""Who is in the organisation, where a source asks for every account: its payer is asked, free."""

from __future__ import annotations

from collections.abc import Iterator

from ingest import aws
from ingest.aws import organization
from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding, refused
from models.contract.errors import BreakevenError

NAME = "organization"


def check(exam: Examination) -> Iterator[Finding]:
    """The accounts that AWS lists are examined like those of the config from here on."""
    payer = exam.settings.organization.payer
    if not payer or not isinstance(exam.own_identity, aws.Identity):
        return
    try:
        complete = organization.with_all_members(exam.settings)
        exam.replace_settings(complete)
    except BreakevenError as error:
        yield refused(NAME, f"accounts of {payer}", error)
        return
    open_ = sum(not one.closed for one in complete.accounts)
    yield Finding(NAME, f"accounts of {payer}", "ok", f"{open_} are open")
