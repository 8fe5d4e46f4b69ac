"""Opens AWS sessions and clients for a source, and asks AWS who the caller is.

A source's options (`Access`) name an account, a region and a role; all of them may be left out.
Failures arrive as one readable line (`ingest.aws.refusals`).
"""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, NamedTuple

import boto3
from pydantic import model_validator

from ingest.aws import roles, truncated_responses
from ingest.aws.client_config import CONFIG, new_session
from ingest.aws.refusals import refusals
from ingest.source import Options
from models.config.accounts import AccountId, ExternalId, RoleArn
from models.contract.errors import SourceError


class Access(Options):
    """Options of a source that reads AWS: account, region, and the role to assume, all optional.

    With `account` the credentials must be that account's, else the source is refused.
    """

    account: AccountId | None = None
    region: str | None = None
    role_arn: RoleArn | None = None
    external_id: ExternalId | None = None

    @model_validator(mode="after")
    def _external_id_needs_role(self) -> Access:
        if self.external_id and not self.role_arn:
            raise ValueError("external_id needs role_arn")
        return self

    @property
    def region_label(self) -> str:
        """The AWS region of a source in words: its name, or "the configured region"."""
        return self.region or "the configured region"

    @property
    def caller_label(self) -> str:
        """The AWS caller in words: the role's ARN, or "the configured credentials"."""
        return self.role_arn or "the configured credentials"

    @cached_property
    def session(self) -> boto3.Session:
        """The boto3 session of a source; all clients made from it share its credentials.

        Raises `SourceError` where AWS refuses the role.
        """
        if self.role_arn:
            return roles.assume(self.role_arn, self.external_id, self.region)
        return boto3.Session(botocore_session=new_session(), region_name=self.region)


def client(service: str, access: Access) -> Any:  # noqa: ANN401 - boto3 makes its clients at run time
    """Returns a boto3 client of an AWS service. Raises `SourceError` where the role is refused."""
    with refusals(f"AWS {service}"):
        made = access.session.client(service, config=CONFIG)  # type: ignore[call-overload]
    truncated_responses.refuse(made)
    return made


class Identity(NamedTuple):
    """Who AWS says the caller is: account and ARN, with the time on AWS's clock."""

    account: str
    arn: str
    answered_at: datetime


def identity(access: Access) -> Identity:
    """Returns who AWS says the caller is; `SourceError` if that is not the account in `access`.

    Also raises `SourceError` if AWS does not answer. The call is free and needs no permission.
    """
    with refusals("sts:GetCallerIdentity"):
        answer = client("sts", access).get_caller_identity()
    found = str(answer["Account"])
    if access.account not in (None, found):
        raise SourceError(
            "the credentials are another account's",
            value=f"{found}, not {access.account}",
            remedy="give this account a role_arn",
        )
    at = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
    return Identity(found, str(answer["Arn"]), at)


def account(access: Access) -> str:
    """Asks AWS for the id of the account in use; `SourceError` if it is not the configured one."""
    return identity(access).account
