"""Turns every failure of AWS, or of the way to it, into one readable line with a remedy.

A new error code is one line in `REMEDIES`; a code without one is shown as AWS wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import botocore.exceptions as botocore_errors
from botocore.parsers import ResponseParserError

from models.contract.errors import SourceError

NO_CREDENTIALS = (
    botocore_errors.NoCredentialsError,
    botocore_errors.PartialCredentialsError,
    botocore_errors.CredentialRetrievalError,
    botocore_errors.ProfileNotFound,
    botocore_errors.TokenRetrievalError,
    botocore_errors.SSOError,
    botocore_errors.UnauthorizedSSOTokenError,
)
UNREACHABLE = (botocore_errors.HTTPClientError, botocore_errors.ConnectionError)
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
    "AssumeRole": "the role must exist, and its trust policy allow this caller and external_id",
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
    **dict.fromkeys(FAULTS, "an error inside AWS: run again later"),
    "DataUnavailableException": "AWS is still preparing the data: run again tomorrow",
}


@contextmanager
def refusals(what: str) -> Iterator[None]:
    """Turns AWS failures inside a `with` block into one-line `SourceError`s, most with a remedy.

    The line begins with `what`, the action, such as `ce:GetCostAndUsage`.
    """
    try:
        yield
    except NO_CREDENTIALS as error:
        remedy = "set AWS_PROFILE or the usual AWS variables"
        raise SourceError(f"{what}: no AWS credentials", value=error, remedy=remedy) from None
    except botocore_errors.NoRegionError:
        raise SourceError(
            f"{what}: no AWS region", remedy="set `region` or AWS_DEFAULT_REGION"
        ) from None
    except UNREACHABLE as error:
        raise SourceError(
            f"{what}: AWS cannot be reached", value=error, remedy="check the network, run again"
        ) from None
    except botocore_errors.ClientError as error:
        raise _refused(what, error) from None
    except ResponseParserError:
        raise SourceError(
            f"{what}: what AWS answered cannot be read",
            remedy="check that no proxy answers in its place, and run again",
        ) from None
    except botocore_errors.BotoCoreError as error:
        raise SourceError(f"{what} failed", value=error) from None


def _refused(what: str, error: botocore_errors.ClientError) -> SourceError:
    given = error.response.get("Error", {})
    code = given.get("Code", "unknown")
    role = code == "AccessDenied" and error.operation_name == "AssumeRole"
    remedy = REMEDIES.get("AssumeRole" if role else code)
    return SourceError(
        f"{what} was refused",
        value=f"{code}: {given.get('Message', '')}".strip(": "),
        remedy=remedy or "see the AWS documentation of this code",
    )
