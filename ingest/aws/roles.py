"""Creates sessions that assume an AWS role and renew its credentials.

A role's credentials last an hour. botocore renews them before they end, so a backfill may take
longer than that.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import boto3
import botocore.exceptions
import botocore.session
from botocore.credentials import (
    AssumeRoleCredentialFetcher,
    CredentialProvider,
    CredentialResolver,
    DeferredRefreshableCredentials,
)

from ingest.aws.client_config import CONFIG, new_session
from ingest.aws.refusals import refusals


def assume(role: str, external_id: str | None, region: str | None) -> boto3.Session:
    """Assumes an AWS role and returns its session. Raises `SourceError` if AWS refuses it.

    The role is assumed once right away, so that a refusal shows at the start of a pull.
    """
    provider = _RoleProvider(role, external_id, region)
    provider.grant()
    session = new_session()
    session.register_component("credential_provider", CredentialResolver([provider]))
    return boto3.Session(botocore_session=session, region_name=region)


class _RoleProvider(CredentialProvider):
    """A credential provider whose only credentials are those of an assumed role."""

    METHOD = "assume-role"

    def __init__(self, role: str, external_id: str | None, region: str | None) -> None:
        caller = new_session()
        own = caller.get_credentials()
        if own is None:
            raise botocore.exceptions.NoCredentialsError
        extra = {"ExternalId": external_id} if external_id else {}
        self.role = role
        self.fetcher = AssumeRoleCredentialFetcher(
            partial(
                caller.create_client, region_name=_sts_region(caller, role, region), config=CONFIG
            ),
            own,
            role,
            extra_args={"RoleSessionName": "breakeven", **extra},
        )

    def grant(self) -> dict[str, Any]:
        """Returns credentials of the role from STS; botocore calls this again before they end."""
        with refusals(f"sts:AssumeRole {self.role}"):
            return dict(self.fetcher.fetch_credentials())

    def load(self) -> DeferredRefreshableCredentials:
        """Returns role credentials that renew themselves."""
        return DeferredRefreshableCredentials(self.grant, self.METHOD)


def _sts_region(caller: botocore.session.Session, role: str, region: str | None) -> str | None:
    """Returns the region whose STS to ask: the caller's, if in the role's partition, else `region`.

    STS of another region answers only accounts that have opted in to that region.
    """
    home = caller.get_config_variable("region")
    partition = role.split(":")[1]
    at_home = home and caller.get_partition_for_region(home) == partition
    return home if at_home else region
