"""Estimates what AWS requests of the configured schedule cost a month, without sending any.

In: the settings and an assumed size of the company. Out: a prediction per source, with the
assumptions in words and what the ledger recorded recently. Serves the `estimate` verb,
docs/architecture.md.
"""

from ingest.estimate.month import Estimate, estimate
from ingest.estimate.scale import Scale

__all__ = ["Estimate", "Scale", "estimate"]
