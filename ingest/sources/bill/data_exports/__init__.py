"""Fetches AWS Data Exports in FOCUS and CUR 2.0, from a folder or S3.

In: a location. Out: a delivery per export and billing month, of exactly the files that its manifest
names. Serves METHOD §2.
"""

from ingest.sources.bill.data_exports.cur2 import Cur2
from ingest.sources.bill.data_exports.focus import Focus

__all__ = ["Cur2", "Focus"]
