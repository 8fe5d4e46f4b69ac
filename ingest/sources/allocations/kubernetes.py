"""Kubernetes: pods that had accelerators, from a Prometheus or from files of `kubectl`.

Key: the cluster and the UTC day. Cursor: none; the last two weeks are asked for, else the days that
are named.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from ingest.allocations.deliveries import FORMAT
from ingest.allocations.kubernetes.prometheus import Prometheus
from ingest.allocations.kubernetes.reading import SERVER, KubernetesReading
from ingest.files.location import FileOptions, open_store
from ingest.files.s3 import BilledTo
from ingest.source import Batch, FetchContext, Group, Options
from models.config.settings import Settings
from models.contract.safe_text import without_credentials


class KubernetesOptions(FileOptions):
    """Options of a Kubernetes source: its cluster, and the address or files of its pods.

    `location` is a Prometheus (`http://…`), or files that `kubectl get -o json` wrote. `selector`
    are matchers for a Prometheus that holds several clusters, such as `cluster="prod"`.
    """

    cluster: str = Field(min_length=1)
    selector: str = ""
    token_file: str | None = Field(default=None, min_length=1)


@dataclass(frozen=True)
class Kubernetes:
    """The Kubernetes feed: pods of one cluster that had accelerators, as allocations."""

    kind: ClassVar[str] = "kubernetes"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = FORMAT
    accepts: ClassVar[type[Options]] = KubernetesOptions
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = False

    name: str
    options: KubernetesOptions
    settings: Settings

    @property
    def location(self) -> str:
        """The feed's location in words: the cluster, and its Prometheus or its files."""
        given = self.options
        if given.location.startswith(SERVER):
            return f"{given.cluster} by {without_credentials(given.location)}"
        return f"{given.cluster} in {open_store(given, self.settings).location}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields a delivery of pod allocations per new or changed UTC day of a cluster."""
        given = self.options
        reading = KubernetesReading(self, self.settings, given.cluster, given.selector)
        if given.location.startswith(SERVER):
            token = self.settings.resolve(given.token_file) if given.token_file else None
            return reading.batches(Prometheus(given.location, token), context)
        store = open_store(given, self.settings, BilledTo(context.ledger, self.name))
        return reading.batches(store, context)
