"""Predicts what a month of reading files from S3 costs: listings, and each object that is read."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ingest.estimate.prediction import Prediction
from ingest.estimate.scale import Scale
from ingest.files import s3
from ingest.files.location import FileOptions
from ingest.source import Source

LISTING, READING = s3.PRICES["ListObjectsV2"], s3.PRICES["GetObject"]


def files(empty: Prediction, source: Source, pulls: list[datetime], scale: Scale) -> Prediction:
    """Predicts a month's S3 requests and dollars of a file feed; local files cost nothing.

    Each pull of an export makes a listing and reads every manifest and the new files; a pull of any
    other feed reads all files that it lists.
    """
    given = source.options  # `source.location` is words
    if not (isinstance(given, FileOptions) and given.location.startswith(s3.SCHEME)):
        return empty
    known = scale.months if source.group == "cost" else 0
    read = 0
    for pull in pulls:
        rewritten = 2 if known and pull.day <= scale.restated_days else 1
        read += known + rewritten * scale.files
    dollars = len(pulls) * LISTING + read * READING
    return replace(empty, requests=len(pulls) + read, dollars=dollars)
