"""What the configured schedule will cost in AWS API dollars per month, before any request is sent.

In come the settings and an assumed size of the company; out comes a prediction per source, with the
assumptions in words and what the ledger recorded lately. Serves the `estimate` verb,
docs/architecture.md.
"""

from ingest.estimate.month import Estimate, estimate
from ingest.estimate.scale import Scale

__all__ = ["Estimate", "Scale", "estimate"]
