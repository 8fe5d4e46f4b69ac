"""Checks, free, that the payer can list the organisation's accounts if a source needs them all."""

from __future__ import annotations

from collections.abc import Iterator

from ingest import aws
from ingest.aws import accounts, organization
from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding, finding_of
from models.contract.errors import BreakevenError

NAME = "organization"


def check_organization(exam: Examination) -> Iterator[Finding]:
    """Adds the payer's accounts to the settings if a source needs all; yields how many are open."""
    payer = exam.settings.organization.payer
    if not payer or not isinstance(exam.own_identity, aws.Identity):
        return
    try:
        complete = organization.with_all_members(exam.settings)
    except BreakevenError as error:
        yield finding_of(NAME, f"accounts of {payer}", error)
        return
    if complete is exam.settings:
        return
    exam.replace_settings(complete)
    open_ = sum(accounts.is_pulled(one, complete) for one in complete.accounts)
    yield Finding(NAME, f"accounts of {payer}", "ok", f"{open_} are open")
