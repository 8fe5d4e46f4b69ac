"""What the feeds of AWS's own schedulers share: whom they ask, and how they are filed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ingest import aws
from ingest.allocations.deliveries import FORMAT
from ingest.source import Group, Options
from models.config.settings import Settings


@dataclass(frozen=True)
class AwsJobs:
    """The base of sources that read jobs of one account and region from a scheduler of AWS."""

    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = FORMAT
    accepts: ClassVar[type[Options]] = aws.Access
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = True

    name: str
    options: aws.Access
    settings: Settings
