"""Config tables about machines that many jobs share: `[clusters]` and `[allocations]`."""

from __future__ import annotations

from pydantic import Field

from models.config.section import Section

CLUSTER_TAGS = (
    "parallelcluster:cluster-name",
    "aws:eks:cluster-name",
    "aws:pcs:cluster-id",
    "aws:batch:compute-environment",
)
"""Tags by which AWS's own tools say on each machine which cluster it belongs to.

Few, because each is looked up on every line of the bill without a run."""


class Clusters(Section):
    """The table `[clusters]`: idle minutes charged to the job before; tags that name a cluster.

    `tags` are the cost-allocation tags whose value names the cluster of a machine. See METHOD
    §2.10.
    """

    gap_minutes: int = Field(15, ge=0, le=60)
    tags: tuple[str, ...] = CLUSTER_TAGS


class Allocations(Section):
    """The table `[allocations]`: whether names of people in the labels of jobs are stored."""

    keep_user: bool = False
