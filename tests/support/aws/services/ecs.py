"""ECS over `container_instances`, as DescribeContainerInstances tells them; others are missing.

It knows the clusters of Batch's `environments`: that of one which was deleted is inactive.
"""

from __future__ import annotations

from typing import Any

from tests.support.aws.refusal import Refusal

Document = dict[str, Any]


def describe_container_instances(asked: Document, world: Document) -> Document:
    cluster = asked["cluster"]
    if not any(cluster in one.get("ecsClusterArn", "") for one in world["batch"]["environments"]):
        raise Refusal("ClusterNotFoundException", "The referenced cluster was inactive.")
    known = {one["containerInstanceArn"]: one for one in world.get("container_instances", [])}
    arns = asked["containerInstances"]
    gone = [{"arn": arn, "reason": "MISSING"} for arn in arns if arn not in known]
    return {"containerInstances": [known[arn] for arn in arns if arn in known], "failures": gone}
