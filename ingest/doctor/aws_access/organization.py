"""Who is in the organisation, where a source asks for every account: its payer is asked, free."""

from __future__ import annotations

from collections.abc import Iterator

from ingest import aws
from ingest.aws import organization
from ingest.doctor.examination import Patient
from ingest.doctor.finding import Finding, refused
from models.contract.errors import BreakevenError

NAME = "organization"


def check(patient: Patient) -> Iterator[Finding]:
    """The accounts that AWS lists are examined like those of the config from here on."""
    payer = patient.settings.organization.payer
    if not payer or not isinstance(patient.own, aws.Identity):
        return
    try:
        complete = organization.completed(patient.settings)
        patient.learn(complete)
    except BreakevenError as error:
        yield refused(NAME, f"accounts of {payer}", error)
        return
    open_ = sum(not one.closed for one in complete.accounts)
    yield Finding(NAME, f"accounts of {payer}", "ok", f"{open_} are open")
