"""The Cost Explorer feed: one account's bill by day, or only the monthly total of an export.

In come the months that are due and the day's budget; out comes a delivery per month, whole or not
at all. Every request that is made is listed in `requests`. Serves METHOD §2.
"""

from ingest.sources.cost_explorer.feed import CostExplorer

__all__ = ["CostExplorer"]
