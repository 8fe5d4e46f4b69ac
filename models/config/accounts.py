"""The accounts of an organisation: how each is entered, where it runs, and whether it is closed."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import AfterValidator, Field

from models.config.section import Section

EVERY = "*"
"""All accounts that are open, in `accounts` of a source."""
PLACE = "{account}"
"""Stands for the account's id in a role and in a location."""
ROLE = r"^(arn:[\w-]+:iam::(\d{12}|\{account\}):role/.+)?$"


def _twelve(text: str) -> str:
    if not (len(text) == 12 and text.isascii() and text.isdecimal()):
        raise ValueError("an account id is twelve digits, in quotes")
    return text


def _once(regions: tuple[str, ...]) -> tuple[str, ...]:
    for region in regions:
        if regions.count(region) > 1:
            raise ValueError(f"{region!r} stands more than once")
    return regions


AccountId = Annotated[str, AfterValidator(_twelve)]
Region = Annotated[str, Field(pattern=r"^[a-z]+(-[a-z]+)+-\d+$")]
Regions = Annotated[tuple[Region, ...], AfterValidator(_once)]
ExternalId = Annotated[str, Field(min_length=2, max_length=1224)]


class Organization(Section):
    """How accounts are entered that do not say it themselves; `payer` is asked who they all are."""

    payer: AccountId | None = None
    role_arn: str = Field("", pattern=ROLE)
    external_id: ExternalId | None = None
    regions: Regions = ()


class AccountEntry(Section):
    """One account. `closed`: the last day that its bill has charges for, of any kind.

    An empty `role_arn` means the configured credentials themselves.
    """

    id: AccountId
    name: str = ""
    role_arn: str | None = Field(None, pattern=ROLE)
    external_id: ExternalId | None = None
    regions: Regions = ()
    closed: date | None = None

    @property
    def label(self) -> str:
        """What the config calls it: its name, else its id."""
        return self.name or self.id

    @property
    def called(self) -> str:
        """For people."""
        return f"{self.name} ({self.id})" if self.name else self.id

    def entered(self, organization: Organization) -> AccountEntry:
        """With what the organisation says where the account does not. Raises `ValueError`."""
        role = organization.role_arn if self.role_arn is None else self.role_arn
        role = role.replace(PLACE, self.id)
        if self.external_id and not role:
            raise ValueError(f"external_id of {self.label} needs role_arn")
        if role and role.split(":")[4] != self.id:
            raise ValueError(f"{role} is no role of {self.label}")
        known = {
            "role_arn": role,
            "external_id": (self.external_id or organization.external_id) if role else None,
            "regions": self.regions or organization.regions,
        }
        return self.model_copy(update=known)


def told_apart(entries: tuple[AccountEntry, ...]) -> None:
    """Raises `ValueError` where an id or a name could mean two accounts."""
    ids = [entry.id for entry in entries]
    names = [entry.name for entry in entries if entry.name]
    for name in (*ids, *names):
        if (*ids, *names).count(name) > 1:
            raise ValueError(f"{name!r} stands more than once")
    if EVERY in names:
        raise ValueError(f"{EVERY!r} means all of them: choose another name")
