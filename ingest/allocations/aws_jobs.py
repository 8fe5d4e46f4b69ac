"""The base class of the sources that read the jobs of AWS Batch and of SageMaker training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ingest import aws
from ingest.allocations.deliveries import FORMAT
from ingest.source import Group, Options
from models.config.settings import Settings


@dataclass(frozen=True)
class AwsJobs:
    """The base class of sources that read one account's and region's jobs of an AWS scheduler."""

    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = FORMAT
    accepts: ClassVar[type[Options]] = aws.Access
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = True

    name: str
    options: aws.Access
    settings: Settings
