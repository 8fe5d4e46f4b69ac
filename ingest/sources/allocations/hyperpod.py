"""SageMaker HyperPod: the jobs of a cluster's Slurm or EKS, by pool.

The bill names no machine of HyperPod (`Cluster:ml.trn1.32xlarge`), so a job holds a part of the
cluster's pool of an instance type. Nodes and their types are those of `ListClusterNodes`, which is
free; the files of the head node, or kube-state-metrics, tell of the jobs. A node that SageMaker has
replaced keeps the type under which it was delivered. Key: the cluster, by the id that its ARN ends
in, as on the bill, and the UTC day.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from pydantic import Field

from ingest import aws
from ingest.allocations.allocation import Allocation
from ingest.allocations.deliveries import FORMAT
from ingest.allocations.kubernetes.pods import instance
from ingest.allocations.kubernetes.prometheus import Prometheus
from ingest.allocations.kubernetes.reading import SERVER, KubernetesReading
from ingest.allocations.live_days import LiveDays
from ingest.allocations.slurm.options import NodeOptions
from ingest.allocations.slurm.reading import SlurmReading
from ingest.aws import training_jobs
from ingest.files.location import open_store
from ingest.files.s3 import BilledTo
from ingest.source import Batch, FetchContext, Group, Options
from models.config.settings import Settings
from models.contract.safe_text import without_credentials


class HyperPodOptions(NodeOptions):
    """Options of a HyperPod source: its cluster, and the address from which its jobs are read.

    `location` is a Prometheus (`http://…`) of its EKS, or the files that `breakeven_slurm.py` wrote
    on its head node.
    """

    cluster: str = Field(min_length=1)
    selector: str = ""
    token_file: str | None = Field(default=None, min_length=1)


@dataclass(frozen=True)
class HyperPod:
    """The SageMaker HyperPod feed: the jobs of one cluster, as allocations of its pools."""

    kind: ClassVar[str] = "hyperpod"
    group: ClassVar[Group] = "progress"
    format: ClassVar[str] = FORMAT
    accepts: ClassVar[type[Options]] = HyperPodOptions
    append: ClassVar[bool] = False
    regional: ClassVar[bool] = True

    name: str
    options: HyperPodOptions
    settings: Settings

    @property
    def location(self) -> str:
        """A HyperPod feed's location in words: cluster, region, and the address of its jobs."""
        given = self.options
        where = without_credentials(given.location)
        return f"HyperPod {given.cluster} in {given.region_label} by {where}"

    def fetch(self, context: FetchContext) -> Iterable[Batch]:
        """Yields a delivery of job allocations per new or changed UTC day of a HyperPod cluster."""
        given, nodes = self.options, self._nodes(LiveDays(context, self).instance_types())
        if given.location.startswith(SERVER):
            token = self.settings.resolve(given.token_file) if given.token_file else None
            pods = KubernetesReading(
                self, self.settings, nodes.cluster, given.selector, nodes.in_pool
            )
            return pods.batches(Prometheus(given.location, token), context)
        store = open_store(given, self.settings, BilledTo(context.ledger, self.name))
        jobs = SlurmReading(
            self,
            self.settings,
            given.instance_types,
            given.gres,
            nodes.cluster,
            nodes.in_pool,
            nodes.types,
        )
        return jobs.batches(store, context)

    def _nodes(self, delivered: dict[str, str]) -> ClusterNodes:
        """Asks SageMaker for the cluster's nodes; the types of others are those delivered.

        Raises `SourceError`.
        """
        client = aws.client("sagemaker", self.options)
        action, named = "sagemaker:ListClusterNodes", {"ClusterName": self.options.cluster}
        summaries = training_jobs.pages(
            client,
            "list_cluster_nodes",
            action,
            "ClusterNodeSummaries",
            {**named, "MaxResults": 100},
        )
        types = dict(delivered)
        for summary in summaries:
            host = summary.get("PrivateDnsHostname", "").partition(".")[0]
            for node in (summary["InstanceId"], host, f"hyperpod-{summary['InstanceId']}"):
                types |= {node: summary["InstanceType"]} if node else {}
        with aws.refusals("sagemaker:DescribeCluster"):
            answer = client.describe_cluster(ClusterName=self.options.cluster)
        return ClusterNodes(answer["ClusterArn"].rpartition("/")[2], types)


@dataclass(frozen=True)
class ClusterNodes:
    """The instance types of a HyperPod cluster's nodes, by the names that schedulers give them."""

    cluster: str
    types: dict[str, str]

    def in_pool(self, allocation: Allocation) -> Allocation:
        """Turns an allocation of a node into one of the cluster's pool of its instance type."""
        node = allocation.node or ""
        kind = (
            self.types.get(node)
            or self.types.get(instance(node) or allocation.resource or "")
            or allocation.instance_type
        )
        return replace(allocation, resource=None, pool=kind, instance_type=kind)
