"""The tables `[organization]` and `[[accounts]]`: roles, regions, and which accounts are closed."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import AfterValidator, Field

from models.config.refusals.text_form import TextForm
from models.config.section import Section

EVERY = "*"
"""In `accounts` of a source: all accounts that are open."""
PLACE = "{account}"
"""In a role and in a location: the account's id."""
ROLE = "the ARN of a role, such as arn:aws:iam::999900000001:role/breakeven-reader"


def _twelve(text: str) -> str:
    if not (len(text) == 12 and text.isascii() and text.isdecimal()):
        raise ValueError("an account id is twelve digits, in quotes")
    return text


def _once(regions: tuple[str, ...]) -> tuple[str, ...]:
    for region in regions:
        if regions.count(region) > 1:
            raise ValueError(f"{region!r} is given more than once")
    return regions


AccountId = Annotated[str, AfterValidator(_twelve)]
Region = Annotated[str, TextForm(r"^[a-z]+(-[a-z]+)+-\d+$", "a region, such as us-east-1")]
Role = Annotated[str, TextForm(r"^(arn:[\w-]+:iam::(\d{12}|\{account\}):role/.+)?$", ROLE)]
"""A role, in which `{account}` may stand for the account's id."""
RoleArn = Annotated[str, TextForm(r"^arn:[\w-]+:iam::\d{12}:role/.+$", ROLE)]
Regions = Annotated[tuple[Region, ...], AfterValidator(_once)]
ExternalId = Annotated[str, Field(min_length=2, max_length=1224)]


class Organization(Section):
    """The table `[organization]`: payer account, and accounts' default role, external id, regions.

    `payer` is the account that lists the members of the organisation. An account without a role,
    external id or regions of its own gets these.
    """

    payer: AccountId | None = None
    role_arn: Role = ""
    external_id: ExternalId | None = None
    regions: Regions = ()


class AccountEntry(Section):
    """One `[[accounts]]` table: an AWS account, its role, its regions, its last day if closed.

    `closed` is the last day for which its bill has charges. Without a `role_arn`, the configured
    credentials are used as they are.
    """

    id: AccountId
    name: str = ""
    role_arn: Role | None = None
    external_id: ExternalId | None = None
    regions: Regions = ()
    closed: date | None = None

    @property
    def label(self) -> str:
        """Returns an account's `name`, else its `id`; a source may name it by either."""
        return self.name or self.id

    @property
    def display_name(self) -> str:
        """Returns an AWS account as users see it: `name (id)`, or the id alone without a name."""
        return f"{self.name} ({self.id})" if self.name else self.id

    def completed(self, organization: Organization) -> AccountEntry:
        """Returns the account with missing role, external id, regions from `[organization]`.

        Raises `ValueError` where the role belongs to another account.
        """
        role = organization.role_arn if self.role_arn is None else self.role_arn
        role = role.replace(PLACE, self.id)
        if self.external_id and not role:
            raise ValueError(f"external_id of {self.label} needs role_arn")
        if role and role.split(":")[4] != self.id:
            raise ValueError(f"{role} is not a role of {self.label}")
        known = {
            "role_arn": role,
            "external_id": (self.external_id or organization.external_id) if role else None,
            "regions": self.regions or organization.regions,
        }
        return self.model_copy(update=known)


def refuse_ambiguous(entries: tuple[AccountEntry, ...]) -> None:
    """Raises `ValueError` if accounts share an id or a name, a name is an id, or a name is `*`."""
    ids = [entry.id for entry in entries]
    names = [entry.name for entry in entries if entry.name]
    for name in (*ids, *names):
        if (*ids, *names).count(name) > 1:
            raise ValueError(f"{name!r} is given more than once")
    if EVERY in names:
        raise ValueError(f"{EVERY!r} means all of them: choose another name")
