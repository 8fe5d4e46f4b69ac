"""ECS over `container_instances`, as DescribeContainerInstances tells them; others are missing."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]


def describe_container_instances(asked: Document, world: Document) -> Document:
    known = {one["containerInstanceArn"]: one for one in world.get("container_instances", [])}
    arns = asked["containerInstances"]
    gone = [{"arn": arn, "reason": "MISSING"} for arn in arns if arn not in known]
    return {"containerInstances": [known[arn] for arn in arns if arn in known], "failures": gone}
