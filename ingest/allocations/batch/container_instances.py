"""Looks up the EC2 instances behind ECS container instances, as long as ECS still lists these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ingest import aws
from ingest.allocations.machine_types import if_it_may_be

AT_ONCE = 100
"""Container instances that one request may ask about."""


class MachineOf(NamedTuple):
    """Id and type of the EC2 instance behind an ECS container instance; null where not known."""

    resource: str | None = None
    instance_type: str | None = None


class ContainerInstances:
    """Looks up the EC2 instances of ECS container instances; starts from those delivered before."""

    def __init__(self, client: Any, known: dict[str, tuple[str, str | None]]) -> None:  # noqa: ANN401
        self._client = client
        self._known = {node: MachineOf(*machine) for node, machine in known.items()}

    def ask(self, arns: Iterable[str]) -> None:
        """Asks ECS for EC2 instances of container instances not known yet; stores the answers."""
        by_cluster: dict[str, list[str]] = {}
        for arn in dict.fromkeys(arns):
            if _id(arn) not in self._known:
                by_cluster.setdefault(arn.split("/")[-2], []).append(arn)
        for cluster, mine in by_cluster.items():
            for start in range(0, len(mine), AT_ONCE):
                self._ask(cluster, mine[start : start + AT_ONCE])

    def machine(self, arn: str) -> MachineOf:
        """Returns the stored EC2 instance id and type of a container instance, or two nulls."""
        return self._known.get(_id(arn), MachineOf())

    def _ask(self, cluster: str, arns: list[str]) -> None:
        """Requests EC2 instances of one cluster's container instances; stores what ECS returns."""
        with aws.refusals("ecs:DescribeContainerInstances"):
            answer = self._client.describe_container_instances(
                cluster=cluster, containerInstances=arns
            )
        for one in answer["containerInstances"]:
            about = {each["name"]: each.get("value") for each in one.get("attributes", [])}
            kind = if_it_may_be(about.get("ecs.instance-type"))
            self._known[_id(one["containerInstanceArn"])] = MachineOf(one["ec2InstanceId"], kind)


def _id(arn: str) -> str:
    return arn.rpartition("/")[2]
