"""Pulls every source once: fetches, checks and seals its deliveries, and reports the result.

In: the settings and the sources to ask. Out: sealed deliveries in the raw zone, two lines per
source in the journal, and a report of what came and what failed. It also refuses what would count a
bill twice or lose a month of it. Serves docs/architecture.md.
"""

from ingest.pull.one_pull import pull
from ingest.pull.report import Report, Result, Step, report_of

__all__ = ["Report", "Result", "Step", "pull", "report_of"]
