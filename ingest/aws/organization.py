"""Who else is in the organisation: its payer lists them, by `organizations:ListAccounts`, for free.

Only `accounts = ["*"]` asks. An account that AWS calls anything but active cannot be entered: it is
not pulled, and that is said each time. What the config says of an account counts.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ingest import aws
from ingest.aws import accounts
from models.config.accounts import EVERY
from models.config.settings import AccountEntry, Settings
from models.contract.errors import BreakevenError

OPERATION = "organizations:ListAccounts"
ACTIVE = "ACTIVE"

log = logging.getLogger("breakeven.ingest")


class Member(NamedTuple):
    """An account as the organisation knows it; `state` in AWS's own word."""

    id: str
    name: str
    state: str


def completed(settings: Settings, names: Collection[str] = ()) -> Settings:
    """With every account that the payer lists, where one of the named sources asks for all.

    Raises `SourceError`.
    """
    asked = any(
        EVERY in entry.accounts and (not names or entry.label in names)
        for entry in settings.sources
    )
    known = {one.id: one for one in accounts.everyone(settings)}
    payer = known.get(settings.organization.payer or "")
    if not (asked and payer):
        return settings
    for member in _listed(payer, settings):
        known[member.id] = _entry(member, known, settings)
    return settings.model_copy(update={"accounts": tuple(known.values())})


def _listed(payer: AccountEntry, settings: Settings) -> Iterable[Member]:
    access = accounts.access(payer)
    try:
        aws.account(access)
        client = aws.client("organizations", access)
        with aws.refusals(OPERATION):
            return list(_members(client.get_paginator("list_accounts").paginate()))
    except BreakevenError as error:
        raise error.of(f"organization.payer {payer.called}") from None


def _members(pages: Iterable[dict[str, list[dict[str, str]]]]) -> Iterator[Member]:
    for page in pages:
        for found in page["Accounts"]:
            state = found.get("State") or found["Status"]
            yield Member(found["Id"], found.get("Name", ""), state)


def _entry(member: Member, known: dict[str, AccountEntry], settings: Settings) -> AccountEntry:
    """As the config has it, else entered as all are; closed where nobody can enter it."""
    taken = {label for one in known.values() for label in (one.id, one.name)}
    name = "" if member.name in (*taken, EVERY) else member.name
    fresh = AccountEntry(id=member.id, name=name).entered(settings.organization)
    entry = known.get(member.id, fresh)
    if member.state == ACTIVE or entry.closed:
        return entry
    log.warning(
        "account %s is %s in the organisation: it is not pulled", entry.called, member.state
    )
    return entry.model_copy(update={"closed": settings.today})
