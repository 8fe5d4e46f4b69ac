"""How AWS is reached: the standard configuration, an optional role, and its refusals in one line.

Profiles, environment, instance roles, regions and `AWS_ENDPOINT_URL*` are boto3's own business. A
role's credentials end after an hour and are renewed by botocore, so a backfill may take longer.
The retry mode is set here, because only `standard` retries Cost Explorer's throttling code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache, cached_property, partial
from typing import Any, NamedTuple, cast

import boto3
import botocore.exceptions as refused
import botocore.session
from botocore.config import Config
from botocore.credentials import (
    AssumeRoleCredentialFetcher,
    CredentialProvider,
    CredentialResolver,
    DeferredRefreshableCredentials,
)
from botocore.loaders import Loader
from pydantic import Field, model_validator

from ingest.aws import truncated_responses
from ingest.source import Options
from models.config.accounts import AccountId, ExternalId
from models.contract.errors import SourceError

CONFIG = Config(
    retries={"mode": "standard", "total_max_attempts": 4},
    connect_timeout=10,
    read_timeout=60,
    user_agent_extra="breakeven",
)
NO_CREDENTIALS = (
    refused.NoCredentialsError,
    refused.PartialCredentialsError,
    refused.CredentialRetrievalError,
    refused.ProfileNotFound,
    refused.TokenRetrievalError,
    refused.SSOError,
    refused.UnauthorizedSSOTokenError,
)
UNREACHABLE = (refused.HTTPClientError, refused.ConnectionError)
OPT_IN = "check the access key, and that the account has opted in to this region"
THROTTLED = (
    "LimitExceededException",
    "RequestLimitExceeded",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
)
FAULTS = ("InternalError", "InternalFailure", "InternalServerException", "ServiceUnavailable")
REMEDIES = {
    "AssumeRole": "the role must exist, and its trust policy name this caller and the external_id",
    "AccessDenied": "grant this action to the caller",
    "AccessDeniedException": "grant this action to the caller",
    "UnauthorizedOperation": "grant this action to the caller",
    "403": "grant this action to the caller",
    "NoSuchBucket": "check the bucket's name",
    "NoSuchKey": "it was removed meanwhile: run again",
    "404": "check the name",
    "PreconditionFailed": "it changed while it was read: run again",
    "412": "it changed while it was read: run again",
    "ExpiredToken": "sign in again",
    "ExpiredTokenException": "sign in again",
    "InvalidClientTokenId": OPT_IN,
    "UnrecognizedClientException": OPT_IN,
    "AuthFailure": OPT_IN,
    "OptInRequired": OPT_IN,
    "RegionDisabledException": OPT_IN,
    "InvalidAccessKeyId": "check the access key",
    "SignatureDoesNotMatch": "check the secret key and the clock",
    "InvalidSignatureException": "check the secret key and the clock",
    "RequestExpired": "set this machine's clock",
    "RequestTimeTooSkewed": "set this machine's clock",
    "PermanentRedirect": "set `region` to the bucket's",
    **dict.fromkeys(THROTTLED, "AWS throttles: run again later"),
    **dict.fromkeys(FAULTS, "a fault of AWS's own: run again later"),
    "DataUnavailableException": "AWS is still preparing the data: run again tomorrow",
}


class Access(Options):
    """Whose eyes a source reads with: `role_arn` is assumed where it is given.

    `account`: whose they have to be.
    """

    account: AccountId | None = None
    region: str | None = None
    role_arn: str | None = Field(default=None, pattern=r"^arn:[\w-]+:iam::\d{12}:role/.+$")
    external_id: ExternalId | None = None

    @model_validator(mode="after")
    def _role_named(self) -> Access:
        if self.external_id and not self.role_arn:
            raise ValueError("external_id needs role_arn")
        return self

    @property
    def place(self) -> str:
        """Where, in words."""
        return self.region or "the configured region"

    @property
    def reader(self) -> str:
        """With whose eyes, in words."""
        return self.role_arn or "the configured credentials"

    @cached_property
    def session(self) -> boto3.Session:
        """Made once: what is made of it shares its credentials. Raises `SourceError`."""
        if self.role_arn:
            return _assumed(self, self.role_arn)
        return boto3.Session(botocore_session=_core(), region_name=self.region)


def client(service: str, access: Access) -> Any:  # noqa: ANN401 - boto3 makes its clients at run time
    """A boto3 client of `service`. Raises `SourceError` where no role can be assumed."""
    with refusals(f"AWS {service}"):
        made = access.session.client(service, config=CONFIG)  # type: ignore[call-overload]
    truncated_responses.insist(made)
    return made


class Identity(NamedTuple):
    """Who AWS takes us for: account, ARN; and what its clock says."""

    account: str
    arn: str
    told_at: datetime


def identity(access: Access) -> Identity:
    """Who answers, by a call that is free and needs no right. Raises `SourceError`."""
    with refusals("sts:GetCallerIdentity"):
        told = client("sts", access).get_caller_identity()
    found = str(told["Account"])
    if access.account not in (None, found):
        raise SourceError(
            "the credentials are another account's",
            value=f"{found}, not {access.account}",
            remedy="give this account a role_arn",
        )
    at = parsedate_to_datetime(told["ResponseMetadata"]["HTTPHeaders"]["date"])
    return Identity(found, str(told["Arn"]), at)


def account(access: Access) -> str:
    """The account that answers: twelve digits. Raises `SourceError` for another's."""
    return identity(access).account


@contextmanager
def refusals(what: str) -> Iterator[None]:
    """Turns every way in which AWS or the way to it can fail into one line naming `what`."""
    try:
        yield
    except NO_CREDENTIALS as error:
        remedy = "set AWS_PROFILE or the usual AWS variables"
        raise SourceError(f"{what}: no AWS credentials", value=error, remedy=remedy) from None
    except refused.NoRegionError:
        raise SourceError(
            f"{what}: no AWS region", remedy="set `region` or AWS_DEFAULT_REGION"
        ) from None
    except UNREACHABLE as error:
        raise SourceError(
            f"{what}: AWS cannot be reached", value=error, remedy="check the network, run again"
        ) from None
    except refused.ClientError as error:
        raise _stated(what, error) from None
    except refused.BotoCoreError as error:
        raise SourceError(f"{what} failed", value=error) from None


def _stated(what: str, error: refused.ClientError) -> SourceError:
    given = error.response.get("Error", {})
    code = given.get("Code", "unknown")
    role = code == "AccessDenied" and error.operation_name == "AssumeRole"
    remedy = REMEDIES.get("AssumeRole" if role else code)
    return SourceError(
        f"{what} was refused",
        value=f"{code}: {given.get('Message', '')}".strip(": "),
        remedy=remedy or "see the AWS documentation of this code",
    )


def _core() -> botocore.session.Session:
    """A session of its own over the one reading of AWS's models: EC2's takes half a second."""
    core = botocore.session.get_session()
    core.register_component("data_loader", _models())
    return core


@cache
def _models() -> Loader:
    return cast(Loader, botocore.session.get_session().get_component("data_loader"))


class _Role(CredentialProvider):
    """The one provider of a session: the role, as the configured credentials are granted it."""

    METHOD = "assume-role"

    def __init__(self, role: str, access: Access) -> None:
        caller = _core()
        own = caller.get_credentials()
        if own is None:
            raise refused.NoCredentialsError
        extra = {"ExternalId": access.external_id} if access.external_id else {}
        self.role = role
        self.fetcher = AssumeRoleCredentialFetcher(
            partial(caller.create_client, region_name=_home(caller, role, access), config=CONFIG),
            own,
            role,
            extra_args={"RoleSessionName": "breakeven", **extra},
        )

    def granted(self) -> dict[str, Any]:
        """Credentials for an hour; called again before they end."""
        with refusals(f"sts:AssumeRole {self.role}"):
            return dict(self.fetcher.fetch_credentials())

    def load(self) -> DeferredRefreshableCredentials:
        """What renews itself."""
        return DeferredRefreshableCredentials(self.granted, self.METHOD)


def _home(caller: botocore.session.Session, role: str, access: Access) -> str | None:
    """Where the caller asks STS: another region's answers only who has opted in to it."""
    home = caller.get_config_variable("region")
    partition = role.split(":")[1]
    at_home = home and caller.get_partition_for_region(home) == partition
    return home if at_home else access.region


def _assumed(access: Access, role: str) -> boto3.Session:
    """A session that is the role; it was assumed once, so that a refusal is said at the start."""
    provider = _Role(role, access)
    provider.granted()
    core = _core()
    core.register_component("credential_provider", CredentialResolver([provider]))
    return boto3.Session(botocore_session=core, region_name=access.region)
