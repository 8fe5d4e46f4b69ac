"""Lists the organisation's accounts by asking its payer (`organizations:ListAccounts`, free).

This is done only for a source with `accounts = ["*"]`. An account whose state is not `ACTIVE` is
not pulled, and each pull logs that. What the config says about an account wins over what AWS says.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from typing import NamedTuple

from ingest import aws
from ingest.aws import accounts
from models.config.accounts import EVERY, AccountEntry
from models.config.settings import Settings
from models.contract.errors import BreakevenError

OPERATION = "organizations:ListAccounts"
ACTIVE = "ACTIVE"
LONG_AGO = date.min

log = logging.getLogger("breakeven.ingest")


class Member(NamedTuple):
    """An AWS account as the organisation lists it; `state` is AWS's word, such as `ACTIVE`."""

    id: str
    name: str
    state: str


def with_all_members(settings: Settings, names: Collection[str] = ()) -> Settings:
    """Returns the settings with all the organisation's accounts added, if a source reads them all.

    The settings stay as they are unless a payer is set and one of the named sources, or of all if
    none is named, has `*` among its accounts. Raises `BreakevenError`.
    """
    needed = any(
        EVERY in entry.accounts and (not names or entry.label in names)
        for entry in settings.sources
    )
    known = {one.id: one for one in accounts.configured_accounts(settings)}
    payer = known.get(settings.organization.payer or "")
    if not (needed and payer):
        return settings
    for member in _list_members(payer, settings):
        known[member.id] = _account_entry(member, known, settings)
    return settings.model_copy(update={"accounts": tuple(known.values())})


def _list_members(payer: AccountEntry, settings: Settings) -> Iterable[Member]:
    """Returns the organisation's accounts, which the payer's account gets from ListAccounts.

    Raises `BreakevenError` with the payer's name.
    """
    access = accounts.access_to(payer)
    try:
        aws.account(access)
        client = aws.client("organizations", access)
        with aws.refusals(OPERATION):
            return list(_members(client.get_paginator("list_accounts").paginate()))
    except BreakevenError as error:
        raise error.prefixed(f"organization.payer {payer.display_name}") from None


def _members(pages: Iterable[dict[str, list[dict[str, str]]]]) -> Iterator[Member]:
    """Yields the AWS accounts on the pages of a ListAccounts answer."""
    for page in pages:
        for found in page["Accounts"]:
            state = found.get("State") or found["Status"]
            yield Member(found["Id"], found.get("Name", ""), state)


def _account_entry(
    member: Member, known: dict[str, AccountEntry], settings: Settings
) -> AccountEntry:
    """Returns a member account's config entry, or a new one; an inactive account's is closed.

    Where AWS does not call the account active, nobody can sign in to it: the entry is marked as
    closed long ago, so that it is not pulled, with a warning in the log.
    """
    taken = {label for one in known.values() for label in (one.id, one.name)}
    name = "" if member.name in (*taken, EVERY) else member.name
    fresh = AccountEntry(id=member.id, name=name).completed(settings.organization)
    entry = known.get(member.id, fresh)
    if member.state == ACTIVE or not accounts.is_pulled(entry, settings):
        return entry
    log.warning(
        "account %s is %s in the organisation: it is not pulled", entry.display_name, member.state
    )
    return entry.model_copy(update={"closed": LONG_AGO})
