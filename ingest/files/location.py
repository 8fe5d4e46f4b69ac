"""Opens the `location` of a `[[sources]]` entry: S3, or a path relative to the config file."""

from __future__ import annotations

from pydantic import Field

from ingest import aws
from ingest.files.folder import Folder
from ingest.files.s3 import SCHEME, BilledTo, Bucket, bucket_and_prefix
from ingest.files.store import Store
from models.config.settings import Settings
from models.contract.errors import ConfigError


class FileOptions(aws.Access):
    """Options of a source of files. `location`: `s3://bucket/prefix`, a path, or a glob."""

    location: str = Field(min_length=1)


def open_store(
    options: FileOptions, settings: Settings, billed_to: BilledTo | None = None
) -> Store:
    """Opens a location as a store of files; `ConfigError` if invalid or the warehouse is in it.

    Nothing is read yet. `billed_to` says where S3 requests are recorded; without it none may be
    sent.
    """
    location = options.location
    if location.startswith(SCHEME):
        bucket_and_prefix(location)
        return Bucket(location.rstrip("/"), options, billed_to)
    if "://" in location:
        raise ConfigError("unknown location", value=location, remedy="s3://bucket/prefix or a path")
    path = settings.resolve(location)
    if settings.data.is_relative_to(path):
        raise ConfigError(
            "this location holds the warehouse itself",
            value=location,
            remedy="put the files into a folder of their own",
        )
    if any("**" in part and part != "**" for part in path.parts) and not path.exists():
        raise ConfigError(
            "** stands for whole folders", value=location, remedy="write it as in logs/**/*.csv"
        )
    return Folder(path)
