"""SageMaker HyperPod: the jobs of a cluster's Slurm or EKS, by pool.

The bill names no machine of HyperPod (`Cluster:ml.trn1.32xlarge`), so a job holds a part of the
cluster's pool of an instance type. Nodes and their types are those of `ListClusterNodes`, which is
free; the files of the head node, or kube-state-metrics, tell of the jobs. A node that SageMaker has
replaced, and of which neither nodes.csv nor the config tells the type, keeps that of its delivered
day. Key: the cluster, by the id that its ARN ends in, as on the bill, and the UTC day.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from ingest import aws
from ingest.allocations.allocation import Allocation
from ingest.allocations.deliveries import FORMAT
from ingest.allocations.kubernetes.pods import instance
from ingest.allocations.kubernetes.prometheus import Prometheus
from ingest.allocations.kubernetes.reading import SERVER, KubernetesReading
from ingest.allocations.live_days import LiveDays
from ingest.allocations.node_types import NodeTypes
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
        given, client = self.options, aws.client("sagemaker", self.options)
        cluster = self._cluster(client)
        delivered = LiveDays(context, self).instance_types(cluster)
        types = NodeTypes(given.instance_types, self._types_of_nodes(client), delivered)
        in_pool = partial(_in_pool, types)
        if given.location.startswith(SERVER):
            token = self.settings.resolve(given.token_file) if given.token_file else None
            pods = KubernetesReading(self, self.settings, cluster, given.selector, in_pool)
            return pods.batches(Prometheus(given.location, token), context)
        store = open_store(given, self.settings, BilledTo(context.ledger, self.name))
        jobs = SlurmReading(self, self.settings, types, given.gres, cluster, in_pool)
        return jobs.batches(store, context)

    def _cluster(self, client: Any) -> str:  # noqa: ANN401
        """Asks SageMaker for the cluster's id, as on the bill. Raises `SourceError`."""
        with aws.refusals("sagemaker:DescribeCluster"):
            answer = client.describe_cluster(ClusterName=self.options.cluster)
        return str(answer["ClusterArn"].rpartition("/")[2])

    def _types_of_nodes(self, client: Any) -> dict[str, str]:  # noqa: ANN401
        """Maps each current node of a cluster, by each of its names, to its instance type.

        Raises `SourceError`.
        """
        asked = {"ClusterName": self.options.cluster, "MaxResults": 100}
        summaries = training_jobs.pages(
            client,
            "list_cluster_nodes",
            "sagemaker:ListClusterNodes",
            "ClusterNodeSummaries",
            asked,
        )
        types: dict[str, str] = {}
        for summary in summaries:
            host = summary.get("PrivateDnsHostname", "").partition(".")[0]
            for node in (summary["InstanceId"], host, f"hyperpod-{summary['InstanceId']}"):
                types |= {node: summary["InstanceType"]} if node else {}
        return types


def _in_pool(types: NodeTypes, allocation: Allocation) -> Allocation:
    """Returns a node's allocation as one of the cluster's pool of its instance type.

    A type that the scheduler tells of the node for that time comes first.
    """
    node, day = allocation.node or "", allocation.held_from.date()
    kind = (
        allocation.instance_type
        or types.told.get(instance(node) or allocation.resource or "")
        or types.of(node, day)
    )
    return replace(allocation, resource=None, pool=kind, instance_type=kind)
