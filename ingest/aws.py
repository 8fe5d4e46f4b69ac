"""How AWS is reached: the standard configuration, an optional role, and its refusals in one line.

Profiles, environment, instance roles, regions and `AWS_ENDPOINT_URL*` are boto3's own business.
The retry mode is set here, because only `standard` retries Cost Explorer's throttling code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import botocore.exceptions as refused
from botocore.config import Config
from pydantic import Field, model_validator

from ingest.source import Options
from models.errors import SourceError

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
REMEDIES = {
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
    "InvalidClientTokenId": "check the access key",
    "UnrecognizedClientException": "check the access key",
    "InvalidAccessKeyId": "check the access key",
    "SignatureDoesNotMatch": "check the secret key and the clock",
    "PermanentRedirect": "set `region` to the bucket's",
    "LimitExceededException": "AWS throttles: run again later",
    "ThrottlingException": "AWS throttles: run again later",
    "DataUnavailableException": "AWS is still preparing the data: run again tomorrow",
}


class Access(Options):
    """Whose eyes a source reads with: `role_arn` is assumed where it is given."""

    region: str | None = None
    role_arn: str | None = Field(default=None, pattern=r"^arn:[\w-]+:iam::\d{12}:role/.+$")
    external_id: str | None = Field(default=None, min_length=2, max_length=1224)

    @model_validator(mode="after")
    def _role_named(self) -> Access:
        if self.external_id and not self.role_arn:
            raise ValueError("external_id needs role_arn")
        return self


def client(service: str, access: Access) -> Any:  # noqa: ANN401 - boto3 makes its clients at run time
    """A boto3 client of `service`. Raises `SourceError` where no role can be assumed."""
    with refusals(f"AWS {service}"):
        return _session(access).client(service, config=CONFIG)  # type: ignore[call-overload]


def account(access: Access) -> str:
    """The account that answers: twelve digits. A free call."""
    with refusals("sts:GetCallerIdentity"):
        return str(client("sts", access).get_caller_identity()["Account"])


@contextmanager
def refusals(what: str) -> Iterator[None]:
    """Turns every way in which AWS or the way to it can fail into one line naming `what`."""
    try:
        yield
    except NO_CREDENTIALS as error:
        remedy = "set AWS_PROFILE or the usual AWS variables"
        raise SourceError(f"{what}: no AWS credentials", value=error, remedy=remedy) from None
    except refused.NoRegionError:
        raise SourceError(f"{what}: no AWS region", remedy="set `region` or AWS_REGION") from None
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
    return SourceError(
        f"{what} was refused",
        value=f"{code}: {given.get('Message', '')}".strip(": "),
        remedy=REMEDIES.get(code, "see the AWS documentation of this code"),
    )


def _session(access: Access) -> boto3.Session:
    session = boto3.Session(region_name=access.region)
    if not access.role_arn:
        return session
    with refusals(f"sts:AssumeRole {access.role_arn}"):
        extra = {"ExternalId": access.external_id} if access.external_id else {}
        sts: Any = session.client("sts", config=CONFIG)
        answer = sts.assume_role(RoleArn=access.role_arn, RoleSessionName="breakeven", **extra)
    granted = answer["Credentials"]
    return boto3.Session(
        aws_access_key_id=granted["AccessKeyId"],
        aws_secret_access_key=granted["SecretAccessKey"],
        aws_session_token=granted["SessionToken"],
        region_name=access.region or session.region_name,
    )
