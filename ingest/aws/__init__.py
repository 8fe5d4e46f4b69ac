"""Gives access to AWS: sessions, roles, accounts and regions, and calls that sources share.

In: the options of a `[[sources]]` entry. Out: boto3 clients whose failures are one readable line,
the accounts and regions an entry stands for, and complete listings and metrics. Serves
docs/architecture.md; requests that cost money are recorded by `ingest.paid_requests`.
"""

from ingest.aws.refusals import refusals
from ingest.aws.sessions import Access, Identity, account, client, identity

__all__ = ["Access", "Identity", "account", "client", "identity", "refusals"]
