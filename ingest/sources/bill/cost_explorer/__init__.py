"""Fetches one account's bill from Cost Explorer by day, or only totals that check an export.

In: the months that are due and the day's budget. Out: a delivery per month, whole or not at all.
Every request that is made is listed in `requests`. Serves METHOD §2.
"""

from ingest.sources.bill.cost_explorer.feed import CostExplorer

__all__ = ["CostExplorer"]
